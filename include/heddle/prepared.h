/* Texts that run many times, as the steps of an iteration do.
 *
 *     heddle_prepared *step = heddle_prepare("u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])",
 *                                            HEDDLE_NAMES("u", "c"), HEDDLE_NAMES("u"));
 *     heddle_array *now[] = {u, c};
 *     for (int t = 0; t < 1000; t++) HEDDLE_MUST(heddle_prepared_advance(step, now));
 *
 * The first run with arrays of certain dtypes, shapes and places records what the text says, and plans it; a later run with
 * such arrays runs that plan at once. So beside its kernels a step takes about 1 us, where recording a text takes 10. */
#ifndef HEDDLE_PREPARED_H
#define HEDDLE_PREPARED_H

#include <heddle/array.h>
#include <heddle/list.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { HEDDLE_PREPARED_NAMES = 64 }; /* inputs of a text, at most; outputs likewise */

/* A text and what is known of it. Any number of threads may run it. */
typedef struct heddle_prepared heddle_prepared;

#define HEDDLE_NAMES(...) HEDDLE_LIST_(const char *, __VA_ARGS__)
#define HEDDLE_NO_NAMES HEDDLE_NO_LIST_(const char *)

/** A text (expr.h) with the names of its inputs and of the variables that are its results. Text and names are copied; the
 *  text is read when it first runs. To be released with heddle_prepared_release. NULL: heddle_last_error says what is wrong
 *  with the arguments, or that there is no memory. */
HEDDLE_API heddle_prepared *heddle_prepare(const char *text, int n_inputs,
                                           const char *const *inputs, int n_outputs,
                                           const char *const *outputs);

/** Runs the text on inputs[n_inputs] and starts the evaluation of outputs[n_outputs], as heddle_expr_run and heddle_eval_all
 *  do. The outputs belong to the scope or the caller, as from any constructor; on failure they are in the error state.
 *  What makes no difference between runs is kept: plans, and the values of inputs that are constants (heddle_scalar,
 *  heddle_full), which a run with other values has to record anew. A text that reads elements (`if`, float(a), a.tolist(),
 *  shapes from arrays) is recorded at each run. Errors: those of the text and of its evaluation. */
HEDDLE_API enum heddle_status heddle_prepared_run(heddle_prepared *prepared,
                                                  heddle_array *const *inputs,
                                                  heddle_array **outputs);

/** A step of an iteration: each output has the name of an input, whose array it replaces in arrays[n_inputs]. The caller's
 *  reference to the array before goes, so that its memory may become the next one's, and the new one is the caller's,
 *  not a scope's. Errors: HEDDLE_EARG if an output is no input; those of the text, which leave `arrays` as they are; and
 *  those of its evaluation, which make what it replaces errors. */
HEDDLE_API enum heddle_status heddle_prepared_advance(heddle_prepared *prepared,
                                                      heddle_array **arrays);

/** NULL is ignored. */
HEDDLE_API void heddle_prepared_release(heddle_prepared *prepared);

#ifdef __cplusplus
}
#endif

#endif
