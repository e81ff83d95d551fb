/* Elements by arrays of indices that the program reads which needs them: `x[i] * w` is one program, and x[i] is never stored.
 * Of each index an address is computed, by instructions (HEDDLE_CODE_CHECKED, HEDDLE_CODE_LOAD_AT). What is read lies in one part.
 * Else, and if other than one program read them, the family moves the elements (families/gather). Entry points: fuse.h, emit.h. */
#include "plan/fuse/emit.h"
#include "plan/fuse/fuse.h"

#include "array/storage.h"
#include "plan/cut/cut.h"

enum {
    MOST_INDICES = 2, /* arrays of them, ... */
    MOST_WALKED =
        2, /* ... and axes that no array indexes: a member has room for so many (emit_map.c) */
    LONG_RUN = 16, /* elements that CPUs copy sooner than one by one */
};

bool heddle__may_be_at_indices(const heddle_array *a)
{
    return a->kind == HEDDLE_NODE_FAMILY && heddle__family_of(a)->at_indices;
}

static bool in_runs(const heddle_array *node, const struct heddle_at_indices *params)
{
    const int last = node->ndim - 1;
    return last >= 0 && params->from[node->in[0]->ndim - 1] == last &&
           node->shape[last] >= LONG_RUN;
}

/* Whether each place would read all of the operand in any case: it is in one part, or there is one place alone. */
static bool is_in_one_part(const struct heddle_planner *p, const struct heddle_value *from)
{
    if (p->policy->n_gpus <= 1 || p->run_inline) return true;
    if (from->node->kind != HEDDLE_NODE_DATA || from->grid) return false;
    const struct heddle_grid *grid = heddle__storage_grid(from->node->storage);
    return !grid || grid->n_parts == 1;
}

bool heddle__is_at_indices(const struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *node = v->node;
    if (!heddle__may_be_at_indices(node) || !p->policy->fusion || v->materialised ||
        v->distributed || v->grid || v->group < 0)
        return false;
    const struct heddle_at_indices *params = heddle__family_of(node)->at_indices(node);
    const struct heddle_group *g = &p->groups[v->group];
    if (!params) return false;
    if (g->kind != HEDDLE_GROUP_MAP && g->kind != HEDDLE_GROUP_REDUCE) return false;
    double elements = 1;
    for (int d = 0; d < g->ndim; d++) elements *= (double)g->extent[d];
    const struct heddle_map *map;
    const struct heddle_value *from = &p->values[heddle__input(p, v, 0, &map)];
    if (elements >= 2 * (double)node->size || node->size == 0 || node->in[0]->size == 0 ||
        node->n_in - 1 > MOST_INDICES || node->in[0]->ndim - (node->n_in - 1) > MOST_WALKED ||
        heddle__may_be_at_indices(from->node) || !is_in_one_part(p, from))
        return false;
    if (from->node->kind == HEDDLE_NODE_DATA && heddle__storage_is_file(from->node->storage))
        return false; /* tasks know what they read of it */
    return p->policy->n_gpus > 0 || !in_runs(node, params);
}

int32_t heddle__read(struct heddle_planner *p, const struct heddle_value *v, int i,
                     const struct heddle_map **map)
{
    const int32_t in = heddle__input(p, v, i, map);
    if (!v->at_indices || i == 0) return in;
    const struct heddle_at_indices *params = heddle__params_of(v->node);
    const heddle_array *indices = v->node->in[i];
    struct heddle_map by = {.n = (int8_t)indices->ndim};
    for (int d = 0; d < indices->ndim; d++) {
        by.axis[d] = params->by[i - 1][d];
        by.step[d] = by.axis[d] >= 0;
    }
    const struct heddle_map *own = heddle__scratch_map(p, &by);
    *map = heddle__compose(p, *map, own);
    return in;
}

/* ---- The instructions ------------------------------------------------------------------------------- */

