/* What a plan holds beside steps and tasks: arrays, constants of its own, programs and their names.
 * Entry points: planner.h. */
#include "array/storage.h"
#include "base/memory.h"
#include "plan/build/planner.h"

#include <stdio.h>

/* ---- Arrays -------------------------------------------------------------------------------------- */

static int32_t add(struct heddle_planner *p, const struct heddle_plan_array *array)
{
    struct heddle_plan *plan = p->plan;
    int64_t room = p->array_room;
    if (!array->grid || !heddle__plan_may_grow(p) ||
        !heddle__grow(&p->one_part, sizeof *p->one_part, plan->n_arrays + 1, &room) ||
        !heddle__grow(&plan->arrays, sizeof *plan->arrays, plan->n_arrays + 1, &p->array_room)) {
        heddle__grid_release(array->grid);
        p->failed = true;
        return -1;
    }
    p->one_part[plan->n_arrays] = array->grid->n_parts == 1 ? plan->n_arrays : -1;
    plan->arrays[plan->n_arrays] = *array;
    plan->arrays[plan->n_arrays].owner = plan->n_arrays;
    plan->arrays[plan->n_arrays].kept_as = -1;
    return plan->n_arrays++;
}

int32_t heddle__plan_add_array(struct heddle_planner *p, enum heddle_plan_role role, int32_t index,
                               enum heddle_dtype dtype, struct heddle_grid *grid)
{
    return add(p, &(struct heddle_plan_array){.role = role,
                                              .index = index,
                                              .dtype = (uint8_t)dtype,
                                              .element_bytes = (int32_t)heddle_dtype_size(dtype),
                                              .grid = grid});
}

int32_t heddle__plan_add_opaque(struct heddle_planner *p, int32_t element_bytes,
                                struct heddle_grid *grid)
{
    return add(p, &(struct heddle_plan_array){.role = HEDDLE_ROLE_TEMPORARY,
                                              .index = -1,
                                              .dtype = HEDDLE_DTYPE_NONE,
                                              .element_bytes = element_bytes,
                                              .grid = grid});
}

int32_t heddle__plan_add_like(struct heddle_planner *p, int32_t like, struct heddle_grid *grid)
{
    const struct heddle_plan_array a = p->plan->arrays[like];
    return add(p, &(struct heddle_plan_array){.role = HEDDLE_ROLE_TEMPORARY,
                                              .index = -1,
                                              .dtype = a.dtype,
                                              .element_bytes = a.element_bytes,
                                              .grid = grid});
}

enum heddle_dtype heddle__moved_as(const struct heddle_plan_array *a)
{
    if (a->dtype != HEDDLE_DTYPE_NONE) return (enum heddle_dtype)a->dtype;
    switch (a->element_bytes) {
    case 1: return HEDDLE_UINT8;
    case 2: return HEDDLE_UINT16;
    case 4: return HEDDLE_UINT32;
    case 8: return HEDDLE_UINT64;
    default: return HEDDLE_COMPLEX128;
    }
}

struct heddle_grid *heddle__auto_grid(struct heddle_planner *p, int ndim, const int64_t *shape)
{
    return heddle__auto_grid_of(p, ndim, shape, &(const struct heddle_demand){0});
}

struct heddle_grid *heddle__auto_grid_of(struct heddle_planner *p, int ndim, const int64_t *shape,
                                         const struct heddle_demand *demand)
{
    return p->run_inline ? heddle__grid_one(ndim, shape)
                         : heddle__grid_auto(ndim, shape, p->policy, p->spread, p->share, demand);
}

bool heddle__is_uncut(const struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    return v->node->kind == HEDDLE_NODE_DATA && v->array < 0 && !v->grid && !p->run_inline &&
           !heddle__storage_grid(v->node->storage) && heddle__storage_on_host(v->node->storage);
}

static void note_storage(struct heddle_planner *p, const struct heddle_value *v, bool fresh)
{
    if (v->array < 0) return;
    struct heddle_plan_array *a = &p->plan->arrays[v->array];
    a->on_host = heddle__storage_on_host(v->node->storage);
    a->is_file = heddle__storage_is_file(v->node->storage);
    a->fresh = fresh;
}

