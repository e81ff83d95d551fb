/* Elementwise work on assembled arrays that are not stored (tail.c): a program for each box, all over the group's
 * iteration space. What feeds an array's input is computed in it as in a program of its own, read from where it
 * lands; the array then is that value. If a program has no room, all is stored after all. Entry points:
 * heddle__emit_tail, heddle__emit_inset_tail (emit.h). */
#include "plan/fuse/emit.h"

#include "plan/cut/cut.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"

#include <stdio.h>

/* What emitting a value changes. */
struct kept {
    const struct heddle_map *context;
    int32_t uses;
};

/* A tail being emitted. */
struct tail {
    struct heddle_emission *e;
    const struct heddle_tail *t;
    int32_t group;
    int32_t owner;                   /* of an INSET group: its ASSEMBLE, ... */
    int input;                       /* ... and which input it is; owner -1: a MAP group */
    struct kept *kept;               /* for the members of one group */
    struct heddle_builder *builders; /* [n_boxes] */
    int32_t n_programs;              /* 1: all boxes are in the first one; else each has its own */
};

/* The members of a group are read by `map` until they are restored. */
static void move_members(const struct tail *s, int32_t group, const struct heddle_map *map)
{
    struct heddle_planner *p = s->e->p;
    int32_t n = 0;
    s->e->group = group;
    for (int32_t at = p->groups[group].first; at >= 0; at = p->next_member[at]) {
        struct heddle_value *v = &p->values[at];
        s->kept[n++] = (struct kept){v->context, v->uses};
        v->context = heddle__compose(p, v->context, map);
    }
}

static void restore_members(const struct tail *s, int32_t group)
{
    struct heddle_planner *p = s->e->p;
    int32_t n = 0;
    for (int32_t at = p->groups[group].first; at >= 0; at = p->next_member[at]) {
        p->values[at].context = s->kept[n].context;
        p->values[at].uses = s->kept[n++].uses;
    }
}

/* Whether all members had room. */
static bool emit_members(const struct tail *s, int32_t group)
{
    struct heddle_planner *p = s->e->p;
    bool fits = heddle__has_room(s->e, -1);
    for (int32_t at = p->groups[group].first; at >= 0 && fits && !p->failed;
         at = p->next_member[at]) {
        fits = heddle__has_room(s->e, at);
        if (fits) heddle__emit_member(s->e, at);
    }
    return fits && heddle__has_room(s->e, -1) && !p->failed;
}

/* Adds input `i` of the tail's array `slot`, which then is that value; `ahead`: by how much the space is ahead, or NULL. */
static bool emit_input(const struct tail *s, int slot, int i, const struct heddle_map *ahead)
{
    struct heddle_planner *p = s->e->p;
    struct heddle_value *v = &p->values[s->t->at[slot]];
    const heddle_array *a = v->node;
    struct heddle_map from = heddle__map_identity(a->ndim);
    bool moved = a->ndim != s->e->ndim;
    for (int d = 0; d < a->ndim; d++) {
        const int8_t axis = s->t->axis[slot][d];
        from.axis[d] = axis;
        from.offset[d] = -s->t->shift[slot][axis] - (i > 0 ? a->landings[i].start[d] : 0) +
                         (ahead ? ahead->offset[axis] : 0);
        moved = moved || from.offset[d] != 0;
    }
    const struct heddle_map *map = moved ? heddle__scratch_map(p, &from) : NULL, *in_map;
    const int32_t in = heddle__input(p, v, i, &in_map);
    const int32_t group = heddle__inset_group(p, s->t->at[slot], i);
    if (p->failed) return false;
    move_members(s, group, map);
    const bool fits = emit_members(s, group);
    if (fits) s->e->landed[slot] = heddle__fetch(s->e, in, heddle__compose(p, in_map, map));
    restore_members(s, group);
    v->segment = p->segment;
    return fits && !p->failed;
}

/* Adds what a box computes to the program, with its stores, which name values as long as these have no arrays. Box -1: nothing of what
 * lands, and no store. */
static bool add_box(const struct tail *s, int32_t box, const struct heddle_map *ahead)
{
    struct heddle_emission *e = s->e;
    struct heddle_planner *p = e->p;
    const struct heddle_map identity = heddle__map_identity(e->ndim);
    bool fits = true;
    for (int k = s->t->n - 1; k >= 0 && fits; k--) { /* operands before users */
        struct heddle_value *v = &p->values[s->t->at[k]];
        v->segment = box < 0 ? p->segment : -1;
        e->landed[k] = 0;
        if (box >= 0 && s->t->boxes[box].input[k] >= 0)
            fits = emit_input(s, k, s->t->boxes[box].input[k], ahead);
    }
    if (!fits) return false;
    move_members(s, s->group, ahead);
    fits = emit_members(s, s->group);
    if (fits && s->owner >= 0) heddle__store_inset(e, s->owner, s->input);
    restore_members(s, s->group);
    for (int32_t at = e->from; at >= 0 && fits && box >= 0; at = p->next_member[at])
        if (p->values[at].materialised)
            heddle__build_store(&e->b, p->values[at].instr, at, p->values[at].node->dtype,
                                ahead ? ahead : &identity);
    return fits && !p->failed;
}

