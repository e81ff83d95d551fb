/* Third pass: groups to programs and steps, in an order that respects what they read. Entry point:
 * heddle__emit. A group too large for one program is emitted in segments; values that cross from one
 * to the next are stored in the iteration space of the group. */
#include "base/memory.h"
#include "plan/planner.h"
#include "runtime/storage.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ROOM_INSTRS = 24, /* of one member, and of the end of a group */
    ROOM_OPERANDS = 4,
    ROOM_CONSTANTS = 8,
    EPILOGUE_MEMBERS = 8, /* at most */
};

/* A group being emitted. */
struct emission {
    struct heddle_planner *p;
    int32_t group;
    int32_t ndim; /* of the space that loads walk */
    struct heddle_builder b;
    int32_t from, to; /* members of the current segment: first, and the one after the last */
    int32_t n_live;   /* of them: those that would be stored if it ended now */
    int32_t n_nodes;
};

/* ---- The plan's arrays and constants ------------------------------------------------------------- */

int32_t heddle__plan_add_array(struct heddle_planner *p, enum heddle_plan_role role, int32_t index,
                               enum heddle_dtype dtype, struct heddle_grid *grid)
{
    struct heddle_plan *plan = p->plan;
    int64_t room = p->array_room;
    if (!grid || !heddle__grow(&p->one_part, sizeof *p->one_part, plan->n_arrays + 1, &room) ||
        !heddle__grow(&plan->arrays, sizeof *plan->arrays, plan->n_arrays + 1, &p->array_room)) {
        heddle__grid_release(grid);
        p->failed = true;
        return -1;
    }
    p->one_part[plan->n_arrays] = grid->n_parts == 1 ? plan->n_arrays : -1;
    plan->arrays[plan->n_arrays] =
        (struct heddle_plan_array){.role = role,
                                   .index = index,
                                   .dtype = (uint8_t)dtype,
                                   .element_bytes = (int32_t)heddle_dtype_size(dtype),
                                   .grid = grid,
                                   .same_as = -1,
                                   .last_task = -1};
    return plan->n_arrays++;
}

uint32_t heddle__plan_literal(struct heddle_planner *p, int64_t value)
{
    struct heddle_plan *plan = p->plan;
    for (int32_t i = 0; i < plan->n_literals; i++)
        if (plan->literals[i].i64 == value) return (uint32_t)(plan->n_constants + i);
    if (!heddle__grow(&plan->literals, sizeof *plan->literals, plan->n_literals + 1,
                      &p->literal_room)) {
        p->failed = true;
        return 0;
    }
    plan->literals[plan->n_literals] = (union heddle_scalar){.c128 = {0, 0}};
    plan->literals[plan->n_literals].i64 = value;
    return (uint32_t)(plan->n_constants + plan->n_literals++);
}

/* The array of a value; leaves get theirs at first use. */
static int32_t array_of(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    if (v->array >= 0 || v->node->kind != HEDDLE_NODE_DATA) return v->array;
    const heddle_array *a = v->node;
    struct heddle_grid *grid = heddle__storage_grid(a->storage);
    bool fits = grid && grid->ndim == a->ndim;
    for (int d = 0; fits && d < a->ndim; d++) fits = grid->shape[d] == a->shape[d];
    if (!grid && v->grid)
        grid = heddle__grid_retain((struct heddle_grid *)(uintptr_t)v->grid);
    else if (fits)
        grid = heddle__grid_retain(grid);
    else /* a storage in one part may hold arrays of several shapes */
        grid = grid ? heddle__grid_one(a->ndim, a->shape) : heddle__auto_grid(p, a->ndim, a->shape);
    v->array = heddle__plan_add_array(p, HEDDLE_ROLE_INPUT, v->leaf, a->dtype, grid);
    return v->array;
}

static struct heddle_map identity_or(const struct heddle_map *map, int ndim)
{
    return map ? *map : heddle__map_identity(ndim);
}

/* ---- Values in a program -------------------------------------------------------------------------- */

