/* Third pass: groups to programs and steps, in an order that respects what they read. Programs of
 * elementwise operations and reductions are in emit_map.c and emit_reduce.c; here is what assembles,
 * reshapes and multiplies arrays, and functions over parts. Entry point: heddle__emit. */
#include "plan/emit.h"
#include "runtime/storage.h"

#include <stdlib.h>
#include <string.h>

/* Gives a value its array; takes over the grid's reference. */
static bool make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid)
{
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    return !p->failed;
}

/* ---- Assembled arrays ---------------------------------------------------------------------------- */

static struct heddle_place place_of(const heddle_array *a, int i)
{
    if (i > 0) return a->places[i];
    struct heddle_place place = {{0}, {0}};
    for (int d = 0; d < a->ndim; d++) place.step[d] = 1;
    return place;
}

/* Emits the program of input `i`; its last instruction is stored in the assembled array. */
static bool emit_piece(struct heddle_emission *e, int32_t owner, int i, struct heddle_piece *piece)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    heddle__emit_members(e);
    if (p->failed) return false;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, i, &map);
    const uint16_t value = heddle__fetch(e, in, map);
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

/* How many operations of the plan read value `at`; one that is asked for, many. */
static int32_t readers_of(struct heddle_planner *p, int32_t at)
{
    if (!p->readers) {
        p->readers = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *p->readers);
        if (!p->readers) return INT32_MAX; /* then nothing is overwritten */
        memset(p->readers, 0, (size_t)p->n * sizeof *p->readers);
        for (int32_t i = 0; i < p->n; i++) {
            const struct heddle_value *v = &p->values[i];
            if (v->canonical != i || !v->used) continue;
            const heddle_array *a = v->node;
            const struct heddle_map *map;
            if (a->kind == HEDDLE_NODE_VIEW) { /* else its readers read what it is a view of */
                if (v->materialised) p->readers[p->values[v->base].canonical]++;
                continue;
            }
            for (int k = 0; k < a->n_in; k++)
                if (a->in[k]) p->readers[heddle__input(p, v, k, &map)]++;
        }
    }
    return p->values[at].result >= 0 ? INT32_MAX : p->readers[at];
}

/* The array of an update's base that the update can be made in: nobody else reads it, in this plan or
 * later, and it is cut as the result is to be. -1: there is none. */
static int32_t base_to_update(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node;
    const struct heddle_map *map;
    if (!a->in[0] || !p->policy->fusion) return -1;
    const int32_t at = heddle__input(p, v, 0, &map);
    const struct heddle_value *base = &p->values[at];
    if (map || base->node->size == 0 || readers_of(p, at) != 1) return -1;
    switch ((enum heddle_node_kind)base->node->kind) {
    case HEDDLE_NODE_DATA: {
        const bool starpus = heddle__storage_grid(base->node->storage) != NULL;
        if (!p->walk->gives || !p->walk->dying[base->leaf] || starpus == p->run_inline) return -1;
        break;
    }
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_REDUCE:
    case HEDDLE_NODE_MATMUL: break;
    default: return -1;
    }
    const int32_t array = heddle__array_of(p, at);
    if (array < 0 || (v->grid && !heddle__grid_equal(v->grid, p->plan->arrays[array].grid)))
        return -1;
    return array;
}

/* How an assembled array that is made anew is cut. */
static struct heddle_grid *assembled_grid(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node;
    if (v->grid) return heddle__grid_retain(v->grid);
    if (a->in[0]) { /* an update stays where its base is */
        const int32_t base = heddle__array_of(p, p->values[a->in[0]->mark_slot].canonical);
        if (base >= 0) return heddle__grid_retain(p->plan->arrays[base].grid);
    }
    struct heddle_grid *grid =
        a->in[0] ? heddle__followed_grid(p, v, 0) : heddle__joined_grid(p, v);
    return grid ? grid : heddle__auto_grid(p, a->ndim, a->shape);
}

/* The elements that an update leaves as they are, if the box that it sets has none of them. */
static void keep_outside(struct heddle_piece *base, const heddle_array *a)
{
    if (a->n_in != 2 || a->in[1]->size == 0 || !unit_steps(&a->places[1], a->in[1])) return;
    base->outside = true;
    for (int d = 0; d < a->ndim; d++) {
        base->hole.lo[d] = a->places[1].start[d];
        base->hole.hi[d] = a->places[1].start[d] + a->in[1]->shape[d];
    }
}

static void emit_assemble(struct heddle_planner *p, int32_t group)
{
    const int32_t owner = p->groups[group].owner;
    const heddle_array *a = p->values[owner].node;
    const int32_t over = base_to_update(p, &p->values[owner]);
    struct heddle_grid *grid = over >= 0 ? heddle__grid_retain(p->plan->arrays[over].grid)
                                         : assembled_grid(p, &p->values[owner]);
    if (!make_array(p, owner, grid)) return;
    if (over >= 0) heddle__share_array(p->plan, p->values[owner].array, over);

    const size_t n = (size_t)a->n_in;
    struct heddle_emission *emissions = heddle__arena_alloc(&p->scratch, n * sizeof *emissions);
    struct heddle_piece *pieces = heddle__arena_alloc(&p->scratch, n * sizeof *pieces);
    if (!emissions || !pieces) p->failed = true;
    int n_pieces = 0, n_nodes = 1;
    int32_t piece_group = group; /* the pieces follow their assemble */
    for (int i = 0; i < a->n_in && !p->failed; i++) {
        if (!a->in[i] || a->in[i]->size == 0) continue;
        piece_group++;
        if (i == 0 && over >= 0) continue; /* it is there */
        struct heddle_emission *e = &emissions[n_pieces];
        struct heddle_piece *piece = &pieces[n_pieces];
        *e = (struct heddle_emission){.p = p, .group = piece_group, .ndim = a->ndim};
        if (!emit_piece(e, owner, i, piece)) break;
        if (i == 0) keep_outside(piece, a);
        n_nodes += e->n_nodes;
        n_pieces++;
    }
    const enum heddle_assembly how = over >= 0 ? HEDDLE_ASSEMBLE_UPDATE
                                     : a->in[0] && n_pieces > 1 && !pieces[0].outside
                                         ? HEDDLE_ASSEMBLE_ORDERED
                                         : HEDDLE_ASSEMBLE_APART;
    if (!p->failed &&
        !heddle__cut_assemble(p, p->values[owner].array, n_pieces, pieces, n_nodes, how))
        p->failed = true;
}

