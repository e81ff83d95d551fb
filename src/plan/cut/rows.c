/* After all tasks are made: steps that follow each other over the same rows become one, whose tasks read each
 * row once (codelets/rows.h). Entry point: heddle__join_rows. */
#include "plan/cut/cut.h"

#include "base/memory.h"
#include "plan/policy/thresholds.h"
#include "plan/programs.h"
#include "rows.h"

#include <string.h>

/* Steps from..to-1, which may become one. */
struct chain {
    struct heddle_planner *p;
    int64_t from, to;
};

static struct heddle_plan_task *task_of(const struct heddle_plan *plan, int64_t step, int64_t i)
{
    return &plan->tasks[plan->steps[step].first_task + i];
}

static struct heddle_launch *launch_of(const struct heddle_plan *plan, int64_t step, int64_t i)
{
    /* the plan is in the making, and its arena is ours */
    return (struct heddle_launch *)plan->calls[task_of(plan, step, i)->first_call].arguments;
}

/* A step of programs, one call a task. */
static bool is_plain(const struct heddle_plan *plan, int64_t step)
{
    const struct heddle_plan_step *s = &plan->steps[step];
    if (s->family != &heddle__program_family || !s->program || s->n_tasks == 0) return false;
    for (int64_t i = 0; i < s->n_tasks; i++)
        if (task_of(plan, step, i)->n_calls != 1) return false;
    return true;
}

/* ---- Uses ------------------------------------------------------------------------------------------ */

static const struct heddle_plan_use *uses_of(const struct heddle_plan *plan,
                                             const struct heddle_plan_task *task)
{
    return plan->uses + task->first_use;
}

static bool writes(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                   const struct heddle_plan_use *what, bool any_part)
{
    for (int32_t k = 0; k < task->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, task)[k];
        if (use->array == what->array && (any_part || use->part == what->part) &&
            use->mode & HEDDLE_WRITE)
            return true;
    }
    return false;
}

/* Whether task i of the last step reads, of what the chain writes, only what tasks i before it write. All
 * tasks of a step write parts of the same arrays. */
static bool reads_its_own(const struct chain *c, int64_t i)
{
    const struct heddle_plan *plan = c->p->plan;
    const struct heddle_plan_task *task = task_of(plan, c->to - 1, i);
    for (int32_t k = 0; k < task->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, task)[k];
        for (int64_t step = c->from; step < c->to - 1; step++)
            if (writes(plan, task_of(plan, step, 0), use, true) &&
                (use->mode & HEDDLE_WRITE || !writes(plan, task_of(plan, step, i), use, false)))
                return false;
    }
    return true;
}

/* Whether the last step writes an array that the chain reads: rows come in any order, and what is read of a row may lie
 * in another one. */
static bool overwrites(const struct chain *c)
{
    const struct heddle_plan *plan = c->p->plan;
    const struct heddle_plan_task *last = task_of(plan, c->to - 1, 0);
    for (int32_t k = 0; k < last->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, last)[k];
        if (!(use->mode & HEDDLE_WRITE)) continue;
        const struct heddle_plan_task *first = task_of(plan, c->from, 0);
        for (int64_t u = first->first_use; u < last->first_use; u++)
            if (plan->uses[u].array == use->array) return true;
    }
    return false;
}

/* Uses of task i of all steps together: list[*n], and in number[step - from][k] the place of each. A part that
 * the chain makes is written; whoever reads it later reads what is there. */
static bool merge_uses(const struct chain *c, int64_t i, struct heddle_plan_use **list, int32_t *n,
                       uint32_t *number[HEDDLE_ROWS_STAGES])
{
    struct heddle_planner *p = c->p;
    const struct heddle_plan *plan = p->plan;
    size_t most = 0;
    for (int64_t s = c->from; s < c->to; s++) most += (size_t)task_of(plan, s, i)->n_uses;
    *list = heddle__arena_alloc(&p->scratch, most * sizeof **list);
    if (!*list) return false;
    *n = 0;
    for (int64_t s = c->from; s < c->to; s++) {
        const struct heddle_plan_task *task = task_of(plan, s, i);
        uint32_t *at = heddle__arena_alloc(&p->scratch, (size_t)(task->n_uses + 1) * sizeof *at);
        if (!at) return false;
        for (int32_t k = 0; k < task->n_uses; k++) {
            const struct heddle_plan_use *use = &uses_of(plan, task)[k];
            int32_t u = 0;
            while (u < *n && ((*list)[u].array != use->array || (*list)[u].part != use->part)) u++;
            if (u == *n) (*list)[(*n)++] = *use;
            at[k] = (uint32_t)u;
        }
        number[s - c->from] = at;
    }
    return true;
}

/* ---- Whether steps are a chain --------------------------------------------------------------------- */

