/* Proves that arrays over several GPUs, on an invented machine, are used where they are: of what the
 * plans read at another place, no more moves than has to. */
#include "check.h"
#include "planned.h"

#include "array/storage.h"
#include "machine/machine.h"
#include "run/execute.h"

#include <heddle.h>
#include <stdlib.h>

enum { N = 3000 };

/* Over all GPUs, as Heddle spreads it. */
static heddle_array *spread(void)
{
    heddle_array *a = heddle_add(heddle_zeros(HEDDLE_SHAPE(N, N)), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    const struct heddle_grid *grid = a->storage ? heddle__storage_grid(a->storage) : NULL;
    CHECK(grid && grid->place && grid->n_parts >= 3, "it is not over the GPUs");
    return a;
}

static bool is_read_before(const struct heddle_plan *plan, int64_t task,
                           const struct heddle_plan_use *use)
{
    for (int64_t t = 0; t < task; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *u = &plan->uses[plan->tasks[t].first_use + i];
            if (u->array == use->array && u->part == use->part && u->mode == HEDDLE_READ &&
                plan->tasks[t].place == plan->tasks[task].place)
                return true;
        }
    return false;
}

/* Bytes of parts that live elsewhere than tasks read them, each once for each place. */
static double moved(heddle_array *a)
{
    double bytes = 0;
    struct heddle_plan *plan = planned(a, heddle__policy());
    for (int64_t t = 0; plan && t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            const struct heddle_plan_array *of = &plan->arrays[use->array];
            if (use->mode == HEDDLE_READ && use->place != plan->tasks[t].place &&
                !is_read_before(plan, t, use))
                bytes += (double)heddle__grid_part_size(of->grid, use->part) * of->element_bytes;
        }
    if (plan) heddle__plan_release(plan);
    return bytes;
}

#define CHECK_MOVES(most, array)                                                                   \
    do {                                                                                           \
        const double bytes = moved(array);                                                         \
        CHECK(bytes <= (most), "%s: %.0f bytes move, not %.0f", #array, bytes, (double)(most));    \
    } while (0)

/* GPUs so fast that no work here is worth sharing anew: what is large stays, and small results are where they are
 * used next. */
static void test_fast(void)
{
    enum { GPUS = 4, K = 100 };
    struct heddle_policy policy = {
        .n_gpus = GPUS, .n_places = GPUS + 1, .n_teams = 1, .peer_link = 2e11, .fusion = true};
    for (int i = 0; i < GPUS; i++)
        policy.places[i] =
            (struct heddle_policy_place){HEDDLE_PLACE_GPU + i, 3e12, 5e13, 5e10, (int64_t)80 << 30};
    policy.places[GPUS] = (struct heddle_policy_place){HEDDLE_PLACE_CPU, 1e11, 1e11, 0, 0};
    policy.inline_bytes = -1;
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = spread(), *some = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_TO(K)));
    /* of a column each has its quarter */
    heddle_array *ax =
        heddle_matmul(a, heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(5, 6))));
    CHECK_MOVES((GPUS - 1) * 8 * N, ax);
    CHECK_MOVES((GPUS - 1) * 8 * N, heddle_exp(ax));
    /* partial results of all but one */
    const double partials = (GPUS - 1) * 8.0 * K * K;
    heddle_array *square = heddle_matmul(heddle_matrix_transpose(some), some);
    CHECK_MOVES(partials, square);
    CHECK_MOVES(partials, heddle_sqrt(heddle_matrix_transpose(heddle_exp(square))));
    /* what one GPU has is reduced there, but if to compute takes longer than to move it */
    heddle_array *piece = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(N / GPUS - 200)));
    CHECK_MOVES(0, heddle_sum(piece));
    CHECK_MOVES(0, heddle_max(piece, .axis = 0));
    CHECK_MOVES(0, heddle_mean(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(-7))), .axis = 1));
    CHECK_MOVES(
        0, heddle_stack(HEDDLE_ARRAYS(heddle_sum(piece), heddle_count_nonzero(heddle_getitem(
                                                             a, HEDDLE_INDEX(HEDDLE_FROM(-7))))),
                        0));
    /* stacks that share their operands are where these are, those that share a number where each input is */
    CHECK_MOVES(0, heddle_expr("stack((a + 1, a - 1, exp(a)))", HEDDLE_BIND_ALL({"a", a})));
    CHECK_MOVES(0, heddle_expr("s = stack((a[:, ::2], a[:, 1::2])); s / sum(s * s, axis=0)",
                               HEDDLE_BIND_ALL({"a", a})));
    CHECK_MOVES(8, heddle_expr("w = a[0, 0]; stack((a[:500] * w, a[-500:] * w))",
                               HEDDLE_BIND_ALL({"a", a})));
    heddle_array *line = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0), HEDDLE_ALL, HEDDLE_NEWAXIS)),
                 *pairs = heddle_sin(heddle_multiply(
                     line, heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_NEWAXIS))));
    CHECK(moved(heddle_sum(heddle_sin(heddle_sin(heddle_sin(pairs))), .axis = 1)) > 0,
          "costly work on what one GPU has is not shared");
    /* steps, flips, what is mirrored, a border, another shape but for a row between GPUs */
    CHECK_MOVES(0, heddle_negative(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(-1)))));
    CHECK_MOVES(0, heddle_max(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(3))), .axis = 1));
    CHECK_MOVES(0, heddle_expr("a[1::2, 1:] - a[:-1:2, :-1]", HEDDLE_BIND_ALL({"a", a})));
    CHECK_MOVES(0, heddle_expr("concat((concat((a, a[:, ::-1]), axis=1), concat((a[::-1], a[::-1, "
                               "::-1]), axis=1))) + 1",
                               HEDDLE_BIND_ALL({"a", a})));
    CHECK_MOVES(0, heddle_expr("pad(a, 3, mode='reflect')", HEDDLE_BIND_ALL({"a", a})));
    /* what is read of others' parts comes once, for two steps */
    const double of_others = 8.0 * N * N * (GPUS - 1) / GPUS;
    CHECK_MOVES(of_others, heddle_expr("w = abs(a) + abs(a.T); w / sqrt(sum(w, axis=1))[:, None]",
                                       HEDDLE_BIND_ALL({"a", a})));
    const double row = 8 * 8 * 1125;
    CHECK_MOVES((GPUS - 1) * row,
                heddle_sum(heddle_reshape(heddle_exp(a), HEDDLE_SHAPE(1000, 8, 1125)), .axis = 1));
    CHECK_MOVES((GPUS - 1) * row, heddle_negative(heddle_reshape(a, HEDDLE_SHAPE(1000, 9000))));
    /* counts of each GPU's elements: their sums, and the edges */
    heddle_array *counts = NULL;
    CHECK_EQ(heddle_histogram(heddle_reshape(a, HEDDLE_SHAPE(-1)), &counts, NULL, .bins = 3,
                              .low = 0, .high = 2, .has_range = true),
             HEDDLE_OK);
    CHECK_MOVES(20e3, counts);
    /* not the large operand to the small one */
    heddle_array *large = heddle_add(heddle_zeros(HEDDLE_SHAPE(400, 1000)), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(large), HEDDLE_OK);
    struct heddle_plan *plan =
        planned(heddle_multiply(
                    large, heddle_getitem(heddle_sum(a, .axis = 0), HEDDLE_INDEX(HEDDLE_TO(1000)))),
                &policy);
    if (plan) CHECK_EQ(plan->tasks[plan->n_tasks - 1].place, HEDDLE_ANYWHERE);
    heddle__plan_release(plan);
    heddle_scope_close(scope);
    heddle_shutdown();
}

