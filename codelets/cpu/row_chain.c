/* Chains of launches over the same rows on CPUs: a few rows at a time go through all launches while they are
 * in a core's cache. What is stored for later launches alone stays in memory of the thread's own, which its cache keeps, and
 * never reaches the array. Entry point: heddle__cpu_rows. */
#include "cpu/row_chain.h"

#include "cpu/boxes.h"
#include "cpu/scan/scan_rows.h"
#include "rows.h"

#include <base/memory.h>
#include <base/share.h>
#include <stdatomic.h>
#include <string.h>

enum {
    CACHE_BYTES = 512 << 10, /* of a core, for the rows that it works on and those that come next */
    FAR_BYTES = 16 << 20,    /* of rows, that a cache may not have */
};

/* The kept axis that is cut, into pieces of `size`; the kept axes before it are walked index by index. */
struct cut {
    int axis, n_kept;
    int64_t size, n_pieces, n;
};

/* What a thread keeps of a piece: elements that no launch beyond the chain reads. */
struct kept {
    uint32_t buffer;
    size_t at; /* in the thread's memory */
};
enum { MOST_BUFFERS = HEDDLE_ROWS_STAGES * HEDDLE_MAX_OPERANDS };

struct work {
    struct heddle_rows rows;
    int map; /* a stage over all axes; or any */
    struct cut cut;
    void *const *buffers;
    const union heddle_scalar *constants;
    struct kept kept[HEDDLE_MAX_OPERANDS];
    int n_kept;
    uint32_t n_buffers;
    size_t bytes;     /* of what a thread keeps */
    char *scratch;    /* of all threads; NULL: they keep nothing */
    char *decoded;    /* heddle__boxes of each stage, of all threads */
    bool looks_ahead; /* pieces fetch the rows of the next ones */
    struct heddle__shares shares;
    atomic_int status;
};

/* Bytes of a row that a core's cache has: in memory, where those of the next piece come too, and what a thread keeps. */
static double row_bytes(const struct heddle_rows *rows)
{
    double kept = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_passed && !o->is_row)
            kept += (double)rows->length * (double)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    return 2 * heddle__rows_bytes(rows) / (double)rows->n_rows + kept;
}

static struct cut cut_of(const struct heddle_rows *rows)
{
    const struct heddle_geometry *g = rows->box;
    const double bytes = row_bytes(rows);
    double fit = CACHE_BYTES / (bytes > 1 ? bytes : 1);
    struct cut c = {.n_kept = g->n_kept, .axis = g->n_kept - 1};
    while (c.axis > 0 && fit >= (double)g->extent[c.axis]) fit /= (double)g->extent[c.axis--];
    const int64_t extent = c.axis < 0 ? 1 : g->extent[c.axis];
    c.size = fit < 1 ? 1 : fit < (double)extent ? (int64_t)fit : extent;
    c.n_pieces = (extent + c.size - 1) / c.size;
    c.n = c.n_pieces;
    for (int d = 0; d < c.axis; d++) c.n *= g->extent[d];
    return c;
}

/* ---- What stays with a thread ---------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many indices a piece has along axis d of the box. */
static int64_t piece_extent(const struct work *w, int d)
{
    const int64_t extent = w->rows.box->extent[d];
    return d < w->cut.axis ? 1 : d == w->cut.axis ? smaller(w->cut.size, extent) : extent;
}

/* Gives arrays of elements that only later launches of the chain read a place in the threads' memory, where a piece's are dense. */
static void find_kept(struct work *w)
{
    enum { LINE = HEDDLE_CACHE_LINE };
    const struct heddle_rows *rows = &w->rows;
    size_t elements = 1;
    for (int d = 0; d < rows->box->ndim; d++) elements *= (size_t)piece_extent(w, d);
    w->n_buffers = 0;
    for (int u = 0; u < rows->n_operands; u++)
        if (rows->operand[u].buffer >= w->n_buffers) w->n_buffers = rows->operand[u].buffer + 1;
    if (w->n_buffers > MOST_BUFFERS) return;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (!o->is_passed || o->is_row) continue;
        const size_t bytes = elements * heddle_dtype_size((enum heddle_dtype)o->dtype);
        w->kept[w->n_kept++] = (struct kept){o->buffer, w->bytes};
        w->bytes += (bytes + LINE - 1) / LINE * LINE;
    }
}

/* The strides of what is dense in a piece, whose axes are in the order of the maps that make it. */
static void dense_strides(const struct work *w, const struct heddle_launch *launch,
                          const uint8_t axis[], const int64_t sizes[], int64_t stride[])
{
    const uint8_t *const order = w->rows.axis[w->map];
    const int ndim = launch->geometry.ndim;
    int64_t dense = 1;
    for (int e = ndim - 1; e >= 0; e--) {
        int d = 0; /* of the box */
        while (order[d] != e) d++;
        stride[axis[d]] = dense;
        dense *= sizes[axis[d]];
    }
}

