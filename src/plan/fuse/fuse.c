/* Second pass: which operations make one program. Entry point: heddle__fuse.
 *
 * Users are visited before operands. A value that one group alone reads, at one place, is computed
 * there, in registers. One that several groups read, or that one group reads at several places (shifted
 * slices), is computed again for each if that costs less than storing it (again.c). Else, or if it is
 * asked for, it is materialised: an array, made by the group of all operations of its stage and shape.
 * What feeds a reduction or an input of an assemble is computed there, too. */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/derive.h"

#include <string.h>

/* ---- Groups -------------------------------------------------------------------------------------- */

static bool same_key(const struct heddle_group *a, const struct heddle_group *b)
{
    if (a->kind != b->kind || a->stage != b->stage || a->risk != b->risk || a->ndim != b->ndim ||
        a->axes != b->axes)
        return false;
    if (!a->grid != !b->grid || (a->grid && !heddle__grid_equal(a->grid, b->grid))) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->extent[d] != b->extent[d]) return false;
    return a->kind != HEDDLE_GROUP_REDUCE || a->n_reductions < HEDDLE_MAX_REDUCTIONS;
}

static int32_t add_group(struct heddle_planner *p, const struct heddle_group *g)
{
    if (p->n_groups == p->group_room &&
        !heddle__grow(&p->groups, sizeof *p->groups, p->n_groups + 1, &p->group_room)) {
        p->failed = true;
        return HEDDLE_NO_GROUP;
    }
    p->groups[p->n_groups] = *g;
    return (int32_t)p->n_groups++;
}

/* Groups that others may join are in a hash table. Where the chain of a key starts. */
static int32_t *bucket_of(const struct heddle_planner *p, const struct heddle_group *key)
{
    uint64_t h = heddle__hash_word((uint64_t)key->kind << 32 | (uint64_t)key->stage, key->axes);
    h = heddle__hash_words(h, (const uint64_t *)key->extent, key->ndim);
    return &p->table[h & (uint64_t)(p->table_size - 1)];
}

static int32_t find_group(const struct heddle_planner *p, const struct heddle_group *key)
{
    int32_t g = *bucket_of(p, key);
    while (g >= 0 && !same_key(&p->groups[g], key)) g = p->groups[g].next_same;
    return g;
}

/* The group of a key; a new one if there is none, or if not `share`. */
static int32_t join_group(struct heddle_planner *p, struct heddle_group *key, bool share)
{
    int32_t g = share ? find_group(p, key) : HEDDLE_NO_GROUP;
    if (g >= 0) return g;
    int32_t *bucket = share ? bucket_of(p, key) : NULL;
    key->first = key->last = -1;
    key->next_same = bucket ? *bucket : -1;
    g = add_group(p, key);
    if (g >= 0 && bucket) *bucket = g;
    return g;
}

int32_t heddle__map_group(const struct heddle_planner *p, int32_t stage, uint32_t risk, int ndim,
                          const int64_t *shape)
{
    struct heddle_group key = {
        .kind = HEDDLE_GROUP_MAP, .stage = stage, .risk = risk, .ndim = ndim};
    memcpy(key.extent, shape, (size_t)ndim * sizeof *shape);
    return find_group(p, &key);
}

/* A distribution has a group of its own: it may cost nothing (emit_moved in emit_map.c). */
static int32_t natural_group(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    struct heddle_group key = {.kind = HEDDLE_GROUP_MAP,
                               .stage = v->stage,
                               .risk = v->risk,
                               .owner = at,
                               .ndim = v->node->ndim,
                               .n_kept = v->node->ndim,
                               .grid = v->grid};
    memcpy(key.extent, v->node->shape, sizeof key.extent);
    return join_group(p, &key, p->policy->fusion && v->node->kind != HEDDLE_NODE_DISTRIBUTE);
}

static int32_t single_group(struct heddle_planner *p, int32_t at, enum heddle_group_kind kind)
{
    struct heddle_group key = {.kind = kind, .stage = p->values[at].stage, .owner = at};
    return join_group(p, &key, false);
}

