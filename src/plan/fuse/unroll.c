/* Reductions of a few elements that the one reduction or two which read them compute themselves: `min(sum(d * d, axis=2), axis=1)` of
 * points is one program, and their distances are never stored. Their elements are operations one after the other, in
 * the order of reduce_tree.h. Entry points: fuse.h, emit.h. */
#include "plan/fuse/emit.h"
#include "plan/fuse/fuse.h"

#include "graph/components.h"
#include "reduce_tree.h"

enum {
    MOST_INSTRS = 128, /* of a program, for all that its reductions unroll */
    MOST_LOADS = 12,   /* the rest of its operands are for its own members */
    MOST_CONSTANTS = 32,
    MOST_VISITED = 32,   /* operations of an element */
    MOST_RUN_BYTES = 32, /* of elements beside each other, each of which is a load of its own */
};

static int64_t n_elements(const heddle_array *reduce)
{
    int64_t n = 1;
    for (int d = 0; d < reduce->in[0]->ndim; d++)
        if (reduce->axes >> d & 1) n *= reduce->in[0]->shape[d];
    return n;
}

/* ---- What an element takes ------------------------------------------------------------------------- */

struct visit {
    int32_t at;
    const struct heddle_map *map; /* from the space that is reduced */
};

struct element {
    struct visit visits[MOST_VISITED]; /* different ones */
    int n;
    struct heddle_room room;
    double bytes; /* of the arrays that it loads from */
};

static bool is_new(const struct element *e, int32_t at, const struct heddle_map *map)
{
    for (int i = 0; i < e->n; i++)
        if (e->visits[i].at == at && heddle__maps_equal(e->visits[i].map, map)) return false;
    return true;
}

/* Adds a value that an element is made of, and its operands. False: they are too many, or memory is gone. */
static bool add_value(struct heddle_planner *p, struct element *e, int32_t at,
                      const struct heddle_map *map)
{
    if (!is_new(e, at, map)) return true;
    if (e->n == MOST_VISITED) return false;
    e->visits[e->n++] = (struct visit){at, map};
    const struct heddle_value *v = &p->values[at];
    const heddle_array *a = v->node;
    const bool computed =
        heddle__is_elementwise(a) && !v->materialised && !v->distributed && !v->grid;
    if (!computed) {
        const struct heddle_room room =
            heddle__is_elementwise(a) ? (struct heddle_room){1, 1, 0} : heddle__room_of(v);
        heddle__add_room(&e->room, &room);
        if (room.loads) e->bytes += (double)a->size * (double)heddle_dtype_size(a->dtype);
        return true;
    }
    e->room.instrs++;
    for (int i = 0; i < a->n_in; i++) {
        const struct heddle_map *inner;
        const int32_t in = heddle__input(p, v, i, &inner);
        if (!add_value(p, e, in, heddle__compose(p, inner, map))) return false;
    }
    return !p->failed;
}

/* Whether elements lie so that a thread may load each by itself: far apart, or few bytes beside each other. */
static bool lie_well(const heddle_array *in, uint8_t axes, int64_t n)
{
    for (int d = in->ndim - 1; d >= 0; d--)
        if (in->shape[d] > 1 && !(axes >> d & 1))
            return true;
        else if (axes >> d & 1)
            break;
    return n * (int64_t)heddle_dtype_size(in->dtype) <= MOST_RUN_BYTES;
}

/* Whether a program has room for `n` elements. */
static bool has_room_in(const struct heddle_group *g, const struct heddle_room *element, int64_t n)
{
    return g->kind == HEDDLE_GROUP_REDUCE &&
           n * (element->instrs + 1) + g->unrolled.instrs <= MOST_INSTRS &&
           n * element->loads + g->unrolled.loads <= MOST_LOADS &&
           n * element->constants + g->unrolled.constants <= MOST_CONSTANTS;
}

bool heddle__unrolls(struct heddle_planner *p, struct heddle_value *v)
{
    if (!p->policy->fusion || v->materialised || v->distributed || v->grid || v->broadcast ||
        v->n_groups < 1 || v->n_groups > 2)
        return false;
    struct heddle_group *const last = &p->groups[v->last_reader],
                               *const other =
                                   v->n_groups == 2 ? &p->groups[v->earlier_reader] : NULL;
    const int64_t n = n_elements(v->node);
    if (n > HEDDLE_TREE_SHORT ||
        heddle__combining((enum heddle_reduction)v->node->op) == HEDDLE_OP_NONE)
        return false;
    struct element e = {.n = 0};
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    if (!add_value(p, &e, in, map)) return false;
    if (!has_room_in(last, &e.room, n) || (other && !has_room_in(other, &e.room, n))) return false;
    const double own = (double)v->node->size * (double)heddle_dtype_size(v->node->dtype);
    if (e.bytes > own && !lie_well(v->node->in[0], v->node->axes, n)) return false;
    const struct heddle_room room = {(uint16_t)(n * (e.room.instrs + 1)),
                                     (uint16_t)(n * e.room.loads),
                                     (uint16_t)(n * e.room.constants)};
    if (other &&
        !heddle__is_cheap_again(p, v, (double)n * (v->cost + 1), room.loads, e.bytes, e.bytes))
        return false;
    v->room = room;
    heddle__add_room(&last->unrolled, &room);
    if (other) heddle__add_room(&other->unrolled, &room);
    return true;
}

/* ---- The instructions ------------------------------------------------------------------------------- */

/* The map from a reduction's results to the elements at `index` of the reduced axes. */
static struct heddle_map element_map(const heddle_array *reduce, const int64_t *index)
{
    const heddle_array *in = reduce->in[0];
    struct heddle_map m = {.n = (int8_t)in->ndim};
    int8_t kept = 0;
    for (int d = 0; d < in->ndim; d++) {
        const bool reduced = reduce->axes >> d & 1;
        m.axis[d] = reduced ? -1 : kept++;
        m.offset[d] = reduced ? index[d] : 0;
        m.step[d] = reduced ? 0 : 1;
    }
    return m;
}

uint16_t heddle__emit_unrolled(struct heddle_emission *e, const struct heddle_value *v,
                               const struct heddle_map *context)
{
    struct heddle_planner *p = e->p;
    const heddle_array *a = v->node;
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    int64_t index[HEDDLE_MAX_NDIM] = {0};
    uint16_t total = 0;
    for (int64_t k = 0, n = n_elements(a); k < n && !p->failed; k++) {
        int64_t rest = k;
        for (int d = a->in[0]->ndim - 1; d >= 0; d--) {
            if (!(a->axes >> d & 1)) continue;
            index[d] = rest % a->in[0]->shape[d];
            rest /= a->in[0]->shape[d];
        }
        const struct heddle_map at = element_map(a, index);
        const struct heddle_map *own = heddle__scratch_map(p, &at);
        if (!own) return 0;
        const uint16_t x =
            heddle__fetch(e, in, heddle__compose(p, map, heddle__compose(p, own, context)));
        total = k == 0
                    ? x
                    : heddle__build_op(&e->b, (int)heddle__combining((enum heddle_reduction)a->op),
                                       dtype, dtype, total, x, 0);
    }
    return total;
}
