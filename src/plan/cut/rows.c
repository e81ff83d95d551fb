/* After all tasks are made: steps that follow each other over the same rows become one, whose tasks read each
 * row once (codelets/rows.h). Entry points: heddle__join_rows, heddle__join_scans. */
#include "plan/cut/join.h"

#include "base/memory.h"
#include "plan/policy/thresholds.h"
#include "plan/programs.h"
#include "rows.h"

#include <string.h>

static struct heddle_launch *launch_of(const struct heddle_plan *plan, int64_t step, int64_t i)
{
    const struct heddle_kernel_call *call = heddle__step_call(plan, step, i);
    /* the plan is in the making, and its arena is ours */
    return call->family->as_launch ? call->family->as_launch(call->arguments)
                                   : (struct heddle_launch *)call->arguments;
}

/* A step of programs that are no chain yet, or of calls that can be stages, one call a task. */
static bool is_plain(const struct heddle_plan *plan, int64_t step)
{
    const struct heddle_plan_step *s = &plan->steps[step];
    const bool is_program = s->family == &heddle__program_family && s->program;
    if (s->n_tasks == 0 || (!is_program && !s->family->as_launch)) return false;
    for (int64_t i = 0; i < s->n_tasks; i++)
        if (heddle__step_task(plan, step, i)->n_calls != 1 || !launch_of(plan, step, i) ||
            launch_of(plan, step, i)->next || launch_of(plan, step, i)->stretches)
            return false;
    return true;
}

/* ---- Whether steps are a chain --------------------------------------------------------------------- */

