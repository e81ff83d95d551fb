/* The edges of reductions. Entry points: edges.h. */
#include "plan/cut/edges.h"

#include "plan/partition/derive.h"

#include <string.h>

enum {
    MOST_PIECES = 256,
    LESS = 4, /* edges are at most this share of the iteration: they are read twice */
};

struct search {
    struct heddle_planner *p;
    const struct heddle_builder *b;
    const struct heddle_grid *iteration;
    int axis;
    int64_t unit;
};

static bool is_read(const struct heddle_operand *o)
{
    return !o->store && !o->after && !o->at_indices;
}

static struct heddle_grid *grid_of(const struct search *s, int k)
{
    return s->p->plan->arrays[s->b->operands[k].array].grid;
}

/* The only axis that a grid is cut along; -1: none, or several. */
static int only_cut(const struct heddle_grid *grid)
{
    for (int d = 0; d < grid->ndim; d++)
        if (grid->n[d] > 1) return grid->n[d] == grid->n_parts ? d : -1;
    return -1;
}

/* Whether all operands in several parts are cut along what becomes the iteration's axis. */
static bool may_have_edges(const struct search *s)
{
    for (int k = 0; k < s->b->program.n_operands; k++) {
        const struct heddle_operand *o = &s->b->operands[k];
        if (!is_read(o)) continue;
        if (s->p->plan->arrays[o->array].is_file) return false;
        if (grid_of(s, k)->n_parts == 1) continue;
        const int d = only_cut(grid_of(s, k));
        if (d < 0 || o->map.axis[d] != s->axis || o->map.step[d] == 0 || grid_of(s, k)->overlaps)
            return false;
    }
    return true;
}

static struct heddle_box box_of(const struct search *s, int64_t part, int64_t lo, int64_t hi)
{
    struct heddle_box box = heddle__grid_part(s->iteration, part);
    box.lo[s->axis] = lo;
    box.hi[s->axis] = hi;
    return box;
}

/* Whether the box reads one part of operand k, which is at the place, or anywhere. */
static bool reads_one(const struct search *s, int k, const struct heddle_box *box,
                      heddle_place place)
{
    const struct heddle_grid *grid = grid_of(s, k);
    if (!is_read(&s->b->operands[k]) || grid->n_parts == 1) return true;
    const struct heddle_box region = heddle__map_region(&s->b->operands[k].map, box);
    const int64_t part = heddle__grid_locate(grid, region.lo);
    const struct heddle_box in = heddle__grid_part(grid, part);
    const heddle_place at = heddle__grid_place_of(grid, part);
    return heddle__box_contains(&in, &region, grid->ndim) &&
           (at == place || at == HEDDLE_ANYWHERE || place == HEDDLE_ANYWHERE);
}

static bool reads_one_of_each(const struct search *s, const struct heddle_box *box,
                              heddle_place place)
{
    bool one = true;
    for (int k = 0; one && k < s->b->program.n_operands; k++) one = reads_one(s, k, box, place);
    return one;
}

/* Adds a bound between lo and hi to the `n` of them, which ascend and differ. */
static int add_bound(int64_t *bounds, int n, int64_t at, int64_t lo, int64_t hi)
{
    if (at <= lo || at >= hi || n == MOST_PIECES) return n;
    int i = n;
    while (i > 0 && bounds[i - 1] > at) i--;
    if (i > 0 && bounds[i - 1] == at) return n;
    memmove(bounds + i + 1, bounds + i, (size_t)(n - i) * sizeof *bounds);
    bounds[i] = at;
    return n + 1;
}

/* Where pieces of a part, a box, end: around each bound of an operand that it reads both sides of. */
static int find_bounds(const struct search *s, const struct heddle_box *box, int64_t *bounds)
{
    const int64_t lo = box->lo[s->axis], hi = box->hi[s->axis];
    int n = 0;
    for (int k = 0; k < s->b->program.n_operands; k++) {
        const struct heddle_operand *o = &s->b->operands[k];
        const struct heddle_grid *grid = grid_of(s, k);
        if (!is_read(o) || grid->n_parts == 1) continue;
        const int d = only_cut(grid);
        const struct heddle_box region = heddle__map_region(&o->map, box);
        for (int64_t i = heddle__grid_locate(grid, region.lo) + 1;
             i < grid->n[d] && grid->bound[d][i] < region.hi[d]; i++) {
            const int64_t at = heddle__map_beyond(o->map.offset[d], o->map.step[d],
                                                  grid->bound[d][i]),
                          below = at / s->unit * s->unit;
            n = add_bound(bounds, n, below, lo, hi);
            if (below < at) n = add_bound(bounds, n, below + s->unit, lo, hi);
        }
    }
    bounds[n] = hi;
    return n + 1;
}

