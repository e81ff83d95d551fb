/* Sorting to tasks: part by part, along an axis that is not cut; or parts together, if it is cut among several places
 * (cut_line.c). Entry point: heddle__sort_cut. */
#include "families/sort/sort.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"

#include <math.h>

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

struct heddle_sort *heddle__sort_add_rows(struct heddle_planner *p, const struct heddle_sort_cut *s,
                                          const struct heddle_box *box)
{
    const int ndim = grid_of(p, s->in)->ndim, last = ndim - 1;
    const double size = (double)heddle__box_size(box, ndim);
    const size_t bytes = heddle_dtype_size(s->dtype);
    /* a pass for each digit of eight bits reads and writes */
    struct heddle_sort *call =
        heddle__task_call(p, &heddle__sort_family, sizeof *call, size * (double)(8 * bytes),
                          size * (double)(bytes * (2 * bytes + (s->params->positions ? 8 : 1))));
    if (!call) return NULL;
    *call = (struct heddle_sort){.dtype = (uint8_t)s->dtype,
                                 .element_bytes = (uint8_t)bytes,
                                 .descending = s->params->descending != 0,
                                 .positions = s->params->positions != 0,
                                 .wanted = s->wanted,
                                 .rows = 1,
                                 .n = box->hi[last] - box->lo[last]};
    for (int d = 0; d < last; d++) call->rows *= box->hi[d] - box->lo[d];
    return call;
}

static bool sort_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct heddle_sort_cut *s = context;
    const struct heddle_box box = heddle__grid_part(grid_of(p, s->in), part);
    struct heddle_sort *call = heddle__sort_add_rows(p, s, &box);
    if (!call) return false;
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* Of how many runs a line is made, at most. At one place one sort of all is cheaper than runs, samples and merges.
 * Elsewhere all samples, some sqrt(n * runs^3), are to be few beside a run, and parts that live nowhere, such as those
 * of host memory that stream to GPUs, are not to be more than keep all places busy; but a partition that the user asked
 * for stays as it is. */
static int64_t most_runs(const struct heddle_planner *p, const struct heddle_grid *grid)
{
    const struct heddle_policy *policy = p->policy;
    const int last = grid->ndim - 1;
    if (grid->asked || policy->force_n > 0) return HEDDLE_SORT_RUNS;
    if (!grid->place && policy->n_gpus == 1) return 1; /* beside it, the CPU would be late */
    if (heddle__parts_follow(p, grid, last)) return 1;
    const double few = pow((double)grid->shape[last] / 4, 0.2);
    const int64_t busy = grid->place ? HEDDLE_SORT_RUNS : 4 * (int64_t)policy->n_workers;
    const int64_t most = few < (double)busy ? (int64_t)few : busy;
    return most < HEDDLE_SORT_RUNS ? most : HEDDLE_SORT_RUNS;
}

/* And at least: a GPU numbers the elements of a run with 32 bits, if positions are asked for. */
static int64_t least_runs(const struct heddle_planner *p, const struct heddle_sort_cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    if (!s->params->positions || p->policy->n_gpus == 0) return 1;
    return (grid->shape[grid->ndim - 1] + HEDDLE_SORT_POSITIONS - 1) / HEDDLE_SORT_POSITIONS;
}

/* A copy of the array that is cut along its last axis at these n + 1 bounds. -1: memory is gone. */
static int32_t cut_last(struct heddle_planner *p, int32_t array, int64_t n, const int64_t *bounds)
{
    const struct heddle_grid *grid = grid_of(p, array);
    const int last = grid->ndim - 1;
    int64_t all[HEDDLE_MAX_NDIM];
    const int64_t *at[HEDDLE_MAX_NDIM];
    for (int d = 0; d < last; d++) {
        all[d] = grid->n[d];
        at[d] = grid->bound[d];
    }
    all[last] = n;
    at[last] = bounds;
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    struct heddle_grid *cut = heddle__grid_placed_as(
        p, heddle__grid_make(grid->ndim, grid->shape, all, at), grid, &identity);
    return cut ? heddle__cut_copy(p, array, cut) : -1;
}

/* The array cut into `most` parts at most along the last axis: itself, or a copy in which neighbours are joined; or into equal
 * parts, if it has fewer than `least`. -1: memory is gone. */
static int32_t cut_in_runs(struct heddle_planner *p, int32_t array, int64_t least, int64_t most)
{
    const struct heddle_grid *grid = grid_of(p, array);
    const int last = grid->ndim - 1;
    int64_t bounds[HEDDLE_SORT_RUNS + 1];
    if (least > HEDDLE_SORT_RUNS) least = HEDDLE_SORT_RUNS; /* 2^38 elements */
    if (most < least) most = least;
    const int64_t n = grid->n[last], each = most > 1 ? (n + most - 1) / most : n;
    if (n < least) {
        for (int64_t i = 0; i <= least; i++) bounds[i] = grid->shape[last] / least * i;
        bounds[least] = grid->shape[last];
        return cut_last(p, array, least, bounds);
    }
    if (each <= 1) return array;
    if (each >= n) return heddle__cut_in_units(p, array, last, 0);
    const int64_t parts = (n + each - 1) / each;
    for (int64_t i = 0; i <= parts; i++) bounds[i] = grid->bound[last][i * each < n ? i * each : n];
    return cut_last(p, array, parts, bounds);
}

bool heddle__sort_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map *map;
    struct heddle_sort_cut s = {.params = heddle__params_of(v->node),
                                .dtype = (enum heddle_dtype)v->node->in[0]->dtype};
    s.in = heddle__array_of(p, heddle__whole_input(p, v, 0, &map));
    if (s.in < 0) return false;
    const bool asked = grid_of(p, s.in)->asked; /* so the result is the user's, too */
    s.in = cut_in_runs(p, s.in, least_runs(p, &s), most_runs(p, grid_of(p, s.in)));
    if (s.in < 0) return false;
    const struct heddle_grid *in = grid_of(p, s.in);
    struct heddle_grid *grid = heddle__grid_beside(in, in->ndim - 1, in->bound[in->ndim - 1]);
    if (!grid) return false;
    grid->asked = asked;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    if (p->failed) return false;
    if (in->n[in->ndim - 1] > 1) return heddle__sort_cut_line(p, &s);
    heddle__sort_wanted(p, at, &s.wanted);
    return heddle__cut_parts(p, &heddle__sort_family, "sort", 1, grid_of(p, s.out), sort_part, &s);
}
