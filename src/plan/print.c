/* A plan as text, for people and for tests. Entry point: heddle__plan_text. Lines are stable: the same
 * plan always prints the same. */
#include "plan/print.h"

#include "base/text.h"
#include "plan/programs.h"
#include "rows.h"

static void put_shape(struct heddle_text *t, int ndim, const int64_t *shape)
{
    heddle__text_put(t, "(");
    for (int d = 0; d < ndim; d++)
        heddle__text_put(t, "%lld%s", (long long)shape[d],
                         d + 1 < ndim ? ", "
                         : ndim == 1  ? ","
                                      : "");
    heddle__text_put(t, ")");
}

static void put_array(struct heddle_text *t, const struct heddle_plan *plan, int32_t i)
{
    static const char letters[] = {'i', 'r', 't'};
    const struct heddle_plan_array *a = &plan->arrays[i];
    heddle__text_put(t, "%c%d", letters[a->role], a->role == HEDDLE_ROLE_TEMPORARY ? i : a->index);
}

/* Where the parts live: "at gpu:0..7", or runs: "at gpu:0 x4, cpu:0 x2". */
static void put_places(struct heddle_text *t, const struct heddle_grid *grid)
{
    enum { MAX_RUNS = 8 };
    char name[HEDDLE_PLACE_NAME_MAX];
    if (!grid->place) return;
    const heddle_place first = grid->place[0];
    int64_t i = 1;
    while (first != HEDDLE_ANYWHERE && i < grid->n_parts && grid->place[i] == first + i) i++;
    heddle__text_put(t, " at %s", heddle_place_name(first, name));
    if (i == grid->n_parts) {
        const heddle_place last = grid->place[i - 1];
        if (i > 1)
            heddle__text_put(
                t, "..%d", last - (last < HEDDLE_PLACE_GPU ? HEDDLE_PLACE_CPU : HEDDLE_PLACE_GPU));
        return;
    }
    int n_runs = 0;
    for (int64_t from = 0, to; from < grid->n_parts; from = to) {
        for (to = from + 1; to < grid->n_parts && grid->place[to] == grid->place[from]; to++)
            continue;
        if (n_runs > 0) heddle__text_put(t, ", %s", heddle_place_name(grid->place[from], name));
        if (to - from > 1) heddle__text_put(t, " x%lld", (long long)(to - from));
        if (++n_runs == MAX_RUNS && to < grid->n_parts) {
            heddle__text_put(t, ", ...");
            return;
        }
    }
}

static void put_instr(struct heddle_text *t, const struct heddle_program *p, int i)
{
    const struct heddle_instr *in = &p->instrs[i];
    const char *dtype = heddle_dtype_name(in->result);
    heddle__text_put(t, "      %%%d = ", i);
    switch (in->code) {
    case HEDDLE_CODE_LOAD: heddle__text_put(t, "load $%d", in->a); break;
    case HEDDLE_CODE_CONSTANT: heddle__text_put(t, "constant #%d", in->a); break;
    case HEDDLE_CODE_INDEX: heddle__text_put(t, "index axis %d", in->a); break;
    case HEDDLE_CODE_CAST: heddle__text_put(t, "cast %%%d", in->a); break;
    case HEDDLE_CODE_CHECKED:
        heddle__text_put(t, "index %%%d of %%%d checked", in->a, in->b);
        break;
    case HEDDLE_CODE_LOAD_AT: heddle__text_put(t, "load $%d at %%%d", in->b, in->a); break;
    case HEDDLE_CODE_REDUCED:
        heddle__text_put(t, "%s", heddle__reductions[p->reductions[in->a].op].name);
        break;
    default: {
        const uint16_t args[3] = {in->a, in->b, in->c};
        heddle__text_put(t, "%s", heddle__ops[in->code].name);
        for (int k = 0; k < heddle__ops[in->code].arity; k++)
            heddle__text_put(t, "%s %%%d", k ? "," : "", args[k]);
    }
    }
    heddle__text_put(t, " : %s\n", dtype);
}

static void put_program(struct heddle_text *t, const struct heddle_program *p)
{
    heddle__text_put(t, "    program: %d instructions, %d operands\n", p->n_instrs, p->n_operands);
    for (int i = 0; i < p->n_instrs; i++) {
        if (i == p->n_before && p->n_reductions)
            for (int r = 0; r < p->n_reductions; r++)
                heddle__text_put(
                    t, "      reduce %s %%%d %s\n", heddle__reductions[p->reductions[r].op].name,
                    p->reductions[r].value, p->sequential ? "in sequence" : "in lanes");
        put_instr(t, p, i);
    }
    if (p->scan) heddle__text_put(t, "      scan %s\n", heddle__scan_names[p->scan - 1]);
    for (int k = 0; k < p->n_stores; k++)
        heddle__text_put(t, "      store %%%d to $%d\n", p->stores[k].value, p->stores[k].operand);
}

