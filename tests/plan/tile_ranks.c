/* Priorities of a DAG of tiles (heddle__rank_tasks) against longest chains found the slow way: over random
 * tasks that read and update random parts of two arrays. */
#include "check.h"

#include "array/grid.h"
#include "plan/cut/patterns.h"
#include "plan/plan.h"

enum { TASKS = 40, USES = 3, PARTS = 7 };

static uint64_t state = 1;
static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static bool depends(const struct heddle_plan *plan, int64_t later, int64_t earlier)
{
    const struct heddle_plan_task *b = &plan->tasks[later], *a = &plan->tasks[earlier];
    for (int32_t i = 0; i < a->n_uses; i++)
        for (int32_t k = 0; k < b->n_uses; k++) {
            const struct heddle_plan_use *x = &plan->uses[a->first_use + i];
            const struct heddle_plan_use *y = &plan->uses[b->first_use + k];
            if (x->array == y->array && x->part == y->part && ((x->mode | y->mode) & HEDDLE_WRITE))
                return true;
        }
    return false;
}

static void test_random(int64_t first, int64_t n)
{
    struct heddle_plan_task tasks[TASKS] = {0};
    struct heddle_plan_use uses[TASKS * USES] = {0};
    struct heddle_plan_array arrays[2] = {0};
    struct heddle_plan plan = {
        .tasks = tasks, .n_tasks = TASKS, .uses = uses, .arrays = arrays, .n_arrays = 2};
    for (int i = 0; i < 2; i++) {
        const int64_t shape[] = {PARTS * (i + 1)};
        arrays[i].grid = heddle__grid_blocks(1, shape, (int64_t[]){i + 1});
        CHECK(arrays[i].grid != NULL, "no grid");
    }
    for (int t = 0; t < TASKS; t++) {
        tasks[t].first_use = plan.n_uses;
        tasks[t].n_uses = random_below(USES + 1);
        tasks[t].priority = -5;
        tasks[t].weight = random_below(3);
        for (int i = 0; i < tasks[t].n_uses; i++) {
            static const uint8_t modes[] = {HEDDLE_READ, HEDDLE_READ, HEDDLE_WRITE,
                                            HEDDLE_READ_WRITE, HEDDLE_READ_WRITE | HEDDLE_COMMUTE};
            uses[plan.n_uses++] = (struct heddle_plan_use){.array = random_below(2),
                                                           .part = random_below(PARTS),
                                                           .mode = modes[random_below(5)]};
        }
    }
    CHECK(heddle__rank_tasks(&plan, first, n), "no memory");
    for (int64_t t = TASKS - 1; t >= 0; t--) {
        if (t < first || t >= first + n) {
            CHECK_EQ(tasks[t].priority, -5);
            continue;
        }
        int32_t longest = 0;
        for (int64_t later = t + 1; later < first + n; later++)
            if (depends(&plan, later, t) && tasks[later].priority > longest)
                longest = tasks[later].priority;
        CHECK_EQ(tasks[t].priority, longest + 1 + tasks[t].weight);
    }
    for (int i = 0; i < 2; i++) heddle__grid_release(arrays[i].grid);
}

int main(void)
{
    for (int k = 0; k < 300; k++) test_random(0, TASKS);
    for (int k = 0; k < 100; k++) test_random(random_below(10), random_below(TASKS - 10));
    return check_done();
}