int32_t heddle__array_of(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    if (v->array < 0 && v->node->kind == HEDDLE_NODE_OUTPUT) {
        const int32_t of = p->values[v->node->in[0]->mark_slot].canonical;
        if (p->values[of].outputs) v->array = p->values[of].outputs[v->node->op];
    }
    if (v->array >= 0 || v->node->kind != HEDDLE_NODE_DATA) return v->array;
    const heddle_array *a = v->node;
    struct heddle_grid *grid = heddle__storage_grid(a->storage);
    bool fits = grid && grid->ndim == a->ndim;
    for (int d = 0; fits && d < a->ndim; d++) fits = grid->shape[d] == a->shape[d];
    if (!grid && v->grid)
        grid = heddle__grid_retain(v->grid);
    else if (fits)
        grid = heddle__grid_retain(grid);
    else /* a storage in one part may hold arrays of several shapes */
        grid = grid ? heddle__grid_one(a->ndim, a->shape) : heddle__auto_grid(p, a->ndim, a->shape);
    const bool fresh = heddle__is_uncut(p, at);
    v->array = heddle__plan_add_array(p, HEDDLE_ROLE_INPUT, v->leaf, a->dtype, grid);
    note_storage(p, v, fresh);
    return v->array;
}

int32_t heddle__array_to_load(struct heddle_planner *p, int32_t at)
{
    struct heddle_value *v = &p->values[at];
    if (p->policy->n_gpus == 0 && heddle__is_uncut(p, at) &&
        heddle__storage_is_file(v->node->storage))
        return heddle__cut_leaf(p, at, heddle__grid_one(v->node->ndim, v->node->shape));
    return heddle__array_of(p, at);
}

int32_t heddle__cut_leaf(struct heddle_planner *p, int32_t at, struct heddle_grid *grid)
{
    struct heddle_value *v = &p->values[at];
    v->array = heddle__plan_add_array(p, HEDDLE_ROLE_INPUT, v->leaf, v->node->dtype, grid);
    note_storage(p, v, true);
    return v->array;
}

void heddle__make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid)
{
    struct heddle_value *v = &p->values[at];
    const enum heddle_plan_role role = v->result >= 0 ? HEDDLE_ROLE_RESULT : HEDDLE_ROLE_TEMPORARY;
    v->array =
        heddle__plan_add_array(p, role, v->result, v->node->dtype, heddle__grid_retain(grid));
}

void heddle__make_output_array(struct heddle_planner *p, int32_t at, int i, enum heddle_dtype dtype,
                               struct heddle_grid *grid)
{
    struct heddle_value *v = &p->values[at];
    const int n = heddle__n_outputs(heddle__family_of(v->node));
    if (!v->outputs) {
        v->outputs = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *v->outputs);
        for (int k = 0; k < n && v->outputs; k++) v->outputs[k] = -1;
    }
    if (!v->outputs) {
        p->failed = true;
        return;
    }
    /* all outputs are results, one after the other, if it is one */
    const int32_t result =
        v->result >= 0 && p->walk->results[v->result].output == 0 ? v->result + i : -1;
    v->outputs[i] =
        heddle__plan_add_array(p, result >= 0 ? HEDDLE_ROLE_RESULT : HEDDLE_ROLE_TEMPORARY, result,
                               dtype, heddle__grid_retain(grid));
    if (i == 0) v->array = v->outputs[0];
}

void heddle__share_array(struct heddle_plan *plan, int32_t array, int32_t from)
{
    plan->arrays[array].owner = plan->arrays[from].owner;
    plan->arrays[array].on_host = plan->arrays[from].on_host;
    plan->arrays[array].is_file = plan->arrays[from].is_file;
}

/* ---- Results ------------------------------------------------------------------------------------- */

/* An array under another shape gets the data of its owner, and what shares them: tasks name it. */
static void take_over(struct heddle_plan *plan, int32_t array)
{
    const int32_t owner = plan->arrays[array].owner;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].owner == owner) plan->arrays[i].owner = array;
    for (int64_t i = 0; i < plan->n_uses; i++)
        if (plan->uses[i].array == owner) plan->uses[i].array = array;
}

/* If a result is a temporary under another shape, makes the temporary the result; of several parts the result has the data,
 * since its storage must know its own parts. */