/* Task i of all steps as a chain of launches, with its uses. With `keep` it stays; else the launches are as before. */
static bool link_task(const struct heddle_join *c, int64_t i, bool keep, struct heddle_rows *rows,
                      struct heddle_plan_use **uses, int32_t *n_uses)
{
    struct heddle_planner *p = c->p;
    struct heddle_plan *plan = p->plan;
    uint32_t *number[HEDDLE_ROWS_STAGES], *kept[HEDDLE_ROWS_STAGES];
    if (!heddle__join_uses(c, i, uses, n_uses, number)) {
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
            if (keep && use->mode & HEDDLE_WRITE && !heddle__join_leaves(c, use->array))
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

/* Whether maps are left beside a chain: the step before it makes what its first one reads, or the step behind reads what it makes. */
static bool leaves_maps(const struct heddle_join *c)
{
    const struct heddle_plan *plan = c->p->plan;
    const struct heddle_join before = {c->p, c->from - 1, c->from};
    return (c->from > 0 && plan->steps[c->from - 1].family == &heddle__program_family &&
            heddle__join_follows(&before, c->from)) ||
           (c->to < plan->n_steps && plan->steps[c->to].family == &heddle__program_family &&
            heddle__join_follows(c, c->to));
}

/* Whether joining saves anything: elements that several stages read or make. A scan takes maps into its own call as well (joined_maps.c), so
 * that on CPUs it is only worth a chain beside a reduction or another scan; GPUs have more of a row in registers so, if all maps beside it are in the
 * chain. */
static bool saves(const struct heddle_join *c, const struct heddle_rows *rows, bool gpus)
{
    const int last = rows->n_stages - 1;
    int n_along = 0;
    for (int i = 0; i < rows->n_stages; i++)
        n_along += rows->stage[i]->program->n_reductions > 0 || rows->stage[i]->program->scan;
    if (rows->has_scans && n_along < 2 && (!gpus || leaves_maps(c))) return false;
    for (int k = 0; k < rows->stage[last]->program->n_operands; k++)
        if (rows->operand[rows->of[last][k]].is_held) return true;
    return false;
}

/* Whether GPUs have memory to spare for what is between the stages, which has a place although a compiled chain never writes it: a scan's own call
 * makes what is before it where its result will be. */
static bool has_room(const struct heddle_policy *policy, const struct heddle_rows *rows)
{
    enum { PART_OF_MEMORY = 8 };
    double between = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_made && !o->is_row && o->maker < rows->n_stages - 1)
            between += (double)rows->n_rows * (double)rows->length *
                       (double)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    const int64_t memory = policy->places[0].memory_bytes; /* GPUs come first */
    return memory == 0 || between * PART_OF_MEMORY <= (double)memory;
}

/* Bytes that a GPU moves for a chain. Elements of rows that lie across, as of a transposed array, are of a sector of memory each:
 * a block's rows are not neighbours, so that it takes one element of each. A thread's are. */
static double bytes_on_gpu(const struct heddle_rows *rows, const struct heddle_rows_form *form)
{
    enum { SECTOR_BYTES = 32 };
    double bytes = heddle__rows_bytes(rows);
    for (int u = 0; u < rows->n_operands && form->threads > 1; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_row || o->is_made || o->period > 0 || o->step == 1 || o->step == -1) continue;
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
static bool is_chain(const struct heddle_join *c, bool of_scans, bool *worth)
{
    /* fewer are too few to keep a GPU busy; a long one has a multiprocessor, one in sequence a thread */
    enum { ROWS = 64, LONG_ROWS = 128, ROWS_IN_SEQUENCE = 2048 };
    struct heddle_planner *p = c->p;
    const struct heddle_plan *plan = p->plan;
    const int64_t n = plan->steps[c->from].n_tasks;
    const bool gpus = p->policy->n_gpus > 0 && !p->run_inline;
    if (c->to - c->from > HEDDLE_ROWS_STAGES || !is_plain(plan, c->to - 1) ||
        plan->steps[c->to - 1].n_tasks != n || heddle__join_overwrites(c))
        return false;
    double together = 0, apart = 0;
    for (int64_t i = 0; i < n; i++) {
        struct heddle_rows rows;
        struct heddle_plan_use *uses;
        int32_t n_uses;
        struct heddle_rows_form form;
        if (heddle__step_task(plan, c->from, i)->place !=
                heddle__step_task(plan, c->to - 1, i)->place ||
            !heddle__join_reads_its_own(c, i))
            return false;
        if (!link_task(c, i, false, &rows, &uses, &n_uses)) return false;
        const int64_t least = !gpus ? 2 : rows.in_sequence ? ROWS_IN_SEQUENCE : ROWS;
        if (rows.n_rows < least) return false;
        *worth = rows.has_scans == of_scans && saves(c, &rows, gpus);
        if (!gpus) continue;
        if (rows.has_scans && !has_room(p->policy, &rows)) return false;
        if (!heddle__rows_form(&rows, HEDDLE_ROWS_BESIDE, 0, &form) ||
            (form.is_long && rows.n_rows < LONG_ROWS))
            return false;
        together += bytes_on_gpu(&rows, &form);
        for (int64_t s = c->from; s < c->to; s++) apart += heddle__step_task(plan, s, i)->bytes;
    }
    if (gpus && together > apart) *worth = false;
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------------- */

/* The task of all tasks i; its uses are the planner's until the plan's are made anew. */
static bool join_task(const struct heddle_join *c, int64_t i, struct heddle_plan_task *out,
                      struct heddle_plan_use **uses)
{
    struct heddle_plan *plan = c->p->plan;
    struct heddle_rows rows;
    *out = *heddle__step_task(plan, c->from, i);
    if (!link_task(c, i, true, &rows, uses, &out->n_uses)) return false;
    plan->bytes -= out->bytes;
    for (int64_t s = c->from + 1; s < c->to; s++) {
        const struct heddle_plan_task *task = heddle__step_task(plan, s, i);
        out->flops += task->flops;
        if (task->priority > out->priority) out->priority = task->priority;
        plan->bytes -= task->bytes;
    }
    out->bytes = heddle__rows_bytes(&rows);
    plan->bytes += out->bytes;
    return true;
}

static bool join(const struct heddle_join *c)
{
    struct heddle_planner *p = c->p;
    struct heddle_plan_step *const step = &p->plan->steps[c->from];
    const int64_t n = step->n_tasks;
    struct heddle_plan_task *tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *tasks);
    struct heddle_plan_use **uses = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *uses);
    if (!tasks || !uses) return false;
    for (int64_t i = 0; i < n; i++) {
        struct heddle_launch *first = launch_of(p->plan, c->from, i);
        if (!join_task(c, i, &tasks[i], &uses[i])) return false;
        p->plan->calls[tasks[i].first_call] =
            (struct heddle_kernel_call){&heddle__program_family, first};
    }
    step->family = &heddle__program_family;
    step->program = launch_of(p->plan, c->from, 0)->program;
    return heddle__join_steps(c, tasks, uses);
}

/* If the next step reads nothing that the chain makes, the first one that does comes before it: steps are in the order of
 * their stages, so that others may be between two passes over the same rows. false: memory is gone. */
static bool find_next(const struct heddle_join *c)
{
    enum { NEAR = 8, MOST_TASKS = 32 };
    const struct heddle_plan *plan = c->p->plan;
    for (int64_t s = c->to; s < plan->n_steps && s < c->to + NEAR; s++) {
        if (plan->steps[s].n_tasks > MOST_TASKS) return true;
        if (!heddle__join_follows(c, s)) continue;
        return s == c->to || plan->steps[s].n_tasks != plan->steps[c->from].n_tasks ||
               !is_plain(plan, s) || heddle__join_bring(c, s);
    }
    return true;
}

static bool join_all(struct heddle_planner *p, bool of_scans)
{
    struct heddle_plan *plan = p->plan;
    if (!p->policy->fusion || plan->bytes < (double)heddle__thresholds.worth_joining) return true;
    for (int64_t s = 0; s + 1 < plan->n_steps; s++) {
        struct heddle_join c = {p, s, s + 1};
        if (!is_plain(plan, s)) continue;
        int64_t best = s + 1;
        bool worth = false;
        do {
            if (worth) best = c.to;
            if (c.to < plan->n_steps && !find_next(&c)) return false;
        } while (++c.to <= plan->n_steps && is_chain(&c, of_scans, &worth));
        c.to = best;
        if (p->failed) return false;
        if (c.to - c.from > 1 && !join(&c)) return false;
    }
    return true;
}

bool heddle__join_scans(struct heddle_planner *p)
{
    bool any = false;
    for (int64_t s = 0; s < p->plan->n_steps && !any; s++)
        any = p->plan->steps[s].family->as_launch != NULL;
    return !any || join_all(p, true);
}

bool heddle__join_rows(struct heddle_planner *p)
{
    return join_all(p, false);
}
