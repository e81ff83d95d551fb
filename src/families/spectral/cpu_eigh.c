/* Eigenvalues of a Hermitian matrix by divide and conquer. LAPACK sees the transpose, whose other triangle counts and whose
 * eigenvectors are the conjugate ones. Entry point: heddle__lapack_eigh. */
#include "families/spectral/cpu_lapack.h"

#include <string.h>

int heddle__lapack_eigh(const struct heddle_spectral *s, struct heddle_lapack_room *room,
                        const struct heddle_lapack_memory *m, const void *in, void *const out[])
{
    const bool vectors = s->operation == HEDDLE_SPECTRAL_EIGH;
    const int n = (int)s->rows, is_double = heddle__is_double(s);
    const size_t bytes = (size_t)(s->rows * s->rows) * heddle__spectral_in_bytes(s);
    const char *job = vectors ? "V" : "N", *triangle = s->upper ? "L" : "U";
    double work[2], reals[1];
    int info = 0, integers[1];
    if (room->asks) {
        const int ask = -1;
        if (heddle__is_complex(s))
            heddle__lapack.heevd[is_double](job, triangle, &n, NULL, &n, NULL, work, &ask, reals,
                                            &ask, integers, &ask, &info, 1, 1);
        else
            heddle__lapack.syevd[is_double](job, triangle, &n, NULL, &n, NULL, work, &ask, integers,
                                            &ask, &info, 1, 1);
        *room = (struct heddle_lapack_room){.copy = vectors ? 0 : (int64_t)bytes,
                                            .work = heddle__lapack_asked(s, work),
                                            .integers = integers[0]};
        if (heddle__is_complex(s)) room->reals = heddle__lapack_asked(s, reals);
        return info;
    }
    void *a = vectors ? out[1] : m->copy;
    memcpy(a, in, bytes);
    if (heddle__is_complex(s))
        heddle__lapack.heevd[is_double](job, triangle, &n, a, &n, out[0], m->work, &room->work,
                                        m->reals, &room->reals, m->integers, &room->integers, &info,
                                        1, 1);
    else
        heddle__lapack.syevd[is_double](job, triangle, &n, a, &n, out[0], m->work, &room->work,
                                        m->integers, &room->integers, &info, 1, 1);
    return info;
}
