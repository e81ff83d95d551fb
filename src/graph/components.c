/* The components of work on pairs. Entry points: components.h. */
#include "graph/components.h"

#include "graph/make.h"
#include "graph/stacks.h"

enum {
    /* Elements for each result: of less, bringing the results together costs as much. */
    LEAST_REDUCED = 16,
    LEAST_OUTER = 1024, /* the same of outer products */
    MOST_OUTER = 16,    /* results of these */
    MOST_NODES = 48,    /* that are looked at */
    COSTLY = 4,         /* flops that are worth no second time for each index */
    MOST_LOADS = 24,    /* of all that is stacked: a program has room for 32 operands */
    MOST_MADE = 256,    /* nodes of all components that are remembered */
};

/* The axis of a view's source that `axis` of the view walks along; -1: none. */
static int walked_axis(const struct heddle_map *map, int axis)
{
    for (int s = 0; s < map->n; s++)
        if (map->axis[s] == axis && map->step[s] != 0) return s;
    return -1;
}

/* ---- Whether it is worth it ------------------------------------------------------------------------- */

struct search {
    int64_t
        many; /* what is the same for each index is worth something if it has as many elements, ... */
    float cost;   /* ... each of so many flops */
    int64_t most; /* elements of data that differ from index to index */
    bool found;   /* something is the same for each index, and worth it */
    int n;        /* nodes that were looked at */
    const heddle_array *node[MOST_NODES];
    int8_t axis[MOST_NODES];
};

/* False: x was looked at before, or there are too many, and nothing is to be done. */
static bool is_new(struct search *s, const heddle_array *x, int axis)
{
    for (int i = 0; i < s->n; i++)
        if (s->node[i] == x && s->axis[i] == axis) return false;
    if (s->n == MOST_NODES) return false;
    s->node[s->n] = x;
    s->axis[s->n++] = (int8_t)axis;
    return true;
}

/* The flops of an element of x, of operations that are not done yet; a reduction is costly. */
static float cost_of(struct search *s, heddle_array *x)
{
    if (x->kind == HEDDLE_NODE_REDUCE) return COSTLY;
    if (!is_new(s, x, -1)) return 0;
    float cost = x->kind == HEDDLE_NODE_MAP ? heddle__ops[x->op].flops : 0;
    struct heddle_map map;
    heddle_array *in[3];
    int n = heddle__node_operands(x, in);
    if (n == 0) {
        in[0] = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
        n = in[0] != NULL;
    }
    for (int i = 0; i < n; i++) {
        if (cost < COSTLY) cost += cost_of(s, in[i]);
        heddle__release(in[i]);
    }
    return cost;
}

/* Looks at what x at an index of `axis` is made of. False: that is not worth it. */
static bool look_at(struct search *s, heddle_array *x, int axis)
{
    if (heddle__is_constant(x)) return true;
    if (!is_new(s, x, axis)) return s->n < MOST_NODES;
    heddle_array *in[3];
    const int n = heddle__node_operands(x, in);
    bool is_worth = true;
    for (int i = 0; i < n; i++) {
        is_worth = is_worth && look_at(s, in[i], axis);
        heddle__release(in[i]);
    }
    if (n > 0) return is_worth;
    struct heddle_map map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    if (!source) return x->size <= s->most;
    const int walked = walked_axis(&map, axis);
    if (walked >= 0)
        is_worth = look_at(s, source, walked);
    else if (source->size >= s->many && cost_of(s, source) >= s->cost)
        s->found = true;
    heddle__release(source);
    return is_worth;
}

/* Pairs: what is costly is the same for each index; what differs is read from caches. */
static bool is_of_pairs(heddle_array *x, int axis, int64_t results)
{
    struct search s = {.many = LEAST_REDUCED * (results / x->shape[axis]),
                       .cost = COSTLY,
                       .most = x->size / LEAST_REDUCED};
    return look_at(&s, x, axis) && s.found;
}

/* Outer products, few results of much: what differs from index to index is one number for all others that are kept. */
static bool is_outer(heddle_array *x, int axis, int64_t results)
{
    const int64_t others = results / x->shape[axis];
    if (others < 2 || results > MOST_OUTER || x->size / results < LEAST_OUTER) return false;
    struct search s = {.many = x->size / x->shape[axis], .cost = 0, .most = x->size / others};
    return look_at(&s, x, axis) && s.found;
}

