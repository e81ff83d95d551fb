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
#include <heddle/reduce.h>

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

/* ---- Reductions ------------------------------------------------------------------------------------------
 *
 *     heddle_kernel *k = heddle_kernel_reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", .identity = "0");
 *     heddle_array *y = heddle_kernel_reduce(k, HEDDLE_ARRAYS(x), .axis = 1);
 *
 * The map makes of each element the values that are reduced: one expression, or up to 8 with commas between them, one for
 * each accumulator. The reduction is of as many expressions: of a0, a1, ..., which stand for elements that come before, and
 * of b0, b1, ... It must be associative: a o (b o c) is (a o b) o c, or as good. The post-map is statements, and makes the
 * outputs of a0, a1, ... and of n, how many elements became one. With one accumulator a and b are its names, too. An accumulator has the type of its map, as C's
 * arithmetic makes it: int32 of comparisons, float32 of float16. Elements are taken together in their C order. How depends
 * on the texts and the shape alone, so the results are the same bits for any partition, device and number of threads, as
 * far as the operations in the texts are. */

struct heddle_kernel_reduction_options {
    size_t size;          /* call.h */
    const char *identity; /* values of nothing, as "0" or "INFINITY, 0"; NULL or "": nothing is an error */
    const char *type;     /* types of the accumulators, with commas between them, instead of the map's */
    const char *name;     /* for messages, or NULL */
    bool commutative;     /* a o b is b o a, or as good: elements need not stay in order, which is faster along the last axis */
};

/** As heddle_kernel_elementwise, of a reduction. */
HEDDLE_API heddle_kernel *
heddle_kernel_reduction_with(const char *in, const char *out, const char *map, const char *reduce,
                             const char *post, const struct heddle_kernel_reduction_options *o);
#define heddle_kernel_reduction(...)                                                               \
    HEDDLE_CALL5(heddle_kernel_reduction_with, heddle_kernel_reduction_options, __VA_ARGS__)

struct heddle_kernel_reduce_options {
    size_t size;                 /* call.h */
    int axis;                    /* one axis */
    bool has_axis;               /* whether it is given; set by the macros */
    bool keepdims;               /* reduced axes stay, with extent 1 */
    struct heddle_axes axes;     /* several, instead of `axis`; all if neither is given */
    struct heddle_lengths shape; /* to which the arguments broadcast; needed if all of them are raw */
};

/** The outputs of a reduction for n_in arguments, which broadcast together, reduced over axes. Lazy; out[] as in
 *  heddle_kernel_call. Errors are those of heddle_kernel_call, HEDDLE_EAXIS, and HEDDLE_ESHAPE of no elements where there is
 *  no identity. Cost: a pass over the arguments, and a part of another one (docs/kernels.md). */
HEDDLE_API enum heddle_status
heddle_kernel_reduce_call_with(heddle_kernel *kernel, int n_in, heddle_array *const in[], int n_out,
                               heddle_array *out[], const struct heddle_kernel_reduce_options *o);
#define heddle_kernel_reduce_call(...)                                                             \
    HEDDLE_CALL5_AXIS(heddle_kernel_reduce_call_with, heddle_kernel_reduce_options, __VA_ARGS__)

/** The same of a reduction with one output, as an array. */
HEDDLE_API heddle_array *heddle_kernel_reduce_with(heddle_kernel *kernel, int n_in,
                                                   heddle_array *const in[],
                                                   const struct heddle_kernel_reduce_options *o);
#define heddle_kernel_reduce(...)                                                                  \
    HEDDLE_CALL3_AXIS(heddle_kernel_reduce_with, heddle_kernel_reduce_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
