/* Kernels of the user's. */
#ifndef RAW_H
#define RAW_H

#include <stdint.h>

void run_raw_small(const char *name, int64_t n); /* 1000 launches of one over n elements */

#endif