/* ---- Reshaped, multiplied ------------------------------------------------------------------------ */

static void emit_reshape(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    const struct heddle_map *map;
    int32_t at = heddle__input(p, v, 0, &map);
    if (map) at = p->values[a->in[0]->mark_slot].canonical;
    int32_t from = heddle__array_of(p, at);
    if (from < 0) {
        p->failed = true;
        return;
    }
    struct heddle_grid *grid = NULL;
    if (p->plan->arrays[from].grid->n_parts > 1)
        grid = heddle__grid_reshaped(p, p->plan->arrays[from].grid, a->ndim, a->shape);
    if (!grid) {
        from = heddle__cut_one_part(p, from);
        grid = heddle__grid_one(a->ndim, a->shape);
    }
    if (from < 0) p->failed = true;
    if (make_array(p, owner, grid)) heddle__share_array(p->plan, v->array, from);
}

static void emit_matmul(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    struct heddle_operand operand[2];
    const struct heddle_map *map[2];
    int32_t at[2];
    for (int i = 0; i < 2; i++) {
        at[i] = heddle__input(p, v, i, &map[i]);
        const int32_t view = p->values[a->in[i]->mark_slot].canonical;
        if (map[i] && p->values[view].materialised && p->values[view].array >= 0) {
            at[i] = view;
            map[i] = NULL;
        }
    }
    if (!v->grid && !heddle__product_operands(p, a, at, map)) p->failed = true;
    for (int i = 0; i < 2; i++) {
        operand[i] =
            (struct heddle_operand){.array = heddle__array_of(p, at[i]),
                                    .map = map[i] ? *map[i] : heddle__map_identity(a->ndim)};
        if (p->failed || operand[i].array < 0) {
            p->failed = true;
            return;
        }
    }
    struct heddle_grid *grid =
        v->grid ? heddle__grid_retain(v->grid) : heddle__product_grid(p, a, operand);
    if (!make_array(p, owner, grid)) return;
    for (int i = 1; i >= 0; i--)
        if (!heddle__product_stage(p, p->plan->arrays[v->array].grid, &operand[i]))
            p->failed = true;
    if (p->failed) return;
    const int64_t k = a->in[0]->shape[a->in[0]->ndim - 1];
    if (!heddle__cut_matmul(p, a->dtype, v->array, &operand[0], &operand[1], k)) p->failed = true;
}

static void emit_map_parts(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const struct heddle_map *map;
    int32_t at = heddle__input(p, v, 0, &map);
    if (map) at = p->values[v->node->in[0]->mark_slot].canonical;
    const int32_t from = heddle__array_of(p, at);
    if (from < 0) {
        p->failed = true;
        return;
    }
    struct heddle_grid *grid = p->plan->arrays[from].grid;
    if (make_array(p, owner, heddle__grid_retain(grid)) &&
        !heddle__cut_map_parts(p, from, v->array, (uint32_t)v->constant))
        p->failed = true;
}

/* ---- Order --------------------------------------------------------------------------------------- */

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

static void emit_group(struct heddle_planner *p, struct heddle_emission *e, int32_t group)
{
    struct heddle_group *g = &p->groups[group];
    if (g->emitted || g->kind == HEDDLE_GROUP_PIECE) return;
    g->emitted = true;
    *e = (struct heddle_emission){.p = p, .group = group, .ndim = g->ndim};
    p->asked = g->grid || p->values[g->owner].grid;
    switch (g->kind) {
    case HEDDLE_GROUP_MAP: heddle__emit_map(e); break;
    case HEDDLE_GROUP_REDUCE: heddle__emit_reduce(e); break;
    case HEDDLE_GROUP_ASSEMBLE: emit_assemble(p, group); break;
    case HEDDLE_GROUP_MATMUL: emit_matmul(p, g->owner); break;
    case HEDDLE_GROUP_RESHAPE: emit_reshape(p, g->owner); break;
    case HEDDLE_GROUP_MAP_PARTS: emit_map_parts(p, g->owner); break;
    default: break;
    }
}

bool heddle__emit(struct heddle_planner *p)
{
    struct turn *turns =
        heddle__arena_alloc(&p->scratch, (size_t)(p->n_groups + 1) * sizeof *turns);
    struct heddle_emission *e = heddle__arena_alloc(&p->scratch, sizeof *e);
    if (!turns || !e) return false;
    for (int32_t i = 0; i < p->n_groups; i++)
        turns[i] =
            (struct turn){p->groups[i].stage, (int32_t)p->groups[i].kind, p->groups[i].owner, i};
    qsort(turns, (size_t)p->n_groups, sizeof *turns, compare_turns);
    for (int64_t i = 0; i < p->n_groups && !p->failed; i++) emit_group(p, e, turns[i].group);
    return !p->failed && heddle__name_results(p);
}
