/* Elementwise work on stacks, input by input. Entry points: stacks.h. */
#include "graph/stacks.h"

#include "graph/components.h"
#include "graph/make.h"

enum {
    MOST_INPUTS = 8, /* of a stack: each operation on it becomes as many */
    MOST_LOOKED = 48 /* nodes */
};

bool heddle__is_stacked_along(heddle_array *x, int axis)
{
    struct heddle_box parts[HEDDLE_MOST_STACKED];
    const int64_t n = x->shape[axis];
    if (x->kind != HEDDLE_NODE_ASSEMBLE || heddle__node_parts(x, HEDDLE_MOST_STACKED, parts) != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < x->ndim; d++)
            if (parts[i].hi[d] - parts[i].lo[d] != (d == axis ? 1 : x->shape[d])) return false;
    return true;
}

heddle_array *heddle__input_of_stack(heddle_array *x, int axis, int64_t index)
{
    struct heddle_box region = {{0}, {0}};
    struct heddle_landing landing = {{0}, {0}};
    for (int d = 0; d < x->ndim; d++) region.hi[d] = x->shape[d];
    region.lo[axis] = index;
    region.hi[axis] = index + 1;
    return heddle__node_part(x, &region, &landing);
}

heddle_array *heddle__make_line(heddle_array *x, int axis, int64_t index)
{
    struct heddle_map map = heddle__map_identity(x->ndim);
    int64_t extent[HEDDLE_MAX_NDIM];
    for (int d = 0; d < x->ndim; d++) extent[d] = d == axis ? 1 : x->shape[d];
    map.offset[axis] = index;
    return heddle__make_view(x, &map, x->ndim, extent);
}

heddle_array *heddle__make_stack(int axis, int n, heddle_array *const inputs[])
{
    heddle_array *in[1 + HEDDLE_MOST_STACKED] = {NULL};
    struct heddle_landing landings[1 + HEDDLE_MOST_STACKED] = {{{0}, {0}}};
    const heddle_array *first = inputs[0];
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < first->ndim; d++) shape[d] = d == axis ? n : first->shape[d];
    for (int i = 0; i < n; i++) {
        in[1 + i] = inputs[i];
        for (int d = 0; d < first->ndim; d++) landings[1 + i].step[d] = 1;
        landings[1 + i].start[axis] = i;
    }
    return heddle__make_assemble((enum heddle_dtype)first->dtype, first->ndim, shape, 1 + n, in,
                                 landings);
}

/* ---- Whether it is worth it ------------------------------------------------------------------------ */

/* What the inputs of a stack are views of, or the inputs. */
struct sources {
    int n, looked;
    heddle_array *of[MOST_INPUTS]; /* retained */
};

static void forget(struct sources *s)
{
    for (int i = 0; i < s->n; i++) heddle__release(s->of[i]);
}

static bool find_sources(heddle_array *stack, int axis, struct sources *s)
{
    *s = (struct sources){.n = 0};
    struct heddle_map map;
    for (int i = 0; i < (int)stack->shape[axis]; i++) {
        heddle_array *in = heddle__input_of_stack(stack, axis, i);
        if (!in) {
            forget(s);
            return false;
        }
        heddle_array *source = heddle__node_source(in, HEDDLE_NODE_VIEW, &map);
        s->of[s->n++] = source ? source : heddle__retain(in);
        heddle__release(in);
    }
    return true;
}

static bool is_computed_of(struct sources *s, heddle_array *x)
{
    for (int i = 0; i < s->n; i++)
        if (s->of[i] == x) return true;
    if (heddle__is_constant(x) || ++s->looked > MOST_LOOKED) return false;
    heddle_array *in[3];
    struct heddle_map map;
    int n = heddle__node_operands(x, in);
    if (n == 0) {
        in[0] = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
        n = in[0] != NULL;
    }
    bool is = false;
    for (int i = 0; i < n; i++) {
        is = is || is_computed_of(s, in[i]);
        heddle__release(in[i]);
    }
    return is;
}

