/* Arrays put together of others. What is a view of such an array, and reads several of its inputs, is taken apart along their borders,
 * so that each piece is of one input and the array between is never stored. Entry point: heddle__make_assemble. */
#include "graph/cuts.h"
#include "graph/make.h"

#include "base/memory.h"

#include <string.h>

enum {
    MOST_PIECES = HEDDLE_MOST_PIECES, /* of an input, and of the arrays that it reads */
    MOST_INPUTS = 32                  /* of an array that has pieces */
};

struct inputs {
    heddle_array *in[MOST_INPUTS]; /* owned */
    struct heddle_landing landing[MOST_INPUTS];
    int n;
};

/* The first index k of a view for which offset + step k is at or beyond the border, from where the view begins. */
static int64_t crossing(int64_t border, int64_t offset, int64_t step)
{
    const int64_t way = step > 0 ? border - offset : offset - border + 1,
                  size = step > 0 ? step : -step;
    return way > 0 ? (way + size - 1) / size : 0;
}

/* Cuts x, a view by `map` of an array that has these parts: into how many pieces; 0: too many. */
static int64_t cut(const heddle_array *x, const struct heddle_map *map, int n,
                   const struct heddle_box parts[], struct heddle_cuts *c)
{
    heddle__cuts_begin(c, x->ndim, x->shape);
    for (int e = 0; e < map->n; e++) {
        const int d = map->axis[e];
        if (d < 0 || map->step[e] == 0) continue;
        for (int i = 0; i < 2 * n; i++) {
            const int64_t border = i % 2 ? parts[i / 2].hi[e] : parts[i / 2].lo[e],
                          at = crossing(border, map->offset[e], map->step[e]);
            if (at > 0 && at < x->shape[d] && !heddle__cut_at(c, d, at)) return 0;
        }
    }
    const int64_t pieces = heddle__n_pieces(c);
    return pieces <= MOST_PIECES ? pieces : 0;
}

static bool reads_assembled(heddle_array *x)
{
    struct heddle_map map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    const bool does = (source ? source : x)->kind == HEDDLE_NODE_ASSEMBLE;
    heddle__release(source);
    return does;
}

/* Whether a view has all elements of its source, and has got axes of extent 1: a stack whose inputs are stacked once more. */
static bool has_axes_more(const heddle_array *x, const struct heddle_map *map,
                          const heddle_array *source)
{
    bool has = x->ndim > source->ndim && x->size == source->size;
    for (int e = 0; has && e < map->n; e++)
        has = map->axis[e] >= 0 && map->step[e] == 1 && map->offset[e] == 0 &&
              x->shape[map->axis[e]] == source->shape[e];
    return has;
}

/* That box of x, which has_axes_more than `source`, of the one input of `source` that has it: an owned reference. NULL: none has. */
static heddle_array *view_of_input(const heddle_array *x, const struct heddle_map *map,
                                   heddle_array *source, const struct heddle_box *box,
                                   const int64_t *shape)
{
    struct heddle_box region;
    struct heddle_landing landing;
    struct heddle_map from = *map;
    for (int e = 0; e < map->n; e++) {
        region.lo[e] = box->lo[map->axis[e]];
        region.hi[e] = box->hi[map->axis[e]];
    }
    heddle_array *part = heddle__node_part(source, &region, &landing), *r = NULL;
    for (int e = 0; part && e < map->n; e++) from.offset[e] = region.lo[e] - landing.start[e];
    if (part) r = heddle__make_view(part, &from, x->ndim, shape);
    heddle__release(part);
    return r;
}

/* Adds the pieces of x, a view by `map` of `source`, each a view of one input of that. False, and none are added: there is one that is not. */
static bool add_pieces(struct inputs *to, heddle_array *x, const struct heddle_map *map,
                       heddle_array *source, const struct heddle_landing *landing,
                       const struct heddle_cuts *c, int64_t pieces)
{
    const int before = to->n;
    const bool all = has_axes_more(x, map, source);
    bool good = pieces <= MOST_INPUTS - before;
    for (int64_t piece = 0; piece < pieces && good; piece++) {
        struct heddle_map own = heddle__map_identity(x->ndim);
        struct heddle_landing *const at = &to->landing[to->n];
        const struct heddle_box box = heddle__piece(c, piece);
        int64_t shape[HEDDLE_MAX_NDIM];
        *at = *landing;
        for (int d = 0; d < x->ndim; d++) {
            own.offset[d] = box.lo[d];
            shape[d] = box.hi[d] - box.lo[d];
            at->start[d] += box.lo[d] * landing->step[d];
        }
        to->in[to->n] = all ? view_of_input(x, map, source, &box, shape) : NULL;
        if (!to->in[to->n]) to->in[to->n] = heddle__make_view(x, &own, x->ndim, shape);
        good = to->in[to->n] && !reads_assembled(to->in[to->n]);
        to->n += to->in[to->n] != NULL;
    }
    while (!good && to->n > before) heddle__release(to->in[--to->n]);
    return good;
}

static bool add_split(struct inputs *to, heddle_array *x, const struct heddle_landing *landing)
{
    struct heddle_map map;
    struct heddle_box parts[MOST_PIECES];
    struct heddle_cuts c;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    const int n = source ? heddle__node_parts(source, MOST_PIECES, parts) : 0;
    const int64_t pieces = n > 0 ? cut(x, &map, n, parts, &c) : 0;
    const bool adds = pieces > 0 && add_pieces(to, x, &map, source, landing, &c, pieces);
    heddle__release(source);
    return adds;
}

static heddle_array *make(enum heddle_dtype dtype, int ndim, const int64_t *shape, int n,
                          heddle_array *const in[], const struct heddle_landing landings[])
{
    heddle_array *a = heddle__node_new(HEDDLE_NODE_ASSEMBLE, dtype, ndim, shape);
    if (!a) return heddle__no_memory();
    a->in_dtype = (uint8_t)dtype;
    a->landings = heddle__alloc((size_t)n * sizeof *landings);
    if (!a->landings || !heddle__node_inputs(a, n, in)) {
        heddle__release(a);
        return heddle__no_memory();
    }
    memcpy(a->landings, landings, (size_t)n * sizeof *landings);
    return a;
}

heddle_array *heddle__make_assemble(enum heddle_dtype dtype, int ndim, const int64_t *shape, int n,
                                    heddle_array *const inputs[],
                                    const struct heddle_landing landings[])
{
    struct inputs all = {.n = 1};
    bool splits = false, fits = true;
    all.in[0] = inputs[0] ? heddle__retain(inputs[0]) : NULL;
    all.landing[0] = landings[0];
    for (int i = 1; i < n && fits; i++) {
        const bool split = add_split(&all, inputs[i], &landings[i]);
        splits = splits || split;
        if (split) continue;
        fits = all.n < MOST_INPUTS;
        if (!fits) break;
        all.in[all.n] = heddle__retain(inputs[i]);
        all.landing[all.n++] = landings[i];
    }
    heddle_array *const a = splits && fits ? make(dtype, ndim, shape, all.n, all.in, all.landing)
                                           : make(dtype, ndim, shape, n, inputs, landings);
    while (all.n > 0) heddle__release(all.in[--all.n]);
    return a;
}
