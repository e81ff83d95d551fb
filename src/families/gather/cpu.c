/* Elements by index on the CPU: rows of the innermost axis are shared among the threads. */
#include "families/gather/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <string.h>

/* The least that a thread does at a time, in elements. */
enum { PIECE = 4096 };

struct element16 {
    uint64_t word[2];
};

/* Takes a row: `n` indices, from `index` on by index_step. From one to the next, `in` moves on by in_step
 * beside what the index says. Gives how many from the first on were in range. */
#define GATHER(bytes, type, bits)                                                                  \
    static int64_t row_##bytes##_##bits(const struct heddle_gather *g, int64_t n,                  \
                                        const void *from, const void *indices, void *to,           \
                                        const int64_t step[3])                                     \
    {                                                                                              \
        const type *in = from;                                                                     \
        const int##bits##_t *index = indices;                                                      \
        type *out = to;                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t k = index[i * step[1]];                                                        \
            if (k < 0) k += g->n;                                                                  \
            if (k < 0 || k >= g->n) return i;                                                      \
            if (k >= g->lo && k < g->hi)                                                           \
                out[i * step[2]] = in[i * step[0] + (k - g->lo) * g->axis_stride];                 \
        }                                                                                          \
        return n;                                                                                  \
    }
#define GATHERS(bytes, type) GATHER(bytes, type, 32) GATHER(bytes, type, 64)
GATHERS(1, uint8_t)
GATHERS(2, uint16_t)
GATHERS(4, uint32_t)
GATHERS(8, uint64_t)
GATHERS(16, struct element16)

typedef int64_t row_function(const struct heddle_gather *g, int64_t n, const void *from,
                             const void *indices, void *to, const int64_t step[3]);

static row_function *function_of(const struct heddle_gather *g)
{
    const bool wide = g->index_bytes == 8;
    switch (g->element_bytes) {
    case 1: return wide ? row_1_64 : row_1_32;
    case 2: return wide ? row_2_64 : row_2_32;
    case 4: return wide ? row_4_64 : row_4_32;
    case 8: return wide ? row_8_64 : row_8_32;
    case 16: return wide ? row_16_64 : row_16_32;
    default: return NULL;
    }
}

static int64_t index_at(const struct heddle_gather *g, const char *indices, int64_t at)
{
    indices += at * g->index_bytes;
    return g->index_bytes == 8 ? *(const int64_t *)(const void *)indices
                               : *(const int32_t *)(const void *)indices;
}

/* Takes a row of contiguous elements, which have one index. */
static int64_t copy_run(const struct heddle_gather *g, int64_t n, const char *in,
                        const char *indices, char *out)
{
    int64_t k = index_at(g, indices, 0);
    if (k < 0) k += g->n;
    if (k < 0 || k >= g->n) return 0;
    if (k >= g->lo && k < g->hi)
        memcpy(out, in + (k - g->lo) * g->axis_stride * g->element_bytes,
               (size_t)(n * g->element_bytes));
    return n;
}

struct bad {
    atomic_bool is;
    int64_t index;
};

/* Elements from..to-1 of the box, row by row. */
static void do_piece(const struct heddle_gather *g, row_function *row, int64_t from, int64_t to,
                     void *const buffers[], struct bad *bad)
{
    const int last = g->ndim - 1;
    const int64_t length = g->ndim > 0 ? g->extent[last] : 1;
    const int64_t step[3] = {g->ndim > 0 ? g->in_stride[last] : 0,
                             g->ndim > 0 ? g->index_stride[last] : 0,
                             g->ndim > 0 ? g->out_stride[last] : 0};
    const bool run = step[0] == 1 && step[1] == 0 && step[2] == 1;
    while (from < to) {
        int64_t at[3] = {g->in_offset, g->index_offset, g->out_offset}, rest = from / length;
        const int64_t begin = from % length;
        const int64_t n = length - begin < to - from ? length - begin : to - from;
        for (int k = 0; k < 3; k++) at[k] += begin * step[k];
        for (int d = last - 1; d >= 0; d--) {
            const int64_t i = rest % g->extent[d];
            rest /= g->extent[d];
            at[0] += i * g->in_stride[d];
            at[1] += i * g->index_stride[d];
            at[2] += i * g->out_stride[d];
        }
        const char *in = (const char *)buffers[g->in] + at[0] * g->element_bytes;
        const char *indices = (const char *)buffers[g->indices] + at[1] * g->index_bytes;
        char *out = (char *)buffers[g->out] + at[2] * g->element_bytes;
        const int64_t good =
            run ? copy_run(g, n, in, indices, out) : row(g, n, in, indices, out, step);
        if (good < n) {
            if (!atomic_exchange(&bad->is, true)) bad->index = index_at(g, indices, good * step[1]);
            return;
        }
        from += n;
    }
}

struct job {
    const struct heddle_gather *g;
    row_function *row;
    int64_t size;
    void *const *buffers;
    struct bad bad;
};

static void do_pieces(void *argument, int64_t from, int64_t to)
{
    struct job *j = argument;
    do_piece(j->g, j->row, from * PIECE, to * PIECE < j->size ? to * PIECE : j->size, j->buffers,
             &j->bad);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_gather *g = arguments;
    struct job job = {.g = g, .row = function_of(g), .size = 1, .buffers = k->buffers};
    HEDDLE_REQUIRE(job.row, HEDDLE_EINTERNAL, "gather: elements of %d bytes", g->element_bytes);
    for (int d = 0; d < g->ndim; d++) job.size *= g->extent[d];
    heddle__share(k->team, heddle__team_size(k->team), (job.size + PIECE - 1) / PIECE, do_pieces,
                  &job);
    if (!atomic_load(&job.bad.is)) return HEDDLE_OK;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, job.bad.index, g->n, g->along};
    const enum heddle_status code = heddle__gather_describe(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

const struct heddle_cpu_kernel heddle__gather_cpu = {.run = run};
