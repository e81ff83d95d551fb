/* The choice of runs. Entry point: heddle__plan_runs. */
#include "cpu/compiled/plan.h"

#include "base/dtype.h"
#include "cpu/compiled/together.h"

#include <string.h>

/* ---- What is compiled ------------------------------------------------------------------------------------ */

static bool is_kind(int dtype, unsigned kinds)
{
    return (heddle__kind_bit((enum heddle_dtype)dtype) & kinds) != 0;
}

bool heddle__narrows(const struct heddle_instr *in)
{
    return in->code == HEDDLE_CODE_CAST && !heddle__is_half((enum heddle_dtype)in->dtype) &&
           is_kind(in->dtype, HEDDLE_KIND_F) &&
           is_kind(in->result, HEDDLE_KIND_I | HEDDLE_KIND_U) &&
           heddle_dtype_size((enum heddle_dtype)in->result) <
               heddle_dtype_size((enum heddle_dtype)in->dtype);
}

/* Conversions that vectors have: `wide`, those of all 8-byte integers, too. From floating to integer what is right for all numbers
 * costs more than to look first whether all of a block are small. A loop does so, too, if its results are narrower, so that it
 * can be done again: it is seldom that they take the place of its operands. */
static bool is_plain_cast(const struct heddle_instr *in, bool wide)
{
    const unsigned integers = HEDDLE_KIND_I | HEDDLE_KIND_U,
                   floating = HEDDLE_KIND_F | HEDDLE_KIND_C;
    if (heddle__is_half((enum heddle_dtype)in->dtype) ||
        heddle__is_half((enum heddle_dtype)in->result))
        return false;
    if (is_kind(in->dtype, floating)) return !is_kind(in->result, integers) || heddle__narrows(in);
    return wide || !is_kind(in->result, floating) ||
           heddle_dtype_size((enum heddle_dtype)in->dtype) < 8 ||
           (in->dtype == HEDDLE_INT64 && in->result == HEDDLE_FLOAT64);
}

const char *heddle__prepared(const struct heddle__section *section, const struct heddle_instr *in)
{
    if (in->code >= HEDDLE_N_OPS || !is_kind(in->dtype, HEDDLE_KIND_I | HEDDLE_KIND_U)) return NULL;
    switch (in->code) {
    case HEDDLE_OP_FLOOR_DIVIDE:
    case HEDDLE_OP_REMAINDER:
    case HEDDLE_OP_FMOD: return heddle__bit(section->moving, in->b) ? NULL : "divisor";
    case HEDDLE_OP_BITWISE_LEFT_SHIFT:
    case HEDDLE_OP_BITWISE_RIGHT_SHIFT: return heddle__bit(section->moving, in->b) ? NULL : "shift";
    default: return NULL;
    }
}

struct heddle__in_loops heddle__function_in_loops(const struct heddle_instr *in)
{
    const struct heddle__in_loops none = {NULL, false};
    if (in->dtype != HEDDLE_FLOAT32 && in->dtype != HEDDLE_FLOAT64) return none;
    switch (in->code) {
    case HEDDLE_OP_EXP: return (struct heddle__in_loops){"exp", true};
    case HEDDLE_OP_EXP2: return (struct heddle__in_loops){"exp2", true};
    case HEDDLE_OP_LOG: return (struct heddle__in_loops){"log", true};
    case HEDDLE_OP_LOG1P: return (struct heddle__in_loops){"log1p", true};
    case HEDDLE_OP_TANH:
        return in->dtype == HEDDLE_FLOAT32 ? (struct heddle__in_loops){"tanh", false} : none;
    default: return none;
    }
}

/* Whether vectors have all that the loop's version of a function needs, and none of the loops is without fused multiply-adds, as those of
 * complex numbers are. Folds have no strips to do again what is far, and to expect it everywhere takes longer than a pass of block functions. */
static bool is_in_loops(const struct heddle__section *section, enum heddle__level level)
{
    if (section->folds || level < HEDDLE__AVX2) return false;
    for (int i = 0; i < section->end; i++)
        if (is_kind(section->program->instrs[i].dtype, HEDDLE_KIND_C) ||
            is_kind(section->program->instrs[i].result, HEDDLE_KIND_C))
            return false;
    return true;
}

/* Operations that are as cheap as the loads and stores between them, and the exponentials, beside which loads, stores and divisions cost
 * nothing: other vector functions, draws and divisions of integers by many stay steps of their own. */