static uint16_t fetch_index(struct emission *e, const struct heddle_map *map)
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

/* The instruction that has value `at`, read by `map` from the iteration space. */
static uint16_t fetch(struct emission *e, int32_t at, const struct heddle_map *map)
{
    struct heddle_planner *p = e->p;
    struct heddle_value *v = &p->values[at];
    const enum heddle_dtype dtype = v->node->dtype;
    if (v->node->kind == HEDDLE_NODE_CONSTANT)
        return heddle__build_constant(&e->b, (uint32_t)v->constant, dtype);
    if (v->node->kind == HEDDLE_NODE_INDEX) return fetch_index(e, map); /* costs less than a load */
    if (v->node->kind == HEDDLE_NODE_REDUCE && v->segment == p->segment) { /* by an epilogue */
        v->uses--;
        return v->instr;
    }
    const bool here = v->group == e->group && v->node->kind != HEDDLE_NODE_REDUCE &&
                      heddle__maps_equal(v->context, map);
    if (here && v->uses > 0 && --v->uses == 0 && !v->materialised && v->segment == p->segment)
        e->n_live--;
    if (here && v->segment == p->segment) return v->instr;
    /* what crosses segments lies in the iteration space itself */
    const struct heddle_map m =
        here && !v->materialised ? heddle__map_identity(e->ndim) : identity_or(map, e->ndim);
    return heddle__build_load(&e->b, array_of(p, at), dtype, &m);
}

static void emit_member(struct emission *e, int32_t at)
{
    struct heddle_planner *p = e->p;
    struct heddle_value *v = &p->values[at];
    const heddle_array *a = v->node;
    uint16_t x[3] = {0, 0, 0};
    if (a->kind == HEDDLE_NODE_VIEW) {
        v->instr = fetch(e, p->values[v->base].canonical, v->view);
    } else if (a->kind == HEDDLE_NODE_DISTRIBUTE) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, 0, &map);
        v->instr = fetch(e, in, map);
    } else if (a->kind == HEDDLE_NODE_CONSTANT) {
        v->instr = heddle__build_constant(&e->b, (uint32_t)v->constant, a->dtype);
    } else if (a->kind == HEDDLE_NODE_INDEX) {
        v->instr = fetch_index(e, NULL);
    } else {
        for (int i = 0; i < a->n_in; i++) {
            const struct heddle_map *map;
            const int32_t in = heddle__input(p, v, i, &map);
            x[i] = fetch(e, in, heddle__compose(p, map, v->context));
        }
        const int code = a->kind == HEDDLE_NODE_CAST ? HEDDLE_CODE_CAST : a->op;
        const enum heddle_dtype in_dtype =
            a->kind == HEDDLE_NODE_CAST ? a->in[0]->dtype : a->in_dtype;
        v->instr = heddle__build_op(&e->b, code, in_dtype, a->dtype, x[0], x[1], x[2]);
    }
    v->segment = p->segment;
    if (v->materialised || v->uses > 0) e->n_live++;
    e->n_nodes++;
}

/* ---- Steps ------------------------------------------------------------------------------------------ */

/* The operations of a program that say most about it: "exp, log +14". */
static void describe(const struct heddle_program *program, char name[48])
{
    int order[3] = {0, 0, 0}, n_shown = 0, n_ops = 0;
    for (int i = 0; i < program->n_instrs; i++) {
        const int code = program->instrs[i].code;
        if (code >= HEDDLE_N_OPS && code != HEDDLE_CODE_CAST) continue;
        n_ops++;
        bool known = code == HEDDLE_CODE_CAST;
        for (int k = 0; k < n_shown; k++) known = known || order[k] == code;
        if (known) continue;
        int k = n_shown < 2 ? n_shown++ : 1;
        if (n_shown == 2 && k == 1 && order[1] &&
            heddle__ops[order[1]].flops >= heddle__ops[code].flops)
            continue;
        order[k] = code;
    }
    int at = 0;
    name[0] = 0;
    for (int k = 0; k < n_shown; k++)
        at += snprintf(name + at, (size_t)(48 - at), "%s%s", k ? "," : "",
                       heddle__ops[order[k]].name);
    if (n_ops > n_shown) at += snprintf(name + at, (size_t)(48 - at), "+%d", n_ops - n_shown);
    if (n_ops == 0 && program->n_reductions == 0)
        snprintf(name, 48, "%s", program->n_constants ? "fill" : "copy");
    for (int r = 0; r < program->n_reductions && at < 40; r++)
        at += snprintf(name + at, (size_t)(48 - at), "%s%s", at ? ">" : "",
                       heddle__reductions[program->reductions[r].op].name);
}

