/* Proves that results which are views, with axes of extent 1 more or less than an array, cost no task: on an invented machine of
 * several GPUs. */
#include "check.h"
#include "planned.h"
#include "renamed.h"

#include "machine/machine.h"
#include "run/execute.h"

#include <heddle.h>

static struct heddle_plan *plan_of(const char *text, const struct heddle_binding inputs[2])
{
    heddle_array *a = heddle_expr(text, 2, inputs);
    CHECK(a != NULL, "%s: %s", text, heddle_last_error());
    return a ? planned(a, heddle__policy()) : NULL;
}

/* As many tasks and bytes as without the view. */
static void check_free(const char *text, const char *plain, const struct heddle_binding inputs[2])
{
    struct heddle_plan *with = plan_of(text, inputs), *without = plan_of(plain, inputs);
    if (with && without) {
        CHECK(with->n_tasks == without->n_tasks, "%s: %lld tasks, not %lld", text,
              (long long)with->n_tasks, (long long)without->n_tasks);
        CHECK(with->bytes == without->bytes, "%s: %.0f bytes, not %.0f", text, with->bytes,
              without->bytes);
    }
    if (with) heddle__plan_release(with);
    if (without) heddle__plan_release(without);
}

static void test_free(void)
{
    static const char *const cases[][2] = {
        {"sum(x, axis=1, keepdims=True)", "sum(x, axis=1)"},
        {"max(x, axis=0, keepdims=True)", "max(x, axis=0)"},
        {"sum(x, keepdims=True)", "sum(x)"},
        {"mean(x, axis=1)[None, :, None]", "mean(x, axis=1)"},
        {"sort(x)[None]", "sort(x)"},
        {"cumsum(t)[:, None]", "cumsum(t)"},
        {"concat((x, 2 * x))[:, None]", "concat((x, 2 * x))"},
        {"matmul(x.T, t)", "matmul(x.T, t[:, None])"},
        {"squeeze(matmul(x, x[0][:, None]), 1)", "matmul(x, x[0][:, None])"},
        {"reshape(sort(x), (1, 3000, 1, 2000))", "sort(x)"},
    };
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding inputs[2];
    bind(inputs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_free(cases[i][0], cases[i][1], inputs);
    struct heddle_plan *plan = plan_of("x[:, None]", inputs);
    CHECK(plan && plan->n_tasks == 0, "data under another shape are copied");
    if (plan) heddle__plan_release(plan);
    heddle_scope_close(scope);
}

int main(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    test_free();
    heddle_shutdown();
    return check_done();
}
