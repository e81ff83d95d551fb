/* Kernels from text: what the library has no function for, written as C for one element.
 *
 *     heddle_kernel *k = heddle_kernel_elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
 *     heddle_array *z = heddle_kernel_apply(k, HEDDLE_ARRAYS(x, y));
 *
 * docs/kernels.md says what a text may have. A parameter is a type and a name. Types: those of Heddle by name, C's, and
 * letters: each stands for one dtype, which the arguments decide. Arguments broadcast; those of `raw` parameters are
 * whole and have elements by index, x[e].
 *
 * A text that is a straight line becomes the operations of elementwise.h, so it fuses with what stands around it. Others,
 * where data end a loop or elements are found by index, are one kernel for CPUs and GPUs. */
#ifndef HEDDLE_KERNEL_H
#define HEDDLE_KERNEL_H

#include <heddle/array.h>
#include <heddle/call.h>
#include <heddle/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; any number of threads may apply it. */
typedef struct heddle_kernel heddle_kernel;

/** Parses. The texts are copied; `name` is for messages, or NULL. What is wrong with a text is an error of the kernel
 *  (heddle_kernel_error), and of every call of it: HEDDLE_ESYNTAX or HEDDLE_ENAME with line and column. Release it with
 *  heddle_kernel_release. NULL: no memory. */
HEDDLE_API heddle_kernel *heddle_kernel_elementwise(const char *in, const char *out,
                                                    const char *operation, const char *name);

/** The same with functions that the operation calls: `preamble` is C's, functions of numbers that return a number, in
 *  the types of the parameters (letters too); each may call those before it. NULL: there are none. */
HEDDLE_API heddle_kernel *heddle_kernel_with_preamble(const char *preamble, const char *in,
                                                      const char *out, const char *operation,
                                                      const char *name);

/* Elements first .. first + n - 1 of `size`, n > 0, as a function of the caller's computes them. p[] has the address of
 * element `first` of each input, then of each output, in the types of the text, elements next to each other; the inputs from
 * number `n_dense` on have one element for all. Called from several threads at once; must not call Heddle. */
typedef void heddle_kernel_loop(int64_t n, int n_dense, void *const p[], int64_t first,
                                int64_t size);

/** The same with a function for CPUs, which must compute what the text says: it runs where the text is no straight line, or
 *  a long one and no GPU is in use, and has no raw parameter. HEDDLE_ELEMENTWISE (single_source.h) makes both of one body. NULL: there is none. */
HEDDLE_API heddle_kernel *heddle_kernel_with_loop(const char *in, const char *out,
                                                  const char *operation, const char *name,
                                                  heddle_kernel_loop *loop);

/** NULL is ignored. What was recorded with the kernel stays good. */
HEDDLE_API void heddle_kernel_release(heddle_kernel *kernel);

/** HEDDLE_OK if its texts are good. */
HEDDLE_API enum heddle_status heddle_kernel_status(const heddle_kernel *kernel);
/** What is wrong with its texts, or "". Valid as long as the kernel. */
HEDDLE_API const char *heddle_kernel_error(const heddle_kernel *kernel);

struct heddle_kernel_options {
    size_t size; /* call.h */
    struct heddle_lengths shape; /* of the outputs, to which the arguments broadcast; needed if all of them are raw */
};

/** The outputs of a kernel for n_in arguments, one for each of its inputs. Lazy. out[n_out] receives new arrays, and stays
 *  as it is when the call fails: HEDDLE_EARG (wrong numbers, a text in error has its own code), HEDDLE_ESHAPE,
 *  HEDDLE_EDTYPE (arguments that are not of the parameters' types), HEDDLE_ENOMEM. */
HEDDLE_API enum heddle_status heddle_kernel_call_with(heddle_kernel *kernel, int n_in,
                                                      heddle_array *const in[], int n_out,
                                                      heddle_array *out[],
                                                      const struct heddle_kernel_options *o);
#define heddle_kernel_call(...)                                                                    \
    HEDDLE_CALL5(heddle_kernel_call_with, heddle_kernel_options, __VA_ARGS__)

/** The same of a kernel with one output, as an array. */
HEDDLE_API heddle_array *heddle_kernel_apply_with(heddle_kernel *kernel, int n_in,
                                                  heddle_array *const in[],
                                                  const struct heddle_kernel_options *o);
#define heddle_kernel_apply(...)                                                                   \
    HEDDLE_CALL3(heddle_kernel_apply_with, heddle_kernel_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
