/* Small systems to tasks: part by part of a batch, with whole matrices. Entry point: heddle__systems_cut. */
#include "families/factor/systems.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"

struct cut {
    const heddle_array *node;
    const struct heddle_systems_params *params;
    int32_t a, b, out;
    int64_t n, columns;
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

double heddle__systems_flops(int64_t n, int64_t columns)
{
    return (double)(n * n) * (double)(2 * n + 6 * columns) / 3;
}

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *c = context;
    int64_t batch, matrix;
    heddle__factor_matrices(grid_of(p, c->a), part, &matrix, &batch);
    const double elements = (double)(c->n * (c->n + 2 * c->columns)),
                 size = (double)heddle_dtype_size((enum heddle_dtype)c->node->dtype);
    struct heddle_systems *call = heddle__task_call(
        p, &heddle__systems_family, sizeof *call,
        (double)batch * heddle__systems_flops(c->n, c->columns), (double)batch * elements * size);
    if (!call) return false;
    *call = (struct heddle_systems){.dtype = c->node->dtype,
                                    .what = (uint8_t)c->params->what,
                                    .name = (uint8_t)c->params->name,
                                    .n = (int32_t)c->n,
                                    .columns = (int32_t)c->columns,
                                    .batch = batch,
                                    .matrix = matrix};
    call->a = heddle__task_use(p, c->a, part, HEDDLE_READ);
    if (c->b >= 0) call->b = heddle__task_use(p, c->b, part, HEDDLE_READ);
    call->out = heddle__task_use(p, c->out, part, HEDDLE_WRITE);
    return true;
}

/* The matrices, of which only the batch is cut: where they are, or a copy. -1: memory is gone. */
static int32_t matrices(struct heddle_planner *p, int32_t at, double flops)
{
    const heddle_array *in = p->values[at].node->in[0];
    const int32_t from = heddle__factor_source(p, at, 0);
    if (from < 0) return -1;
    const struct heddle_map *view;
    (void)heddle__whole_input(p, &p->values[at], 0, &view);
    if (!view && heddle__factor_is_of_batch(grid_of(p, from))) return from;
    return heddle__factor_operand(p, at, 0,
                                  in->ndim == 2
                                      ? heddle__grid_one(in->ndim, in->shape)
                                      : heddle__factor_grid(p, from, in->ndim, in->shape, flops));
}

bool heddle__systems_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node, *in = node->in[0];
    struct cut c = {
        .node = node, .params = heddle__params_of(node), .b = -1, .n = in->shape[in->ndim - 1]};
    const bool of_matrix = c.params->what >= HEDDLE_SYSTEMS_PIVOTS;
    c.columns = of_matrix ? 0 : node->shape[node->ndim - 1];
    c.a = matrices(p, at,
                   (double)in->size / (double)(c.n * c.n) * heddle__systems_flops(c.n, c.columns));
    if (c.a < 0) return false;
    struct heddle_grid *grid =
        c.params->what == HEDDLE_SYSTEMS_DETERMINANT
            ? heddle__grid_kept(p, grid_of(p, c.a), node->ndim)
        : of_matrix
            ? heddle__factor_vectors(p, grid_of(p, c.a), c.n, true)
            : heddle__factor_beside(grid_of(p, c.a), heddle__grid_one(node->ndim, node->shape));
    if (!grid) return false;
    if (c.params->what == HEDDLE_SYSTEMS_SOLVE) {
        c.b = heddle__factor_operand(p, at, 1, heddle__grid_retain(grid));
        if (c.b < 0) {
            heddle__grid_release(grid);
            return false;
        }
    }
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    c.out = p->values[at].array;
    return !p->failed && heddle__cut_parts(p, &heddle__systems_family, "systems", 1,
                                           grid_of(p, c.out), call_part, &c);
}
