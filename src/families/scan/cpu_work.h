/* Scans with elementwise work on the CPU. */
#ifndef HEDDLE_FAMILIES_SCAN_CPU_WORK_H
#define HEDDLE_FAMILIES_SCAN_CPU_WORK_H

#include "families/scan/kernel.h"

#include "kernels.h"

/* The loops of a dtype and operation (cpu_loops.h). */
typedef void heddle_scan_loops(const struct heddle_scan *, void *const buffers[], void *scratch,
                               struct heddle_team *);

/* The work before, the scan and the work after: of a few rows at a time, which stay in a cache, where there are enough for all threads,
 * or of segments of one long row; else one after the other. */
enum heddle_status heddle__scan_with_work(const struct heddle_scan *s, heddle_scan_loops *loops,
                                          struct heddle_kernel_context *k);

#endif
