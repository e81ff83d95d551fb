/* Elements by index on the CPU: rows of the innermost axis are shared among the threads. */
#include "families/gather/kernel.h"

#include "base/copy_short.h"
#include "base/share.h"
#include "kernels.h"

#include <string.h>

/* The least that a thread does at a time, in elements. */
enum { PIECE = 4096 };

struct element16 {
    uint64_t word[2];
};

/* A row of the box: where it begins, and its steps. From one element to the next, `in` moves on by in_step beside what
 * the indices say. */
struct row {
    const char *in, *index[HEDDLE_MAX_NDIM];
    char *out;
    int64_t in_step, out_step, step[HEDDLE_MAX_NDIM];
    size_t run_bytes; /* of run_by_run */
};

static int64_t index_at(const struct heddle_gather *g, const char *indices, int64_t at)
{
    indices += at * g->index_bytes;
    return g->index_bytes == 8 ? *(const int64_t *)(const void *)indices
                               : *(const int32_t *)(const void *)indices;
}

/* Where element i of a row is in `in`, beside in_step; -1 in *good: an index is out of range; 0: it is elsewhere. */
static int64_t locate(const struct heddle_gather *g, const struct row *r, int64_t i, int *good)
{
    int64_t at = 0;
    *good = 1;
    for (int b = 0; b < g->n_by; b++) {
        const struct heddle_gather_by *by = &g->by[b];
        int64_t k = index_at(g, r->index[b], i * r->step[b]);
        if (k < 0) k += by->n;
        if (k < 0 || k >= by->n) {
            *good = -1;
            return 0;
        }
        const int64_t j = by->first + k * by->step;
        if (j < by->lo || j >= by->hi)
            *good = 0;
        else
            at += (j - by->lo) * by->in_stride;
    }
    return at;
}

/* Takes the first n elements of a row, by one array of indices or by several. Gives how many from the first on were in
 * range. */
#define GATHER(bytes, type, bits)                                                                  \
    static int64_t row_##bytes##_##bits(const struct heddle_gather *g, int64_t n,                  \
                                        const struct row *r)                                       \
    {                                                                                              \
        const struct heddle_gather_by by = g->by[0];                                               \
        const int64_t in_step = r->in_step, out_step = r->out_step, step = r->step[0];             \
        const type *in = (const type *)(const void *)r->in;                                        \
        const int##bits##_t *index = (const int##bits##_t *)(const void *)r->index[0];             \
        type *out = (type *)(void *)r->out;                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t k = index[i * step];                                                           \
            if (k < 0) k += by.n;                                                                  \
            if (k < 0 || k >= by.n) return i;                                                      \
            const int64_t j = by.first + k * by.step;                                              \
            if (j >= by.lo && j < by.hi)                                                           \
                out[i * out_step] = in[i * in_step + (j - by.lo) * by.in_stride];                  \
        }                                                                                          \
        return n;                                                                                  \
    }
#define GATHERS(bytes, type)                                                                       \
    GATHER(bytes, type, 32)                                                                        \
    GATHER(bytes, type, 64)                                                                        \
    static int64_t row_##bytes##_several(const struct heddle_gather *g, int64_t n,                 \
                                         const struct row *r)                                      \
    {                                                                                              \
        const type *in = (const type *)(const void *)r->in;                                        \
        type *out = (type *)(void *)r->out;                                                        \
        int good;                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const int64_t at = locate(g, r, i, &good);                                             \
            if (good < 0) return i;                                                                \
            if (good) out[i * r->out_step] = in[i * r->in_step + at];                              \
        }                                                                                          \
        return n;                                                                                  \
    }
GATHERS(1, uint8_t)
GATHERS(2, uint16_t)
GATHERS(4, uint32_t)
GATHERS(8, uint64_t)
GATHERS(16, struct element16)

/* ---- Runs ---------------------------------------------------------------------------------------------- */

static void copy_run_bytes(char *to, const char *from, size_t n)
{
    enum { LONG = 128 };
    n > LONG ? (void)memcpy(to, from, n) : heddle__copy_short(to, from, n);
}

/* As rows of elements, of runs of run_bytes each. */
#define RUN_BY_RUN(bits)                                                                           \
    static int64_t run_by_run_##bits(const struct heddle_gather *g, int64_t n,                     \
                                     const struct row *r)                                          \
    {                                                                                              \
        const struct heddle_gather_by by = g->by[0];                                               \
        const int64_t size = g->element_bytes, in_step = r->in_step * size,                        \
                      out_step = r->out_step * size, along = by.in_stride * size;                  \
        const int##bits##_t *index = (const int##bits##_t *)(const void *)r->index[0];             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t k = index[i * r->step[0]];                                                     \
            if (k < 0) k += by.n;                                                                  \
            if (k < 0 || k >= by.n) return i;                                                      \
            const int64_t j = by.first + k * by.step;                                              \
            if (j >= by.lo && j < by.hi)                                                           \
                copy_run_bytes(r->out + i * out_step, r->in + i * in_step + (j - by.lo) * along,   \
                               r->run_bytes);                                                      \
        }                                                                                          \
        return n;                                                                                  \
    }
RUN_BY_RUN(32)
RUN_BY_RUN(64)

static int64_t run_by_run_several(const struct heddle_gather *g, int64_t n, const struct row *r)
{
    const int64_t size = g->element_bytes;
    int good;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = locate(g, r, i, &good);
        if (good < 0) return i;
        if (good)
            copy_run_bytes(r->out + i * r->out_step * size, r->in + (i * r->in_step + at) * size,
                           r->run_bytes);
    }
    return n;
}

