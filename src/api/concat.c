/* Arrays joined: one ASSEMBLE node, whose boxes cover it. No data move now.
 * Entry points: heddle_concat, heddle_concat_flat, heddle_stack. */
#include "graph/axes.h"
#include "graph/make.h"

#include "base/memory.h"

#include <heddle/manipulate.h>
#include <string.h>

/* The array to return at once; NULL when all is well. */
static heddle_array *bad_list(const char *name, int n, heddle_array *const arrays[])
{
    if (n < 1 || !arrays) return heddle__error_array(HEDDLE_EARG, "heddle_%s: %d arrays", name, n);
    return heddle__bad_operand(name, n, arrays);
}

/* Checks that all extents but that of `axis` are those of arrays[0]; *total: the sum along it. */
static enum heddle_status check_extents(const char *name, int n, heddle_array *const arrays[],
                                        int axis, int64_t *total)
{
    const heddle_array *first = arrays[0];
    *total = 0;
    for (int i = 0; i < n; i++) {
        const heddle_array *x = arrays[i];
        bool fits = x->ndim == first->ndim;
        for (int d = 0; fits && d < x->ndim; d++)
            fits = d == axis || x->shape[d] == first->shape[d];
        HEDDLE_REQUIRE(fits, HEDDLE_ESHAPE,
                       "heddle_%s: shapes %s and %s (argument %d) differ beside axis %d", name,
                       HEDDLE_SHAPE_OF(first), HEDDLE_SHAPE_OF(x), i + 1, axis);
        HEDDLE_REQUIRE(*total <= HEDDLE_MAX_SIZE - x->shape[axis], HEDDLE_ESHAPE,
                       "heddle_%s: too many elements", name);
        *total += x->shape[axis];
    }
    return HEDDLE_OK;
}

/* The parts of a join, with owned references. Slot 0 is for the background, which a join lacks. */
struct parts {
    heddle_array **in;
    struct heddle_landing *landings;
    int n;
};

static void free_parts(struct parts *p)
{
    for (int i = 1; p->in && i < p->n; i++) heddle__release(p->in[i]);
    heddle__free(p->in);
    heddle__free(p->landings);
}

static bool alloc_parts(struct parts *p, int n)
{
    *p = (struct parts){.n = 1};
    p->in = heddle__calloc((size_t)n + 1, sizeof *p->in);
    p->landings = heddle__calloc((size_t)n + 1, sizeof *p->landings);
    if (p->in && p->landings) return true;
    free_parts(p);
    heddle__no_memory();
    return false;
}

/* Converts the arrays, leaves out empty ones, and gives each its landing. */
static bool fill_parts(struct parts *p, int n, heddle_array *const arrays[], int axis,
                       enum heddle_dtype dtype)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        if (arrays[i]->size == 0) continue;
        heddle_array *x = heddle__make_cast(arrays[i], dtype);
        if (!x) return false;
        struct heddle_landing *landing = &p->landings[p->n];
        for (int d = 0; d < x->ndim; d++) landing->step[d] = 1;
        landing->start[axis] = at;
        at += x->shape[axis];
        p->in[p->n++] = x;
    }
    return true;
}

/* Owned, or NULL with the error set. The arrays have an axis `axis`, and the same other extents. */
static heddle_array *join(const char *name, int n, heddle_array *const arrays[], int axis)
{
    /* check and infer */
    struct heddle_shape s = {.ndim = arrays[0]->ndim};
    memcpy(s.extent, arrays[0]->shape, sizeof s.extent);
    const enum heddle_dtype dtype = heddle__promote(n, arrays);
    if (check_extents(name, n, arrays, axis, &s.extent[axis]) != HEDDLE_OK ||
        heddle__check_range(name, n, arrays, dtype) != HEDDLE_OK ||
        heddle__check_shape(name, s.ndim, s.extent) != HEDDLE_OK)
        return NULL;

    /* build: an empty array, the one array that has elements, or a join of all that have */
    struct parts p;
    heddle_array *r = NULL;
    if (!alloc_parts(&p, n)) return NULL;
    if (fill_parts(&p, n, arrays, axis, dtype)) {
        if (p.n == 1)
            r = heddle__make_zeros(dtype, s.ndim, s.extent);
        else if (p.n == 2)
            r = heddle__retain(p.in[1]);
        else
            r = heddle__make_assemble(dtype, s.ndim, s.extent, p.n, p.in, p.landings);
    }
    free_parts(&p);
    return r;
}

