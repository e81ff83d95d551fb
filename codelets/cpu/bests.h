/* Where the best element of each of many rows is: the largest, or the smallest. By vectors of halving.c, which includes this: segments that
 * have a better one are found first, then the first such element. */
#ifndef HEDDLE_CODELETS_CPU_BESTS_H
#define HEDDLE_CODELETS_CPU_BESTS_H

enum { SEGMENT = 16 }; /* vectors */

#define IS_NAN(x) ((x) != (x))
/* In lanes whose x is not NaN: whether y is better, or NaN. */
static inline __attribute__((always_inline)) flags beats(lanes y, lanes x, bool largest)
{
    return largest ? ~(flags)(y <= x) : ~(flags)(y >= x);
}

static inline bool any_of(flags f)
{
#if HD_LEVEL == 3
    return _mm512_test_epi64_mask((__m512i)f, (__m512i)f) != 0;
#elif HD_LEVEL == 2
    return !_mm256_testz_si256((__m256i)f, (__m256i)f);
#else
    return !_mm_testz_si128((__m128i)f, (__m128i)f);
#endif
}

/* The best of n >= N elements, or true: there is a NaN. */
static inline __attribute__((always_inline)) bool best_of(size_t n, const element *v, bool largest,
                                                          element *best)
{
    lanes t[2] = {load(v), load(v + n - N)};
    flags nan = (flags)IS_NAN(t[0]) | (flags)IS_NAN(t[1]);
    for (size_t i = N, k = 0; i + N <= n; i += N, k ^= 1) {
        const lanes y = load(v + i);
        nan |= (flags)IS_NAN(y);
        t[k] = SELECT(beats(y, t[k], largest), y, t[k]);
    }
    t[0] = SELECT(beats(t[1], t[0], largest), t[1], t[0]);
    *best = t[0][0];
    for (int l = 1; l < N; l++)
        if (largest ? t[0][l] > *best : t[0][l] < *best) *best = t[0][l];
    return any_of(nan);
}

/* The number of the first of n >= N elements that is `value`, or NaN; there is one. */
static inline size_t first_of(size_t n, const element *v, element value, bool nan)
{
    const lanes x = (lanes){0} + value;
    for (size_t i = 0; i < n; i += N) {
        if (i + N > n) i = n - N;
        const lanes y = load(v + i);
        if (!any_of(nan ? (flags)IS_NAN(y) : (flags)(y == x))) continue;
        while (nan ? !IS_NAN(v[i]) : v[i] != value) i++;
        return i;
    }
    return 0;
}

/* Segment by segment: few have anything better than all before, and only the last one that has is looked through. */
static inline __attribute__((always_inline)) void
find_rows(size_t n_rows, size_t n, element *out, int32_t *out_at, const element *v, bool largest)
{
    const size_t length = n < SEGMENT * N ? n : SEGMENT * N;
    for (size_t r = 0; r < n_rows; r++, v += n) {
        size_t from = 0;
        element best;
        bool nan = best_of(length, v, largest, &best);
        for (size_t s = length; s < n && !nan; s += length) {
            if (s > n - length) s = n - length; /* again some of those before */
            const lanes x = (lanes){0} + best;
            flags better[2] = {{0}, {0}};
            for (size_t i = 0; i < length; i += 2 * N) {
                better[0] |= beats(load(v + s + i), x, largest);
                better[1] |= beats(load(v + s + i + N), x, largest);
            }
            if (!any_of(better[0] | better[1])) continue;
            from = s;
            nan = best_of(length, v + s, largest, &best);
        }
        const size_t at = from + first_of(length, v + from, best, nan);
        out[r] = v[at];
        out_at[r] = (int32_t)at;
    }
}
static void find_largest(size_t n_rows, size_t n, void *out, int32_t *out_at, const void *v)
{
    find_rows(n_rows, n, out, out_at, v, true);
}
static void find_smallest(size_t n_rows, size_t n, void *out, int32_t *out_at, const void *v)
{
    find_rows(n_rows, n, out, out_at, v, false);
}

#endif
