/* A step of einsum: a matrix product of views, or, of inner products and where nothing is summed, an elementwise product
 * and a sum, which fuse. Entry points: heddle__einsum_reduce, heddle__einsum_contract, heddle__einsum_arranged. */
#include "api/compose/compose.h"
#include "api/einsum/einsum.h"

#include <heddle/linalg.h>

#include <string.h>

static bool has(uint64_t mask, int label)
{
    return mask >> label & 1;
}

static int64_t size_of(const struct heddle_einsum *e, int n, const int8_t *labels)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++) size *= e->extent[labels[i]];
    return size;
}

/* One view does it all: diagonals, order, extents of 1 that broadcast. */
heddle_array *heddle__einsum_arranged(const struct heddle_einsum *e,
                                      const struct heddle_einsum_term *t, int n,
                                      const int8_t *labels)
{
    struct heddle_map map = {.n = (int8_t)t->n};
    struct heddle_shape s = {.ndim = n};
    if (heddle_status_of(t->array) != HEDDLE_OK) return t->array;
    for (int i = 0; i < n; i++) s.extent[i] = e->extent[labels[i]];
    for (int d = 0; d < t->n; d++) {
        map.axis[d] = -1;
        for (int i = 0; i < n && t->array->shape[d] == e->extent[t->label[d]]; i++)
            if (labels[i] == t->label[d]) map.axis[d] = (int8_t)i;
        map.step[d] = map.axis[d] >= 0;
    }
    if (heddle__check_shape("einsum", s.ndim, s.extent) != HEDDLE_OK) return heddle__error_last();
    return heddle__hand_out(heddle__make_view(t->array, &map, s.ndim, s.extent));
}

/* Sums; of bools whether any is true, as NumPy has it. */
static heddle_array *sum(const struct heddle_einsum *e, heddle_array *a, unsigned axes)
{
    if (axes == 0 || heddle_status_of(a) != HEDDLE_OK) return a;
    if (e->dtype == HEDDLE_BOOL)
        return heddle__reduce_mask(heddle_any_with, a, axes, false, HEDDLE_DTYPE_NONE);
    return heddle__reduce_mask(heddle_sum_with, a, axes, false, e->dtype);
}

struct heddle_einsum_term heddle__einsum_reduce(const struct heddle_einsum *e,
                                                const struct heddle_einsum_term *t, uint64_t keep)
{
    struct heddle_einsum_term each = {.n = 0}, r = {.n = 0};
    unsigned axes = 0;
    uint64_t seen = 0;
    for (int d = 0; d < t->n; d++) {
        const int label = t->label[d];
        if (has(seen, label) || t->array->shape[d] != e->extent[label]) continue;
        seen |= UINT64_C(1) << label;
        if (has(keep, label))
            r.label[r.n++] = (int8_t)label;
        else
            axes |= 1u << each.n;
        each.label[each.n++] = (int8_t)label;
    }
    r.array = sum(e, heddle__einsum_arranged(e, t, each.n, each.label), axes);
    return r;
}

/* ---- Elementwise ------------------------------------------------------------------------------------ */

/* The labels in an order in which a term that has all of them is walked as it lies, else as they are; `summed` of them are. */
static struct heddle_einsum_term by_elements(const struct heddle_einsum *e,
                                             const struct heddle_einsum_term *a,
                                             const struct heddle_einsum_term *b, int n,
                                             const int8_t *labels, uint64_t summed)
{
    struct heddle_einsum_term r = {.n = 0};
    unsigned axes = 0;
    labels = a->n == n ? a->label : b->n == n ? b->label : labels;
    for (int i = 0; i < n; i++) {
        if (has(summed, labels[i]))
            axes |= 1u << i;
        else
            r.label[r.n++] = labels[i];
    }
    heddle_array *const x = heddle__einsum_arranged(e, a, n, labels);
    heddle_array *const y = heddle__einsum_arranged(e, b, n, labels);
    heddle_array *const product =
        e->dtype == HEDDLE_BOOL ? heddle_logical_and(x, y) : heddle_multiply(x, y);
    r.array = sum(e, product, axes);
    return r;
}

/* ---- Matrix products -------------------------------------------------------------------------------- */

/* Labels that stay together. */
struct group {
    int n;
    int8_t label[HEDDLE_MAX_NDIM];
};