heddle_array *heddle_concat(int n, heddle_array *const arrays[], int axis)
{
    heddle_array *const bad = bad_list("concat", n, arrays);
    if (bad) return bad;
    int at = 0;
    if (heddle__axis("concat", axis, arrays[0]->ndim, arrays[0]->shape, &at) != HEDDLE_OK)
        return heddle__error_last();
    return heddle__hand_out(join("concat", n, arrays, at));
}

/* Joins the arrays as reshaped to shapes[i] of `ndim` axes, along `axis`. */
static heddle_array *join_reshaped(const char *name, int n, heddle_array *const arrays[], int ndim,
                                   const struct heddle_shape *one, int axis)
{
    heddle_array **in = heddle__calloc((size_t)n, sizeof(heddle_array *));
    if (!in) {
        heddle__no_memory();
        return heddle__error_last();
    }
    heddle_array *r = NULL;
    int made = 0;
    const enum heddle_dtype dtype = heddle__promote(n, arrays); /* before weak ones have an axis */
    if (heddle__check_range(name, n, arrays, dtype) != HEDDLE_OK) n = 0;
    for (; made < n; made++) {
        heddle_array *x = heddle__make_cast(arrays[made], dtype);
        in[made] = x ? heddle__make_reshape(x, ndim, one ? one->extent : &x->size) : NULL;
        heddle__release(x);
        if (!in[made]) break;
    }
    if (n > 0 && made == n) r = join(name, n, in, axis);
    for (int i = 0; i < made; i++) heddle__release(in[i]);
    heddle__free(in);
    return heddle__hand_out(r);
}

heddle_array *heddle_concat_flat(int n, heddle_array *const arrays[])
{
    heddle_array *const bad = bad_list("concat_flat", n, arrays);
    if (bad) return bad;
    return join_reshaped("concat_flat", n, arrays, 1, NULL, 0);
}

heddle_array *heddle_stack(int n, heddle_array *const arrays[], int axis)
{
    /* check: all have one shape; the axis is counted in the result */
    heddle_array *const bad = bad_list("stack", n, arrays);
    if (bad) return bad;
    const heddle_array *first = arrays[0];
    for (int i = 1; i < n; i++)
        if (!heddle__same_shape(first->ndim, first->shape, arrays[i]->ndim, arrays[i]->shape))
            return heddle__error_array(HEDDLE_ESHAPE,
                                       "heddle_stack: shapes %s and %s (argument %d) differ",
                                       HEDDLE_SHAPE_OF(first), HEDDLE_SHAPE_OF(arrays[i]), i + 1);
    if (first->ndim == HEDDLE_MAX_NDIM)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_stack: shape %s has %d axes already",
                                   HEDDLE_SHAPE_OF(first), HEDDLE_MAX_NDIM);
    const int at = axis < 0 ? axis + first->ndim + 1 : axis;
    if (at < 0 || at > first->ndim)
        return heddle__error_array(HEDDLE_EAXIS,
                                   "heddle_stack: axis %d is out of range of shape %s", axis,
                                   HEDDLE_SHAPE_OF(first));

    /* build */
    struct heddle_shape s = {.ndim = first->ndim + 1};
    for (int d = 0; d < s.ndim; d++) s.extent[d] = d == at ? 1 : first->shape[d - (d > at)];
    return join_reshaped("stack", n, arrays, s.ndim, &s, at);
}
