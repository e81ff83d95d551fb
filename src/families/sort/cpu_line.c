/* A line of sorted runs on the CPU (kernel.h): samples, splits, merges. All phases share rows, windows or tiles
 * among the threads. What compares elements is in cpu_merge.h, for each dtype. */
#include "families/sort/cpu_sort.h"

#include "base/share.h"

#include <math.h>
#include <string.h>

enum { TILE = 1 << 14 }; /* elements of a result that one thread merges or copies */

/* Elements in order, and their positions: NULL, or counted from `base`. */
struct piece {
    const void *at;
    const int64_t *positions;
    int64_t base, n;
};

/* Of one call. */
struct line {
    const struct heddle_sort_line *s;
    const int64_t *windows; /* NULL: whole runs */
    const void *in, *other;
    const int64_t *in_positions, *other_positions;
    void *out; /* NULL: only positions */
    int64_t *out_positions;
    int64_t tiles; /* of a row */
    int64_t width; /* MERGE: in runs, of what is merged with as much */
    uint64_t flip;
};

struct window {
    int64_t lo, hi;
};

static int64_t length_of(const struct heddle_sort_line *s, int64_t run)
{
    return run < s->n_runs ? s->bound[run + 1] - s->bound[run] : 0;
}

static struct window window_of(const struct line *l, int64_t row, int64_t boundary, int64_t run)
{
    const struct heddle_sort_line *s = l->s;
    if (!l->windows) return (struct window){0, length_of(s, run)};
    const int64_t *w = l->windows + ((row * (s->n_parts - 1) + boundary) * s->n_runs + run) * 2;
    return (struct window){w[0], w[1]};
}

/* What part `part` of the result takes of a run. */
static struct window piece_of(const struct line *l, int64_t row, int64_t run)
{
    const int64_t part = l->s->part;
    if (run >= l->s->n_runs) return (struct window){0, 0};
    return (struct window){part == 0 ? 0 : window_of(l, row, part - 1, run).lo,
                           part == l->s->n_parts - 1 ? length_of(l->s, run)
                                                     : window_of(l, row, part, run).lo};
}

/* Where each run's piece begins in the part, and behind the last one. */
static void find_pieces(const struct line *l, int64_t row, int64_t at[HEDDLE_SORT_RUNS + 1])
{
    at[0] = 0;
    for (int run = 0; run < l->s->n_runs; run++) {
        const struct window w = piece_of(l, row, run);
        at[run + 1] = at[run] + w.hi - w.lo;
    }
}

/* Tile i, of rows of n elements and l->tiles tiles. */
static struct window tile_of(const struct line *l, int64_t i, int64_t n)
{
    const int64_t lo = i % l->tiles * TILE;
    return (struct window){lo, lo + TILE < n ? lo + TILE : n};
}

/* ---- Samples --------------------------------------------------------------------------------------------- */

static void sample_windows(void *argument, int64_t from, int64_t to)
{
    const struct line *l = argument;
    const struct heddle_sort_line *s = l->s;
    const size_t size = s->sort.element_bytes;
    const int64_t sets = heddle__sort_sets(s);
    const int64_t room = heddle__sort_room(s->sort.n, s->most, s->gap);
    for (int64_t i = from; i < to; i++) {
        const struct window w = window_of(l, i / sets, i % sets, s->run);
        const char *in = (const char *)l->in + (size_t)(i / sets * s->sort.n) * size;
        char *out = (char *)l->out + (size_t)(i * room) * size;
        for (int64_t at = w.lo; at < w.hi; out += size) {
            at = at + s->gap < w.hi ? at + s->gap : w.hi;
            memcpy(out, in + (size_t)(at - 1) * size, size);
        }
    }
}

/* ---- Splits and merges ----------------------------------------------------------------------------------- */

/* Samples of a window of a run. */
struct samples {
    struct window window;
    int64_t n, first; /* how many, and where they begin in a row of samples */
};

/* All samples of a boundary, and what they say of it. */
struct boundary {
    const void *in; /* the row of samples */
    int64_t rank;   /* how many elements are before it */
    int64_t gap;
    uint64_t flip;
    int n_runs;
    bool by_value; /* -0 is 0 */
    struct samples of[HEDDLE_SORT_RUNS];
};

/* Behind sample i. */
static int64_t end_of(const struct samples *x, int64_t i, int64_t gap)
{
    const int64_t end = x->window.lo + (i + 1) * gap;
    return end < x->window.hi ? end : x->window.hi;
}

/* How many elements of the line are before one, at least and at most; but of each run no fewer than are before its
 * window, and no more than to its end, which does not change on which side of the boundary the element is. */
struct count {
    int64_t least, most;
};

/* Adds those of a run of which `before` samples are before the element, and the next one is not. */
static void add_count(struct count *c, const struct samples *x, int64_t before, int64_t gap)
{
    c->least += end_of(x, before - 1, gap);
    c->most += before < x->n ? end_of(x, before, gap) - 1 : x->window.hi;
}

