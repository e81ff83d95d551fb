/* Third pass: makes programs and steps of groups, in an order that respects what they read. Elementwise
 * operations and reductions are in emit_map.c and emit_reduce.c; assembled and reshaped arrays are here.
 * Families cut their operations themselves. Entry point: heddle__emit. */
#include "plan/fuse/emit.h"

#include "plan/cut/cut.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"

#include <stdlib.h>

/* Gives a value its array; takes over the reference of `grid`. */
static bool make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid)
{
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    return !p->failed;
}

/* ---- Assembled arrays ---------------------------------------------------------------------------- */

struct heddle_landing heddle__landing_of(const heddle_array *a, int i)
{
    if (i > 0) return a->landings[i];
    struct heddle_landing landing = {{0}, {0}};
    for (int d = 0; d < a->ndim; d++) landing.step[d] = 1;
    return landing;
}

void heddle__store_inset(struct heddle_emission *e, int32_t owner, int i)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    const struct heddle_map *map;
    const int32_t in = heddle__input(p, v, i, &map);
    const uint16_t value = heddle__fetch(e, in, map);
    const struct heddle_landing landing = heddle__landing_of(a, i);
    struct heddle_map to = {.n = (int8_t)a->ndim};
    for (int d = 0; d < a->ndim; d++) {
        to.axis[d] = (int8_t)d;
        to.offset[d] = landing.start[d];
        to.step[d] = landing.step[d];
    }
    heddle__build_store(&e->b, value, v->array, a->dtype, &to);
}

bool heddle__take_turns(const heddle_array *a, const struct heddle_grid *grid, int i, int k)
{
    if (!heddle__lie_alike(a, grid, i, k)) return false;
    int64_t run = (int64_t)heddle_dtype_size(a->dtype);
    bool turn = false; /* begins at an axis where they lie beside each other */
    for (int d = 0; d < a->ndim; d++) {
        turn = turn || a->landings[i].start[d] != a->landings[k].start[d];
        if (turn && grid && grid->n[d] > 1) return false;
        if (turn) run *= a->in[i]->shape[d];
    }
    return turn && run <= HEDDLE_TURN_BYTES;
}

/* Whether one program is to store inputs i and k of an assembly without base. */
static bool are_stored_together(const struct heddle_emission *e, const heddle_array *a,
                                const struct heddle_grid *grid, int i, int k)
{
    return heddle__take_turns(a, grid, i, k) ||
           (e->p->groups[e->group].turns && heddle__lie_alike(a, grid, i, k));
}

/* Emits the program of input `i`, and of those after it that lie between its elements, or share work with it, and for which it has
 * room: each cache line is written once then, and what they share is read once. Their values are stored in the assembled array. Returns how many it took. */
static int emit_inset(struct heddle_emission *e, int32_t owner, int i, struct heddle_inset *inset)
{
    struct heddle_planner *p = e->p;
    const heddle_array *a = p->values[owner].node;
    const struct heddle_grid *grid = p->plan->arrays[p->values[owner].array].grid;
    heddle__emit_members(e);
    if (p->failed) return 0;
    heddle__store_inset(e, owner, i);
    int n = 1;
    /* an APART assembly alone: later ones write over no earlier one */
    while (!a->in[0] && i + n < a->n_in && are_stored_together(e, a, grid, i, i + n) &&
           !p->groups[e->group + 1].tail && heddle__has_room_for(e, e->group + 1)) {
        e->group++;
        for (int32_t at = p->groups[e->group].first; at >= 0 && !p->failed; at = p->next_member[at])
            heddle__emit_member(e, at);
        if (!p->failed) heddle__store_inset(e, owner, i + n);
        n++;
    }
    inset->builder = &e->b;
    inset->program = heddle__plan_program(p, &e->b);
    inset->space =
        (struct heddle_space){a->ndim, a->ndim, p->groups[e->group].extent, e->n_nodes, NULL};
    inset->landing = heddle__landing_of(a, i);
    return p->failed ? 0 : n;
}

/* How many programs its inputs may have. */
static size_t most_insets(const struct heddle_planner *p, int32_t owner)
{
    const heddle_array *a = p->values[owner].node;
    int32_t group = p->values[owner].group;
    size_t n = 0;
    /* their groups follow in this order; heddle__inset_group would count up to each */
    for (int i = 0; i < a->n_in; i++) {
        if (!a->in[i] || a->in[i]->size == 0) continue;
        const struct heddle_tail *t = p->groups[++group].tail;
        n += t ? (size_t)t->n_boxes : 1;
    }
    return n;
}

