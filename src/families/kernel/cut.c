/* Kernels from text to tasks: one for each part of the result, with the whole of what is not cut like it. Entry point:
 * heddle__kernel_cut. */
#include "families/kernel/text_kernel.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"

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

/* ---- Rows ------------------------------------------------------------------------------------------------ */

/* Along their first axes: one index of the result for each of the argument, if that has several rows; else `step` for each
 * block. */
static struct kernel_rows first_axes(const struct cut *s)
{
    const struct kernel_rows *const rows = &s->params->rows;
    return s->node->ndim > 1 ? (struct kernel_rows){.block = 1, .step = 1} : *rows;
}

/* The partition of the result that an argument read by rows suggests: cut between rows, or blocks, alone. */
static struct heddle_grid *grid_by_rows(struct heddle_planner *p, const struct cut *s,
                                        const struct heddle_grid *like)
{
    const struct kernel_rows first = first_axes(s);
    int64_t *const bounds =
        heddle__arena_alloc(&p->scratch, (size_t)(like->n[0] + 1) * sizeof *bounds);
    int64_t n[HEDDLE_MAX_NDIM], last = 0, count = 0;
    const int64_t *all[HEDDLE_MAX_NDIM];
    struct heddle_map map = {.n = (int8_t)like->ndim};
    if (!bounds) return NULL;
    for (int64_t k = 1; k < like->n[0]; k++) {
        const int64_t at = (like->bound[0][k] + first.block / 2) / first.block * first.step;
        if (at > last && at < s->node->shape[0]) bounds[++count] = last = at;
    }
    bounds[0] = 0;
    bounds[++count] = s->node->shape[0];
    for (int d = 0; d < s->node->ndim; d++) {
        int64_t *const whole = heddle__arena_alloc(&p->scratch, 2 * sizeof *whole);
        if (!whole) return NULL;
        whole[1] = s->node->shape[d];
        n[d] = d == 0 ? count : 1;
        all[d] = d == 0 ? bounds : whole;
    }
    for (int d = 0; d < like->ndim; d++) map.axis[d] = d == 0 ? 0 : -1;
    map.step[0] = first.block / first.step;
    struct heddle_grid *const grid = heddle__grid_placed_as(
        p, heddle__grid_make(s->node->ndim, s->node->shape, n, all), like, &map);
    if (grid) grid->asked = like->asked;
    return grid;
}

/* That of the argument in which each part has what a part of the result is made of. */
static struct heddle_grid *grid_of_rows(struct heddle_planner *p, const struct cut *s,
                                        const struct heddle_grid *argument,
                                        const struct heddle_grid *grid)
{
    const struct kernel_rows first = first_axes(s);
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *all[HEDDLE_MAX_NDIM];
    for (int d = 0; d < argument->ndim; d++) {
        const int64_t count = n[d] = d == 0 ? grid->n[0] : 1;
        int64_t *const bounds =
            heddle__arena_alloc(&p->scratch, (size_t)(count + 1) * sizeof *bounds);
        if (!bounds) return NULL;
        for (int64_t k = 0; k < count && d == 0; k++)
            bounds[k] = grid->bound[0][k] / first.step * first.block;
        bounds[count] = argument->shape[d];
        all[d] = bounds;
    }
    struct heddle_grid *const cut = heddle__grid_make(argument->ndim, argument->shape, n, all);
    if (!cut || !grid->place) return cut;
    struct heddle_grid *const placed = heddle__grid_place(cut, grid->n_parts, grid->place);
    heddle__grid_release(cut);
    return placed;
}

/* ---- Calls ----------------------------------------------------------------------------------------------- */