static struct group chosen(const struct heddle_einsum_term *t, uint64_t of)
{
    struct group g = {.n = 0};
    for (int d = 0; d < t->n; d++)
        if (has(of, t->label[d])) g.label[g.n++] = t->label[d];
    return g;
}

/* Where the term has the labels of the group, one after the other; -1: it has not, or there are none. */
static int place_of(const struct heddle_einsum_term *t, const struct group *g)
{
    for (int d = 0; d + g->n <= t->n && g->n > 0; d++)
        if (memcmp(t->label + d, g->label, (size_t)g->n) == 0) return d;
    return -1;
}

static bool is_run(const struct heddle_einsum_term *t, const struct group *g)
{
    return g->n == 0 || place_of(t, g) >= 0;
}

/* The term with one axis for each group. Axes that follow each other are put together in place; the views then only
 * change the order. */
static heddle_array *grouped(const struct heddle_einsum *e, const struct heddle_einsum_term *t,
                             int n, const struct group *const groups[])
{
    struct heddle_einsum_term ordered = {.n = 0};
    struct heddle_shape s = {.ndim = n};
    bool runs = heddle_status_of(t->array) == HEDDLE_OK;
    for (int i = 0; i < n; i++) {
        s.extent[i] = size_of(e, groups[i]->n, groups[i]->label);
        memcpy(ordered.label + ordered.n, groups[i]->label, (size_t)groups[i]->n);
        ordered.n += groups[i]->n;
        runs &= is_run(t, groups[i]);
    }
    if (!runs)
        return heddle_reshape(heddle__einsum_arranged(e, t, ordered.n, ordered.label), n, s.extent);

    /* reshape first, in the term's order; groups without labels stand in front */
    int order[HEDDLE_MAX_NDIM];
    int64_t extent[HEDDLE_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        order[i] = 0;
        for (int k = 0; k < n; k++)
            order[i] += place_of(t, groups[k]) < place_of(t, groups[i]) ||
                        (k < i && place_of(t, groups[k]) == place_of(t, groups[i]));
        extent[order[i]] = s.extent[i];
    }
    return heddle_permute_dims(heddle_reshape(t->array, n, extent), n, order);
}

/* Takes the first labels of a group whose others follow each other in the term: over those the term is a batch of matrices, which the
 * other one multiplies all, where joining all axes would take a copy. None, if that leaves too few rows or columns of a matrix. */
static struct group split_off(const struct heddle_einsum *e, const struct heddle_einsum_term *t,
                              struct group *g)
{
    enum { LEAST = 16 };
    struct group alone = {.n = 0}, rest = *g;
    while (!is_run(t, &rest)) {
        alone.label[alone.n++] = rest.label[0];
        memmove(rest.label, rest.label + 1, (size_t)--rest.n);
    }
    if (alone.n == 0 || size_of(e, rest.n, rest.label) < LEAST) return (struct group){.n = 0};
    *g = rest;
    return alone;
}

