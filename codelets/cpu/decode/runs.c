/* Decodes a section whose cheap operations are compiled: a step for each run, in the order of the plan (compiled/plan.h).
 * What lies between operations of a run has no register. Entry points: heddle__decode_find_plan, heddle__decode_plan. */
#include "cpu/decode/decode.h"

#include <string.h>

enum { HEAVY_ROW = 256 /* elements, of loops with functions */, LEAST_ROW_BYTES = 128 };

/* ---- The plan -------------------------------------------------------------------------------------------- */

static bool is_element(const struct decoder *d, int i)
{
    return d->value[i].last != DEAD && d->value[i].level == ELEMENT;
}

/* Values are computed when their runs are, which count from 1; loads when they are needed, at first. */
static void set_times(struct decoder *d, int end)
{
    const struct heddle__plan *plan = d->plan;
    for (int i = 0; i < end; i++) {
        d->value[i].at = 0;
        d->value[i].is_dense = d->value[i].last == END;
        if (d->value[i].last != DEAD && d->value[i].last != END) d->value[i].last = 1;
    }
    for (int r = 0; r < plan->n_runs; r++) {
        const bool alone = !plan->runs[r].compiled;
        for (int k = 0; k < plan->runs[r].n; k++) {
            const int i = plan->items[plan->runs[r].first + k];
            const struct heddle_instr *in = &d->instrs[i];
            const uint16_t operand[3] = {in->a, in->b, in->c};
            d->value[i].at = (uint16_t)(r + 1);
            d->value[i].is_dense = alone;
            for (int j = 0; j < heddle__decode_arity(in); j++) {
                struct value *v = &d->value[operand[j]];
                if (v->last != END) v->last = (uint16_t)(r + 1);
                v->is_dense |= alone;
            }
        }
    }
}

/* Whether a block is rows along the last axis, one for each index of axis `first`. */
static bool has_rows(const struct heddle__walk *walk)
{
    return !walk->padded && walk->first < walk->ndim - 1 && walk->inner >= SHORT_ROW &&
           walk->inner == walk->extent[walk->ndim - 1];
}

/* Whether a block's compiled loops go row by row where one number is the same for a row: rows are so long that what remains of them behind
 * whole vectors costs less than to repeat the number, of so many bytes. */
static bool has_long_rows(const struct decoder *d, int64_t size)
{
    const struct heddle__walk *walk = d->code->walk;
    return has_rows(walk) && walk->inner >= (d->is_heavy ? HEAVY_ROW : SHORT_ROW) &&
           walk->inner * size >= LEAST_ROW_BYTES;
}

/* Whether load i, or index i, is one number for a row of a block, and another for the next row. */
static bool is_flat(const struct decoder *d, int i)
{
    const struct heddle__walk *walk = d->code->walk;
    const struct heddle_instr *in = &d->instrs[i];
    if (!is_element(d, i) ||
        !has_long_rows(d, (int64_t)heddle_dtype_size((enum heddle_dtype)in->result)))
        return false;
    return in->code == HEDDLE_CODE_LOAD    ? walk->stride[in->a][walk->ndim - 1] == 0
           : in->code == HEDDLE_CODE_INDEX ? walk->axis[in->a] == walk->first
                                           : false;
}

/* Whether index i counts along each row of a block, or along all of it. */
static bool counts(const struct decoder *d, int i)
{
    const struct heddle__walk *walk = d->code->walk;
    const int last = walk->ndim - 1;
    return d->instrs[i].code == HEDDLE_CODE_INDEX && is_element(d, i) && !walk->padded &&
           walk->axis[d->instrs[i].a] == last &&
           (walk->first == last || has_long_rows(d, sizeof(int64_t)));
}

/* Whether bytes are widened to 4 bytes and more: then loops that take them apart themselves have too many vectors. */
static bool is_widened(const struct decoder *d, int i, int end)
{
    bool is = false;
    for (int k = i + 1; k < end; k++)
        is |= d->instrs[k].code == HEDDLE_CODE_CAST && d->instrs[k].a == i &&
              heddle_dtype_size((enum heddle_dtype)d->instrs[k].result) >= 4;
    return is && heddle_dtype_size((enum heddle_dtype)d->instrs[i].result) == 1;
}

/* How far the elements of load i are from each other along the last axis, if compiled runs may read them where they are: a block's are one
 * run, or rows of one each, close enough for one line of the cache to have several, or several loads of the same records to have one.
 * Panels, and squares of rows that lie beside each other, bring lines once for several rows, and what is the same in every block is brought
 * together once. Else 0. */
