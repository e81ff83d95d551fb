/* Chains of getitem, permute_dims, flip, broadcast_to, expand_dims, squeeze, reshape and set_item at random
 * against an index oracle: a table of source positions that each step permutes by brute force. Also:
 * a view is never over a view, and one of a single part of what is put together is one of that part. */
#include "graph/meaning.h"
#include "graph/infer.h"

#include "check.h"

#include <heddle.h>

/* For each element of an array in C order, its position in the source. */
struct table {
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM], size;
    int64_t at[4096];
};

static uint64_t seed = 1;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

static int64_t nth(const struct table *t, const int64_t *index)
{
    int64_t n = 0;
    for (int d = 0; d < t->ndim; d++) n = n * t->shape[d] + index[d];
    return t->at[n];
}

/* Fills `to`, whose shape is set, by asking where each index comes from. */
static void fill(struct table *to, const struct table *from,
                 void (*source)(const int64_t *index, int64_t *out, const void *how),
                 const void *how)
{
    to->size = 1;
    for (int d = 0; d < to->ndim; d++) to->size *= to->shape[d];
    for (int64_t n = 0; n < to->size; n++) {
        int64_t index[HEDDLE_MAX_NDIM] = {0}, at[HEDDLE_MAX_NDIM] = {0}, left = n;
        for (int d = to->ndim - 1; d >= 0 && to->shape[d]; d--) {
            index[d] = left % to->shape[d];
            left /= to->shape[d];
        }
        source(index, at, how);
        to->at[n] = nth(from, at);
    }
}

/* ---- Steps: each changes the table and gives the array of the step. ------------------------------ */

struct slice {
    int ndim;
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM];
    int to[HEDDLE_MAX_NDIM]; /* axis of the result, -1: an integer */
};

static void slice_source(const int64_t *index, int64_t *out, const void *how)
{
    const struct slice *s = how;
    for (int d = 0; d < s->ndim; d++)
        out[d] = s->start[d] + (s->to[d] >= 0 ? s->step[d] * index[s->to[d]] : 0);
}

static heddle_array *getitem(heddle_array *a, struct table *t)
{
    struct heddle_index index[2 * HEDDLE_MAX_NDIM];
    struct slice s = {.ndim = t->ndim};
    struct table r = {.ndim = 0};
    int n = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (below(6) == 0 && r.ndim + t->ndim - d < HEDDLE_MAX_NDIM) {
            index[n++] = (struct heddle_index)HEDDLE_NEWAXIS;
            r.shape[r.ndim++] = 1;
        }
        const int64_t extent = t->shape[d];
        if (extent > 0 && below(6) == 0) {
            s.start[d] = below(extent);
            s.to[d] = -1;
            index[n++] =
                (struct heddle_index)HEDDLE_AT(below(2) ? s.start[d] : s.start[d] - extent);
            continue;
        }
        /* by enumeration: the elements that Python's range would visit */
        struct heddle_index x = {.step = below(7) - 3};
        const int64_t step = x.step ? x.step : 1;
        x.has_start = below(2) && extent > 0;
        x.has_stop = below(3) == 0 && extent > 0;
        if (x.has_start) x.start = below(extent);
        if (x.has_stop) x.stop = below(extent + 1);
        int64_t i = x.has_start ? x.start : step > 0 ? 0 : extent - 1, count = 0;
        const int64_t stop = x.has_stop ? x.stop : step > 0 ? extent : -1;
        s.start[d] = i;
        s.step[d] = step;
        s.to[d] = r.ndim;
        for (; step > 0 ? i < stop : i > stop; i += step) count++;
        if (x.has_start && below(2)) x.start -= extent;
        if (x.has_stop && x.stop < extent && below(2)) x.stop -= extent;
        index[n++] = x;
        r.shape[r.ndim++] = count;
    }
    fill(&r, t, slice_source, &s);
    *t = r;
    return heddle_getitem(a, n, index);
}

static void permute_source(const int64_t *index, int64_t *out, const void *how)
{
    const int *order = how;
    for (int d = 0; order[d] >= 0; d++) out[order[d]] = index[d];
}

static heddle_array *permute(heddle_array *a, struct table *t)
{
    int order[HEDDLE_MAX_NDIM + 1] = {-1};
    struct table r = {.ndim = t->ndim};
    for (int d = 0; d < t->ndim; d++) order[d] = d;
    order[t->ndim] = -1;
    for (int d = t->ndim - 1; d > 0; d--) {
        const int other = (int)below(d + 1), was = order[d];
        order[d] = order[other];
        order[other] = was;
    }
    for (int d = 0; d < t->ndim; d++) r.shape[d] = t->shape[order[d]];
    fill(&r, t, permute_source, order);
    const int ndim = t->ndim;
    *t = r;
    return heddle_permute_dims(a, ndim, order);
}