struct merger {
    struct count (*count)(const struct boundary *b, int run, int64_t i);
    /* Elements of.lo .. of.hi-1 of what both make, which begins at element `first` of the result. */
    void (*merge)(const struct line *l, struct piece a, struct piece b, struct window of,
                  int64_t first);
};

#define FOR_DTYPE "families/sort/cpu_merge.h"
#include "families/sort/cpu_dtypes.h"

static const struct merger *const merger_of[HEDDLE_N_DTYPES] = SORT_BY_DTYPE(merger);

static void find_samples(const struct line *l, int64_t row, int64_t boundary, struct boundary *b)
{
    const struct heddle_sort_line *s = l->s;
    const int64_t sets = heddle__sort_sets(s);
    int64_t next = 0;
    for (int run = 0; run < s->n_runs; run++) {
        const int64_t room = heddle__sort_room(length_of(s, run), s->most, s->gap);
        const struct window w = window_of(l, row, boundary, run);
        b->of[run] = (struct samples){.window = w,
                                      .n = (w.hi - w.lo + s->gap - 1) / s->gap,
                                      .first = next + (s->is_first ? 0 : boundary * room)};
        next += sets * room;
    }
    b->gap = s->gap;
    b->n_runs = s->n_runs;
    b->by_value = s->sort.positions;
    b->in = (const char *)l->in + (size_t)(row * next) * s->sort.element_bytes;
    b->rank = s->part_bound[boundary + 1];
    b->flip = l->flip;
}

/* How many samples are before the boundary: for sure or, with `maybe`, perhaps. */
static int64_t samples_before(const struct boundary *b, int run, bool maybe,
                              const struct merger *merger)
{
    int64_t lo = 0, hi = b->of[run].n;
    while (lo < hi) {
        const int64_t i = lo + (hi - lo) / 2;
        const struct count c = merger->count(b, run, i);
        if ((maybe ? c.least : c.most) < b->rank)
            lo = i + 1;
        else
            hi = i;
    }
    return lo;
}

static struct window narrow(const struct boundary *b, int run, const struct merger *merger)
{
    const struct samples *x = &b->of[run];
    const int64_t behind = samples_before(b, run, true, merger);
    return (struct window){end_of(x, samples_before(b, run, false, merger) - 1, b->gap),
                           behind < x->n ? end_of(x, behind, b->gap) - 1 : x->window.hi};
}

static void split_boundaries(void *argument, int64_t from, int64_t to)
{
    const struct line *l = argument;
    const int64_t k = l->s->n_runs, n = l->s->n_parts - 1;
    const struct merger *merger = merger_of[l->s->sort.dtype];
    for (int64_t i = from; i < to; i++) {
        struct boundary b;
        find_samples(l, i / n, i % n, &b);
        struct window *out = (struct window *)l->out + i * k;
        for (int run = 0; run < k; run++) out[run] = narrow(&b, run, merger);
    }
}

/* ---- Merges ---------------------------------------------------------------------------------------------- */

/* Elements first..first+n-1. */
static struct piece piece_at(const struct line *l, const void *at, const int64_t *positions,
                             int64_t base, int64_t first, int64_t n)
{
    return (struct piece){(const char *)at + first * l->s->sort.element_bytes,
                          positions ? positions + first : NULL, base, n};
}

static void pair_tiles(void *argument, int64_t from, int64_t to)
{
    const struct line *l = argument;
    const struct heddle_sort_line *s = l->s;
    const struct merger *merger = merger_of[s->sort.dtype];
    for (int64_t i = from; i < to; i++) {
        int64_t at[HEDDLE_SORT_RUNS + 1];
        const int64_t row = i / l->tiles;
        const struct window one = piece_of(l, row, s->run), other = piece_of(l, row, s->run + 1);
        const struct window tile = tile_of(l, i, one.hi - one.lo + other.hi - other.lo);
        if (tile.lo >= tile.hi) continue;
        find_pieces(l, row, at);
        const struct piece a = piece_at(l, l->in, l->in_positions, s->bound[s->run],
                                        row * length_of(s, s->run) + one.lo, one.hi - one.lo),
                           b = piece_at(l, l->other, l->other_positions, s->bound[s->run + 1],
                                        row * length_of(s, s->run + 1) + other.lo,
                                        other.hi - other.lo);
        merger->merge(l, a, b, tile, row * s->sort.n + at[s->run]);
    }
}

