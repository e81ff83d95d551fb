/* Operations on selected elements as operations on all: what a masked update computes need not be selected first.
 * Entry point: heddle__before_compact. */
#include "families/compact/compact.h"
#include "graph/make.h"

#include <string.h>

enum { MOST_NODES = 64 }; /* of an expression; those that it has twice are made once */

struct search {
    heddle_array *mask;
    bool selects; /* something is selected by it */
    double flops; /* for each element */
    int n;
    heddle_array *of[MOST_NODES],
        *as[MOST_NODES]; /* owned: others may evaluate, and drop, what they are in */
};

/* The shape of x with the mask's axes in place of its first. False: those are too many. */
static bool shape_before(const struct search *s, const heddle_array *x, struct heddle_shape *shape)
{
    const int n = s->mask->ndim;
    if (x->ndim < 1 || n + x->ndim - 1 > HEDDLE_MAX_NDIM) return false;
    shape->ndim = n + x->ndim - 1;
    memcpy(shape->extent, s->mask->shape, (size_t)n * sizeof *shape->extent);
    memcpy(shape->extent + n, x->shape + 1, (size_t)(x->ndim - 1) * sizeof *shape->extent);
    return true;
}

static heddle_array *find(struct search *s, heddle_array *x);

static heddle_array *map_before(struct search *s, heddle_array *x, enum heddle_node_kind kind,
                                const struct heddle_shape *shape, int n, heddle_array *const in[])
{
    heddle_array *as[3];
    enum heddle_dtype dtypes[3];
    for (int i = 0; i < n; i++) {
        const bool is_number = in[i]->ndim == 0 && heddle__is_constant(in[i]);
        as[i] = is_number ? in[i] : find(s, in[i]);
        dtypes[i] = (enum heddle_dtype)in[i]->dtype;
        if (!as[i]) return NULL;
    }
    return heddle__make_same(x, kind, shape, n, as, dtypes);
}

/* A view of what is the same for all that is selected, or one that has each selected element or row in its place. */
static heddle_array *view_before(struct search *s, const heddle_array *x, heddle_array *source,
                                 const struct heddle_map *map, const struct heddle_shape *shape)
{
    struct heddle_map before = {.n = map->n};
    const int more = s->mask->ndim - 1;
    bool is_same = true;
    for (int d = 0; d < map->n; d++) is_same = is_same && map->axis[d] != 0;
    const bool in_place = map->n > 0 && map->axis[0] == 0 && map->offset[0] == 0 &&
                          map->step[0] == 1 && x->shape[0] == source->shape[0] &&
                          map->n + more <= HEDDLE_MAX_NDIM;
    heddle_array *const of = is_same ? source : in_place ? find(s, source) : NULL;
    if (!of) return NULL;
    if (!is_same) before.n = (int8_t)(map->n + more);
    for (int d = 0; d < before.n; d++) {
        const int from = is_same ? d : d - more;
        const bool of_mask = !is_same && d <= more;
        if (!of_mask && map->axis[from] == 0) return NULL; /* a diagonal */
        before.axis[d] = (int8_t)(of_mask ? d : map->axis[from] < 0 ? -1 : map->axis[from] + more);
        before.offset[d] = of_mask ? 0 : map->offset[from];
        before.step[d] = of_mask ? 1 : map->step[from];
    }
    return heddle__make_view(of, &before, shape->ndim, shape->extent);
}

static heddle_array *before(struct search *s, heddle_array *x)
{
    struct heddle_shape shape;
    struct heddle_map map;
    heddle_array *in[3], *r = NULL;
    if (!shape_before(s, x, &shape)) return NULL;
    if (heddle__is_constant(x))
        return heddle__make_constant(x->value, (enum heddle_dtype)x->dtype, shape.ndim,
                                     shape.extent);
    const enum heddle_node_kind kind = x->kind;
    int n = heddle__node_operands(x, in);
    if (n > 0) {
        r = map_before(s, x, kind, &shape, n, in);
        if (kind == HEDDLE_NODE_MAP) s->flops += (double)heddle__ops[x->op].flops;
    } else if ((n = heddle__node_inputs_of(x, &heddle__compact_family, in)) > 0) {
        if (n == 2 && in[0] == s->mask) r = heddle__retain(in[1]);
        s->selects = s->selects || r;
    } else if ((in[0] = heddle__node_source(x, HEDDLE_NODE_VIEW, &map)) != NULL) {
        r = view_before(s, x, in[0], &map, &shape);
        n = 1;
    }
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return r;
}

/* It stays with the search. */
static heddle_array *find(struct search *s, heddle_array *x)
{
    for (int i = 0; i < s->n; i++)
        if (s->of[i] == x) return s->as[i];
    heddle_array *as = s->n < MOST_NODES ? before(s, x) : NULL;
    if (as && s->n == MOST_NODES) {
        heddle__release(as);
        as = NULL;
    }
    if (!as) return NULL;
    s->of[s->n] = heddle__retain(x);
    return s->as[s->n++] = as;
}

heddle_array *heddle__before_compact(heddle_array *x, heddle_array *mask, double most_flops)
{
    struct search s = {.mask = mask};
    heddle_array *const found = find(&s, x), *r = NULL;
    if (found && s.selects && s.flops <= most_flops) r = heddle__retain(found);
    for (int i = 0; i < s.n; i++) {
        heddle__release(s.of[i]);
        heddle__release(s.as[i]);
    }
    return r;
}
