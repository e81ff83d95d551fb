/* Proves how a product over GPUs is ordered and sent, on invented machines: rows and panels of host
 * data are used in turns as they come; a panel goes along a chain that meets each of its readers once;
 * nothing waits for what nobody sends. And that long sums of small results are cut among GPUs. */
#include "check.h"
#include "planned.h"

#include "families/matmul/kernel.h"
#include "run/execute.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096, MOST_GPUS = 8 };

static struct heddle_policy machine(int n_gpus, double link, double slower)
{
    struct heddle_policy p = {
        .n_gpus = n_gpus, .n_places = n_gpus + 1, .n_teams = 1, .peer_link = 300e9, .fusion = true};
    for (int i = 0; i < n_gpus; i++)
        p.places[i] = (struct heddle_policy_place){
            HEDDLE_PLACE_GPU + i, 4e12, i % 2 ? 5e12 / slower : 5e12, link, (int64_t)80 << 30};
    p.places[n_gpus] = (struct heddle_policy_place){HEDDLE_PLACE_CPU, 2e11, 2e10, 0, 0};
    heddle__policy_finish(&p);
    return p;
}

static struct heddle_plan *plan_product(const struct heddle_policy *policy)
{
    double *data = calloc((size_t)N * N, sizeof *data);
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, N), .borrow = true,
                                     .deleter = free, .user = data);
    double *other = calloc((size_t)N * N, sizeof *other);
    heddle_array *b = heddle_asarray(other, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, N), .borrow = true,
                                     .deleter = free, .user = other);
    heddle_array *product = heddle_matmul(a, b);
    return planned(product, policy);
}

static int gpu_of(heddle_place place)
{
    return place >= HEDDLE_PLACE_GPU ? (int)(place - HEDDLE_PLACE_GPU) : -1;
}

/* What the chain of one part of an array is, from its uses in the plan's order. */
static void check_chain(const struct heddle_plan *plan, int32_t array, int64_t part)
{
    bool reads[MOST_GPUS] = {false}, is_sent_to[MOST_GPUS] = {false};
    int n_readers = 0, n_sends = 0, n_unsent = 0;
    for (int64_t t = 0; t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            const int gpu = gpu_of(plan->tasks[t].place);
            if (use->array != array || use->part != part || gpu < 0) continue;
            if (!reads[gpu]) {
                reads[gpu] = true;
                n_readers++;
                n_unsent += !use->is_sent;
                /* whoever waits for it has been sent it by a task before this one */
                CHECK_EQ(use->is_sent, is_sent_to[gpu]);
            }
            if (use->send_to == HEDDLE_ANYWHERE) continue;
            const int to = gpu_of(use->send_to);
            CHECK(to >= 0 && !is_sent_to[to] && !reads[to], "part %lld goes to GPU %d twice",
                  (long long)part, to);
            if (to >= 0) is_sent_to[to] = true;
            n_sends++;
        }
    if (n_readers == 0) return;
    CHECK_EQ(n_unsent, 1);
    CHECK_EQ(n_sends, n_readers - 1);
}

/* A place's first task reads its own panel; of rows and own panels, neither is used much before as
 * many bytes of the other. */
static void check_turns(const struct heddle_plan *plan, heddle_place place)
{
    double bytes[2] = {0, 0}, largest = 0;
    bool *used[2] = {calloc((size_t)plan->n_tasks + 1, 1), calloc((size_t)plan->n_tasks + 1, 1)};
    bool first = true;
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        if (plan->tasks[t].place != place) continue;
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            const struct heddle_plan_array *a = &plan->arrays[use->array];
            if (a->role != HEDDLE_ROLE_INPUT) continue;
            CHECK(!first || use->place == place, "the first task reads what lives elsewhere");
            if (use->place != place || used[use->array][use->part]) continue;
            const double size = (double)heddle__grid_part_size(a->grid, use->part) * 8;
            used[use->array][use->part] = true;
            bytes[use->array] += size;
            if (size > largest) largest = size;
            const double rest = bytes[use->array] - bytes[1 - use->array];
            CHECK(bytes[1 - use->array] >= bytes[use->array] - 2 * largest,
                  "array %d is %.0f bytes ahead, parts have up to %.0f", use->array, rest, largest);
        }
        first = false;
    }
    free(used[0]);
    free(used[1]);
}

static void check_product(const struct heddle_policy *policy)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_plan *plan = plan_product(policy);
    if (plan) {
        int64_t n_sends = 0;
        for (int64_t i = 0; i < plan->n_uses; i++)
            n_sends += plan->uses[i].send_to != HEDDLE_ANYWHERE;
        CHECK(n_sends > 0, "nothing is sent");
        for (int32_t i = 0; i < plan->n_arrays; i++)
            for (int64_t p = 0; p < plan->arrays[i].grid->n_parts; p++) check_chain(plan, i, p);
        for (int i = 0; i < policy->n_gpus; i++) check_turns(plan, HEDDLE_PLACE_GPU + i);
        heddle__plan_release(plan);
    }
    heddle_scope_close(scope);
}

/* x.T @ x of x over all GPUs by rows: the partial result of each, and their sum; but one task, if so few terms are not
 * worth the copies. */
static void check_sums(const struct heddle_policy *policy, int64_t rows, bool adds)
{
    heddle__invent_machine(policy); /* which has these places */
    heddle_scope scope = heddle_scope_open();
    heddle_place places[MOST_GPUS];
    for (int i = 0; i < policy->n_gpus; i++) places[i] = HEDDLE_PLACE_GPU + i;
    float *data = calloc((size_t)rows * 32, sizeof *data);
    heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT32, HEDDLE_SHAPE(rows, 32), .borrow = true,
                                     .deleter = free, .user = data);
    x = heddle_distribute(x, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS},
                                                           .n_places = policy->n_gpus,
                                                           .places = places});
    struct heddle_plan *plan = planned(heddle_matmul(heddle_matrix_transpose(x), x), policy);
    if (plan) {
        CHECK_EQ(plan->n_tasks, adds ? policy->n_gpus + 1 : 1);
        for (int64_t t = 0; adds && t < policy->n_gpus; t++)
            CHECK_EQ(plan->tasks[t].place, HEDDLE_PLACE_GPU + policy->n_gpus - 1 - t);
        heddle__plan_release(plan);
    }
    heddle_scope_close(scope);
}

int main(void)
{
    for (int n = 2; n <= MOST_GPUS; n *= 2) {
        const struct heddle_policy wide = machine(n, 300e9, 1), narrow = machine(n, 3e9, 1),
                                   unlike = machine(n, 3e9, 3);
        check_product(&wide);
        check_product(&narrow);
        check_product(&unlike);
        check_sums(&wide, 1 << 22, true);
        check_sums(&narrow, 1 << 22, true);
        check_sums(&wide, 1 << 12, false);
    }
    heddle_shutdown();
    return check_done();
}
