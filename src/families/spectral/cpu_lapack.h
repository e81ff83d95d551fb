/* One matrix by LAPACK. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_CPU_LAPACK_H
#define HEDDLE_FAMILIES_SPECTRAL_CPU_LAPACK_H

#include "families/spectral/kernel.h"

#include <heddle/dtype.h>

#include <stdbool.h>

/* What a call wants to work with, in elements of their types. */
struct heddle_lapack_room {
    int64_t copy;  /* bytes of the matrix, which LAPACK destroys; 0: it is made where a result is */
    int64_t other; /* bytes of what else the wrapper keeps */
    int work, reals, integers;
    bool asks; /* whether `work` and the others are asked for */
};

/* One thread's memory of that room. */
struct heddle_lapack_memory {
    void *copy, *other, *work, *reals;
    int *integers;
};

/* Makes the results `out` of the matrix `in`; gives LAPACK's info: not 0, if it failed. If room->asks, it sets the room
 * and does nothing else. */
typedef int heddle_lapack_call(const struct heddle_spectral *s, struct heddle_lapack_room *room,
                               const struct heddle_lapack_memory *m, const void *in,
                               void *const out[]);
heddle_lapack_call heddle__lapack_eigh, heddle__lapack_svd, heddle__lapack_eig;

/* LAPACK's functions, by their Fortran names; float, double, and complex of both. Pointers to elements are void, as
 * one call serves both widths. Each ends with the lengths of its texts. */
typedef void heddle_lapack_syevd(const char *jobz, const char *uplo, const int *n, void *a,
                                 const int *lda, void *w, void *work, const int *lwork, int *iwork,
                                 const int *liwork, int *info, size_t, size_t);
typedef void heddle_lapack_heevd(const char *jobz, const char *uplo, const int *n, void *a,
                                 const int *lda, void *w, void *work, const int *lwork, void *rwork,
                                 const int *lrwork, int *iwork, const int *liwork, int *info,
                                 size_t, size_t);
typedef void heddle_lapack_gesdd(const char *jobz, const int *m, const int *n, void *a,
                                 const int *lda, void *s, void *u, const int *ldu, void *vt,
                                 const int *ldvt, void *work, const int *lwork, int *iwork,
                                 int *info, size_t);
typedef void heddle_lapack_complex_gesdd(const char *jobz, const int *m, const int *n, void *a,
                                         const int *lda, void *s, void *u, const int *ldu, void *vt,
                                         const int *ldvt, void *work, const int *lwork, void *rwork,
                                         int *iwork, int *info, size_t);
typedef void heddle_lapack_geev(const char *jobvl, const char *jobvr, const int *n, void *a,
                                const int *lda, void *wr, void *wi, void *vl, const int *ldvl,
                                void *vr, const int *ldvr, void *work, const int *lwork, int *info,
                                size_t, size_t);
typedef void heddle_lapack_complex_geev(const char *jobvl, const char *jobvr, const int *n, void *a,
                                        const int *lda, void *w, void *vl, const int *ldvl,
                                        void *vr, const int *ldvr, void *work, const int *lwork,
                                        void *rwork, int *info, size_t, size_t);
struct heddle_lapack {
    heddle_lapack_syevd *syevd[2];
    heddle_lapack_heevd *heevd[2];
    heddle_lapack_gesdd *gesdd[2];
    heddle_lapack_complex_gesdd *complex_gesdd[2];
    heddle_lapack_geev *geev[2];
    heddle_lapack_complex_geev *complex_geev[2];
};
/* Filled when the first call begins (cpu.c). */
extern struct heddle_lapack heddle__lapack;

/* The size that a query left as an element of the dtype; never less than what it meant, which float32 rounds. */
int heddle__lapack_asked(const struct heddle_spectral *s, const void *element);

/* Whether n real numbers, of the matrices' width, are finite. */
bool heddle__are_finite(const struct heddle_spectral *s, int64_t n, const void *x);

static inline bool heddle__is_complex(const struct heddle_spectral *s)
{
    return s->dtype == HEDDLE_COMPLEX64 || s->dtype == HEDDLE_COMPLEX128;
}
/* Whether its real numbers are doubles, as an index of struct heddle_lapack's pairs. */
static inline int heddle__is_double(const struct heddle_spectral *s)
{
    return s->dtype == HEDDLE_FLOAT64 || s->dtype == HEDDLE_COMPLEX128;
}

#endif
