/* Triangular equations by a warp: rows lane, lane + 32, .. of some columns are in its threads' registers. Entry points: substitute,
 * inverse_of. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_SUBSTITUTE_CUH
#define HEDDLE_FAMILIES_FACTOR_CUDA_SUBSTITUTE_CUH

#include "cuda/numbers.cuh"

/* By what a row is multiplied instead of divided; 0, where it would not be as exact. */
template <class T>
HD T inverse_of(T diagonal)
{
    typedef real_of<T> R;
    const R size = magnitude(diagonal), most = sizeof(R) == 4 ? (R)1e36 : (R)1e300;
    return size > 1 / most && size < most ? quotient(T{1}, diagonal) : T{0};
}

/* Column k of a triangle: what is behind the diagonal in the order of steps, from row 32 F on; nothing of a column that is not there. */
template <int F, class T, int E>
HD void load_column(T (&t)[E], const T *a, hd_int64 pitch, int k, int rows, int sign)
{
    const T *const x = a + sign * k * pitch;
#pragma unroll
    for (int e = F; e < E; e++) {
        const int row = e * WARP + (int)threadIdx.x % WARP;
        t[e] = k < rows && row > k && row < rows ? x[sign * row] : T{0};
    }
}

/* Steps 32 F and on; `t` is the column of the next one. */
template <int F, class T, int E, int C>
HD void substitute_from(T (&x)[E][C], T (&t)[E], const T *a, hd_int64 pitch, const T (&diagonal)[E],
                        const T (&inverse)[E], int rows, int sign)
{
    const int end = rows - F * WARP < WARP ? rows - F * WARP : WARP, lane = threadIdx.x % WARP;
    for (int l = 0; l < end; l++) {
        T next[E], y[C]; /* what the next step reads is on its way */
        load_column<F>(next, a, pitch, F * WARP + l + 1, rows, sign);
#pragma unroll
        for (int c = 0; c < C; c++) {
            const T result = is_zero(inverse[F]) ? quotient(x[F][c], diagonal[F])
                                                 : plus(T{0}, inverse[F], x[F][c]);
            y[c] = hd_from_lane(result, l);
            if (lane == l) x[F][c] = result;
        }
#pragma unroll
        for (int e = F; e < E; e++) {
            const bool behind = e > F || lane > l;
#pragma unroll
            for (int c = 0; c < C; c++) x[e][c] = behind ? minus(x[e][c], t[e], y[c]) : x[e][c];
            t[e] = next[e];
        }
    }
    if constexpr (F + 1 < E) substitute_from<F + 1>(x, t, a, pitch, diagonal, inverse, rows, sign);
}

/* x becomes the solution. a: the first element of the triangle's first column in the order of steps, which is that of memory if sign is 1,
 * and the reverse if it is -1; columns are `pitch` apart. Threads have the diagonal and its inverses as they have x. */
template <class T, int E, int C>
HD void substitute(T (&x)[E][C], const T *a, hd_int64 pitch, const T (&diagonal)[E],
                   const T (&inverse)[E], int rows, int sign)
{
    T t[E];
    load_column<0>(t, a, pitch, 0, rows, sign);
    substitute_from<0>(x, t, a, pitch, diagonal, inverse, rows, sign);
}

#endif
