/* Sorting along an axis that is cut to tasks: each part is sorted where it lives, splits are found from samples, and
 * each part of the result merges its pieces of two runs after the other, and these (kernel.h). Entry point: heddle__sort_cut_line. */
#include "families/sort/sort.h"
#include "plan/cut/patterns.h"
#include "plan/policy/thresholds.h"

#include <math.h>
#include <string.h>

struct line_cut {
    const struct heddle_sort_cut *sort;
    int32_t runs, positions;           /* in order; -1: no positions */
    int32_t pairs, positions_of_pairs; /* of each part of the result; -1: pairs are all */
    int32_t windows, narrower;         /* of each line, before and after a round; -1: whole runs */
    int64_t gap, most;                 /* of the round */
    struct heddle_along along;
};

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* Along the last axis, which runs fastest. */
static int64_t parts_along(const struct heddle_grid *grid)
{
    return grid->n[grid->ndim - 1];
}

static int64_t line_of(const struct heddle_grid *grid, int64_t part)
{
    return part / parts_along(grid);
}

/* Adds a call for part `part` of the runs, or of the result. */
static struct heddle_sort_line *add_call(struct heddle_planner *p, const struct line_cut *s,
                                         const struct heddle_grid *grid, int64_t part,
                                         enum heddle_sort_phase phase, double flops, double bytes)
{
    const struct heddle_grid *runs = grid_of(p, s->runs), *parts = grid_of(p, s->sort->out);
    const int last = grid->ndim - 1;
    const struct heddle_box box = heddle__grid_part(grid, part);
    struct heddle_sort_line *call =
        heddle__task_call(p, &heddle__sort_family, sizeof *call, flops, bytes);
    if (!call) return NULL;
    *call = (struct heddle_sort_line){
        .sort = {.dtype = (uint8_t)s->sort->dtype,
                 .element_bytes = (uint8_t)heddle_dtype_size(s->sort->dtype),
                 .descending = s->sort->params->descending != 0,
                 .positions = s->sort->params->positions != 0,
                 .phase = (uint8_t)phase,
                 .rows = 1,
                 .n = box.hi[last] - box.lo[last]},
        .is_first = s->windows < 0,
        .n_runs = (int32_t)runs->n[last],
        .n_parts = (int32_t)parts->n[last],
        .run = (int32_t)(part % grid->n[last]),
        .part = (int32_t)(part % grid->n[last]),
        .gap = s->gap,
        .most = s->most};
    for (int d = 0; d < last; d++) call->sort.rows *= box.hi[d] - box.lo[d];
    memcpy(call->bound, runs->bound[last], (size_t)(runs->n[last] + 1) * sizeof *call->bound);
    memcpy(call->part_bound, parts->bound[last],
           (size_t)(parts->n[last] + 1) * sizeof *call->part_bound);
    return call;
}

static uint32_t use_windows(struct heddle_planner *p, const struct line_cut *s, int64_t line)
{
    return s->windows < 0 ? 0 : heddle__task_use(p, s->windows, line, HEDDLE_READ);
}

/* Bytes of an element, and of its position if that is asked for. */
static double bytes_of(const struct line_cut *s)
{
    return (double)heddle_dtype_size(s->sort->dtype) +
           (s->sort->params->positions ? sizeof(int64_t) : 0);
}

/* ---- Runs ------------------------------------------------------------------------------------------------ */

static bool sort_run(struct heddle_planner *p, const struct line_cut *s, int64_t run)
{
    const struct heddle_grid *runs = grid_of(p, s->runs), *parts = grid_of(p, s->sort->in);
    const int64_t part = run / (parts_along(runs) / parts_along(parts));
    const struct heddle_box box = heddle__grid_part(runs, run),
                            from = heddle__grid_part(parts, part);
    struct heddle_sort *call = heddle__sort_add_rows(p, s->sort, &box);
    if (!call) return false;
    call->first = box.lo[runs->ndim - 1] - from.lo[runs->ndim - 1]; /* of the only row, then */
    call->in = heddle__task_use(p, s->sort->in, part, HEDDLE_READ);
    if (call->positions) {
        call->with_elements = 1;
        call->out = heddle__task_use(p, s->positions, run, HEDDLE_WRITE);
        call->elements = heddle__task_use(p, s->runs, run, HEDDLE_WRITE);
    } else
        call->out = heddle__task_use(p, s->runs, run, HEDDLE_WRITE);
    return true;
}

/* Whether merges may read pieces of runs in other GPUs' memory: of several runs at a place it takes less to send them whole. 1 G
 * float64 in four parts on two H100 took 71 ms by pieces, 58 so. */