/* The program of a box. Box -1: what it reads beside what lands says where the result is. */
static bool emit_box(const struct tail *s, int32_t box)
{
    heddle__start_segment(s->e, s->e->p->groups[s->group].first);
    s->e->tail = s->t;
    const bool fits = add_box(s, box, NULL);
    if (fits && box >= 0) s->builders[box] = s->e->b;
    return fits;
}

/* One program of all boxes, over the first one: each line of memory is written once then. False: it has no room. */
static bool emit_turns(const struct tail *s)
{
    const struct heddle_tail *t = s->t;
    const int last = s->e->ndim - 1;
    heddle__start_segment(s->e, s->e->p->groups[s->group].first);
    s->e->tail = t;
    bool fits = true;
    for (int32_t i = 0; i < t->n_boxes && fits; i++) {
        struct heddle_map to = heddle__map_identity(s->e->ndim);
        to.offset[last] = t->boxes[i].box.lo[last] - t->boxes[0].box.lo[last];
        const struct heddle_map *const ahead =
            to.offset[last] != 0 ? heddle__scratch_map(s->e->p, &to) : NULL;
        fits = !s->e->p->failed && add_box(s, i, ahead);
        s->e->n_live = 0; /* stored */
    }
    if (fits) s->builders[0] = s->e->b;
    return fits;
}

/* The most members of a group of the tail. */
static int32_t most_members(const struct heddle_planner *p, int32_t group,
                            const struct heddle_tail *t)
{
    int32_t most = p->groups[group].n_members;
    for (int k = 0; k < t->n; k++) {
        const heddle_array *a = p->values[t->at[k]].node;
        int32_t inset = p->values[t->at[k]].group;
        for (int i = 0; i < a->n_in; i++)
            if (a->in[i] && a->in[i]->size > 0 && p->groups[++inset].n_members > most)
                most = p->groups[inset].n_members;
    }
    return most;
}

/* A program for each box; false: one has no room, or memory is gone. */
static bool emit_each(struct tail *s)
{
    bool fits = true;
    s->n_programs = s->t->n_boxes;
    for (int32_t i = 0; i < s->n_programs && fits; i++) fits = emit_box(s, i);
    return fits;
}

/* The programs of all boxes; false: one has no room, or memory is gone. */
static bool emit_boxes(struct tail *s)
{
    struct heddle_planner *p = s->e->p;
    const size_t n = (size_t)s->t->n_boxes;
    s->kept = heddle__arena_alloc(&p->scratch,
                                  ((size_t)most_members(p, s->group, s->t) + 1) * sizeof *s->kept);
    s->builders = heddle__arena_alloc(&p->scratch, n * sizeof *s->builders);
    if (!s->kept || !s->builders) {
        p->failed = true;
        return false;
    }
    s->n_programs = 1;
    const bool turns =
        s->owner < 0 && s->t->n == 1 &&
        heddle__boxes_take_turns(p, &p->groups[s->group], s->t->n_boxes, s->t->boxes);
    return (turns && emit_turns(s)) || (!p->failed && emit_each(s));
}

/* The partition of the results. */
static struct heddle_grid *choose_grid(const struct tail *s)
{
    struct heddle_planner *p = s->e->p;
    const struct heddle_group g = p->groups[s->group];
    if (g.grid) return heddle__grid_retain(g.grid);
    struct heddle_grid *more[HEDDLE_TAIL_ARRAYS];
    int n = 0;
    for (int k = 0; k < s->t->n && !p->failed; k++) {
        const struct heddle_value *v = &p->values[s->t->at[k]];
        bool same = v->node->ndim == g.ndim;
        for (int d = 0; d < g.ndim && same; d++)
            same = same && s->t->shift[k][d] == 0 && v->node->shape[d] == g.extent[d];
        struct heddle_grid *grid = same ? heddle__assembled_grid(p, v) : NULL;
        if (grid) more[n++] = grid;
    }
    struct heddle_grid *grid = p->failed ? NULL : heddle__map_grid(p, &s->e->b, s->group, n, more);
    for (int k = 0; k < n; k++) heddle__grid_release(more[k]);
    if (!grid) p->failed = true;
    return grid;
}