static bool unit_steps(const struct heddle_landing *landing, const heddle_array *in)
{
    for (int d = 0; d < in->ndim; d++)
        if (landing->step[d] != 1 && in->shape[d] > 1) return false;
    return true;
}

/* If an update sets a box whole, only what is outside of it is copied from the base, unless all of it is copied sooner
 * than slab by slab. */
static void keep_outside(const struct heddle_planner *p, struct heddle_inset *base,
                         const heddle_array *a)
{
    if (a->n_in != 2 || a->in[1]->size == 0 || !unit_steps(&a->landings[1], a->in[1])) return;
    int64_t calls = 0;
    for (int d = 0; d < a->ndim; d++) {
        base->hole.lo[d] = a->landings[1].start[d];
        base->hole.hi[d] = a->landings[1].start[d] + a->in[1]->shape[d];
        calls += (base->hole.lo[d] > 0) + (base->hole.hi[d] < a->shape[d]);
    }
    const double copied = 2.0 * (double)a->in[1]->size * (double)heddle_dtype_size(a->dtype);
    const int64_t call = p->run_inline ? heddle__thresholds.slab_bytes : heddle__call_bytes(p);
    base->outside = copied > (double)(calls - 1) * (double)call;
}

void heddle__emit_assemble(struct heddle_planner *p, int32_t group)
{
    const int32_t owner = p->groups[group].owner;
    const heddle_array *a = p->values[owner].node;
    const int32_t over = heddle__base_to_update(p, &p->values[owner], 0);
    struct heddle_grid *grid = over >= 0 ? heddle__grid_retain(p->plan->arrays[over].grid)
                               : p->groups[group + 1].turns && !heddle__take_turns(a, NULL, 1, 2)
                                   ? heddle__stacked_grid(p, &p->values[owner])
                                   : heddle__assembled_grid(p, &p->values[owner]);
    if (!grid) grid = heddle__auto_grid(p, a->ndim, a->shape);
    if (!make_array(p, owner, grid)) return;
    if (over >= 0) heddle__share_array(p->plan, p->values[owner].array, over);

    struct heddle_emission *emissions =
        heddle__arena_alloc(&p->scratch, (size_t)a->n_in * sizeof *emissions);
    struct heddle_inset *insets =
        heddle__arena_alloc(&p->scratch, (most_insets(p, owner) + 1) * sizeof *insets);
    if (!emissions || !insets) p->failed = true;
    int n_insets = 0, n_nodes = 1;
    int32_t inset_group = group; /* the groups of its inputs follow */
    for (int i = 0; i < a->n_in && !p->failed; i++) {
        if (!a->in[i] || a->in[i]->size == 0) continue;
        inset_group++;
        if (i == 0 && over >= 0) continue; /* the base is there already */
        struct heddle_emission *e = &emissions[i];
        struct heddle_inset *inset = &insets[n_insets];
        *e = (struct heddle_emission){.p = p, .group = inset_group, .ndim = a->ndim};
        const int n_boxes =
            p->groups[inset_group].tail ? heddle__emit_inset_tail(e, owner, i, inset) : 0;
        n_insets += n_boxes;
        if (n_boxes > 0) n_nodes += inset->space.n_nodes;
        if (n_boxes > 0) continue;
        const int n_taken = p->failed ? 0 : emit_inset(e, owner, i, inset);
        if (n_taken == 0) break;
        if (i == 0) keep_outside(p, inset, a);
        n_nodes += e->n_nodes;
        n_insets++;
        inset_group += n_taken - 1;
        i += n_taken - 1;
    }
    const enum heddle_assembly how = over >= 0 ? HEDDLE_ASSEMBLE_UPDATE
                                     : a->in[0] && n_insets > 1 && !insets[0].outside
                                         ? HEDDLE_ASSEMBLE_ORDERED
                                         : HEDDLE_ASSEMBLE_APART;
    if (!p->failed && !heddle__cut_assemble(p, p->plan->arrays[p->values[owner].array].grid,
                                            n_insets, insets, n_nodes, how))
        p->failed = true;
}

/* ---- Reshaped arrays ----------------------------------------------------------------------------- */

/* The value whose data `v` has: of a reshape its operand, of a view its base. */
static int32_t reshaped_from(const struct heddle_planner *p, const struct heddle_value *v)
{
    const struct heddle_map *map;
    if (v->node->kind == HEDDLE_NODE_VIEW) return p->values[v->base].canonical;
    const int32_t base = heddle__input(p, v, 0, &map);
    return map ? p->values[v->node->in[0]->mark_slot].canonical : base;
}

