/* Counts by bin to tasks: part by part, each with all edges. With weights parts are whole chunks; else each has chunks of its own. Entry
 * point:
 * heddle__histogram_cut. */
#include "families/histogram/histogram.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "reduce_tree.h"

enum { LEAST_CHUNKS = 4 }; /* of a part */

struct cut {
    const struct heddle_histogram_params *params;
    enum heddle_dtype dtype;
    int32_t in, edges, weights, out; /* -1: there are none */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* That of a part of n elements for which there are so many rows. */
static int64_t chunk_of(const struct heddle_histogram_params *params, int64_t n, int64_t rows)
{
    if (params->weighted || rows * params->chunk >= n) return params->chunk;
    return ((n + rows - 1) / rows + HEDDLE_HISTOGRAM_CHUNK - 1) / HEDDLE_HISTOGRAM_CHUNK *
           HEDDLE_HISTOGRAM_CHUNK;
}

static bool count_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const int64_t n = heddle__grid_part_size(grid_of(p, s->in), part), bins = s->params->bins,
                  rows = heddle__grid_part_size(grid_of(p, s->out), part) / bins;
    const double bytes = (double)heddle_dtype_size(s->dtype) + (s->weights >= 0 ? 8 : 0);
    struct heddle_histogram *call = heddle__task_call(
        p, &heddle__histogram_family, sizeof *call, 8 * (double)n,
        bytes * (double)n + 8 * (double)heddle__grid_part_size(grid_of(p, s->out), part));
    if (!call) return false;
    *call = (struct heddle_histogram){.dtype = (uint8_t)s->dtype,
                                      .by_edges = s->edges >= 0,
                                      .uniform = s->params->uniform != 0,
                                      .weighted = s->weights >= 0,
                                      .n = n,
                                      .bins = bins,
                                      .chunk = chunk_of(s->params, n, rows),
                                      .rows = rows};
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    if (s->edges >= 0) call->edges = heddle__task_use(p, s->edges, 0, HEDDLE_READ);
    if (s->weights >= 0) call->weights = heddle__task_use(p, s->weights, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* The array of operand `i`; -1: memory is gone. */
static int32_t operand(struct heddle_planner *p, int32_t at, int i)
{
    const struct heddle_map *map;
    return heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &map));
}

/* The rows of each part, of which it has a multiple of `unit`: then a sum over the rows needs none of another part. False: some
 * would have too few. */
static bool round_rows(const struct heddle_grid *in, const struct heddle_histogram_params *params,
                       int64_t unit, int64_t *bounds)
{
    const int64_t all = (in->shape[0] + params->chunk - 1) / params->chunk;
    bool enough = true;
    for (int64_t i = 0; i <= in->n[0]; i++) {
        const int64_t rows = in->bound[0][i] / params->chunk;
        bounds[i] = i == in->n[0] ? all : (rows + unit / 2) / unit * unit;
        if (i > 0)
            enough = enough && bounds[i] - bounds[i - 1] >
                                   (rows - in->bound[0][i - 1] / params->chunk) * 2 / 3;
    }
    return enough;
}

/* Rows of chunks for the parts of `in`, where these are. */
static struct heddle_grid *rows_grid(struct heddle_planner *p, const struct cut *s)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    const int64_t chunk = s->params->chunk, bins = s->params->bins,
                  shape[2] = {(in->shape[0] + chunk - 1) / chunk, bins}, n[2] = {in->n[0], 1},
                  ends[2] = {0, bins};
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(in->n[0] + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    if (s->params->weighted || !round_rows(in, s->params, HEDDLE_TREE_SEQUENTIAL_CHUNK, bounds))
        round_rows(in, s->params, 1, bounds);
    const int64_t *const all[2] = {bounds, ends};
    struct heddle_grid *grid = heddle__grid_make(2, shape, n, all);
    if (!grid || !in->place) return grid;
    struct heddle_grid *placed = heddle__grid_place(grid, in->n_parts, in->place);
    heddle__grid_release(grid);
    return placed;
}

/* Whether each part has some chunks. */
static bool has_rows(const struct heddle_grid *in, const struct heddle_histogram_params *params)
{
    bool has = true;
    for (int64_t i = 0; i < in->n[0]; i++)
        has = has && in->bound[0][i + 1] - in->bound[0][i] >= LEAST_CHUNKS * params->chunk;
    return has;
}

bool heddle__histogram_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.params = heddle__params_of(node),
                    .dtype = (enum heddle_dtype)node->in[0]->dtype,
                    .edges = -1,
                    .weights = -1};
    s.in = operand(p, at, 0);
    if (s.in < 0) return false;
    if (s.params->weighted || !has_rows(grid_of(p, s.in), s.params))
        s.in = heddle__cut_in_units(p, s.in, 0, s.params->chunk);
    if (s.in < 0) return false;
    if (s.params->by_edges) {
        s.edges = operand(p, at, 1);
        if (s.edges < 0) return false;
        s.edges = heddle__cut_one_part(p, s.edges);
        if (s.edges < 0) return false;
    }
    if (s.params->weighted) { /* beside the elements */
        s.weights = operand(p, at, 1 + s.params->by_edges);
        if (s.weights < 0) return false;
        const struct heddle_grid *in = grid_of(p, s.in), *weights = grid_of(p, s.weights);
        if (!heddle__grid_same_cuts(in, weights))
            s.weights = heddle__cut_copy(p, s.weights, heddle__grid_beside(in, -1, NULL));
        if (s.weights < 0) return false;
    }
    struct heddle_grid *grid = rows_grid(p, &s);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed && heddle__cut_parts(p, &heddle__histogram_family, "histogram", 1,
                                           grid_of(p, s.out), count_part, &s);
}
