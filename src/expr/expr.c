/* heddle_expr and heddle_expr_run: binds the inputs, runs the text in a scope of its own, and hands
 * the results to the scope or the caller outside. Entry points: heddle/expr.h. */
#include "base/memory.h"
#include "expr/run.h"
#include "graph/node.h"

#include <string.h>

static bool bind_inputs(struct run *run, int n, const struct heddle_binding *inputs)
{
    if (n < 0 || (n > 0 && !inputs))
        return heddle__expr_fail(run, HEDDLE_EARG, 0, "heddle_expr: %d inputs at %s", n,
                                 inputs ? "an array" : "NULL");
    for (int i = 0; i < n; i++) {
        const char *name = inputs[i].name;
        const enum heddle_status code = heddle_status_of(inputs[i].array);
        if (!name || !heddle__is_name(name))
            return heddle__expr_fail(run, HEDDLE_EARG, 0,
                                     "heddle_expr: input %d: '%.60s' is not "
                                     "a name",
                                     i, name ? name : "NULL");
        if (!inputs[i].array)
            return heddle__expr_fail(run, HEDDLE_EARG, 0, "heddle_expr: input '%.60s' is NULL",
                                     name);
        if (code != HEDDLE_OK)
            return heddle__expr_fail(run, code, 0, "heddle_expr: input '%.60s': %s", name,
                                     heddle_error(inputs[i].array));
        if (!heddle__expr_variable_set(run, name, strlen(name),
                                       (struct value){.kind = VALUE_ARRAY,
                                                      .identity = ++run->n_arrays,
                                                      .array = inputs[i].array}))
            return false;
    }
    return true;
}

/* The array of an output: a reference for the caller, or NULL and an error in `run`. */
static heddle_array *fetch(struct run *run, const struct value *v, const char *name)
{
    heddle_array *a;
    if (!v) {
        heddle__expr_fail(run, HEDDLE_ENAME, strlen(run->text), "no variable '%.60s' was assigned",
                          name);
        return NULL;
    }
    switch (v->kind) {
    case VALUE_NONE:
    case VALUE_STRING:
    case VALUE_DTYPE:
    case VALUE_ELLIPSIS:
    case VALUE_FUNCTION:
    case VALUE_METHOD:
    case VALUE_GENERATOR:
    case VALUE_DRAW:
    case VALUE_DEFINITION:
    case VALUE_KERNEL:
    case VALUE_MODULE:
    case VALUE_PYTHON:
    case VALUE_LIMITS:
    case VALUE_BUILDER:
    case VALUE_SLICE:
    case VALUE_TYPE:
        heddle__expr_fail(run, HEDDLE_EARG, v->at, "the value is %s, not an array%s",
                          heddle__expr_value_name(v),
                          heddle__expr_is_function(v) ? ": a call needs '(' and ')'" : "");
        return NULL;
    default: return heddle__expr_to_array(run, v, false, &a) ? heddle_keep(a) : NULL;
    }
}

static void end_run(struct run *run)
{
    heddle__expr_release_kernels(run);
    heddle__arena_free(&run->arena);
    heddle__free(run->stack);
    heddle__free(run->variables);
}

/* Runs the text. results[i] is a kept array, or NULL after an error, which `run` holds. */
static void run_text(struct run *run, int n, const struct heddle_binding *inputs, int n_outputs,
                     const struct heddle_binding *outputs, heddle_array **results)
{
    heddle_scope scope = heddle_scope_open();
    if (!scope) {
        heddle__expr_no_memory(run);
        return;
    }
    if (bind_inputs(run, n, inputs) && heddle__expr_parse(run)) {
        for (int i = 0; i < n_outputs; i++) {
            const char *name = outputs[i].name;
            const bool last = !name || !*name || !strcmp(name, "_");
            const struct value *v =
                last ? &run->last : heddle__expr_variable_get(run, name, strlen(name));
            if (i == 0 && last && run->print && !heddle__expr_is_scalar(v) &&
                v->kind != VALUE_ARRAY)
                (void)(v->kind == VALUE_NONE || run->print(run, 1, v));
            else
                results[i] = fetch(run, v, name);
        }
    }
    heddle_scope_close(scope);
    end_run(run);
}

heddle_array *heddle_expr(const char *text, int n, const struct heddle_binding *inputs)
{
    struct run run = {.text = text, .code = HEDDLE_OK};
    struct heddle_binding output = {.name = "_"};
    heddle_array *result = NULL;
    if (!text) return heddle__error_array(HEDDLE_EARG, "heddle_expr: the text is NULL");
    run_text(&run, n, inputs, 1, &output, &result);
    if (result) return heddle__adopt(result);
    return heddle__error_array(run.code, "%s", run.message);
}

enum heddle_status heddle__expr_run_printing(const char *text, int n,
                                             const struct heddle_binding *inputs, int n_outputs,
                                             struct heddle_binding *outputs,
                                             heddle__expr_printer *print, void *data)
{
    struct run run = {.text = text, .code = HEDDLE_OK, .print = print, .print_data = data};
    HEDDLE_REQUIRE(text, HEDDLE_EARG, "heddle_expr_run: the text is NULL");
    HEDDLE_REQUIRE(n_outputs >= 0 && (outputs || n_outputs == 0), HEDDLE_EARG,
                   "heddle_expr_run: %d outputs at %s", n_outputs, outputs ? "an array" : "NULL");
    heddle_array **results = heddle__calloc((size_t)n_outputs, sizeof(heddle_array *));
    if (!results) return heddle__fail(HEDDLE_ENOMEM, "heddle_expr_run: out of memory");
    run_text(&run, n, inputs, n_outputs, outputs, results);
    for (int i = 0; i < n_outputs; i++)
        outputs[i].array = results[i]              ? heddle__adopt(results[i])
                           : run.code == HEDDLE_OK ? NULL /* it was printed */
                           : run.code == HEDDLE_ENOMEM
                               ? heddle__error_memory()
                               : heddle__error_array(run.code, "%s", run.message);
    heddle__free(results);
    return run.code == HEDDLE_OK ? HEDDLE_OK : heddle__fail(run.code, "%s", run.message);
}

enum heddle_status heddle_expr_run(const char *text, int n, const struct heddle_binding *inputs,
                                   int n_outputs, struct heddle_binding *outputs)
{
    return heddle__expr_run_printing(text, n, inputs, n_outputs, outputs, NULL, NULL);
}