typedef int64_t row_function(const struct heddle_gather *g, int64_t n, const struct row *r);

static row_function *function_of(const struct heddle_gather *g, size_t run_bytes)
{
    const int kind = g->n_by > 1 ? 2 : g->index_bytes == 8;
    if (run_bytes > 0)
        return (row_function *[]){run_by_run_32, run_by_run_64, run_by_run_several}[kind];
#define CHOOSE(bytes)                                                                              \
    (row_function *[]){row_##bytes##_32, row_##bytes##_64, row_##bytes##_several}[kind]
    switch (g->element_bytes) {
    case 1: return CHOOSE(1);
    case 2: return CHOOSE(2);
    case 4: return CHOOSE(4);
    case 8: return CHOOSE(8);
    case 16: return CHOOSE(16);
    default: return NULL;
    }
}

/* Takes a row of contiguous elements, which have the same indices. */
static int64_t copy_run(const struct heddle_gather *g, int64_t n, const struct row *r)
{
    int good;
    const int64_t at = locate(g, r, 0, &good);
    if (good < 0) return 0;
    if (good) memcpy(r->out, r->in + at * g->element_bytes, (size_t)(n * g->element_bytes));
    return n;
}

struct bad {
    atomic_bool is;
    int64_t index, n;
};

/* Notes the first index of element i of a row that is out of range. */
static void note(const struct heddle_gather *g, const struct row *r, int64_t i, struct bad *bad)
{
    if (atomic_exchange(&bad->is, true)) return;
    for (int b = 0; b < g->n_by; b++) {
        bad->index = index_at(g, r->index[b], i * r->step[b]);
        bad->n = g->by[b].n;
        if (bad->index < -bad->n || bad->index >= bad->n) return;
    }
}

/* The row from element `at` of the box on. */
static struct row row_at(const struct heddle_gather *g, int64_t at, void *const buffers[])
{
    const int last = g->ndim - 1;
    struct row r = {.in_step = last < 0 ? 0 : g->in_stride[last],
                    .out_step = last < 0 ? 0 : g->out_stride[last]};
    int64_t in = g->in_offset, out = g->out_offset, index[HEDDLE_MAX_NDIM];
    for (int b = 0; b < g->n_by; b++) {
        r.step[b] = last < 0 ? 0 : g->by[b].stride[last];
        index[b] = g->by[b].offset;
    }
    for (int d = last; d >= 0; d--) {
        const int64_t i = at % g->extent[d];
        at /= g->extent[d];
        in += i * g->in_stride[d];
        out += i * g->out_stride[d];
        for (int b = 0; b < g->n_by; b++) index[b] += i * g->by[b].stride[d];
    }
    r.in = (const char *)buffers[g->in] + in * g->element_bytes;
    r.out = (char *)buffers[g->out] + out * g->element_bytes;
    for (int b = 0; b < g->n_by; b++)
        r.index[b] = (const char *)buffers[g->by[b].buffer] + index[b] * g->index_bytes;
    return r;
}

static bool is_run(const struct heddle_gather *g)
{
    const int last = g->ndim - 1;
    bool run = last >= 0 && g->in_stride[last] == 1 && g->out_stride[last] == 1;
    for (int b = 0; b < g->n_by && run; b++) run = g->by[b].stride[last] == 0;
    return run;
}

struct job {
    const struct heddle_gather *g;
    row_function *row;
    int64_t size, piece;
    size_t run_bytes;
    void *const *buffers;
    struct bad bad;
};

/* Elements of the box, row by row. */
static void do_pieces(void *argument, int64_t from_piece, int64_t to_piece)
{
    struct job *j = argument;
    const struct heddle_gather *g = j->g;
    const int64_t length = g->ndim > 0 ? g->extent[g->ndim - 1] : 1;
    const int64_t to = to_piece * j->piece < j->size ? to_piece * j->piece : j->size;
    for (int64_t from = from_piece * j->piece; from < to;) {
        const int64_t left = length - from % length, n = left < to - from ? left : to - from;
        struct row r = row_at(g, from, j->buffers);
        r.run_bytes = j->run_bytes;
        const int64_t good = j->row(g, n, &r);
        if (good < n) {
            note(g, &r, good, &j->bad);
            return;
        }
        from += n;
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_gather g = *(const struct heddle_gather *)arguments;
    struct job job = {.g = &g, .size = 1, .piece = PIECE, .buffers = k->buffers};
    const int64_t length = g.ndim > 0 ? g.extent[g.ndim - 1] : 1;
    const bool runs = is_run(&g);
    if (runs && length > 0 &&
        length <= PIECE / 4) { /* then they are the elements of shorter rows */
        g.ndim--;
        job.run_bytes = (size_t)(length * g.element_bytes);
        job.piece = PIECE / length;
    }
    job.row = runs && job.run_bytes == 0 ? copy_run : function_of(&g, job.run_bytes);
    HEDDLE_REQUIRE(job.row, HEDDLE_EINTERNAL, "gather: elements of %d bytes", g.element_bytes);
    for (int d = 0; d < g.ndim; d++) job.size *= g.extent[d];
    heddle__share(k->team, heddle__team_size(k->team), (job.size + job.piece - 1) / job.piece,
                  do_pieces, &job);
    if (!atomic_load(&job.bad.is)) return HEDDLE_OK;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, job.bad.index, job.bad.n, g.name};
    const enum heddle_status code = heddle__describe_index(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

const struct heddle_cpu_kernel heddle__gather_cpu = {.run = run};
