/* Rows of accumulators (reduce_tree.h), of one dtype for one instruction set: what `rows` of a reducer does (loops.c), by vectors.
 * Long rows go by halves, three rounds in registers; short ones left to right, as many side by side as a vector has lanes. Where
 * the largest element is, or the smallest, needs no order but among equal ones.
 * CMakeLists.txt compiles this file as it does loops.c. The expressions are those of reductions.def, of vectors. Entry point:
 * heddle__halving_<dtype>_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"
#include "reduce_tree.h"

#include <base/copy_short.h>

#include <immintrin.h>
#include <string.h>

#define HD_I 1
#define HD_U 2
#define HD_F 3
#define HD_B 4

#if HD_KIND == HD_B
typedef uint8_t element;
#else
typedef HD_T element;
#endif
typedef element part64 __attribute__((vector_size(64)));
typedef element part32 __attribute__((vector_size(32)));
typedef element part16 __attribute__((vector_size(16)));
typedef element part8 __attribute__((vector_size(8)));
#if HD_BYTES <= 4
typedef element part4 __attribute__((vector_size(4)));
#endif
#if HD_BYTES <= 2
typedef element part2 __attribute__((vector_size(2)));
#endif
#if HD_BYTES == 1
typedef element part1 __attribute__((vector_size(1)));
#endif

#if HD_LEVEL == 3
#define HD_WIDTH 64
#elif HD_LEVEL == 2
#define HD_WIDTH 32
#else
#define HD_WIDTH 16
#endif
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
typedef PASTE(part, HD_WIDTH) lanes;
typedef __typeof__((lanes){0} < (lanes){0}) flags; /* ones or zeros in each lane */

enum {
    N = HD_WIDTH / HD_BYTES,
    MOST_TOP = 8,                     /* vectors of the lower half of a row that is in registers */
    MOST = HEDDLE_TREE_LANES / 8 / N, /* vectors that three rounds leave */
};

/* ---- The functions of the table's expressions, of vectors of any width --------------------------------- */

#define SELECT(mask, x, y)                                                                         \
    ((__typeof__(x))(((mask) & (__typeof__(mask))(x)) | (~(mask) & (__typeof__(mask))(y))))
#define hd_add(x, y) ((x) + (y))
#define hd_mul(x, y) ((x) * (y))
#include "cpu/extremes.h"

#include "cpu/halves.h" /* by HD_WIDTH, HD_BYTES */
#if HD_BYTES >= 4
#include "cpu/exchanges.h"
#endif

/* ---- Rows ---------------------------------------------------------------------------------------------- */

typedef lanes two_fn(lanes x, lanes y);
typedef void end_fn(element *out, lanes t);

struct row {
    const element *v;
    size_t full; /* vectors; the last elements of a row are `last`, if there are `some` */
    bool has_more;
    lanes last;
    flags some;
};

static inline lanes load(const element *v)
{
    lanes x;
    memcpy(&x, v, sizeof x);
    return x;
}

/* x with vector number `at` of the row, as far as there is one. */
static inline __attribute__((always_inline)) lanes take(lanes x, const struct row *row, size_t at,
                                                        two_fn *two)
{
    if (at < row->full) return two(x, load(row->v + at * N));
    if (at > row->full || !row->has_more) return x;
    const lanes both = two(x, row->last);
    return SELECT(row->some, both, x);
}

/* Element r of the `rest` before `end` to lane r. What is written in parts and read as a whole makes a processor wait, so that masks
 * are better where there are some. */
static inline lanes load_last(const element *end, size_t rest, flags some)
{
#if HD_LEVEL == 3
    (void)some;
    return (lanes)_mm512_maskz_loadu_epi8(~UINT64_C(0) >> (64 - rest * sizeof *end), end - rest);
#elif HD_LEVEL == 2 && HD_BYTES == 8
    return (lanes)_mm256_maskload_epi64((const void *)(end - rest), (__m256i)some);
#elif HD_LEVEL == 2 && HD_BYTES == 4
    return (lanes)_mm256_maskload_epi32((const void *)(end - rest), (__m256i)some);
#else /* read with those before them */
    (void)some;
    element room[2 * N] = {0};
    memcpy(room, end - N, sizeof(lanes));
    return load(room + N - rest);
#endif
}

