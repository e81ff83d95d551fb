/* Singular values by divide and conquer. LAPACK sees the transpose, v * s * u^T, conjugate: what it calls u is vh to us,
 * and what it calls vt is u. Entry point: heddle__lapack_svd. */
#include "families/spectral/cpu_lapack.h"

#include <string.h>

/* LAPACK's bound for the real numbers that a complex matrix wants. */
static int64_t reals_for(int64_t most, int64_t least, bool vectors)
{
    if (!vectors) return 7 * least;
    const int64_t square = 5 * least * least + 5 * least,
                  both = 2 * most * least + 2 * least * least + least;
    return most > 2 * least || square > both ? square : both;
}

int heddle__lapack_svd(const struct heddle_spectral *s, struct heddle_lapack_room *room,
                       const struct heddle_lapack_memory *m, const void *in, void *const out[])
{
    const bool vectors = s->operation == HEDDLE_SPECTRAL_SVD, asks = room->asks;
    const int rows = (int)s->columns, columns = (int)s->rows, is_double = heddle__is_double(s);
    const size_t bytes = (size_t)(s->rows * s->columns) * heddle__spectral_in_bytes(s);
    const char *job = !vectors ? "N" : s->full ? "A" : "S";
    double work[2], reals[1];
    int info = 0, integers[1];
    const int ask = -1, *n_work = asks ? &ask : &room->work;
    void *a = asks ? NULL : m->copy, *at = asks ? work : m->work,
         *real_at = asks ? reals : m->reals, *values = asks ? NULL : out[0],
         *u = asks || !vectors ? NULL : out[2], *vt = asks || !vectors ? NULL : out[1];
    int *integers_at = asks ? integers : m->integers;
    if (!asks) memcpy(a, in, bytes);
    if (heddle__is_complex(s))
        heddle__lapack.complex_gesdd[is_double](job, &rows, &columns, a, &rows, values, u, &rows,
                                                vt, &columns, at, n_work, real_at, integers_at,
                                                &info, 1);
    else
        heddle__lapack.gesdd[is_double](job, &rows, &columns, a, &rows, values, u, &rows, vt,
                                        &columns, at, n_work, integers_at, &info, 1);
    if (asks)
        *room = (struct heddle_lapack_room){
            .copy = (int64_t)bytes,
            .work = heddle__lapack_asked(s, work),
            .integers = 8 * columns,
            .reals = heddle__is_complex(s) ? (int)reals_for(rows, columns, vectors) : 0};
    return info;
}
