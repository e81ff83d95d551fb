/* Sorting along an axis that is cut to tasks: each part is sorted where it lives, splits are found from samples, and
 * each part of the result takes its pieces and merges them (kernel.h). Entry point: heddle__sort_cut_line. */
#include "families/sort/sort.h"
#include "plan/cut/patterns.h"

#include <math.h>

struct line_cut {
    const struct heddle_sort_cut *sort;
    int32_t runs, positions;             /* sorted parts; -1: no positions */
    int32_t pieces, positions_of_pieces; /* of each part of the result */
    int32_t windows, narrower; /* of each line, before and after a round; -1: whole runs */
    int64_t gap, most;         /* of the round */
    struct heddle_along along;
};

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static int64_t part_at(const struct heddle_grid *grid, int64_t line, int64_t i)
{
    return line * grid->n[grid->ndim - 1] + i; /* the last axis runs fastest */
}

static int64_t line_of(const struct heddle_grid *grid, int64_t part)
{
    return part / grid->n[grid->ndim - 1];
}

/* Adds a call on the rows of part `part`. */
static struct heddle_sort_line *add_call(struct heddle_planner *p, const struct line_cut *s,
                                         int64_t part, enum heddle_sort_phase phase, double flops,
                                         double bytes)
{
    const struct heddle_grid *grid = grid_of(p, s->sort->in);
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
        .n_runs = (int32_t)grid->n[last],
        .run = (int32_t)(part % grid->n[last]),
        .part = (int32_t)(part % grid->n[last]),
        .gap = s->gap,
        .most = s->most};
    for (int d = 0; d < last; d++) call->sort.rows *= box.hi[d] - box.lo[d];
    for (int64_t i = 0; i <= grid->n[last]; i++) call->bound[i] = grid->bound[last][i];
    return call;
}

static uint32_t use_windows(struct heddle_planner *p, const struct line_cut *s, int64_t part)
{
    const int64_t line = line_of(grid_of(p, s->sort->in), part);
    return s->windows < 0 ? 0 : heddle__task_use(p, s->windows, line, HEDDLE_READ);
}

/* ---- Runs ------------------------------------------------------------------------------------------------ */

static bool sort_run(void *context, struct heddle_planner *p, int64_t part)
{
    const struct line_cut *s = context;
    struct heddle_sort *call = heddle__sort_add_rows(p, s->sort, part);
    if (!call) return false;
    call->in = heddle__task_use(p, s->sort->in, part, HEDDLE_READ);
    if (call->positions) {
        call->with_elements = 1;
        call->out = heddle__task_use(p, s->positions, part, HEDDLE_WRITE);
        call->elements = heddle__task_use(p, s->runs, part, HEDDLE_WRITE);
    } else
        call->out = heddle__task_use(p, s->runs, part, HEDDLE_WRITE);
    return true;
}

/* ---- Splits ---------------------------------------------------------------------------------------------- */

static bool sample(void *context, struct heddle_planner *p, int64_t part)
{
    const struct line_cut *s = context;
    const double size = (double)heddle__grid_part_size(grid_of(p, s->along.partial), part);
    struct heddle_sort_line *call = add_call(p, s, part, HEDDLE_SORT_SAMPLE, size,
                                             2 * size * (double)heddle_dtype_size(s->sort->dtype));
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->runs, part, HEDDLE_READ);
    call->windows = use_windows(p, s, part);
    call->sort.out = heddle__task_use(p, s->along.partial, part, HEDDLE_WRITE);
    return true;
}

static bool split(void *context, struct heddle_planner *p, int64_t line)
{
    const struct line_cut *s = context;
    const int64_t part = part_at(grid_of(p, s->sort->in), line, 0);
    const double samples = (double)heddle__grid_part_size(grid_of(p, s->along.combined), line),
                 windows = (double)heddle__grid_part_size(grid_of(p, s->narrower), line);
    struct heddle_sort_line *call =
        add_call(p, s, part, HEDDLE_SORT_SPLIT, windows * log2(samples + 2) * log2(samples + 2),
                 samples * (double)heddle_dtype_size(s->sort->dtype) + 16 * windows);
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->along.combined, line, HEDDLE_READ);
    call->windows = use_windows(p, s, part);
    call->sort.out = heddle__task_use(p, s->narrower, line, HEDDLE_WRITE);
    return true;
}

/* The partition of all samples of a round. */
static struct heddle_grid *grid_of_samples(struct heddle_planner *p, const struct line_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->sort->in);
    const int last = grid->ndim - 1;
    const int64_t k = grid->n[last], sets = s->windows < 0 ? 1 : k - 1;
    int64_t bounds[HEDDLE_SORT_RUNS + 1] = {0};
    for (int64_t i = 0; i < k; i++)
        bounds[i + 1] =
            bounds[i] + sets * heddle__sort_room(grid->bound[last][i + 1] - grid->bound[last][i],
                                                 s->most, s->gap);
    return heddle__grid_beside(grid, last, bounds);
}

