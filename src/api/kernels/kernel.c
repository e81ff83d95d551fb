/* Kernels from text: made, asked, applied. Entry points: kernel.h of include/heddle, but for
 * heddle_kernel_reduce (reduce.c). */
#include "api/kernels/kernels.h"

#include "base/memory.h"
#include "base/options.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <stdio.h>

static void free_kernel(struct heddle_object *object)
{
    heddle_kernel *const kernel = (heddle_kernel *)object; /* its first member */
    heddle__reduce_free_loops(atomic_load(&kernel->loops));
    if (kernel->reduction) heddle__kernel_free_reduction(kernel->reduction);
    heddle__free(kernel->reduction);
    heddle__kernel_free_tree(&kernel->tree);
    heddle__free(kernel);
}

/* Without a text. NULL: no memory. */
static heddle_kernel *new_kernel(const char *caller)
{
    heddle_kernel *const kernel = heddle__alloc(sizeof *kernel);
    if (!kernel) {
        heddle__fail(HEDDLE_ENOMEM, "heddle_%s: out of memory", caller);
        return NULL;
    }
    kernel->object.free = free_kernel;
    atomic_init(&kernel->object.refs, 1);
    kernel->reduction = NULL;
    atomic_init(&kernel->loops, NULL);
    return kernel;
}

static heddle_kernel *make(const char *caller, const char *preamble, const char *in,
                           const char *out, const char *operation, const char *name)
{
    heddle_kernel *const kernel = new_kernel(caller);
    if (kernel) heddle__kernel_parse_with(&kernel->tree, preamble, in, out, operation, name);
    return kernel;
}

heddle_kernel *heddle_kernel_elementwise(const char *in, const char *out, const char *operation,
                                         const char *name)
{
    return make("kernel_elementwise", NULL, in, out, operation, name);
}

heddle_kernel *heddle_kernel_with_preamble(const char *preamble, const char *in, const char *out,
                                           const char *operation, const char *name)
{
    return make("kernel_with_preamble", preamble, in, out, operation, name);
}

heddle_kernel *heddle_kernel_with_loop(const char *in, const char *out, const char *operation,
                                       const char *name, heddle_kernel_loop *loop)
{
    heddle_kernel *const kernel = make("kernel_with_loop", NULL, in, out, operation, name);
    if (kernel) kernel->tree.loop = loop;
    return kernel;
}

heddle_kernel *heddle_kernel_reduction_with(const char *in, const char *out, const char *map,
                                            const char *reduce, const char *post,
                                            const struct heddle_kernel_reduction_options *o)
{
    static const char caller[] = "kernel_reduction";
    struct heddle_kernel_reduction_options options;
    const enum heddle_status status = heddle__options(caller, o, &options, sizeof options);
    heddle_kernel *const kernel = new_kernel(caller);
    struct kernel_reduction *const r = kernel ? heddle__calloc(1, sizeof *r) : NULL;
    if (!r) {
        heddle__free(kernel);
        heddle__fail(HEDDLE_ENOMEM, "heddle_%s: out of memory", caller);
        return NULL;
    }
    kernel->reduction = r;
    r->commutative = options.commutative;
    heddle__kernel_parse_reduction(&kernel->tree, r, in, out, map, reduce, post, options.identity,
                                   options.type, options.name);
    if (status != HEDDLE_OK && kernel->tree.code == HEDDLE_OK) {
        kernel->tree.code = status;
        snprintf(kernel->tree.message, sizeof kernel->tree.message, "%s", heddle_last_error());
    }
    return kernel;
}

void heddle_kernel_release(heddle_kernel *kernel)
{
    if (kernel) heddle__object_release(&kernel->object);
}

enum heddle_status heddle_kernel_status(const heddle_kernel *kernel)
{
    return kernel ? kernel->tree.code : HEDDLE_EARG;
}

const char *heddle_kernel_error(const heddle_kernel *kernel)
{
    return kernel ? kernel->tree.message : "the kernel is NULL";
}

