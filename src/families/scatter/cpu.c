/* Writing by position on the CPU. A thread alone goes through the positions and updates row after row. Several threads first
 * put each update into the bucket of its row, slice by slice of the updates, and then take buckets: so each row is updated in
 * the order of the positions, and none looks at all of them. */
#include "families/scatter/cpu_buckets.h"
#include "families/scatter/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <heddle/dtype.h>
#include <string.h>

enum { PIECE = 1 << 18 }; /* bytes of a copy, the least that a thread does */

struct element16 {
    uint64_t word[2];
};

struct job {
    const struct heddle_scatter *call;
    const int64_t *positions;
    const char *in, *values;
    char *out;
    int n_slices; /* of the updates; 1: there are no buckets */
    int shift;    /* of a row, to its bucket */
    int64_t (*begin)
        [HEDDLE_SCATTER_BUCKETS]; /* of each slice: where its updates of a bucket begin, or how many they are */
    struct heddle_scatter_update *updates; /* by bucket, then in order */
    atomic_bool failed;
    int64_t bad; /* a position */
};

static void copy_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const int64_t bytes = j->call->n_rows * j->call->row * j->call->element_bytes,
                  first = from * PIECE, end = to * PIECE < bytes ? to * PIECE : bytes;
    memcpy(j->out + first, j->in + first, (size_t)(end - first));
}

/* The part's row of a position that is not bad; UINT64_MAX: it has not got it. */
static uint64_t row_of(const struct heddle_scatter *s, int64_t position)
{
    int64_t row = 0, along = 1;
    for (int d = s->n_axes - 1; d >= 0; d--) {
        int64_t i = position;
        if (d > 0) {
            position /= s->extent[d];
            i -= position * s->extent[d];
        }
        if (i < s->lo[d] || i >= s->hi[d]) return UINT64_MAX;
        row += (i - s->lo[d]) * along;
        along *= s->hi[d] - s->lo[d];
    }
    return (uint64_t)row;
}

/* x is an element, y its value. `name`: updates from..to-1 of the buckets, or all. name_row: a row, whose values are `each`
 * elements apart, 1 or 0. */
#define SCATTER(name, type, result)                                                                \
    static inline type name##_one(type x, type y)                                                  \
    {                                                                                              \
        (void)x;                                                                                   \
        return result;                                                                             \
    }                                                                                              \
    static inline void name##_row(type *to, const type *value, int64_t n, int64_t each)            \
    {                                                                                              \
        if (each == 1)                                                                             \
            for (int64_t k = 0; k < n; k++) to[k] = name##_one(to[k], value[k]);                   \
        else                                                                                       \
            for (int64_t k = 0; k < n; k++) to[k] = name##_one(to[k], *value);                     \
    }                                                                                              \
    static void name(const struct job *j, int64_t from, int64_t to)                                \
    {                                                                                              \
        const struct heddle_scatter *s = j->call;                                                  \
        const type *values = (const type *)(const void *)j->values;                                \
        type *out = (type *)(void *)j->out;                                                        \
        const int64_t n = s->row, lo = s->lo[0], *positions = j->positions;                        \
        const int64_t step = s->per_update, each = s->per_element;                                 \
        const uint64_t n_rows = (uint64_t)s->n_rows;                                               \
        const struct heddle_scatter_update *u = j->updates;                                        \
        if (u && n == 1) {                                                                         \
            for (int64_t i = from; i < to; i++)                                                    \
                out[u[i].row] = name##_one(out[u[i].row], values[u[i].update * step]);             \
        } else if (u) {                                                                            \
            for (int64_t i = from; i < to; i++)                                                    \
                name##_row(out + u[i].row * n, values + u[i].update * step, n, each);              \
        } else if (s->n_axes == 1 && n == 1) {                                                     \
            for (int64_t i = from; i < to; i++) {                                                  \
                const uint64_t row = (uint64_t)(positions[i] - lo);                                \
                if (row < n_rows) out[row] = name##_one(out[row], values[i * step]);               \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = from; i < to; i++) {                                                  \
                const uint64_t row = row_of(s, positions[i]);                                      \
                if (row < n_rows) name##_row(out + row * (uint64_t)n, values + i * step, n, each); \
            }                                                                                      \
        }                                                                                          \
    }
SCATTER(set_1, uint8_t, y)
SCATTER(set_2, uint16_t, y)
SCATTER(set_4, uint32_t, y)
SCATTER(set_8, uint64_t, y)
SCATTER(set_16, struct element16, y)
SCATTER(add_bool, uint8_t, (uint8_t)(x | y))
SCATTER(add_1, uint8_t, (uint8_t)(x + y))
SCATTER(add_2, uint16_t, (uint16_t)(x + y))
SCATTER(add_4, uint32_t, x + y)
SCATTER(add_8, uint64_t, x + y)
SCATTER(add_float32, float, x + y)
SCATTER(add_float64, double, x + y)
SCATTER(add_complex64, float _Complex, x + y)
SCATTER(add_complex128, double _Complex, x + y)

typedef void update_function(const struct job *j, int64_t from, int64_t to);