struct flips {
    const struct table *t;
    int axis; /* -1: all */
};

static void flip_source(const int64_t *index, int64_t *out, const void *how)
{
    const struct flips *f = how;
    for (int d = 0; d < f->t->ndim; d++)
        out[d] = f->axis < 0 || f->axis == d ? f->t->shape[d] - 1 - index[d] : index[d];
}

static heddle_array *flip(heddle_array *a, struct table *t)
{
    struct table r = *t;
    struct flips f = {t, (int)below(t->ndim + 1) - 1};
    fill(&r, t, flip_source, &f);
    *t = r;
    return f.axis < 0 ? heddle_flip(a) : heddle_flip(a, .axis = f.axis - (below(2) ? r.ndim : 0));
}

struct cast {
    const struct table *t;
    int shift;
};

static void broadcast_source(const int64_t *index, int64_t *out, const void *how)
{
    const struct cast *c = how;
    for (int d = 0; d < c->t->ndim; d++) out[d] = c->t->shape[d] == 1 ? 0 : index[d + c->shift];
}

static heddle_array *broadcast(heddle_array *a, struct table *t)
{
    struct table r = {.ndim = t->ndim};
    struct cast c = {t, 0};
    int64_t size = t->size;
    if (t->ndim < HEDDLE_MAX_NDIM && below(2)) {
        c.shift = 1;
        r.ndim++;
        r.shape[0] = size < 200 ? 1 + below(3) : 1;
        size *= r.shape[0];
    }
    for (int d = 0; d < t->ndim; d++) {
        r.shape[d + c.shift] = t->shape[d];
        if (t->shape[d] != 1 || size > 200) continue;
        r.shape[d + c.shift] = below(4);
        size *= r.shape[d + c.shift];
    }
    fill(&r, t, broadcast_source, &c);
    *t = r;
    return heddle_broadcast_to(a, r.ndim, r.shape);
}

struct turn {
    const struct table *t;
    int axis;
    int64_t shift;
};

static void roll_source(const int64_t *index, int64_t *out, const void *how)
{
    const struct turn *r = how;
    for (int d = 0; d < r->t->ndim; d++) out[d] = index[d];
    const int64_t extent = r->t->shape[r->axis];
    out[r->axis] = ((index[r->axis] - r->shift) % extent + extent) % extent;
}

static heddle_array *roll(heddle_array *a, struct table *t)
{
    if (t->ndim == 0) return a;
    struct table r = *t;
    struct turn how = {t, (int)below(t->ndim), below(9) - 4};
    fill(&r, t, roll_source, &how);
    *t = r;
    return heddle_roll(a, how.shift, .axis = how.axis);
}

static void join_source(const int64_t *index, int64_t *out, const void *how)
{
    const struct turn *r = how;
    const int64_t extent = r->t->shape[r->axis];
    for (int d = 0; d < r->t->ndim; d++) out[d] = index[d];
    if (index[r->axis] >= extent) out[r->axis] = 2 * extent - 1 - index[r->axis];
}

/* Joined with itself the other way round. */
static heddle_array *join(heddle_array *a, struct table *t)
{
    if (t->ndim == 0 || t->size > 300) return a;
    struct table r = *t;
    struct turn how = {t, (int)below(t->ndim), 0};
    r.shape[how.axis] *= 2;
    fill(&r, t, join_source, &how);
    *t = r;
    return heddle_concat(2, (heddle_array *[]){a, heddle_flip(a, .axis = how.axis)}, how.axis);
}

/* Reshapes leave the table as it is. */
static heddle_array *reshape(heddle_array *a, struct table *t)
{
    if (below(3) == 0 && t->ndim < HEDDLE_MAX_NDIM) {
        const int at = (int)below(t->ndim + 1);
        memmove(t->shape + at + 1, t->shape + at, (size_t)(t->ndim - at) * sizeof t->shape[0]);
        t->shape[at] = 1;
        t->ndim++;
        return heddle_expand_dims(a, below(2) ? at : at - t->ndim);
    }
    for (int d = 0; d < t->ndim; d++) {
        if (t->shape[d] != 1) continue;
        t->ndim--;
        memmove(t->shape + d, t->shape + d + 1, (size_t)(t->ndim - d) * sizeof t->shape[0]);
        return heddle_squeeze(a, HEDDLE_ORDER(d));
    }
    if (t->ndim < 2) return a;
    t->shape[0] *= t->shape[1]; /* the first two axes become one */
    memmove(t->shape + 1, t->shape + 2, (size_t)(t->ndim - 2) * sizeof t->shape[0]);
    t->ndim--;
    return heddle_reshape(a, t->ndim, t->shape);
}