enum heddle_status heddle__kernel_arguments(const char *name, const heddle_kernel *kernel,
                                            bool reduction, int n_in, heddle_array *const in[],
                                            int n_out)
{
    HEDDLE_REQUIRE(kernel, HEDDLE_EARG, "heddle_%s: the kernel is NULL", name);
    const struct kernel_tree *const tree = &kernel->tree;
    HEDDLE_REQUIRE(tree->code == HEDDLE_OK, tree->code, "%s", tree->message);
    HEDDLE_REQUIRE(!kernel->reduction == !reduction, HEDDLE_EARG,
                   reduction ? "heddle_%s: kernel '%.40s' is elementwise: heddle_kernel_apply"
                             : "heddle_%s: kernel '%.40s' is a reduction: heddle_kernel_reduce",
                   name, tree->name);
    const int has_out = reduction ? kernel->reduction->post.n_out : tree->n_out;
    HEDDLE_REQUIRE(n_in == tree->n_in && (in || !n_in), HEDDLE_EARG,
                   "heddle_%s: %d arguments for the %d inputs of kernel '%.40s'", name, n_in,
                   tree->n_in, tree->name);
    HEDDLE_REQUIRE(n_out == has_out, HEDDLE_EARG,
                   "heddle_%s: %d results for the %d outputs of kernel '%.40s'", name, n_out,
                   has_out, tree->name);
    heddle_array *const bad = heddle__bad_operand(name, n_in, in);
    return bad ? heddle__fail(heddle_status_of(bad), "%s", heddle_error(bad)) : HEDDLE_OK;
}

enum heddle_status heddle__kernel_record(heddle_kernel *kernel, const struct heddle__kernel_call *c,
                                         heddle_array *out[])
{
    bool straight = false;
    if (heddle__kernel_is_function(c)) return heddle__kernel_crooked(&kernel->object, c, out);
    const enum heddle_status status = heddle__kernel_straight(c, out, &straight);
    if (status != HEDDLE_OK || straight) return status;
    return heddle__kernel_crooked(&kernel->object, c, out);
}

static enum heddle_status call(const char *name, heddle_kernel *kernel, int n_in,
                               heddle_array *const in[], int n_out, heddle_array *out[],
                               const struct heddle_kernel_options *o)
{
    struct heddle_kernel_options options;
    enum heddle_status status = heddle__options(name, o, &options, sizeof options);
    if (status == HEDDLE_OK)
        status = heddle__kernel_arguments(name, kernel, false, n_in, in, n_out);
    if (status != HEDDLE_OK) return status;
    struct heddle__kernel_call *const c = heddle__calloc(1, sizeof *c);
    unsigned char *const nodes = heddle__alloc((size_t)kernel->tree.n_nodes + 1);
    if (c && nodes) {
        c->tree = &kernel->tree;
        c->in = in;
        c->types.nodes = nodes;
        status = heddle__kernel_bind(c, &options.shape);
        if (status == HEDDLE_OK) status = heddle__kernel_decided(c);
        if (status == HEDDLE_OK) status = heddle__kernel_check(c->tree, &c->types);
        if (status == HEDDLE_OK) status = heddle__kernel_record(kernel, c, out);
    } else {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_%s: out of memory", name);
    }
    heddle__free(nodes);
    heddle__free(c);
    return status;
}

enum heddle_status heddle_kernel_call_with(heddle_kernel *kernel, int n_in,
                                           heddle_array *const in[], int n_out, heddle_array *out[],
                                           const struct heddle_kernel_options *o)
{
    heddle_array *made[KERNEL_MAX_PARAMETERS];
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_kernel_call: the results are NULL");
    const enum heddle_status status = call("kernel_call", kernel, n_in, in, n_out, made, o);
    if (status != HEDDLE_OK) return status;
    for (int i = 0; i < n_out; i++) out[i] = heddle__hand_out(made[i]);
    return HEDDLE_OK;
}

heddle_array *heddle_kernel_apply_with(heddle_kernel *kernel, int n_in, heddle_array *const in[],
                                       const struct heddle_kernel_options *o)
{
    heddle_array *made;
    return call("kernel_apply", kernel, n_in, in, 1, &made, o) == HEDDLE_OK ? heddle__hand_out(made)
                                                                            : heddle__error_last();
}