/* What each two neighbours, of l->width runs each, have in tiles of the part. */
static void merge_tiles(void *argument, int64_t from, int64_t to)
{
    const struct line *l = argument;
    const int64_t k = l->s->n_runs, n = l->s->sort.n;
    const struct merger *merger = merger_of[l->s->sort.dtype];
    int64_t at[HEDDLE_SORT_RUNS + 1];
    for (int64_t i = from; i < to; i++) {
        const int64_t row = i / l->tiles;
        const struct window tile = tile_of(l, i, n);
        if (i == from || i % l->tiles == 0) find_pieces(l, row, at);
        for (int64_t run = 0; run < k; run += 2 * l->width) {
            const int64_t middle = at[run + l->width < k ? run + l->width : k],
                          end = at[run + 2 * l->width < k ? run + 2 * l->width : k];
            const struct window of = {(at[run] > tile.lo ? at[run] : tile.lo) - at[run],
                                      (end < tile.hi ? end : tile.hi) - at[run]};
            if (of.lo >= of.hi) continue;
            const struct piece a = piece_at(l, l->in, l->in_positions, 0, row * n + at[run],
                                            middle - at[run]),
                               b = piece_at(l, l->in, l->in_positions, 0, row * n + middle,
                                            end - middle);
            merger->merge(l, a, b, of, row * n + at[run]);
        }
    }
}

/* ---- Calls ----------------------------------------------------------------------------------------------- */

static void share_tiles(struct line *l, int64_t n, struct heddle_kernel_context *k,
                        heddle_team_body *body)
{
    l->tiles = (n + TILE - 1) / TILE;
    heddle__share(k->team, heddle__team_size(k->team), l->s->sort.rows * l->tiles, body, l);
}

static void merge_pair(struct line *l, struct heddle_kernel_context *k)
{
    const struct heddle_sort_line *s = l->s;
    const int64_t both = length_of(s, s->run) + length_of(s, s->run + 1);
    l->other = k->buffers[s->other];
    if (s->sort.positions) {
        l->in_positions = k->buffers[s->in_positions];
        l->other_positions = k->buffers[s->other_positions];
        l->out_positions = k->buffers[s->is_last ? s->sort.out : s->out_positions];
        if (s->is_last) l->out = NULL;
    }
    share_tiles(l, both < s->sort.n ? both : s->sort.n, k, pair_tiles);
}

/* Passes from the pairs, which are overwritten if there are more than two, to scratch memory or `out` and back; the
 * last one to `out`. */
static void merge_all(struct line *l, struct heddle_kernel_context *k)
{
    const struct heddle_sort_line *s = l->s;
    const int passes = heddle__sort_passes(s->n_runs);
    const bool even = passes % 2 == 0, positions = s->sort.positions;
    const int64_t size = s->sort.rows * s->sort.n;
    void *pairs = k->buffers[s->sort.in], *out = k->buffers[s->sort.out], *room = k->scratch;
    int64_t *pairs_at = positions ? k->buffers[s->in_positions] : NULL;
    int64_t *room_at = !positions ? NULL : even ? k->scratch : out;
    if (positions)
        room = (char *)k->scratch + (even ? (size_t)size * sizeof *room_at : 0);
    else if (!even)
        room = out;
    for (int pass = 1; pass <= passes; pass++) {
        const bool back = pass % 2 == 0, last = pass == passes;
        l->width = (int64_t)1 << pass;
        l->in = back ? room : pairs;
        l->in_positions = back ? room_at : pairs_at;
        l->out = !last ? (back ? pairs : room) : positions ? NULL : out;
        l->out_positions = !positions ? NULL : last ? out : back ? pairs_at : room_at;
        share_tiles(l, s->sort.n, k, merge_tiles);
    }
}

enum heddle_status heddle__sort_line_cpu(const struct heddle_sort_line *s,
                                         struct heddle_kernel_context *k)
{
    HEDDLE_REQUIRE(s->sort.dtype < HEDDLE_N_DTYPES && merger_of[s->sort.dtype], HEDDLE_EINTERNAL,
                   "sort: no kernel for runs of %s",
                   heddle_dtype_name((enum heddle_dtype)s->sort.dtype));
    const int threads = heddle__team_size(k->team);
    struct line l = {.s = s,
                     .windows = s->is_first ? NULL : k->buffers[s->windows],
                     .in = k->buffers[s->sort.in],
                     .out = k->buffers[s->sort.out],
                     .flip = s->sort.descending ? UINT64_MAX : 0};
    switch ((enum heddle_sort_phase)s->sort.phase) {
    case HEDDLE_SORT_SAMPLE:
        heddle__share(k->team, threads, s->sort.rows * heddle__sort_sets(s), sample_windows, &l);
        break;
    case HEDDLE_SORT_SPLIT:
        heddle__share(k->team, threads, s->sort.rows * (s->n_parts - 1), split_boundaries, &l);
        break;
    case HEDDLE_SORT_PAIR: merge_pair(&l, k); break;
    case HEDDLE_SORT_MERGE: merge_all(&l, k); break;
    default: return heddle__fail(HEDDLE_EINTERNAL, "sort: no phase %d", s->sort.phase);
    }
    return HEDDLE_OK;
}
