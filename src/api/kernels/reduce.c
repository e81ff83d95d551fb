/* Reductions from text: applied. Entry points: heddle_kernel_reduce_with, heddle_kernel_reduce_call_with. */
#include "api/kernels/reduce.h"

#include "base/memory.h"
#include "base/options.h"
#include "graph/axes.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <string.h>

/* ---- Types ----------------------------------------------------------------------------------------------- */

static bool give_nodes(struct heddle__kernel_call *c, const struct kernel_tree *tree,
                       struct heddle_arena *arena)
{
    c->tree = tree;
    c->types.nodes = heddle__arena_alloc(arena, (size_t)tree->n_nodes + 1);
    return c->types.nodes != NULL;
}

/* The types of a tree whose letters are those of the map. */
static enum heddle_status check_tree(const struct kernel_reducing *q, struct heddle__kernel_call *c)
{
    memcpy(c->types.letters, q->map.types.letters, sizeof c->types.letters);
    return heddle__kernel_check(c->tree, &c->types);
}

/* Decides what the arguments decide: letters, the shape of the values, the types of accumulators. */
static enum heddle_status bind(struct kernel_reducing *q, const struct heddle_lengths *shape)
{
    const struct kernel_reduction *const texts = q->texts;
    struct kernel_types *const types = &q->map.types;
    enum heddle_status status;
    HEDDLE_TRY(heddle__kernel_bind(&q->map, shape));
    memcpy(q->post.types.letters, types->letters, sizeof types->letters);
    for (int k = 0; k < texts->n; k++) q->post.types.letters[k] = HEDDLE_BOOL; /* not yet known */
    HEDDLE_TRY(heddle__kernel_decided(&q->post));
    for (int k = 0; k < texts->n; k++)
        types->letters[k] =
            (unsigned char)heddle__computed_in(heddle__kernel_dtype(types, texts->types[k]));
    HEDDLE_TRY(heddle__kernel_check(q->map.tree, types));
    HEDDLE_TRY(check_tree(q, &q->reduce));
    HEDDLE_TRY(check_tree(q, &q->post));
    if (texts->has_identity) HEDDLE_TRY(check_tree(q, &q->identity));
    q->shape = q->map.shape;
fail:
    return status;
}

/* ---- Values ---------------------------------------------------------------------------------------------- */

/* Reduces no elements to the identity, or gives values of a result without elements. */
static enum heddle_status reduce_nothing(struct kernel_reducing *q,
                                         const struct heddle_shape *shape)
{
    const struct heddle_shape from = q->shape;
    bool no_result = false;
    for (int d = 0; d < shape->ndim; d++) no_result |= shape->extent[d] == 0;
    q->shape = *shape;
    for (int k = 0; k < q->texts->n && no_result; k++)
        q->values[k] = heddle__hand_out(heddle__make_zeros(
            (enum heddle_dtype)q->map.types.letters[k], shape->ndim, shape->extent));
    if (no_result) return HEDDLE_OK;
    HEDDLE_REQUIRE(q->texts->has_identity, HEDDLE_ESHAPE,
                   "kernel '%.40s': nothing to reduce in shape %s, and it has no identity",
                   q->map.tree->name, heddle__shape_text(from.ndim, from.extent).text);
    return heddle__reduce_record(q, &q->identity, shape, q->values);
}

/* The map of all elements, of which nothing is computed yet; *straight: whether slices of it can be recorded. */
static enum heddle_status map_whole(struct kernel_reducing *q, bool *straight)
{
    enum heddle_status status = heddle__kernel_straight(&q->map, q->values, straight);
    if (status == HEDDLE_OK && !*straight)
        status = heddle__kernel_crooked(&q->kernel->object, &q->map, q->values);
    for (int k = 0; k < q->texts->n && status == HEDDLE_OK; k++)
        q->values[k] = heddle__hand_out(q->values[k]);
    return status;
}

/* The accumulators of the result. */
static enum heddle_status reduce_values(struct kernel_reducing *q)
{
    struct heddle_shape kept = q->shape;
    bool empty = false, straight, done;
    for (int d = 0; d < kept.ndim; d++) {
        empty |= kept.extent[d] == 0;
        if (q->axes >> d & 1) kept.extent[d] = 1;
    }
    if (empty) return reduce_nothing(q, &kept);
    enum heddle_status status = map_whole(q, &straight);
    if (status != HEDDLE_OK ||
        heddle__same_shape(kept.ndim, kept.extent, kept.ndim, q->shape.extent))
        return status;
    status = heddle__reduce_by_known(q, &done);
    q->mapped = !straight;
    if (status != HEDDLE_OK || done) return status;
    status = heddle__reduce_by_loop(q);
    return status == HEDDLE_OK ? heddle__reduce_by_rounds(q) : status;
}