int heddle__component_axis(heddle_array *x, unsigned mask)
{
    int64_t reduced = 1;
    for (int d = 0; d < x->ndim; d++)
        if (mask >> d & 1) reduced *= x->shape[d];
    if (reduced < LEAST_REDUCED) return -1;
    const int64_t results = x->size / reduced;
    for (int d = 0; d < x->ndim; d++)
        if (!(mask >> d & 1) && x->shape[d] >= 2 && x->shape[d] <= HEDDLE_MOST_COMPONENTS &&
            (is_of_pairs(x, d, results) || is_outer(x, d, results)))
            return d;
    return -1;
}

enum heddle_op heddle__combining(enum heddle_reduction reduction)
{
    switch (reduction) {
    case HEDDLE_REDUCE_SUM: return HEDDLE_OP_ADD;
    case HEDDLE_REDUCE_PROD: return HEDDLE_OP_MULTIPLY;
    case HEDDLE_REDUCE_MAX: return HEDDLE_OP_MAXIMUM;
    case HEDDLE_REDUCE_MIN: return HEDDLE_OP_MINIMUM;
    case HEDDLE_REDUCE_NANMAX: return HEDDLE_OP_FMAX;
    case HEDDLE_REDUCE_NANMIN: return HEDDLE_OP_FMIN;
    case HEDDLE_REDUCE_ANY: return HEDDLE_OP_BITWISE_OR;
    case HEDDLE_REDUCE_ALL: return HEDDLE_OP_BITWISE_AND;
    case HEDDLE_REDUCE_ARGMAX:
    case HEDDLE_REDUCE_ARGMIN:
    case HEDDLE_N_REDUCTIONS: break;
    }
    return HEDDLE_OP_NONE;
}

/* ---- Stacks ------------------------------------------------------------------------------------------ */

/* Counts what an element of x loads, and looks for stacks. False: there is too much. */
static bool count_loads(struct search *s, heddle_array *x, int axis)
{
    if (heddle__is_constant(x)) return true;
    if (!is_new(s, x, axis)) return s->n < MOST_NODES;
    heddle_array *in[3];
    const int n = heddle__node_operands(x, in);
    bool good = true;
    for (int i = 0; i < n; i++) {
        good = good && count_loads(s, in[i], axis);
        heddle__release(in[i]);
    }
    if (n > 0) return good;
    struct heddle_map map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    const int walked = source ? walked_axis(&map, axis) : -1;
    if (walked >= 0 && source->kind != HEDDLE_NODE_DATA)
        good = count_loads(s, source, walked);
    else
        s->many++;
    s->found = s->found || (!source && heddle__is_stacked_along(x, axis));
    heddle__release(source);
    return good;
}

bool heddle__is_stacked(heddle_array *x, int axis)
{
    const int64_t n = x->shape[axis];
    struct search s = {.many = 0};
    return n >= 2 && n <= HEDDLE_MOST_STACKED && count_loads(&s, x, axis) && s.found &&
           s.many * n <= MOST_LOADS && s.n * n <= MOST_MADE;
}

/* ---- One index of it -------------------------------------------------------------------------------- */

/* What has been made, so that shared operands stay shared. */
struct made {
    bool of_inputs; /* an input of a stack itself, not a view of the stack */
    int n;
    heddle_array *of[MOST_MADE], *component[MOST_MADE]; /* retained */
    int axis[MOST_MADE];
    int64_t index[MOST_MADE];
};

static heddle_array *component(struct made *m, heddle_array *x, int axis, int64_t index);

static struct heddle_shape shape_without(const heddle_array *x, int axis)
{
    struct heddle_shape shape = {.ndim = 0};
    for (int d = 0; d < x->ndim; d++)
        if (d != axis) shape.extent[shape.ndim++] = x->shape[d];
    return shape;
}

/* The map from a view without `axis`, at `index` of it. */
static void fix_axis(struct heddle_map *map, int axis, int64_t index)
{
    for (int s = 0; s < map->n; s++)
        if (map->axis[s] == axis) {
            map->offset[s] += map->step[s] * index;
            map->axis[s] = -1;
            map->step[s] = 0;
        } else if (map->axis[s] > axis) {
            map->axis[s]--;
        }
}

