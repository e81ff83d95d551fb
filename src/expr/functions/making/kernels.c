/* Kernels from text as CuPy has them: made by ElementwiseKernel(...) and ReductionKernel(...), called as functions, released
 * with the run.
 * Entry points: heddle__expr_call_kernel, heddle__expr_release_kernels. */
#include "expr/functions/functions.h"

#include <heddle/kernel.h>

#include <string.h>

struct owned_kernel {
    heddle_kernel *kernel;
    struct owned_kernel *next;
};

static bool own_kernel(struct run *run, heddle_kernel *kernel, bool reduces, int n_out, size_t at,
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
    out->reduces = reduces;
    return true;
}

void heddle__expr_release_kernels(struct run *run)
{
    for (struct owned_kernel *k = run->kernels; k; k = k->next) heddle_kernel_release(k->kernel);
}

/* ---- Calls ------------------------------------------------------------------------------------------ */

/* Of both kinds, as a reduction has them. */
static bool to_option(struct run *run, const struct value *f, const struct value *keyword,
                      const struct value *v, struct heddle_kernel_reduce_options *o)
{
    const bool given = heddle__expr_given(v);
    if (heddle__expr_is_text(keyword, "size"))
        return !given || heddle__expr_to_shape(run, v, o->shape.at, &o->shape.count);
    if (f->reduces && heddle__expr_is_text(keyword, "axis"))
        return heddle__expr_to_axes_options(run, v, &o->axis, &o->has_axis, &o->axes);
    if (f->reduces && heddle__expr_is_text(keyword, "keepdims"))
        return heddle__expr_to_bool(run, v, "keepdims", &o->keepdims);
    return heddle__expr_fail(run, HEDDLE_EARG, keyword->at,
                             "a kernel has no argument '%.*s'; it takes %ssize=",
                             keyword->length > 40 ? 40 : (int)keyword->length, keyword->text,
                             f->reduces ? "axis=, keepdims= and " : "");
}

bool heddle__expr_call_kernel(struct run *run, const struct value *f, size_t at,
                              const struct value *args, int64_t n, const struct value *keywords,
                              int64_t n_keywords, struct value *out)
{
    struct heddle_kernel_reduce_options o = {.size = sizeof o};
    for (int64_t i = 0; i < n_keywords; i++)
        if (!to_option(run, f, &keywords[i], &args[n + i], &o)) return false;
    const struct heddle_kernel_options plain = {.size = sizeof plain, .shape = o.shape};
    const struct value list = {.kind = VALUE_TUPLE, .at = at, .items = args, .n = n};
    const int n_out = f->n_results;
    heddle_array **in, **results = heddle__expr_room(run, n_out);
    int n_in;
    if (!results || !heddle__expr_to_arrays(run, &list, false, &in, &n_in)) return false;
    const enum heddle_status status =
        f->reduces ? heddle_kernel_reduce_call_with(f->kernel, n_in, in, n_out, results, &o)
                   : heddle_kernel_call_with(f->kernel, n_in, in, n_out, results, &plain);
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
                      false, count_parameters(result), at, out);
}

/* A text, or None. */
static bool to_optional_text(struct run *run, const struct value *v, const char **out)
{
    return !heddle__expr_given(v) || to_text(run, v, out);
}

CALL(call_reduction_kernel)
{
    (void)f;
    const char *in, *result, *map, *reduce, *post;
    struct heddle_kernel_reduction_options o = {.size = sizeof o, .name = "reduce_kernel"};
    return to_text(run, &args[0], &in) && to_text(run, &args[1], &result) &&
           to_text(run, &args[2], &map) && to_text(run, &args[3], &reduce) &&
           to_text(run, &args[4], &post) && to_optional_text(run, &args[5], &o.identity) &&
           to_optional_text(run, &args[6], &o.name) && to_optional_text(run, &args[7], &o.type) &&
           own_kernel(run, heddle_kernel_reduction_with(in, result, map, reduce, post, &o), true,
                      count_parameters(result), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(ElementwiseKernel,
          "in_params out_params operation name= reduce_dims= preamble=", call_elementwise_kernel),
    PLAIN(ReductionKernel,
          "in_params out_params map_expr reduce_expr post_map_expr identity name= reduce_type=",
          call_reduction_kernel),
};
TABLE(kernels);
