/* Kernels from text to tasks: one for each part of the result, with the whole of what is not cut like it. Entry point:
 * heddle__kernel_cut. */
#include "families/kernel/text_kernel.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    const heddle_array *node;
    const struct heddle_kernel_params *params;
    int32_t object, n_in, n_out;
    const struct heddle_grid *grid;
    int32_t arrays[KERNEL_MAX_PARAMETERS];
};

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* Strides of a whole array along the result's axes: 0 where it is broadcast. */
static void strides(const heddle_array *a, const heddle_array *result, int64_t out[])
{
    int64_t stride = 1;
    for (int d = 0; d < result->ndim; d++) out[d] = 0;
    for (int d = a->ndim - 1; d >= 0; d--) {
        out[result->ndim - a->ndim + d] = a->shape[d] == 1 ? 0 : stride;
        stride *= a->shape[d];
    }
}

static double bytes_of(const struct heddle_planner *p, int32_t array, int64_t part)
{
    return (double)heddle__grid_part_size(grid_of(p, array), part) *
           (double)p->plan->arrays[array].element_bytes;
}

static void geometry(const struct cut *s, int64_t part, struct heddle_kernel_part *call)
{
    const struct heddle_box box = heddle__grid_part(s->grid, part);
    int64_t first = 0, weight = 1;
    call->n = s->node->size;
    call->size = heddle__box_size(&box, s->grid->ndim);
    for (int d = s->grid->ndim - 1; d >= 0; d--) {
        call->lo[d] = box.lo[d];
        call->extent[d] = box.hi[d] - box.lo[d];
        call->weight[d] = weight;
        weight *= s->grid->shape[d];
    }
    call->first = heddle__grid_part_contiguous(s->grid, part, &first) ? first : -1;
}

static void parameter(const struct cut *s, int i, struct heddle_kernel_part *call)
{
    const heddle_array *const a = i < s->n_in ? s->node->in[i] : s->node;
    if (s->params->mode[i] == KERNEL_BROADCAST) strides(a, s->node, call->shape[i]);
    if (s->params->mode[i] == KERNEL_RAW)
        for (int d = 0; d < a->ndim; d++) call->shape[i][d] = a->shape[d];
}

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    double bytes = 0;
    for (int i = 0; i < s->n_in + s->n_out; i++)
        if (s->arrays[i] >= 0)
            bytes += bytes_of(p, s->arrays[i], s->params->mode[i] == KERNEL_ALIGNED ? part : 0);
    const double size = (double)heddle__grid_part_size(s->grid, part);
    struct heddle_kernel_part *const call = heddle__task_call(
        p, heddle__family_of(s->node), sizeof *call, size * (double)s->params->steps, bytes);
    if (!call) return false;
    call->program = s->object;
    call->text = s->params->text;
    call->steps = (double)s->params->steps;
    call->n_parameters = s->n_in + s->n_out;
    geometry(s, part, call);
    for (int i = 0; i < s->n_in + s->n_out; i++) {
        const bool aligned = s->params->mode[i] == KERNEL_ALIGNED;
        parameter(s, i, call);
        if (s->arrays[i] < 0) continue; /* any address will do */
        call->buffer[i] = heddle__task_use(p, s->arrays[i], aligned ? part : 0,
                                           i < s->n_in ? HEDDLE_READ : HEDDLE_WRITE);
    }
    return true;
}

/* A whole argument in one part. */
static int32_t whole(struct heddle_planner *p, int32_t at)
{
    if (heddle__is_uncut(p, at)) {
        const heddle_array *a = p->values[at].node;
        return heddle__cut_leaf(p, at, heddle__grid_one(a->ndim, a->shape));
    }
    const int32_t array = heddle__array_of(p, at);
    return array < 0 ? array : heddle__cut_one_part(p, array);
}

/* The partition of the result: one part if its elements are written by index, else that of the first argument that is cut
 * like it. */
static struct heddle_grid *choose(struct heddle_planner *p, const struct cut *s)
{
    for (int i = s->n_in; i < s->n_in + s->n_out; i++)
        if (s->params->mode[i] == KERNEL_RAW)
            return heddle__grid_one(s->node->ndim, s->node->shape);
    for (int i = 0; i < s->n_in; i++) {
        if (s->params->mode[i] != KERNEL_ALIGNED) continue;
        const struct heddle_grid *const like = grid_of(p, s->arrays[i]);
        struct heddle_grid *const grid = heddle__grid_beside(like, -1, NULL);
        if (grid) grid->asked = like->asked;
        return grid;
    }
    const struct heddle_demand demand = {.flops = (double)s->node->size * (double)s->params->steps};
    return heddle__auto_grid_of(p, s->node->ndim, s->node->shape, &demand);
}

/* Arrays of the arguments that are cut like the result, or of the others, which are in one part. Those first, so that an
 * array which is both is cut. */
static bool find_inputs(struct heddle_planner *p, int32_t at, struct cut *s, bool aligned)
{
    for (int i = 0; i < s->n_in; i++) {
        const struct heddle_map *map;
        if ((s->params->mode[i] == KERNEL_ALIGNED) != aligned) continue;
        s->arrays[i] = -1;
        if (s->node->in[i]->size == 0) continue; /* a raw one, of which nothing is read */
        const int32_t from = heddle__whole_input(p, &p->values[at], i, &map);
        s->arrays[i] = aligned ? heddle__array_of(p, from) : whole(p, from);
        if (s->arrays[i] < 0) return false;
    }
    return true;
}

static bool fit_inputs(struct heddle_planner *p, struct cut *s, const struct heddle_grid *grid)
{
    for (int i = 0; i < s->n_in; i++) {
        if (s->params->mode[i] != KERNEL_ALIGNED ||
            heddle__grid_same_cuts(grid, grid_of(p, s->arrays[i])))
            continue;
        s->arrays[i] = heddle__cut_copy(p, s->arrays[i], heddle__grid_beside(grid, -1, NULL));
        if (s->arrays[i] < 0) return false;
    }
    return true;
}

static bool make_outputs(struct heddle_planner *p, int32_t at, struct cut *s,
                         struct heddle_grid *grid)
{
    for (int i = 0; i < s->n_out; i++) {
        if (s->n_out == 1)
            heddle__make_array(p, at, grid);
        else
            heddle__make_output_array(p, at, i, (enum heddle_dtype)s->params->dtype[i], grid);
        if (p->failed) return false;
        s->arrays[s->n_in + i] = s->n_out == 1 ? p->values[at].array : p->values[at].outputs[i];
    }
    return true;
}

bool heddle__kernel_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *const node = p->values[at].node;
    struct cut s = {.node = node,
                    .params = heddle__params_of(node),
                    .object = p->values[at].object,
                    .n_in = node->n_in,
                    .n_out = heddle__n_outputs(heddle__family_of(node))};
    if (!find_inputs(p, at, &s, true) || !find_inputs(p, at, &s, false)) return false;
    struct heddle_grid *const grid = choose(p, &s);
    if (!grid) return false;
    const bool made = fit_inputs(p, &s, grid) && make_outputs(p, at, &s, grid);
    heddle__grid_release(grid);
    if (!made) return false;
    s.grid = grid_of(p, s.arrays[s.n_in]);
    return heddle__cut_parts(p, heddle__family_of(node), "kernel", 1, s.grid, call_part, &s);
}