static bool is_cheap(const struct heddle__section *section, const struct heddle_instr *in,
                     enum heddle__level level)
{
    enum { CHEAP_FLOPS = 6 };
    const bool wide = level == HEDDLE__AVX512;
    if (heddle__function_in_loops(in).name) return is_in_loops(section, level);
    if (in->code == HEDDLE_CODE_CAST) return is_plain_cast(in, wide);
    if (heddle__prepared(section, in))
        return wide || heddle_dtype_size((enum heddle_dtype)in->dtype) < 8;
    if (in->code >= HEDDLE_N_OPS || heddle__ops[in->code].flops > CHEAP_FLOPS) return false;
    switch (in->code) {
    case HEDDLE_OP_LDEXP:
    case HEDDLE_OP_RANDOM_BELOW: return false; /* calls */
    case HEDDLE_OP_ABS:
    case HEDDLE_OP_SIGN:
    case HEDDLE_OP_SQRT: return !is_kind(in->dtype, HEDDLE_KIND_C);
    default: return !heddle__is_half((enum heddle_dtype)in->dtype);
    }
}

/* ---- The order ------------------------------------------------------------------------------------------- */

struct planner {
    struct heddle__plan *plan;
    const struct heddle__section *section;
    enum heddle__level level;
    bool done[HEDDLE_MAX_INSTRS];
    uint16_t last
        [HEDDLE_MAX_INSTRS]; /* run that uses the value last, counted from 1; END: it is a result */
    uint16_t seen[HEDDLE_MAX_INSTRS]; /* run that has the value in its map or among its items */
};
enum { END = UINT16_MAX };

static bool is_item(const struct heddle__section *s, int i)
{
    const int code = s->program->instrs[i].code;
    return heddle__bit(s->moving, i) &&
           (code < HEDDLE_N_OPS || code == HEDDLE_CODE_CAST || code == HEDDLE_CODE_CHECKED ||
            code == HEDDLE_CODE_LOAD_AT);
}

static bool is_ready(const struct planner *p, int i)
{
    const struct heddle_instr *in = &p->section->program->instrs[i];
    const uint16_t operand[3] = {in->a, in->b, in->c};
    for (int k = 0; k < heddle__instr_arity(in); k++)
        if (!p->done[operand[k]]) return false;
    return true;
}

/* Appends what is ready and cheap, or not cheap, and what that makes ready. */
static void append(struct planner *p, bool cheap)
{
    struct heddle__plan *plan = p->plan;
    const int first = plan->n_items;
    for (int i = 0; i < p->section->end; i++) {
        if (p->done[i] ||
            is_cheap(p->section, &p->section->program->instrs[i], p->level) != cheap ||
            !is_ready(p, i))
            continue;
        p->done[i] = true;
        plan->items[plan->n_items++] = (uint16_t)i;
        if (!cheap)
            plan->runs[plan->n_runs++] =
                (struct heddle__run){.first = (uint16_t)(plan->n_items - 1), .n = 1};
    }
    const int n = plan->n_items - first;
    if (cheap && n > 0)
        plan->runs[plan->n_runs++] =
            (struct heddle__run){.first = (uint16_t)first, .n = (uint16_t)n};
}

/* ---- Maps ------------------------------------------------------------------------------------------------ */

static void find_last(struct planner *p)
{
    const struct heddle_program *program = p->section->program;
    const struct heddle__plan *plan = p->plan;
    for (int r = 0; r < plan->n_runs; r++) {
        for (int k = 0; k < plan->runs[r].n; k++) {
            const struct heddle_instr *in = &program->instrs[plan->items[plan->runs[r].first + k]];
            const uint16_t operand[3] = {in->a, in->b, in->c};
            for (int j = 0; j < heddle__instr_arity(in); j++)
                p->last[operand[j]] = (uint16_t)(r + 1);
        }
    }
    if (p->section->reduce)
        for (int r = 0; r < program->n_reductions; r++) p->last[program->reductions[r].value] = END;
    else
        for (int s = 0; s < program->n_stores; s++) p->last[program->stores[s].value] = END;
}

static void map_run(struct planner *p, int number)
{
    struct heddle__plan *plan = p->plan;
    struct heddle__run *run = &plan->runs[number];
    const uint16_t mark = (uint16_t)(number + 1), *items = plan->items + run->first;
    run->map = (uint16_t)plan->n_map;
    for (int k = 0; k < run->n; k++) p->seen[items[k]] = mark;
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = &p->section->program->instrs[items[k]];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        for (int j = 0; j < heddle__instr_arity(in); j++) {
            if (p->seen[operand[j]] == mark) continue;
            p->seen[operand[j]] = mark;
            plan->map[plan->n_map++] = operand[j];
            run->n_inputs++;
        }
    }
    for (int k = 0; k < run->n && !p->section->folds; k++) {
        if (p->last[items[k]] <= mark) continue;
        plan->map[plan->n_map++] = items[k];
        run->n_outputs++;
    }
}

