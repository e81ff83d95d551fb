/* The partition of an array that is assembled of others. An update follows its base, even one that is
 * computed as it is read; joined arrays stay where they are. Entry points: choose.h. */
#include "array/storage.h"
#include "base/memory.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"

enum {
    MOST_STACK = 64,
    DEEPEST = 4,    /* assemblies within each other, ... */
    FEW_INPUTS = 10 /* ... each of so many, for all inputs of all are looked at */
};

static struct heddle_grid *assembled_grid(struct heddle_planner *p, const struct heddle_value *v,
                                          int depth);

/* A value, and the map by which it is read (NULL: identity). */
struct visit {
    int32_t at;
    const struct heddle_map *map;
};

/* The partition of a value that has an array or is data; NULL: it is computed as it is read. */
static struct heddle_grid *grid_of(const struct heddle_planner *p, const struct heddle_value *v)
{
    if (v->array >= 0) return p->plan->arrays[v->array].grid;
    if (v->node->kind != HEDDLE_NODE_DATA) return NULL;
    struct heddle_grid *grid = heddle__storage_grid(v->node->storage);
    if (!grid) return v->grid;
    bool fits = grid->ndim == v->node->ndim;
    for (int d = 0; fits && d < grid->ndim; d++) fits = grid->shape[d] == v->node->shape[d];
    return fits ? grid : NULL;
}

/* The partition `like` of a value, carried over to its reader: if the user asked for it or, with `any`,
 * if it has places. Else NULL. */
static struct heddle_grid *carried_grid(struct heddle_planner *p, const struct visit *visit,
                                        struct heddle_grid *like, bool any, int ndim,
                                        const int64_t *shape)
{
    if (!heddle__grid_is_divided(like) || !(like->asked || (any && like->place))) return NULL;
    if (!visit->map && like->ndim == ndim) return heddle__grid_retain(like);
    const struct heddle_map map = visit->map ? *visit->map : heddle__map_identity(like->ndim);
    if (!heddle__grid_carries_over(like, &map)) return NULL;
    struct heddle_grid *grid = heddle__grid_over(p, like, &map, ndim, shape);
    if (!grid) p->failed = true;
    if (grid) grid->asked = like->asked;
    return grid;
}

/* That of input i; through what is computed as it is read, also `depth` assemblies. NULL: it follows nothing. */
static struct heddle_grid *follow(struct heddle_planner *p, const struct heddle_value *v, int i,
                                  bool any, int depth)
{
    const heddle_array *in = v->node->in[i];
    struct visit stack[MOST_STACK];
    stack[0].at = heddle__input(p, v, i, &stack[0].map);
    for (int n = 1, visits = 0;
         n > 0 && visits < heddle__thresholds.visits_for_partition && !p->failed; visits++) {
        const struct visit visit = stack[--n];
        const struct heddle_value *of = &p->values[visit.at];
        const bool assembles = of->node->kind == HEDDLE_NODE_ASSEMBLE && of->array < 0 &&
                               depth > 0 && of->node->n_in <= FEW_INPUTS;
        struct heddle_grid *like =
            assembles ? assembled_grid(p, of, depth - 1) : heddle__grid_retain(grid_of(p, of));
        if (like) {
            struct heddle_grid *grid = carried_grid(p, &visit, like, any, in->ndim, in->shape);
            heddle__grid_release(like);
            if (grid) return grid;
        } else if (heddle__is_elementwise(of->node)) { /* follow its operands in order */
            for (int k = of->node->n_in - 1; k >= 0 && n < MOST_STACK; k--) {
                const struct heddle_map *map;
                stack[n].at = heddle__input(p, of, k, &map);
                stack[n++].map = heddle__compose(p, map, visit.map);
            }
        }
    }
    return NULL;
}

/* Arrays that are joined along an axis. */
struct joined {
    const heddle_array *whole;
    int axis;
    struct heddle_grid **grids; /* [n_in]; NULL: it follows none */
    const struct heddle_grid *first;
    bool asked; /* the user distributed one of them */
};

/* Where input i begins. */
static int64_t start_of(const struct joined *j, int i)
{
    return j->whole->landings[i].start[j->axis];
}