const struct heddle_program *heddle__plan_program(struct heddle_planner *p,
                                                  struct heddle_builder *b)
{
    if (!heddle__grow(&p->programs, sizeof *p->programs, p->n_programs + 1, &p->program_room)) {
        p->failed = true;
        return NULL;
    }
    const struct heddle_program *program = heddle__build_finish(b);
    if (program)
        p->programs[p->n_programs++] = program;
    else
        p->failed = true;
    return program;
}

/* Gives a value its array: a result's or a temporary. */
static void make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid)
{
    struct heddle_value *v = &p->values[at];
    const enum heddle_plan_role role = v->result >= 0 ? HEDDLE_ROLE_RESULT : HEDDLE_ROLE_TEMPORARY;
    v->array =
        heddle__plan_add_array(p, role, v->result, v->node->dtype, heddle__grid_retain(grid));
}

static void start_segment(struct emission *e, int32_t from)
{
    heddle__build_start(&e->b);
    e->p->segment++;
    e->from = from;
    e->n_live = 0;
    e->n_nodes = 0;
}

/* Stores what outlives the segment and cuts its program. */
static void end_segment(struct emission *e)
{
    struct heddle_planner *p = e->p;
    const struct heddle_group g = p->groups[e->group];
    struct heddle_grid *grid = g.grid ? heddle__grid_retain((struct heddle_grid *)(uintptr_t)g.grid)
                                      : heddle__map_grid(p, &e->b, e->ndim, g.extent);
    if (!grid) p->failed = true;
    const struct heddle_map identity = heddle__map_identity(e->ndim);
    for (int32_t at = e->from; at != e->to && !p->failed; at = p->next_member[at]) {
        struct heddle_value *v = &p->values[at];
        if (!v->materialised && v->uses == 0) continue;
        make_array(p, at, grid);
        if (!p->failed) heddle__build_store(&e->b, v->instr, v->array, v->node->dtype, &identity);
    }
    const struct heddle_program *program = p->failed ? NULL : heddle__plan_program(p, &e->b);
    if (program) {
        char name[48];
        describe(program, name);
        const struct heddle_space space = {e->ndim, e->ndim, g.extent, e->n_nodes, name};
        if (!heddle__cut_map(p, &e->b, program, &space, grid)) p->failed = true;
    }
    heddle__grid_release(grid);
}

static bool has_room(const struct emission *e)
{
    return e->b.program.n_instrs + 2 * ROOM_INSTRS <= HEDDLE_MAX_INSTRS &&
           e->b.program.n_operands + e->n_live + 2 * ROOM_OPERANDS <= HEDDLE_MAX_OPERANDS &&
           e->b.program.n_constants + 2 * ROOM_CONSTANTS <= HEDDLE_MAX_CONSTANTS;
}

/* All members but for the end of the last segment. */
static void emit_members(struct emission *e)
{
    struct heddle_planner *p = e->p;
    start_segment(e, p->groups[e->group].first);
    for (int32_t at = e->from; at >= 0 && !p->failed; at = p->next_member[at]) {
        if (!has_room(e) && at != e->from) {
            e->to = at;
            end_segment(e);
            start_segment(e, at);
        }
        emit_member(e, at);
    }
    e->to = -1;
}