/* The array that is read, in one part. -1: memory is gone, or it is made later. */
static int32_t array_in_one_part(struct heddle_planner *p, int32_t at)
{
    const heddle_array *a = p->values[at].node;
    if (heddle__is_uncut(p, at))
        return heddle__cut_leaf(p, at, heddle__grid_one(a->ndim, a->shape));
    const int32_t array = heddle__array_of(p, at);
    if (array < 0 || p->plan->arrays[array].grid->n_parts == 1) return array;
    return heddle__cut_one_part(p, array);
}

static uint16_t constant(struct heddle_emission *e, int64_t x)
{
    return heddle__build_constant(&e->b, heddle__plan_literal(e->p, x), HEDDLE_INT64);
}

/* The index along axis d of the operand: one of an array, which is checked, or the result's along the axis that walks it. */
static uint16_t index_along(struct heddle_emission *e, const struct heddle_value *v, int d,
                            const struct heddle_map *context)
{
    const heddle_array *node = v->node;
    const struct heddle_at_indices *params = heddle__params_of(node);
    for (int k = 0; k < node->n_in - 1; k++) {
        if (params->axis[k] != d) continue;
        const struct heddle_map *map;
        const int32_t in = heddle__read(e->p, v, 1 + k, &map);
        const uint16_t index = heddle__fetch(e, in, heddle__compose(e->p, map, context));
        return heddle__build_checked(&e->b, index, constant(e, node->in[0]->shape[d]),
                                     (enum heddle_dtype)node->in[1 + k]->dtype, params->name);
    }
    const struct heddle_map walk = {.n = 1, .axis = {params->from[d]}, .step = {1}};
    const struct heddle_map *own = heddle__scratch_map(e->p, &walk);
    return own ? heddle__fetch_index(e, heddle__compose(e->p, own, context)) : 0;
}

uint16_t heddle__emit_at_indices(struct heddle_emission *e, const struct heddle_value *v,
                                 const struct heddle_map *context)
{
    struct heddle_planner *p = e->p;
    const struct heddle_at_indices *params = heddle__params_of(v->node);
    const struct heddle_map *view;
    const int32_t from = heddle__whole_input(p, v, 0, &view);
    const heddle_array *base = p->values[from].node;
    const int32_t array = array_in_one_part(p, from);
    if (array < 0) {
        p->is_out_of_order = !p->failed;
        p->failed = true;
        return 0;
    }
    int64_t along[HEDDLE_MAX_NDIM] = {
        0}; /* elements from one index of the operand's axis to the next */
    int64_t next = 1;
    struct heddle_map first = {.n = (int8_t)base->ndim};
    for (int d = base->ndim - 1; d >= 0; d--) {
        const int axis = view ? view->axis[d] : d;
        if (axis >= 0) along[axis] += next * (view ? view->step[d] : 1);
        first.axis[d] = -1;
        first.offset[d] = view ? view->offset[d] : 0;
        next *= base->shape[d];
    }
    const int add = HEDDLE_OP_ADD, multiply = HEDDLE_OP_MULTIPLY;
    bool some = false;
    uint16_t place = 0;
    for (int d = 0; d < v->node->in[0]->ndim && !p->failed; d++) {
        const bool walked = params->from[d] >= 0;
        if (walked && (along[d] == 0 || v->node->in[0]->shape[d] == 1)) continue;
        uint16_t i = index_along(e, v, d, context);
        if (along[d] != 1)
            i = heddle__build_op(&e->b, multiply, HEDDLE_INT64, HEDDLE_INT64, i,
                                 constant(e, along[d]), 0);
        place = some ? heddle__build_op(&e->b, add, HEDDLE_INT64, HEDDLE_INT64, place, i, 0) : i;
        some = true;
    }
    return p->failed ? 0
                     : heddle__build_load_at(&e->b, array, (enum heddle_dtype)v->node->dtype,
                                             &first, place);
}