static bool is_cut(const struct cut *s, int i)
{
    return s->params->mode[i] == KERNEL_ALIGNED || s->params->mode[i] == KERNEL_ROWS;
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

/* The numbers of the rows, and where the part of the argument is in it. */
static void place_rows(const struct heddle_planner *p, const struct cut *s, int i, int64_t part,
                       struct heddle_kernel_part *call)
{
    const struct heddle_array *const a = s->node->in[i];
    const struct heddle_box box = heddle__grid_part(grid_of(p, s->arrays[i]), part);
    call->shape[i][0] = s->params->rows.length;
    call->shape[i][1] = s->params->rows.block;
    call->shape[i][2] = s->params->rows.step;
    call->rows_size = a->size;
    call->rows_before = a->size / a->shape[0] * box.lo[0];
}

static void parameter(const struct heddle_planner *p, const struct cut *s, int i, int64_t part,
                      struct heddle_kernel_part *call)
{
    const heddle_array *const a = i < s->n_in ? s->node->in[i] : s->node;
    if (s->params->mode[i] == KERNEL_BROADCAST) strides(a, s->node, call->shape[i]);
    if (s->params->mode[i] == KERNEL_ROWS) place_rows(p, s, i, part, call);
    if (s->params->mode[i] == KERNEL_RAW)
        for (int d = 0; d < a->ndim; d++) call->shape[i][d] = a->shape[d];
}

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    double bytes = 0;
    for (int i = 0; i < s->n_in + s->n_out; i++)
        if (s->arrays[i] >= 0) bytes += bytes_of(p, s->arrays[i], is_cut(s, i) ? part : 0);
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
        parameter(p, s, i, part, call);
        if (s->arrays[i] < 0) continue; /* any address will do */
        call->buffer[i] = heddle__task_use(p, s->arrays[i], is_cut(s, i) ? part : 0,
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
    const struct heddle_demand demand = {.flops = (double)s->node->size * (double)s->params->steps};
    for (int i = s->n_in; i < s->n_in + s->n_out; i++)
        if (s->params->mode[i] == KERNEL_RAW)
            return heddle__grid_one(s->node->ndim, s->node->shape);
    for (int i = 0; i < s->n_in; i++) {
        if (!is_cut(s, i)) continue;
        const struct heddle_grid *const like = grid_of(p, s->arrays[i]);
        if (s->params->mode[i] == KERNEL_ROWS) return grid_by_rows(p, s, like);
        if (like->n_parts == 1 && !like->asked && heddle__is_worth_computing(p->policy, &demand))
            break; /* what is in one part is sent to where it is computed */
        struct heddle_grid *const grid = heddle__grid_beside(like, -1, NULL);
        if (grid) grid->asked = like->asked;
        return grid;
    }
    return heddle__auto_grid_of(p, s->node->ndim, s->node->shape, &demand);
}

/* Arrays of the arguments that are cut like the result, or of the others, which are in one part. Those first, so that an
 * array which is both is cut. */
static bool find_inputs(struct heddle_planner *p, int32_t at, struct cut *s, bool cut)
{
    for (int i = 0; i < s->n_in; i++) {
        const struct heddle_map *map;
        if (is_cut(s, i) != cut) continue;
        s->arrays[i] = -1;
        if (s->node->in[i]->size == 0) continue; /* a raw one, of which nothing is read */
        const int32_t from = heddle__whole_input(p, &p->values[at], i, &map);
        s->arrays[i] = cut ? heddle__array_of(p, from) : whole(p, from);
        if (s->arrays[i] < 0) return false;
    }
    return true;
}

static bool fit_inputs(struct heddle_planner *p, struct cut *s, const struct heddle_grid *grid)
{
    for (int i = 0; i < s->n_in; i++) {
        if (!is_cut(s, i)) continue;
        const struct heddle_grid *const has = grid_of(p, s->arrays[i]);
        struct heddle_grid *const wanted = s->params->mode[i] == KERNEL_ROWS
                                               ? grid_of_rows(p, s, has, grid)
                                               : heddle__grid_beside(grid, -1, NULL);
        if (!wanted) return false;
        if (heddle__grid_same_cuts(wanted, has))
            heddle__grid_release(wanted);
        else if ((s->arrays[i] = heddle__cut_copy(p, s->arrays[i], wanted)) < 0)
            return false;
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