/* A distribution that only changes places: the same parts under another name. */
static bool emit_moved(struct heddle_planner *p, const struct heddle_group *g)
{
    const struct heddle_value *v = &p->values[g->first];
    if (g->n_members != 1 || v->node->kind != HEDDLE_NODE_DISTRIBUTE) return false;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, 0, &map);
    const enum heddle_node_kind kind = p->values[in].node->kind;
    if (map || kind == HEDDLE_NODE_CONSTANT || kind == HEDDLE_NODE_INDEX) return false;
    int32_t from = array_of(p, in);
    if (from < 0 || p->plan->arrays[from].role == HEDDLE_ROLE_TEMPORARY ||
        !heddle__grid_same_cuts(p->plan->arrays[from].grid, g->grid))
        return false;
    if (p->plan->arrays[from].same_as >= 0) from = p->plan->arrays[from].same_as;
    make_array(p, g->first, (struct heddle_grid *)(uintptr_t)g->grid);
    if (!p->failed) p->plan->arrays[p->values[g->first].array].same_as = from;
    return true;
}

static void emit_map(struct emission *e)
{
    if (emit_moved(e->p, &e->p->groups[e->group])) return;
    emit_members(e);
    if (!e->p->failed) end_segment(e);
}

/* ---- Reductions -------------------------------------------------------------------------------------- */

/* Whether value `at` can be read after the reductions of group `reduce`: a constant, one of its
 * results, or an array in one part that exists by now. */
static bool readable_after(const struct heddle_planner *p, int32_t at, const struct heddle_map *map,
                           int32_t reduce, int32_t epilogue)
{
    const struct heddle_value *v = &p->values[at];
    switch ((enum heddle_node_kind)v->node->kind) {
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX: return !v->materialised || v->node->kind == HEDDLE_NODE_CONSTANT;
    case HEDDLE_NODE_REDUCE:
        if (v->group == reduce) return map == NULL;
        break;
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
        if (v->group == epilogue) return true;
        break;
    default: break;
    }
    return v->array >= 0 && p->plan->arrays[v->array].grid->n_parts == 1;
}

/* The group of elementwise work on the results of `reduce` that can run in the same program. */
static int32_t find_epilogue(const struct heddle_planner *p, int32_t reduce)
{
    const struct heddle_group *r = &p->groups[reduce];
    const int32_t found = heddle__map_group(p, r->stage + 1, r->n_kept, r->extent);
    if (found < 0 || p->groups[found].emitted || p->groups[found].n_members > EPILOGUE_MEMBERS)
        return -1;
    for (int32_t at = p->groups[found].first; at >= 0; at = p->next_member[at]) {
        const struct heddle_value *v = &p->values[at];
        if (v->context || v->node->kind == HEDDLE_NODE_VIEW) return -1;
        for (int i = 0; i < v->node->n_in; i++) {
            const struct heddle_map *map;
            const int32_t in = heddle__input(p, v, i, &map);
            if (!readable_after(p, in, map, reduce, found)) return -1;
        }
    }
    return found;
}

/* The reductions are instructions of the segment by now. */
static void emit_epilogue(struct emission *e, int32_t epilogue)
{
    struct heddle_planner *p = e->p;
    struct heddle_group *g = &p->groups[epilogue];
    e->group = epilogue;
    e->ndim = g->ndim;
    for (int32_t at = g->first; at >= 0 && !p->failed; at = p->next_member[at]) emit_member(e, at);
    g->emitted = true;
}

static void store_kept(struct emission *e, int32_t at, struct heddle_grid *kept)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map identity = heddle__map_identity(v->node->ndim);
    make_array(p, at, kept);
    if (!p->failed)
        heddle__build_store(&e->b, v->instr, p->values[at].array, v->node->dtype, &identity);
}

