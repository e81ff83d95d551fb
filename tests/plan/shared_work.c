/* Proves that GPUs of an invented machine share what takes long to compute, however small the arrays are that it reads, and
 * that small arrays in host memory do not make a stream of tasks. */
#include "check.h"
#include "planned.h"

#include "run/execute.h"

#include <heddle.h>
#include <math.h>
#include <string.h>

enum { N = 1 << 14, MOST_GPUS = 16 };
static float zeros[N << 4];

/* How many tasks of the step that computes each GPU has; the most that any place has. */
static int64_t tasks_of(heddle_array *a, const char *step, int64_t of[MOST_GPUS])
{
    int64_t most = 0;
    const struct heddle_policy *policy = heddle__policy();
    struct heddle_plan *plan = planned(a, policy);
    memset(of, 0, MOST_GPUS * sizeof *of);
    for (int64_t t = 0; plan && t < plan->n_tasks; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        if (!strstr(plan->steps[task->step].name, step)) continue;
        for (int g = 0; g < policy->n_gpus; g++)
            if (policy->places[g].place == task->place && ++of[g] > most) most = of[g];
    }
    if (plan) heddle__plan_release(plan);
    return most;
}

/* That each GPU has from `least` to `most` tasks of it. */
static void check_shared(const char *what, heddle_array *a, const char *step, int64_t least,
                         int64_t most)
{
    int64_t of[MOST_GPUS];
    tasks_of(a, step, of);
    for (int g = 0; g < heddle__policy()->n_gpus; g++)
        CHECK(of[g] >= least && of[g] <= most, "%s: GPU %d has %lld tasks", what, g,
              (long long)of[g]);
}

static heddle_array *host(int n_axes, const int64_t *shape)
{
    return heddle_asarray(zeros, HEDDLE_FLOAT32, n_axes, shape, .borrow = true);
}

static enum heddle_status nothing(const struct heddle_raw_launch *l)
{
    (void)l;
    return HEDDLE_OK;
}

/* Each part reads all of `whole` elements. */
static heddle_array *launch(int64_t n, int64_t whole)
{
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(nothing, .cuda = nothing);
    heddle_array *x = host(HEDDLE_SHAPE(n)), *all = host(HEDDLE_SHAPE(whole)), *y = NULL;
    CHECK_EQ(
        heddle_raw_call(k,
                        HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x), heddle_raw_whole(all),
                                             heddle_raw_write(&y, HEDDLE_FLOAT32, HEDDLE_SHAPE(n))),
                        .over_parts = true),
        HEDDLE_OK);
    heddle_raw_kernel_release(k);
    return y;
}

/* A pair's minimum over an array that lies over two GPUs, in parts of so many elements and the rest: how many arrays of its
 * size each plan has beside it. A part is reduced where it is; what is not cut at a block's end is copied, part by part. */
static void check_reduction(const char *map, int ndim, const int64_t *shape, int64_t first,
                            int copies, bool commutative)
{
    int64_t of[MOST_GPUS];
    heddle_kernel *k = heddle_kernel_reduction(
        "T x", "T value, int64 at", map, "min(a0, b0), b0 < a0 || (b0 == a0 && b1 < a1) ? b1 : a1",
        "value = a0; at = a1", .commutative = commutative);
    const int64_t bounds[] = {first, shape[0]};
    heddle_array *x =
        heddle_distribute(heddle_ones(ndim, shape, .dtype = HEDDLE_FLOAT32),
                          &(const struct heddle_distribution){
                              .cut[0] = {.kind = HEDDLE_CUT_BOUNDS, .n = 2, .values = bounds},
                              HEDDLE_PLACES(HEDDLE_PLACE_GPU, HEDDLE_PLACE_GPU + 1)});
    heddle_array *out[2];
    CHECK_EQ(heddle_kernel_reduce_call(k, HEDDLE_ARRAYS(x), 2, out), HEDDLE_OK);
    tasks_of(out[0], "kernel", of);
    CHECK(of[0] == 1 && of[1] == 1, "%s: %lld and %lld tasks", map, (long long)of[0],
          (long long)of[1]);
    struct heddle_plan *plan = planned(out[0], heddle__policy());
    int large = 0;
    for (int32_t i = 0; plan && i < plan->n_arrays; i++) {
        const struct heddle_grid *grid = plan->arrays[i].grid;
        const int64_t part = heddle__grid_part_size(grid, 0);
        CHECK(grid->n_parts == 2 || part < 1 << 19, "%lld elements in one part", (long long)part);
        large += part >= 1 << 19 && plan->arrays[i].owner == i; /* not under another shape */
    }
    CHECK_EQ(large, 1 + copies);
    if (plan) heddle__plan_release(plan);
    heddle_kernel_release(k);
}