static bool is_kept(const struct work *w, uint32_t buffer)
{
    for (int i = 0; i < w->n_kept; i++)
        if (w->kept[i].buffer == buffer) return true;
    return false;
}

/* ---- Pieces ---------------------------------------------------------------------------------------- */

/* A launch as a thread runs it: decoded for pieces of one size, which most are. */
struct stage {
    int64_t sizes[HEDDLE_MAX_NDIM];
    struct heddle__boxes *boxes;
};

/* The box of piece `at` in the axes of stage `number`. */
static void find_piece(const struct work *w, int number, int64_t at, int64_t first[],
                       int64_t sizes[])
{
    const struct cut *c = &w->cut;
    const struct heddle_geometry *g = &w->rows.stage[number]->geometry;
    const uint8_t *axis = w->rows.axis[number];
    int64_t rest = at / c->n_pieces;
    memset(first, 0, HEDDLE_MAX_NDIM * sizeof *first);
    memcpy(sizes, g->extent, HEDDLE_MAX_NDIM * sizeof *sizes);
    for (int d = c->axis; d >= 0; d--) {
        const int64_t extent = w->rows.box->extent[d];
        if (extent == 1) continue;
        int64_t lo = at % c->n_pieces * c->size,
                size = c->size < extent - lo ? c->size : extent - lo;
        if (d < c->axis) {
            lo = rest % extent;
            rest /= extent;
            size = 1;
        }
        first[axis[d]] = lo;
        sizes[axis[d]] = size;
    }
}

/* Runs stage `number` on the rows of piece `at`. */
static enum heddle_status run_piece(const struct work *w, int number, struct stage *stage,
                                    void *const buffers[], struct heddle__ahead *ahead, int64_t at)
{
    const struct heddle_launch *launch = w->rows.stage[number];
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    int64_t first[HEDDLE_MAX_NDIM], sizes[HEDDLE_MAX_NDIM];
    find_piece(w, number, at, first, sizes);
    const struct heddle_launch piece = heddle__launch_box(launch, first, sizes, access);
    for (int k = 0; k < launch->program->n_operands && w->scratch; k++)
        if (is_kept(w, launch->buffer[k])) {
            access[k].offset = 0;
            dense_strides(w, launch, w->rows.axis[number], sizes, access[k].stride);
        }
    if (launch->program->scan) return heddle__cpu_scan(&piece, buffers);
    if (memcmp(stage->sizes, sizes, sizeof sizes) != 0) {
        memcpy(stage->sizes, sizes, sizeof sizes);
        heddle__boxes_begin(stage->boxes, &piece, buffers, w->constants, ahead);
    }
    return heddle__boxes_run(stage->boxes, &piece, buffers, w->constants);
}

/* How many elements of the operand a piece has if they are one run, or 0. */
static int64_t run_length(const struct work *w, int number, int k, const int64_t sizes[])
{
    const struct heddle_access *a = &w->rows.stage[number]->access[k];
    int64_t n = 1;
    for (int d = w->rows.box->ndim - 1; d >= 0; d--) {
        const int e = w->rows.axis[number][d];
        if (w->rows.box->extent[d] == 1 || sizes[e] == 1) continue;
        if (a->stride[e] != n) return 0;
        n *= sizes[e];
    }
    return n;
}

/* Adds the elements of a piece of operand k of stage `number`, if they are one run in memory, of which a block fetches `share` of
 * those of a piece for each of its own. */
static void add_range(const struct work *w, int number, int k, const int64_t first[],
                      const int64_t sizes[], double share, struct heddle__ahead *ahead)
{
    const struct heddle_launch *launch = w->rows.stage[number];
    const struct heddle_access *a = &launch->access[k];
    const enum heddle_dtype dtype = (enum heddle_dtype)launch->program->operand_dtype[k];
    const int64_t size = (int64_t)heddle_dtype_size(dtype),
                  bytes = size * run_length(w, number, k, sizes);
    const bool is_streamed = w->rows.operand[w->rows.of[number][k]].is_made &&
                             (double)bytes * (double)w->cut.n >= STREAM_BYTES;
    if (bytes == 0 || is_streamed || ahead->n == HEDDLE_AHEAD_RANGES) return;
    int64_t offset = a->offset;
    for (int d = 0; d < launch->geometry.ndim; d++) offset += first[d] * a->stride[d];
    const char *from = (const char *)w->buffers[launch->buffer[k]] + offset * size;
    ahead->range[ahead->n].at = from;
    ahead->range[ahead->n].end = from + bytes;
    ahead->range[ahead->n++].share = share * (double)bytes;
}