/* Whether an array is read by tasks after the chain, or by the user. */
static bool is_needed(const struct chain *c, int32_t array)
{
    const struct heddle_plan *plan = c->p->plan;
    if (plan->arrays[array].role != HEDDLE_ROLE_TEMPORARY) return true;
    for (int32_t r = 0; r < plan->n_results; r++)
        if (plan->arrays[plan->results[r]].owner == array) return true;
    const struct heddle_plan_task *last =
        task_of(plan, c->to - 1, plan->steps[c->to - 1].n_tasks - 1);
    for (int64_t u = last->first_use + last->n_uses; u < plan->n_uses; u++)
        if (plan->uses[u].array == array) return true;
    return false;
}

/* Task i of all steps as a chain of launches, with its uses. With `keep` it stays; else the launches are as before. */
static bool link_task(const struct chain *c, int64_t i, bool keep, struct heddle_rows *rows,
                      struct heddle_plan_use **uses, int32_t *n_uses)
{
    struct heddle_planner *p = c->p;
    struct heddle_plan *plan = p->plan;
    uint32_t *number[HEDDLE_ROWS_STAGES], *kept[HEDDLE_ROWS_STAGES];
    if (!merge_uses(c, i, uses, n_uses, number)) {
        p->failed = true;
        return false;
    }
    for (int64_t s = c->from; s < c->to; s++) {
        struct heddle_launch *l = launch_of(plan, s, i);
        const int n_operands = l->program->n_operands;
        kept[s - c->from] = l->buffer;
        uint32_t *buffer = heddle__arena_alloc(
            plan->arena, (size_t)(n_operands + HEDDLE_MAX_REDUCTIONS) * sizeof *buffer);
        if (!buffer) p->failed = true;
        for (int k = 0; buffer && k < n_operands; k++) {
            buffer[k] = number[s - c->from][l->buffer[k]];
            const struct heddle_plan_use *use = &(*uses)[buffer[k]];
            if (keep && use->mode & HEDDLE_WRITE && !is_needed(c, use->array))
                l->passed |= UINT32_C(1) << k;
        }
        if (buffer) l->buffer = buffer;
        l->next = s + 1 < c->to ? launch_of(plan, s + 1, i) : NULL;
    }
    const bool ok = !p->failed && heddle__rows_of(launch_of(plan, c->from, i), rows);
    if (keep) return ok;
    for (int64_t s = c->from; s < c->to; s++) {
        struct heddle_launch *l = launch_of(plan, s, i);
        l->buffer = kept[s - c->from];
        l->next = NULL;
    }
    return ok;
}

/* Whether joining saves anything: elements that several stages read or make. */
static bool saves(const struct heddle_rows *rows)
{
    const int last = rows->n_stages - 1;
    for (int k = 0; k < rows->stage[last]->program->n_operands; k++)
        if (rows->operand[rows->of[last][k]].is_held) return true;
    return false;
}

/* Bytes that a GPU moves for a chain. Elements of rows that lie across, as of a transposed array, are of a sector of memory each:
 * a block's rows are not neighbours, so that it takes one element of each. A thread's are. */
static double bytes_on_gpu(const struct heddle_rows *rows, const struct heddle_rows_form *form)
{
    enum { SECTOR_BYTES = 32 };
    double bytes = heddle__rows_bytes(rows);
    for (int u = 0; u < rows->n_operands && form->threads > 1; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_row || o->is_made || o->step == 1 || o->step == -1) continue;
        double elements = (double)rows->length;
        bool across = false;
        for (int d = 0; d < rows->n_kept; d++) {
            across |= o->stride[d] == 1 || o->stride[d] == -1;
            if (o->stride[d] != 0) elements *= (double)rows->extent[d];
        }
        if (across)
            bytes +=
                elements * (SECTOR_BYTES - (double)heddle_dtype_size((enum heddle_dtype)o->dtype));
    }
    return bytes;
}