static bool has_a_run_each(const struct heddle_grid *grid)
{
    for (int64_t i = 1; grid->place && i < grid->n_parts; i++)
        if (grid->place[i] == grid->place[i - 1]) return false;
    return true;
}

/* Whether they do, in a direct launch: of that a place takes a run, pairs, the result and scratch memory, where positions are 8 bytes
 * more. */
static bool reads_pieces(const struct heddle_planner *p, const struct heddle_sort_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const double each = (double)heddle_dtype_size(s->dtype) + (s->params->positions ? 8 : 0);
    const double taken =
        4.5 * each * (double)grid->shape[grid->ndim - 1] / (double)parts_along(grid);
    return p->policy->peer_link > 0 && has_a_run_each(grid) &&
           taken * heddle__thresholds.pieces_of_memory <= (double)p->policy->places[0].memory_bytes;
}

/* Whether each part becomes two runs, if the axis is the only one, GPUs share it, and all of a run is sent: the first goes to
 * other places while the second is sorted, and both are a pair that comes from one place. */
static bool has_two_runs(const struct heddle_planner *p, const struct heddle_sort_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const int last = grid->ndim - 1;
    const int64_t k = parts_along(grid);
    const double bytes =
        (double)grid->shape[last] / (double)k * (double)heddle_dtype_size(s->dtype);
    if (!grid->place || p->policy->n_gpus < 2 || grid->n_parts != k || 2 * k > HEDDLE_SORT_RUNS ||
        bytes < 4 * (double)p->policy->stream_bytes || reads_pieces(p, s) ||
        heddle__parts_follow(p, grid, last))
        return false;
    for (int d = 0; d < last; d++)
        if (grid->shape[d] != 1) return false;
    return true;
}

/* The result's partition, with each part cut in two. The second has a quarter, since a link moves elements about three
 * times as fast as a GPU sorts them, and it is the one that is waited for. */
static struct heddle_grid *grid_of_halves(const struct heddle_grid *parts)
{
    const int last = parts->ndim - 1;
    const int64_t k = parts->n[last];
    int64_t n[HEDDLE_MAX_NDIM], bounds[HEDDLE_SORT_RUNS + 1];
    const int64_t *at[HEDDLE_MAX_NDIM];
    heddle_place places[HEDDLE_SORT_RUNS];
    for (int d = 0; d < last; d++) {
        n[d] = 1;
        at[d] = parts->bound[d];
    }
    n[last] = 2 * k;
    at[last] = bounds;
    for (int64_t part = 0; part < k; part++) {
        const int64_t lo = parts->bound[last][part], hi = parts->bound[last][part + 1];
        bounds[2 * part] = lo;
        bounds[2 * part + 1] = lo + (hi - lo) / 4 * 3;
        places[2 * part] = places[2 * part + 1] = parts->place[part];
    }
    bounds[2 * k] = parts->bound[last][k];
    struct heddle_grid *cut = heddle__grid_make(parts->ndim, parts->shape, n, at);
    struct heddle_grid *placed = cut ? heddle__grid_place(cut, 2 * k, places) : NULL;
    heddle__grid_release(cut);
    return placed;
}

/* The result's partition has not the overlap that the operand's may have. */
static struct heddle_grid *grid_of_runs(struct heddle_planner *p, const struct heddle_sort_cut *s)
{
    struct heddle_grid *parts = grid_of(p, s->out);
    return has_two_runs(p, s) ? grid_of_halves(parts) : heddle__grid_retain(parts);
}

/* ---- Splits ---------------------------------------------------------------------------------------------- */

/* In the first round it sorts the run, too: what comes right behind it should not wait for another task. The samples are
 * the first that the task names, so that they are sent before the run. */
static bool sample(void *context, struct heddle_planner *p, int64_t run)
{
    const struct line_cut *s = context;
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const double size = (double)heddle__grid_part_size(grid_of(p, s->along.partial), run);
    const uint32_t out = heddle__task_use(p, s->along.partial, run, HEDDLE_WRITE);
    if (s->windows < 0 && !sort_run(p, s, run)) return false;
    struct heddle_sort_line *call = add_call(p, s, runs, run, HEDDLE_SORT_SAMPLE, size,
                                             2 * size * (double)heddle_dtype_size(s->sort->dtype));
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->runs, run, HEDDLE_READ);
    call->windows = use_windows(p, s, line_of(runs, run));
    call->sort.out = out;
    return true;
}

