/* An operation with two outputs, for tests: each row of x, float64 (n, m) of integers, becomes mantissas
 * below 1, float64 (n, m), and the exponent of 2 that they share, int32 (n,).
 *
 * It is a family of the tests' own. Graph, planner and executors know a family by a pointer, so none of them
 * is bent for it. Kernels are found by number, though, and a row of families.def would need one for
 * each device and cases of random programs. So `split` has the number of raw, for its codelet, and
 * the linker diverts calls of it to a kernel for CPUs: link with --wrap=heddle__call_cpu. */
#ifndef HEDDLE_TESTS_FAMILIES_SPLIT_H
#define HEDDLE_TESTS_FAMILIES_SPLIT_H

#include <heddle/array.h>
#include <stdatomic.h>

/* The outputs, mantissas and exponents, are the caller's. False, and both NULL, when memory is gone or x is
 * in error. */
bool split(heddle_array *x, heddle_array *outputs[2]);

extern atomic_llong split_rows; /* that kernels have done */
extern atomic_bool split_fails; /* they fail with HEDDLE_ENOMEM */

#endif
