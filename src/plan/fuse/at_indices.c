/* Elements by arrays of indices that the program reads which needs them: `x[i] * w` is one program, and x[i] is never stored.
 * Of each index an address is computed, by instructions (HEDDLE_CODE_CHECKED, HEDDLE_CODE_LOAD_AT). What is read lies in one part.
 * Else, and if other than one program read them, the family moves the elements (families/gather). Entry points: fuse.h, emit.h. */
#include "plan/fuse/emit.h"
#include "plan/fuse/fuse.h"

#include "array/storage.h"
#include "plan/cut/cut.h"

enum {
    MOST_INDICES = 2,      /* arrays of them, ... */
    MOST_WALKED = 2,       /* ... and other axes: a member has room for so many (emit_map.c) */
    MOST_SOURCES = 4,      /* arrays that elements are computed of where they are taken, ... */
    MOST_INSTRS = 16,      /* ... by so many operations */
    SMALL_BYTES = 1 << 20, /* of an operand that may as well be brought together */
    LONG_RUN = 4,          /* elements that CPUs copy sooner than one by one */
    VECTOR_BYTES = 16,     /* runs of which the family moves by vectors on GPUs */
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

/* Whether each place would read all of the operand in any case, or may well: it is in one part or small, or there is one place alone. */
static bool is_in_one_part(const struct heddle_planner *p, const struct heddle_value *from)
{
    if (p->policy->n_gpus <= 1 || p->run_inline) return true;
    if ((double)from->node->size * (double)heddle_dtype_size(from->node->dtype) <= SMALL_BYTES)
        return true;
    if (from->node->kind != HEDDLE_NODE_DATA || from->grid) return false;
    const struct heddle_grid *grid = heddle__storage_grid(from->node->storage);
    return !grid || grid->n_parts == 1;
}

/* Whether a program may read elements of it anywhere: tasks say what they read of a file, and what indices took may be
 * seen where it was, in another order. */
static bool is_readable(const struct heddle_planner *p, const struct heddle_value *from)
{
    return is_in_one_part(p, from) && !heddle__may_be_at_indices(from->node) &&
           !(from->node->kind == HEDDLE_NODE_DATA && heddle__storage_is_file(from->node->storage));
}

/* What elements of an operand are computed of, where they are taken. */
struct sources {
    int n;
    unsigned axes; /* of the operand: bit d: it matters which index along axis d is taken */
    bool fit;
};

/* `map`: from the operand's axes. */
static void add_sources(struct heddle_planner *p, int32_t at, const struct heddle_map *map,
                        struct sources *s)
{
    const struct heddle_value *v = &p->values[at];
    if (v->node->kind == HEDDLE_NODE_CONSTANT || !s->fit) return;
    if (heddle__is_elementwise(v->node) && !v->materialised) {
        s->fit = !v->distributed && !v->grid;
        for (int i = 0; i < v->node->n_in && s->fit; i++) {
            const struct heddle_map *inner;
            const int32_t in = heddle__input(p, v, i, &inner);
            add_sources(p, in, heddle__compose(p, inner, map), s);
        }
        return;
    }
    const int n = map ? map->n : v->node->ndim;
    for (int d = 0; d < n; d++)
        if (!map || map->axis[d] >= 0) s->axes |= 1u << (map ? map->axis[d] : d);
    if (v->node->kind == HEDDLE_NODE_INDEX) return;
    s->n++;
    s->fit = s->n <= MOST_SOURCES && is_readable(p, v);
}

bool heddle__computes_at(struct heddle_planner *p, const struct heddle_value *v)
{
    const struct heddle_at_indices *params = heddle__params_of(v->node);
    const struct heddle_map *view;
    const int32_t at = heddle__input(p, v, 0, &view);
    const struct heddle_value *from = &p->values[at];
    struct sources s = {.fit = true};
    if (!heddle__is_elementwise(from->node) || from->materialised ||
        v->node->size > from->node->size || from->room.instrs > MOST_INSTRS)
        return false;
    add_sources(p, at, view, &s);
    for (int k = 0; k < v->node->n_in - 1; k++) s.fit &= s.axes >> params->axis[k] & 1;
    return s.fit && !p->failed;
}

struct heddle_room heddle__room_at_indices(const struct heddle_planner *p,
                                           const struct heddle_value *v)
{
    enum { AXES = MOST_INDICES + MOST_WALKED };
    const struct heddle_map *map;
    if (!v->at_indices) return (struct heddle_room){0, 0, 0};
    const struct heddle_value *from = &p->values[heddle__input(p, v, 0, &map)];
    if (!from->at_places || from->materialised) return (struct heddle_room){0, 0, 0};
    return (struct heddle_room){(uint16_t)(MOST_INSTRS + MOST_SOURCES * 2 * AXES), MOST_SOURCES,
                                (uint16_t)(from->room.constants + MOST_SOURCES * AXES)};
}

/* Whether a program of its own had better store what is taken than the family: its kernel computes indices where it reads them, on CPUs if each
 * is read once; on GPUs it knows extents and strides, too. */
static bool is_program_alone(struct heddle_planner *p, const struct heddle_value *v,
                             const struct heddle_at_indices *params)
{
    const heddle_array *node = v->node;
    const int last = node->ndim - 1;
    const bool on_gpus = p->policy->n_gpus > 0 && !p->run_inline;
    for (int i = 1; i < node->n_in; i++) {
        const struct heddle_map *map;
        const struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
        if (heddle__is_elementwise(in->node) && !in->materialised &&
            (on_gpus || node->in[i]->size == node->size))
            return true;
    }
    const int64_t run =
        last >= 0 && params->from[node->in[0]->ndim - 1] == last ? node->shape[last] : 1;
    return on_gpus &&
           run * (int64_t)heddle_dtype_size((enum heddle_dtype)node->dtype) % VECTOR_BYTES != 0;
}

/* Whether a program can: it has room for the indices, and what is taken of is read or computed. */
static bool fits_program(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *node = v->node;
    const struct heddle_map *map;
    const struct heddle_value *from = &p->values[heddle__input(p, v, 0, &map)];
    return node->size > 0 && node->in[0]->size > 0 && node->n_in - 1 <= MOST_INDICES &&
           node->in[0]->ndim - (node->n_in - 1) <= MOST_WALKED &&
           (is_readable(p, from) || heddle__computes_at(p, v));
}

bool heddle__is_at_indices(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *node = v->node;
    if (!heddle__may_be_at_indices(node) || !p->policy->fusion || v->distributed || v->grid)
        return false;
    const struct heddle_at_indices *params = heddle__family_of(node)->at_indices(node);
    if (!params) return false;
    if (v->materialised || v->group < 0)
        return is_program_alone(p, v, params) && fits_program(p, v);
    const struct heddle_group *g = &p->groups[v->group];
    if (g->kind != HEDDLE_GROUP_MAP && g->kind != HEDDLE_GROUP_REDUCE) return false;
    double elements = 1;
    for (int d = 0; d < g->ndim; d++) elements *= (double)g->extent[d];
    return elements < 2 * (double)node->size && fits_program(p, v) &&
           (p->policy->n_gpus > 0 || !in_runs(node, params));
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

/* The indices along the operand's axes, as instructions, or -1 until they are needed: of an array, checked, or the result's along the
 * axis that walks it. */
struct indices {
    const struct heddle_value *v;
    const struct heddle_map *context;
    /* Elements are read from one array, by all indices. Of computed ones each array is read by the indices along its own axes, and
     * together they have all. */
    bool is_one_load;
    int32_t instr[HEDDLE_MAX_NDIM];
};

static uint16_t index_of_array(struct heddle_emission *e, const struct indices *at, int d, int k)
{
    const heddle_array *node = at->v->node;
    const struct heddle_at_indices *params = heddle__params_of(node);
    const struct heddle_map *map;
    const int32_t in = heddle__read(e->p, at->v, 1 + k, &map);
    const uint16_t index = heddle__fetch(e, in, heddle__compose(e->p, map, at->context));
    return heddle__build_checked(&e->b, index, constant(e, node->in[0]->shape[d]),
                                 (enum heddle_dtype)node->in[1 + k]->dtype, params->name,
                                 node->in[0]->shape[d] <= INT32_MAX);
}

static uint16_t index_along(struct heddle_emission *e, struct indices *at, int d)
{
    const struct heddle_at_indices *params = heddle__params_of(at->v->node);
    for (int k = 0; k < at->v->node->n_in - 1 && at->instr[d] < 0; k++)
        if (params->axis[k] == d) at->instr[d] = index_of_array(e, at, d, k);
    if (at->instr[d] >= 0) return (uint16_t)at->instr[d];
    const struct heddle_map walk = {.n = 1, .axis = {params->from[d]}, .step = {1}};
    const struct heddle_map *own = heddle__scratch_map(e->p, &walk);
    if (!own) return 0;
    at->instr[d] = heddle__fetch_index(e, heddle__compose(e->p, own, at->context));
    return (uint16_t)at->instr[d];
}

/* x * by + plus; plus < 0: there is none. */
static uint16_t scaled(struct heddle_emission *e, uint16_t x, int64_t by, int32_t plus)
{
    const enum heddle_dtype dtype = HEDDLE_INT64;
    if (by != 1)
        x = heddle__build_op(&e->b, HEDDLE_OP_MULTIPLY, dtype, dtype, x, constant(e, by), 0);
    return plus < 0 ? x
                    : heddle__build_op(&e->b, HEDDLE_OP_ADD, dtype, dtype, (uint16_t)plus, x, 0);
}

/* The element of array `from`, read by `map` from the operand's axes. */
static uint16_t load_at(struct heddle_emission *e, int32_t from, const struct heddle_map *map,
                        struct indices *at)
{
    struct heddle_planner *p = e->p;
    const struct heddle_at_indices *params = heddle__params_of(at->v->node);
    const heddle_array *base = p->values[from].node;
    const int32_t array = array_in_one_part(p, from);
    if (array < 0) {
        p->is_out_of_order = !p->failed;
        p->failed = true;
        return 0;
    }
    /* along: elements from one index of the operand's axis to the next */
    int64_t along[HEDDLE_MAX_NDIM] = {0}, next = 1;
    bool moves[HEDDLE_MAX_NDIM];
    struct heddle_map first = {.n = (int8_t)base->ndim};
    for (int d = 0; d < at->v->node->in[0]->ndim; d++)
        moves[d] = at->is_one_load && params->from[d] < 0; /* all indices are checked */
    for (int d = base->ndim - 1; d >= 0; d--) {
        const int axis = map ? map->axis[d] : d;
        if (axis >= 0) {
            along[axis] += next * (map ? map->step[d] : 1);
            moves[axis] = params->from[axis] < 0 || base->shape[d] > 1;
        }
        first.axis[d] = -1;
        first.offset[d] = map ? map->offset[d] : 0;
        next *= base->shape[d];
    }
    int32_t place = -1;
    for (int d = 0; d < at->v->node->in[0]->ndim && !p->failed; d++)
        if (moves[d]) place = scaled(e, index_along(e, at, d), along[d], place);
    if (place < 0) place = constant(e, 0);
    return p->failed ? 0
                     : heddle__build_load_at(&e->b, array, (enum heddle_dtype)base->dtype, &first,
                                             (uint16_t)place, base->size <= INT32_MAX);
}

static uint16_t fetch_at(struct heddle_emission *e, int32_t from, const struct heddle_map *map,
                         struct indices *at)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[from];
    const heddle_array *a = v->node;
    if (a->kind == HEDDLE_NODE_CONSTANT && !v->materialised)
        return heddle__build_constant(&e->b, (uint32_t)v->constant, (enum heddle_dtype)a->dtype);
    if (a->kind == HEDDLE_NODE_INDEX && !v->materialised) {
        const int axis = map ? map->axis[0] : 0;
        const int64_t offset = map ? map->offset[0] : 0;
        if (axis < 0) return constant(e, offset);
        return scaled(e, index_along(e, at, axis), map ? map->step[0] : 1,
                      offset ? (int32_t)constant(e, offset) : -1);
    }
    if (!v->at_places || v->materialised) return load_at(e, from, map, at);
    uint16_t x[3] = {0, 0, 0};
    for (int i = 0; i < a->n_in && !p->failed; i++) {
        const struct heddle_map *inner;
        const int32_t in = heddle__input(p, v, i, &inner);
        x[i] = fetch_at(e, in, heddle__compose(p, inner, map), at);
    }
    return heddle__build_elementwise(&e->b, a, x);
}

uint16_t heddle__emit_at_indices(struct heddle_emission *e, const struct heddle_value *v,
                                 const struct heddle_map *context)
{
    struct indices at = {.v = v, .context = context};
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) at.instr[d] = -1;
    const struct heddle_map *view;
    const int32_t from = heddle__whole_input(e->p, v, 0, &view);
    const struct heddle_value *source = &e->p->values[from];
    at.is_one_load = !source->at_places || source->materialised;
    return fetch_at(e, from, view, &at);
}