/* Cores beside GPUs take part if they have a tenth of the work. Bytes, of a second each, that come over links first. */
static void check_cores(int n_gpus, double cores, bool take_part)
{
    struct heddle_policy policy = {.n_gpus = n_gpus, .n_places = n_gpus + 1, .n_teams = 1};
    for (int g = 0; g < n_gpus; g++)
        policy.places[g] =
            (struct heddle_policy_place){HEDDLE_PLACE_GPU + g, 3e12, 3e13, 5e10, 1LL << 37};
    policy.places[n_gpus] = (struct heddle_policy_place){HEDDLE_PLACE_CPU, cores, 1e12, 0, 0};
    heddle__policy_finish(&policy);
    const struct heddle_work work = {.bytes = 8e9, .in = 4e9, .again = 4};
    double share[HEDDLE_POLICY_PLACES], sum = 0;
    heddle__policy_shares(&policy, &work, share);
    for (int g = 0; g < n_gpus; g++) {
        CHECK(fabs(share[g] - share[0]) < 1e-6, "GPU %d: %g of the work", g, share[g]);
        sum += share[g];
    }
    CHECK((share[n_gpus] > 0) == take_part, "cores have %g beside %d GPUs", share[n_gpus], n_gpus);
    CHECK_NUM(sum + share[n_gpus], 1);
}

int main(void)
{
    check_cores(1, 4e11, true);
    check_cores(4, 4e11, false); /* 0.04, a sixth of what a GPU has */
    check_cores(4, 2e12, true);
    struct heddle_policy policy = {.n_gpus = 2,
                                   .n_places = 3,
                                   .n_teams = 1,
                                   .places = {{HEDDLE_PLACE_GPU, 4e12, 3e13, 5e10, 1LL << 37},
                                              {HEDDLE_PLACE_GPU + 1, 4e12, 3e13, 5e10, 1LL << 37},
                                              {HEDDLE_PLACE_CPU, 1e11, 1e12, 0, 0}},
                                   .peer_link = 3e11,
                                   .inline_bytes = -1,
                                   .fusion = true};
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    heddle_scope scope = heddle_scope_open();

    heddle_array *row = host(HEDDLE_SHAPE(1, N)), *column = host(HEDDLE_SHAPE(N, 1));
    heddle_array *d = heddle_subtract(row, column);
    heddle_array *force =
        heddle_divide(d, heddle_sqrt(heddle_add(heddle_multiply(d, d), heddle_scalar_float(0.01))));
    check_shared("forces", heddle_sum(force, .axes = HEDDLE_AXES(1)), "sum", 1, 2);
    check_shared("an outer difference", d, "sub", 1, 1);
    check_shared("few of them",
                 heddle_sum(heddle_getitem(force, HEDDLE_INDEX(HEDDLE_TO(16), HEDDLE_TO(16))),
                            .axes = HEDDLE_AXES(1)),
                 "sum", 0, 0);

    heddle_kernel *loop = heddle_kernel_elementwise(
        "T x", "T z", "T w = x; while (w < 1000) { w = w * 1.5 + 1; z += sqrt(w); }", "loop");
    heddle_array *wide = heddle_broadcast_to(row, HEDDLE_SHAPE(1 << 8, N));
    check_shared("a loop", heddle_kernel_apply(loop, HEDDLE_ARRAYS(wide)), "kernel", 1, 1);
    heddle_kernel_release(loop);

    check_shared("a launch that reads all", launch(N, N << 4), "raw", 1, 1);
    check_shared("one that reads little", launch(N, 16), "raw", 0, 0);

    for (int commutative = 0; commutative < 2; commutative++) {
        check_reduction("x, i", 1, (const int64_t[]){1 << 21}, 1 << 20, 0, commutative);
        check_reduction("x, n - i", 1, (const int64_t[]){(1 << 21) + 77}, 1 << 20, 0, commutative);
        check_reduction("x, 2 * i", 1, (const int64_t[]){1 << 21}, (1 << 20) + 3, 1, commutative);
        check_reduction("x, 3 * i", 2, (const int64_t[]){2, 1 << 20}, 1, 0, commutative);
    }
    heddle_scope_close(scope);
    heddle_shutdown();
    return check_done();
}