/* Whether the inputs are slabs, one after the other along one axis, as concat makes them. */
static bool find_axis(struct joined *j)
{
    const heddle_array *a = j->whole;
    j->axis = -1;
    int64_t end = 0;
    for (int i = 1; i < a->n_in; i++)
        for (int d = 0; d < a->ndim; d++) {
            if (a->landings[i].step[d] != 1 && a->in[i]->shape[d] > 1) return false;
            if (a->in[i]->shape[d] == a->shape[d]) continue;
            if (j->axis >= 0 && j->axis != d) return false;
            j->axis = d;
        }
    if (j->axis < 0) return false;
    for (int i = 1; i < a->n_in; i++) {
        if (start_of(j, i) != end) return false;
        end += a->in[i]->shape[j->axis];
    }
    return end == a->shape[j->axis];
}

/* Whether the last part of input i and the first one of the next live in one place, and nothing is cut across: they
 * become one part, so that many rows of one GPU are no more than one array there. */
static bool goes_on(const struct joined *j, int i)
{
    const struct heddle_grid *g = j->grids[i],
                             *next = i + 1 < j->whole->n_in ? j->grids[i + 1] : NULL;
    return g && next && g->place && next->place && g->n_parts == g->n[j->axis] &&
           next->n_parts == next->n[j->axis] && j->first->n_parts == j->first->n[j->axis] &&
           heddle__grid_place_of(g, g->n_parts - 1) == heddle__grid_place_of(next, 0);
}

static int64_t count_intervals(const struct joined *j)
{
    int64_t n = 0;
    for (int i = 1; i < j->whole->n_in; i++)
        n += (j->grids[i] ? j->grids[i]->n[j->axis] : 1) - goes_on(j, i);
    return n;
}

static struct heddle_grid *cut_joined(const struct joined *j, int64_t *bounds, int64_t n)
{
    const heddle_array *a = j->whole;
    int64_t counts[HEDDLE_MAX_NDIM], at = 0;
    const int64_t *all[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) {
        counts[d] = d == j->axis ? n : j->first->n[d];
        all[d] = d == j->axis ? bounds : j->first->bound[d];
    }
    bounds[0] = 0;
    for (int i = 1; i < a->n_in; i++) {
        const struct heddle_grid *g = j->grids[i];
        for (int64_t k = 1; g && k <= g->n[j->axis]; k++)
            bounds[++at] = start_of(j, i) + g->bound[j->axis][k];
        if (!g) bounds[++at] = start_of(j, i) + a->in[i]->shape[j->axis];
        at -= goes_on(j, i);
    }
    return heddle__grid_make(a->ndim, a->shape, counts, all);
}

/* Puts each part where its first element lives. */
static struct heddle_grid *place_joined(const struct joined *j, const struct heddle_grid *cut,
                                        heddle_place *places)
{
    for (int64_t part = 0; part < cut->n_parts; part++) {
        struct heddle_box box = heddle__grid_part(cut, part);
        int i = 1;
        while (i + 1 < j->whole->n_in && box.lo[j->axis] >= start_of(j, i + 1)) i++;
        box.lo[j->axis] -= start_of(j, i);
        const struct heddle_grid *g = j->grids[i];
        places[part] =
            g ? heddle__grid_place_of(g, heddle__grid_locate(g, box.lo)) : HEDDLE_ANYWHERE;
    }
    return heddle__grid_place(cut, cut->n_parts, places);
}

/* NULL also if there would be too many parts. */
static struct heddle_grid *make_joined(struct heddle_planner *p, const struct joined *j,
                                       bool placed)
{
    const int64_t n = count_intervals(j), across = j->first->n_parts / j->first->n[j->axis];
    if (n > heddle__thresholds.most_parts / across) return NULL;
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *bounds);
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)(n * across) * sizeof *places);
    struct heddle_grid *cut = bounds && places ? cut_joined(j, bounds, n) : NULL;
    struct heddle_grid *grid = cut && placed ? place_joined(j, cut, places) : cut;
    if (grid != cut) heddle__grid_release(cut);
    if (grid)
        grid->asked = j->asked;
    else
        p->failed = true;
    return grid;
}

