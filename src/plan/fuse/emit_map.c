/* Elementwise operations to programs. A group too large for one program is emitted in segments;
 * values that cross from one to the next are stored in the iteration space of the group. Entry
 * points: emit.h. */
#include "plan/fuse/emit.h"

#include "plan/cut/cut.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"

#include <stdio.h>

enum {
    ROOM_INSTRS = 24, /* that a member needs, or the end of a group */
    ROOM_OPERANDS = 4,
    ROOM_CONSTANTS = 8,
};

/* ---- Values in a program ------------------------------------------------------------------------- */

uint16_t heddle__fetch_index(struct heddle_emission *e, const struct heddle_map *map)
{
    struct heddle_planner *p = e->p;
    struct heddle_builder *b = &e->b;
    const int axis = map ? map->axis[0] : 0;
    const int64_t offset = map ? map->offset[0] : 0, step = map && axis >= 0 ? map->step[0] : 1;
    if (axis < 0) return heddle__build_constant(b, heddle__plan_literal(p, offset), HEDDLE_INT64);
    uint16_t i = heddle__build_index(b, axis);
    if (step != 1) {
        const uint16_t by = heddle__build_constant(b, heddle__plan_literal(p, step), HEDDLE_INT64);
        i = heddle__build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_INT64, HEDDLE_INT64, i, by, 0);
    }
    if (offset != 0) {
        const uint16_t plus =
            heddle__build_constant(b, heddle__plan_literal(p, offset), HEDDLE_INT64);
        i = heddle__build_op(b, HEDDLE_OP_ADD, HEDDLE_INT64, HEDDLE_INT64, i, plus, 0);
    }
    return i;
}

uint16_t heddle__build_elementwise(struct heddle_builder *b, const heddle_array *a,
                                   const uint16_t x[3])
{
    const int code = a->kind == HEDDLE_NODE_CAST ? HEDDLE_CODE_CAST : a->op;
    const enum heddle_dtype in_dtype = a->kind == HEDDLE_NODE_CAST ? a->in[0]->dtype : a->in_dtype;
    return heddle__build_op(b, code, in_dtype, a->dtype, x[0], x[1], x[2]);
}

/* The instruction of an elementwise node whose value is read by `context` from the iteration space. */
static uint16_t emit_operation(struct heddle_emission *e, const struct heddle_value *v,
                               const struct heddle_map *context)
{
    struct heddle_planner *p = e->p;
    const heddle_array *a = v->node;
    uint16_t x[3] = {0, 0, 0};
    for (int i = 0; i < a->n_in; i++) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, i, &map);
        x[i] = heddle__fetch(e, in, heddle__compose(p, map, context));
    }
    return heddle__build_elementwise(&e->b, a, x);
}

/* Of a value that each reader computes: it may be in the segment already, read by the same map. */
static uint16_t fetch_again(struct heddle_emission *e, struct heddle_value *v,
                            const struct heddle_map *map)
{
    if (v->segment == e->p->segment && heddle__maps_equal(v->context, map)) return v->instr;
    const uint16_t instr = v->node->kind == HEDDLE_NODE_REDUCE ? heddle__emit_unrolled(e, v, map)
                                                               : emit_operation(e, v, map);
    if (v->segment < 0) e->n_nodes++;
    v->instr = instr;
    v->context = map;
    v->segment = e->p->segment;
    return instr;
}

/* Of an array of the tail. */
static uint16_t fetch_landed(const struct heddle_emission *e, int32_t at,
                             const struct heddle_map *map)
{
    const struct heddle_tail *t = e->tail;
    int k = 0;
    while (k + 1 < t->n && (t->at[k] != at || (t->map[k] && !heddle__maps_equal(t->map[k], map))))
        k++;
    return e->landed[k];
}

uint16_t heddle__fetch(struct heddle_emission *e, int32_t at, const struct heddle_map *map)
{
    struct heddle_planner *p = e->p;
    struct heddle_value *v = &p->values[at];
    const enum heddle_dtype dtype = v->node->dtype;
    if (v->node->kind == HEDDLE_NODE_CONSTANT)
        return heddle__build_constant(&e->b, (uint32_t)v->constant, dtype);
    if (v->node->kind == HEDDLE_NODE_INDEX)
        return heddle__fetch_index(e, map); /* cheaper than a load */
    if (v->again) return fetch_again(e, v, map);
    if (v->node->kind == HEDDLE_NODE_REDUCE && v->segment == p->segment) { /* an epilogue */
        v->uses--;
        return v->instr;
    }
    if (v->node->kind == HEDDLE_NODE_ASSEMBLE && v->segment == p->segment) /* it is not stored */
        return fetch_landed(e, at, map);
    const bool here = v->group == e->group && v->node->kind != HEDDLE_NODE_REDUCE &&
                      heddle__maps_equal(v->context, map);
    if (here && v->uses > 0 && --v->uses == 0 && !v->materialised && v->segment == p->segment)
        e->n_live--;
    if (here && v->segment == p->segment) return v->instr;
    /* a value that crosses segments is stored in the iteration space itself */
    const bool crossed = here && !v->materialised;
    const struct heddle_map m = !map || crossed ? heddle__map_identity(e->ndim) : *map;
    const int32_t array = heddle__array_to_load(p, at);
    if (array >= 0) return heddle__build_load(&e->b, array, dtype, &m);
    p->is_out_of_order = !p->failed;
    p->failed = true;
    return 0;
}

