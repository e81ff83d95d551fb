/* Steps, tasks, uses, calls and pieces. Entry points: tasks.h. */
#include "plan/tasks.h"

#include "base/memory.h"
#include "reduce_tree.h"

#include <stdio.h>
#include <string.h>

/* ---- Appending -------------------------------------------------------------------------------------- */

bool heddle__step_begin(struct heddle_planner *p, enum heddle_family family,
                        const struct heddle_program *program, const char *name, int n_nodes)
{
    struct heddle_plan *plan = p->plan;
    if (!heddle__grow(&plan->steps, sizeof *plan->steps, plan->n_steps + 1, &p->step_room)) {
        p->failed = true;
        return false;
    }
    struct heddle_plan_step *step = &plan->steps[plan->n_steps++];
    *step = (struct heddle_plan_step){.family = family,
                                      .program = program,
                                      .first_task = plan->n_tasks,
                                      .n_nodes = n_nodes,
                                      .asked = p->asked};
    snprintf(step->name, sizeof step->name, "%s", name);
    return true;
}

bool heddle__task_begin(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (!heddle__grow(&plan->tasks, sizeof *plan->tasks, plan->n_tasks + 1, &p->task_room)) {
        p->failed = true;
        return false;
    }
    plan->tasks[plan->n_tasks++] = (struct heddle_plan_task){
        .first_call = plan->n_calls, .first_use = plan->n_uses, .step = (int32_t)plan->n_steps - 1};
    plan->steps[plan->n_steps - 1].n_tasks++;
    return true;
}

void heddle__task_end(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    if (task->n_calls > 0) {
        plan->flops += task->flops;
        plan->bytes += task->bytes;
        return;
    }
    plan->n_uses = task->first_use;
    plan->n_tasks--;
    plan->steps[plan->n_steps - 1].n_tasks--;
}

uint16_t heddle__task_use(struct heddle_planner *p, int32_t array, int64_t part,
                          enum heddle_mode mode)
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    heddle_place place = heddle__grid_place_of(plan->arrays[array].grid, part);
    if (plan->arrays[array].same_as >= 0) array = plan->arrays[array].same_as;
    if (place == HEDDLE_ANYWHERE) place = heddle__grid_place_of(plan->arrays[array].grid, part);
    for (int64_t i = task->first_use; i < plan->n_uses; i++) {
        struct heddle_plan_use *use = &plan->uses[i];
        if (use->array != array || use->part != part) continue;
        use->mode |= mode;
        if (place == task->place) use->place = place; /* both names are right: the nearer one */
        return (uint16_t)(i - task->first_use);
    }
    if (!heddle__grow(&plan->uses, sizeof *plan->uses, plan->n_uses + 1, &p->use_room)) {
        p->failed = true;
        return 0;
    }
    plan->uses[plan->n_uses++] = (struct heddle_plan_use){
        .array = array, .part = (int32_t)part, .mode = mode, .place = place};
    plan->arrays[array].last_task = plan->n_tasks - 1;
    return (uint16_t)task->n_uses++;
}

struct heddle_kernel_call *heddle__task_call(struct heddle_planner *p, double flops, double bytes)
{
    struct heddle_plan *plan = p->plan;
    if (!heddle__grow(&plan->calls, sizeof *plan->calls, plan->n_calls + 1, &p->call_room)) {
        p->failed = true;
        return NULL;
    }
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    task->n_calls++;
    task->flops += flops;
    task->bytes += bytes;
    struct heddle_kernel_call *call = &plan->calls[plan->n_calls++];
    memset(call, 0, sizeof *call);
    return call;
}

void heddle__task_updates(struct heddle_planner *p)
{
    for (int64_t i = p->plan->tasks[p->plan->n_tasks - 1].first_use; i < p->plan->n_uses; i++)
        if (p->plan->uses[i].mode & HEDDLE_WRITE) p->plan->uses[i].mode = HEDDLE_READ_WRITE;
}

void heddle__task_place(struct heddle_planner *p, heddle_place place)
{
    struct heddle_plan_task *task = &p->plan->tasks[p->plan->n_tasks - 1];
    if (task->place == HEDDLE_ANYWHERE) task->place = place;
}

/* ---- Accesses and pieces -------------------------------------------------------------------------------- */