static int8_t step_of(const struct decoder *d, int i, int end)
{
    enum { MOST = 16, MOST_BYTES = 2 * HEDDLE_CACHE_LINE };
    const struct heddle__walk *walk = d->code->walk;
    const int last = walk->ndim - 1, first = walk->first;
    if (d->instrs[i].code != HEDDLE_CODE_LOAD || !is_element(d, i) || walk->padded ||
        walk->near >= 0)
        return 0;
    const int o = d->instrs[i].a;
    const int64_t *const stride = walk->stride[o];
    const int64_t step = stride[last], most = MOST_BYTES / d->code->size[o];
    const bool is_beside = stride[first] < step && stride[first] > -step;
    if (first != last &&
        (!has_rows(walk) || is_beside || !heddle__walk_moves(walk, o, 0, first + 1)))
        return 0;
    if (step == -1) return -1;
    return (int8_t)(step > 1 && step <= MOST && step <= most && !is_widened(d, i, end) ? step : 0);
}

/* Which loads have rows that are other loads' rows further down. */
static void find_shifts(const struct decoder *d, struct heddle__section *section, int end)
{
    const struct heddle__walk *walk = d->code->walk;
    section->has_shifts = false;
    if (!has_rows(walk) || !heddle__walk_has_shifts(walk, d->launch)) return;
    section->has_shifts = true;
    memset(section->shift, 0, sizeof section->shift);
    for (int i = 0; i < end; i++) {
        struct heddle__shift *const shift = &section->shift[i];
        shift->of = (uint8_t)i;
        if (d->instrs[i].code != HEDDLE_CODE_LOAD || !is_element(d, i)) continue;
        for (int j = 0; j < i && shift->of == i; j++)
            if (d->instrs[j].code == HEDDLE_CODE_LOAD && is_element(d, j) &&
                section->shift[j].of == j &&
                heddle__walk_shift(walk, d->launch, d->instrs[j].a, d->instrs[i].a, &shift->down,
                                   &shift->along))
                shift->of = (uint8_t)j;
    }
}

/* The section's form; d->plan: what is compiled of it, if that is there. */
static struct heddle__form *find_form(struct decoder *d, const struct heddle__section *section)
{
    struct heddle__form *const form = heddle__form_find(section, d->code->blocks->isa);
    d->plan = form ? heddle__form_ready(form, &d->functions) : NULL;
    return form;
}

void heddle__decode_find_plan(struct decoder *d, int end)
{
    struct heddle__section section; /* only what is used is set */
    d->is_heavy = false;
    for (int i = 0; i < end; i++)
        d->is_heavy = d->is_heavy || heddle__function_in_loops(&d->instrs[i]).name;
    section.program = d->launch->program;
    section.end = end;
    section.reduce = d->reduce;
    section.folds = section.tree = section.lanes = false;
    memset(section.step, 0, sizeof section.step);
    bool by_rows = false;
    d->counts = false;
    for (int from = 0; from < end; from += 64) {
        uint64_t moving = 0, flat = 0, counting = 0;
        for (int i = from; i < end && i < from + 64; i++) {
            moving |= (uint64_t)is_element(d, i) << (i - from);
            flat |= (uint64_t)is_flat(d, i) << (i - from);
            counting |= (uint64_t)counts(d, i) << (i - from);
            section.step[i] = step_of(d, i, end);
        }
        section.moving[from / 64] = moving;
        section.flat[from / 64] = flat;
        section.counts[from / 64] = counting;
        d->counts = d->counts || counting;
        by_rows = by_rows || flat || (counting && has_rows(d->code->walk));
    }
    d->plan = NULL;
    find_shifts(d, &section, end);
    struct heddle__form *const together = section.has_shifts ? find_form(d, &section) : NULL;
    const bool takes_rows = d->plan;
    section.has_shifts = false;
    /* until there is a loop that takes rows together, the usual one serves */
    struct heddle__form *const usual = takes_rows ? NULL : find_form(d, &section);
    d->code->form = takes_rows ? NULL : d->plan ? together : usual;
    d->code->together = d->plan && d->plan->together;
    d->code->by_rows = d->plan && by_rows;
    if (d->plan) set_times(d, end);
}

/* ---- Rows and columns --------------------------------------------------------------------------------------- */

/* Whether value i can lie in rows, as it does in the operand, or (flat) is one number for each: compiled runs alone read and write it. In
 * columns rows have one element. */
