/* Proves that elementwise work on assembled arrays, which are not stored then, gives the values that it should:
 * random joins, rolls, pads, stacks, assignments to boxes, in each other and several in one expression, over one to
 * three axes, cut or not, against values that are found element by element. Whole numbers, so that all are exact. Skipped (77)
 * where the devices that HEDDLE_DEVICES names are not there. */
#include "asked_values.h"
#include "machine/machine.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 3, MOST_STACKED = 33, PROGRAMS = CHECK_SOME(250, 80) };

/* An array, and what its elements should be. */
struct value {
    int ndim;
    int64_t shape[MOST_AXES], size;
    double *x;
    heddle_array *a;
};

static double *all[4096]; /* of one program */
static int n_all;
static enum heddle_dtype dtype; /* of one program */
static bool distributes;

static struct value new_value(int ndim, const int64_t *shape)
{
    struct value v = {.ndim = ndim, .size = 1};
    for (int d = 0; d < ndim; d++) v.size *= v.shape[d] = shape[d];
    v.x = all[n_all++] = calloc((size_t)v.size + 1, sizeof *v.x);
    return v;
}

/* The index of element i. */
static void locate(const struct value *v, int64_t i, int64_t *index)
{
    for (int d = v->ndim - 1; d >= 0; d--) {
        index[d] = i % v->shape[d];
        i /= v->shape[d];
    }
}

static double *element(const struct value *v, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < v->ndim; d++) at = at * v->shape[d] + index[d];
    return &v->x[at];
}

/* ---- What is assembled ------------------------------------------------------------------------------ */

static struct value operand(int ndim, const int64_t *shape, int depth);

static struct value data(int ndim, const int64_t *shape)
{
    struct value v = new_value(ndim, shape);
    for (int64_t i = 0; i < v.size; i++) v.x[i] = (double)word_below(21);
    v.a = heddle_asarray(v.x, HEDDLE_FLOAT64, ndim, shape);
    v.a = heddle_astype(v.a, dtype);
    if (distributes && ndim > 0 && word_below(4) == 0)
        v.a = heddle_distribute(v.a,
                                &(struct heddle_distribution){
                                    .cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 1 + word_below(4)}});
    if (word_below(2)) CHECK_EQ(heddle_eval(v.a), HEDDLE_OK);
    return v;
}

/* The index along an axis, from some number on. */
static struct value indices(int ndim, const int64_t *shape)
{
    struct value v = new_value(ndim, shape);
    const int axis = (int)word_below(ndim);
    const int64_t from = word_below(5);
    int64_t line[MOST_AXES] = {1, 1, 1}, index[MOST_AXES];
    line[axis] = shape[axis];
    for (int64_t i = 0; i < v.size; i++) {
        locate(&v, i, index);
        v.x[i] = (double)(index[axis] + from);
    }
    heddle_array *i =
        heddle_arange(heddle_scalar_int(from), heddle_scalar_int(from + shape[axis]), NULL);
    i = heddle_astype(heddle_reshape(i, ndim, line), dtype);
    v.a = heddle_broadcast_to(i, ndim, shape);
    return v;
}

/* A box of a larger array, maybe flipped. */
static struct value box_of(const struct value *of, const int64_t *shape, const int64_t *start)
{
    const int ndim = of->ndim;
    int64_t index[MOST_AXES];
    struct heddle_index slices[MOST_AXES];
    for (int d = 0; d < ndim; d++)
        slices[d] = (struct heddle_index)HEDDLE_SLICE(start[d], start[d] + shape[d]);
    struct value v = new_value(ndim, shape);
    const int axis = (int)word_below(ndim);
    const bool flips = word_below(6) == 0;
    for (int64_t i = 0; i < v.size; i++) {
        locate(&v, i, index);
        if (flips) index[axis] = shape[axis] - 1 - index[axis];
        for (int d = 0; d < ndim; d++) index[d] += start[d];
        v.x[i] = *element(of, index);
    }
    v.a = heddle_getitem(of->a, ndim, slices);
    if (flips) v.a = heddle_flip(v.a, .axis = axis);
    return v;
}