/* One GPU, to which bringing the right operand would take longer than the CPUs' work: as it is there, the left one comes from host
 * memory. */
static void test_home(void)
{
    struct heddle_policy policy = {.n_gpus = 1, .n_places = 2, .n_teams = 1, .fusion = true};
    policy.places[0] =
        (struct heddle_policy_place){HEDDLE_PLACE_GPU, 3e12, 5e13, 5e9, (int64_t)80 << 30};
    policy.places[1] = (struct heddle_policy_place){HEDDLE_PLACE_CPU, 2e10, 1e11, 0, 0};
    policy.inline_bytes = -1;
    policy.part_bytes = 16 << 20;
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = heddle_add(heddle_zeros(HEDDLE_SHAPE(3, 3000000)), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(b), HEDDLE_OK);
    struct heddle_plan *plan = planned(heddle_matmul(DATA(3, 3), b), &policy);
    for (int64_t t = 0; plan && t < plan->n_tasks; t++)
        CHECK(plan->tasks[t].place != HEDDLE_PLACE_CPU, "task %lld goes to CPUs", (long long)t);
    heddle__plan_release(plan);
    heddle_scope_close(scope);
    heddle_shutdown();
}

int main(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    const double row = 8.0 * N;
    heddle_array *a = spread(), *b = spread();
    CHECK_MOVES(0, heddle_add(a, b));
    CHECK_MOVES(0, heddle_exp(heddle_matrix_transpose(a)));
    CHECK_MOVES(0, heddle_exp(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(10, -10)))));
    CHECK_MOVES(0, heddle_concat(HEDDLE_ARRAYS(a, b), 0));
    CHECK_MOVES(0, heddle_concat(HEDDLE_ARRAYS(a, b), 1));
    CHECK_MOVES(0, heddle_exp(heddle_concat(HEDDLE_ARRAYS(a, b, a), 0)));
    CHECK_MOVES(0, heddle_set_item(a, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)),
                                   heddle_getitem(b, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)))));
    /* a column to every other GPU, and some rows, since the GPUs' flops are not as their memories */
    CHECK_MOVES(row * N / 5,
                heddle_matmul(a, heddle_getitem(b, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(5, 6)))));
    /* halos of two rows */
    CHECK_MOVES(16 * row, heddle_subtract(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(2))),
                                          heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(-2)))));
    /* a small piece is spread again, since one GPU alone would have it */
    CHECK(moved(heddle_exp(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(N / 8))))) > 0,
          "what one GPU has stays there alone");
    heddle_scope_close(scope);
    heddle_shutdown();
    test_fast();
    test_home();
    return check_done();
}