static void emit_reshape(struct heddle_planner *p, int32_t owner)
{
    const struct heddle_value *v = &p->values[owner];
    const heddle_array *a = v->node;
    int32_t from = heddle__array_to_load(p, reshaped_from(p, v));
    if (from < 0) {
        p->failed = true;
        return;
    }
    struct heddle_grid *grid = NULL;
    if (p->plan->arrays[from].grid->n_parts > 1)
        grid = heddle__grid_reshaped(p, p->plan->arrays[from].grid, a->ndim, a->shape);
    if (!grid && p->plan->arrays[from].grid->n_parts > 1 && heddle__only_programs_read(p, owner)) {
        int32_t array;
        if (!heddle__cut_reshaped(p, from, a->ndim, a->shape, &array)) p->failed = true;
        if (p->failed || array >= 0) {
            p->values[owner].array = array;
            return;
        }
    }
    if (!grid && p->plan->arrays[from].grid->n_parts > 1 && p->plan->arrays[from].grid->place) {
        struct heddle_grid *grid_there = heddle__grid_retain(p->plan->arrays[from].grid);
        from = heddle__cut_as(
            p, from, heddle__grid_in_rows(p, grid_there, heddle__row_size(a->ndim, a->shape)));
        if (from >= 0)
            grid = heddle__grid_reshaped(p, p->plan->arrays[from].grid, a->ndim, a->shape);
    }
    if (!grid && from >= 0) {
        from = heddle__cut_one_part(p, from);
        grid = heddle__grid_one(a->ndim, a->shape);
    }
    if (from < 0) p->failed = true;
    if (make_array(p, owner, grid)) heddle__share_array(p->plan, v->array, from);
}

/* ---- Order --------------------------------------------------------------------------------------- */

/* By stage, kind, elements of reductions and owner: the order in which groups are emitted. Of reductions the one with more results
 * comes later, so that its epilogue finds the others' results, as in sum(x * w, axis=1) / sum(w). */
struct rank {
    int32_t stage, kind, owner, group;
    int64_t kept;
};

static int64_t kept_of(const struct heddle_group *g)
{
    int64_t n = g->kind == HEDDLE_GROUP_REDUCE;
    for (int d = 0; d < g->n_kept && n > 0; d++) n *= g->extent[d];
    return n;
}

static int compare_ranks(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kept != b->kept) return a->kept < b->kept ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static void emit_group(struct heddle_planner *p, struct heddle_emission *e, int32_t group)
{
    struct heddle_group *g = &p->groups[group];
    if (g->emitted || g->kind == HEDDLE_GROUP_INSET) return;
    g->emitted = true;
    *e = (struct heddle_emission){.p = p, .group = group, .ndim = g->ndim};
    p->asked = g->grid || p->values[g->owner].grid;
    switch (g->kind) {
    case HEDDLE_GROUP_MAP: g->tail ? heddle__emit_tail(e) : heddle__emit_map(e); break;
    case HEDDLE_GROUP_REDUCE: heddle__emit_reduce(e); break;
    case HEDDLE_GROUP_ASSEMBLE: heddle__emit_assemble(p, group); break;
    case HEDDLE_GROUP_RESHAPE: emit_reshape(p, g->owner); break;
    case HEDDLE_GROUP_FAMILY:
        if (!heddle__family_of(p->values[g->owner].node)->cut(p, g->owner)) p->failed = true;
        break;
    case HEDDLE_GROUP_INSET: break; /* its ASSEMBLE emits it */
    }
}

bool heddle__emit(struct heddle_planner *p)
{
    struct rank *ranks =
        heddle__arena_alloc(&p->scratch, (size_t)(p->n_groups + 1) * sizeof *ranks);
    struct heddle_emission *e = heddle__arena_alloc(&p->scratch, sizeof *e);
    if (!ranks || !e) return false;
    for (int32_t i = 0; i < p->n_groups; i++)
        ranks[i] = (struct rank){p->groups[i].stage, (int32_t)p->groups[i].kind, p->groups[i].owner,
                                 i, kept_of(&p->groups[i])};
    qsort(ranks, (size_t)p->n_groups, sizeof *ranks, compare_ranks);
    for (int64_t i = 0; i < p->n_groups && !p->failed; i++) emit_group(p, e, ranks[i].group);
    return !p->failed && heddle__name_results(p);
}