static struct value slice(int ndim, const int64_t *shape, int depth)
{
    int64_t larger[MOST_AXES], start[MOST_AXES];
    for (int d = 0; d < ndim; d++) {
        start[d] = word_below(3);
        larger[d] = start[d] + shape[d] + word_below(3);
    }
    const struct value of = operand(ndim, larger, depth);
    return box_of(&of, shape, start);
}

static struct value rolled(int ndim, const int64_t *shape, int depth)
{
    const struct value of = operand(ndim, shape, depth);
    struct value v = new_value(ndim, shape);
    const int axis = (int)word_below(ndim);
    const int64_t n = shape[axis], by = n ? word_below(2 * n + 1) - n : 0;
    int64_t index[MOST_AXES];
    for (int64_t i = 0; i < v.size; i++) {
        locate(&of, i, index);
        index[axis] = ((index[axis] + by) % n + n) % n;
        *element(&v, index) = of.x[i];
    }
    v.a = heddle_roll(of.a, by, .axis = axis);
    return v;
}

static struct value joined(int ndim, const int64_t *shape, int depth)
{
    struct value v = new_value(ndim, shape);
    const int axis = (int)word_below(ndim), n = 2 + (int)word_below(2);
    int64_t at = 0, index[MOST_AXES], part[MOST_AXES];
    heddle_array *parts[3];
    memcpy(part, shape, sizeof part);
    for (int k = 0; k < n; k++) {
        part[axis] = k + 1 < n ? word_below(shape[axis] - at + 1) : shape[axis] - at;
        const struct value of = operand(ndim, part, depth);
        for (int64_t i = 0; i < of.size; i++) {
            locate(&of, i, index);
            index[axis] += at;
            *element(&v, index) = of.x[i];
        }
        at += part[axis];
        parts[k] = of.a;
    }
    v.a = heddle_concat(n, parts, axis);
    return v;
}

static struct value stacked(int ndim, const int64_t *shape, int depth)
{
    const int axis = (int)word_below(ndim);
    const bool many = shape[axis] > 4; /* more than a program stores */
    if (ndim == 1 || shape[axis] < 1 || shape[axis] > MOST_STACKED || (many && word_below(3)))
        return joined(ndim, shape, depth);
    struct value v = new_value(ndim, shape);
    int64_t rest[MOST_AXES], index[MOST_AXES];
    heddle_array *parts[MOST_STACKED];
    for (int d = 0; d < ndim - 1; d++) rest[d] = shape[d + (d >= axis)];
    for (int64_t k = 0; k < shape[axis]; k++) {
        const struct value of = operand(ndim - 1, rest, many ? 0 : depth);
        for (int64_t i = 0; i < of.size; i++) {
            locate(&of, i, index);
            for (int d = ndim - 1; d > axis; d--) index[d] = index[d - 1];
            index[axis] = k;
            *element(&v, index) = of.x[i];
        }
        parts[k] = of.a;
    }
    v.a = heddle_stack((int)shape[axis], parts, axis);
    return v;
}

/* A box of it is set, with a step now and then. */
static struct value updated(int ndim, const int64_t *shape, int depth)
{
    const struct value of = operand(ndim, shape, depth);
    struct value v = new_value(ndim, shape);
    int64_t start[MOST_AXES], step[MOST_AXES], box[MOST_AXES], index[MOST_AXES];
    struct heddle_index slices[MOST_AXES];
    for (int d = 0; d < ndim; d++) {
        start[d] = word_below(shape[d] + 1);
        const int64_t stop = start[d] + word_below(shape[d] - start[d] + 1);
        step[d] = word_below(6) ? 1 : 2;
        box[d] = (stop - start[d] + step[d] - 1) / step[d];
        slices[d] = (struct heddle_index)HEDDLE_SLICE_STEP(start[d], stop, step[d]);
    }
    const struct value set = operand(ndim, box, depth);
    memcpy(v.x, of.x, (size_t)v.size * sizeof *v.x);
    for (int64_t i = 0; i < set.size; i++) {
        locate(&set, i, index);
        for (int d = 0; d < ndim; d++) index[d] = start[d] + index[d] * step[d];
        *element(&v, index) = set.x[i];
    }
    v.a = heddle_set_item(of.a, ndim, slices, set.a);
    return v;
}