/* New numbers in a box, of one step: data, a result, or a number that is broadcast; or what is in the box when all is rolled. */
static heddle_array *set(heddle_array *a, struct table *t)
{
    static double values[6][4096];
    static int turn = 0, next = 1000;
    struct heddle_index index[HEDDLE_MAX_NDIM];
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM], size = 1;
    const int form = (int)below(5);
    struct table before = *t;
    double *of_box = values[turn++ % 6];
    if (t->size == 0) return a;
    for (int d = 0; d < t->ndim; d++) {
        start[d] = below(t->shape[d]);
        step[d] = below(4) ? 1 : 2;
        shape[d] = 1 + below((t->shape[d] - start[d] + step[d] - 1) / step[d]);
        size *= shape[d];
        index[d] = (struct heddle_index){.start = start[d],
                                         .stop = start[d] + (shape[d] - 1) * step[d] + 1,
                                         .step = step[d],
                                         .has_start = true,
                                         .has_stop = true};
    }
    for (int64_t n = 0; n < size; n++) {
        int64_t at = 0, stride = 1, left = n;
        for (int d = t->ndim - 1; d >= 0; d--) {
            at += (start[d] + left % shape[d] * step[d]) * stride;
            stride *= t->shape[d];
            left /= shape[d];
        }
        const int64_t rows = t->ndim > 0 ? t->size / t->shape[0] : 0;
        t->at[at] = form == 4   ? before.at[at - rows >= 0 ? at - rows : at - rows + t->size]
                    : form == 0 ? next
                                : next + (int)n;
        of_box[n] = (double)t->at[at];
    }
    next += (int)size;
    if (form == 4 && t->ndim > 0)
        return heddle_set_item(a, t->ndim, index,
                               heddle_getitem(heddle_roll(a, 1, .axis = 0), t->ndim, index));
    heddle_array *value = form == 0 ? heddle_scalar_float(of_box[0])
                                    : heddle_asarray(of_box, HEDDLE_FLOAT64, t->ndim, shape);
    if (form == 1) value = heddle_negative(heddle_negative(value));
    return heddle_set_item(a, t->ndim, index, value);
}

/* What reads of a stack, a join and an assignment become: the part, unless it would be computed twice, or another part has some of it. */
static void test_parts(void)
{
    const double x[6] = {1, 2, 3, 4, 5, 6};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(6)), *b = heddle_flip(a),
                 *c = heddle_square(a);
    heddle_array *s =
        heddle_expr("stack((a, b, c))", HEDDLE_BIND_ALL({"a", a}, {"b", b}, {"c", c}));
    CHECK_EQ(heddle_expr("s[0]", HEDDLE_BIND("s", s)), a);
    CHECK_EQ(heddle_expr("s[1, 2:]", HEDDLE_BIND("s", s))->in[0], a);
    CHECK_EQ(heddle_expr("s[2]", HEDDLE_BIND("s", s))->in[0], s);
    CHECK_EQ(heddle_expr("s[0:2]", HEDDLE_BIND("s", s))->in[0], s);
    heddle_array *j = heddle_expr("concat((a, b))", HEDDLE_BIND_ALL({"a", a}, {"b", b}));
    CHECK_EQ(heddle_expr("j[:6]", HEDDLE_BIND("j", j)), a);
    CHECK_EQ(heddle_expr("j[5:7]", HEDDLE_BIND("j", j))->in[0], j);
    heddle_array *z =
        heddle_expr("z = a + 0; z[1:4] = b[:3]; z[3] = 9; z", HEDDLE_BIND_ALL({"a", a}, {"b", b}));
    CHECK_EQ(heddle_expr("z[3]", HEDDLE_BIND("z", z))->kind, HEDDLE_NODE_CONSTANT);
    CHECK_EQ(heddle_expr("z[1:3]", HEDDLE_BIND("z", z))->in[0], a);
    CHECK_EQ(heddle_expr("z[2:4]", HEDDLE_BIND("z", z))->in[0], z);
    z = heddle_expr("z = zeros((2, 6)); z[0] = a; z[1, 1:] = b[1:]; z",
                    HEDDLE_BIND_ALL({"a", a}, {"b", b}));
    CHECK_EQ(heddle_expr("z[0]", HEDDLE_BIND("z", z)), a);
    CHECK_EQ(heddle_expr("z[1, 2:]", HEDDLE_BIND("z", z))->in[0], a);
    CHECK_EQ(heddle_expr("z[1, 0]", HEDDLE_BIND("z", z))->kind, HEDDLE_NODE_CONSTANT);
    z = heddle_expr("a[0] = 1; a[1:]", HEDDLE_BIND("a", a)); /* a may be written in place */
    CHECK_EQ(z->in[0]->kind, HEDDLE_NODE_ASSEMBLE);
    heddle_array *i = heddle_expr("indices((5, 7))", HEDDLE_BIND("a", a));
    CHECK_EQ(heddle_expr("i[1]", HEDDLE_BIND("i", i))->in[0]->kind, HEDDLE_NODE_INDEX);
    heddle_scope_close(scope);
}