static void emit_reduce(struct emission *e)
{
    struct heddle_planner *p = e->p;
    const int32_t reduce = e->group;
    struct heddle_group *g = &p->groups[reduce];
    uint16_t value[HEDDLE_MAX_REDUCTIONS];

    /* before */
    emit_members(e);
    const struct heddle_map order = heddle__reduce_order(g);
    for (int r = 0; r < g->n_reductions && !p->failed; r++) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, &p->values[g->reductions[r]], 0, &map);
        value[r] = fetch(e, in, heddle__compose(p, map, &order));
    }
    if (p->failed) return;

    /* the reductions */
    heddle__build_reductions_start(&e->b, g->sequential);
    for (int r = 0; r < g->n_reductions; r++) {
        const heddle_array *a = p->values[g->reductions[r]].node;
        heddle__build_reduction(&e->b, a->op, a->in_dtype, a->dtype, value[r]);
    }
    struct heddle_grid *iteration = heddle__reduce_grid(p, &e->b, g);
    struct heddle_grid *kept = iteration ? heddle__grid_kept(p, iteration, g->n_kept) : NULL;
    if (!kept) p->failed = true;

    /* after */
    for (int r = 0; r < g->n_reductions; r++) {
        struct heddle_value *v = &p->values[g->reductions[r]];
        v->instr = heddle__build_op(&e->b, HEDDLE_CODE_REDUCED, v->node->dtype, v->node->dtype,
                                    (uint16_t)r, 0, 0);
        v->segment = p->segment;
        e->n_nodes++;
    }
    const int32_t epilogue = p->policy->fusion && !p->failed ? find_epilogue(p, reduce) : -1;
    if (epilogue >= 0) emit_epilogue(e, epilogue);
    for (int r = 0; r < g->n_reductions && !p->failed; r++) {
        const struct heddle_value *v = &p->values[g->reductions[r]];
        if (v->materialised || v->uses > 0) store_kept(e, g->reductions[r], kept);
    }
    if (epilogue >= 0)
        for (int32_t at = p->groups[epilogue].first; at >= 0 && !p->failed; at = p->next_member[at])
            if (p->values[at].materialised) store_kept(e, at, kept);

    const struct heddle_program *program = p->failed ? NULL : heddle__plan_program(p, &e->b);
    if (program) {
        char name[48];
        describe(program, name);
        const struct heddle_space space = {g->ndim, g->n_kept, g->extent, e->n_nodes, name};
        if (!heddle__cut_reduce(p, &e->b, program, &space, iteration)) p->failed = true;
    }
    heddle__grid_release(iteration);
    heddle__grid_release(kept);
}

/* ---- Assembled, reshaped, multiplied ------------------------------------------------------------------ */

static struct heddle_place place_of(const heddle_array *a, int i)
{
    if (i > 0) return a->places[i];
    struct heddle_place place = {{0}, {0}};
    for (int d = 0; d < a->ndim; d++) place.step[d] = 1;
    return place;
}

/* Emits the program of input `i`; its last instruction is stored in the assembled array. */
static bool emit_piece(struct emission *e, int32_t owner, int i, struct heddle_piece *piece)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    emit_members(e);
    if (p->failed) return false;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, i, &map);
    const uint16_t value = fetch(e, in, map);
    const struct heddle_place place = place_of(a, i);
    struct heddle_map to = {.n = (int8_t)a->ndim};
    for (int d = 0; d < a->ndim; d++) {
        to.axis[d] = (int8_t)d;
        to.offset[d] = place.start[d];
        to.step[d] = place.step[d];
    }
    heddle__build_store(&e->b, value, v->array, a->dtype, &to);
    piece->builder = &e->b;
    piece->program = heddle__plan_program(p, &e->b);
    piece->space =
        (struct heddle_space){a->ndim, a->ndim, p->groups[e->group].extent, e->n_nodes, NULL};
    piece->place = place;
    return !p->failed;
}

static bool unit_steps(const struct heddle_place *place, const heddle_array *in)
{
    for (int d = 0; d < in->ndim; d++)
        if (place->step[d] != 1 && in->shape[d] > 1) return false;
    return true;
}

