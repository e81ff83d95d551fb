/* Brings the elements of a block, or of a panel of blocks, together; and weaves what it stores. Entry points: heddle__runs_gather,
 * heddle__weave_find, heddle__weave. */
#include "cpu/runs.h"

#include "base/copy_short.h"

#include <string.h>

enum {
    STRIP = 64,        /* elements of a run whose lines are kept until their neighbours are read */
    SHORT_BYTES = 128, /* dense runs for which a call takes longer than they do */
    SHORT = 8,         /* the same in elements, of others */
    FEW_TIMES = 16,    /* of short runs: a copy of what is there, again and again, takes longer */
};

/* `count` dense runs of `n` bytes each. The sizes that arrays of few columns have are known to the compiler: a call, or a
 * branch on the size, takes longer than such a run. */
static void copy_runs(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t count,
                      size_t n)
{
#define RUNS_OF(N)                                                                                 \
    case N:                                                                                        \
        for (; count > 0; count--, to += to_step, from += from_step) memcpy(to, from, N);          \
        return;
    switch (n) {
        RUNS_OF(1)
        RUNS_OF(2)
        RUNS_OF(3)
        RUNS_OF(4)
        RUNS_OF(5)
        RUNS_OF(6)
        RUNS_OF(7)
        RUNS_OF(8)
        RUNS_OF(10)
        RUNS_OF(12)
        RUNS_OF(14)
        RUNS_OF(16)
        RUNS_OF(20)
        RUNS_OF(24)
        RUNS_OF(28)
        RUNS_OF(32)
        RUNS_OF(40) RUNS_OF(48) RUNS_OF(56) RUNS_OF(64) RUNS_OF(80) RUNS_OF(96) RUNS_OF(128)
    }
#undef RUNS_OF
    for (; count > 0; count--, to += to_step, from += from_step) heddle__copy_short(to, from, n);
}

/* `count` runs of `n` elements, `stride` apart; steps in elements. */
#define DEFINE_PICK(T)                                                                             \
    static inline void pick_##T(T *to, int64_t to_step, const T *from, int64_t from_step,          \
                                int64_t count, int64_t n, int64_t stride)                          \
    {                                                                                              \
        for (; count > 0; count--, to += to_step, from += from_step)                               \
            for (int64_t j = 0; j < n; j++) to[j] = from[j * stride];                              \
    }                                                                                              \
    static void pick_runs_##T(void *to, int64_t to_step, const void *from, int64_t from_step,      \
                              int64_t count, int64_t n, int64_t stride)                            \
    {                                                                                              \
        switch (n) {                                                                               \
        case 2: pick_##T(to, to_step, from, from_step, count, 2, stride); return;                  \
        case 3: pick_##T(to, to_step, from, from_step, count, 3, stride); return;                  \
        case 4: pick_##T(to, to_step, from, from_step, count, 4, stride); return;                  \
        default: pick_##T(to, to_step, from, from_step, count, n, stride); return;                 \
        }                                                                                          \
    }
typedef struct {
    uint64_t part[2];
} two_words;
DEFINE_PICK(uint8_t)
DEFINE_PICK(uint16_t)
DEFINE_PICK(uint32_t)
DEFINE_PICK(uint64_t)
DEFINE_PICK(two_words)

static void pick_runs(int log2_size, void *to, int64_t to_step, const void *from, int64_t from_step,
                      int64_t count, int64_t n, int64_t stride)
{
    switch (log2_size) {
    case 0: pick_runs_uint8_t(to, to_step, from, from_step, count, n, stride); break;
    case 1: pick_runs_uint16_t(to, to_step, from, from_step, count, n, stride); break;
    case 2: pick_runs_uint32_t(to, to_step, from, from_step, count, n, stride); break;
    case 3: pick_runs_uint64_t(to, to_step, from, from_step, count, n, stride); break;
    default: pick_runs_two_words(to, to_step, from, from_step, count, n, stride); break;
    }
}

/* `count` runs of few bytes, one after the other in the block, that lie close: several of them by one instruction. False:
 * they are no such runs. */