/* ---- Uses ---------------------------------------------------------------------------------------- */

/* Notes that `group` reads value `at` by `map` (NULL: identity). */
static void meet(struct heddle_planner *p, int32_t at, int32_t group, const struct heddle_map *map)
{
    struct heddle_value *v = &p->values[at];
    v->used = true;
    const bool elementwise = heddle__is_elementwise(v->node);
    if (group >= 0 && (elementwise || v->node->kind == HEDDLE_NODE_REDUCE))
        heddle__note_read(p, v, group, map);
    else if (group >= 0)
        heddle__note_reader(v, group);
    if (!elementwise && !heddle__may_be_at_indices(v->node)) return;
    v->in_unrolled = false;
    if (v->group == HEDDLE_NO_GROUP) {
        v->group = group;
        v->context = map;
    } else if (v->group != group || !heddle__maps_equal(v->context, map)) {
        v->group = HEDDLE_MANY_GROUPS;
    }
}

/* Notes that all readers of `v`, which is computed again in each, read value `at`. */
static void meet_again(struct heddle_planner *p, const struct heddle_value *v, int32_t at,
                       const struct heddle_map *map)
{
    struct heddle_value *in = &p->values[at];
    const bool unrolled = (v->in_unrolled || v->node->kind == HEDDLE_NODE_REDUCE) &&
                          (in->in_unrolled || in->group == HEDDLE_NO_GROUP);
    meet(p, at, HEDDLE_MANY_GROUPS, map);
    in->in_unrolled = unrolled && heddle__is_elementwise(in->node);
    if (heddle__is_elementwise(in->node)) {
        heddle__note_reads_of(p, v, in, map);
    } else if (in->node->kind != HEDDLE_NODE_REDUCE) {
        heddle__note_reader(in, v->earlier_reader);
        heddle__note_reader(in, v->last_reader);
    }
    if (in->node->kind != HEDDLE_NODE_REDUCE) return;
    in->broadcast = in->broadcast || in->node->size < v->node->size;
    in->materialised = true; /* list_members counts no reads of `v` */
}

/* Notes that something other than a program reads operand `i` of `v`, which so needs an array: that of
 * the operand or, with `by_view`, that of its base, read through the view. */
static void need(struct heddle_planner *p, const struct heddle_value *v, int i, bool by_view)
{
    const struct heddle_map *map;
    int32_t at = heddle__input(p, v, i, &map);
    if (map && !by_view) at = p->values[v->node->in[i]->mark_slot].canonical;
    p->values[at].used = true;
    p->values[at].materialised = true;
}

/* A RESHAPE needs its operand, best in parts of whole rows of its own (heddle__grid_in_rows). */
static void need_rows(struct heddle_planner *p, const struct heddle_value *v)
{
    need(p, v, 0, false);
    struct heddle_value *in = &p->values[p->values[v->node->in[0]->mark_slot].canonical];
    const int64_t row = heddle__row_size(v->node->ndim, v->node->shape);
    if (in->row < row) in->row = row;
}

/* Elements of `at` are taken by index: they are computed there, or it has an array. */
static void want_at(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    v->used = true;
    if (heddle__is_elementwise(v->node))
        v->wanted_at = true;
    else if (v->node->kind != HEDDLE_NODE_DATA && v->node->kind != HEDDLE_NODE_CONSTANT &&
             v->node->kind != HEDDLE_NODE_INDEX)
        v->materialised = true;
}

/* Whether nothing is computed of an elementwise value but what is taken by index; and what that takes is noted. */
static bool is_only_at_places(struct heddle_planner *p, struct heddle_value *v)
{
    if (!v->wanted_at || v->materialised) return false;
    v->at_places = true;
    for (int i = 0; i < v->node->n_in; i++) {
        const struct heddle_map *map;
        want_at(p, heddle__input(p, v, i, &map));
    }
    if (v->group != HEDDLE_NO_GROUP) return false;
    v->again = true;
    v->group = HEDDLE_MANY_GROUPS;
    return true;
}

