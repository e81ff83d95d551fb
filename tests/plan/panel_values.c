/* Proves that factorisations of data in host memory, on invented machines of GPUs and a CPU, are right in the panels that
 * cores pack: products of the factors are the matrix, by sums by hand. What is above the diagonal of Cholesky's matrix is not a
 * number. And that the plan does pack, in bytes: of a lower triangle no more than that goes to GPUs, panel by panel. */
#include "check.h"
#include "planned.h"

#include "random_words.h"
#include "run/execute.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 790, PANELS = 3 };

/* GPUs so slow that a small matrix is worth panels, and cores that pack faster than links. */
static void invent(int n_gpus, double cores)
{
    struct heddle_policy policy = {.n_gpus = n_gpus,
                                   .n_places = n_gpus + 1,
                                   .n_teams = 1,
                                   .part_bytes = 1 << 20,
                                   .fusion = true};
    for (int i = 0; i < n_gpus; i++)
        policy.places[i] = (struct heddle_policy_place){HEDDLE_PLACE_GPU + i, 3e3, 3e4, 1e3, 0};
    policy.places[n_gpus] = (struct heddle_policy_place){HEDDLE_PLACE_CPU, cores, 1e4, 0, 0};
    policy.inline_bytes = -1;
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
}

static double random_number(void) /* in [-1, 1) */
{
    return (double)(random_word() >> 11) * 0x1p-52 - 1;
}

static heddle_array *of_host(const double *at)
{
    return heddle_asarray(at, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, N), .borrow = true);
}

static double *read_all(heddle_array *a)
{
    double *at = calloc((size_t)N * N, sizeof *at);
    CHECK(heddle_read(a, at, (int64_t)N * N * (int64_t)sizeof *at) == HEDDLE_OK, "%s",
          heddle_error(a));
    return at;
}

/* The largest difference of x y from `a`. */
static double error_of(const double *x, const double *y, const double *a)
{
    double row[N], worst = 0;
    for (int64_t i = 0; i < N; i++) {
        memset(row, 0, sizeof row);
        for (int64_t k = 0; k < N; k++)
            for (int64_t j = 0; j < N; j++) row[j] += x[i * N + k] * y[k * N + j];
        for (int64_t j = 0; j < N; j++) {
            const double off = fabs(row[j] - a[i * N + j]);
            if (isnan(off)) return INFINITY;
            worst = fmax(worst, off);
        }
    }
    return worst;
}

/* The same of x x^T, on and below the diagonal; INFINITY: x is no lower triangle. */
static double error_of_lower(const double *x, const double *a)
{
    double worst = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j && j <= i; k++) sum += x[i * N + k] * x[j * N + k];
            if (j > i && x[i * N + j] != 0) return INFINITY;
            if (j <= i && !(fabs(sum - a[i * N + j]) <= worst)) worst = fabs(sum - a[i * N + j]);
            if (isnan(worst)) return INFINITY;
        }
    return worst;
}

/* Bytes that cores make and a GPU reads. */
static double packed(heddle_array *a)
{
    double bytes = 0;
    struct heddle_plan *plan = planned(a, heddle__policy());
    for (int64_t t = 0; plan && t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            const struct heddle_plan_array *of = &plan->arrays[use->array];
            if (use->mode != HEDDLE_READ || plan->tasks[t].place < HEDDLE_PLACE_GPU) continue;
            CHECK(of->role != HEDDLE_ROLE_INPUT || use->place >= HEDDLE_PLACE_GPU || bytes == 0,
                  "a GPU reads what was not packed");
            if (use->place >= HEDDLE_PLACE_CPU && use->place < HEDDLE_PLACE_GPU) {
                bytes += (double)heddle__grid_part_size(of->grid, use->part) * of->element_bytes;
                CHECK(use->is_sent, "a panel is not sent when it is packed");
            }
        }
    for (int64_t i = 0; plan && i < plan->n_steps; i++) {
        const struct heddle_plan_step *step = &plan->steps[i];
        const bool factors = strcmp(step->name, "cholesky") == 0 || strcmp(step->name, "qr") == 0;
        CHECK(!factors || step->n_tasks == 1 + PANELS * (PANELS - 1) / 2,
              "%s: %lld tasks, not one for each panel and one for each further update", step->name,
              (long long)step->n_tasks);
    }
    if (plan) heddle__plan_release(plan);
    return bytes;
}

static void test_cholesky(bool is_packed)
{
    double *a = calloc((size_t)N * N, sizeof *a);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) a[i * N + j] = j > i ? NAN : i == j ? N : random_number();
    heddle_scope scope = heddle_scope_open();
    heddle_array *l = heddle_linalg_cholesky(of_host(a));
    const double bytes = packed(l), all = 8.0 * N * N;
    CHECK(is_packed ? bytes > all / 2 && bytes < 0.7 * all : bytes == 0,
          "%g of %g bytes are packed", bytes, all);
    double *at = read_all(l);
    const double error = error_of_lower(at, a);
    CHECK(error < 1e-10, "cholesky: %g", error);
    heddle_scope_close(scope);
    free(at);
    free(a);
}

static void test_qr(void)
{
    double *a = calloc((size_t)N * N, sizeof *a);
    for (int64_t i = 0; i < N * N; i++) a[i] = random_number();
    heddle_scope scope = heddle_scope_open();
    heddle_array *q, *r;
    CHECK_EQ(heddle_linalg_qr(of_host(a), &q, &r), HEDDLE_OK);
    CHECK(packed(r) == 8.0 * N * N, "not all of a matrix is packed");
    double *x = read_all(q), *y = read_all(r);
    const double error = error_of(x, y, a);
    CHECK(error < 1e-10, "qr: %g", error);
    heddle_scope_close(scope);
    free(x);
    free(y);
    free(a);
}

int main(void)
{
    for (int n_gpus = 1; n_gpus <= 3; n_gpus++) {
        invent(n_gpus, 1e4);
        test_cholesky(true);
        if (n_gpus == 2) test_qr();
        heddle_shutdown();
    }
    invent(1, 500); /* cores slower than the link */
    test_cholesky(false);
    heddle_shutdown();
    return check_done();
}