static struct heddle_grid *joined_grid(struct heddle_planner *p, const struct heddle_value *v,
                                       int depth)
{
    struct joined j = {.whole = v->node};
    const bool in_line = find_axis(&j);
    if (!in_line && p->policy->n_gpus < 2) return NULL;
    const int n_in = j.whole->n_in;
    j.grids = heddle__arena_alloc(&p->scratch, (size_t)n_in * sizeof(struct heddle_grid *));
    if (!j.grids) return NULL;
    bool placed = false, all = true;
    for (int i = 1; i < n_in; i++) {
        j.grids[i] = follow(p, v, i, true, depth);
        if (!j.first || (j.grids[i] && j.grids[i]->asked && !j.asked)) j.first = j.grids[i];
        placed = placed || (j.grids[i] && j.grids[i]->place);
        j.asked = j.asked || (j.grids[i] && j.grids[i]->asked);
        all = all && j.grids[i];
    }
    /* unless the user asked, they stay only if all of them have a partition */
    const bool stays = j.first && (j.asked || all) && !p->failed;
    struct heddle_grid *grid =
        placed && !j.asked && !p->failed ? heddle__beside_grid(p, j.whole, j.grids) : NULL;
    if (!grid && in_line && stays && !p->failed) grid = make_joined(p, &j, placed);
    for (int i = 1; i < n_in; i++) heddle__grid_release(j.grids[i]);
    return grid;
}

static struct heddle_grid *assembled_grid(struct heddle_planner *p, const struct heddle_value *v,
                                          int depth)
{
    const heddle_array *a = v->node;
    if (v->grid) return heddle__grid_retain(v->grid);
    if (!a->in[0]) return joined_grid(p, v, depth);
    /* an update stays where its base is */
    const int32_t base = heddle__array_of(p, p->values[a->in[0]->mark_slot].canonical);
    if (base >= 0) return heddle__grid_retain(p->plan->arrays[base].grid);
    return follow(p, v, 0, false, depth);
}

struct heddle_grid *heddle__assembled_grid(struct heddle_planner *p, const struct heddle_value *v)
{
    return assembled_grid(p, v, DEEPEST);
}

bool heddle__lie_alike(const heddle_array *a, const struct heddle_grid *grid, int i, int k)
{
    const heddle_array *x = a->in[i], *y = a->in[k];
    if (!x || !y) return false;
    for (int d = 0; d < a->ndim; d++) {
        const bool differ = a->landings[i].start[d] != a->landings[k].start[d];
        if (x->shape[d] != y->shape[d] || a->landings[i].step[d] != 1 ||
            a->landings[k].step[d] != 1 || (differ && grid && grid->n[d] > 1))
            return false;
    }
    return true;
}

/* Whether each part of an array of inputs that lie alike has all of them. */
static bool has_all_inputs(const heddle_array *a, const struct heddle_grid *grid)
{
    for (int i = 2; i < a->n_in; i++)
        if (!heddle__lie_alike(a, grid, 1, i)) return false;
    return true;
}

struct heddle_grid *heddle__stacked_grid(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node, *in = a->in[1];
    struct heddle_grid *grid = assembled_grid(p, v, DEEPEST);
    if (!grid && !p->failed) grid = heddle__auto_grid(p, a->ndim, a->shape);
    if (!grid || grid->asked || has_all_inputs(a, grid)) return grid;
    struct heddle_map map = heddle__map_identity(a->ndim); /* from the array to an input */
    for (int d = 0; d < a->ndim; d++)
        if (in->shape[d] != a->shape[d]) {
            map.axis[d] = -1;
            map.step[d] = 0;
        }
    struct heddle_grid *like = follow(p, v, 1, true, DEEPEST), *of_all = NULL;
    if (!like && !p->failed) like = heddle__auto_grid(p, in->ndim, in->shape);
    if (like && heddle__grid_carries_over(like, &map))
        of_all = heddle__grid_over(p, like, &map, a->ndim, a->shape);
    heddle__grid_release(like);
    if (!of_all) return grid;
    heddle__grid_release(grid);
    return of_all;
}
