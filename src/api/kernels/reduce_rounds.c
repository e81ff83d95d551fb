/* A reduction as rounds of elementwise kernels. A round takes some neighbours together along the innermost axes that are
 * left: element k of its result is x[c k] o x[c k + 1] o ... o x[c k + c - 1], from left to right, over strided slices. So
 * the operands keep their order, and the tree depends on the texts and the extents alone. In the first round the slices are
 * of the inputs, and the map is part of it. What is left over at the end of an axis is reduced on its own, and comes last.
 *
 * With a commutative operation the slices of an innermost axis are runs, x[k] o x[m + k] o ..., which are read faster.
 * Entry points: heddle__reduce_by_rounds, heddle__reduce_record. */
#include "api/kernels/reduce.h"

#include "graph/make.h"
#include "graph/scope.h"

enum {
    MOST_SLICES = 8,
    MOST_LOADS = 13,  /* slices that a program reads, and values of slices that it keeps */
    MOST_STEPS = 150, /* operations of a program, where there is room for twice as many */
    MOST_ROUNDS = 64,
    SHORT_LINE = 32, /* elements that lie next to each other */
};

/* Elements begin[d] .. begin[d] + factor[d] count[d] - 1 of each axis, of which `factor` at a time become one. */
struct round {
    int64_t begin[HEDDLE_MAX_NDIM], count[HEDDLE_MAX_NDIM], factor[HEDDLE_MAX_NDIM];
    unsigned far; /* bit d: those are `count` apart, not neighbours */
};

struct slice {
    int64_t offset[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM];
    struct heddle_shape shape;
};

/* ---- Slices ---------------------------------------------------------------------------------------------- */

/* Slice `number` of the n slices of a round, in C order. */
static struct slice slice_of(const struct kernel_reducing *q, const struct round *r, int64_t number,
                             int64_t n)
{
    struct slice s = {.shape.ndim = q->shape.ndim};
    for (int d = 0; d < q->shape.ndim; d++) {
        n /= r->factor[d];
        const int64_t j = number / n % r->factor[d];
        const bool far = r->far >> d & 1;
        s.offset[d] = r->begin[d] + (far ? j * r->count[d] : j);
        s.step[d] = far ? 1 : r->factor[d];
        s.shape.extent[d] = r->count[d];
    }
    return s;
}

/* The slice of x after it is broadcast to the shape of the values; a scalar as it is. */
static heddle_array *sliced(const struct kernel_reducing *q, heddle_array *x, const struct slice *s)
{
    if (x->ndim == 0) return x;
    heddle_array *const whole = heddle__make_broadcast(x, q->shape.ndim, q->shape.extent);
    struct heddle_map map = heddle__map_identity(q->shape.ndim);
    for (int d = 0; d < q->shape.ndim; d++) {
        map.offset[d] = s->offset[d];
        map.step[d] = s->step[d];
    }
    heddle_array *const part =
        whole ? heddle__make_view(whole, &map, s->shape.ndim, s->shape.extent) : NULL;
    heddle__release(whole);
    return heddle__hand_out(part);
}

enum heddle_status heddle__reduce_record(struct kernel_reducing *q, struct heddle__kernel_call *c,
                                         const struct heddle_shape *shape, heddle_array *out[])
{
    bool straight = false;
    c->shape = *shape;
    enum heddle_status status = heddle__kernel_straight(c, out, &straight);
    if (status == HEDDLE_OK && !straight) { /* fma, or a function of the data's */
        heddle__kernel_whole(c, shape);
        status = heddle__kernel_crooked(&q->kernel->object, c, out);
    }
    for (int k = 0; k < c->tree->n_out && status == HEDDLE_OK; k++)
        out[k] = heddle__hand_out(out[k]);
    return status;
}

/* The values of a slice. */
static enum heddle_status take(struct kernel_reducing *q, const struct slice *s,
                               heddle_array *out[])
{
    struct heddle__kernel_call *const c = &q->map;
    heddle_array *const *const whole = c->in;
    heddle_array *in[KERNEL_MAX_PARAMETERS];
    if (q->mapped) {
        for (int k = 0; k < q->texts->n; k++) out[k] = sliced(q, q->values[k], s);
        return HEDDLE_OK;
    }
    int64_t step[HEDDLE_MAX_NDIM];
    const int64_t first = c->first;
    for (int i = 0; i < c->tree->n_in; i++)
        in[i] = c->tree->symbols[i].raw ? whole[i] : sliced(q, whole[i], s);
    for (int d = 0; d < q->shape.ndim; d++) {
        step[d] = c->step[d];
        c->first += s->offset[d] * step[d];
        c->step[d] *= s->step[d];
    }
    c->in = in;
    c->shape = s->shape;
    if (c->tree->uses_index && !c->places) c->places = heddle__kernel_places(c);
    const enum heddle_status status = heddle__reduce_record(q, c, &s->shape, out);
    c->in = whole;
    c->first = first;
    for (int d = 0; d < q->shape.ndim; d++) c->step[d] = step[d];
    return status;
}

/* a = a o b */
static enum heddle_status combine(struct kernel_reducing *q, const struct heddle_shape *shape,
                                  heddle_array *a[], heddle_array *const b[])
{
    heddle_array *in[2 * KERNEL_MAX_ACCUMULATORS];
    for (int k = 0; k < q->texts->n; k++) {
        in[k] = a[k];
        in[q->texts->n + k] = b[k];
    }
    q->reduce.in = in;
    return heddle__reduce_record(q, &q->reduce, shape, a);
}