static int32_t promote(struct heddle_plan *plan, int32_t array)
{
    struct heddle_plan_array *a = &plan->arrays[array];
    if (a->owner == array || plan->arrays[a->owner].role != HEDDLE_ROLE_TEMPORARY) return array;
    if (a->grid->n_parts > 1) {
        take_over(plan, array);
        return array;
    }
    plan->arrays[a->owner].role = HEDDLE_ROLE_RESULT;
    plan->arrays[a->owner].index = a->index;
    a->role = HEDDLE_ROLE_TEMPORARY;
    return a->owner;
}

/* The array of a value, or of one of several outputs. */
static int32_t array_of_result(struct heddle_planner *p, const struct heddle_walk_result *r)
{
    const int32_t at = p->values[r->node->mark_slot].canonical;
    if (r->output < 0) return heddle__array_of(p, at);
    return p->values[at].outputs ? p->values[at].outputs[r->output] : -1;
}

bool heddle__name_results(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    for (int i = 0; i < plan->n_results; i++) {
        const int32_t array = array_of_result(p, &p->walk->results[i]);
        if (array < 0) return false;
        if (plan->arrays[array].role == HEDDLE_ROLE_RESULT && plan->arrays[array].index == i) {
            plan->results[i] = promote(plan, array);
            continue;
        }
        plan->results[i] =
            heddle__plan_add_array(p, HEDDLE_ROLE_RESULT, i, plan->arrays[array].dtype,
                                   heddle__grid_retain(plan->arrays[array].grid));
        if (plan->results[i] < 0) return false;
        heddle__share_array(plan, plan->results[i], array);
    }
    return true;
}

/* ---- Constants and programs ---------------------------------------------------------------------- */

uint32_t heddle__plan_literal(struct heddle_planner *p, int64_t value)
{
    struct heddle_plan *plan = p->plan;
    for (int32_t i = 0; i < plan->n_literals; i++)
        if (plan->literals[i].i64 == value) return (uint32_t)(plan->n_constants + i);
    if (!heddle__grow(&plan->literals, sizeof *plan->literals, plan->n_literals + 1,
                      &p->literal_room)) {
        p->failed = true;
        return 0;
    }
    plan->literals[plan->n_literals] = (union heddle_scalar){.c128 = {0, 0}};
    plan->literals[plan->n_literals].i64 = value;
    return (uint32_t)(plan->n_constants + plan->n_literals++);
}

const struct heddle_program *heddle__plan_program(struct heddle_planner *p,
                                                  struct heddle_builder *b)
{
    if (!heddle__grow(&p->programs, sizeof *p->programs, p->n_programs + 1, &p->program_room)) {
        p->failed = true;
        return NULL;
    }
    const struct heddle_program *program = heddle__build_finish(b);
    if (program)
        p->programs[p->n_programs++] = program;
    else
        p->failed = true;
    return program;
}

void heddle__name_program(const struct heddle_program *program, char name[48])
{
    int order[3] = {0, 0, 0}, n_shown = 0, n_ops = 0;
    for (int i = 0; i < program->n_instrs; i++) {
        const int code = program->instrs[i].code;
        if (code >= HEDDLE_N_OPS && code != HEDDLE_CODE_CAST) continue;
        n_ops++;
        bool known = code == HEDDLE_CODE_CAST;
        for (int k = 0; k < n_shown; k++) known = known || order[k] == code;
        if (known) continue;
        int k = n_shown < 2 ? n_shown++ : 1;
        if (n_shown == 2 && k == 1 && order[1] &&
            heddle__ops[order[1]].flops >= heddle__ops[code].flops)
            continue;
        order[k] = code;
    }
    int at = 0;
    name[0] = 0;
    for (int k = 0; k < n_shown; k++)
        at += snprintf(name + at, (size_t)(48 - at), "%s%s", k ? "," : "",
                       heddle__ops[order[k]].name);
    if (n_ops > n_shown) at += snprintf(name + at, (size_t)(48 - at), "+%d", n_ops - n_shown);
    if (n_ops == 0 && program->n_reductions == 0)
        snprintf(name, 48, "%s", program->n_constants ? "fill" : "copy");
    for (int r = 0; r < program->n_reductions && at < 40; r++)
        at += snprintf(name + at, (size_t)(48 - at), "%s%s", at ? ">" : "",
                       heddle__reductions[program->reductions[r].op].name);
}
