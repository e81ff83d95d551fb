/* Scans as stages of chains over the same rows (rows.h) on CPUs. */
#ifndef HEDDLE_CPU_SCAN_SCAN_ROWS_H
#define HEDDLE_CPU_SCAN_SCAN_ROWS_H

#include "kernels.h"

/* Runs a launch whose program is a scan, on the caller's thread. Errors: HEDDLE_EINTERNAL. */
enum heddle_status heddle__cpu_scan(const struct heddle_launch *launch, void *const buffers[]);

#endif