/* What follows the step's program over the same rows (rows.h); NULL: nothing. */
static const struct heddle_launch *chain_of(const struct heddle_plan *plan,
                                            const struct heddle_plan_step *step)
{
    if (step->family != &heddle__program_family || !step->program || step->n_tasks == 0)
        return NULL;
    const struct heddle_launch *first =
        plan->calls[plan->tasks[step->first_task].first_call].arguments;
    return first->next;
}

static void put_step(struct heddle_text *t, const struct heddle_plan *plan, int64_t i)
{
    const struct heddle_plan_step *step = &plan->steps[i];
    double flops = 0, bytes = 0;
    int64_t n_calls = 0;
    for (int64_t k = 0; k < step->n_tasks; k++) {
        flops += plan->tasks[step->first_task + k].flops;
        bytes += plan->tasks[step->first_task + k].bytes;
        n_calls += plan->tasks[step->first_task + k].n_calls;
    }
    heddle__text_put(t, "  step %lld: %s  %d operation%s in %lld task%s", (long long)i, step->name,
                     step->n_nodes, step->n_nodes == 1 ? "" : "s", (long long)step->n_tasks,
                     step->n_tasks == 1 ? "" : "s");
    if (n_calls != step->n_tasks) heddle__text_put(t, ", %lld pieces", (long long)n_calls);
    heddle__text_put(t, "; ");
    heddle__text_put_bytes(t, bytes);
    heddle__text_put(t, ", %.3g Mflop\n", flops * 1e-6);
    if (step->program) put_program(t, step->program);
    for (const struct heddle_launch *l = chain_of(plan, step); l; l = l->next)
        put_program(t, l->program);
    for (int64_t k = 0; k < step->n_tasks && k < 4; k++) {
        const struct heddle_plan_task *task = &plan->tasks[step->first_task + k];
        char place[HEDDLE_PLACE_NAME_MAX];
        heddle__text_put(t, "    task %lld", (long long)(step->first_task + k));
        if (task->place != HEDDLE_ANYWHERE)
            heddle__text_put(t, " at %s", heddle_place_name(task->place, place));
        heddle__text_put(t, ":");
        for (int64_t u = task->first_use; u < task->first_use + task->n_uses; u++) {
            static const char *const modes[] = {"", "reads", "writes", "updates"};
            const uint8_t mode = plan->uses[u].mode;
            heddle__text_put(t, " %s ", mode & HEDDLE_COMMUTE ? "adds to" : modes[mode]);
            put_array(t, plan, plan->uses[u].array);
            if (plan->arrays[plan->uses[u].array].grid->n_parts > 1)
                heddle__text_put(t, "[%d]", plan->uses[u].part);
        }
        heddle__text_put(t, "\n");
    }
    if (step->n_tasks > 4) heddle__text_put(t, "    ... %lld more\n", (long long)step->n_tasks - 4);
}

enum heddle_status heddle__plan_text(const struct heddle_plan *plan, char **text)
{
    struct heddle_text t = {0};
    heddle__text_put(&t, "plan: %lld steps, %lld tasks, %s; ", (long long)plan->n_steps,
                     (long long)plan->n_tasks,
                     plan->run_inline ? "on the caller's thread"
                     : plan->order    ? "by StarPU, few at a time"
                                      : "by StarPU");
    heddle__text_put_bytes(&t, plan->bytes);
    heddle__text_put(&t, ", %.3g Mflop\n", plan->flops * 1e-6);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        static const char *const roles[] = {"input", "result", "temporary"};
        const struct heddle_plan_array *a = &plan->arrays[i];
        heddle__text_put(&t, "  ");
        put_array(&t, plan, i);
        heddle__text_put(&t, ": %s ", roles[a->role]);
        if (a->dtype == HEDDLE_DTYPE_NONE)
            heddle__text_put(&t, "%d-byte ", a->element_bytes);
        else
            heddle__text_put(&t, "%s ", heddle_dtype_name(a->dtype));
        put_shape(&t, a->grid->ndim, a->grid->shape);
        if (a->owner != i) {
            if (a->runs)
                heddle__text_put(&t, ", %lld parts of", (long long)a->grid->n_parts);
            else
                heddle__text_put(&t, a->seen ? ", seen in" : ", the data of");
            heddle__text_put(&t, " ");
            put_array(&t, plan, a->owner);
        } else if (a->grid->n_parts > 1) {
            heddle__text_put(&t, ", %lld parts ", (long long)a->grid->n_parts);
            put_shape(&t, a->grid->ndim, a->grid->n);
        }
        if (a->owner == i || !heddle__grid_equal(a->grid, plan->arrays[a->owner].grid))
            put_places(&t, a->grid);
        heddle__text_put(&t, "\n");
    }
    for (int64_t i = 0; i < plan->n_steps; i++) put_step(&t, plan, i);
    return heddle__text_end(&t, "heddle_explain", text);
}