/* Makes the arrays that the group stores, and lets stores name them. */
static void make_arrays(const struct tail *s, struct heddle_grid *grid)
{
    struct heddle_planner *p = s->e->p;
    for (int32_t at = p->groups[s->group].first; at >= 0 && !p->failed; at = p->next_member[at])
        if (p->values[at].materialised) heddle__make_array(p, at, grid);
    for (int32_t i = 0; i < s->n_programs && !p->failed; i++)
        for (int k = 0; k < s->builders[i].program.n_operands; k++) {
            struct heddle_operand *o = &s->builders[i].operands[k];
            if (o->store) o->array = p->values[o->array].array;
        }
}

/* Whether array k of a tail is there once more before it. */
static bool is_again(const struct heddle_tail *t, int k)
{
    for (int j = 0; j < k; j++)
        if (t->at[j] == t->at[k]) return true;
    return false;
}

/* All operations of the group and of the arrays. */
static int32_t count_nodes(const struct tail *s)
{
    const struct heddle_planner *p = s->e->p;
    int32_t n = p->groups[s->group].n_members;
    for (int k = 0; k < s->t->n; k++) {
        const heddle_array *a = p->values[s->t->at[k]].node;
        int32_t inset = p->values[s->t->at[k]].group;
        if (is_again(s->t, k)) continue;
        n++;
        for (int i = 0; i < a->n_in; i++)
            if (a->in[i] && a->in[i]->size > 0) n += p->groups[++inset].n_members;
    }
    return n;
}

/* An inset for each program, landing where `landing` says; `name`: of the step. False when memory is gone. */
static bool make_insets(const struct tail *s, struct heddle_inset *insets,
                        const struct heddle_landing *landing, const char *name)
{
    struct heddle_planner *p = s->e->p;
    const struct heddle_group *g = &p->groups[s->group];
    const int32_t n_nodes = count_nodes(s);
    for (int32_t i = 0; i < s->n_programs; i++) {
        struct heddle_inset *inset = &insets[i];
        *inset = (struct heddle_inset){
            .builder = &s->builders[i], .only = &s->t->boxes[i].box, .landing = *landing};
        inset->program = heddle__plan_program(p, inset->builder);
        if (!inset->program) return false;
        inset->space = (struct heddle_space){g->ndim, g->ndim, g->extent, n_nodes, name};
    }
    return true;
}

static void cut(const struct tail *s, const struct heddle_grid *grid)
{
    struct heddle_planner *p = s->e->p;
    const int32_t n = s->n_programs;
    struct heddle_inset *insets = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *insets);
    struct heddle_landing landing = {{0}, {0}};
    char of[48], name[48];
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) landing.step[d] = 1;
    if (!insets || !make_insets(s, insets, &landing, name)) {
        p->failed = true;
        return;
    }
    heddle__name_program(insets[n - 1].program, of);
    snprintf(name, sizeof name, "assemble>%.38s", of);
    if (!heddle__cut_assemble(p, grid, n, insets, count_nodes(s), HEDDLE_ASSEMBLE_APART))
        p->failed = true;
}

/* The tail's arrays, each by itself. */
static void emit_arrays(struct heddle_planner *p, const struct heddle_tail *t)
{
    for (int k = t->n - 1; k >= 0 && !p->failed; k--)
        if (!is_again(t, k)) heddle__emit_assemble(p, p->values[t->at[k]].group);
}

void heddle__emit_tail(struct heddle_emission *e)
{
    struct heddle_planner *p = e->p;
    struct tail s = {.e = e, .t = p->groups[e->group].tail, .group = e->group, .owner = -1};
    const bool fits = emit_boxes(&s) && emit_box(&s, -1);
    if (!fits && !p->failed) { /* as if there were no tail */
        emit_arrays(p, s.t);
        e->group = s.group;
        if (!p->failed) heddle__emit_map(e);
        return;
    }
    struct heddle_grid *grid = p->failed ? NULL : choose_grid(&s);
    if (grid && s.n_programs < s.t->n_boxes && grid->n[e->ndim - 1] > 1 && !emit_each(&s))
        p->failed = true; /* its parts divide the turns; what fits together fits apart */
    if (grid) make_arrays(&s, grid);
    if (!p->failed) cut(&s, grid);
    heddle__grid_release(grid);
}

int heddle__emit_inset_tail(struct heddle_emission *e, int32_t owner, int i,
                            struct heddle_inset *insets)
{
    struct heddle_planner *p = e->p;
    struct tail s = {
        .e = e, .t = p->groups[e->group].tail, .group = e->group, .owner = owner, .input = i};
    const struct heddle_landing landing = heddle__landing_of(p->values[owner].node, i);
    if (emit_boxes(&s)) {
        if (make_insets(&s, insets, &landing, NULL)) return s.t->n_boxes;
        p->failed = true;
    } else if (!p->failed) {
        emit_arrays(p, s.t);
        e->group = s.group;
    }
    return 0;
}
