/* What you learn: to ask what will run, on which devices, and what was run. */
#include "common.h"

#include <string.h>

int main(void)
{
    /* The devices that tasks may run on. HEDDLE_DEVICES=cpu in the environment leaves GPUs out. */
    struct heddle_device devices[16];
    int n = 0;
    HEDDLE_MUST(heddle_devices(16, devices, &n));
    for (int i = 0; i < n && i < 16; i++)
        printf("%-6s %-40s %3d threads %6.1f GiB%s%s\n", devices[i].name, devices[i].model,
               devices[i].threads, (double)devices[i].memory_bytes / (1 << 30),
               devices[i].used ? "" : " not used: ", devices[i].used ? "" : devices[i].why_not);
    expect_true("there is a device", n > 0);

    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(2000, 1000));
    HEDDLE_MUST(heddle_eval(a));
    heddle_array *b = heddle_exp(heddle_negative(heddle_square(a)));
    heddle_array *c = heddle_sum(heddle_multiply(b, heddle_scalar(2.0)), .axis = 1);

    /* Before: the plan. Three operations and the reduction are one program. */
    char *text = NULL;
    HEDDLE_MUST(heddle_explain(c, HEDDLE_EXPLAIN_PLAN, &text));
    printf("--- plan\n%s", text);
    expect_true("the plan names the reduction", strstr(text, "sum") != NULL);
    heddle_free(text);
    HEDDLE_MUST(heddle_explain(c, HEDDLE_EXPLAIN_GRAPH, &text));
    printf("--- graph\n%s", text);
    heddle_free(text);
    expect_true("explaining computes nothing", !heddle_is_evaluated(c));

    /* After: what ran. */
    struct heddle_statistics s;
    heddle_statistics_reset();
    EXPECT("c[0]", value_at(c, 0), 2000 * exp(-1));
    heddle_statistics_get(&s);
    printf("--- ran: %lld programs on this thread, %lld CPU tasks, %lld GPU tasks\n",
           (long long)s.inline_programs, (long long)s.cpu_tasks, (long long)s.gpu_tasks);
    expect_true("something ran", s.inline_programs + s.cpu_tasks + s.gpu_tasks > 0);

    /* The value as NumPy prints it. */
    HEDDLE_MUST(heddle_format(c, 10, &text));
    printf("%s\n", text);
    heddle_free(text);
    heddle_scope_close(scope);
    return examples_failed();
}