static bool pick_groups(const struct heddle__block_moves *moves, int64_t size, void *out,
                        int64_t pad, const char *x, int64_t step, int64_t count, int64_t n,
                        int64_t stride)
{
    enum { WORTH = 4 }; /* runs */
    const int64_t along = (n - 1) * stride * size, least = along < 0 ? along : 0;
    const int64_t span = (along < 0 ? -along : along) + size;
    if (!moves->pick || pad != n || count < WORTH || n * size > HEDDLE_GROUP / 2 ||
        span > HEDDLE_GROUP || step <= 0 || step * size > HEDDLE_GROUP)
        return false;
    struct heddle__groups groups; /* only what is used is set */
    groups.count = (size_t)count;
    groups.n = (size_t)(n * size);
    groups.step = (size_t)(step * size);
    groups.span = (size_t)span;
    groups.size = (size_t)size;
    for (int64_t j = 0; j < n; j++) groups.from[j] = (uint8_t)(j * stride * size - least);
    return moves->pick(out, x + least, &groups);
}

static void move_short(const struct heddle__block_moves *moves, int log2_size, void *to,
                       int64_t pad, const char *from, int64_t step, int64_t count, int64_t n,
                       int64_t stride)
{
    const int64_t size = INT64_C(1) << log2_size;
    if (pick_groups(moves, size, to, pad, from, step, count, n, stride)) return;
    if (stride == 1)
        copy_runs(to, pad * size, from, step * size, count, (size_t)(n * size));
    else if (stride == 0)
        moves->repeat[log2_size]((size_t)count, (size_t)n, to, pad, from, step);
    else
        pick_runs(log2_size, to, pad, from, step, count, n, stride);
}

/* The axis along which elements that runs jump over lie side by side: that of the shortest step; or -1. */
static int side_axis(const struct heddle__runs *runs, int log2_size)
{
    const int64_t line = HEDDLE_CACHE_LINE >> log2_size;
    int side = -1;
    int64_t least = line / 2;
    if (runs->n < 2 || (runs->stride < line && runs->stride > -line)) return -1;
    for (int k = 0; k < runs->n_axes; k++) {
        const int64_t step = runs->step[k] < 0 ? -runs->step[k] : runs->step[k];
        if (runs->extent[k] < 2 || step == 0 || step > least) continue;
        least = step;
        side = k;
    }
    return side;
}

/* Elements [n] by `step` of x, of runs of m elements, to rows that are `pad` elements apart. */
static void turn(const struct heddle__block_moves *moves, int log2_size,
                 const struct heddle__runs *runs, int64_t n, int64_t step, int64_t pad, char *out,
                 const char *x)
{
    const int64_t size = INT64_C(1) << log2_size, m = runs->n, stride = runs->stride;
    if (step == 1) {
        moves->turn[log2_size]((size_t)n, (size_t)m, out, pad, x, stride);
    } else if (step == -1) { /* from the last one on, which is the first in memory */
        moves->turn[log2_size]((size_t)n, (size_t)m, out + (n - 1) * pad * size, -pad,
                               x - (n - 1) * size, stride);
    } else {
        for (int64_t j = 0; j < m; j += STRIP)
            for (int64_t i = 0; i < n; i++)
                moves->gather[log2_size]((size_t)(m - j < STRIP ? m - j : STRIP),
                                         out + (i * pad + j) * size,
                                         x + (i * step + j * stride) * size, stride);
    }
}

static void drop_axis(struct heddle__runs *runs, int axis)
{
    runs->n_runs /= runs->extent[axis];
    runs->n_axes--;
    for (int k = axis; k < runs->n_axes; k++) {
        runs->extent[k] = runs->extent[k + 1];
        runs->step[k] = runs->step[k + 1];
        runs->pad[k] = runs->pad[k + 1];
    }
}