/* Of what is broadcast: whether computing it for each element of its reader takes longer than storing it. */
static bool too_costly(const struct heddle_planner *p, const struct heddle_value *v)
{
    if (!v->context || v->cost < HEDDLE_COSTLY) return false;
    const struct heddle_group *g = &p->groups[v->group];
    double ratio = 1;
    for (int d = 0; d < g->ndim; d++) ratio *= (double)g->extent[d];
    ratio /= (double)v->node->size;
    return ratio >= 2 && !heddle__is_cheap_for_each(p, v, ratio);
}

/* Whether unrolled reductions compute it for each of their elements. */
static bool is_unrolled(const struct heddle_value *v)
{
    return v->in_unrolled && !v->materialised && !v->distributed && !v->grid &&
           !(v->broadcast && v->cost >= HEDDLE_COSTLY);
}

static void place_elementwise(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    if (is_only_at_places(p, v)) return;
    v->again = v->group == HEDDLE_MANY_GROUPS && (is_unrolled(v) || heddle__computes_again(p, v));
    if (!v->again && (v->group == HEDDLE_MANY_GROUPS || !p->policy->fusion || v->grid ||
                      (!v->materialised && too_costly(p, v))))
        v->materialised = true;
    if (v->materialised) {
        v->group = natural_group(p, at);
        v->context = NULL;
    }
    v = &p->values[at];
    for (int i = 0; i < v->node->n_in && !p->failed; i++) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, i, &map);
        if (v->again)
            meet_again(p, v, in, map);
        else
            meet(p, in, v->group, heddle__compose(p, map, v->context));
    }
}

/* A reduction that is elementwise work on its elements: its one reader computes it, or it is a member of the group of its shape. */
static void place_elements(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    v->materialised = true;
    const int32_t group = natural_group(p, at);
    v->group = group;
    v->context = NULL;
    if (group < 0) return;
    const struct heddle_map *map;
    const int32_t at_in = heddle__input(p, v, 0, &map);
    struct heddle_value *in = &p->values[at_in];
    /* its elements are read at several places, but each at one */
    const bool unrolled = in->in_unrolled || in->group == HEDDLE_NO_GROUP;
    const int64_t n = heddle__n_reduced(v->node);
    for (int64_t k = 0; k < n && !p->failed; k++) {
        const struct heddle_map *element = heddle__element_map(p, v->node, k);
        if (element) meet(p, at_in, group, heddle__compose(p, map, element));
    }
    in->in_unrolled = unrolled && heddle__is_elementwise(in->node);
}

static void place_reduce(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    const bool elementwise = heddle__is_elementwise_here(p, v);
    if (elementwise && (v->materialised || v->n_groups != 1)) {
        place_elements(p, at);
        return;
    }
    if (elementwise || heddle__unrolls(p, v)) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, 0, &map);
        v->again = true;
        v->group = HEDDLE_MANY_GROUPS;
        meet_again(p, v, in, map);
        return;
    }
    const heddle_array *in = v->node->in[0];
    struct heddle_group key = {.kind = HEDDLE_GROUP_REDUCE,
                               .stage = v->stage,
                               .risk = v->risk,
                               .owner = at,
                               .ndim = in->ndim,
                               .axes = v->node->axes};
    const struct heddle_map order = heddle__reduce_order(&key);
    for (int d = 0; d < in->ndim; d++) {
        key.extent[order.axis[d]] = in->shape[d];
        key.n_kept += !(key.axes >> d & 1);
    }
    for (int d = in->ndim - 1; d >= 0; d--) /* the innermost axis longer than 1 decides */
        if (in->shape[d] > 1) {
            key.sequential = !(key.axes >> d & 1);
            break;
        }
    const int32_t group = join_group(p, &key, p->policy->fusion);
    if (group < 0) return;
    struct heddle_group *g = &p->groups[group];
    g->reductions[g->n_reductions++] = at;
    v->group = group;

    const struct heddle_map *map;
    const int32_t base = heddle__input(p, v, 0, &map);
    const bool moved = !heddle__map_is_identity(&order, in->ndim);
    const struct heddle_map *outer = moved ? heddle__scratch_map(p, &order) : NULL;
    if (!p->failed) meet(p, base, group, heddle__compose(p, map, outer));
}