/* One round: s->windows become narrower. */
static bool narrow(struct heddle_planner *p, struct line_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->sort->in);
    const int last = grid->ndim - 1;
    const int64_t k = grid->n[last], ends[2] = {0, 2 * (k - 1) * k};
    struct heddle_grid *lines = heddle__grid_of_lines(p, grid, last);
    s->narrower = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, HEDDLE_INT64,
                                         lines ? heddle__grid_beside(lines, last, ends) : NULL);
    heddle__grid_release(lines);
    s->along = (struct heddle_along){
        .family = &heddle__sort_family,
        .name = "sample",
        .grid = grid,
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

/* A gap of which both rounds have as many samples: n / gap of all runs, and of k runs at k - 1 boundaries windows of
 * k * gap elements. */
static int64_t first_gap(int64_t n, int64_t k)
{
    const double gap = sqrt((double)n / (double)(k * k * (k - 1)));
    return gap > 1 ? (int64_t)gap : 1;
}

static bool find_splits(struct heddle_planner *p, struct line_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->sort->in);
    const int64_t n = grid->shape[grid->ndim - 1], k = grid->n[grid->ndim - 1];
    s->windows = -1;
    s->most = n;
    s->gap = first_gap(n, k);
    if (!narrow(p, s)) return false;
    if (s->gap == 1) return true;
    s->most = k * s->gap - 1;
    s->gap = 1;
    return narrow(p, s);
}

/* ---- Pieces ---------------------------------------------------------------------------------------------- */

static heddle_place place_of_run(void *context, const struct heddle_planner *p, int64_t part,
                                 int64_t i)
{
    const struct line_cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->runs);
    return heddle__grid_place_of(grid, part_at(grid, line_of(grid, part), i));
}

static bool take(void *context, struct heddle_planner *p, int64_t part, int64_t i)
{
    const struct line_cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->runs);
    const int64_t run = part_at(grid, line_of(grid, part), i);
    if (heddle__grid_part_size(grid, run) == 0) return true;
    const double size =
                     (double)heddle__grid_part_size(grid, part) / (double)grid->n[grid->ndim - 1],
                 bytes = (double)heddle_dtype_size(s->sort->dtype) +
                         (s->positions < 0 ? 0 : sizeof(int64_t));
    struct heddle_sort_line *call = add_call(p, s, part, HEDDLE_SORT_TAKE, size, 2 * size * bytes);
    if (!call) return false;
    call->run = (int32_t)i;
    call->sort.in = heddle__task_use(p, s->runs, run, HEDDLE_READ);
    call->sort.out = heddle__task_use(p, s->pieces, part, HEDDLE_WRITE);
    call->windows = use_windows(p, s, part);
    if (s->positions < 0) return true;
    call->in_positions = heddle__task_use(p, s->positions, run, HEDDLE_READ);
    call->out_positions = heddle__task_use(p, s->positions_of_pieces, part, HEDDLE_WRITE);
    return true;
}

static bool merge(void *context, struct heddle_planner *p, int64_t part)
{
    const struct line_cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->runs);
    const int passes = heddle__sort_passes((int)grid->n[grid->ndim - 1]);
    const enum heddle_mode mode = passes > 2 ? HEDDLE_READ_WRITE : HEDDLE_READ;
    const double size = (double)heddle__grid_part_size(grid, part),
                 bytes = (double)heddle_dtype_size(s->sort->dtype) +
                         (s->positions < 0 ? 0 : sizeof(int64_t));
    struct heddle_sort_line *call =
        add_call(p, s, part, HEDDLE_SORT_MERGE, 8 * size * passes, 2 * size * bytes * passes);
    if (!call) return false;
    call->sort.in = heddle__task_use(p, s->pieces, part, mode);
    if (s->positions >= 0)
        call->in_positions = heddle__task_use(p, s->positions_of_pieces, part, mode);
    call->windows = use_windows(p, s, part);
    call->sort.out = heddle__task_use(p, s->sort->out, part, HEDDLE_WRITE);
    return true;
}

/* ---- All ------------------------------------------------------------------------------------------------- */

/* Two temporaries cut like the operand: of elements and, if the positions are asked for, of these. */
static bool add_pair(struct heddle_planner *p, const struct heddle_sort_cut *s, int32_t *elements,
                     int32_t *positions)
{
    struct heddle_grid *grid = grid_of(p, s->out); /* without the overlap that `in` may have */
    *positions = -1;
    *elements = heddle__plan_add_like(p, s->in, heddle__grid_retain(grid));
    if (*elements < 0 || !s->params->positions) return *elements >= 0;
    *positions = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, HEDDLE_INT64,
                                        heddle__grid_retain(grid));
    return *positions >= 0;
}

bool heddle__sort_cut_line(struct heddle_planner *p, const struct heddle_sort_cut *sort)
{
    struct line_cut s = {.sort = sort};
    struct heddle_grid *grid = grid_of(p, sort->in);
    if (!add_pair(p, sort, &s.runs, &s.positions) ||
        !heddle__cut_parts(p, &heddle__sort_family, "sort", 1, grid, sort_run, &s) ||
        !find_splits(p, &s) || !add_pair(p, sort, &s.pieces, &s.positions_of_pieces))
        return false;
    const struct heddle_exchange exchange = {.family = &heddle__sort_family,
                                             .name = "exchange",
                                             .grid = grid,
                                             .n = grid->n[grid->ndim - 1],
                                             .place = place_of_run,
                                             .calls = take,
                                             .context = &s};
    return heddle__cut_exchange(p, &exchange) &&
           heddle__cut_parts(p, &heddle__sort_family, "merge", 0, grid, merge, &s);
}
