/* Writing by position on the CPU: each thread has a range of the part's rows, goes through all positions and takes those
 * of its own, so that each row is updated in the order of the positions. */
#include "families/scatter/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <heddle/dtype.h>
#include <string.h>

/* The least that a thread does: bytes of a copy; updates. */
enum { PIECE = 1 << 18, ALONE = 1 << 13 };
/* As each thread goes through all positions, fewer take no less time than one alone. */
enum { LEAST_THREADS = 4 };

struct element16 {
    uint64_t word[2];
};

struct job {
    const struct heddle_scatter *call;
    const int64_t *positions;
    const char *in, *values;
    char *out;
    int64_t n_ranges;
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

/* The part's row of a position, less `from`; a large number: it has not got it, or it is bad. */
static uint64_t row_of(const struct heddle_scatter *s, int64_t position, int64_t from)
{
    if (s->n_axes == 1)
        return position < s->hi[0] ? (uint64_t)(position - s->lo[0] - from) : UINT64_MAX;
    int64_t row = 0, along = 1;
    for (int d = s->n_axes - 1; d >= 0; d--) {
        const int64_t i = position % s->extent[d];
        position /= s->extent[d];
        if (i < s->lo[d] || i >= s->hi[d]) return UINT64_MAX;
        row += (i - s->lo[d]) * along;
        along *= s->hi[d] - s->lo[d];
    }
    return (uint64_t)(row - from);
}

/* All updates of the part's rows from..end-1: x is an element, y its value. */
#define SCATTER(name, type, update)                                                                \
    static void name(const struct job *j, int64_t from, int64_t end)                               \
    {                                                                                              \
        const struct heddle_scatter *s = j->call;                                                  \
        const type *values = (const type *)(const void *)j->values;                                \
        type *out = (type *)(void *)j->out;                                                        \
        const int64_t n = s->row;                                                                  \
        for (int64_t i = 0; i < s->n; i++) {                                                       \
            const uint64_t row = row_of(s, j->positions[i], from);                                 \
            if (row >= (uint64_t)(end - from)) continue;                                           \
            type *to = out + (from + (int64_t)row) * n;                                            \
            for (int64_t k = 0; k < n; k++) {                                                      \
                const type x = to[k], y = values[i * n + k];                                       \
                (void)x;                                                                           \
                to[k] = update;                                                                    \
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

typedef void update_function(const struct job *j, int64_t from, int64_t end);

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

static void do_ranges(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const int64_t n = j->call->n_rows;
    function_of(j->call)(j, n * from / j->n_ranges, n * to / j->n_ranges);
}

static void check_pieces(void *argument, int64_t from, int64_t to)
{
    struct job *j = argument;
    const int64_t end = to * PIECE < j->call->n ? to * PIECE : j->call->n;
    int64_t any = 0;
    for (int64_t i = from * PIECE; i < end; i++) any |= j->positions[i];
    if (any >= 0) return;
    for (int64_t i = from * PIECE; i < end; i++)
        if (j->positions[i] < 0 && !atomic_exchange(&j->failed, true)) j->bad = j->positions[i];
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
                    .n_ranges = s->n * s->row < ALONE || n_threads < LEAST_THREADS ? 1 : n_threads};
    heddle__share(k->team, n_threads, (s->n + PIECE - 1) / PIECE, check_pieces, &j);
    if (atomic_load(&j.failed)) {
        char text[160];
        const int64_t words[HEDDLE_REPORT_WORDS] = {
            0, HEDDLE_SCATTER_BAD_INDEX(j.bad), s->shape[HEDDLE_SCATTER_BAD_AXIS(j.bad)], s->name};
        const enum heddle_status code = heddle__describe_index(words, text, sizeof text);
        return heddle__fail(code, "%s", text);
    }
    const int64_t bytes = s->n_rows * s->row * s->element_bytes;
    if (j.in != j.out)
        heddle__share(k->team, n_threads, (bytes + PIECE - 1) / PIECE, copy_pieces, &j);
    heddle__share(k->team, (int)j.n_ranges, j.n_ranges, do_ranges, &j);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__scatter_cpu = {.run = run};