static void place_assemble(struct heddle_planner *p, int32_t at)
{
    p->values[at].group = single_group(p, at, HEDDLE_GROUP_ASSEMBLE);
    const bool turns = heddle__have_turns(p, &p->values[at]);
    for (int i = 0; i < p->values[at].node->n_in && !p->failed; i++) {
        const heddle_array *in = p->values[at].node->in[i];
        if (!in || in->size == 0) continue;
        struct heddle_group key = {.kind = HEDDLE_GROUP_INSET,
                                   .stage = p->values[at].stage,
                                   .owner = at,
                                   .inset = i,
                                   .turns = turns,
                                   .ndim = in->ndim,
                                   .n_kept = in->ndim};
        memcpy(key.extent, in->shape, sizeof key.extent);
        const int32_t group = join_group(p, &key, false);
        const struct heddle_map *map;
        const int32_t base = heddle__input(p, &p->values[at], i, &map);
        if (!p->failed) meet(p, base, group, map);
    }
}

/* Materialises operands that the family cannot read through their views. */
static void place_operation(struct heddle_planner *p, int32_t at)
{
    const heddle_array *a = p->values[at].node;
    const struct heddle_family_info *family = heddle__family_of(a);
    for (int i = 0; i < a->n_in; i++) {
        const struct heddle_map *map;
        const heddle_array *base = p->values[heddle__input(p, &p->values[at], i, &map)].node;
        const bool by_view =
            !map || (family->reads_view && family->reads_view(a, i, map, base->shape));
        need(p, &p->values[at], i, by_view);
    }
    p->values[at].group = single_group(p, at, HEDDLE_GROUP_FAMILY);
}

/* Elements by indices that the group which reads them takes itself, or computes; or that a program stores. */
static void place_at_indices(struct heddle_planner *p, int32_t at)
{
    if (p->values[at].materialised || p->values[at].group < 0) {
        p->values[at].materialised = true;
        p->values[at].context = NULL;
        const int32_t group = natural_group(p, at);
        p->values[at].group = group;
        if (group < 0) return;
    }
    p->values[at].at_indices = true;
    p->groups[p->values[at].group].at_indices = true;
    const struct heddle_map *map;
    const int32_t from = heddle__input(p, &p->values[at], 0, &map);
    if (heddle__computes_at(p, &p->values[at]))
        want_at(p, from);
    else
        need(p, &p->values[at], 0, !map || p->values[from].node->kind == HEDDLE_NODE_DATA);
    for (int i = 1; i < p->values[at].node->n_in && !p->failed; i++) {
        const int32_t in = heddle__read(p, &p->values[at], i, &map);
        meet(p, in, p->values[at].group, heddle__compose(p, map, p->values[at].context));
    }
}

/* Whether a view's elements are all those of its base, in their order: only axes of extent 1 come or go. */
static bool only_renames_axes(const struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node, *base = p->values[p->values[v->base].canonical].node;
    if (base->kind == HEDDLE_NODE_CONSTANT || base->kind == HEDDLE_NODE_INDEX ||
        base->kind == HEDDLE_NODE_DISTRIBUTE)
        return false;
    int last = -1;
    for (int d = 0; d < base->ndim && v->view; d++) {
        const int axis = v->view->axis[d];
        if (base->shape[d] == 1) continue;
        if (axis <= last || v->view->step[d] != 1 || v->view->offset[d] != 0 ||
            a->shape[axis] != base->shape[d])
            return false;
        last = axis;
    }
    return a->size == base->size;
}

/* A view that needs an array: the base's data under another shape, or a copy, into which what is elementwise is computed. */
static void place_view(struct heddle_planner *p, int32_t at)
{
    const int32_t base = p->values[p->values[at].base].canonical;
    if (!p->values[at].grid && p->policy->fusion && only_renames_axes(p, &p->values[at])) {
        p->values[base].used = p->values[base].materialised = true;
        p->values[at].group = single_group(p, at, HEDDLE_GROUP_RESHAPE);
        return;
    }
    p->values[at].group = natural_group(p, at);
    meet(p, base, p->values[at].group, p->values[at].view);
}

