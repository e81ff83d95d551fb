/* Kernels from text as CuPy has them: made by ElementwiseKernel(...), called as functions, released with the run.
 * Entry points: heddle__expr_call_kernel, heddle__expr_release_kernels. */
#include "expr/functions/functions.h"

#include <heddle/kernel.h>

#include <string.h>

struct owned_kernel {
    heddle_kernel *kernel;
    struct owned_kernel *next;
};

static bool own_kernel(struct run *run, heddle_kernel *kernel, int n_out, size_t at,
                       struct value *out)
{
    struct owned_kernel *const owned =
        kernel ? heddle__arena_alloc(&run->arena, sizeof *owned) : NULL;
    if (!owned) {
        heddle_kernel_release(kernel);
        return heddle__expr_no_memory(run);
    }
    *owned = (struct owned_kernel){.kernel = kernel, .next = run->kernels};
    run->kernels = owned;
    const enum heddle_status status = heddle_kernel_status(kernel);
    if (status != HEDDLE_OK)
        return heddle__expr_fail(run, status, at, "%s", heddle_kernel_error(kernel));
    *out = (struct value){.kind = VALUE_KERNEL, .at = at};
    out->kernel = kernel;
    out->n_results = n_out;
    return true;
}

void heddle__expr_release_kernels(struct run *run)
{
    for (struct owned_kernel *k = run->kernels; k; k = k->next) heddle_kernel_release(k->kernel);
}

/* size=: the shape of the results. */
static bool to_options(struct run *run, const struct value *keywords, const struct value *args,
                       int64_t n, struct heddle_kernel_options *o)
{
    for (int64_t i = 0; i < n; i++) {
        if (!heddle__expr_is_text(&keywords[i], "size"))
            return heddle__expr_fail(
                run, HEDDLE_EARG, keywords[i].at, "a kernel has no argument '%.*s'; it takes size=",
                keywords[i].length > 40 ? 40 : (int)keywords[i].length, keywords[i].text);
        if (!heddle__expr_given(&args[i])) continue;
        if (!heddle__expr_to_shape(run, &args[i], o->shape.at, &o->shape.count)) return false;
    }
    return true;
}

bool heddle__expr_call_kernel(struct run *run, const struct value *f, size_t at,
                              const struct value *args, int64_t n, const struct value *keywords,
                              int64_t n_keywords, struct value *out)
{
    struct heddle_kernel_options o = {.size = sizeof o};
    const struct value *const given = args + n;
    if (!to_options(run, keywords, given, n_keywords, &o)) return false;
    const struct value list = {.kind = VALUE_TUPLE, .at = at, .items = args, .n = n};
    const int n_out = f->n_results;
    heddle_kernel *const kernel = f->kernel;
    heddle_array **in, **results = heddle__expr_room(run, n_out);
    int n_in;
    if (!results || !heddle__expr_to_arrays(run, &list, false, &in, &n_in)) return false;
    const enum heddle_status status = heddle_kernel_call_with(kernel, n_in, in, n_out, results, &o);
    if (status != HEDDLE_OK) return heddle__expr_fail(run, status, at, "%s", heddle_last_error());
    if (n_out == 1) return heddle__expr_from_array(run, results[0], at, out);
    return heddle__expr_from_arrays(run, HEDDLE_OK, n_out, results, VALUE_TUPLE, at, out);
}

/* ---- Making ---------------------------------------------------------------------------------------- */

/* A string as a text of its own. */
static bool to_text(struct run *run, const struct value *v, const char **out)
{
    if (v->kind != VALUE_STRING)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "expected a string, found %s",
                                 heddle__expr_value_name(v));
    char *const text = heddle__arena_alloc(&run->arena, v->length + 1);
    if (!text) return heddle__expr_no_memory(run);
    memcpy(text, v->text, v->length);
    *out = text;
    return true;
}

static int count_parameters(const char *text)
{
    int n = 1;
    for (; (text = strchr(text, ',')); text++) n++;
    return n;
}

CALL(call_elementwise_kernel)
{
    (void)f;
    const char *in, *result, *operation, *name = "kernel", *preamble = NULL;
    return to_text(run, &args[0], &in) && to_text(run, &args[1], &result) &&
           to_text(run, &args[2], &operation) &&
           (!heddle__expr_given(&args[3]) || to_text(run, &args[3], &name)) &&
           (!heddle__expr_given(&args[5]) || to_text(run, &args[5], &preamble)) &&
           own_kernel(run, heddle_kernel_with_preamble(preamble, in, result, operation, name),
                      count_parameters(result), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(ElementwiseKernel,
          "in_params out_params operation name= reduce_dims= preamble=", call_elementwise_kernel),
};
TABLE(kernels);
