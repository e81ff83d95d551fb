/* Eigenvalues and singular values of small matrices. Vectors are not unique, but what they and the values make up is. */
#include "families/cases.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 };

/* The matrix from the first rows and columns of `a`. */
struct matrix {
    int m, n;
    double at[MOST][MOST];
};

static void read_matrix(struct matrix *x, const struct value *a, int64_t number)
{
    const int64_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1];
    const double *from = a->data + number * rows * columns;
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) x->at[i][j] = from[i * columns + j];
}

/* Turns columns until they are orthogonal (one-sided Jacobi); their lengths are the singular values, then sorted. */
static void singular_values(struct matrix *x, double *values)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < x->n; p++)
            for (int q = p + 1; q < x->n; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (int i = 0; i < x->m; i++) {
                    pp += x->at[i][p] * x->at[i][p];
                    qq += x->at[i][q] * x->at[i][q];
                    pq += x->at[i][p] * x->at[i][q];
                }
                if (fabs(pq) <= 1e-18 * sqrt(pp * qq)) continue;
                const double z = (qq - pp) / (2 * pq),
                             t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z)),
                             c = 1 / sqrt(1 + t * t), s = c * t;
                for (int i = 0; i < x->m; i++) {
                    const double u = x->at[i][p], v = x->at[i][q];
                    x->at[i][p] = c * u - s * v;
                    x->at[i][q] = s * u + c * v;
                }
            }
    for (int j = 0; j < x->n; j++) {
        double sum = 0;
        for (int i = 0; i < x->m; i++) sum += x->at[i][j] * x->at[i][j];
        int at = j;
        for (; at > 0 && values[at - 1] < sqrt(sum); at--) values[at] = values[at - 1];
        values[at] = sqrt(sum);
    }
}

static void finish(struct value *out, const struct value *a, double largest)
{
    value_inherit(out, a);
    out->exact = false;
    out->by_blas = true;
    const double whole = value_largest(out);
    out->spread =
        (a->spread + 100 * value_epsilon(out->dtype)) * MOST * largest / (whole > 0 ? whole : 1);
}

/* A matrix of its singular values and vectors is itself. */
static heddle_array *of_svd(heddle_array *x, const struct matrix *shape, bool thin)
{
    heddle_array *u, *s, *vh;
    const int k = shape->m < shape->n ? shape->m : shape->n;
    if (heddle_linalg_svd(x, &u, &s, &vh, .thin = thin) != HEDDLE_OK) return NULL;
    u = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_SLICE(0, k)));
    vh = heddle_getitem(vh, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_SLICE(0, k), HEDDLE_ALL));
    return heddle_matmul(heddle_multiply(u, heddle_expand_dims(s, -2)), vh);
}

/* So is a symmetric one. */
static heddle_array *of_eigh(heddle_array *x, bool upper)
{
    heddle_array *w, *v;
    if (heddle_linalg_eigh(x, &w, &v, .upper = upper) != HEDDLE_OK) return NULL;
    return heddle_matmul(heddle_multiply(v, heddle_expand_dims(w, -2)), heddle_matrix_transpose(v));
}

enum kind { SVDVALS, SVD, EIGH, EIGVALSH, EIGVALS, KINDS };

static heddle_array *operation(enum kind kind, heddle_array *x, const struct matrix *shape,
                               bool bit)
{
    heddle_array *sum = NULL;
    switch (kind) {
    case SVDVALS: return heddle_linalg_svdvals(x);
    case SVD: return of_svd(x, shape, bit);
    case EIGH: return of_eigh(x, bit);
    case EIGVALSH: sum = heddle_sum(heddle_linalg_eigvalsh(x, .upper = bit), .axis = -1); break;
    default: sum = heddle_real(heddle_sum(heddle_linalg_eigvals(x), .axis = -1)); break;
    }
    return heddle_expand_dims(sum, -1); /* which is the trace */
}

/* Of one matrix, to `out`; gives how many elements. */
static int64_t expected(enum kind kind, struct matrix *x, bool upper, double *out)
{
    double values[MOST] = {0}, trace = 0;
    const int k = x->m < x->n ? x->m : x->n;
    switch (kind) {
    case SVDVALS:
        singular_values(x, values);
        memcpy(out, values, (size_t)k * sizeof *values);
        return k;
    case SVD:
    case EIGH:
        for (int i = 0; i < x->m; i++)
            for (int j = 0; j < x->n; j++)
                *out++ = kind == SVD || i == j || (i < j) == upper ? x->at[i][j] : x->at[j][i];
        return x->m * x->n;
    default:
        for (int i = 0; i < x->n; i++) trace += x->at[i][i];
        *out = trace;
        return 1;
    }
}

bool spectral_case(struct random *r, const struct value *a, const struct value *b,
                   struct value *out)
{
    (void)b;
    if (a->ndim < 2 || a->ndim > 3 || a->size == 0 || !(value_largest(a) < 1000)) return false;
    const int64_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1],
                  batch = a->ndim == 3 ? a->shape[0] : 1;
    struct matrix x = {.m = rows < MOST ? (int)rows : MOST,
                       .n = columns < MOST ? (int)columns : MOST};
    const enum kind kind = (enum kind)random_below(r, KINDS);
    const bool bit = random_below(r, 2);
    if (batch > 300) return false;
    if (kind >= EIGH) x.m = x.n = x.m < x.n ? x.m : x.n;
    const enum heddle_dtype dtype = value_is_float(a->dtype) ? a->dtype : HEDDLE_FLOAT64;
    const int least = x.m < x.n ? x.m : x.n;
    const int64_t shapes[KINDS][3] = {
        {batch, least}, {batch, x.m, x.n}, {batch, x.n, x.n}, {batch, 1}, {batch, 1}};
    const int ndim = kind == SVD || kind == EIGH ? 3 : 2, drop = a->ndim == 2;
    *out = value_new(dtype, ndim - drop, shapes[kind] + drop);
    double *to = out->data;
    for (int64_t i = 0; i < batch; i++) {
        read_matrix(&x, a, i);
        to += expected(kind, &x, bit, to);
    }
    finish(out, a, value_largest(a) * MOST);
    for (int64_t i = 0; i < out->size; i++) out->data[i] = value_round(dtype, out->data[i]);
    out->array =
        operation(kind,
                  heddle_getitem(a->array, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_SLICE(0, x.m),
                                                        HEDDLE_SLICE(0, x.n))),
                  &x, bit);
    return out->array != NULL;
}