void heddle__runs_gather(const struct heddle__runs *runs, const struct heddle__block_moves *moves,
                         int log2_size, void *out, const char *x)
{
    const int64_t size = INT64_C(1) << log2_size;
    const int side = side_axis(runs, log2_size);
    const bool is_dense = runs->stride == 1 && runs->n * size <= SHORT_BYTES;
    const bool is_short =
        side < 0 && (is_dense || runs->stride == 0 || (runs->n > 1 && runs->n <= SHORT));
    struct heddle__runs rest = *runs;
    const bool repeats = rest.n_axes > 0 && rest.step[0] == 0 && rest.pad[0] == rest.n;
    int64_t repeat = 1, times = 1, count = 1, step = 0, pad = 0;
    if (side >= 0) {
        drop_axis(&rest, side);
    } else if (repeats) {
        const bool few = is_short && rest.n_axes > 1 && rest.extent[0] <= FEW_TIMES;
        *(few ? &times : &repeat) = rest.extent[0];
        drop_axis(&rest, 0);
    }
    if (side < 0 && rest.n_axes > 0 && is_short && repeat == 1) {
        count = rest.extent[0];
        step = rest.step[0];
        pad = rest.pad[0];
        drop_axis(&rest, 0);
    }
    struct heddle__position p = {0};
    for (int64_t r = 0; r < rest.n_runs; r++) {
        char *to = (char *)out + p.number * size;
        const char *from = x + p.offset * size;
        if (side >= 0)
            turn(moves, log2_size, runs, runs->extent[side], runs->step[side], runs->pad[side], to,
                 from);
        else if (!is_short)
            moves->gather[log2_size]((size_t)runs->n, to, from, runs->stride);
        else
            for (int64_t t = 0; t < times; t++)
                move_short(moves, log2_size, to + t * runs->n * size, pad, from, step, count,
                           runs->n, runs->stride);
        const int64_t one = runs->n * size, all = repeat * one;
        for (int64_t done = one; done < all; done *= 2)
            memcpy(to + done, to, (size_t)(all - done < done ? all - done : done));
        heddle__runs_next(&rest, &p);
    }
}

/* ---- Fields of records --------------------------------------------------------------------------------- */

/* Stores that together fill records, each one field: `stack((a, b, c), axis=-1)`. A block's fields are interleaved in registers and
 * written in one pass. */

/* Elements of a record that operand `o` is one field of; 0: of none. */
static int64_t record_of(const struct heddle__code *code, int o)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t k = walk->stride[o][walk->ndim - 1];
    return k >= 2 && k <= HEDDLE_WOVEN &&
                   code->blocks->moves.weave[heddle__log2_size(code->size[o])]
               ? k
               : 0;
}

static bool are_alike(const struct heddle__code *code, int o, int other)
{
    const uint32_t *const buffer = code->launch->buffer;
    bool alike = buffer[o] == buffer[other] && code->size[o] == code->size[other];
    for (int d = 0; d < code->walk->ndim; d++)
        alike = alike && code->walk->stride[o][d] == code->walk->stride[other][d];
    return alike;
}

/* The copy of field `field` of the record that begins with copy `first`; -1: there is none. */
static int copy_of(const struct heddle__code *code, int first, int64_t field)
{
    const struct heddle_access *const access = code->launch->access;
    const int o = code->copies[first].operand;
    for (int c = 0; c < code->n_copies; c++) {
        const int other = code->copies[c].operand;
        if (((code->copy_scalars | code->copy_streams) >> c & 1) == 0 &&
            are_alike(code, o, other) && access[other].offset == access[o].offset + field)
            return c;
    }
    return -1;
}

void heddle__weave_find(struct heddle__code *code)
{
    code->n_woven = 0;
    if (code->walk->padded) return;
    for (int first = 0; first < code->n_copies && code->n_woven == 0; first++) {
        const int64_t k = record_of(code, code->copies[first].operand);
        int64_t field = 0;
        for (int c; field < k && (c = copy_of(code, first, field)) >= 0; field++)
            code->woven[field] = (uint8_t)c;
        if (k > 0 && field == k) code->n_woven = (uint8_t)k;
    }
}

uint64_t heddle__weave(const struct heddle__lane *lane, const struct heddle__code *code,
                       int64_t offset, int64_t rows)
{
    const int n = code->n_woven, o = code->copies[code->woven[0]].operand;
    const void *fields[HEDDLE_WOVEN];
    uint64_t done = 0;
    struct heddle__runs runs;
    heddle__runs_find(&runs, code->walk, code->walk->stride[o], rows);
    if (runs.n_runs != 1 || runs.stride != n) return 0;
    for (int f = 0; f < n; f++) { /* operands may have moved since the code was made */
        const struct heddle__link *copy = &code->copies[code->woven[f]];
        if (lane->base[copy->operand] != lane->base[o] + f * (int64_t)code->size[o]) return 0;
        fields[f] = lane->ptr[copy->ptr];
        done |= UINT64_C(1) << code->woven[f];
    }
    code->blocks->moves.weave[heddle__log2_size(code->size[o])](
        (size_t)runs.n, n, lane->base[o] + offset * (int64_t)code->size[o], fields);
    return done;
}
