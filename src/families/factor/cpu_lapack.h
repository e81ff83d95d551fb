/* LAPACK and BLAS by dtype, column-major, one thread a call. */
#ifndef HEDDLE_FAMILIES_FACTOR_CPU_LAPACK_H
#define HEDDLE_FAMILIES_FACTOR_CPU_LAPACK_H

#include "families/factor/kernel.h"

/* Fortran passes pointers, and lengths of texts at the end. */
struct heddle_lapack {
    void (*potrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
    void (*getrf)(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
    void (*laswp)(const int *n, void *a, const int *lda, const int *from, const int *to,
                  const int *pivots, const int *step);
    void (*geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                  const int *lwork, int *info);
    void (*larft)(const char *direct, const char *store, const int *n, const int *k, const void *v,
                  const int *ldv, const void *tau, void *t, const int *ldt, size_t, size_t);
    void (*larfb)(const char *side, const char *trans, const char *direct, const char *store,
                  const int *m, const int *n, const int *k, const void *v, const int *ldv,
                  const void *t, const int *ldt, void *c, const int *ldc, void *work,
                  const int *ldwork, size_t, size_t, size_t, size_t);
    void (*trsm)(const char *side, const char *uplo, const char *trans, const char *diag,
                 const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                 void *b, const int *ldb, size_t, size_t, size_t, size_t);
    void (*gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                 const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                 const void *beta, void *c, const int *ldc, size_t, size_t);
};

/* A call under way. */
struct heddle_factor_cpu {
    const struct heddle_factor *f;
    const struct heddle_lapack *lapack;
    struct heddle_team *team; /* NULL: the caller alone */
    int n_threads;
    int64_t size; /* bytes of an element */
    int rows;     /* the leading dimension */
    char *panel, *block, *below;
    void *scales;
    char *scratch; /* of the first thread; each has as much */
    size_t scratch_each;
    const void *one, *minus_one;
};

/* Errors: HEDDLE_EDEVICE. */
enum heddle_status heddle__factor_lapack(enum heddle_dtype dtype,
                                         const struct heddle_lapack **lapack);

/* Runs body for items 0 .. n - 1, each on one thread, which has scratch of its own. */
typedef void heddle_factor_body(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                                void *scratch);
void heddle__factor_share(const struct heddle_factor_cpu *c, int64_t n, heddle_factor_body *body,
                          void *argument);
/* Into how many chunks so many columns are shared, and how many each has. */
int64_t heddle__factor_chunks(const struct heddle_factor_cpu *c, int64_t columns, int64_t *each);

/* Element (row, column) of a matrix. */
static inline char *heddle__factor_at(const struct heddle_factor_cpu *c, char *matrix, int64_t row,
                                      int64_t column)
{
    return matrix + (column * c->rows + row) * c->size;
}

/* C (m, n) -= A (m, k) times B, transposed and conjugated if `adjoint`; the thread alone. `ld`: of both. */
void heddle__factor_subtract(const struct heddle_factor_cpu *c, int64_t m, int64_t n, int64_t k,
                             const char *a, const char *b, int ld, bool adjoint, char *to);

/* The steps. A panel that has no factor gives the number of the pivot, else -1. */
int64_t heddle__cpu_cholesky_panel(const struct heddle_factor_cpu *c);
void heddle__cpu_cholesky_send(const struct heddle_factor_cpu *c);
void heddle__cpu_cholesky_update(const struct heddle_factor_cpu *c);
void heddle__cpu_lu_panel(const struct heddle_factor_cpu *c);
void heddle__cpu_lu_update(const struct heddle_factor_cpu *c);
void heddle__cpu_lu_swap(const struct heddle_factor_cpu *c);
void heddle__cpu_lu_order(const struct heddle_factor_cpu *c, int64_t *order, int64_t *sign);
void heddle__cpu_qr_panel(const struct heddle_factor_cpu *c);
void heddle__cpu_qr_send(const struct heddle_factor_cpu *c);
/* The block becomes Q times it, or its adjoint times it: by V and T; or by the panel, the last reflector first. */
void heddle__cpu_qr_reflect(const struct heddle_factor_cpu *c, bool adjoint);
void heddle__cpu_qr_expand(const struct heddle_factor_cpu *c);
int64_t heddle__cpu_triangular(const struct heddle_factor_cpu *c);

#endif