static update_function *function_of(const struct heddle_scatter *s)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)s->dtype;
    if (s->add) {
        switch (dtype) {
        case HEDDLE_BOOL: return add_bool;
        case HEDDLE_FLOAT32: return add_float32;
        case HEDDLE_FLOAT64: return add_float64;
        case HEDDLE_COMPLEX64: return add_complex64;
        case HEDDLE_COMPLEX128: return add_complex128;
        default: break;
        }
    }
    switch (s->element_bytes) { /* integers wrap, signed or not */
    case 1: return s->add ? add_1 : set_1;
    case 2: return s->add ? add_2 : set_2;
    case 4: return s->add ? add_4 : set_4;
    case 8: return s->add ? add_8 : set_8;
    default: return set_16;
    }
}

static void check(struct job *j, int64_t from, int64_t to)
{
    int64_t any = 0;
    for (int64_t i = from; i < to; i++) any |= j->positions[i];
    if (any >= 0) return;
    for (int64_t i = from; i < to; i++)
        if (j->positions[i] < 0 && !atomic_exchange(&j->failed, true)) j->bad = j->positions[i];
}

static int64_t slice_begin(const struct job *j, int64_t slice)
{
    return j->call->n / j->n_slices * slice +
           (slice < j->call->n % j->n_slices ? slice : j->call->n % j->n_slices);
}

/* Checks positions, and how many each bucket has of them. */
static void count_slices(void *argument, int64_t from, int64_t to)
{
    struct job *j = argument;
    const struct heddle_scatter *s = j->call;
    for (int64_t slice = from; slice < to; slice++) {
        const int64_t begin = slice_begin(j, slice), end = slice_begin(j, slice + 1);
        int64_t count[HEDDLE_SCATTER_BUCKETS] = {0};
        check(j, begin, end);
        for (int64_t i = begin; i < end && !atomic_load_explicit(&j->failed, memory_order_relaxed);
             i++) {
            const uint64_t row = row_of(s, j->positions[i]);
            if (row != UINT64_MAX) count[row >> j->shift]++;
        }
        memcpy(j->begin[slice], count, sizeof count);
    }
}

static void fill_slices(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const struct heddle_scatter *s = j->call;
    for (int64_t slice = from; slice < to; slice++) {
        const int64_t end = slice_begin(j, slice + 1);
        int64_t next[HEDDLE_SCATTER_BUCKETS];
        memcpy(next, j->begin[slice], sizeof next);
        for (int64_t i = slice_begin(j, slice); i < end; i++) {
            const uint64_t row = row_of(s, j->positions[i]);
            if (row != UINT64_MAX)
                j->updates[next[row >> j->shift]++] =
                    (struct heddle_scatter_update){(uint32_t)row, (uint32_t)i};
        }
    }
}

/* From how many they are: where the updates of each bucket begin, those of each slice behind those of the last. */
static void begin_buckets(const struct job *j)
{
    int64_t n = 0;
    for (int b = 0; b < HEDDLE_SCATTER_BUCKETS; b++) {
        for (int slice = 0; slice < j->n_slices; slice++) {
            const int64_t count = j->begin[slice][b];
            j->begin[slice][b] = n;
            n += count;
        }
    }
    for (int b = 0; b < HEDDLE_SCATTER_BUCKETS;
         b++) /* behind the last slice: the ends of buckets */
        j->begin[j->n_slices][b] = b + 1 < HEDDLE_SCATTER_BUCKETS ? j->begin[0][b + 1] : n;
}

static void do_buckets(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    for (int64_t b = from; b < to; b++)
        function_of(j->call)(j, j->begin[0][b], j->begin[j->n_slices][b]);
}

static void use_buckets(struct job *j, int n_threads, char *scratch)
{
    j->n_slices = n_threads;
    while ((j->call->n_rows - 1) >> j->shift >= HEDDLE_SCATTER_BUCKETS) j->shift++;
    j->updates = (struct heddle_scatter_update *)(void *)scratch;
    j->begin = (int64_t(*)[HEDDLE_SCATTER_BUCKETS])(void *)(scratch + (size_t)j->call->n *
                                                                          sizeof *j->updates);
}

static enum heddle_status bad_index(const struct job *j)
{
    const struct heddle_scatter *s = j->call;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, HEDDLE_SCATTER_BAD_INDEX(j->bad),
                                                s->shape[HEDDLE_SCATTER_BAD_AXIS(j->bad)], s->name};
    const enum heddle_status code = heddle__describe_index(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_scatter *s = arguments;
    const int n_threads = heddle__team_size(k->team);
    struct job j = {.call = s,
                    .positions = k->buffers[s->positions],
                    .in = k->buffers[s->in],
                    .values = k->buffers[s->values],
                    .out = k->buffers[s->out],
                    .n_slices = 1};
    if (heddle__scatter_buckets_bytes(s, n_threads) > 0) {
        use_buckets(&j, n_threads, k->scratch);
        heddle__share(k->team, n_threads, j.n_slices, count_slices, &j);
    } else {
        check(&j, 0, s->n);
    }
    if (atomic_load(&j.failed)) return bad_index(&j);
    const int64_t bytes = s->n_rows * s->row * s->element_bytes;
    if (j.in != j.out)
        heddle__share(k->team, n_threads, (bytes + PIECE - 1) / PIECE, copy_pieces, &j);
    if (j.updates) {
        begin_buckets(&j);
        heddle__share(k->team, n_threads, j.n_slices, fill_slices, &j);
        heddle__share(k->team, n_threads, HEDDLE_SCATTER_BUCKETS, do_buckets, &j);
    } else {
        function_of(s)(&j, 0, s->n);
    }
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__scatter_cpu = {.run = run};
