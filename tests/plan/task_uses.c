/* Uses of tasks (heddle__task_use) against a plain list: each part has one in a task, whose modes add up,
 * however many there are, and whatever the tasks before used, those that were dropped included. */
#include "check.h"

#include "base/memory.h"
#include "families/families.h"
#include "plan/build/tasks.h"

#include <stdlib.h>

enum { ARRAYS = 5, PARTS = 400, MOST = 3000 };

static uint64_t state = 1;
static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

struct listed {
    int32_t array;
    int part;
    uint8_t mode;
};

static void test_task(struct heddle_planner *p, int n, bool dropped)
{
    static struct listed list[MOST];
    int n_listed = 0, n_wrong = 0;
    const int parts = random_below(2) ? PARTS : 8; /* with few, most come again */
    const int64_t before = p->plan->n_tasks;
    CHECK(heddle__task_begin(p));
    for (int i = 0; i < n; i++) {
        const struct listed use = {random_below(ARRAYS), random_below(parts),
                                   random_below(2) ? HEDDLE_READ : HEDDLE_WRITE};
        int at = 0;
        while (at < n_listed && (list[at].array != use.array || list[at].part != use.part)) at++;
        if (at == n_listed) list[n_listed++] = use;
        list[at].mode |= use.mode;
        n_wrong += (int)heddle__task_use(p, use.array, use.part, use.mode) != at;
    }
    if (!dropped) CHECK(heddle__task_call(p, heddle__families[0], 8, 0, 0) != NULL);
    const struct heddle_plan_task task = p->plan->tasks[p->plan->n_tasks - 1];
    CHECK_EQ(task.n_uses, n_listed);
    for (int i = 0; i < n_listed; i++) {
        const struct heddle_plan_use *use = &p->plan->uses[task.first_use + i];
        n_wrong += use->array != list[i].array || use->part != list[i].part ||
                   use->mode != list[i].mode || use->place != heddle_cpu(list[i].part % 3);
    }
    heddle__task_end(p);
    CHECK_EQ(p->plan->n_tasks, before + !dropped);
    CHECK(n_wrong == 0 && !p->failed, "%d of %d uses", n_wrong, n);
}

int main(void)
{
    const heddle_place places[] = {heddle_cpu(0), heddle_cpu(1), heddle_cpu(2)};
    struct heddle_planner p = {.plan = heddle__calloc(1, sizeof *p.plan)};
    CHECK(p.plan != NULL && (p.plan->arena = heddle__calloc(1, sizeof *p.plan->arena)) != NULL);
    atomic_init(&p.plan->refs, 1);
    struct heddle_grid *grid = heddle__grid_blocks(1, (int64_t[]){PARTS}, (int64_t[]){1});
    struct heddle_grid *placed = heddle__grid_place(grid, 3, places);
    for (int i = 0; i < ARRAYS; i++)
        CHECK_EQ(heddle__plan_add_array(&p, HEDDLE_ROLE_TEMPORARY, -1, HEDDLE_INT32,
                                        heddle__grid_retain(placed)),
                 i);
    CHECK(heddle__step_begin(&p, heddle__families[0], NULL, "test", 1));
    for (int i = 0; i < 300; i++) {
        static const int sizes[] = {0, 5, 15, 16, 17, 18, 40, 70, 300, MOST};
        test_task(&p, sizes[random_below(10)], random_below(3) == 0);
    }
    heddle__grid_release(grid);
    heddle__grid_release(placed);
    heddle__free(p.one_part);
    heddle__arena_free(&p.scratch);
    heddle__plan_release(p.plan);
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