/* Whether the steps can be one. The last one is new to the chain. *worth: joining it saves something. */
static bool is_chain(const struct chain *c, bool *worth)
{
    enum { ROWS = 64 }; /* fewer are too few to keep a GPU busy */
    struct heddle_planner *p = c->p;
    const struct heddle_plan *plan = p->plan;
    const int64_t n = plan->steps[c->from].n_tasks;
    const bool gpus = p->policy->n_gpus > 0 && !p->run_inline;
    if (c->to - c->from > HEDDLE_ROWS_STAGES || !is_plain(plan, c->to - 1) ||
        plan->steps[c->to - 1].n_tasks != n || overwrites(c))
        return false;
    double together = 0, apart = 0;
    for (int64_t i = 0; i < n; i++) {
        struct heddle_rows rows;
        struct heddle_plan_use *uses;
        int32_t n_uses;
        struct heddle_rows_form form;
        if (task_of(plan, c->from, i)->place != task_of(plan, c->to - 1, i)->place ||
            !reads_its_own(c, i))
            return false;
        if (!link_task(c, i, false, &rows, &uses, &n_uses)) return false;
        if (rows.n_rows < (gpus ? ROWS : 2)) return false;
        *worth = saves(&rows);
        if (!gpus) continue;
        if (!heddle__rows_form(&rows, &form)) return false;
        together += bytes_on_gpu(&rows, &form);
        for (int64_t s = c->from; s < c->to; s++) apart += task_of(plan, s, i)->bytes;
    }
    if (gpus && together > apart) *worth = false;
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------------- */

/* The task of all tasks i; its uses are the planner's until the plan's are made anew. */
static bool join_task(const struct chain *c, int64_t i, struct heddle_plan_task *out,
                      struct heddle_plan_use **uses)
{
    struct heddle_plan *plan = c->p->plan;
    struct heddle_rows rows;
    *out = *task_of(plan, c->from, i);
    if (!link_task(c, i, true, &rows, uses, &out->n_uses)) return false;
    plan->bytes -= out->bytes;
    for (int64_t s = c->from + 1; s < c->to; s++) {
        const struct heddle_plan_task *task = task_of(plan, s, i);
        out->flops += task->flops;
        if (task->priority > out->priority) out->priority = task->priority;
        plan->bytes -= task->bytes;
    }
    out->bytes = heddle__rows_bytes(&rows);
    plan->bytes += out->bytes;
    return true;
}

/* Makes the plan's uses and calls anew, in the order of its tasks. Tasks from..from+n-1 have uses[]. */
static bool list_again(struct heddle_planner *p, int64_t from, int64_t n,
                       struct heddle_plan_use *const uses[])
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_use *list = NULL;
    struct heddle_kernel_call *calls = NULL;
    int64_t use_room = 0, call_room = 0, n_uses = 0, n_calls = 0;
    if (!heddle__grow(&list, sizeof *list, plan->n_uses, &use_room) ||
        !heddle__grow(&calls, sizeof *calls, plan->n_calls, &call_room)) {
        heddle__free(list);
        heddle__free(calls);
        return false;
    }
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        struct heddle_plan_task *task = &plan->tasks[t];
        memcpy(list + n_uses, t >= from && t < from + n ? uses[t - from] : uses_of(plan, task),
               (size_t)task->n_uses * sizeof *list);
        memcpy(calls + n_calls, plan->calls + task->first_call,
               (size_t)task->n_calls * sizeof *calls);
        task->first_use = n_uses;
        task->first_call = n_calls;
        n_uses += task->n_uses;
        n_calls += task->n_calls;
    }
    heddle__free(plan->uses);
    heddle__free(plan->calls);
    plan->uses = list;
    plan->calls = calls;
    plan->n_uses = n_uses;
    plan->n_calls = n_calls;
    p->use_room = use_room;
    p->call_room = call_room;
    return true;
}

/* The steps become the first one; what follows moves up. */
static bool join(const struct chain *c)
{
    struct heddle_planner *p = c->p;
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_step *first = &plan->steps[c->from];
    const int64_t n = first->n_tasks, gone = c->to - c->from - 1;
    struct heddle_plan_task *tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *tasks);
    struct heddle_plan_use **uses = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *uses);
    if (!tasks || !uses) return false;
    for (int64_t i = 0; i < n; i++)
        if (!join_task(c, i, &tasks[i], &uses[i])) return false;
    memcpy(plan->tasks + first->first_task, tasks, (size_t)n * sizeof *tasks);
    size_t at = strlen(first->name);
    for (int64_t s = c->from + 1; s < c->to; s++) {
        const struct heddle_plan_step *step = &plan->steps[s];
        const size_t length = strlen(step->name);
        if (at + 2 + length < sizeof first->name) {
            first->name[at] = ';';
            memcpy(first->name + at + 1, step->name, length + 1);
            at += 1 + length;
        }
        first->n_nodes += step->n_nodes;
        first->asked |= step->asked;
    }
    const int64_t end = first->first_task + n; /* of what stays; tasks of the others go */
    const int64_t from =
        plan->steps[c->to - 1].first_task + plan->steps[c->to - 1].n_tasks; /* of what follows */
    memmove(plan->tasks + end, plan->tasks + from,
            (size_t)(plan->n_tasks - from) * sizeof *plan->tasks);
    plan->n_tasks -= from - end;
    for (int64_t t = end; t < plan->n_tasks; t++) plan->tasks[t].step -= (int32_t)gone;
    memmove(plan->steps + c->from + 1, plan->steps + c->to,
            (size_t)(plan->n_steps - c->to) * sizeof *plan->steps);
    plan->n_steps -= gone;
    for (int64_t s = c->from + 1; s < plan->n_steps; s++) plan->steps[s].first_task -= from - end;
    return list_again(p, first->first_task, n, uses);
}

bool heddle__join_rows(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (!p->policy->fusion || plan->bytes < (double)heddle__thresholds.worth_joining) return true;
    for (int64_t s = 0; s + 1 < plan->n_steps; s++) {
        struct chain c = {p, s, s + 1};
        if (!is_plain(plan, s)) continue;
        int64_t best = s + 1;
        bool worth = false;
        while (++c.to <= plan->n_steps && is_chain(&c, &worth))
            if (worth) best = c.to;
        c.to = best;
        if (p->failed) return false;
        if (c.to - c.from > 1 && !join(&c)) return false;
    }
    return true;
}
