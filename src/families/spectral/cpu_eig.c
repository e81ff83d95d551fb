/* Eigenvalues of a general matrix by the QR algorithm; LAPACK sees the matrix itself, as what it is given is transposed. Of a
 * real matrix it leaves a pair of conjugate eigenvectors as their real and their imaginary part. Entry point:
 * heddle__lapack_eig. */
#include "families/spectral/cpu_lapack.h"

#include <string.h>

/* Makes complex values of n real and imaginary parts, and complex rows of the packed ones. */
#define UNPACK(name, type)                                                                         \
    static void name(int64_t n, const type *re, const type *im, const type *rows, type *values,    \
                     type *vectors)                                                                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            values[2 * i] = re[i];                                                                 \
            values[2 * i + 1] = im[i];                                                             \
        }                                                                                          \
        for (int64_t i = 0; i < n && vectors; i++) {                                               \
            const bool second = im[i] < 0; /* of a pair, whose first one has the other sign */     \
            const type *x = rows + (second ? i - 1 : i) * n, sign = second ? -1 : 1;               \
            for (int64_t k = 0; k < n; k++) {                                                      \
                vectors[2 * (i * n + k)] = x[k];                                                   \
                vectors[2 * (i * n + k) + 1] = im[i] != 0 ? sign * x[n + k] : 0;                   \
            }                                                                                      \
        }                                                                                          \
    }
UNPACK(unpack_float, float)
UNPACK(unpack_double, double)

int heddle__lapack_eig(const struct heddle_spectral *s, struct heddle_lapack_room *room,
                       const struct heddle_lapack_memory *m, const void *in, void *const out[])
{
    const bool vectors = s->operation == HEDDLE_SPECTRAL_EIG, asks = room->asks,
               is_complex = heddle__is_complex(s);
    const int n = (int)s->rows, is_double = heddle__is_double(s), one = 1, ask = -1;
    const size_t size = heddle__spectral_in_bytes(s);
    const int64_t all = s->rows * s->rows * (int64_t)size, line = s->rows * (int64_t)size;
    const char *job = vectors ? "V" : "N";
    const int *n_work = asks ? &ask : &room->work;
    double work[2], reals[2];
    int info = 0;
    const int64_t n_reals = s->rows * s->rows * (is_complex ? 2 : 1);
    if (!asks && !heddle__are_finite(s, n_reals, in)) return -1; /* it might not end */
    void *a = asks ? NULL : m->copy, *at = asks ? work : m->work;
    if (!asks) memcpy(a, in, (size_t)all);
    if (is_complex) {
        heddle__lapack.complex_geev[is_double]("N", job, &n, a, &n, asks ? NULL : out[0], NULL,
                                               &one, asks || !vectors ? NULL : out[1], &n, at,
                                               n_work, asks ? reals : m->reals, &info, 1, 1);
    } else {
        char *re = asks ? NULL : m->other, *im = asks ? NULL : re + line,
             *rows = asks ? NULL : im + line;
        heddle__lapack.geev[is_double]("N", job, &n, a, &n, re, im, NULL, &one, rows, &n, at,
                                       n_work, &info, 1, 1);
        if (!asks && info == 0 && is_double)
            unpack_double(n, (double *)(void *)re, (double *)(void *)im, (double *)(void *)rows,
                          out[0], vectors ? out[1] : NULL);
        else if (!asks && info == 0)
            unpack_float(n, (float *)(void *)re, (float *)(void *)im, (float *)(void *)rows, out[0],
                         vectors ? out[1] : NULL);
    }
    if (asks)
        *room =
            (struct heddle_lapack_room){.copy = all,
                                        .other = is_complex ? 0 : 2 * line + (vectors ? all : 0),
                                        .work = heddle__lapack_asked(s, work),
                                        .reals = is_complex ? 2 * n : 0};
    return info;
}
