/* Calls of a task that a GPU may run, which are stretches of the same rows, become one (codelets/stretches.h), as those of rolled arrays are. Entry
 * point: heddle__task_join_stretches. */
#include "plan/build/tasks.h"
#include "plan/programs.h"
#include "stretches.h"

enum { AHEAD = 128 }; /* calls among which the next stretch is looked for */

static const struct heddle_launch *launch_of(const struct heddle_kernel_call *call)
{
    return call->family == &heddle__program_family ? call->arguments : NULL;
}

/* The launches of one row, in its order. */
struct row {
    int n, number[HEDDLE_MOST_STRETCHES]; /* of its calls, after the first that was looked at */
    const struct heddle_launch *launches[HEDDLE_MOST_STRETCHES];
};

/* Adds call i before or behind the others, if it is the next stretch there. */
static bool add(struct row *row, const struct heddle_launch *l, int i)
{
    const int behind = heddle__stretch_goes_on(row->launches[row->n - 1], l);
    if (!behind && !heddle__stretch_goes_on(l, row->launches[0])) return false;
    const int at = behind ? row->n : 0;
    for (int k = row->n; k > at; k--) {
        row->number[k] = row->number[k - 1];
        row->launches[k] = row->launches[k - 1];
    }
    row->number[at] = i;
    row->launches[at] = l;
    row->n++;
    return true;
}

/* Finds the stretches of the row that calls[0] is of, among n calls. */
static bool find(const struct heddle_kernel_call calls[], int n, struct row *row)
{
    const struct heddle_launch *const first = launch_of(&calls[0]);
    *row = (struct row){.n = 1, .launches = {first}};
    for (bool grows = first != NULL; grows;) {
        grows = false;
        for (int i = 1; i < n && i < AHEAD && row->n < HEDDLE_MOST_STRETCHES; i++) {
            const struct heddle_launch *const l = launch_of(&calls[i]);
            grows |= l && add(row, l, i);
        }
    }
    return first && heddle__are_stretches(row->launches, row->n);
}

static const struct heddle_launch *join(struct heddle_planner *p,
                                        const struct heddle_launch *const launches[], int n)
{
    struct heddle_arena *arena = p->plan->arena;
    struct heddle_launch *whole = heddle__arena_alloc(arena, sizeof *whole);
    struct heddle_stretches *stretches = heddle__arena_alloc(arena, sizeof *stretches);
    struct heddle_access *access =
        heddle__arena_alloc(arena, (size_t)(launches[0]->program->n_operands + 1) * sizeof *access);
    if (!whole || !stretches || !access) {
        p->failed = true;
        return NULL;
    }
    *whole = heddle__stretches_join(launches, n, access, stretches);
    return whole;
}

void heddle__task_join_stretches(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    struct heddle_kernel_call *const calls = plan->calls + task->first_call;
    const bool may_be_on_gpu = task->place == HEDDLE_ANYWHERE
                                   ? p->policy->n_gpus > 0 && !p->run_inline
                                   : heddle__place_is_gpu(task->place);
    if (!may_be_on_gpu) return;
    for (int i = 0; i < task->n_calls - 1; i++) {
        struct row row;
        if (!find(calls + i, task->n_calls - i, &row)) continue;
        const struct heddle_launch *const whole = join(p, row.launches, row.n);
        if (!whole) return;
        for (int k = 0; k < row.n; k++) calls[i + row.number[k]].family = NULL;
        calls[i] = (struct heddle_kernel_call){&heddle__program_family, whole};
        int to = i;
        for (int from = i; from < task->n_calls; from++)
            if (calls[from].family) calls[to++] = calls[from];
        task->n_calls = to;
        plan->n_calls = task->first_call + to;
    }
}
