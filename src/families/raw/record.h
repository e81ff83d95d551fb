/* Calls of the user's kernels as they are recorded: what raw calls, functions over parts and generalised functions
 * share. */
#ifndef HEDDLE_FAMILIES_RAW_RECORD_H
#define HEDDLE_FAMILIES_RAW_RECORD_H

#include "families/raw/raw.h"

/* A frame other than that of the first array: its axes, and which of them each axis of each argument follows. */
struct heddle_raw_loop {
    int ndim;
    int64_t extent[HEDDLE_MAX_NDIM];
    int8_t frame[HEDDLE_RAW_ARGUMENTS_MAX][HEDDLE_MAX_NDIM];
};

/* HEDDLE_OK if the call is well-formed (check.c). `name`: the public function's, without "heddle_". */
enum heddle_status heddle__raw_check(const char *name, const struct heddle_raw_kernel *kernel,
                                     int n, const struct heddle_raw_argument *arguments,
                                     const struct heddle_raw_call_options *o);

/* Records a call that was checked: a new reference for each result, to where its argument says. `caller`: the public
 * function, a constant. `loop`: NULL: as o->over_parts says. On failure nothing is written. */
enum heddle_status heddle__raw_record(const char *caller, struct heddle_raw_kernel *kernel, int n,
                                      const struct heddle_raw_argument *arguments,
                                      const struct heddle_raw_call_options *o,
                                      const struct heddle_raw_loop *loop);

#endif