static bool split(void *context, struct heddle_planner *p, int64_t line)
{
    const struct line_cut *s = context;
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const double samples = (double)heddle__grid_part_size(grid_of(p, s->along.combined), line),
                 windows = (double)heddle__grid_part_size(grid_of(p, s->narrower), line);
    struct heddle_sort_line *call =
        add_call(p, s, runs, line * parts_along(runs), HEDDLE_SORT_SPLIT,
                 windows * log2(samples + 2) * log2(samples + 2),
                 samples * (double)heddle_dtype_size(s->sort->dtype) + 16 * windows);
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->along.combined, line, HEDDLE_READ);
    call->windows = use_windows(p, s, line);
    call->sort.out = heddle__task_use(p, s->narrower, line, HEDDLE_WRITE);
    return true;
}

/* The partition of all samples of a round. */
static struct heddle_grid *grid_of_samples(struct heddle_planner *p, const struct line_cut *s)
{
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const int last = runs->ndim - 1;
    const int64_t sets = s->windows < 0 ? 1 : parts_along(grid_of(p, s->sort->out)) - 1;
    int64_t bounds[HEDDLE_SORT_RUNS + 1] = {0};
    for (int64_t i = 0; i < runs->n[last]; i++)
        bounds[i + 1] =
            bounds[i] + sets * heddle__sort_room(runs->bound[last][i + 1] - runs->bound[last][i],
                                                 s->most, s->gap);
    return heddle__grid_beside(runs, last, bounds);
}

/* One round: s->windows become narrower. */
static bool narrow(struct heddle_planner *p, struct line_cut *s)
{
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const int last = runs->ndim - 1;
    const int64_t boundaries = parts_along(grid_of(p, s->sort->out)) - 1;
    const int64_t ends[2] = {0, 2 * boundaries * runs->n[last]};
    struct heddle_grid *lines = heddle__grid_of_lines(p, runs, last);
    s->narrower = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, HEDDLE_INT64,
                                         lines ? heddle__grid_beside(lines, last, ends) : NULL);
    heddle__grid_release(lines);
    s->along = (struct heddle_along){
        .family = &heddle__sort_family,
        .name = s->windows < 0 ? "sort" : "sample",
        .n_nodes = s->windows < 0,
        .grid = runs,
        .axis = last,
        .partial = heddle__plan_add_opaque(p, (int32_t)heddle_dtype_size(s->sort->dtype),
                                           grid_of_samples(p, s)),
        .partials = sample,
        .combine = split,
        .context = s,
    };
    if (s->narrower < 0 || s->along.partial < 0 || !heddle__cut_along(p, &s->along)) return false;
    p->plan->arrays[s->narrower].partial = true;
    s->windows = s->narrower;
    return true;
}

/* Two rounds, with as many samples in both: n / gap of all k runs, and at each boundary k windows of k * gap elements.
 * One is enough where the first takes all elements. */
static bool find_splits(struct heddle_planner *p, struct line_cut *s)
{
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const double n = (double)runs->shape[runs->ndim - 1], k = (double)parts_along(runs),
                 boundaries = (double)(parts_along(grid_of(p, s->sort->out)) - 1);
    const double gap = sqrt(n / (k * k * boundaries));
    s->windows = -1;
    s->most = runs->shape[runs->ndim - 1];
    s->gap = gap > 1 ? (int64_t)gap : 1;
    if (!narrow(p, s)) return false;
    if (s->gap == 1) return true;
    s->most = parts_along(runs) * s->gap - 1;
    s->gap = 1;
    return narrow(p, s);
}

/* ---- Merges ---------------------------------------------------------------------------------------------- */

/* Pair i of the line that a part of the result is in. */
static int64_t first_of_pair(const struct line_cut *s, const struct heddle_planner *p, int64_t part,
                             int64_t i)
{
    return line_of(grid_of(p, s->sort->out), part) * parts_along(grid_of(p, s->runs)) + 2 * i;
}

static bool has_other(const struct line_cut *s, const struct heddle_planner *p, int64_t i)
{
    return 2 * i + 1 < parts_along(grid_of(p, s->runs));
}

/* That of the run which is not here, if one is. */
static heddle_place place_of_pair(void *context, const struct heddle_planner *p, int64_t part,
                                  int64_t i)
{
    const struct line_cut *s = context;
    const struct heddle_grid *runs = grid_of(p, s->runs);
    const int64_t run = first_of_pair(s, p, part, i);
    const heddle_place at = heddle__grid_place_of(runs, run);
    if (!has_other(s, p, i) || at != heddle__grid_place_of(grid_of(p, s->sort->out), part))
        return at;
    return heddle__grid_place_of(runs, run + 1);
}

/* A run without elements has no data. */
static uint32_t use_run(struct heddle_planner *p, const struct line_cut *s, int32_t array,
                        int64_t run, uint32_t otherwise)
{
    return heddle__grid_part_size(grid_of(p, s->runs), run) > 0
               ? heddle__task_use(p, array, run, HEDDLE_READ)
               : otherwise;
}