/* All slices of a round, from left to right, so that few values are kept in between. */
static enum heddle_status fold(struct kernel_reducing *q, const struct round *r,
                               heddle_array *out[], struct heddle_shape *shape)
{
    int64_t n = 1;
    for (int d = 0; d < q->shape.ndim; d++) n *= r->factor[d];
    enum heddle_status status = HEDDLE_OK;
    q->map.places = NULL;
    for (int64_t j = 0; j < n && status == HEDDLE_OK; j++) {
        heddle_array *next[KERNEL_MAX_ACCUMULATORS];
        const struct slice s = slice_of(q, r, j, n);
        *shape = s.shape;
        status = take(q, &s, j == 0 ? out : next);
        if (status == HEDDLE_OK && j > 0) status = combine(q, shape, out, next);
    }
    return status;
}

/* ---- Rounds ---------------------------------------------------------------------------------------------- */

/* Operations of expressions, about: a conversion may be one, too. */
static int operations(const struct kernel_node *n)
{
    int sum = 0;
    for (; n; n = n->next)
        sum += (n->kind >= KERNEL_UNARY && n->kind <= KERNEL_CALL) + operations(n->a) +
               operations(n->b) + operations(n->c);
    return sum;
}

/* How many slices a program can hold. It depends on the texts alone. */
static int64_t most_slices(const struct kernel_reducing *q)
{
    const struct kernel_tree *const map = q->map.tree;
    int loads = q->mapped ? q->texts->n : 0, steps = operations(q->texts->reduce.statements);
    for (int i = 0; i < map->n_in && !q->mapped; i++) loads += !map->symbols[i].raw;
    if (!q->mapped) steps += map->uses_index + operations(map->statements);
    const int kept = q->texts->n - 1; /* values that others of a slice wait for */
    const int by_loads = MOST_LOADS / (loads + kept ? loads + kept : 1);
    const int by_steps = MOST_STEPS / (steps + loads + 1);
    const int least = by_loads < by_steps ? by_loads : by_steps;
    return least < 2 ? 2 : least > MOST_SLICES ? MOST_SLICES : least;
}

/* Of the factors that `most` allows, one that leaves the least over: that is a program of its own. */
static int64_t factor_of(int64_t extent, int64_t most)
{
    if (extent <= most) return extent;
    int64_t best = most;
    for (int64_t f = most - 1; f > most / 2; f--)
        if (extent % f < extent % best) best = f;
    return best;
}

/* Axes from the innermost on that are left, as long as they are taken whole. `alone`: no more than one. The last of
 * them, or -1 if there is none. */
static int next_round(const struct kernel_reducing *q, bool alone, struct round *r)
{
    int64_t most = most_slices(q), line = 1;
    int last = -1;
    *r = (struct round){.far = 0};
    for (int d = 0; d < q->shape.ndim; d++) {
        r->count[d] = q->shape.extent[d];
        r->factor[d] = 1;
    }
    for (int d = q->shape.ndim - 1; d >= 0 && most > 1 && !(alone && last >= 0); d--) {
        const int64_t extent = q->shape.extent[d];
        if (!(q->axes >> d & 1) || extent <= 1) {
            line *= extent;
            continue;
        }
        r->factor[d] = factor_of(extent, most);
        r->count[d] = extent / r->factor[d];
        last = d;
        if (line < SHORT_LINE && heddle__reduce_commutes(q->texts)) r->far |= 1u << d;
        if (r->factor[d] < extent) break;
        most /= extent;
    }
    return last;
}

/* What a round leaves over at the end of an axis. */
struct rest {
    heddle_array *values[KERNEL_MAX_ACCUMULATORS];
};

/* The elements after those of the round; *some: whether there are any. */
static enum heddle_status fold_rest(struct kernel_reducing *q, const struct round *main, int axis,
                                    struct rest *rest, bool *some)
{
    struct round r = *main;
    struct heddle_shape shape;
    r.begin[axis] = main->count[axis] * main->factor[axis];
    r.count[axis] = 1;
    r.factor[axis] = q->shape.extent[axis] - r.begin[axis];
    *some = r.factor[axis] > 0;
    return *some ? fold(q, &r, rest->values, &shape) : HEDDLE_OK;
}

enum heddle_status heddle__reduce_by_rounds(struct kernel_reducing *q)
{
    struct rest rests[MOST_ROUNDS]; /* of the axis that is being reduced, in the order of rounds */
    int n_rests = 0, axis;
    struct round r;
    while ((axis = next_round(q, n_rests > 0, &r)) >= 0) {
        heddle_array *out[KERNEL_MAX_ACCUMULATORS];
        struct heddle_shape shape;
        bool some;
        enum heddle_status status = fold_rest(q, &r, axis, &rests[n_rests], &some);
        if (status == HEDDLE_OK) status = fold(q, &r, out, &shape);
        n_rests += some;
        while (status == HEDDLE_OK && shape.extent[axis] == 1 && n_rests > 0)
            status = combine(q, &shape, out, rests[--n_rests].values);
        if (status != HEDDLE_OK) return status;
        for (int k = 0; k < q->texts->n; k++) q->values[k] = out[k];
        q->shape = shape;
        q->mapped = true;
    }
    return HEDDLE_OK;
}