struct heddle_access heddle__part_access(const struct heddle_grid *grid, int64_t part,
                                         const struct heddle_map *map, const int64_t *lo)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    struct heddle_access access = {0, {0}};
    int64_t along = 1;
    for (int d = map->n - 1; d >= 0; d--) {
        int64_t first = map->offset[d] - box.lo[d];
        if (map->axis[d] >= 0) {
            first += map->step[d] * lo[map->axis[d]];
            if (map->axis[d] < HEDDLE_MAX_NDIM) access.stride[map->axis[d]] += map->step[d] * along;
        }
        access.offset += first * along;
        along *= box.hi[d] - box.lo[d];
    }
    return access;
}

int64_t heddle__part_at(const struct heddle_grid *grid, const struct heddle_map *map,
                        const int64_t *lo)
{
    if (grid->n_parts == 1) return 0;
    int64_t index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < map->n; d++)
        index[d] = map->offset[d] + (map->axis[d] >= 0 ? map->step[d] * lo[map->axis[d]] : 0);
    return heddle__grid_locate(grid, index);
}

/* Where along an iteration axis the source index reaches `bound`: the first index of the next piece. */
static int64_t split_at(int64_t offset, int64_t step, int64_t bound)
{
    const int64_t distance = step > 0 ? bound - offset : offset - bound;
    const int64_t by = step > 0 ? step : -step;
    int64_t q = distance / by;
    if (step > 0) return distance > 0 && distance % by ? q + 1 : q; /* ceil */
    if (distance < 0 && distance % by) q--;                         /* floor, then the next */
    return q + 1;
}

struct cuts {
    int64_t *at;
    int64_t n, room;
};

static bool add_cut(struct cuts *cuts, int64_t value)
{
    int64_t i = cuts->n;
    while (i > 0 && cuts->at[i - 1] > value) i--;
    if (i > 0 && cuts->at[i - 1] == value) return true;
    if (!heddle__grow(&cuts->at, sizeof *cuts->at, cuts->n + 1, &cuts->room)) return false;
    memmove(&cuts->at[i + 1], &cuts->at[i], (size_t)(cuts->n - i) * sizeof *cuts->at);
    cuts->at[i] = value;
    cuts->n++;
    return true;
}

static bool cut_axes(int ndim, const struct heddle_box *box, int n, const struct heddle_read *reads,
                     struct cuts *cuts)
{
    for (int d = 0; d < ndim; d++)
        if (!add_cut(&cuts[d], box->lo[d]) || !add_cut(&cuts[d], box->hi[d])) return false;
    for (int k = 0; k < n; k++) {
        const struct heddle_map *m = reads[k].map;
        for (int d = 0; d < m->n; d++) {
            const int axis = m->axis[d];
            if (axis < 0 || m->step[d] == 0) continue;
            for (int64_t i = 1; i < reads[k].grid->n[d]; i++) {
                const int64_t at = split_at(m->offset[d], m->step[d], reads[k].grid->bound[d][i]);
                if (at > box->lo[axis] && at < box->hi[axis] && !add_cut(&cuts[axis], at))
                    return false;
            }
        }
    }
    return true;
}

bool heddle__for_pieces(struct heddle_planner *p, int ndim, const struct heddle_box *box, int n,
                        const struct heddle_read *reads,
                        bool (*piece)(void *context, const struct heddle_box *box), void *context)
{
    bool whole = true;
    for (int k = 0; k < n; k++) whole = whole && reads[k].grid->n_parts == 1;
    if (whole) return piece(context, box);

    struct cuts cuts[HEDDLE_MAX_NDIM + 1] = {{0}};
    bool ok = cut_axes(ndim, box, n, reads, cuts);
    int64_t i[HEDDLE_MAX_NDIM + 1] = {0};
    while (ok) {
        struct heddle_box sub = *box;
        for (int d = 0; d < ndim; d++) {
            sub.lo[d] = cuts[d].at[i[d]];
            sub.hi[d] = cuts[d].at[i[d] + 1];
        }
        ok = piece(context, &sub);
        int d = ndim - 1;
        for (; d >= 0; d--) {
            if (++i[d] < cuts[d].n - 1) break;
            i[d] = 0;
        }
        if (d < 0) break;
    }
    for (int d = 0; d <= HEDDLE_MAX_NDIM; d++) heddle__free(cuts[d].at);
    if (!ok) p->failed = true;
    return ok;
}

/* ---- Calls of programs -------------------------------------------------------------------------------- */

const uint32_t *heddle__call_constants(struct heddle_planner *p, const struct heddle_builder *b)
{
    const size_t size = b->program.n_constants * sizeof(uint32_t);
    uint32_t *constants = heddle__arena_alloc(p->plan->arena, size ? size : 1);
    if (constants)
        memcpy(constants, b->constants, size);
    else
        p->failed = true;
    return constants;
}

