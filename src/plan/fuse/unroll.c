/* Reductions of a few elements as operations one after the other, in the order of reduce_tree.h. The one reduction or two which read
 * them compute them: `min(sum(d * d, axis=2), axis=1)` of points is one program, and their distances are never stored. So does
 * elementwise work, and one that is asked for is itself elementwise work on its elements: `sum(a * b, axis=1)` of points
 * reads columns of records. Entry points: fuse.h, emit.h. */
#include "plan/fuse/emit.h"
#include "plan/fuse/fuse.h"

#include "graph/components.h"
#include "reduce_tree.h"

enum {
    MOST_INSTRS = 128, /* of a program, for all that its reductions unroll */
    MOST_LOADS = 12,   /* of one reduction, ... */
    MOST_OF_ALL =
        20, /* ... and of all; the rest of the program's operands are for its own members */
    MOST_CONSTANTS = 32,
    MOST_VISITED = 32,   /* operations of an element */
    MOST_RUN_BYTES = 32, /* of elements beside each other, each of which is a load of its own */
};
/* The same of one that elementwise work computes: a member has up to three such operands. */
enum { FEW = 6, FEW_INSTRS = 48, FEW_LOADS = 8, FEW_CONSTANTS = 8, FEW_RUN_BYTES = 24 };

int64_t heddle__n_reduced(const heddle_array *reduce)
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
    double bytes;      /* of the arrays that it loads from */
    int64_t widest;    /* bytes of an element of one of them */
    bool has_programs; /* assembled, reduced, or taken by index: what its reader may compute, too */
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
        const int64_t size = (int64_t)heddle_dtype_size(a->dtype);
        if (room.loads) e->bytes += (double)a->size * (double)size;
        if (room.loads && size > e->widest) e->widest = size;
        e->has_programs = e->has_programs || a->kind == HEDDLE_NODE_ASSEMBLE ||
                          a->kind == HEDDLE_NODE_REDUCE || heddle__may_be_at_indices(a);
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
static bool lie_well(const heddle_array *in, uint8_t axes, int64_t bytes, int64_t most)
{
    for (int d = in->ndim - 1; d >= 0; d--)
        if (in->shape[d] > 1 && !(axes >> d & 1))
            return true;
        else if (axes >> d & 1)
            break;
    return bytes <= most;
}

/* What `n` elements take, and the operations that combine them. */
static struct heddle_room room_of_elements(const struct heddle_room *element, int64_t n)
{
    return (struct heddle_room){(uint16_t)(n * (element->instrs + 1)),
                                (uint16_t)(n * element->loads), (uint16_t)(n * element->constants)};
}

/* Whether a program has room for `n` elements. */
static bool has_room_in(const struct heddle_group *g, const struct heddle_room *element, int64_t n)
{
    return g->kind == HEDDLE_GROUP_REDUCE &&
           n * (element->instrs + 1) + g->unrolled.instrs <= MOST_INSTRS &&
           n * element->loads <= MOST_LOADS &&
           n * element->loads + g->unrolled.loads <= MOST_OF_ALL &&
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
    const int64_t n = heddle__n_reduced(v->node);
    if (n > HEDDLE_TREE_SHORT ||
        heddle__combining((enum heddle_reduction)v->node->op) == HEDDLE_OP_NONE)
        return false;
    struct element e = {.n = 0};
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    if (!add_value(p, &e, in, map)) return false;
    if (!has_room_in(last, &e.room, n) || (other && !has_room_in(other, &e.room, n))) return false;
    const double own = (double)v->node->size * (double)heddle_dtype_size(v->node->dtype);
    if (e.bytes > own &&
        !lie_well(v->node->in[0], v->node->axes,
                  n * (int64_t)heddle_dtype_size(v->node->in[0]->dtype), MOST_RUN_BYTES))
        return false;
    const struct heddle_room room = room_of_elements(&e.room, n);
    if (other &&
        !heddle__is_cheap_again(p, v, (double)n * (v->cost + 1), room.loads, e.bytes, e.bytes))
        return false;
    v->room = room;
    heddle__add_room(&last->unrolled, &room);
    if (other) heddle__add_room(&other->unrolled, &room);
    return true;
}