/* What the stages of a piece but the first fetch for piece `at`: whole rows that are in memory. */
static void look_ahead(const struct work *w, int64_t at, struct heddle__ahead *ahead)
{
    const struct heddle_rows *rows = &w->rows;
    uint32_t seen = 0; /* operands of the chain: bits */
    int n_later = 0;   /* stages that fetch */
    for (int s = 1; s < rows->n_stages; s++) n_later += !rows->is_row_map[s];
    ahead->n = 0;
    if (n_later == 0) return;
    for (int s = 0; s < rows->n_stages; s++) {
        int64_t first[HEDDLE_MAX_NDIM], sizes[HEDDLE_MAX_NDIM], elements = 1;
        if (rows->is_row_map[s]) continue;
        find_piece(w, s, at, first, sizes);
        for (int d = 0; d < rows->box->ndim; d++) elements *= sizes[rows->axis[s][d]];
        /* twice what would do: some reductions have no blocks */
        const double share = 2 / ((double)elements * n_later);
        for (int k = 0; k < rows->stage[s]->program->n_operands; k++) {
            const int u = rows->of[s][k];
            const struct heddle_rows_operand *o = &rows->operand[u];
            const bool is_new = !(seen >> u & 1);
            seen |= UINT32_C(1) << u;
            if (is_new && !o->is_row && !o->is_passed)
                add_range(w, s, k, first, sizes, share, ahead);
        }
    }
}

static void run_pieces(void *argument, int thread)
{
    struct work *w = argument;
    void *own[MOST_BUFFERS], *const *buffers = w->buffers;
    char *decoded = w->decoded + (size_t)(thread * w->rows.n_stages) * heddle__boxes_bytes();
    struct stage stages[HEDDLE_ROWS_STAGES] = {0}; /* no piece has no elements */
    for (int s = 0; s < w->rows.n_stages; s++)
        stages[s].boxes = (void *)(decoded + (size_t)s * heddle__boxes_bytes());
    if (w->scratch) {
        memcpy(own, w->buffers, w->n_buffers * sizeof *own);
        for (int i = 0; i < w->n_kept; i++)
            own[w->kept[i].buffer] = w->scratch + (size_t)thread * w->bytes + w->kept[i].at;
        buffers = own;
    }
    struct heddle__ahead ahead;
    int64_t from, to;
    struct heddle__taker taker = heddle__taker(&w->shares, thread);
    while (heddle__take(&taker, &from, &to))
        for (int64_t at = from; at < to; at++) {
            ahead.n = 0;
            for (int s = 0; s < w->rows.n_stages; s++) {
                const enum heddle_status status = run_piece(w, s, &stages[s], buffers, &ahead, at);
                if (status != HEDDLE_OK) atomic_store(&w->status, (int)status);
                if (s == 0 && w->looks_ahead && at + 1 < w->cut.n) look_ahead(w, at + 1, &ahead);
            }
        }
}

enum heddle_status heddle__cpu_rows(const struct heddle_launch *first, void *const buffers[],
                                    const union heddle_scalar constants[], struct heddle_team *team)
{
    struct work w = {.buffers = buffers, .constants = constants};
    const struct heddle_rows *rows = &w.rows;
    if (!heddle__rows_of(first, &w.rows))
        return heddle__fail(HEDDLE_EINTERNAL, "rows: launches that are no chain");
    while (w.map < rows->n_stages - 1 &&
           (rows->stage[w.map]->program->n_reductions > 0 || rows->is_row_map[w.map]))
        w.map++;
    w.cut = cut_of(rows);
    w.looks_ahead = heddle__rows_bytes(rows) >= FAR_BYTES;
    const double additions =
        (double)rows->n_rows * (double)rows->length * (double)rows->n_stages; /* at least */
    const int n_threads = heddle__cpu_threads(team, additions, w.cut.n);
    find_kept(&w);
    if (w.n_kept > 0) w.scratch = heddle__alloc_aligned(w.bytes * (size_t)n_threads);
    w.decoded = heddle__alloc_aligned((size_t)(n_threads * rows->n_stages) * heddle__boxes_bytes());
    if (w.decoded) {
        heddle__shares_begin(&w.shares, w.cut.n, n_threads);
        heddle__team_run(team, n_threads, run_pieces, &w);
    } else {
        atomic_store(&w.status, (int)HEDDLE_ENOMEM);
    }
    heddle__free(w.decoded);
    heddle__free(w.scratch);
    const enum heddle_status status = (enum heddle_status)atomic_load(&w.status);
    /* the text of the error is on the thread that had it */
    return status == HEDDLE_OK ? status : heddle__fail(status, "no memory for a block's values");
}