static double program_flops(const struct heddle_program *program)
{
    double flops = program->n_reductions;
    for (int i = 0; i < program->n_before; i++) {
        const struct heddle_instr *in = &program->instrs[i];
        if (in->code < HEDDLE_N_OPS) flops += (double)heddle__ops[in->code].flops;
        if (in->code == HEDDLE_CODE_CAST) flops += 1;
    }
    return flops;
}

/* Bytes that a call moves at the least: each array once. */
static double call_bytes(const struct heddle_builder *b, const struct heddle_access *access,
                         const struct heddle_geometry *g)
{
    double bytes = 0;
    for (int k = 0; k < b->program.n_operands; k++) {
        const struct heddle_operand *o = &b->operands[k];
        bool first = true;
        for (int j = 0; j < k; j++) first = first && b->operands[j].array != o->array;
        if (!first && !o->store) continue;
        const int n = o->store || o->after ? g->n_kept : g->ndim;
        double elements = 1;
        for (int d = 0; d < n; d++)
            if (access[k].stride[d] != 0) elements *= (double)g->extent[d];
        bytes += elements * (double)heddle_dtype_size(b->program.operand_dtype[k]);
    }
    return bytes;
}

struct heddle_launch *heddle__call_program(struct heddle_planner *p, struct heddle_builder *b,
                                           const struct heddle_program *program,
                                           const struct heddle_space *space,
                                           const uint32_t *constants, const struct heddle_box *box,
                                           int64_t part, enum heddle_phase phase)
{
    struct heddle_plan *plan = p->plan;
    const int n = program->n_operands;
    struct heddle_access *access =
        heddle__arena_alloc(plan->arena, (size_t)(n + 1) * sizeof *access);
    uint16_t *buffer =
        heddle__arena_alloc(plan->arena, (size_t)(n + HEDDLE_MAX_REDUCTIONS) * sizeof *buffer);
    if (!access || !buffer) {
        p->failed = true;
        return NULL;
    }

    struct heddle_geometry g = {.ndim = space->ndim,
                                .n_kept = space->n_kept,
                                .phase = (uint8_t)phase,
                                .split_rows = 1,
                                .n_chunks = 1};
    for (int d = 0; d < space->ndim; d++) {
        g.extent[d] = box->hi[d] - box->lo[d];
        g.origin[d] = box->lo[d];
        g.whole[d] = space->extent[d];
    }
    if (program->n_reductions) heddle__reduce_chunks(&g, program->sequential);

    for (int k = 0; k < n; k++)
        if (b->operands[k].store && phase != HEDDLE_PHASE_PARTIAL)
            heddle__task_place(
                p, heddle__grid_place_of(plan->arrays[b->operands[k].array].grid, part));
    const heddle_place place = plan->tasks[plan->n_tasks - 1].place;
    for (int k = 0; k < n; k++) {
        const struct heddle_operand *o = &b->operands[k];
        const bool after = o->after || (o->store && program->n_reductions);
        if (phase == HEDDLE_PHASE_PARTIAL ? after : phase == HEDDLE_PHASE_COMBINE && !after)
            continue; /* not touched in this phase */
        const struct heddle_grid *grid = plan->arrays[o->array].grid;
        int64_t q = o->store ? part : heddle__part_at(grid, &o->map, box->lo);
        struct heddle_map map = o->map;
        int32_t array = o->store ? -1 : heddle__halo_of(p, o->array, q, place, box, &map);
        if (array < 0)
            array = o->array;
        else
            q = 0;
        access[k] = heddle__part_access(plan->arrays[array].grid, q, &map, box->lo);
        buffer[k] = heddle__task_use(p, array, q, o->store ? HEDDLE_WRITE : HEDDLE_READ);
    }

    double elements = (double)heddle__kept_size(&g) * (double)heddle__reduced_size(&g);
    if (phase == HEDDLE_PHASE_COMBINE) elements = (double)heddle__kept_size(&g);
    struct heddle_kernel_call *call =
        heddle__task_call(p, elements * program_flops(program), call_bytes(b, access, &g));
    if (!call) return NULL;
    call->family = HEDDLE_FAMILY_PROGRAM;
    call->program = (struct heddle_launch){.program = program,
                                           .geometry = g,
                                           .access = access,
                                           .buffer = buffer,
                                           .constants = constants};
    return p->failed ? NULL : &call->program;
}
