/* Proves which passes over the same long rows are one task on a GPU, on an invented machine: all, where a row has up to 65536 elements and
 * 256 KB, with numbers for each channel too; none, where rows are too few or too long. And of columns, of up to one chunk. */
#include "check.h"
#include "planned.h"

#include "machine/machine.h"

#include <heddle.h>

/* Tasks of `text`, of x and g on a GPU. */
static int64_t n_tasks(enum heddle_dtype dtype, int ndim, const int64_t *shape, const char *text)
{
    struct heddle_policy policy = {.n_gpus = 1,
                                   .n_places = 1,
                                   .places = {{HEDDLE_PLACE_GPU, 3e12, 3e13, 5e10, 80LL << 30}},
                                   .fusion = true};
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    heddle_scope scope = heddle_scope_open();
    const struct heddle_binding in[] = {
        {"x", heddle_to(zeros_data(dtype, ndim, shape), heddle_gpu(0))},
        {"g", heddle_to(zeros_data(dtype, HEDDLE_SHAPE(8)), heddle_gpu(0))}};
    struct heddle_binding y = {"y", NULL};
    CHECK(heddle_expr_run(text, 2, in, 1, &y) == HEDDLE_OK, "%s", heddle_last_error());
    struct heddle_plan *plan = planned(y.array, &policy);
    const int64_t n = plan->n_tasks;
    heddle__plan_release(plan);
    heddle_scope_close(scope);
    heddle__invent_machine(NULL);
    return n;
}

int main(void)
{
    const enum heddle_dtype f32 = HEDDLE_FLOAT32, f64 = HEDDLE_FLOAT64;
    const char
        *const softmax = "e = exp(x - max(x, axis=1, keepdims=True)); "
                         "y = e / sum(e, axis=1, keepdims=True)",
               *const places =
                   "m = max(x, axis=1, keepdims=True); "
                   "y = x * m + argmax(x * m, axis=1)[:, None] + argmin(x + m, axis=1)[:, None]",
               *const more_places =
                   "m = max(x, axis=1, keepdims=True); n = min(x, axis=1, keepdims=True); "
                   "y = x * m + argmax(x * m, axis=1)[:, None] + argmin(x + m, axis=1)[:, None] + "
                   "argmin(x - n, axis=1)[:, None]",
               *const norm = "m = mean(x, axis=(1, 2), keepdims=True); d = x - m; "
                             "v = mean(d * d, axis=(1, 2), keepdims=True); "
                             "y = d / sqrt(v + 1e-5) * g[None, :, None]";
    const char *const eight_stages =
        "d = x - mean(x, axis=1, keepdims=True); "
        "s = 1 / sqrt(mean(d * d, axis=1, keepdims=True) + 1e-5); h = d * s; "
        "y = s * (x - h * mean(x * h, axis=1, keepdims=True))";
    const char *const norm_of_stack = "d = x - mean(x, axis=(0, 1)); "
                                      "y = d / sqrt(mean(d * d, axis=(0, 1)))";
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = 0}), HEDDLE_OK);
    CHECK_EQ(n_tasks(f32, 2, (int64_t[]){128, 65536}, softmax), 1);
    CHECK_EQ(n_tasks(f32, 2, (int64_t[]){128, 30000}, softmax), 1);
    CHECK_EQ(n_tasks(f64, 2, (int64_t[]){130, 32768}, softmax), 1);
    CHECK(n_tasks(f64, 2, (int64_t[]){130, 32769}, softmax) > 1, "rows of more than 256 KB");
    CHECK(n_tasks(f32, 2, (int64_t[]){128, 65537}, softmax) > 1, "rows of two chunks");
    CHECK(n_tasks(f32, 2, (int64_t[]){127, 65536}, softmax) > 1, "few rows");
    CHECK_EQ(n_tasks(f64, 2, (int64_t[]){130, 30000}, places), 1);
    CHECK(n_tasks(f64, 2, (int64_t[]){130, 30000}, more_places) > 1, "more than shared memory has");
    CHECK_EQ(n_tasks(f32, 2, (int64_t[]){4096, 1024}, eight_stages), 1);
    CHECK_EQ(n_tasks(f32, 3, (int64_t[]){128, 8, 4096}, norm), 1);
    CHECK_EQ(n_tasks(f32, 3, (int64_t[]){5000, 8, 40}, norm), 1);
    CHECK_EQ(n_tasks(f32, 3, (int64_t[]){16, 256, 2048}, softmax), 1);
    CHECK_EQ(n_tasks(f32, 3, (int64_t[]){64, 64, 64}, softmax), 1);
    CHECK_EQ(n_tasks(f64, 3, (int64_t[]){16, 8, 4096}, norm_of_stack), 1);
    CHECK(n_tasks(f32, 3, (int64_t[]){16, 257, 2048}, softmax) > 1, "columns of two chunks");
    CHECK(n_tasks(f64, 3, (int64_t[]){1, 256, 2047}, softmax) > 1, "few columns");
    return check_done();
}