static void place(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    switch ((enum heddle_node_kind)v->node->kind) {
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST: place_elementwise(p, at); break;
    case HEDDLE_NODE_VIEW:
        if (v->materialised) place_view(p, at);
        break;
    case HEDDLE_NODE_DISTRIBUTE: {
        const struct heddle_map *map;
        v->materialised = true;
        v->group = natural_group(p, at);
        const int32_t in = heddle__input(p, &p->values[at], 0, &map);
        meet(p, in, p->values[at].group, map);
        break;
    }
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
        if (v->materialised) v->group = natural_group(p, at);
        break;
    case HEDDLE_NODE_REDUCE: place_reduce(p, at); break;
    case HEDDLE_NODE_ASSEMBLE: place_assemble(p, at); break;
    case HEDDLE_NODE_FAMILY:
        heddle__is_at_indices(p, v) ? place_at_indices(p, at) : place_operation(p, at);
        break;
    case HEDDLE_NODE_OUTPUT: need(p, v, 0, true); break;
    case HEDDLE_NODE_RESHAPE:
        need_rows(p, v);
        v->group = single_group(p, at, HEDDLE_GROUP_RESHAPE);
        break;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_DATA:
    case HEDDLE_NODE_TUPLE: break;
    }
}

/* ---- Members ------------------------------------------------------------------------------------- */

/* Counts that value `at` reads operand `in` by `map`. */
static void count_use(struct heddle_planner *p, int32_t at, int32_t in,
                      const struct heddle_map *map)
{
    const struct heddle_value *user = &p->values[at];
    struct heddle_value *v = &p->values[in];
    bool here = v->group == user->group;
    if (here && user->node->kind != HEDDLE_NODE_REDUCE)
        here = heddle__maps_equal(v->context, heddle__compose(p, map, user->context));
    if (user->node->kind == HEDDLE_NODE_ASSEMBLE && v->group >= 0)
        here = p->groups[v->group].owner == at;
    if (here || v->node->kind == HEDDLE_NODE_REDUCE) v->uses++;
}

/* Lists the elementwise operations of each group, operands first, and counts reads. */
static void list_members(struct heddle_planner *p)
{
    for (int32_t at = 0; at < p->n && !p->failed; at++) {
        const struct heddle_value *v = &p->values[at];
        if (v->canonical != at || v->group < 0) continue;
        struct heddle_group *g = &p->groups[v->group];
        if (g->kind <= HEDDLE_GROUP_INSET &&
            (v->node->kind != HEDDLE_NODE_REDUCE || g->kind == HEDDLE_GROUP_MAP)) {
            p->next_member[at] = -1;
            if (g->last >= 0)
                p->next_member[g->last] = at;
            else
                g->first = at;
            g->last = at;
            g->n_members++;
        }
        const int n_in = v->node->kind == HEDDLE_NODE_VIEW ? 0 : v->node->n_in;
        for (int i = 0; i < n_in; i++) {
            if (!v->node->in[i]) continue;
            const struct heddle_map *map;
            const int32_t in = heddle__read(p, v, i, &map);
            count_use(p, at, in, map);
        }
        if (v->node->kind == HEDDLE_NODE_VIEW)
            count_use(p, at, p->values[v->base].canonical, v->view);
    }
}

bool heddle__fuse(struct heddle_planner *p)
{
    memset(p->table, 0xff, (size_t)p->table_size * sizeof *p->table);
    for (int i = 0; i < p->walk->n_results; i++) {
        struct heddle_value *v =
            &p->values[p->values[p->walk->results[i].node->mark_slot].canonical];
        v->used = v->materialised = true;
        if (v->result < 0) v->result = i;
    }
    heddle__note_widened(p);
    for (int32_t at = (int32_t)p->n - 1; at >= 0 && !p->failed; at--)
        if (p->values[at].canonical == at && p->values[at].used) place(p, at);
    if (!p->failed) list_members(p);
    return !p->failed;
}
