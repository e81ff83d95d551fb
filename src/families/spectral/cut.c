/* Eigenvalues and singular values to tasks: part by part of a batch, with whole matrices. Entry point:
 * heddle__spectral_cut. */
#include "base/dtype.h"
#include "families/spectral/spectral.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"

struct cut {
    const struct heddle_family_info *family;
    const struct heddle_spectral_params *params;
    enum heddle_dtype dtype; /* of the matrices */
    int n_outputs;
    int32_t in, out[HEDDLE_SPECTRAL_OUTPUTS];
};

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *c = context;
    const struct heddle_grid *grid = p->plan->arrays[c->in].grid;
    const struct heddle_box box = heddle__grid_part(grid, part);
    struct heddle_spectral s = {.dtype = (uint8_t)c->dtype,
                                .operation = (uint8_t)c->params->operation,
                                .upper = c->params->upper != 0,
                                .full = c->params->full != 0,
                                .batch = 1,
                                .rows = grid->shape[grid->ndim - 2],
                                .columns = grid->shape[grid->ndim - 1]};
    for (int d = 0; d < grid->ndim - 2; d++) s.batch *= box.hi[d] - box.lo[d];
    double bytes = (double)(s.rows * s.columns) * (double)heddle_dtype_size(c->dtype);
    for (int i = 0; i < c->n_outputs; i++)
        bytes += (double)heddle__spectral_elements(&s, i) * (double)heddle__spectral_bytes(&s, i);
    const double flops =
        heddle__spectral_flops(s.operation, s.rows, s.columns, heddle_dtype_kind(c->dtype) == 'C');
    struct heddle_spectral *call = heddle__task_call(
        p, c->family, sizeof *call, (double)s.batch * flops, (double)s.batch * bytes);
    if (!call) return false;
    *call = s;
    call->in = heddle__task_use(p, c->in, part, HEDDLE_READ);
    for (int i = 0; i < c->n_outputs; i++)
        call->out[i] = heddle__task_use(p, c->out[i], part, HEDDLE_WRITE);
    return true;
}

/* The operand, cut along the batch's axes alone; -1: memory is gone. */
static int32_t whole_matrices(struct heddle_planner *p, int32_t at)
{
    const struct heddle_map *map;
    const int32_t from = heddle__whole_input(p, &p->values[at], 0, &map);
    if (heddle__is_uncut(p, from)) {
        const heddle_array *a = p->values[from].node;
        int64_t units[HEDDLE_MAX_NDIM] = {0};
        for (int d = 0; d < a->ndim - 2; d++) units[d] = 1;
        struct heddle_grid *grid = heddle__auto_grid(p, a->ndim, a->shape);
        if (grid) grid = heddle__grid_rounded(p, grid, units);
        return heddle__cut_leaf(p, from, grid);
    }
    const int last = p->values[from].node->ndim - 1;
    int32_t in = heddle__array_of(p, from);
    if (in >= 0) in = heddle__cut_in_units(p, in, last, 0);
    return in >= 0 ? heddle__cut_in_units(p, in, last - 1, 0) : in;
}

/* The partition of a result of that shape: the operand's along the axes of the batch. NULL: memory is gone. */
static struct heddle_grid *grid_of_result(struct heddle_planner *p, const struct heddle_grid *in,
                                          const struct heddle_shape *shape)
{
    int64_t n[HEDDLE_MAX_NDIM], whole[HEDDLE_MAX_NDIM][2];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < shape->ndim; d++) {
        const bool batch = d < in->ndim - 2;
        whole[d][0] = 0;
        whole[d][1] = shape->extent[d];
        n[d] = batch ? in->n[d] : 1;
        bounds[d] = batch ? in->bound[d] : whole[d];
    }
    struct heddle_grid *grid = heddle__grid_make(shape->ndim, shape->extent, n, bounds);
    if (grid && in->place) {
        struct heddle_grid *placed = heddle__grid_place(grid, in->n_parts, in->place);
        heddle__grid_release(grid);
        grid = placed;
    }
    if (grid) grid->asked = in->asked;
    if (!grid) p->failed = true;
    return grid;
}

bool heddle__spectral_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut c = {.family = heddle__family_of(node),
                    .params = heddle__params_of(node),
                    .dtype = (enum heddle_dtype)node->in[0]->dtype,
                    .in = whole_matrices(p, at)};
    c.n_outputs = heddle__n_outputs(c.family);
    if (c.in < 0) return false;
    struct heddle_grid *in = p->plan->arrays[c.in].grid;
    for (int i = 0; i < c.n_outputs; i++) {
        enum heddle_dtype dtype;
        struct heddle_shape shape;
        heddle__describe_output(node, i, &dtype, &shape);
        struct heddle_grid *grid = grid_of_result(p, in, &shape);
        if (!grid) return false;
        if (c.n_outputs > 1)
            heddle__make_output_array(p, at, i, dtype, grid);
        else
            heddle__make_array(p, at, grid);
        heddle__grid_release(grid);
        if (p->failed) return false;
        c.out[i] = c.n_outputs > 1 ? p->values[at].outputs[i] : p->values[at].array;
    }
    const char *name = heddle__spectral_name(c.params->operation) + sizeof "heddle_linalg";
    return heddle__cut_parts(p, c.family, name, 1, in, call_part, &c);
}
