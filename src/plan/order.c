/* The order in which tasks run if their temporaries would take too much memory: each task that nobody waits for is
 * preceded by what it needs, and by nothing else. So an array that is only passed on from step to step exists part by
 * part. Entry point: heddle__plan_order. */
#include "plan/finish.h"

#include "base/memory.h"

#include <string.h>

/* Which tasks each task waits for: before[first[t] .. first[t + 1] - 1]. */
struct dependences {
    int64_t *first, *before;
    int64_t n, room;
    bool *is_awaited;
};

/* What is known of a slot while the tasks are gone through. */
struct state {
    int64_t writer;  /* the last; -1: none */
    int64_t readers; /* the last use that read it since then; -1: none */
};

static bool add(struct dependences *d, int64_t task, int64_t waits_for)
{
    if (waits_for < 0 || waits_for == task) return true;
    if (!heddle__grow(&d->before, sizeof *d->before, d->n + 1, &d->room)) return false;
    d->before[d->n++] = waits_for;
    d->is_awaited[waits_for] = true;
    return true;
}

/* `earlier`: for each use, the one before it in its slot's list of readers. `task_of`: the task of each. */
static bool add_use(struct dependences *d, const struct heddle_plan *plan, int64_t task, int64_t u,
                    struct state *states, int64_t *earlier, int64_t *task_of)
{
    const struct heddle_plan_use *use = &plan->uses[u];
    struct state *s = &states[use->slot];
    task_of[u] = task;
    if (!add(d, task, s->writer)) return false;
    if (!(use->mode & HEDDLE_WRITE)) {
        earlier[u] = s->readers;
        s->readers = u;
        return true;
    }
    for (int64_t r = s->readers; r >= 0; r = earlier[r])
        if (!add(d, task, task_of[r])) return false;
    *s = (struct state){task, -1};
    return true;
}

static bool find_dependences(struct dependences *d, const struct heddle_plan *plan)
{
    struct state *states = heddle__alloc((size_t)(plan->n_slots + 1) * sizeof *states);
    int64_t *earlier = heddle__alloc((size_t)(plan->n_uses + 1) * sizeof *earlier);
    int64_t *task_of = heddle__alloc((size_t)(plan->n_uses + 1) * sizeof *task_of);
    bool ok = states && earlier && task_of;
    for (int64_t s = 0; s < plan->n_slots && ok; s++) states[s] = (struct state){-1, -1};
    for (int64_t t = 0; t < plan->n_tasks && ok; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        d->first[t] = d->n;
        for (int64_t u = task->first_use; u < task->first_use + task->n_uses && ok; u++)
            ok = add_use(d, plan, t, u, states, earlier, task_of);
        d->first[t + 1] = d->n;
    }
    heddle__free(states);
    heddle__free(earlier);
    heddle__free(task_of);
    return ok;
}

/* Puts a task in its place, after what it waits for. `next`: where each task is in its list; -1: it is placed. A task
 * is on the stack once, since nothing waits for itself. */
static int64_t place(const struct dependences *d, int64_t task, int64_t *next, int64_t *stack,
                     int64_t *order, int64_t n)
{
    int64_t depth = 0;
    stack[depth++] = task;
    while (depth > 0) {
        const int64_t t = stack[depth - 1];
        while (next[t] < d->first[t + 1] && next[d->before[next[t]]] < 0) next[t]++;
        if (next[t] < d->first[t + 1]) {
            stack[depth++] = d->before[next[t]];
            continue;
        }
        next[t] = -1;
        order[n++] = t;
        depth--;
    }
    return n;
}

enum heddle_status heddle__plan_order(struct heddle_plan *plan)
{
    const size_t n = (size_t)plan->n_tasks;
    struct dependences d = {.first = heddle__calloc(n + 1, sizeof *d.first),
                            .is_awaited = heddle__calloc(n, sizeof *d.is_awaited)};
    int64_t *order = heddle__alloc(n * sizeof *order), *stack = heddle__alloc(n * sizeof *stack);
    int64_t *next = heddle__alloc((n + 1) * sizeof *next), placed = 0;
    const bool ok = d.first && d.is_awaited && order && stack && next && find_dependences(&d, plan);
    if (ok) memcpy(next, d.first, n * sizeof *next);
    for (int64_t t = 0; t < plan->n_tasks && ok; t++)
        if (!d.is_awaited[t]) placed = place(&d, t, next, stack, order, placed);
    heddle__free(d.first);
    heddle__free(d.before);
    heddle__free(d.is_awaited);
    heddle__free(stack);
    heddle__free(next);
    if (ok && placed == plan->n_tasks) {
        plan->order = order;
        return HEDDLE_OK;
    }
    heddle__free(order);
    return ok ? heddle__fail(HEDDLE_EINTERNAL, "plan: tasks wait for each other")
              : heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to order %zu tasks", n);
}