void heddle__emit_member(struct heddle_emission *e, int32_t at)
{
    struct heddle_planner *p = e->p;
    struct heddle_value *v = &p->values[at];
    const heddle_array *a = v->node;
    if (a->kind == HEDDLE_NODE_VIEW) {
        v->instr =
            heddle__fetch(e, p->values[v->base].canonical, heddle__compose(p, v->view, v->context));
    } else if (a->kind == HEDDLE_NODE_DISTRIBUTE) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, 0, &map);
        v->instr = heddle__fetch(e, in, heddle__compose(p, map, v->context));
    } else if (a->kind == HEDDLE_NODE_CONSTANT) {
        v->instr = heddle__build_constant(&e->b, (uint32_t)v->constant, a->dtype);
    } else if (a->kind == HEDDLE_NODE_INDEX) {
        v->instr = heddle__fetch_index(e, v->context);
    } else if (v->at_indices) {
        v->instr = heddle__emit_at_indices(e, v, v->context);
    } else if (a->kind == HEDDLE_NODE_REDUCE) {
        v->instr = heddle__emit_unrolled(e, v, v->context);
    } else {
        v->instr = emit_operation(e, v, v->context);
    }
    v->segment = p->segment;
    if (v->materialised || v->uses > 0) e->n_live++;
    e->n_nodes++;
}

/* ---- Segments ------------------------------------------------------------------------------------ */

void heddle__start_segment(struct heddle_emission *e, int32_t from)
{
    heddle__build_start(&e->b);
    e->p->segment++;
    e->from = from;
    e->n_live = 0;
    e->n_nodes = 0;
}

/* Stores the values that outlive the segment, and cuts its program. */
static void end_segment(struct heddle_emission *e)
{
    struct heddle_planner *p = e->p;
    const struct heddle_group g = p->groups[e->group];
    struct heddle_grid *grid =
        g.grid ? heddle__grid_retain(g.grid) : heddle__map_grid(p, &e->b, e->group, 0, NULL);
    if (!grid) p->failed = true;
    const struct heddle_map identity = heddle__map_identity(e->ndim);
    for (int32_t at = e->from; at != e->to && !p->failed; at = p->next_member[at]) {
        struct heddle_value *v = &p->values[at];
        if (!v->materialised && v->uses == 0) continue;
        heddle__make_array(p, at, grid);
        if (!p->failed) heddle__build_store(&e->b, v->instr, v->array, v->node->dtype, &identity);
    }
    const struct heddle_program *program = p->failed ? NULL : heddle__plan_program(p, &e->b);
    if (program) {
        char name[48];
        if (e->n_nodes == 1 && p->values[e->from].at_indices)
            snprintf(name, sizeof name, "%s", heddle__family_of(p->values[e->from].node)->name);
        else
            heddle__name_program(program, name);
        const struct heddle_space space = {e->ndim, e->ndim, g.extent, e->n_nodes, name};
        if (!heddle__cut_map(p, &e->b, program, &space, grid)) p->failed = true;
    }
    heddle__grid_release(grid);
}

/* Adds what operand `i` of a value takes beyond what a member has room for: it is computed again. */
static void add_again(const struct heddle_planner *p, const struct heddle_value *v, int i,
                      struct heddle_room *room)
{
    const struct heddle_map *map;
    const struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
    if (in->again) heddle__add_room(room, &in->room);
}

/* The same for the end of the group: what its reductions, or its assembly, read. */
static struct heddle_room room_at_end(const struct heddle_emission *e, int32_t group)
{
    const struct heddle_group *g = &e->p->groups[group];
    struct heddle_room room = {0, 0, 0};
    for (int r = 0; r < g->n_reductions; r++)
        add_again(e->p, &e->p->values[g->reductions[r]], 0, &room);
    if (g->kind == HEDDLE_GROUP_INSET) add_again(e->p, &e->p->values[g->owner], g->inset, &room);
    return room;
}

