/* Proves that what several GPUs combine each for themselves, since something larger reads it at all of them, is the same
 * as what one makes: values of expressions over parts at invented GPUs have the bits of those over one part. And that
 * nothing made of partial results is then sent on. */
#include "check.h"
#include "machine/machine.h"
#include "planned.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {
    "d = x - mean(x, axis=0); r = d / sqrt(mean(d * d, axis=0))",
    "r = x / sum(x)",
    "r = (x - min(x)) / (max(x) - min(x) + 1)",
    "r = x * (sum(x, axis=1, keepdims=True) > mean(x))",
    "s = sum(x, axis=0); r = x - s + sum(s)",
    "r = x + argmax(x, axis=0)",
    "r = where(x > mean(x, axis=0), x, std(x))",
};

enum { N_TEXTS = sizeof texts / sizeof *texts };

static heddle_array *result_of(const char *text, heddle_array *x)
{
    struct heddle_binding in = {"x", x}, out = {"r", NULL};
    CHECK(heddle_expr_run(text, 1, &in, 1, &out) == HEDDLE_OK, "%s: %s", text, heddle_last_error());
    return out.array;
}

static heddle_array *data_of(const double *x, int64_t rows, int64_t columns,
                             enum heddle_dtype dtype)
{
    heddle_array *a =
        heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(rows, columns)); /* copies: to be cut anew */
    return heddle_astype(a, dtype);
}

static bool combines(const struct heddle_plan *plan, int64_t step)
{
    return step < plan->n_steps && strcmp(plan->steps[step].name, "combine") == 0;
}

static unsigned bit_of(heddle_place place)
{
    return 1u << heddle__policy_number(heddle__policy(), place);
}

/* Notes, for what the tasks of combining steps from `first` to `end` write, at which places there are such tasks. */
static void note_combined(const struct heddle_plan *plan, int64_t first, int64_t end, unsigned *at)
{
    unsigned places = 0;
    const int64_t from = plan->steps[first].first_task,
                  to = plan->steps[end - 1].first_task + plan->steps[end - 1].n_tasks;
    for (int64_t t = from; t < to; t++) places |= bit_of(plan->tasks[t].place);
    for (int64_t t = from; t < to; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            if (use->mode & HEDDLE_WRITE) at[use->array] = places;
        }
}

/* How many GPUs combine what another one does; checks that none of them reads what the other one has made. */
static int replicas_of(heddle_array *r, const char *text)
{
    int n = 0;
    struct heddle_plan *plan = planned(r, heddle__policy());
    if (!plan) return 0;
    unsigned *at = calloc((size_t)plan->n_arrays, sizeof *at);
    for (int64_t s = 0, end = 1; s < plan->n_steps; s = end, end++) {
        if (!combines(plan, s)) continue;
        while (combines(plan, end)) end++;
        note_combined(plan, s, end, at);
        n += (int)(end - s) - 1;
    }
    for (int64_t t = 0; n > 0 && t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            CHECK(use->mode != HEDDLE_READ || use->place == plan->tasks[t].place ||
                      !(at[use->array] & bit_of(plan->tasks[t].place)),
                  "%s: task %lld waits for what another place has combined", text, (long long)t);
        }
    free(at);
    heddle__plan_release(plan);
    return n;
}

static int check_text(const char *text, enum heddle_dtype dtype)
{
    const int64_t rows = 1 + word_below(word_below(2) ? 3000 : 60000), columns = 1 + word_below(9),
                  n = rows * columns;
    double *x = calloc((size_t)n, sizeof *x), *expected = calloc((size_t)n, sizeof *x),
           *got = calloc((size_t)n, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = random_part() * 200 - 100;

    /* in one part */
    const struct heddle_config whole = {.inline_bytes = (int64_t)1 << 40},
                               cut = {.inline_bytes = -1};
    CHECK_EQ(machine_configure(&whole), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *r =
        heddle_astype(result_of(text, data_of(x, rows, columns, dtype)), HEDDLE_FLOAT64);
    CHECK(heddle_read(r, expected, n * 8) == HEDDLE_OK, "%s", heddle_error(r));
    heddle_scope_close(scope);

    /* over GPUs */
    CHECK_EQ(machine_configure(&cut), HEDDLE_OK);
    scope = heddle_scope_open();
    const heddle_place all[] = {heddle_gpu(0), heddle_gpu(1), heddle_gpu(2), heddle_cpu(0)};
    heddle_place places[4];
    struct heddle_distribution d = {.n_places = 2 + (int)word_below(3), .places = places};
    for (int i = 0; i < d.n_places; i++) places[i] = all[word_below(word_below(4) ? 3 : 4)];
    d.cut[0] = (struct heddle_cut){HEDDLE_CUT_PARTS, rows < 6 ? rows : 2 + word_below(4), NULL};
    heddle_array *parts = heddle_distribute(data_of(x, rows, columns, dtype), &d);
    CHECK(heddle_eval(parts) == HEDDLE_OK, "%s", heddle_error(parts));
    r = result_of(text, parts);
    const int replicas = replicas_of(r, text);
    r = heddle_astype(r, HEDDLE_FLOAT64);
    CHECK(heddle_read(r, got, n * 8) == HEDDLE_OK, "%s", heddle_error(r));
    heddle_scope_close(scope);
    CHECK(memcmp(got, expected, (size_t)n * 8) == 0, "%s: %lld x %lld of %s", text, (long long)rows,
          (long long)columns, heddle_dtype_name(dtype));
    free(x);
    free(expected);
    free(got);
    return replicas;
}

/* Without memory for all of it there is no plan, and nothing is left. */
static void test_no_memory(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    const heddle_place places[] = {heddle_gpu(1), heddle_gpu(0)};
    heddle_array *x =
        heddle_distribute(heddle_zeros(HEDDLE_SHAPE(2048, 3)),
                          &(struct heddle_distribution){
                              .cut[0] = {HEDDLE_CUT_PARTS}, .n_places = 2, .places = places});
    CHECK_EQ(heddle_eval(x), HEDDLE_OK);
    heddle_array *root = result_of(texts[0], x);
    CHECK_EQ(replicas_of(root, texts[0]), 2);
    check_plan_without_memory(root);
    heddle_scope_close(scope);
}

int main(void)
{
    enum { TIMES = 30 };
    for (int i = 0; i < N_TEXTS; i++) {
        int n = 0;
        for (int k = 0; k < TIMES; k++)
            n += check_text(texts[i], k % 3 ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32);
        CHECK(n > 0, "%s: no GPU combines what another one does", texts[i]);
    }
    test_no_memory();
    heddle_shutdown();
    return check_done();
}
