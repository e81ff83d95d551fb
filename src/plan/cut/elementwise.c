/* Elementwise steps to tasks. Entry point: heddle__cut_map. */
#include "plan/cut/by_part.h"

static bool map_part(void *context, const struct heddle_box *box)
{
    return heddle__pieces_call(context, box);
}

bool heddle__cut_map(struct heddle_planner *p, struct heddle_builder *b,
                     const struct heddle_program *program, const struct heddle_space *space,
                     const struct heddle_grid *grid)
{
    struct heddle_pieces s;
    struct heddle_progress g = {0};
    if (!heddle__pieces_start(&s, p, b, program, space)) return false;
    s.progress = &g;
    const struct heddle_part_step step = {.program = program,
                                          .name = space->name,
                                          .n_nodes = space->n_nodes,
                                          .part = map_part,
                                          .context = &s,
                                          .progress = &g};
    return heddle__cut_by_part(p, grid, &step);
}