/* The pieces of a part; neighbouring edges are one. False: they are too many. */
static bool find_pieces(const struct search *s, int64_t part, struct heddle_edges *e,
                        int64_t *at_edges)
{
    const struct heddle_box all = heddle__grid_part(s->iteration, part);
    const heddle_place place = heddle__grid_place_of(s->iteration, part);
    int64_t bounds[MOST_PIECES + 1], lo = all.lo[s->axis];
    if (heddle__box_size(&all, s->iteration->ndim) == 0) return true;
    const int n = find_bounds(s, &all, bounds);
    bool joins = false;
    for (int i = 0; i < n; lo = bounds[i++]) {
        const struct heddle_box box = box_of(s, part, lo, bounds[i]);
        const bool edge = !reads_one_of_each(s, &box, place);
        if (edge) *at_edges += bounds[i] - lo;
        if (edge && joins) {
            e->at[e->n - 1].hi = bounds[i];
        } else {
            if (e->n == MOST_PIECES) return false;
            e->at[e->n++] = (struct heddle_edge){.part = part, .lo = lo, .hi = bounds[i]};
        }
        joins = edge;
    }
    return true;
}

/* What the box reads of an operand, in an array of one part at the place, and the operand that reads it there. */
static bool bring_together(const struct search *s, const struct heddle_box *box, heddle_place place,
                           struct heddle_operand *o)
{
    struct heddle_planner *p = s->p;
    const struct heddle_box region = heddle__map_region(&o->map, box);
    struct heddle_map from = heddle__map_identity(o->map.n);
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < o->map.n; d++) {
        from.offset[d] = region.lo[d];
        shape[d] = region.hi[d] - region.lo[d];
        o->map.offset[d] -= region.lo[d];
    }
    struct heddle_grid *one = heddle__grid_one(o->map.n, shape), *grid = one;
    if (one && place != HEDDLE_ANYWHERE) {
        grid = heddle__grid_place(one, 1, &place);
        heddle__grid_release(one);
    }
    const int32_t array = o->array;
    o->array = heddle__plan_add_like(p, array, grid);
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (o->array < 0 || !b) return false;
    heddle__build_start(b);
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[array]);
    const struct heddle_map identity = heddle__map_identity(o->map.n);
    const uint16_t value = heddle__build_load(b, array, dtype, &from);
    heddle__build_store(b, value, o->array, dtype, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    const struct heddle_space space = {o->map.n, o->map.n, grid->shape, 0, "edge"};
    return program && heddle__cut_map(p, b, program, &space, grid);
}

static bool bring_all(const struct search *s, struct heddle_edge *edge)
{
    const struct heddle_box box = box_of(s, edge->part, edge->lo, edge->hi);
    const heddle_place place = heddle__grid_place_of(s->iteration, edge->part);
    if (reads_one_of_each(s, &box, place)) return true;
    const size_t bytes = (size_t)s->b->program.n_operands * sizeof *edge->operands;
    edge->operands = heddle__arena_alloc(&s->p->scratch, bytes);
    if (!edge->operands) return false;
    memcpy(edge->operands, s->b->operands, bytes);
    for (int k = 0; k < s->b->program.n_operands; k++)
        if (!reads_one(s, k, &box, place) && !bring_together(s, &box, place, &edge->operands[k]))
            return false;
    return true;
}

bool heddle__edges_find(struct heddle_planner *p, const struct heddle_builder *b,
                        const struct heddle_grid *iteration, int64_t unit, struct heddle_edges *e)
{
    const struct search s = {p, b, iteration, only_cut(iteration), unit};
    int64_t at_edges = 0;
    *e = (struct heddle_edges){.axis = s.axis};
    if (s.axis < 0 || iteration->overlaps || iteration->n_parts > MOST_PIECES ||
        !may_have_edges(&s))
        return true;
    e->at = heddle__arena_alloc(&p->scratch, MOST_PIECES * sizeof *e->at);
    if (!e->at) return false;
    bool fits = true;
    for (int64_t part = 0; fits && part < iteration->n_parts; part++)
        fits = find_pieces(&s, part, e, &at_edges);
    if (!fits || at_edges > iteration->shape[s.axis] / LESS ||
        (at_edges == 0 && e->n <= iteration->n_parts)) {
        e->n = 0;
        return true;
    }
    for (int64_t i = 0; i < e->n; i++)
        if (!bring_all(&s, &e->at[i])) return false;
    heddle__halos_clear(p);
    return true;
}

struct heddle_grid *heddle__edges_grid(struct heddle_planner *p,
                                       const struct heddle_grid *iteration,
                                       const struct heddle_edges *e)
{
    int64_t n[HEDDLE_MAX_NDIM],
        *cut = heddle__arena_alloc(&p->scratch, (size_t)(e->n + 1) * sizeof *cut);
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    if (!cut) return NULL;
    for (int d = 0; d < iteration->ndim; d++) {
        n[d] = d == e->axis ? e->n : 1;
        bounds[d] = d == e->axis ? cut : iteration->bound[d];
    }
    cut[0] = 0;
    for (int64_t i = 0; i < e->n; i++) cut[i + 1] = e->at[i].hi;
    const struct heddle_map identity = heddle__map_identity(iteration->ndim);
    return heddle__grid_placed_as(
        p, heddle__grid_make(iteration->ndim, iteration->shape, n, bounds), iteration, &identity);
}

void heddle__edges_swap(const struct heddle_edges *e, int64_t i, struct heddle_builder *b)
{
    struct heddle_operand *other = e->n > 0 ? e->at[i].operands : NULL;
    for (int k = 0; other && k < b->program.n_operands; k++) {
        const struct heddle_operand o = b->operands[k];
        b->operands[k] = other[k];
        other[k] = o;
    }
}