/* 4 h vectors are there, and some of 4 h more. */
static inline __attribute__((always_inline)) lanes take_eight(const struct row *row, size_t c,
                                                              size_t h, two_fn *two)
{
    const element *v = row->v + c * N;
    const lanes x0 = take(load(v), row, c + 4 * h, two),
                x1 = take(load(v + h * N), row, c + 5 * h, two),
                x2 = take(load(v + 2 * h * N), row, c + 6 * h, two),
                x3 = take(load(v + 3 * h * N), row, c + 7 * h, two);
    return two(two(x0, x2), two(x1, x3));
}

/* 4 h vectors are there, and `more` of h each, h apart. A number as `more`: no branch is left. */
static inline __attribute__((always_inline)) lanes four_and(int more, const element *v, size_t h,
                                                            two_fn *two)
{
    const size_t step = h * N;
    lanes x[4];
    HD_UNROLL for (int j = 0; j < 4; j++)
    {
        x[j] = load(v + (size_t)j * step);
        if (j < more) x[j] = two(x[j], load(v + (size_t)(4 + j) * step));
    }
    return two(two(x[0], x[2]), two(x[1], x[3]));
}

/* Sums from..end-1, for each of which 4 + `more` vectors are there. */
static inline __attribute__((always_inline)) void
fold_some(size_t more, const element *v, size_t from, size_t end, size_t h, lanes *t, two_fn *two)
{
#define WITH(K)                                                                                    \
    case K:                                                                                        \
        for (size_t c = from; c < end; c++) t[c] = four_and(K, v + c * N, h, two);                 \
        break;
    switch (more) {
        WITH(0)
        WITH(1)
        WITH(2)
        WITH(3)
    default:
        for (size_t c = from; c < end; c++) t[c] = four_and(4, v + c * N, h, two);
    }
#undef WITH
}

/* Elements of N rows from their last vectors. Shuffles then serve two rows: where they are few beside operations, it is not worth it. */
static inline __attribute__((always_inline)) void end_rows(element *out, lanes *done, two_fn *two,
                                                           end_fn *end)
{
#if HD_BYTES >= 4
    (void)end;
    const lanes all = halve_all(done, two);
    memcpy(out, &all, sizeof all);
#else
    (void)two;
    for (int r = 0; r < N; r++) end(out + r, done[r]);
#endif
}

/* Element r from a row's last vector: at once or, `together`, when N rows have theirs; then the elements of the rows that are left. */
static inline __attribute__((always_inline)) void
end_row(element *out, size_t r, lanes t, lanes *done, two_fn *two, end_fn *end, bool together)
{
    if (!together) {
        end(out + r, t);
        return;
    }
    done[r % N] = t;
    if (r % N == N - 1) end_rows(out + r - (N - 1), done, two, end);
}
static inline __attribute__((always_inline)) void
end_left(element *out, size_t n_rows, const lanes *done, end_fn *end, bool together)
{
    for (size_t r = n_rows / N * N; together && r < n_rows; r++) end(out + r, done[r % N]);
}

/* Rows of at most twice `top` vectors, a number, the last of which may have less elements: all that is left of a row is in registers, and
 * the same branches are taken for each. */