static void emit_assemble(struct heddle_planner *p, int32_t group)
{
    const int32_t owner = p->groups[group].owner;
    const heddle_array *a = p->values[owner].node;
    struct heddle_grid *grid = NULL;
    if (p->values[owner].grid) {
        grid = heddle__grid_retain((struct heddle_grid *)(uintptr_t)p->values[owner].grid);
    } else if (a->in[0]) { /* an update stays where its base is */
        const int32_t base = array_of(p, p->values[a->in[0]->mark_slot].canonical);
        if (base >= 0) grid = heddle__grid_retain(p->plan->arrays[base].grid);
    }
    if (!grid) grid = heddle__auto_grid(p, a->ndim, a->shape);
    if (!grid) {
        p->failed = true;
        return;
    }
    make_array(p, owner, grid);
    heddle__grid_release(grid);

    const size_t n = (size_t)a->n_in;
    struct emission *emissions = heddle__arena_alloc(&p->scratch, n * sizeof *emissions);
    struct heddle_piece *pieces = heddle__arena_alloc(&p->scratch, n * sizeof *pieces);
    if (!emissions || !pieces) p->failed = true;
    int n_pieces = 0, n_nodes = 1;
    int32_t piece_group = group; /* the pieces follow their assemble */
    for (int i = 0; i < a->n_in && !p->failed; i++) {
        if (!a->in[i] || a->in[i]->size == 0) continue;
        struct emission *e = &emissions[n_pieces];
        struct heddle_piece *piece = &pieces[n_pieces];
        *e = (struct emission){.p = p, .group = ++piece_group, .ndim = a->ndim};
        if (!emit_piece(e, owner, i, piece)) break;
        if (i == 0 && a->n_in == 2 && a->in[1]->size > 0 && unit_steps(&a->places[1], a->in[1])) {
            piece->outside = true;
            for (int d = 0; d < a->ndim; d++) {
                piece->hole.lo[d] = a->places[1].start[d];
                piece->hole.hi[d] = a->places[1].start[d] + a->in[1]->shape[d];
            }
        }
        n_nodes += e->n_nodes;
        n_pieces++;
    }
    if (!p->failed && !heddle__cut_assemble(p, p->values[owner].array, n_pieces, pieces, n_nodes))
        p->failed = true;
}

static void emit_reshape(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const struct heddle_map *map;
    int32_t at = heddle__input(p, v, 0, &map);
    if (map) at = p->values[v->node->in[0]->mark_slot].canonical;
    int32_t from = array_of(p, at);
    if (from < 0) {
        p->failed = true;
        return;
    }
    struct heddle_grid *grid = NULL;
    if (p->plan->arrays[from].grid->n_parts > 1)
        grid = heddle__grid_reshaped(p, p->plan->arrays[from].grid, v->node->ndim, v->node->shape);
    if (!grid) {
        from = heddle__cut_one_part(p, from);
        grid = heddle__grid_one(v->node->ndim, v->node->shape);
    }
    if (from >= 0 && p->plan->arrays[from].same_as >= 0) from = p->plan->arrays[from].same_as;
    if (!grid || from < 0)
        p->failed = true;
    else
        make_array(p, owner, grid);
    heddle__grid_release(grid);
    if (!p->failed) p->plan->arrays[p->values[owner].array].same_as = from;
}

static void emit_matmul(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    struct heddle_operand operand[2];
    for (int i = 0; i < 2; i++) {
        const struct heddle_map *map;
        int32_t at = heddle__input(p, v, i, &map);
        const int32_t view = p->values[a->in[i]->mark_slot].canonical;
        if (map && p->values[view].materialised && p->values[view].array >= 0) {
            at = view;
            map = NULL;
        }
        operand[i] = (struct heddle_operand){.array = array_of(p, at),
                                             .map = identity_or(map, a->in[i]->ndim)};
        if (p->failed || operand[i].array < 0) {
            p->failed = true;
            return;
        }
    }
    struct heddle_grid *grid = v->grid
                                   ? heddle__grid_retain((struct heddle_grid *)(uintptr_t)v->grid)
                                   : heddle__matmul_grid(p, a, operand);
    if (!grid)
        p->failed = true;
    else
        make_array(p, owner, grid);
    heddle__grid_release(grid);
    const int64_t k = a->in[0]->shape[a->in[0]->ndim - 1];
    if (!p->failed &&
        !heddle__cut_matmul(p, a->dtype, p->values[owner].array, &operand[0], &operand[1], k))
        p->failed = true;
}

