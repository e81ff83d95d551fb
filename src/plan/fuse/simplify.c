/* First pass: finds what each node really is. It resolves views to a base and a map, merges equal
 * operations (hash consing), and gives each value a stage and a risk. Entry point: heddle__simplify.
 *
 * Stages: an elementwise operation has the largest stage of its operands. An operand adds one if it is
 * computed whole before it is read (reductions, families, assembled arrays), if it is elementwise and
 * read through a view, or if it is distributed or of another risk. So between two operations of one stage,
 * shape and risk every path runs through such operations: they may make one program without a cycle.
 *
 * Risk: the operations that a value depends on and that may fail for their data, as a hash of their set.
 * Values of another risk are never in one program: an error must reach only what needs the operation. */
#include "array/storage.h"
#include "base/hash.h"
#include "plan/fuse/fuse.h"

#include <string.h>

/* ---- Equal operations --------------------------------------------------------------------------- */

/* The canonical operand, without resolving views: two views of one array differ by their maps. */
static int32_t operand(const struct heddle_planner *p, const heddle_array *a, int i)
{
    return a->in[i] ? p->values[a->in[i]->mark_slot].canonical : -1;
}

/* The same for comparison: the two operands of an operation that commutes, in order. */
static int32_t ordered_operand(const struct heddle_planner *p, const heddle_array *a, int i)
{
    if (a->kind != HEDDLE_NODE_MAP || a->n_in != 2 || !(heddle__ops[a->op].flags & HEDDLE_FLAG_C))
        return operand(p, a, i);
    const int32_t x = operand(p, a, 0), y = operand(p, a, 1);
    return (x < y) == (i == 0) ? x : y;
}

static bool can_merge(const heddle_array *a)
{
    switch ((enum heddle_node_kind)a->kind) {
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_REDUCE: return true;
    case HEDDLE_NODE_FAMILY: return heddle__family_of(a)->flags & HEDDLE_FAMILY_MERGES;
    case HEDDLE_NODE_OUTPUT: return true; /* if the operations are equal and merge */
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_DATA:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_DISTRIBUTE: break;
    }
    return false;
}

static uint64_t value_hash(const struct heddle_planner *p, const heddle_array *a)
{
    uint64_t h = heddle__hash_word((uint64_t)a->kind | (uint64_t)a->op << 8 |
                                       (uint64_t)a->dtype << 16 | (uint64_t)a->axes << 24,
                                   (uint64_t)a->size);
    for (int i = 0; i < a->n_in; i++) h = heddle__hash_word(h, (uint64_t)ordered_operand(p, a, i));
    if (a->kind == HEDDLE_NODE_VIEW)
        for (int d = 0; d < a->map->n; d++)
            h = heddle__hash_word(h, (uint64_t)a->map->offset[d] * 31 + (uint64_t)a->map->axis[d]);
    if (a->kind == HEDDLE_NODE_FAMILY)
        h = heddle__hash_bytes(h, heddle__params_of(a), heddle__family_of(a)->params_bytes);
    return h;
}

static bool same_operation(const heddle_array *a, const heddle_array *b)
{
    return heddle__family_of(a) == heddle__family_of(b) &&
           a->operation->object == b->operation->object &&
           memcmp(heddle__params_of(a), heddle__params_of(b), heddle__family_of(a)->params_bytes) ==
               0;
}

static bool equal(const struct heddle_planner *p, const heddle_array *a, const heddle_array *b)
{
    if (a->kind != b->kind || a->op != b->op || a->dtype != b->dtype ||
        a->in_dtype != b->in_dtype || a->axes != b->axes || a->ndim != b->ndim ||
        a->n_in != b->n_in)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d]) return false;
    for (int i = 0; i < a->n_in; i++)
        if (ordered_operand(p, a, i) != ordered_operand(p, b, i)) return false;
    if (a->kind == HEDDLE_NODE_FAMILY) return same_operation(a, b);
    return a->kind != HEDDLE_NODE_VIEW || heddle__map_equal(a->map, b->map);
}

