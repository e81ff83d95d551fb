/* One product of matrices, or a tile of it, by BLAS on the calling thread. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_BLAS_H
#define HEDDLE_FAMILIES_MATMUL_CPU_BLAS_H

#include "cpu/blas.h"
#include "families/matmul/kernel.h"

#include <stdbool.h>

/* How BLAS sees an operand with one unit stride: transposed or not, and its leading dimension. */
struct heddle_blas_form {
    CBLAS_TRANSPOSE transpose;
    int ld;
};

struct heddle_blas_product {
    const struct heddle_cpu_blas *blas;
    struct heddle_blas_form a, b;
    bool by_vector, vector_first; /* B is one, or A is */
    bool is_dot;                  /* both are */
    int x_stride, y_stride;       /* then: of the vector, and of the result; or of both vectors */
};

/* Errors: HEDDLE_EARG; HEDDLE_EDEVICE. */
enum heddle_status heddle__blas_product_begin(const struct heddle_matmul *mm,
                                              struct heddle_blas_product *p);
/* m rows and n columns of it, for the first of which the operands and the result are given. */
void heddle__blas_product(const struct heddle_blas_product *p, const struct heddle_matmul *mm,
                          int64_t m, int64_t n, const char *a, const char *b, char *c);

#endif
