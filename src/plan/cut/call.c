/* Calls of programs: what a launch says beside its program, and what it costs. Entry points:
 * heddle__call_constants, heddle__call_program. */
#include "plan/cut/cut.h"
#include "reduce_tree.h"

#include <string.h>

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

/* The least that a call moves, in bytes: each array once. */
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
            if (access[k].stride[d] != 0 || o->at_indices) elements *= (double)g->extent[d];
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
    uint32_t *buffer =
        heddle__arena_alloc(plan->arena, (size_t)(n + HEDDLE_MAX_REDUCTIONS) * sizeof *buffer);
    if (!access || !buffer) {
        p->failed = true;
        return NULL;
    }

    struct heddle_geometry g = {.ndim = space->ndim,
                                .n_kept = space->n_kept,
                                .phase = (uint8_t)phase,
                                .reduced = b->reduced,
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
        buffer[k] = 0; /* if it is not touched: some buffer, which kernels may look up */
        access[k] = (struct heddle_access){0};
        if (phase == HEDDLE_PHASE_PARTIAL ? after : phase == HEDDLE_PHASE_COMBINE && !after)
            continue; /* not touched in this phase */
        const struct heddle_grid *grid = plan->arrays[o->array].grid;
        int64_t q = o->store ? part : heddle__part_at(grid, &o->map, box->lo);
        struct heddle_map map = o->map;
        int32_t array =
            o->store || o->at_indices ? -1 : heddle__halo_of(p, o->array, q, place, box, &map);
        if (array < 0)
            array = o->array;
        else
            q = 0;
        access[k] = heddle__array_access(&plan->arrays[array], q, &map, box->lo);
        buffer[k] = heddle__task_use(p, array, q, o->store ? HEDDLE_WRITE : HEDDLE_READ);
    }

    double elements = (double)heddle__kept_size(&g) * (double)heddle__reduced_size(&g);
    if (phase == HEDDLE_PHASE_COMBINE) elements = (double)heddle__kept_size(&g);
    struct heddle_launch *launch = heddle__task_call(
        p, program->n_checked ? &heddle__checked_family : &heddle__program_family, sizeof *launch,
        elements * heddle__program_flops(program), call_bytes(b, access, &g));
    if (!launch) return NULL;
    *launch = (struct heddle_launch){.program = program,
                                     .geometry = g,
                                     .access = access,
                                     .buffer = buffer,
                                     .constants = constants};
    return p->failed ? NULL : launch;
}
