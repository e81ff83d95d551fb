/* Elements by index on the CPU: rows of the innermost axis are shared among the threads. */
#include "families/gather/cpu_rows.h"

#include "base/share.h"
#include "kernels.h"

#include <string.h>

/* The least that a thread does at a time, in elements. */
enum { PIECE = 4096 };

static heddle__gather_rows *rows_here(void)
{
#if HEDDLE_CPU_X86
    const char *isa = heddle__cpu_isa();
    if (!strcmp(isa, "avx512")) return heddle__gather_rows_avx512;
    if (!strcmp(isa, "avx2")) return heddle__gather_rows_avx2;
#endif
    return heddle__gather_rows_baseline;
}

struct bad {
    atomic_bool is;
    int64_t index, n;
};

/* Notes the first index that is out of range of elements from..n-1 of a row. */
static void note(const struct heddle_gather *g, const struct heddle__gather_row *r, int64_t from,
                 int64_t n, struct bad *bad)
{
    if (atomic_exchange(&bad->is, true)) return;
    for (int64_t i = from; i < n; i++)
        for (int b = 0; b < g->n_by; b++) {
            const void *at = r->index[b] + i * r->step[b] * g->index_bytes;
            bad->index = g->index_bytes == 8 ? *(const int64_t *)at : *(const int32_t *)at;
            bad->n = g->by[b].n;
            if (bad->index < -bad->n || bad->index >= bad->n) return;
        }
}

/* Whether every index in range is of an element that is here. */
static bool has_all(const struct heddle_gather *g)
{
    bool all = true;
    for (int b = 0; b < g->n_by; b++) {
        const struct heddle_gather_by *by = &g->by[b];
        const int64_t last = by->first + (by->n - 1) * by->step;
        const int64_t low = by->step < 0 ? last : by->first, high = by->step < 0 ? by->first : last;
        all &= low >= by->lo && high < by->hi;
    }
    return all;
}

/* The row from element `at` of the box on, whose place on axis d is idx[d]. */
static struct heddle__gather_row row_at(const struct heddle_gather *g, int64_t at,
                                        void *const buffers[], int64_t *idx)
{
    const int last = g->ndim - 1;
    struct heddle__gather_row r = {.out_step = last < 0 ? 0 : g->out_stride[last]};
    int64_t in = g->in_offset, out = g->out_offset, index[HEDDLE_MAX_NDIM];
    for (int b = 0; b < g->n_by; b++) {
        r.step[b] = last < 0 ? 0 : g->by[b].stride[last];
        index[b] = g->by[b].offset;
    }
    for (int d = last; d >= 0; d--) {
        idx[d] = at % g->extent[d];
        at /= g->extent[d];
        in += idx[d] * g->in_stride[d];
        out += idx[d] * g->out_stride[d];
        for (int b = 0; b < g->n_by; b++) index[b] += idx[d] * g->by[b].stride[d];
    }
    r.in = (const char *)buffers[g->in] + in * g->element_bytes;
    r.out = (char *)buffers[g->out] + out * g->element_bytes;
    for (int b = 0; b < g->n_by; b++)
        r.index[b] = (const char *)buffers[g->by[b].buffer] + index[b] * g->index_bytes;
    return r;
}

/* The row moves by n elements along axis d. */
static void move_row(const struct heddle_gather *g, struct heddle__gather_row *r, int d, int64_t n)
{
    r->in += n * g->in_stride[d] * g->element_bytes;
    r->out += n * g->out_stride[d] * g->element_bytes;
    for (int b = 0; b < g->n_by; b++) r->index[b] += n * g->by[b].stride[d] * g->index_bytes;
}

/* To the beginning of the next row; after the last one, to the first one. */
static void next_row(const struct heddle_gather *g, struct heddle__gather_row *r, int64_t *idx)
{
    int d = g->ndim - 1;
    if (d < 0) return;
    move_row(g, r, d, -idx[d]);
    idx[d] = 0;
    for (d--; d >= 0; d--) {
        move_row(g, r, d, 1);
        if (++idx[d] < g->extent[d]) return;
        move_row(g, r, d, -idx[d]);
        idx[d] = 0;
    }
}

static bool is_run(const struct heddle_gather *g)
{
    const int last = g->ndim - 1;
    bool run = last >= 0 && g->in_stride[last] == 1 && g->out_stride[last] == 1;
    for (int b = 0; b < g->n_by && run; b++) run = g->by[b].stride[last] == 0;
    return run;
}