static bool has_room_of(const struct heddle_emission *e, int n, const struct heddle_room *room)
{
    return e->b.program.n_instrs + n * ROOM_INSTRS + room->instrs <= HEDDLE_MAX_INSTRS &&
           e->b.program.n_operands + e->n_live + n * ROOM_OPERANDS + room->loads <=
               HEDDLE_MAX_OPERANDS &&
           e->b.program.n_constants + n * ROOM_CONSTANTS + room->constants <= HEDDLE_MAX_CONSTANTS;
}

static void add_operands_again(const struct heddle_emission *e, int32_t at,
                               struct heddle_room *room)
{
    const struct heddle_value *v = &e->p->values[at];
    const struct heddle_room taken = heddle__room_at_indices(e->p, v);
    heddle__add_room(room, &taken);
    if (v->node->kind == HEDDLE_NODE_REDUCE) heddle__add_room(room, &v->room);
    for (int i = 0; heddle__is_elementwise(v->node) && i < v->node->n_in; i++)
        add_again(e->p, v, i, room);
}

bool heddle__has_room(const struct heddle_emission *e, int32_t at)
{
    struct heddle_room room = room_at_end(e, e->group);
    if (at >= 0) add_operands_again(e, at, &room);
    return has_room_of(e, 2, &room);
}

/* Adds what a member takes: itself, and what it reads that no member of its group computes. */
static void add_member(const struct heddle_emission *e, int32_t at, struct heddle_room *room)
{
    static const struct heddle_room own = {1, 0, 0}, load = {1, 1, 0}, other = {5, 1, 2},
                                    indexed = {ROOM_INSTRS, ROOM_OPERANDS, ROOM_CONSTANTS};
    const struct heddle_value *v = &e->p->values[at];
    const bool elementwise = heddle__is_elementwise(v->node);
    heddle__add_room(room, v->node->kind == HEDDLE_NODE_REDUCE ? &v->room
                           : elementwise                       ? &own
                           : v->at_indices                     ? &indexed
                                                               : &other);
    const struct heddle_room taken = heddle__room_at_indices(e->p, v);
    heddle__add_room(room, &taken);
    for (int i = 0; elementwise && i < v->node->n_in; i++) {
        const struct heddle_map *map;
        const struct heddle_value *in = &e->p->values[heddle__input(e->p, v, i, &map)];
        if (!in->again && in->group == v->group && !in->materialised) continue;
        const struct heddle_room of = in->again                          ? in->room
                                      : heddle__is_elementwise(in->node) ? load
                                                                         : heddle__room_of(in);
        heddle__add_room(room, &of);
    }
}

bool heddle__has_room_for(const struct heddle_emission *e, int32_t group)
{
    struct heddle_room room = room_at_end(e, group);
    for (int32_t at = e->p->groups[group].first; at >= 0; at = e->p->next_member[at]) {
        add_member(e, at, &room);
        if (room.instrs > HEDDLE_MAX_INSTRS) return false;
    }
    return has_room_of(e, 1, &room);
}

void heddle__emit_members(struct heddle_emission *e)
{
    struct heddle_planner *p = e->p;
    heddle__start_segment(e, p->groups[e->group].first);
    for (int32_t at = e->from; at >= 0 && !p->failed; at = p->next_member[at]) {
        if (!heddle__has_room(e, at) && at != e->from) {
            e->to = at;
            end_segment(e);
            heddle__start_segment(e, at);
        }
        heddle__emit_member(e, at);
    }
    e->to = -1;
}

/* ---- Groups -------------------------------------------------------------------------------------- */

/* A distribution that only changes places has no program: the array shares the data of its operand. */
static bool emit_moved(struct heddle_planner *p, const struct heddle_group *g)
{
    const struct heddle_value *v = &p->values[g->first];
    if (g->n_members != 1 || v->node->kind != HEDDLE_NODE_DISTRIBUTE) return false;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    const enum heddle_node_kind kind = p->values[in].node->kind;
    if (map || kind == HEDDLE_NODE_CONSTANT || kind == HEDDLE_NODE_INDEX) return false;
    const int32_t from = heddle__array_of(p, in);
    if (from < 0 || p->plan->arrays[from].role == HEDDLE_ROLE_TEMPORARY ||
        !heddle__grid_same_cuts(p->plan->arrays[from].grid, g->grid))
        return false;
    heddle__make_array(p, g->first, g->grid);
    if (!p->failed) heddle__share_array(p->plan, v->array, from);
    return true;
}

void heddle__emit_map(struct heddle_emission *e)
{
    if (emit_moved(e->p, &e->p->groups[e->group])) return;
    heddle__emit_members(e);
    if (!e->p->failed) end_segment(e);
}
