/* Copies of arrays in another partition: a given one, one part, or each part with its overlap. Entry points:
 * heddle__cut_copy, heddle__cut_as, heddle__cut_one_part, heddle__cut_overlap. */
#include "plan/cut/by_part.h"

/* The program of a copy between arrays of one shape; NULL: memory is gone. */
static const struct heddle_program *copy_program(struct heddle_planner *p, int32_t from, int32_t to,
                                                 struct heddle_builder **builder)
{
    const struct heddle_plan_array *a = &p->plan->arrays[from];
    const enum heddle_dtype dtype = heddle__moved_as(a);
    const struct heddle_map identity = heddle__map_identity(a->grid->ndim);
    struct heddle_builder *b = *builder = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (!b) return NULL;
    heddle__build_start(b);
    const uint16_t value = heddle__build_load(b, from, dtype, &identity);
    heddle__build_store(b, value, to, dtype, &identity);
    return heddle__plan_program(p, b);
}

int32_t heddle__cut_copy(struct heddle_planner *p, int32_t array, struct heddle_grid *grid)
{
    const int32_t copy = heddle__plan_add_like(p, array, grid);
    if (copy < 0) return -1;
    struct heddle_builder *b;
    const struct heddle_program *program = copy_program(p, array, copy, &b);
    const struct heddle_space space = {grid->ndim, grid->ndim, grid->shape, 0, "collect"};
    if (!program || !heddle__cut_map(p, b, program, &space, grid)) return -1;
    return copy;
}

int32_t heddle__cut_as(struct heddle_planner *p, int32_t array, struct heddle_grid *grid)
{
    if (!grid) return -1;
    if (!heddle__grid_same_cuts(p->plan->arrays[array].grid, grid))
        return heddle__cut_copy(p, array, grid);
    heddle__grid_release(grid);
    return array;
}

/* The cut of a widened array: from part to part the map moves. */
struct overlap {
    struct heddle_pieces pieces;
    struct heddle_builder *builder;
    const struct heddle_grid *grid; /* of the array that is widened */
};

static bool overlap_part(void *context, const struct heddle_box *box)
{
    struct overlap *o = context;
    const struct heddle_box from = heddle__grid_wide_part(o->grid, o->pieces.progress->part);
    for (int k = 0; k < o->builder->program.n_operands; k++)
        for (int d = 0; d < o->grid->ndim && !o->builder->operands[k].store; d++)
            o->builder->operands[k].map.offset[d] = from.lo[d] - box->lo[d];
    return heddle__pieces_call(&o->pieces, box);
}

int32_t heddle__cut_overlap(struct heddle_planner *p, int32_t array, const struct heddle_grid *grid)
{
    if (!grid->overlaps) return array;
    struct heddle_grid *wide = heddle__grid_widened(grid);
    const int32_t copy = heddle__plan_add_like(p, array, wide);
    if (copy < 0) return -1;
    struct overlap o = {.grid = grid};
    struct heddle_progress g = {0};
    const struct heddle_program *program = copy_program(p, array, copy, &o.builder);
    const struct heddle_space space = {wide->ndim, wide->ndim, wide->shape, 0, "overlap"};
    if (!program || !heddle__pieces_start(&o.pieces, p, o.builder, program, &space)) return -1;
    o.pieces.progress = &g;
    const struct heddle_part_step step = {.program = program,
                                          .name = space.name,
                                          .part = overlap_part,
                                          .context = &o,
                                          .progress = &g};
    const bool asked = p->asked;
    p->asked = true; /* the user, who declared the overlap, wants it to move */
    const bool ok = heddle__cut_by_part(p, wide, &step);
    p->asked = asked;
    return ok ? copy : -1;
}

int32_t heddle__cut_one_part(struct heddle_planner *p, int32_t array)
{
    if (p->one_part[array] < 0) {
        const struct heddle_grid *grid = p->plan->arrays[array].grid;
        const int32_t copy = heddle__cut_copy(p, array, heddle__grid_one(grid->ndim, grid->shape));
        if (copy < 0) return -1;
        p->one_part[array] = copy;
    }
    return p->one_part[array];
}
