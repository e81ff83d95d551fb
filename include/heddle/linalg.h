/* Linear algebra. */
#ifndef HEDDLE_LINALG_H
#define HEDDLE_LINALG_H

#include <heddle/assemble.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be rounded before products of float32 are taken. They are always added up in float32. */
enum heddle_precision {
    HEDDLE_PRECISION_FULL,     /* nothing */
    HEDDLE_PRECISION_TF32,     /* operands, to 11 significant binary digits; the exponents stay */
    HEDDLE_PRECISION_BFLOAT16, /* operands, to bfloat16: 8 digits, the exponents stay */
    HEDDLE_PRECISION_FLOAT16,  /* operands, to float16: 11 digits; what is beyond 65504 is infinite */
};

struct heddle_matmul_options {
    size_t size; /* call.h */
    enum heddle_precision precision;
};

/** Matrix product over the last two axes, batched over broadcast leading axes; a 1-d operand is a
 *  row (left) or a column (right) and its axis is dropped from the result. Dtype: the common one; floating and complex
 *  by kernels of Heddle and BLAS (CPU) and cuBLAS (GPU), integers exactly. The precision is that of the dtype,
 *  unless .precision asks for less: then the operands are rounded, everywhere alike, and tensor cores do the rest.
 *  Errors: HEDDLE_ESHAPE inner extents differ or a 0-d operand, HEDDLE_EDTYPE bool, or .precision of another dtype than
 *  float32. Cost: 2 m n k floating-point operations; views of transposed matrices are not copied. */
HEDDLE_API heddle_array *heddle_matmul_with(heddle_array *a, heddle_array *b,
                                            const struct heddle_matmul_options *o);
HEDDLE_API heddle_array *heddle_matmul(heddle_array *a, heddle_array *b); /* as a pointer */
#define heddle_matmul(...) HEDDLE_CALL2(heddle_matmul_with, heddle_matmul_options, __VA_ARGS__)

/* What follows is made of matmul, or of elementwise products and sums, and fuses as these do. */

/** Sums of products over n axes: the last `n` of a with the first of b, or, unless these are NULL, axis
 *  a_axes[i] of a with b_axes[i] of b. The other axes of a stay, then those of b. Dtype: the common one. */
HEDDLE_API heddle_array *heddle_tensordot(heddle_array *a, heddle_array *b, int n,
                                          const int *a_axes, const int *b_axes);

/** Sums of conj(a) * b along .axis (default: the last) of the arrays, broadcast. */
HEDDLE_API heddle_array *heddle_vecdot_with(heddle_array *a, heddle_array *b,
                                            const struct heddle_along_options *o);
#define heddle_vecdot(...) HEDDLE_CALL2_AXIS(heddle_vecdot_with, heddle_along_options, __VA_ARGS__)

/** The cross product of vectors of 3 along .axis (default: the last), broadcast. */
HEDDLE_API heddle_array *heddle_cross_with(heddle_array *a, heddle_array *b,
                                           const struct heddle_along_options *o);
#define heddle_cross(...) HEDDLE_CALL2_AXIS(heddle_cross_with, heddle_along_options, __VA_ARGS__)

struct heddle_trace_options {
    size_t size;             /* call.h */
    int64_t offset;          /* of the diagonal, as heddle_diagonal's */
    int axis1, axis2;        /* as heddle_diagonal's */
    enum heddle_dtype dtype; /* as heddle_sum's */
};

/** The sum of a diagonal. */
HEDDLE_API heddle_array *heddle_trace_with(heddle_array *a, const struct heddle_trace_options *o);
#define heddle_trace(...) HEDDLE_CALL1(heddle_trace_with, heddle_trace_options, __VA_ARGS__)

/** Each element of a times each of b, both flat: a matrix. */
HEDDLE_API heddle_array *heddle_outer(heddle_array *a, heddle_array *b);

/** Sums of products by NumPy's subscripts: heddle_einsum("ij,jk->ik", HEDDLE_ARRAYS(a, b)). A letter names an axis of each
 *  argument; axes of one letter are walked together, or a diagonal if one argument has both; "..." stands for axes
 *  that broadcast; letters that are not behind "->" are summed. Without "->" the result has the axes of "...", then the
 *  letters that occur once, in their order. An extent of 1 broadcasts. Dtype: the common one; of bool whether any of the
 *  products is true. Errors: HEDDLE_EARG subscripts that make no sense, more than 32 arrays; HEDDLE_ESHAPE extents that
 *  differ, or each order has an intermediate array of more than 8 axes.
 *  Cost: the order of the pairs is the one with the least work, of more than 8 arrays a greedy one; each pair is a
 *  batched matmul of views, or a product and a sum, which fuse. */
HEDDLE_API heddle_array *heddle_einsum(const char *subscripts, int n, heddle_array *const arrays[]);

/** The product of a chain of 2 to 256 matrices, in the order that has the least work; the first and the last may be
 *  vectors, as of matmul. */
HEDDLE_API heddle_array *heddle_linalg_multi_dot(int n, heddle_array *const arrays[]);

/* NumPy's names: */

/** Sums of products over the last axes of both; of a scalar the product. */
HEDDLE_API heddle_array *heddle_inner(heddle_array *a, heddle_array *b);
/** Sums of products over the last axis of a and the last but one of b, or its only one; of a scalar the
 *  product. */
HEDDLE_API heddle_array *heddle_dot(heddle_array *a, heddle_array *b);
/** The Kronecker product: each element of a times all of b. */
HEDDLE_API heddle_array *heddle_kron(heddle_array *a, heddle_array *b);

#ifdef __cplusplus
}
#endif

#endif