static int32_t canonical(struct heddle_planner *p, int32_t at)
{
    const heddle_array *a = p->values[at].node;
    if (a->kind == HEDDLE_NODE_CONSTANT) {
        const int32_t first = p->walk->equal_constant[p->values[at].constant];
        return p->walk->constants[first]->mark_slot;
    }
    if (!can_merge(a)) return at;
    int64_t slot = (int64_t)(value_hash(p, a) & (uint64_t)(p->table_size - 1));
    for (; p->table[slot] >= 0; slot = (slot + 1) & (p->table_size - 1))
        if (equal(p, a, p->values[p->table[slot]].node)) return p->table[slot];
    p->table[slot] = at;
    return at;
}

/* ---- Views, stages, costs ----------------------------------------------------------------------- */

static bool resolve_view(struct heddle_planner *p, struct heddle_value *v)
{
    const struct heddle_value *in = &p->values[operand(p, v->node, 0)];
    v->base = in->base;
    v->view = heddle__compose(p, in->view, v->node->map);
    if (v->view && heddle__map_is_identity(v->view, v->node->ndim) && v->view->n == v->node->ndim) {
        bool same = true;
        for (int d = 0; d < v->node->ndim; d++)
            same = same && v->node->shape[d] == p->values[v->base].node->shape[d];
        if (same) v->view = NULL;
    }
    return !p->failed;
}

float heddle__own_cost(const heddle_array *a)
{
    if (a->kind == HEDDLE_NODE_MAP) return heddle__ops[a->op].flops;
    if (a->kind != HEDDLE_NODE_CAST) return 0;
    const enum heddle_dtype from = (enum heddle_dtype)a->in_dtype, to = (enum heddle_dtype)a->dtype;
    return heddle__kind_rank(from) < 2 && heddle__kind_rank(to) < 2 ? 0 : 1;
}

static void set_stage(struct heddle_planner *p, struct heddle_value *v)
{
    const heddle_array *a = v->node;
    v->cost = heddle__own_cost(a);
    for (int i = 0; i < a->n_in; i++) {
        if (!a->in[i]) continue;
        const struct heddle_map *map;
        const struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
        if (a->kind == HEDDLE_NODE_VIEW) map = v->view; /* from the base, its own map included */
        int32_t stage = 0;
        switch ((enum heddle_node_kind)in->node->kind) {
        case HEDDLE_NODE_DATA:
        case HEDDLE_NODE_CONSTANT:
        case HEDDLE_NODE_INDEX: break;
        case HEDDLE_NODE_MAP:
        case HEDDLE_NODE_CAST:
            stage = in->stage + (map != NULL || in->distributed || v->distributed ||
                                 a->kind == HEDDLE_NODE_DISTRIBUTE || in->risk != v->risk);
            /* what is broadcast, and costly, gets an array of its own (fuse.c) */
            if (in->cost < HEDDLE_COSTLY || 2 * in->node->size > a->size ||
                heddle__is_cheap_for_each(p, in, (double)a->size / (double)in->node->size))
                v->cost += in->cost;
            break;
        case HEDDLE_NODE_ERROR:
        case HEDDLE_NODE_TUPLE:
        case HEDDLE_NODE_VIEW:
        case HEDDLE_NODE_RESHAPE:
        case HEDDLE_NODE_REDUCE:
        case HEDDLE_NODE_ASSEMBLE:
        case HEDDLE_NODE_DISTRIBUTE:
        case HEDDLE_NODE_FAMILY:
        case HEDDLE_NODE_OUTPUT: stage = in->stage + 1; break;
        }
        if (stage > v->stage) v->stage = stage;
    }
    if (v->cost > 1e6f) v->cost = 1e6f;
}

/* What a program needs for a value with all elementwise operands fused. */
static void set_room(struct heddle_planner *p, struct heddle_value *v)
{
    const heddle_array *a = v->node;
    const int most = HEDDLE_MAX_INSTRS;
    int instrs = 1, loads = 0, constants = 0;
    for (int i = 0; heddle__is_elementwise(a) && i < a->n_in; i++) {
        const struct heddle_map *map;
        const struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
        const struct heddle_room room = heddle__room_of(in);
        instrs += room.instrs;
        loads += room.loads;
        constants += room.constants;
    }
    v->room = (struct heddle_room){(uint16_t)(instrs < most ? instrs : most),
                                   (uint16_t)(loads < most ? loads : most),
                                   (uint16_t)(constants < most ? constants : most)};
}