static bool merge_pair(void *context, struct heddle_planner *p, int64_t part, int64_t i)
{
    const struct line_cut *s = context;
    const struct heddle_grid *runs = grid_of(p, s->runs), *parts = grid_of(p, s->sort->out);
    const int64_t run = first_of_pair(s, p, part, i), other = run + has_other(s, p, i);
    if (heddle__grid_part_size(runs, run) + heddle__grid_part_size(runs, other) == 0) return true;
    const double size = 2 * (double)heddle__grid_part_size(parts, part) / (double)parts_along(runs);
    struct heddle_sort_line *call =
        add_call(p, s, parts, part, HEDDLE_SORT_PAIR, 8 * size, 2 * size * bytes_of(s));
    if (!call) return false;
    call->run = (int32_t)(2 * i);
    call->is_last = s->pairs < 0;
    call->windows = use_windows(p, s, line_of(parts, part));
    const uint32_t none = call->windows; /* a buffer that is not looked at */
    call->sort.in = use_run(p, s, s->runs, run, none);
    call->other = use_run(p, s, s->runs, other, none);
    if (s->positions >= 0) {
        call->in_positions = use_run(p, s, s->positions, run, none);
        call->other_positions = use_run(p, s, s->positions, other, none);
    }
    if (s->pairs < 0) {
        call->sort.out = heddle__task_use(p, s->sort->out, part, HEDDLE_WRITE);
        return true;
    }
    call->sort.out = heddle__task_use(p, s->pairs, part, HEDDLE_WRITE);
    if (s->positions >= 0)
        call->out_positions = heddle__task_use(p, s->positions_of_pairs, part, HEDDLE_WRITE);
    return true;
}

static bool merge(void *context, struct heddle_planner *p, int64_t part)
{
    const struct line_cut *s = context;
    const struct heddle_grid *parts = grid_of(p, s->sort->out);
    const int passes = heddle__sort_passes((int)parts_along(grid_of(p, s->runs)));
    const enum heddle_mode mode = passes > 2 ? HEDDLE_READ_WRITE : HEDDLE_READ;
    const double size = (double)heddle__grid_part_size(parts, part);
    struct heddle_sort_line *call = add_call(p, s, parts, part, HEDDLE_SORT_MERGE,
                                             8 * size * passes, 2 * size * bytes_of(s) * passes);
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->pairs, part, mode);
    if (s->positions >= 0)
        call->in_positions = heddle__task_use(p, s->positions_of_pairs, part, mode);
    call->windows = use_windows(p, s, line_of(parts, part));
    call->sort.out = heddle__task_use(p, s->sort->out, part, HEDDLE_WRITE);
    return true;
}

/* ---- All ------------------------------------------------------------------------------------------------- */

/* Two temporaries cut by `grid`: of elements and, if the positions are asked for, of these. Takes over the reference. */
static bool add_two(struct heddle_planner *p, const struct heddle_sort_cut *s,
                    struct heddle_grid *grid, int32_t *elements, int32_t *positions)
{
    *positions = -1;
    if (grid && s->params->positions)
        *positions = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, HEDDLE_INT64,
                                            heddle__grid_retain(grid));
    *elements = heddle__plan_add_like(p, s->in, grid);
    return *elements >= 0 && !p->failed;
}

bool heddle__sort_cut_line(struct heddle_planner *p, const struct heddle_sort_cut *sort)
{
    struct line_cut s = {.sort = sort, .pairs = -1, .positions_of_pairs = -1};
    struct heddle_grid *parts = grid_of(p, sort->out);
    if (!add_two(p, sort, grid_of_runs(p, sort), &s.runs, &s.positions)) return false;
    const struct heddle_grid *runs = grid_of(p, s.runs);
    const bool pieces = has_a_run_each(grid_of(p, sort->in));
    p->plan->arrays[s.runs].in_pieces = pieces;
    if (s.positions >= 0) p->plan->arrays[s.positions].in_pieces = pieces;
    if (!find_splits(p, &s)) return false;
    if (parts_along(runs) > 2 &&
        !add_two(p, sort, heddle__grid_retain(parts), &s.pairs, &s.positions_of_pairs))
        return false;
    const struct heddle_exchange exchange = {.family = &heddle__sort_family,
                                             .name = "exchange",
                                             .grid = parts,
                                             .n = (parts_along(runs) + 1) / 2,
                                             .place = place_of_pair,
                                             .calls = merge_pair,
                                             .context = &s};
    return heddle__cut_exchange(p, &exchange) &&
           (s.pairs < 0 ||
            heddle__cut_parts(p, &heddle__sort_family, "merge", 0, parts, merge, &s));
}