static inline __attribute__((always_inline)) void fold_few(const int top, size_t n_rows, size_t n,
                                                           element *out, const element *v,
                                                           two_fn *two, end_fn *end, bool together)
{
    const int behind =
        (int)((n - 1) / N) - top; /* the last vector is that many behind the lower half */
    const size_t rest = n - (size_t)(top + behind) * N; /* 1 to N */
    flags some;
    lanes done[N];
    for (size_t i = 0; i < N; i++) some[i] = i < rest ? -1 : 0;
    for (size_t r = 0; r < n_rows; r++, v += n) {
        lanes t[MOST_TOP];
        const lanes last = load_last(v + n, rest, some);
        HD_UNROLL for (int c = 0; c < top; c++)
        {
            t[c] = load(v + (size_t)c * N);
            if (c < behind) {
                t[c] = two(t[c], load(v + (size_t)(c + top) * N));
            } else if (c == behind) {
                const lanes both = two(t[c], last);
                t[c] = SELECT(some, both, t[c]);
            }
        }
        HD_UNROLL for (int h = top / 2; h > 0; h /= 2) HD_UNROLL for (int c = 0; c < h; c++) t[c] =
            two(t[c], t[c + h]);
        end_row(out, r, t[0], done, two, end, together);
    }
    end_left(out, n_rows, done, end, together);
}

static inline __attribute__((always_inline)) void fold_rows(size_t n_rows, size_t n, element *out,
                                                            const element *v, two_fn *two,
                                                            end_fn *end, bool together)
{
    lanes done[N];
    if (n <= 2 * N) return fold_few(1, n_rows, n, out, v, two, end, together);
    if (n <= 4 * N) return fold_few(2, n_rows, n, out, v, two, end, together);
    if (n <= 8 * N) return fold_few(4, n_rows, n, out, v, two, end, together);
    if (n <= 2 * MOST_TOP * N) return fold_few(MOST_TOP, n_rows, n, out, v, two, end, together);
    size_t top = 2 * MOST_TOP; /* vectors of the lower half */
    while (2 * top * N < n) top *= 2;
    const size_t rest = n % N;
    struct row row = {.v = v, .full = n / N, .has_more = rest > 0};
    for (size_t i = 0; i < N; i++) row.some[i] = i < rest ? -1 : 0;
    for (size_t r = 0; r < n_rows; r++, row.v += n) {
        lanes t[MOST < 2 ? 2 : MOST];
        size_t h = top / 4;
        if (rest > 0) row.last = load_last(row.v + n, rest, row.some);
        const size_t behind = row.full - 4 * h, more = behind / h;
        const size_t there = behind % h; /* have one more; the next one some elements, maybe */
        fold_some(more + 1, row.v, 0, there, h, t, two);
        if (row.has_more) t[there] = take_eight(&row, there, h, two);
        fold_some(more, row.v, there + row.has_more, h, h, t, two);
        for (; h > 1; h /= 2)
            for (size_t c = 0; c < h / 2; c++) t[c] = two(t[c], t[c + h / 2]);
        end_row(out, r, t[0], done, two, end, together);
    }
    end_left(out, n_rows, done, end, together);
}

/* ---- Short rows ---------------------------------------------------------------------------------------- */

/* Of eight bytes: four take half as long when a whole block is turned over (moves.c). */
#if HD_BYTES == 8
enum { MOST_SHORT = HEDDLE_TREE_SHORT };

/* W elements at v, and as many after `step` more if a vector has twice as many lanes; rows in vectors of four times as many are
 * whole vectors (short_group). */
static inline __attribute__((always_inline)) lanes join(const element *v, size_t step, int W)
{
#if HD_LEVEL == 3
    if (W < N)
        return (lanes)_mm512_inserti64x4(
            _mm512_castsi256_si512(_mm256_loadu_si256((const void *)v)),
            _mm256_loadu_si256((const void *)(v + step)), 1);
#endif
    (void)step, (void)W;
    return load(v);
}

#define ROW(W, r) ((r) % (N / (W)) * (W) + (r) / (N / (W)))
/* Lane r: row r, left to right. Rows r, r + W, r + 2 W, ... share a vector with `W` of their columns; log W exchanges make columns of
 * them. Up to W - 1 elements behind the last row are read. */