/* By zeros, by the border, or from the other end, all one wide. */
static struct value padded(int ndim, const int64_t *shape, int depth)
{
    static const enum heddle_pad_mode modes[] = {HEDDLE_PAD_CONSTANT, HEDDLE_PAD_EDGE,
                                                 HEDDLE_PAD_WRAP};
    int64_t inner[MOST_AXES], index[MOST_AXES];
    const int64_t widths[2] = {1, 1};
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 3) return joined(ndim, shape, depth);
        inner[d] = shape[d] - 2;
    }
    const struct value of = operand(ndim, inner, depth);
    struct value v = new_value(ndim, shape);
    const enum heddle_pad_mode mode = modes[word_below(3)];
    for (int64_t i = 0; i < v.size; i++) {
        locate(&v, i, index);
        bool outside = false;
        for (int d = 0; d < ndim; d++) {
            int64_t *k = &index[d];
            *k -= 1;
            if (*k >= 0 && *k < inner[d]) continue;
            outside = true;
            *k = mode == HEDDLE_PAD_WRAP ? (*k < 0 ? inner[d] - 1 : 0) : *k < 0 ? 0 : inner[d] - 1;
        }
        v.x[i] = outside && mode == HEDDLE_PAD_CONSTANT ? 0 : *element(&of, index);
    }
    v.a = heddle_pad(of.a, 2, widths, .mode = mode);
    return v;
}

static struct value assembled(int ndim, const int64_t *shape, int depth)
{
    switch (word_below(6)) {
    case 0:
    case 1: return rolled(ndim, shape, depth);
    case 2: return joined(ndim, shape, depth);
    case 3: return stacked(ndim, shape, depth);
    case 4: return updated(ndim, shape, depth);
    default: return padded(ndim, shape, depth);
    }
}

/* ---- What is computed ------------------------------------------------------------------------------- */

static struct value combined(const struct value *a, const struct value *b)
{
    struct value v = new_value(a->ndim, a->shape);
    const int64_t op = word_below(4);
    for (int64_t i = 0; i < v.size; i++) {
        const double x = a->x[i], y = b->x[i];
        v.x[i] = op == 0 ? x + y : op == 1 ? x - y : op == 2 ? (x > y ? x : y) : x < y ? x : y + 1;
    }
    v.a = op == 0   ? heddle_add(a->a, b->a)
          : op == 1 ? heddle_subtract(a->a, b->a)
          : op == 2
              ? heddle_maximum(a->a, b->a)
              : heddle_where(heddle_less(a->a, b->a), a->a, heddle_add(b->a, heddle_scalar_int(1)));
    return v;
}

static struct value operand(int ndim, const int64_t *shape, int depth)
{
    if (ndim == 0) return data(ndim, shape);
    switch (word_below(depth > 0 ? 8 : 5)) {
    case 0:
    case 1: return data(ndim, shape);
    case 2: {
        const struct value a = data(ndim, shape), b = operand(ndim, shape, 0);
        return combined(&a, &b);
    }
    case 3: return indices(ndim, shape);
    case 4:
    case 5: return slice(ndim, shape, depth - 1);
    default: return assembled(ndim, shape, depth - 1);
    }
}

/* Several boxes of one assembled array. */
static struct value stencil(int ndim, const int64_t *shape)
{
    int64_t larger[MOST_AXES], start[MOST_AXES];
    for (int d = 0; d < ndim; d++) larger[d] = shape[d] + 2;
    const struct value of = assembled(ndim, larger, 1);
    struct value v = {0};
    for (int64_t i = 0, n = 2 + word_below(7); i < n; i++) {
        for (int d = 0; d < ndim; d++) start[d] = word_below(3);
        const struct value box = box_of(&of, shape, start);
        v = i ? combined(&v, &box) : box;
    }
    return v;
}

