/* Elementwise work that is part of a scan's call (kernel.h): how its launches walk. */
#ifndef HEDDLE_FAMILIES_SCAN_KERNEL_WORK_H
#define HEDDLE_FAMILIES_SCAN_KERNEL_WORK_H

#include "families/scan/kernel.h"

#include "kernels.h"

/* Parameters of a generated kernel that one side's work may have: an operand has four, a constant up to two. All kernels may have
 * 4096 bytes. */
enum { HEDDLE_SCAN_WORK_SLOTS = 240 };

/* How an operand walks: element offset + o * stride[0] + j * stride[1] + i * stride[2] of (outer, n, inner). */
struct heddle_scan_walk {
    int64_t offset, stride[3];
};

/* How all operands of a launch walk. False: its box has other axes than the call, or an operand does not walk them so. */
bool heddle__scan_walks(const struct heddle_scan *s, const struct heddle_launch *launch,
                        struct heddle_scan_walk walk[HEDDLE_MAX_OPERANDS]);
/* Whether the call takes a map before, or after, as both twins do it. */
bool heddle__scan_takes(const struct heddle_scan *s, const struct heddle_launch *launch,
                        bool before);
/* How many pieces of equal size, of whole outer indices, the launch can be cut into. */
int64_t heddle__scan_pieces(const struct heddle_scan *s, const struct heddle_launch *launch);
/* Whether there is one row, and the launch can be cut at any of its elements. */
bool heddle__scan_is_line(const struct heddle_scan *s, const struct heddle_launch *launch);
/* Pieces, of several, or elements of a line, from..from+n-1 of the launch; `access` is its own. */
struct heddle_launch heddle__scan_part(const struct heddle_scan *s,
                                       const struct heddle_launch *launch, int64_t from, int64_t n,
                                       struct heddle_access access[]);

#endif