/* What is put together of views of what is put together reads the inputs of the latter, up to 32 of them. */
static void test_pieces(void)
{
    heddle_scope scope = heddle_scope_open();
    static double x[24 * 24];
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(24, 24)),
                 *r = heddle_expr("roll(roll(a, 3, axis=0), -5, axis=1)", HEDDLE_BIND("a", a));
    CHECK_EQ(r->n_in, 5);
    for (int i = 1; i < r->n_in; i++) CHECK_EQ(r->in[i]->in[0], a);
    r = heddle_expr("roll(pad(a, 1)[::-1], 1, axis=0)", HEDDLE_BIND("a", a));
    for (int i = 1; i < r->n_in; i++)
        CHECK(r->in[i]->kind == HEDDLE_NODE_CONSTANT || r->in[i]->in[0] == a, "input %d", i);
    r = heddle_expr("concat((pad(a, 2)[1::3], pad(a, 2)[:2:-2]))", HEDDLE_BIND("a", a));
    for (int i = 1; i < r->n_in; i++)
        CHECK(r->in[i]->kind == HEDDLE_NODE_CONSTANT || r->in[i]->in[0] == a, "input %d", i);
    r = heddle_expr("roll(roll(a * a, 3, axis=0), -5, axis=1)", HEDDLE_BIND("a", a));
    CHECK_EQ(r->n_in, 3); /* or the product would be computed twice */
    r = heddle_expr(
        "b = roll(a, 1, axis=0)[:, ::-1]; concat((b, b, b, b, b, b, b, b, b, b, b, b, b, b, b))",
        HEDDLE_BIND("a", a));
    CHECK_EQ(r->n_in, 31);
    r = heddle_expr("b = roll(a, 1, axis=0)[:, ::-1]; concat((b, b, b, b, b, b, b, b, b, b, b, b, "
                    "b, b, b, b, b))",
                    HEDDLE_BIND("a", a));
    CHECK_EQ(r->n_in, 18);
    heddle_scope_close(scope);
}

static void compare(const heddle_array *a, const struct table *t, int round, int step)
{
    CHECK_EQ(heddle_status_of(a), HEDDLE_OK);
    CHECK(heddle__same_shape(a->ndim, a->shape, t->ndim, t->shape), "round %d step %d: %s", round,
          step, HEDDLE_SHAPE_OF(a));
    if (a->kind == HEDDLE_NODE_VIEW) CHECK(a->in[0]->kind != HEDDLE_NODE_VIEW);
    if (a->size == 0) CHECK_EQ(a->kind, HEDDLE_NODE_CONSTANT);
    for (int64_t n = 0; n < t->size && n < a->size; n++)
        if (meaning_nth(a, n) != (double)t->at[n]) {
            CHECK(false, "round %d step %d element %lld: %g, not %lld", round, step, (long long)n,
                  meaning_nth(a, n), (long long)t->at[n]);
            return;
        }
}

int main(void)
{
    static heddle_array *(*const steps[])(heddle_array *, struct table *) = {
        getitem, permute, flip, broadcast, reshape, getitem, broadcast,
        set,     set,     roll, roll,      join,    getitem};
    for (int round = 0; round < 6000; round++) {
        heddle_scope scope = heddle_scope_open();
        static struct table t;
        t = (struct table){.ndim = (int)below(4), .size = 1};
        for (int d = 0; d < t.ndim; d++) {
            t.shape[d] = 1 + below(5);
            t.size *= t.shape[d];
        }
        double values[125];
        for (int64_t n = 0; n < t.size; n++) values[n] = (double)(t.at[n] = n);
        heddle_array *a = heddle_asarray(values, HEDDLE_FLOAT64, t.ndim, t.shape);
        for (int step = 0; step < 6; step++) {
            a = steps[below(sizeof steps / sizeof *steps)](a, &t);
            compare(a, &t, round, step);
            if (t.size == 0 || t.size > 1000) break;
        }
        heddle_scope_close(scope);
    }
    test_parts();
    test_pieces();
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
