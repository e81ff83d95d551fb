/* Slabs of short rows, for halving.c alone: the rows of each are combined in order, element by element. A vector has a row, or a part of one,
 * and what follows it, which is dropped. Several slabs go side by side, so that few operations wait for the one before. */
#ifndef HEDDLE_CODELETS_CPU_SLABS_H
#define HEDDLE_CODELETS_CPU_SLABS_H

enum { SIDE_BY_SIDE = 4 }; /* vectors */

/* n elements, 0 < n <= N; the others are zero. */
#if HD_LEVEL == 3
static inline lanes load_some(const element *v, size_t n)
{
    return (lanes)_mm512_maskz_loadu_epi8(~UINT64_C(0) >> (64 - n * sizeof *v), v);
}

static inline void store_some(element *v, lanes t, size_t n)
{
    _mm512_mask_storeu_epi8(v, ~UINT64_C(0) >> (64 - n * sizeof *v), (__m512i)t);
}
#else
static __attribute__((noinline)) lanes load_some(const element *v, size_t n)
{
    element room[N] = {0};
    heddle__copy_short((char *)room, (const char *)v, n * sizeof *v);
    return load(room);
}

static __attribute__((noinline)) void store_some(element *v, lanes t, size_t n)
{
    heddle__copy_short((char *)v, (const char *)&t, n * sizeof *v);
}
#endif

/* The first `bytes` bytes of a vector: those that are in two lines take twice as long. */
static inline __attribute__((always_inline)) lanes load_first(const element *v, int bytes)
{
#if HD_LEVEL == 3
    if (bytes == 32) return (lanes)_mm512_zextsi256_si512(_mm256_loadu_si256((const void *)v));
    if (bytes == 16) return (lanes)_mm512_zextsi128_si512(_mm_loadu_si128((const void *)v));
#elif HD_LEVEL == 2
    if (bytes == 16) return (lanes)_mm256_zextsi128_si256(_mm_loadu_si128((const void *)v));
#endif
    (void)bytes;
    return load(v);
}

/* The rows' elements from `from` on, each of K vectors of `bytes` bytes having some, of slabs from `first` on, as many as then go
 * side by side. */
static inline __attribute__((always_inline)) void fold_few_slabs(const struct heddle__slabs *s,
                                                                 size_t first, size_t from, int K,
                                                                 int bytes, two_fn *two)
{
    const int G = SIDE_BY_SIDE / K;
    const size_t m = s->m, reads = (size_t)(K * bytes) / sizeof(element); /* of a row */
    const size_t some = m - from < (size_t)K * N ? m - from : (size_t)K * N;
    const size_t n = s->n - first < (size_t)G ? s->n - first : (size_t)G;
    /* what may be read of the last one of them, and how many of its rows are read by whole vectors */
    const size_t behind = s->step > 0 ? (s->n - first - n) * (size_t)s->step : 0;
    const size_t last = s->n_rows * m + behind, end = from + reads;
    const size_t whole = (s->n_rows - 1) * m + end <= last ? s->n_rows
                         : end > last                      ? 0
                                                           : (last - end) / m + 1;
    element *acc[SIDE_BY_SIDE]; /* the last slab again in place of those that there are not */
    const element *v[SIDE_BY_SIDE];
    lanes t[SIDE_BY_SIDE];
#define EACH_VECTOR HD_UNROLL for (int g = 0; g < G; g++) HD_UNROLL for (int k = 0; k < K; k++)
#define SOME(k) (some - (size_t)k * N < N ? some - (size_t)k * N : N)
    HD_UNROLL for (int g = 0; g < G; g++)
    {
        const size_t i = first + ((size_t)g < n ? (size_t)g : n - 1);
        acc[g] = (element *)s->acc + i * m + from;
        v[g] = (const element *)s->v + (int64_t)i * s->step + from;
    }
    if (!s->begun && whole > 0)
        EACH_VECTOR t[g * K + k] = load_first(v[g] + k * N, bytes);
    else
        EACH_VECTOR t[g * K + k] = load_some((s->begun ? acc[g] : v[g]) + k * N, SOME(k));
    size_t r = !s->begun, at = r * m;
    for (; r < whole; r++, at += m)
        EACH_VECTOR t[g * K + k] = two(t[g * K + k], load_first(v[g] + at + k * N, bytes));
    for (; r < s->n_rows; r++, at += m)
        EACH_VECTOR t[g * K + k] = two(t[g * K + k], load_some(v[g] + at + k * N, SOME(k)));
    /* what is too much is written again, by the next slab */
    const element *const all = (element *)s->acc + s->n * m;
    const bool over = !s->begun && some == m && HD_LEVEL < 3;
    EACH_VECTOR
    {
        if (over && acc[g] + (k + 1) * N <= all)
            memcpy(acc[g] + k * N, &t[g * K + k], sizeof(lanes));
        else
            store_some(acc[g] + k * N, t[g * K + k], SOME(k));
    }
#undef EACH_VECTOR
#undef SOME
}

static inline __attribute__((always_inline)) void fold_slabs(const struct heddle__slabs *s,
                                                             two_fn *two)
{
    size_t from = 0;
    for (; s->m > from + N; from += 2 * N)
        for (size_t i = 0; i < s->n; i += SIDE_BY_SIDE / 2)
            fold_few_slabs(s, i, from, 2, HD_WIDTH, two);
    if (from >= s->m) return;
    const size_t bytes = (s->m - from) * sizeof(element);
    for (size_t i = 0; i < s->n; i += SIDE_BY_SIDE)
        if (bytes <= 16)
            fold_few_slabs(s, i, from, 1, 16, two);
        else if (bytes <= 32 && HD_WIDTH > 32)
            fold_few_slabs(s, i, from, 1, 32, two);
        else
            fold_few_slabs(s, i, from, 1, HD_WIDTH, two);
}

#endif
