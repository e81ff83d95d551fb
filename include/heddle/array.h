/* Arrays: life cycle, scopes, errors, queries, evaluation. */
#ifndef HEDDLE_ARRAY_H
#define HEDDLE_ARRAY_H

#include <heddle/dtype.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_MAX_NDIM 8

/* An immutable value: dtype, shape, and an expression or data. Reference counted. */
typedef struct heddle_array heddle_array;

/* ---- Scopes -------------------------------------------------------------------------------- */

/* Owns the arrays that its thread makes while it is the innermost open one. */
typedef struct heddle_scope_state *heddle_scope;

/** Opens a scope on this thread; scopes nest. The handle is NULL only when memory is gone; arrays
 *  made then belong to the enclosing scope or the caller, and closing NULL does nothing. */
HEDDLE_API heddle_scope heddle_scope_open(void);

/** Releases every array made in the scope that was not kept, and closes scopes opened inside it
 *  and still open. Never waits. Must run on the thread that opened it. */
HEDDLE_API void heddle_scope_close(heddle_scope scope);

/** Makes the result of a call the caller's, to be released once, whether a scope is open on this thread
 *  or not: takes it out of the scope, or leaves it as it is. For what has just been made:
 *  heddle_array *b = heddle_own(heddle_add(a, a)). Of an array made before, while another scope, or
 *  none, was open, and of an argument, use heddle_keep. Returns `a`. O(1). */
HEDDLE_API heddle_array *heddle_own(heddle_array *a);

/** Adds a reference, the caller's, to be released once, to those that there are: of an array in a scope,
 *  so that it outlives the scope; of one that the caller owns already, so that it is released twice in
 *  all. Returns `a`. */
HEDDLE_API heddle_array *heddle_keep(heddle_array *a);

/** Drops a reference of the caller's: one from a constructor called with no scope open, from heddle_own
 *  or from heddle_keep. NULL is ignored. Never waits and never cancels work. */
HEDDLE_API void heddle_release(heddle_array *a);

/* ---- Errors -------------------------------------------------------------------------------- */

/** HEDDLE_OK, or the code of an array in the error state (NULL is HEDDLE_EARG). Errors of dtype
 *  and shape are known at once, errors of evaluation once it was tried. */
HEDDLE_API enum heddle_status heddle_status_of(const heddle_array *a);

/** The message of an array in the error state: public function, shapes, dtypes, axis. Owned by the array.
 *  Of any other array: heddle_last_error(), so that the text of a call that failed with it and left it as it
 *  is (heddle_read with a wrong size, movement that is forbidden) is found here, too. Whether an array is in
 *  error is heddle_status_of's to say. */
HEDDLE_API const char *heddle_error(const heddle_array *a);

/* ---- Queries: O(1), never evaluate. On an array in error: HEDDLE_DTYPE_NONE, 0, 0, NULL. ----- */

HEDDLE_API enum heddle_dtype heddle_dtype_of(const heddle_array *a);
HEDDLE_API int heddle_ndim(const heddle_array *a);
/** Elements. */
HEDDLE_API int64_t heddle_size(const heddle_array *a);
/** Bytes of all elements. */
HEDDLE_API int64_t heddle_nbytes(const heddle_array *a);
/** heddle_ndim(a) extents, owned by the array. */
HEDDLE_API const int64_t *heddle_shape(const heddle_array *a);
/** Whether the data exist or are being computed (heddle_is_done: whether they exist). */
HEDDLE_API bool heddle_is_evaluated(const heddle_array *a);

/* ---- Evaluation ---------------------------------------------------------------------------- */

/** Starts computing `a` and returns; errors of the computation show at heddle_wait or heddle_read.
 *  Small work on host data is done before it returns. */
HEDDLE_API enum heddle_status heddle_eval(heddle_array *a);

/** The same for `n` arrays at once, so that they share work: one pass computes them all. */
HEDDLE_API enum heddle_status heddle_eval_all(int n, heddle_array *const arrays[]);

/** Evaluates, waits for this array alone, and returns its status. */
HEDDLE_API enum heddle_status heddle_wait(heddle_array *a);

/** Whether heddle_wait would find all done: the data exist, or `a` is an error. Starts nothing: false
 *  for what nobody has evaluated. Never waits, not even for evaluations of other threads. */
HEDDLE_API bool heddle_is_done(const heddle_array *a);

/** Evaluates `n` arrays, as heddle_eval_all does, waits until one of them is done (of several, the
 *  first), and returns its status as heddle_wait would; *which is its number. An array in error
 *  is done. Errors: HEDDLE_EARG (no arrays, NULL), `which` untouched. */
HEDDLE_API enum heddle_status heddle_wait_any(int n, heddle_array *const arrays[], int *which);

/* `status`: of heddle_wait; heddle_last_error has the text. */
typedef void heddle_done_function(heddle_array *a, enum heddle_status status, void *data);

/** Evaluates `a`, and has function(a, status, data) called once it is done, in error too. `a` lives
 *  until then; no other reference is needed. The function is called on one thread of Heddle's own, one
 *  call at a time, also if `a` is done already; it may call whatever a thread may, and hold up only
 *  other such functions. heddle_shutdown does not wait for it: the call may come later. It is not
 *  called once the process has begun to exit. Errors: HEDDLE_EARG (NULL), HEDDLE_ENOMEM; then it will
 *  not be called. */
HEDDLE_API enum heddle_status heddle_on_done(heddle_array *a, heddle_done_function *function,
                                             void *data);

/** Evaluates, waits, and copies all elements in C order to `out`, which has room for exactly
 *  `size_bytes` = heddle_nbytes(a) bytes (anything else is HEDDLE_EARG, `out` untouched). */
HEDDLE_API enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes);

/** The same of heddle_astype(a, dtype): heddle_size(a) elements of `dtype`. The conversion fuses with
 *  what computes `a`, which is not evaluated itself by this, if it was not before. On failure, here and
 *  below, heddle_last_error has the text. Errors also: HEDDLE_EDTYPE it is no dtype,
 *  or complex numbers would lose their imaginary parts (heddle_real drops them). */
HEDDLE_API enum heddle_status heddle_read_as(heddle_array *a, enum heddle_dtype dtype, void *out,
                                             int64_t size_bytes);

/* The value of an array of one element, of any shape: evaluates and waits. The value arrives as it is,
 * or not at all: HEDDLE_ERANGE when the result cannot hold it exactly (2**53 + 1 as a double, 2.5 or
 * NaN as an integer, 2 as a bool), HEDDLE_EDTYPE of complex numbers but for item_complex. HEDDLE_ESHAPE:
 * not one element. Conversions that round are heddle_astype's. `out` is untouched on failure. */
HEDDLE_API enum heddle_status heddle_item_double(heddle_array *a, double *out);
HEDDLE_API enum heddle_status heddle_item_int(heddle_array *a, int64_t *out);
HEDDLE_API enum heddle_status heddle_item_bool(heddle_array *a, bool *out);
HEDDLE_API enum heddle_status heddle_item_complex(heddle_array *a, double *real, double *imag);

#ifdef __cplusplus
}
#endif

#endif