static void remove_source_axis(struct heddle_map *map, int axis)
{
    map->n--;
    for (int s = axis; s < map->n; s++) {
        map->axis[s] = map->axis[s + 1];
        map->offset[s] = map->offset[s + 1];
        map->step[s] = map->step[s + 1];
    }
}

/* A view of `source`, which is x's, or x itself: its elementwise work is done after the axis is removed, too. */
static heddle_array *view_component(struct made *m, const heddle_array *x, heddle_array *source,
                                    struct heddle_map map, int axis, int64_t index)
{
    const struct heddle_shape shape = shape_without(x, axis);
    const int walked = walked_axis(&map, axis);
    fix_axis(&map, axis, index);
    if (walked < 0 || source == x) return heddle__make_view(source, &map, shape.ndim, shape.extent);
    heddle_array *of = component(m, source, walked, map.offset[walked]);
    if (!of) return NULL;
    remove_source_axis(&map, walked);
    heddle_array *r = heddle__make_view(of, &map, shape.ndim, shape.extent);
    heddle__release(of);
    return r;
}

/* An elementwise operation of that kind on its operands' components. */
static heddle_array *map_component(struct made *m, const heddle_array *x,
                                   enum heddle_node_kind kind, int n, heddle_array *const in[3],
                                   int axis, int64_t index)
{
    heddle_array *of[3] = {NULL};
    enum heddle_dtype dtypes[3];
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        of[i] =
            heddle__is_constant(in[i]) ? heddle__retain(in[i]) : component(m, in[i], axis, index);
        ok = of[i];
        dtypes[i] = (enum heddle_dtype)in[i]->dtype;
    }
    const struct heddle_shape shape = shape_without(x, axis);
    heddle_array *r = ok ? heddle__make_same(x, kind, &shape, n, of, dtypes) : NULL;
    for (int i = 0; i < n; i++) heddle__release(of[i]);
    return r;
}

/* That input of a stack; NULL and no error: x is none. */
static heddle_array *input_component(struct made *m, heddle_array *x, int axis, int64_t index)
{
    if (!m->of_inputs || !heddle__is_stacked_along(x, axis)) return NULL;
    heddle_array *part = heddle__input_of_stack(x, axis, index);
    heddle_array *r = part ? component(m, part, axis, 0) : NULL;
    heddle__release(part);
    return r;
}

static heddle_array *make(struct made *m, heddle_array *x, int axis, int64_t index)
{
    heddle_array *in[3], *r = input_component(m, x, axis, index);
    if (r) return r;
    const enum heddle_node_kind kind = x->kind;
    const int n = heddle__node_operands(x, in);
    if (n > 0) {
        r = map_component(m, x, kind, n, in, axis, index);
        for (int i = 0; i < n; i++) heddle__release(in[i]);
        return r;
    }
    struct heddle_map map = heddle__map_identity(x->ndim);
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    r = view_component(m, x, source ? source : x, map, axis, index);
    heddle__release(source);
    return r;
}

static heddle_array *component(struct made *m, heddle_array *x, int axis, int64_t index)
{
    for (int i = 0; i < m->n; i++)
        if (m->of[i] == x && m->axis[i] == axis && m->index[i] == index)
            return heddle__retain(m->component[i]);
    heddle_array *r = make(m, x, axis, index);
    if (r && m->n < MOST_MADE) {
        m->of[m->n] = heddle__retain(x);
        m->component[m->n] = heddle__retain(r);
        m->axis[m->n] = axis;
        m->index[m->n++] = index;
    }
    return r;
}

static void forget(struct made *m)
{
    for (int i = 0; i < m->n; i++) {
        heddle__release(m->of[i]);
        heddle__release(m->component[i]);
    }
}

heddle_array *heddle__make_component(heddle_array *x, int axis, int64_t index)
{
    struct made m = {.of_inputs = false};
    heddle_array *r = component(&m, x, axis, index);
    forget(&m);
    return r;
}

bool heddle__make_stacked(heddle_array *x, int axis, heddle_array *components[])
{
    struct made m = {.of_inputs = true};
    const int n = (int)x->shape[axis];
    int i = 0;
    while (i < n && (components[i] = component(&m, x, axis, i))) i++;
    forget(&m);
    for (int made = i; made > 0 && i < n; made--) heddle__release(components[made - 1]);
    return i == n;
}