bool heddle__decode_is_in_rows(const struct decoder *d, int i, int operand)
{
    const struct heddle__walk *walk = d->code->walk;
    if (!d->plan || d->value[i].is_dense || walk->padded) return false;
    return d->columns || is_flat(d, i) ||
           (has_rows(walk) && walk->stride[operand][walk->ndim - 1] == 1);
}

bool heddle__decode_has_step(const struct decoder *d, int i)
{
    return d->plan && d->plan->step[i];
}

enum index_form heddle__decode_index_form(const struct decoder *d, int i)
{
    if (!d->plan || d->value[i].is_dense) return INDEX_OF_ELEMENTS;
    return counts(d, i) ? INDEX_OF_FIRST : is_flat(d, i) ? INDEX_OF_ROWS : INDEX_OF_ELEMENTS;
}

/* Whether the section's elements are far from each other in all operands that move along the last axis: then it takes less to
 * compute them one by one, where they lie, than to bring them together. */
bool heddle__decode_is_in_columns(const struct decoder *d)
{
    const struct heddle__code *code = d->code;
    const struct heddle__walk *walk = code->walk;
    const int last = walk->ndim - 1;
    if (!d->plan || d->reduce || d->counts || walk->first != last || walk->near >= 0) return false;
    for (uint32_t rest = code->operands; rest; rest &= rest - 1) {
        const int o = __builtin_ctz(rest);
        const int64_t step = walk->stride[o][last] * code->size[o];
        if (step > -HEDDLE_CACHE_LINE && step < HEDDLE_CACHE_LINE && step != 0) return false;
    }
    return true;
}

/* ---- Steps ----------------------------------------------------------------------------------------------- */

/* One loop for all of the run's operations. */
static void decode_run(struct decoder *d, const struct heddle__run *run,
                       heddle__run_function *function)
{
    struct heddle__code *code = d->code;
    const uint16_t *const map = d->plan->map + run->map;
    for (int k = 0; k < run->n; k++) { /* what is in registers costs a part of what is in blocks */
        const int op = d->instrs[d->plan->items[run->first + k]].code;
        code->weight += 0.3 * (op < HEDDLE_N_OPS ? (double)heddle__ops[op].flops : 1);
    }
    for (int k = 0; k < run->n_outputs; k++) heddle__decode_place(d, map[run->n_inputs + k]);
    for (int k = 0; k < run->n_inputs; k++)
        if (d->value[map[k]].last == d->now) heddle__decode_release(d, map[k]);
    code->steps[code->n_steps++] =
        (struct heddle__step){.run = function, .x = run->map, .kind = STEP_RUN};
}

/* Loads and indices that a block brings together wait until a run needs them. */
static void decode_moves(struct decoder *d, const struct heddle__run *run, bool *waits)
{
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = &d->instrs[d->plan->items[run->first + k]];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        for (int j = 0; j < heddle__decode_arity(in); j++) {
            if (waits[operand[j]]) heddle__decode_instr(d, operand[j]);
            waits[operand[j]] = false;
        }
    }
}

void heddle__decode_plan(struct decoder *d, int end)
{
    heddle__run_function *const *functions = d->functions;
    const int64_t inner = d->code->walk->inner;
    bool waits[HEDDLE_MAX_INSTRS];
    d->now = 0;
    d->code->map = d->plan->map;
    d->code->n_pitches = (uint16_t)end;
    for (int i = 0; i < end; i++) {
        const int op = d->instrs[i].code;
        const bool load = op == HEDDLE_CODE_LOAD;
        waits[i] = false;
        d->code->pitch[i] =
            inner * (int64_t)heddle_dtype_size((enum heddle_dtype)d->instrs[i].result);
        if (d->value[i].last == DEAD) continue;
        waits[i] = is_element(d, i) &&
                   (op == HEDDLE_CODE_INDEX || (load && !heddle__decode_is_overwritten(d, i)));
        if (!waits[i] && (!is_element(d, i) || load || op == HEDDLE_CODE_REDUCED))
            heddle__decode_instr(d, i);
    }
    for (int r = 0; r < d->plan->n_runs; r++) {
        const struct heddle__run *run = &d->plan->runs[r];
        decode_moves(d, run, waits);
        d->now = r + 1;
        if (run->compiled)
            decode_run(d, run, *functions++);
        else
            heddle__decode_instr(d, d->plan->items[run->first]);
    }
    for (int i = 0; i < end; i++)
        if (waits[i]) heddle__decode_instr(d, i);
}
