/* Calls of generalised functions: extents of the core, broadcast loops, and the call of the kernel. Entry points:
 * heddle_gufunc_call, heddle_gufunc_apply. */
#include "api/gufunc/gufunc.h"
#include "families/raw/record.h"
#include "graph/check.h"
#include "graph/make.h"

#include <string.h>

/* As the source of source.c has it. */
struct core {
    int64_t extent[GUFUNC_CORE];
    int32_t n_loop, n_own[GUFUNC_ARGUMENTS];
};

static enum heddle_status check_inputs(const struct gufunc_signature *s, int n_in,
                                       heddle_array *const in[], int n_out,
                                       heddle_array *const *out)
{
    HEDDLE_REQUIRE(n_in == s->n_in && n_out == s->n_out, HEDDLE_EARG,
                   "heddle_gufunc_call: %d inputs and %d outputs, the signature has %d and %d",
                   n_in, n_out, s->n_in, s->n_out);
    HEDDLE_REQUIRE(in && out, HEDDLE_EARG, "heddle_gufunc_call: a list is NULL");
    for (int i = 0; i < n_in; i++) {
        HEDDLE_REQUIRE(in[i], HEDDLE_EARG, "heddle_gufunc_call: argument %d is NULL", i + 1);
        if (heddle__checking() && heddle__check_array("gufunc_call", i + 1, in[i]) != HEDDLE_OK)
            return heddle__last_code();
        if (in[i]->kind == HEDDLE_NODE_ERROR)
            return heddle__fail(heddle_status_of(in[i]), "%s", heddle_error(in[i]));
        const enum heddle_status status = heddle__check_cast(
            "gufunc_call", (enum heddle_dtype)in[i]->dtype, (enum heddle_dtype)s->dtype[i]);
        if (status != HEDDLE_OK) return status;
    }
    return HEDDLE_OK;
}

/* The extents of the core and the loop, of all inputs. */
static enum heddle_status infer(const struct gufunc_signature *s, heddle_array *const in[],
                                struct core *core, struct heddle_shape *loop)
{
    memcpy(core->extent, s->extent, sizeof core->extent);
    loop->ndim = 0;
    for (int i = 0; i < s->n_in; i++) {
        const heddle_array *a = in[i];
        const int own = a->ndim - s->ndim[i];
        HEDDLE_REQUIRE(own >= 0, HEDDLE_ESHAPE,
                       "heddle_gufunc_call: argument %d of shape %s has fewer than %d axes", i + 1,
                       HEDDLE_SHAPE_OF(a), s->ndim[i]);
        for (int d = 0; d < s->ndim[i]; d++) {
            const int k = s->core[i][d];
            int64_t *extent = &core->extent[k];
            if (*extent < 0) *extent = a->shape[own + d];
            HEDDLE_REQUIRE(*extent == a->shape[own + d], HEDDLE_ESHAPE,
                           "heddle_gufunc_call: argument %d of shape %s: %s is %lld", i + 1,
                           HEDDLE_SHAPE_OF(a), s->name[k], (long long)*extent);
        }
        HEDDLE_REQUIRE(
            heddle__broadcast(loop, own, a->shape), HEDDLE_ESHAPE,
            "heddle_gufunc_call: argument %d of shape %s does not broadcast with those before",
            i + 1, HEDDLE_SHAPE_OF(a));
    }
    return HEDDLE_OK;
}

static void set_loop(const struct heddle_shape *shape, int argument, int own, const int64_t *extent,
                     struct heddle_raw_loop *loop)
{
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) {
        const int f = d + shape->ndim - own;
        const bool follows = d < own && (extent[d] != 1 || shape->extent[f] == 1);
        loop->frame[argument][d] = (int8_t)(follows ? f : -1);
    }
}

enum heddle_status heddle_gufunc_call(heddle_gufunc *g, int n_in, heddle_array *const in[],
                                      int n_out, heddle_array *out[])
{
    enum heddle_status status = HEDDLE_OK;
    struct heddle_raw_argument arguments[2 * GUFUNC_ARGUMENTS + 1];
    struct heddle_raw_loop loop;
    struct heddle_shape shape = {.ndim = 0};
    struct core core = {.n_loop = 0};
    heddle_array *cast[GUFUNC_ARGUMENTS] = {NULL};
    HEDDLE_REQUIRE(g, HEDDLE_EARG, "heddle_gufunc_call: the function is NULL");
    const struct gufunc_signature *s = &g->signature;
    const int n = gufunc_n(g);
    HEDDLE_TRY(check_inputs(s, n_in, in, n_out, out));
    HEDDLE_TRY(infer(s, in, &core, &shape));
    loop.ndim = core.n_loop = shape.ndim;
    memcpy(loop.extent, shape.extent, sizeof loop.extent);

    for (int i = 0; i < n_in; i++) {
        cast[i] = heddle__make_cast(in[i], (enum heddle_dtype)s->dtype[i]);
        if (!cast[i]) HEDDLE_TRY(heddle__last_code());
        arguments[i] = heddle_raw_read(cast[i]);
        core.n_own[i] = in[i]->ndim - s->ndim[i];
        set_loop(&shape, i, core.n_own[i], in[i]->shape, &loop);
    }
    for (int i = n_in; i < n; i++) {
        struct heddle_shape result = shape;
        for (int d = 0; d < s->ndim[i]; d++, result.ndim++)
            if (result.ndim < HEDDLE_MAX_NDIM)
                result.extent[result.ndim] = core.extent[s->core[i][d]];
        HEDDLE_TRY(heddle__check_shape("gufunc_call", result.ndim, result.extent));
        arguments[i] = heddle_raw_write(&out[i - n_in], (enum heddle_dtype)s->dtype[i], result.ndim,
                                        result.extent);
        core.n_own[i] = shape.ndim;
        set_loop(&shape, i, shape.ndim, shape.extent, &loop);
    }
    for (int i = 0; i < n; i++) arguments[n + i] = heddle_raw_extents_of(i);
    arguments[2 * n] = heddle_raw_bytes(&core, sizeof core);
    const struct heddle_raw_call_options options = {.over_parts = true};
    HEDDLE_TRY(
        heddle__raw_record("heddle_gufunc_call", g->kernel, 2 * n + 1, arguments, &options, &loop));
fail:
    for (int i = 0; i < n_in && i < GUFUNC_ARGUMENTS; i++) heddle__release(cast[i]);
    return status;
}

heddle_array *heddle_gufunc_apply(heddle_gufunc *g, int n_in, heddle_array *const in[])
{
    heddle_array *out;
    const enum heddle_status status = heddle_gufunc_call(g, n_in, in, 1, &out);
    return status == HEDDLE_OK ? out : heddle__error_last();
}