/* Whether the last two axes walk as one but for `in`, and the last one is short. */
static bool are_short_rows(const struct heddle_gather *g)
{
    enum { SHORT = 128 };
    const int last = g->ndim - 1;
    if (last < 1 || g->extent[last] > SHORT) return false;
    const int64_t n = g->extent[last];
    bool one = g->out_stride[last - 1] == n * g->out_stride[last];
    for (int b = 0; b < g->n_by; b++) one &= g->by[b].stride[last - 1] == n * g->by[b].stride[last];
    return one;
}

struct job {
    const struct heddle_gather *g;
    heddle__gather_rows *rows;
    int64_t size, piece;
    size_t run_bytes;                 /* of an element; 0: those of the call */
    bool runs;                        /* a row is a run */
    int64_t in_step, period, in_jump; /* of struct heddle__gather_row */
    bool whole;
    void *const *buffers;
    struct bad bad;
};

/* The last two axes become one, along which `in` has no stride. */
static void join_short_rows(struct heddle_gather *g, struct job *j)
{
    const int last = g->ndim - 1, joined = last - 1;
    j->period = g->extent[last];
    j->in_jump = g->in_stride[joined];
    g->extent[joined] *= g->extent[last];
    g->in_stride[joined] = 0;
    g->out_stride[joined] = g->out_stride[last];
    for (int b = 0; b < g->n_by; b++) g->by[b].stride[joined] = g->by[b].stride[last];
    g->ndim--;
}

/* n elements of the row; as heddle__gather_rows. A run is one element of so many bytes. */
static int64_t take_row(const struct job *j, struct heddle__gather_row *r, int64_t n)
{
    if (!j->runs) return j->rows(j->g, n, r);
    r->run_bytes = (size_t)(n * j->g->element_bytes);
    return j->rows(j->g, 1, r) == 1 ? n : 0;
}

/* Elements of the box, row by row. */
static void do_pieces(void *argument, int64_t from_piece, int64_t to_piece)
{
    struct job *j = argument;
    const struct heddle_gather *g = j->g;
    const int last = g->ndim - 1;
    const int64_t to = to_piece * j->piece < j->size ? to_piece * j->piece : j->size;
    int64_t from = from_piece * j->piece, idx[HEDDLE_MAX_NDIM];
    if (from >= to) return;
    struct heddle__gather_row r = row_at(g, from, j->buffers, idx);
    r.run_bytes = j->run_bytes;
    r.whole = j->whole;
    r.period = j->period;
    r.in_jump = j->in_jump;
    r.in_step = j->in_step;
    for (int64_t n; from < to; from += n, next_row(g, &r, idx)) {
        const int64_t left = last < 0 ? 1 : g->extent[last] - idx[last];
        n = left < to - from ? left : to - from;
        r.number = last < 0 ? 0 : idx[last];
        const int64_t good = take_row(j, &r, n);
        if (good < n) {
            note(g, &r, good, n, &j->bad);
            return;
        }
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_gather g = *(const struct heddle_gather *)arguments;
    struct job job = {
        .g = &g, .rows = rows_here(), .size = 1, .piece = PIECE, .buffers = k->buffers};
    heddle__gather_merge_axes(&g);
    const int64_t length = g.ndim > 0 ? g.extent[g.ndim - 1] : 1;
    job.whole = has_all(&g);
    job.runs = is_run(&g);
    if (job.runs && length > 0 &&
        length <= PIECE / 4) { /* then they are the elements of shorter rows */
        g.ndim--;
        job.run_bytes = (size_t)(length * g.element_bytes);
        job.piece = PIECE / length;
        job.runs = false;
    }
    for (int d = 0; d < g.ndim; d++) job.size *= g.extent[d];
    job.in_step = g.ndim > 0 ? g.in_stride[g.ndim - 1] : 0;
    if (are_short_rows(&g)) join_short_rows(&g, &job);
    heddle__share(k->team, heddle__team_size(k->team), (job.size + job.piece - 1) / job.piece,
                  do_pieces, &job);
    if (!atomic_load(&job.bad.is)) return HEDDLE_OK;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, job.bad.index, job.bad.n, g.name};
    const enum heddle_status code = heddle__describe_index(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

const struct heddle_cpu_kernel heddle__gather_cpu = {.run = run};