/* `owned` without the reduced axes. */
static heddle_array *without_axes(const struct kernel_reducing *q, heddle_array *owned)
{
    struct heddle_shape s = {.ndim = 0};
    for (int d = 0; d < q->shape.ndim; d++)
        if (!(q->axes >> d & 1)) s.extent[s.ndim++] = q->shape.extent[d];
    heddle_array *const bare = heddle__make_reshape(owned, s.ndim, s.extent);
    heddle__release(owned);
    return bare;
}

static enum heddle_status finish(struct kernel_reducing *q, bool keepdims, heddle_array *out[])
{
    heddle_array *in[KERNEL_MAX_ACCUMULATORS + 1];
    for (int k = 0; k < q->texts->n; k++) in[k] = q->values[k];
    q->post.in = in;
    heddle__kernel_whole(&q->post, &q->shape);
    const union heddle_scalar n = {.i64 = q->post.size ? q->map.size / q->post.size : 0};
    in[q->texts->n] = heddle__hand_out(heddle__make_constant(n, HEDDLE_INT64, 0, NULL));
    const enum heddle_status status = heddle__kernel_record(q->kernel, &q->post, out);
    if (status != HEDDLE_OK || keepdims) return status;
    bool all = true;
    for (int i = 0; i < q->post.tree->n_out; i++) {
        if (heddle_status_of(out[i]) == HEDDLE_OK) out[i] = without_axes(q, out[i]);
        all = all && out[i];
    }
    for (int i = 0; i < q->post.tree->n_out && !all; i++) heddle__release(out[i]);
    return all ? HEDDLE_OK : HEDDLE_ENOMEM;
}

/* ---- Calls ----------------------------------------------------------------------------------------------- */

/* The axes that the options name. */
static enum heddle_status read_axes(const char *name, struct kernel_reducing *q,
                                    const struct heddle_kernel_reduce_options *o)
{
    heddle_array *const like = heddle__make_zeros(HEDDLE_BOOL, q->shape.ndim, q->shape.extent);
    if (!like) return HEDDLE_ENOMEM;
    const enum heddle_status status =
        heddle__axes_option(name, o->has_axis, o->axis, &o->axes, like, &q->axes);
    heddle__release(like);
    return status;
}

/* out[]: owned. */
static enum heddle_status record(const char *name, struct kernel_reducing *q,
                                 const struct heddle_kernel_reduce_options *o, heddle_array *out[])
{
    enum heddle_status status;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    HEDDLE_TRY(bind(q, &o->shape));
    HEDDLE_TRY(read_axes(name, q, o));
    HEDDLE_TRY(reduce_values(q));
    HEDDLE_TRY(finish(q, o->keepdims, out));
fail:
    heddle__scope_leave(&scope, NULL);
    return status;
}

static enum heddle_status call(const char *name, heddle_kernel *kernel, int n_in,
                               heddle_array *const in[], int n_out, heddle_array *out[],
                               const struct heddle_kernel_reduce_options *given)
{
    struct heddle_kernel_reduce_options o;
    enum heddle_status status = heddle__options(name, given, &o, sizeof o);
    if (status == HEDDLE_OK) status = heddle__kernel_arguments(name, kernel, true, n_in, in, n_out);
    if (status != HEDDLE_OK) return status;
    const struct kernel_reduction *const texts = kernel->reduction;
    struct heddle_arena arena = {0};
    struct kernel_reducing *const q = heddle__arena_alloc(&arena, sizeof *q);
    if (q && give_nodes(&q->map, &kernel->tree, &arena) &&
        give_nodes(&q->reduce, &texts->reduce, &arena) &&
        give_nodes(&q->post, &texts->post, &arena) &&
        give_nodes(&q->identity, &texts->identity, &arena)) {
        q->kernel = kernel;
        q->texts = texts;
        q->arena = &arena;
        q->map.in = in;
        status = record(name, q, &o, out);
    } else {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_%s: out of memory", name);
    }
    heddle__arena_free(&arena);
    return status;
}

enum heddle_status heddle_kernel_reduce_call_with(heddle_kernel *kernel, int n_in,
                                                  heddle_array *const in[], int n_out,
                                                  heddle_array *out[],
                                                  const struct heddle_kernel_reduce_options *o)
{
    heddle_array *made[KERNEL_MAX_PARAMETERS];
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_kernel_reduce_call: the results are NULL");
    const enum heddle_status status = call("kernel_reduce_call", kernel, n_in, in, n_out, made, o);
    if (status != HEDDLE_OK) return status;
    for (int i = 0; i < n_out; i++) out[i] = heddle__hand_out(made[i]);
    return HEDDLE_OK;
}

heddle_array *heddle_kernel_reduce_with(heddle_kernel *kernel, int n_in, heddle_array *const in[],
                                        const struct heddle_kernel_reduce_options *o)
{
    heddle_array *made;
    return call("kernel_reduce", kernel, n_in, in, 1, &made, o) == HEDDLE_OK
               ? heddle__hand_out(made)
               : heddle__error_last();
}