/* With `shared` batch axes, rows of a and columns of b. */
static struct heddle_einsum_term by_matmul(const struct heddle_einsum *e,
                                           const struct heddle_einsum_term *a,
                                           const struct heddle_einsum_term *b, uint64_t summed,
                                           uint64_t batch)
{
    const uint64_t in_a = heddle__einsum_labels(a->n, a->label),
                   in_b = heddle__einsum_labels(b->n, b->label);
    struct group m = chosen(a, in_a & ~in_b), n = chosen(b, in_b & ~in_a);
    const struct group k = chosen(size_of(e, a->n, a->label) < size_of(e, b->n, b->label) ? b : a,
                                  summed),
                       all = chosen(a, batch), none = {.n = 0};

    /* batch axes stay apart where only a copy would join them */
    struct group each[HEDDLE_MAX_NDIM];
    const struct group *of_a[HEDDLE_MAX_NDIM + 2], *of_b[HEDDLE_MAX_NDIM + 2];
    const bool join = (is_run(a, &all) && is_run(b, &all)) || all.n > HEDDLE_MAX_NDIM - 2;
    int n_batch = join ? all.n > 0 : all.n;
    for (int i = 0; i < n_batch; i++) {
        each[i] = join ? all : (struct group){1, {all.label[i]}};
        of_a[i] = of_b[i] = &each[i];
    }
    struct group alone[2] = {none, none};
    if (n_batch + m.n + n.n <= HEDDLE_MAX_NDIM) {
        alone[0] = split_off(e, a, &m);
        alone[1] = split_off(e, b, &n);
    }
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < alone[t].n; i++) {
            each[n_batch] = (struct group){1, {alone[t].label[i]}};
            of_a[n_batch] = t == 0 ? &each[n_batch] : &none;
            of_b[n_batch] = t == 1 ? &each[n_batch] : &none;
            n_batch++;
        }
    of_a[n_batch] = &m;
    of_a[n_batch + 1] = of_b[n_batch] = &k;
    of_b[n_batch + 1] = &n;

    struct heddle_einsum_term r = {.n = 0};
    const struct group *const parts[5] = {&all, &alone[0], &alone[1], &m, &n};
    struct heddle_shape s = {.ndim = 0};
    for (int i = 0; i < 5; i++)
        for (int g = 0; g < parts[i]->n; g++) {
            r.label[r.n++] = parts[i]->label[g];
            s.extent[s.ndim++] = e->extent[parts[i]->label[g]];
        }
    if (heddle__check_shape("einsum", s.ndim, s.extent) != HEDDLE_OK) {
        r.array = heddle__error_last();
        return r;
    }
    r.array = heddle_reshape(
        heddle_matmul(grouped(e, a, n_batch + 2, of_a), grouped(e, b, n_batch + 2, of_b)), s.ndim,
        s.extent);
    return r;
}

/* Whether the labels that the other term has not stand on both sides of those that it has: no matrix. */
static bool is_parted(const struct heddle_einsum *e, const struct heddle_einsum_term *t,
                      uint64_t other)
{
    const struct group own = chosen(t, heddle__einsum_labels(t->n, t->label) & ~other);
    return (e->dtype == HEDDLE_FLOAT32 || e->dtype == HEDDLE_FLOAT64) && !is_run(t, &own);
}

struct heddle_einsum_term heddle__einsum_contract(const struct heddle_einsum *e,
                                                  const struct heddle_einsum_term *a,
                                                  const struct heddle_einsum_term *b, uint64_t keep)
{
    /* what only one of them has is summed there */
    uint64_t in_a = heddle__einsum_labels(a->n, a->label),
             in_b = heddle__einsum_labels(b->n, b->label);
    const struct heddle_einsum_term x = heddle__einsum_reduce(e, a, keep | in_b),
                                    y = heddle__einsum_reduce(e, b, keep | in_a);
    in_a = heddle__einsum_labels(x.n, x.label);
    in_b = heddle__einsum_labels(y.n, y.label);

    /* the union: kept labels, in the order of a and b, then those to sum */
    const uint64_t summed = in_a & in_b & ~keep, batch = in_a & in_b & keep;
    int8_t labels[2 * HEDDLE_MAX_NDIM];
    int n = 0;
    int64_t rows = 1, columns = 1;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < x.n + y.n; d++) {
            const int8_t label = d < x.n ? x.label[d] : y.label[d - x.n];
            if (has(summed, label) != (pass == 1) || (d >= x.n && has(in_a, label))) continue;
            labels[n++] = label;
            if (pass == 0 && !has(in_b, label)) rows *= e->extent[label];
            if (pass == 0 && !has(in_a, label)) columns *= e->extent[label];
        }
    /* BLAS is faster also for vectors and tiny matrices; a fused sum is for inner products, and for a vector times what it would have to copy. */
    const bool by_sum = (rows == 1 && columns == 1) || (columns == 1 && is_parted(e, &x, in_b)) ||
                        (rows == 1 && is_parted(e, &y, in_a));
    if (summed && e->dtype != HEDDLE_BOOL && (!by_sum || n > HEDDLE_MAX_NDIM))
        return by_matmul(e, &x, &y, summed, batch);
    if (n > HEDDLE_MAX_NDIM)
        return (struct heddle_einsum_term){
            .array = heddle__error_array(
                HEDDLE_ESHAPE, "heddle_einsum: a step has more than %d labels", HEDDLE_MAX_NDIM)};
    return by_elements(e, &x, &y, n, labels, summed);
}
