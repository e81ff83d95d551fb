/* Rows of elements by index on the CPU, compiled once for each instruction set (ISA): where the elements are is found for many of
 * them at once, by vectors, so that no load waits for the check of an index. Entry point: heddle__gather_rows_<ISA>. */
#include "families/gather/cpu_rows.h"

#include "base/copy_short.h"

#include <string.h>

#define NAME_(isa) heddle__gather_rows_##isa
#define NAME(isa) NAME_(isa)

enum { NEAR = 256 }; /* elements that are found together */

/* Where elements of a row are, in elements from where the row begins, and whether they are here. */
struct places {
    int64_t at[NEAR];
    uint8_t here[NEAR];
};

/* Adds to the places of n elements what their indices say, which are `step` apart. Whether all are in range: else places are of no use, and
 * numbers wrap. */
#define FIND(bits)                                                                                 \
    static inline __attribute__((always_inline)) bool add_steps_##bits(                            \
        int64_t *restrict at, int64_t n, const int##bits##_t *restrict index, int64_t step,        \
        int64_t length, int64_t along)                                                             \
    {                                                                                              \
        uint64_t bad = 0;                                                                          \
        for (int64_t e = 0; e < n; e++) {                                                          \
            int64_t k = index[e * step];                                                           \
            k += k < 0 ? length : 0;                                                               \
            bad |= (uint64_t)k | (uint64_t)(length - 1 - k);                                       \
            at[e] = (int64_t)((uint64_t)at[e] + (uint64_t)k * (uint64_t)along);                    \
        }                                                                                          \
        return bad >> 63 == 0;                                                                     \
    }                                                                                              \
    static bool add_##bits(struct places *places, int64_t n, const int##bits##_t *index,           \
                           int64_t step, const struct heddle_gather_by *by)                        \
    {                                                                                              \
        const int64_t along = by->step * by->in_stride;                                            \
        if (step != 1) return add_steps_##bits(places->at, n, index, step, by->n, along);          \
        return along == 1 ? add_steps_##bits(places->at, n, index, 1, by->n, 1)                    \
                          : add_steps_##bits(places->at, n, index, 1, by->n, along);               \
    }                                                                                              \
    /* The same, where not all of the axis is here. */                                             \
    static bool add_here_##bits(struct places *places, int64_t n, const int##bits##_t *index,      \
                                int64_t step, const struct heddle_gather_by *by)                   \
    {                                                                                              \
        const int64_t extent = by->hi - by->lo;                                                    \
        uint64_t bad = 0;                                                                          \
        for (int64_t e = 0; e < n; e++) {                                                          \
            int64_t k = index[e * step];                                                           \
            k += k < 0 ? by->n : 0;                                                                \
            bad |= (uint64_t)k | (uint64_t)(by->n - 1 - k);                                        \
            const uint64_t j = (uint64_t)k * (uint64_t)by->step + (uint64_t)(by->first - by->lo);  \
            const bool fits = j < (uint64_t)extent;                                                \
            places->here[e] &= fits;                                                               \
            const uint64_t there = (uint64_t)k * (uint64_t)by->step * (uint64_t)by->in_stride;     \
            if (fits) places->at[e] = (int64_t)((uint64_t)places->at[e] + there);                  \
        }                                                                                          \
        return bad >> 63 == 0;                                                                     \
    }
FIND(32)
FIND(64)

/* Where n elements of several short rows in one begin, from number k on. */
static void begin_short(int64_t *at, int64_t n, const struct heddle__gather_row *r, int64_t k)
{
    int64_t row = k / r->period * r->in_jump, in_row = k % r->period;
    for (int64_t e = 0; e < n; row += r->in_jump, in_row = 0)
        for (; in_row < r->period && e < n; in_row++, e++) at[e] = row + in_row * r->in_step;
}

/* The places of n elements from number `from` on. Whether all indices are in range. */
static bool find(struct places *places, const struct heddle_gather *g,
                 const struct heddle__gather_row *r, int64_t from, int64_t n)
{
    if (r->period > 0)
        begin_short(places->at, n, r, r->number + from);
    else
        for (int64_t e = 0; e < n; e++) places->at[e] = (from + e) * r->in_step;
    if (!r->whole) memset(places->here, 1, (size_t)n);
    bool good = true;
    for (int b = 0; b < g->n_by; b++) {
        const int64_t step = r->step[b];
        const void *index = r->index[b] + from * step * g->index_bytes;
        if (g->index_bytes == 8)
            good &= (r->whole ? add_64 : add_here_64)(places, n, index, step, &g->by[b]);
        else
            good &= (r->whole ? add_32 : add_here_32)(places, n, index, step, &g->by[b]);
    }
    return good;
}

struct element16 {
    uint64_t word[2];
};

#define TAKE(bytes, type)                                                                          \
    static void take_##bytes(const struct places *places, int64_t n, const char *from, char *to,   \
                             int64_t out_step, bool whole)                                         \
    {                                                                                              \
        const type *restrict in = (const type *)(const void *)from;                                \
        type *restrict out = (type *)(void *)to;                                                   \
        if (!whole) {                                                                              \
            for (int64_t e = 0; e < n; e++)                                                        \
                if (places->here[e]) out[e * out_step] = in[places->at[e]];                        \
        } else if (out_step == 1) {                                                                \
            _Pragma("GCC unroll 8") for (int64_t e = 0; e < n; e++) out[e] = in[places->at[e]];    \
        } else {                                                                                   \
            for (int64_t e = 0; e < n; e++) out[e * out_step] = in[places->at[e]];                 \
        }                                                                                          \
    }
TAKE(1, uint8_t)
TAKE(2, uint16_t)
TAKE(4, uint32_t)
TAKE(8, uint64_t)
TAKE(16, struct element16)

static void take_runs(const struct places *places, int64_t n, const char *in, char *out,
                      int64_t out_step, int64_t size, const struct heddle__gather_row *r)
{
    enum { LONG = 128 };
    for (int64_t e = 0; e < n; e++) {
        if (!r->whole && !places->here[e]) continue;
        char *to = out + e * out_step * size;
        const char *from = in + places->at[e] * size;
        r->run_bytes > LONG ? (void)memcpy(to, from, r->run_bytes)
                            : heddle__copy_short(to, from, r->run_bytes);
    }
}

int64_t NAME(ISA)(const struct heddle_gather *g, int64_t n, const struct heddle__gather_row *r)
{
    const int64_t size = g->element_bytes;
    struct places places;
    int64_t first = 0; /* where index 0 is, of all arrays of indices */
    for (int b = 0; b < g->n_by; b++) first += (g->by[b].first - g->by[b].lo) * g->by[b].in_stride;
    const char *in = r->in + first * size;
    for (int64_t i = 0; i < n; i += NEAR) {
        const int64_t some = n - i < NEAR ? n - i : NEAR;
        char *out = r->out + i * r->out_step * size;
        if (!find(&places, g, r, i, some)) return i;
        if (r->run_bytes > 0) {
            take_runs(&places, some, in, out, r->out_step, size, r);
            continue;
        }
        switch (size) {
        case 1: take_1(&places, some, in, out, r->out_step, r->whole); break;
        case 2: take_2(&places, some, in, out, r->out_step, r->whole); break;
        case 4: take_4(&places, some, in, out, r->out_step, r->whole); break;
        case 8: take_8(&places, some, in, out, r->out_step, r->whole); break;
        default: take_16(&places, some, in, out, r->out_step, r->whole); break;
        }
    }
    return n;
}