/* The axis of an operation's space along which x is stacked; -1: none. */
static int stack_axis(heddle_array *x, const struct heddle_shape *shape)
{
    if (x->kind != HEDDLE_NODE_ASSEMBLE ||
        !heddle__same_shape(shape->ndim, shape->extent, x->ndim, x->shape))
        return -1;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] >= 2 && x->shape[d] <= MOST_INPUTS && heddle__is_stacked_along(x, d))
            return d;
    return -1;
}

static bool is_same_for_all(const heddle_array *x, const struct heddle_shape *shape, int axis)
{
    const int d = axis - (shape->ndim - x->ndim);
    return heddle__is_constant(x) || d < 0 || x->shape[d] == 1;
}

bool heddle__is_seen_data(heddle_array *x)
{
    struct heddle_map map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    const bool is = heddle__node_has_data(source ? source : x);
    heddle__release(source);
    return is;
}

/* The axis along which the operation is taken apart; -1: it is not. Stacks that this made (`axes`) always are; others where
 * another operand is computed of their inputs. */
static int axis_to_take_apart(const struct heddle_shape *shape, int n,
                              heddle_array *const operands[])
{
    int axis = -1;
    heddle_array *stack = NULL;
    for (int i = 0; i < n && axis < 0; i++) {
        axis = stack_axis(operands[i], shape);
        stack = operands[i];
    }
    if (axis < 0) return -1;
    bool worth = false, possible = true;
    struct sources s;
    if (!find_sources(stack, axis, &s)) return -1;
    for (int i = 0; i < n && possible; i++) {
        heddle_array *x = operands[i];
        if (x->kind == HEDDLE_NODE_ASSEMBLE && x->axes >> axis & 1) {
            worth = true;
            possible = stack_axis(x, shape) == axis;
        } else if (is_same_for_all(x, shape, axis)) {
            worth = worth || is_computed_of(&s, x);
        } else {
            possible = stack_axis(x, shape) == axis || heddle__is_seen_data(x);
        }
    }
    forget(&s);
    return worth && possible ? axis : -1;
}

/* ---- One input of it --------------------------------------------------------------------------------- */

/* Of an operand that axis_to_take_apart has looked at: what is assembled of others is stacked along the axis, or was. */
static heddle_array *operand_at(heddle_array *x, const struct heddle_shape *shape, int axis,
                                int64_t index)
{
    if (is_same_for_all(x, shape, axis)) return heddle__retain(x);
    heddle_array *in =
        x->kind == HEDDLE_NODE_ASSEMBLE ? heddle__input_of_stack(x, axis, index) : NULL;
    if (in) return in;
    return heddle__make_line(x, axis - (shape->ndim - x->ndim), index);
}

heddle_array *heddle__make_map_of_stack(enum heddle_op op, enum heddle_dtype in_dtype,
                                        enum heddle_dtype dtype, const struct heddle_shape *shape,
                                        int n, heddle_array *const operands[],
                                        const enum heddle_dtype dtypes[])
{
    const int axis = axis_to_take_apart(shape, n, operands);
    if (axis < 0) return NULL;
    const int n_inputs = (int)shape->extent[axis];
    heddle_array *in[MOST_INPUTS] = {NULL}, *r = NULL;
    struct heddle_shape part = *shape;
    part.extent[axis] = 1;
    bool ok = true;
    for (int i = 0; i < n_inputs && ok; i++) {
        heddle_array *of[3] = {NULL};
        for (int k = 0; k < n && ok; k++) ok = (of[k] = operand_at(operands[k], shape, axis, i));
        in[i] = ok ? heddle__make_map(op, in_dtype, dtype, &part, n, of, dtypes) : NULL;
        ok = in[i];
        for (int k = 0; k < n; k++) heddle__release(of[k]);
    }
    if (ok) r = heddle__make_stack(axis, n_inputs, in);
    if (r) r->axes = (uint8_t)(1u << axis);
    for (int i = 0; i < n_inputs; i++) heddle__release(in[i]);
    return r;
}
