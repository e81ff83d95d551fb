/* Generalised functions as objects. Entry points: heddle_gufunc_make_with, heddle_gufunc_release. */
#include "api/gufunc/gufunc.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"

static void free_gufunc(void *user)
{
    struct heddle_gufunc *g = user;
    heddle__call_deleter(g->deleter, g->user);
    heddle__free(g);
}

static enum heddle_status check(const char *signature, heddle_gufunc_function *function,
                                const struct heddle_gufunc_options *o, struct gufunc_signature *s)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_REQUIRE(function || o->cuda, HEDDLE_EARG, "heddle_gufunc_make: both functions are NULL");
    HEDDLE_REQUIRE(!o->cuda == !o->name, HEDDLE_EARG,
                   "heddle_gufunc_make: .cuda and .name are given together");
    HEDDLE_REQUIRE(o->cuda || !o->flags, HEDDLE_EARG, "heddle_gufunc_make: .flags are for .cuda");
    HEDDLE_TRY(heddle__gufunc_signature(signature, s));
    HEDDLE_TRY(heddle__gufunc_types(o->types, s));
fail:
    return status;
}

/* The kernel owns `g` from here on, also if there is none. */
static heddle_raw_kernel *make_kernel(struct heddle_gufunc *g,
                                      const struct heddle_gufunc_options *o)
{
    heddle_raw_function *loop = g->function ? heddle__gufunc_loop : NULL;
    if (!o->cuda) return heddle_raw_kernel_from_functions(loop, .user = g, .deleter = free_gufunc);
    char *source = heddle__gufunc_source(&g->signature, o->cuda, o->name);
    if (!source) {
        free_gufunc(g);
        heddle__fail(HEDDLE_ENOMEM, "heddle_gufunc_make: no memory");
        return NULL;
    }
    heddle_raw_kernel *kernel = heddle_raw_kernel_from_source(
        source, "heddle_items", .host = loop, .flags = o->flags, .user = g, .deleter = free_gufunc);
    heddle__free(source);
    return kernel;
}

heddle_gufunc *heddle_gufunc_make_with(const char *signature, heddle_gufunc_function *function,
                                       const struct heddle_gufunc_options *options)
{
    struct heddle_gufunc_options o;
    struct gufunc_signature s;
    enum heddle_status status = heddle__options("gufunc_make", options, &o, sizeof o);
    if (status == HEDDLE_OK) status = check(signature, function, &o, &s);
    struct heddle_gufunc *g = status == HEDDLE_OK ? heddle__alloc(sizeof *g) : NULL;
    if (!g) {
        heddle__call_deleter(o.deleter, o.user);
        if (status == HEDDLE_OK) heddle__fail(HEDDLE_ENOMEM, "heddle_gufunc_make: no memory");
        return NULL;
    }
    *g = (struct heddle_gufunc){
        .signature = s, .function = function, .user = o.user, .deleter = o.deleter};
    heddle_raw_kernel *kernel = make_kernel(g, &o);
    if (!kernel) return NULL;
    g->kernel = kernel;
    return g;
}

void heddle_gufunc_release(heddle_gufunc *gufunc)
{
    if (gufunc) heddle_raw_kernel_release(gufunc->kernel);
}