static inline __attribute__((always_inline)) lanes short_group(const element *v, size_t n, int W,
                                                               two_fn *two)
{
    lanes t = {0};
    if (n == (size_t)W &&
        W < N) { /* whole vectors, of rows in order; so the results are in another */
        lanes x[N];
        HD_UNROLL for (int i = 0; i < W; i++) x[i] = load(v + (size_t)i * N);
        exchange_all(x, W);
        t = x[0];
        HD_UNROLL for (int i = 1; i < W; i++) t = two(t, x[i]);
#if HD_WIDTH == 64
        if (W == 4) return SHUFFLE(t, t, EACH(ROW, 4));
#endif
        return SHUFFLE(t, t, EACH(ROW, 2));
    }
    for (size_t c = 0; c < n; c += (size_t)W) {
        lanes x[N];
        HD_UNROLL for (int i = 0; i < W; i++) x[i] = join(v + (size_t)i * n + c, (size_t)W * n, W);
        exchange_all(x, W);
        t = c == 0 ? x[0] : two(t, x[0]);
        HD_UNROLL for (int i = 1; i < W; i++) if (c + (size_t)i < n) t = two(t, x[i]);
    }
    return t;
}

static inline __attribute__((always_inline)) void
groups_of_rows(size_t n_rows, size_t n, element *out, const element *v, int W, two_fn *two)
{
    const size_t read = (n + (size_t)W - 1) / (size_t)W * (size_t)W; /* of a row */
    size_t r = 0;
    for (; (r + N - 1) * n + read <= n_rows * n; r += N, v += N * n) {
        const lanes t = short_group(v, n, W, two);
        memcpy(out + r, &t, sizeof t);
    }
    if (r == n_rows) return;
    element room[N * MOST_SHORT + N] = {0}; /* N rows or fewer are left */
    memcpy(room, v, (n_rows - r) * n * sizeof *v);
    const lanes t = short_group(room, n, W, two);
    memcpy(out + r, &t, (n_rows - r) * sizeof *out);
}