/* More operands than a program has. */
static struct value long_chain(const struct value *of)
{
    struct value v = *of;
    for (int i = 0; i < 30; i++) {
        const struct value w = data(v.ndim, v.shape);
        v = combined(&v, &w);
    }
    return v;
}

/* Whether the plan has an assembled array that is not stored. */
static bool check_program(int way, int program)
{
    static const int64_t extents[] = {0, 1, 2, 3, 4, 5, 7, 16, 33};
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_FLOAT16,
                                               HEDDLE_INT16, HEDDLE_INT64};
    heddle_scope scope = heddle_scope_open();
    n_all = 0;
    dtype = dtypes[word_below(5)];
    const int ndim = 1 + (int)word_below(MOST_AXES), n = 1 + (int)word_below(4);
    int64_t shape[MOST_AXES];
    for (int d = 0; d < ndim; d++) shape[d] = extents[word_below(30) ? 1 + word_below(8) : 0];
    struct value asked[3] = {{0}};
    int n_asked = 0;
    struct value v = word_below(4) ? assembled(ndim, shape, 2) : stencil(ndim, shape);
    if (word_below(12) == 0) asked[n_asked++] = v; /* so it is stored */
    for (int i = 0; i < n; i++) {
        const struct value w = word_below(2) ? assembled(ndim, shape, 1) : operand(ndim, shape, 1);
        v = word_below(2) ? combined(&v, &w) : combined(&w, &v);
        if (word_below(8) == 0 && n_asked < 2) asked[n_asked++] = v;
    }
    if (word_below(10) == 0) v = long_chain(&v);
    if (word_below(4) == 0 && v.size > 0) { /* a few elements of it alone */
        int64_t start[MOST_AXES];
        for (int d = 0; d < ndim; d++) {
            const int64_t few = word_below(2) ? shape[d] : 1 + word_below(shape[d]);
            start[d] = word_below(shape[d] - few + 1);
            shape[d] = few;
        }
        v = box_of(&v, shape, start);
    }
    if (word_below(3) == 0) { /* a result of another dtype */
        const struct value of = v;
        v = new_value(ndim, shape);
        v.a = heddle_less(of.a, heddle_scalar_int(10));
        for (int64_t i = 0; i < v.size; i++) v.x[i] = of.x[i] < 10;
    }
    asked[n_asked++] = v;

    struct asked all_asked[3];
    for (int i = 0; i < n_asked; i++)
        all_asked[i] = (struct asked){asked[i].a, asked[i].x, asked[i].size};
    const bool found = check_all_asked(all_asked, n_asked, "assemble>", "assemble>", way, program);
    heddle_scope_close(scope);
    while (n_all > 0) free(all[--n_all]);
    return found;
}

int main(int argc, char **argv)
{
    static const struct heddle_config ways[] = {
        {.inline_bytes = (int64_t)1 << 40},
        {.inline_bytes = -1},
        {.inline_bytes = -1, .partition = "3"},
        {.inline_bytes = -1, .partition = "2x3"},
        {.inline_bytes = -1, .part_bytes = 1 << 9},
        {.inline_bytes = (int64_t)1 << 40, .no_fusion = true},
    };
    const int programs = argc > 1 ? atoi(argv[1]) : PROGRAMS;
    const int no = check_devices_named();
    if (no) return no;
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++) {
        CHECK_EQ(machine_configure(&ways[way]), HEDDLE_OK);
        distributes = ways[way].inline_bytes < 0;
        int found = 0;
        for (int i = 0; i < programs; i++) found += check_program(way, i);
        if (ways[way].no_fusion)
            CHECK_EQ(found, 0);
        else
            CHECK(found > programs / 2, "way %d: %d of %d have what they are for", way, found,
                  programs);
        heddle_shutdown();
    }
    return check_done();
}
