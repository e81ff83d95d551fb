/* A plan as text, for people and for tests. Entry point: heddle__plan_text. Lines are stable: the same
 * plan always prints the same. */
#include "base/memory.h"
#include "plan/planner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *data;
    int64_t n, room;
    bool failed;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const int64_t length = n < (int)sizeof line ? n : (int)sizeof line - 1;
    if (t->failed || !heddle__grow(&t->data, 1, t->n + length + 1, &t->room)) {
        t->failed = true;
        return;
    }
    memcpy(t->data + t->n, line, (size_t)length + 1);
    t->n += length;
}

static void put_bytes(struct text *t, double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    int u = 0;
    for (; bytes >= 1000 && u < 4; u++) bytes /= 1000;
    put(t, bytes == (double)(int64_t)bytes ? "%.0f %s" : "%.3g %s", bytes, units[u]);
}

static void put_shape(struct text *t, int ndim, const int64_t *shape)
{
    put(t, "(");
    for (int d = 0; d < ndim; d++)
        put(t, "%lld%s", (long long)shape[d], d + 1 < ndim ? ", " : ndim == 1 ? "," : "");
    put(t, ")");
}

static void put_array(struct text *t, const struct heddle_plan *plan, int32_t i)
{
    static const char letters[] = {'i', 'r', 't'};
    const struct heddle_plan_array *a = &plan->arrays[i];
    put(t, "%c%d", letters[a->role], a->role == HEDDLE_ROLE_TEMPORARY ? i : a->index);
}

static void put_instr(struct text *t, const struct heddle_program *p, int i)
{
    const struct heddle_instr *in = &p->instrs[i];
    const char *dtype = heddle_dtype_name(in->result);
    put(t, "      %%%d = ", i);
    switch (in->code) {
    case HEDDLE_CODE_LOAD: put(t, "load $%d", in->a); break;
    case HEDDLE_CODE_CONSTANT: put(t, "constant #%d", in->a); break;
    case HEDDLE_CODE_INDEX: put(t, "index axis %d", in->a); break;
    case HEDDLE_CODE_CAST: put(t, "cast %%%d", in->a); break;
    case HEDDLE_CODE_REDUCED: put(t, "%s", heddle__reductions[p->reductions[in->a].op].name); break;
    default: {
        const uint16_t args[3] = {in->a, in->b, in->c};
        put(t, "%s", heddle__ops[in->code].name);
        for (int k = 0; k < heddle__ops[in->code].arity; k++)
            put(t, "%s %%%d", k ? "," : "", args[k]);
    }
    }
    put(t, " : %s\n", dtype);
}

static void put_program(struct text *t, const struct heddle_program *p)
{
    put(t, "    program: %d instructions, %d operands\n", p->n_instrs, p->n_operands);
    for (int i = 0; i < p->n_instrs; i++) {
        if (i == p->n_before && p->n_reductions)
            for (int r = 0; r < p->n_reductions; r++)
                put(t, "      reduce %s %%%d %s\n", heddle__reductions[p->reductions[r].op].name,
                    p->reductions[r].value, p->sequential ? "in sequence" : "in lanes");
        put_instr(t, p, i);
    }
    for (int k = 0; k < p->n_stores; k++)
        put(t, "      store %%%d to $%d\n", p->stores[k].value, p->stores[k].operand);
}

static void put_step(struct text *t, const struct heddle_plan *plan, int64_t i)
{
    const struct heddle_plan_step *step = &plan->steps[i];
    double flops = 0, bytes = 0;
    int64_t n_calls = 0;
    for (int64_t k = 0; k < step->n_tasks; k++) {
        flops += plan->tasks[step->first_task + k].flops;
        bytes += plan->tasks[step->first_task + k].bytes;
        n_calls += plan->tasks[step->first_task + k].n_calls;
    }
    put(t, "  step %lld: %s  %d operation%s in %lld task%s", (long long)i, step->name,
        step->n_nodes, step->n_nodes == 1 ? "" : "s", (long long)step->n_tasks,
        step->n_tasks == 1 ? "" : "s");
    if (n_calls != step->n_tasks) put(t, ", %lld pieces", (long long)n_calls);
    put(t, "; ");
    put_bytes(t, bytes);
    put(t, ", %.3g Mflop\n", flops * 1e-6);
    if (step->program) put_program(t, step->program);
    for (int64_t k = 0; k < step->n_tasks && k < 4; k++) {
        const struct heddle_plan_task *task = &plan->tasks[step->first_task + k];
        put(t, "    task %lld:", (long long)(step->first_task + k));
        for (int64_t u = task->first_use; u < task->first_use + task->n_uses; u++) {
            static const char *const modes[] = {"", "reads", "writes", "updates"};
            put(t, " %s ", modes[plan->uses[u].mode]);
            put_array(t, plan, plan->uses[u].array);
            if (plan->arrays[plan->uses[u].array].grid->n_parts > 1)
                put(t, "[%d]", plan->uses[u].part);
        }
        put(t, "\n");
    }
    if (step->n_tasks > 4) put(t, "    ... %lld more\n", (long long)step->n_tasks - 4);
}

enum heddle_status heddle__plan_text(const struct heddle_plan *plan, char **text)
{
    struct text t = {0};
    put(&t, "plan: %lld steps, %lld tasks, %s; ", (long long)plan->n_steps,
        (long long)plan->n_tasks, plan->run_inline ? "on the caller's thread" : "by StarPU");
    put_bytes(&t, plan->bytes);
    put(&t, ", %.3g Mflop\n", plan->flops * 1e-6);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        static const char *const roles[] = {"input", "result", "temporary"};
        const struct heddle_plan_array *a = &plan->arrays[i];
        put(&t, "  ");
        put_array(&t, plan, i);
        put(&t, ": %s %s ", roles[a->role], heddle_dtype_name(a->dtype));
        put_shape(&t, a->grid->ndim, a->grid->shape);
        if (a->same_as >= 0) {
            put(&t, ", the data of ");
            put_array(&t, plan, a->same_as);
        } else if (a->grid->n_parts > 1) {
            put(&t, ", %lld parts ", (long long)a->grid->n_parts);
            put_shape(&t, a->grid->ndim, a->grid->n);
        }
        put(&t, "\n");
    }
    for (int64_t i = 0; i < plan->n_steps; i++) put_step(&t, plan, i);
    if (t.failed) {
        heddle__free(t.data);
        return heddle__fail(HEDDLE_ENOMEM, "heddle_explain: no memory for the text");
    }
    *text = t.data;
    return HEDDLE_OK;
}
