/* Heddle: lazy, NumPy-like array expressions for C, run on CPU cores and NVIDIA GPUs at once.
 *
 * A program builds expressions; nothing is computed until a value is asked for:
 *
 *     heddle_scope scope = heddle_scope_open();            // owns every array made until it closes
 *     heddle_array *a = heddle_load("a.npy");              // any shape, any dtype
 *     heddle_array *n = heddle_sqrt(heddle_sum(heddle_square(heddle_abs(a))));
 *     double norm;
 *     if (heddle_read(n, &norm, sizeof norm) != HEDDLE_OK) // evaluates; the one place to check errors
 *         fprintf(stderr, "%s\n", heddle_error(n));        // names the function, shapes and dtypes
 *     heddle_scope_close(scope);
 *
 * or the same as text: heddle_expr("sqrt(sum(abs(a)**2))", HEDDLE_BIND("a", a)).
 *
 * Three rules hold everywhere.
 *  - Arrays are values: immutable, reference counted, never aliasing. An update returns a new array.
 *  - A function that makes an array never returns NULL. A bad call returns an array in the error
 *    state; operations on it pass the error on; evaluating or reading it returns the code.
 *    Every other function returns enum heddle_status and leaves its outputs untouched on failure.
 *  - Names and meaning are those of the Python Array API standard 2024.12; what goes beyond it is
 *    NumPy's. Optional arguments are named: heddle_sum(a, .axis = 1, .keepdims = true).
 *
 * All functions may be called from any thread. The library never aborts or exits, and never prints,
 * unless a report of movement is asked for: HEDDLE_MOVEMENT=report in the environment, or
 * HEDDLE_MOVE_REPORTED (runtime.h). It goes to standard error.
 * The headers below are in reading order.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <heddle/status.h>
#include <heddle/dtype.h>
#include <heddle/array.h>
#include <heddle/call.h>
#include <heddle/create.h>
#include <heddle/elementwise.h>
#include <heddle/special.h>
#include <heddle/reduce.h>
#include <heddle/statistics.h>
#include <heddle/scan.h>
#include <heddle/manipulate.h>
#include <heddle/assemble.h>
#include <heddle/index.h>
#include <heddle/gather.h>
#include <heddle/mask.h>
#include <heddle/scatter.h>
#include <heddle/sort.h>
#include <heddle/search.h>
#include <heddle/series.h>
#include <heddle/sets.h>
#include <heddle/histogram.h>
#include <heddle/linalg.h>
#include <heddle/fft.h>
#include <heddle/factor.h>
#include <heddle/spectral.h>
#include <heddle/random.h>
#include <heddle/distribute.h>
#include <heddle/raw.h>
#include <heddle/gufunc.h>
#include <heddle/sparse.h>
#include <heddle/dlpack.h>
#include <heddle/pointer.h>
#include <heddle/kernel.h>
#include <heddle/expr.h>
#include <heddle/prepared.h>
#include <heddle/io.h>
#include <heddle/runtime.h>
#include <heddle/explain.h>
#include <heddle/version.h>

#endif