/* ---- Order ---------------------------------------------------------------------------------------------- */

struct turn {
    int32_t stage, kind, owner, group;
};

static int compare_turns(const void *x, const void *y)
{
    const struct turn *a = x, *b = y;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static void emit_group(struct heddle_planner *p, struct emission *e, int32_t group)
{
    struct heddle_group *g = &p->groups[group];
    if (g->emitted || g->kind == HEDDLE_GROUP_PIECE) return;
    g->emitted = true;
    *e = (struct emission){.p = p, .group = group, .ndim = g->ndim};
    p->asked = g->grid || p->values[g->owner].grid;
    switch (g->kind) {
    case HEDDLE_GROUP_MAP: emit_map(e); break;
    case HEDDLE_GROUP_REDUCE: emit_reduce(e); break;
    case HEDDLE_GROUP_ASSEMBLE: emit_assemble(p, group); break;
    case HEDDLE_GROUP_MATMUL: emit_matmul(p, g->owner); break;
    case HEDDLE_GROUP_RESHAPE: emit_reshape(p, g->owner); break;
    default: break;
    }
}

/* A result that is a temporary under another shape: the temporary is the result. */
static int32_t promote(struct heddle_plan *plan, int32_t array)
{
    struct heddle_plan_array *a = &plan->arrays[array];
    if (a->same_as < 0 || plan->arrays[a->same_as].role != HEDDLE_ROLE_TEMPORARY ||
        a->grid->n_parts > 1) /* its storage must know the parts in its own shape */
        return array;
    plan->arrays[a->same_as].role = HEDDLE_ROLE_RESULT;
    plan->arrays[a->same_as].index = a->index;
    a->role = HEDDLE_ROLE_TEMPORARY;
    return a->same_as;
}

/* Which array each result is in; equal results share. */
static bool name_results(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    for (int i = 0; i < plan->n_results; i++) {
        const int32_t at = p->values[p->walk->results[i]->mark_slot].canonical;
        const int32_t array = array_of(p, at);
        if (array < 0) return false;
        if (plan->arrays[array].role == HEDDLE_ROLE_RESULT && plan->arrays[array].index == i) {
            plan->results[i] = promote(plan, array);
            continue;
        }
        plan->results[i] =
            heddle__plan_add_array(p, HEDDLE_ROLE_RESULT, i, plan->arrays[array].dtype,
                                   heddle__grid_retain(plan->arrays[array].grid));
        if (plan->results[i] < 0) return false;
        const int32_t same = plan->arrays[array].same_as;
        plan->arrays[plan->results[i]].same_as = same >= 0 ? same : array;
    }
    return true;
}

bool heddle__emit(struct heddle_planner *p)
{
    struct turn *turns =
        heddle__arena_alloc(&p->scratch, (size_t)(p->n_groups + 1) * sizeof *turns);
    struct emission *e = heddle__arena_alloc(&p->scratch, sizeof *e);
    if (!turns || !e) return false;
    for (int32_t i = 0; i < p->n_groups; i++)
        turns[i] =
            (struct turn){p->groups[i].stage, (int32_t)p->groups[i].kind, p->groups[i].owner, i};
    qsort(turns, (size_t)p->n_groups, sizeof *turns, compare_turns);
    for (int64_t i = 0; i < p->n_groups && !p->failed; i++) emit_group(p, e, turns[i].group);
    return !p->failed && name_results(p);
}