static bool may_fail(const heddle_array *a)
{
    return a->kind == HEDDLE_NODE_FAMILY && heddle__family_of(a)->flags & HEDDLE_FAMILY_MAY_FAIL;
}

/* The risk of the operands together; an operation that may fail has a new one, which stands for all. */
static void set_risk(struct heddle_planner *p, struct heddle_value *v, int32_t at)
{
    const heddle_array *a = v->node;
    for (int i = 0; i < a->n_in; i++) {
        if (!a->in[i]) continue;
        const uint32_t risk = p->values[operand(p, a, i)].risk;
        if (risk == 0 || risk == v->risk) continue;
        v->risk = v->risk == 0 ? risk : (uint32_t)heddle__hash_word(v->risk ^ risk, v->risk & risk);
    }
    if (may_fail(a)) v->risk = (uint32_t)at + 1;
}

/* Whether DISTRIBUTE `v` needs no array of its own, because its operand can be computed in that partition
 * at once. Then `v` is that value. */
static bool takes_partition(struct heddle_planner *p, struct heddle_value *v)
{
    struct heddle_value *in = &p->values[operand(p, v->node, 0)];
    struct heddle_grid *grid = v->node->grid;
    switch ((enum heddle_node_kind)in->node->kind) {
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_DISTRIBUTE: break;
    case HEDDLE_NODE_FAMILY:
        if (heddle__family_of(in->node)->flags & HEDDLE_FAMILY_TAKES_GRID) break;
        return !grid;
    case HEDDLE_NODE_DATA: /* data that were never cut are cut as asked */
        if (!in->grid && !heddle__storage_grid(in->node->storage)) in->grid = grid;
        return !grid;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_OUTPUT:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_REDUCE: return !grid;
    }
    if (!grid || (in->grid && heddle__grid_equal(in->grid, grid))) return true;
    if (in->grid || !in->distributed || in->node->kind == HEDDLE_NODE_DISTRIBUTE) return false;
    in->grid = grid;
    return true;
}

bool heddle__simplify(struct heddle_planner *p)
{
    p->table_size = 16;
    while (p->table_size < 2 * p->n) p->table_size *= 2;
    p->values = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *p->values);
    p->next_member = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *p->next_member);
    p->table = heddle__arena_alloc(&p->scratch, (size_t)p->table_size * sizeof *p->table);
    if (!p->values || !p->next_member || !p->table) return false;
    memset(p->table, 0xff, (size_t)p->table_size * sizeof *p->table);

    int32_t n_constants = 0, n_leaves = 0, n_objects = 0;
    bool some_may_fail = false;
    for (int32_t i = 0; i < p->n; i++) {
        const heddle_array *a = p->walk->nodes[i];
        if (a->kind == HEDDLE_NODE_DISTRIBUTE) p->values[a->in[0]->mark_slot].distributed = true;
    }
    for (int32_t i = 0; i < p->n; i++) {
        struct heddle_value *v = &p->values[i];
        v->node = p->walk->nodes[i];
        v->base = i;
        v->array = v->group = v->segment = v->result = v->last_reader = v->earlier_reader =
            v->turns = -1;
        if (v->node->kind == HEDDLE_NODE_CONSTANT) v->constant = n_constants++;
        if (v->node->kind == HEDDLE_NODE_FAMILY && v->node->operation->object)
            v->object = n_objects++;
        if (v->node->kind == HEDDLE_NODE_DATA) v->leaf = n_leaves++;
        v->canonical = canonical(p, i);
        if (v->node->kind == HEDDLE_NODE_DISTRIBUTE) {
            if (takes_partition(p, v))
                v->canonical = operand(p, v->node, 0);
            else
                v->grid = v->node->grid;
        }
        if (v->canonical != i) {
            v->base = p->values[v->canonical].base;
            v->view = p->values[v->canonical].view;
            continue; /* passes look at the canonical one */
        }
        if (v->node->kind == HEDDLE_NODE_VIEW && !resolve_view(p, v)) return false;
        some_may_fail = some_may_fail || may_fail(v->node);
        if (some_may_fail) set_risk(p, v, i);
        set_stage(p, v);
        set_room(p, v);
    }
    return true;
}