/* ---- In elementwise work ------------------------------------------------------------------------------- */

/* How many elements of an input a node reads: more than it has, if it is broadcast. */
static int64_t elements_read(const heddle_array *a, const heddle_array *in)
{
    return a->kind == HEDDLE_NODE_REDUCE ? in->size : a->size;
}

void heddle__note_widened(struct heddle_planner *p)
{
    for (int32_t at = (int32_t)p->n - 1; at >= 0; at--) {
        const struct heddle_value *v = &p->values[at];
        const bool passes = heddle__is_elementwise(v->node) || v->node->kind == HEDDLE_NODE_RESHAPE;
        for (int i = 0; i < v->node->n_in; i++) {
            const heddle_array *const read = v->node->in[i];
            if (!read) continue;
            const struct heddle_map *map;
            struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
            if (elements_read(v->node, read) > in->node->size || (passes && v->widened))
                in->widened = true;
        }
    }
}

static bool is_elementwise_group(const struct heddle_group *g)
{
    return g->kind == HEDDLE_GROUP_MAP || g->kind == HEDDLE_GROUP_INSET;
}

/* Of elements that lie beside each other. Folds turn over longer records as soon, if nothing is computed of them. */
static int64_t most_run_bytes(const struct heddle_planner *p, int32_t in)
{
    if (heddle__is_elementwise(p->values[in].node)) return MOST_RUN_BYTES;
    return FEW_RUN_BYTES;
}

bool heddle__is_elementwise_here(struct heddle_planner *p, struct heddle_value *v)
{
    if (!p->policy->fusion || v->distributed || v->grid || v->widened || v->n_groups > 2 ||
        (v->n_groups > 0 && !is_elementwise_group(&p->groups[v->last_reader])) ||
        (v->n_groups > 1 && !is_elementwise_group(&p->groups[v->earlier_reader])))
        return false;
    const int64_t n = heddle__n_reduced(v->node);
    if (n < 2 || n > FEW || heddle__combining((enum heddle_reduction)v->node->op) == HEDDLE_OP_NONE)
        return false;
    struct element e = {.n = 0};
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    if (!add_value(p, &e, in, map) || e.has_programs ||
        !lie_well(v->node->in[0], v->node->axes, n * e.widest, most_run_bytes(p, in)))
        return false;
    v->room = room_of_elements(&e.room, n);
    return v->room.instrs <= FEW_INSTRS && v->room.loads <= FEW_LOADS &&
           v->room.constants <= FEW_CONSTANTS;
}

/* ---- The instructions ------------------------------------------------------------------------------- */

const struct heddle_map *heddle__element_map(struct heddle_planner *p, const heddle_array *reduce,
                                             int64_t k)
{
    const heddle_array *in = reduce->in[0];
    struct heddle_map m = {.n = (int8_t)in->ndim};
    int8_t kept = (int8_t)reduce->ndim;
    for (int d = in->ndim - 1; d >= 0; d--) {
        const bool reduced = reduce->axes >> d & 1;
        m.axis[d] = reduced ? -1 : --kept;
        m.offset[d] = reduced ? k % in->shape[d] : 0;
        m.step[d] = reduced ? 0 : 1;
        if (reduced) k /= in->shape[d];
    }
    return heddle__scratch_map(p, &m);
}

uint16_t heddle__emit_unrolled(struct heddle_emission *e, const struct heddle_value *v,
                               const struct heddle_map *context)
{
    struct heddle_planner *p = e->p;
    const heddle_array *a = v->node;
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    uint16_t total = 0;
    for (int64_t k = 0, n = heddle__n_reduced(a); k < n && !p->failed; k++) {
        const struct heddle_map *own = heddle__element_map(p, a, k);
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