/* Whether one cheap run has all operations of a fold, and reductions are of values that it has, or that are loaded. */
static bool is_fold(const struct heddle__plan *plan, const struct heddle__section *section,
                    enum heddle__level level)
{
    const struct heddle_program *program = section->program;
    if (plan->n_runs > 1 || (plan->n_runs == 0 && !section->lanes)) return false;
    for (int k = 0; k < plan->n_items; k++) {
        const struct heddle_instr *in = &program->instrs[plan->items[k]];
        if (!is_cheap(section, in, level) || heddle__narrows(in)) return false;
    }
    return true;
}

static void map_fold(struct planner *p)
{
    enum { FEW_ITEMS = 12, GROUP = 4 };
    const struct heddle_program *program = p->section->program;
    struct heddle__plan *plan = p->plan;
    if (plan->n_runs == 0) /* what is loaded is added up */
        plan->runs[plan->n_runs++] = (struct heddle__run){.first = 0, .n = 0};
    plan->runs[0].compiled = true;
    map_run(p, 0);
    for (int r = 0; r < program->n_reductions; r++) {
        const uint16_t value = program->reductions[r].value;
        if (p->seen[value] == 1) continue;
        p->seen[value] = 1;
        plan->map[plan->n_map++] = value;
        plan->runs[0].n_inputs++;
    }
    plan->n_compiled = 1 + p->section->tree;
    plan->group = plan->n_items <= FEW_ITEMS && !p->section->lanes ? GROUP : 1;
}

/* Whether a loop reads a column sooner than a step brings it together: compilers gather elements of less than 4 bytes one by one, but those
 * that whole registers have at the same places. */
static bool is_soon_read(const struct heddle__section *section, int load)
{
    const int step = section->step[load];
    const size_t size = heddle_dtype_size((enum heddle_dtype)section->program->instrs[load].result);
    return step > 1 && (size >= 4 || step <= 4 || (step & (step - 1)) == 0);
}

/* Several operations are compiled, and one that would have a step bring the elements of columns together first. */
static void choose_compiled(const struct planner *p)
{
    const struct heddle__section *section = p->section;
    struct heddle__plan *plan = p->plan;
    for (int r = 0; r < plan->n_runs; r++) {
        struct heddle__run *run = &plan->runs[r];
        const struct heddle_instr *in = &section->program->instrs[plan->items[run->first]];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        run->compiled = run->n > 1;
        if (run->n > 1 || !is_cheap(section, in, p->level) || heddle__function_in_loops(in).name)
            continue;
        for (int j = 0; j < heddle__instr_arity(in); j++)
            run->compiled |= is_soon_read(section, operand[j]) && p->last[operand[j]] != END;
    }
}

/* Loads that other steps than compiled runs read are brought together for these. */
static void choose_steps(const struct planner *p)
{
    const struct heddle__section *section = p->section;
    struct heddle__plan *plan = p->plan;
    for (int i = 0; i < section->end; i++) plan->step[i] = p->last[i] == END ? 0 : section->step[i];
    for (int r = 0; r < plan->n_runs; r++) {
        const struct heddle_instr *in = &section->program->instrs[plan->items[plan->runs[r].first]];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        for (int j = 0; !plan->runs[r].compiled && j < heddle__instr_arity(in); j++)
            plan->step[operand[j]] = 0;
    }
}

void heddle__plan_runs(struct heddle__plan *plan, const struct heddle__section *section,
                       enum heddle__level level)
{
    struct planner p = {.plan = plan, .section = section, .level = level};
    int left = 0;
    plan->n_runs = plan->n_items = plan->n_map = plan->n_compiled = 0;
    plan->together = false;
    for (int i = 0; i < section->end; i++) {
        p.done[i] = !is_item(section, i);
        plan->step[i] = 0;
        left += !p.done[i];
    }
    while (plan->n_items < left) {
        append(&p, false);
        append(&p, true);
    }
    if (section->folds) {
        if (is_fold(plan, section, level)) map_fold(&p);
        return;
    }
    find_last(&p);
    choose_compiled(&p);
    choose_steps(&p);
    for (int r = 0; r < plan->n_runs; r++) {
        if (!plan->runs[r].compiled) continue;
        map_run(&p, r);
        plan->n_compiled++;
    }
    plan->together = heddle__is_together(section, plan);
}