static inline __attribute__((always_inline)) void short_rows(size_t n_rows, size_t n, element *out,
                                                             const element *v, two_fn *two)
{
#if 16 < HD_WIDTH
    if (n <= 16 / HD_BYTES) return groups_of_rows(n_rows, n, out, v, 16 / HD_BYTES, two);
#endif
#if 32 < HD_WIDTH
    if (n <= 32 / HD_BYTES) return groups_of_rows(n_rows, n, out, v, 32 / HD_BYTES, two);
#endif
    groups_of_rows(n_rows, n, out, v, N, two);
}
#define HD_SHORT(NAME)                                                                             \
    static void NAME##_short(size_t n_rows, size_t n, void *out, const void *v)                    \
    {                                                                                              \
        short_rows(n_rows, n, out, v, NAME##_two);                                                 \
    }
#else
#define HD_SHORT(NAME)
#endif

/* ---- Slabs of short rows ------------------------------------------------------------------------------- */

#include "cpu/slabs.h"
#define HD_SLABS(NAME)                                                                             \
    static void NAME##_slabs(const struct heddle__slabs *slabs)                                    \
    {                                                                                              \
        fold_slabs(slabs, NAME##_two);                                                             \
    }

#include "cpu/bests.h"

/* ---- The functions of an operation ---------------------------------------------------------------------- */

#define HD_FOLD(NAME, ...) HD_FOLD_BY(NAME, false, __VA_ARGS__)
/* Of floating numbers an extreme is three operations. */
#define HD_EXTREME(NAME, ...) HD_FOLD_BY(NAME, HD_KIND == HD_F && HD_BYTES >= 4, __VA_ARGS__)
#include "cpu/small_rows.h"
#define HD_FOLD_BY(NAME, TOGETHER, ...)                                                            \
    static inline lanes NAME##_two(lanes x, lanes y)                                               \
    {                                                                                              \
        return (lanes)(__VA_ARGS__);                                                               \
    }                                                                                              \
    static inline void NAME##_end(element *out, lanes t)                                           \
    {                                                                                              \
        const lanes PASTE(t, HD_WIDTH) = t;                                                        \
        HALVE_64(64, 32, __VA_ARGS__)                                                              \
        HALVE_32(32, 16, __VA_ARGS__)                                                              \
        HALVE(16, 8, __VA_ARGS__)                                                                  \
        HALVE_8(8, 4, __VA_ARGS__)                                                                 \
        HALVE_4(4, 2, __VA_ARGS__)                                                                 \
        HALVE_2(2, 1, __VA_ARGS__)                                                                 \
        memcpy(out, &PASTE(t, HD_BYTES), sizeof *out);                                             \
    }                                                                                              \
    HD_FEW(NAME, __VA_ARGS__)                                                                      \
    static void NAME(size_t n_rows, size_t n, void *out, const void *v)                            \
    {                                                                                              \
        HD_TAKE_FEW(NAME)                                                                          \
        fold_rows(n_rows, n, out, v, NAME##_two, NAME##_end, TOGETHER);                            \
    }                                                                                              \
    HD_SHORT(NAME)                                                                                 \
    HD_SLABS(NAME)

/* ---- The table ----------------------------------------------------------------------------------------- */

/* Which rows exist for this kind, as in loops.c. */
#define HD_YES(...) __VA_ARGS__
#if HD_KIND == HD_B
#define HD_FOR_BOOL HD_YES
#define HD_FOR_NUM NONE
#else
#define HD_FOR_BOOL NONE
#define HD_FOR_NUM HD_YES
#endif
#define HD_FOR_ANYR HD_YES
#define HD_FOLD_SUM HD_FOLD
#define HD_FOLD_PROD HD_FOLD
#define HD_FOLD_MAX HD_EXTREME
#define HD_FOLD_MIN HD_EXTREME
#define HD_FOLD_NANMAX HD_EXTREME
#define HD_FOLD_NANMIN HD_EXTREME
#define HD_FOLD_ANY HD_FOLD
#define HD_FOLD_ALL HD_FOLD
#define HD_FOLD_ARGMAX NONE
#define HD_FOLD_ARGMIN NONE
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts(HD_FOLD_##ID(fold_##ID, __VA_ARGS__))
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION

#define ENTRY(NAME, ...) NAME,
#define NO_ENTRY(...) NULL,
#undef HD_FOLD
#undef HD_EXTREME
#define HD_FOLD ENTRY
#define HD_EXTREME ENTRY
#undef HD_FOLD_ARGMAX
#undef HD_FOLD_ARGMIN
#define HD_FOLD_ARGMAX NO_ENTRY
#define HD_FOLD_ARGMIN NO_ENTRY

extern const struct heddle__block_halving HD_PASTE(heddle__halving_, HD_ID, HD_ISA);
const struct heddle__block_halving HD_PASTE(heddle__halving_, HD_ID, HD_ISA) = {
    .lanes = N,
    .least = LEAST_ROW,
    .rows =
        {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts([HEDDLE_REDUCE_##ID] = HD_FOLD_##ID(fold_##ID, ))
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
        },
    .find = {[HEDDLE_REDUCE_ARGMAX] = find_largest, [HEDDLE_REDUCE_ARGMIN] = find_smallest},
#undef HD_FOLD
#undef HD_EXTREME
#define HD_FOLD(NAME, ...) NAME##_slabs,
#define HD_EXTREME HD_FOLD
    .slabs =
        {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts([HEDDLE_REDUCE_##ID] = HD_FOLD_##ID(fold_##ID, ))
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
        },
#if HD_BYTES == 8
#undef HD_FOLD
#define HD_FOLD(NAME, ...) NAME##_short,
    .short_rows =
        {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts([HEDDLE_REDUCE_##ID] = HD_FOLD_##ID(fold_##ID, ))
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
        }
#endif
};
