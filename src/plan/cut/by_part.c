/* Tasks part by part. Entry points: by_part.h. */
#include "plan/cut/by_part.h"
#include "plan/policy/thresholds.h"

bool heddle__pieces_start(struct heddle_pieces *s, struct heddle_planner *p,
                          struct heddle_builder *b, const struct heddle_program *program,
                          const struct heddle_space *space)
{
    *s = (struct heddle_pieces){.p = p, .b = b, .program = program, .space = space};
    for (int k = 0; k < program->n_operands; k++)
        if (!b->operands[k].store) {
            s->arrays[s->n_reads] = b->operands[k].array;
            s->reads[s->n_reads++] = (struct heddle_read){
                p->plan->arrays[b->operands[k].array].grid, &b->operands[k].map};
        }
    s->constants = heddle__call_constants(p, b);
    return s->constants != NULL;
}

/* Ends the current task, which may be one of several that write the part. */
static void end_task(struct heddle_planner *p, struct heddle_progress *g)
{
    const struct heddle_plan_task *task = &p->plan->tasks[p->plan->n_tasks - 1];
    if (task->n_calls > 0 && g->n_tasks++ > 0) heddle__task_updates(p);
    heddle__task_end(p);
}

/* The last round in which a piece reads something of another place; 0: it reads nothing of others. With
 * HEDDLE_NOTED it notes what that is. */
static uint32_t round_of(const struct heddle_pieces *s, const struct heddle_box *box)
{
    const struct heddle_progress *g = s->progress;
    uint32_t last = 0;
    for (int k = 0; k < s->n_reads; k++) {
        const struct heddle_read *r = &s->reads[k];
        const int64_t part = heddle__part_at(r->grid, r->map, box->lo);
        const heddle_place from = heddle__grid_place_of(r->grid, part);
        if (from == g->place || from == HEDDLE_ANYWHERE) continue;
        const uint32_t round = heddle__round_of(from, g->place);
        if (round > last) last = round;
        const struct heddle_box region = heddle__map_region(r->map, box);
        if (g->which == HEDDLE_NOTED)
            heddle__halo_want(s->p, s->arrays[k], part, g->place, &region);
    }
    return last;
}

static bool call_piece(void *context, const struct heddle_box *box)
{
    struct heddle_pieces *s = context;
    struct heddle_progress *g = s->progress;
    const uint32_t round = g->which == HEDDLE_ALL ? 0 : round_of(s, box);
    const bool remote = round > 0;
    if (g->which == HEDDLE_NOTED && remote) g->remote += heddle__box_size(box, s->space->ndim);
    if (g->which == HEDDLE_NOTED) return !s->p->failed;
    if (g->which != HEDDLE_ALL && remote != (g->which != HEDDLE_LOCAL)) return true;
    if (g->which == HEDDLE_REMOTE_EACH && round != g->round) {
        if (round > g->round && (g->next == 0 || round < g->next)) g->next = round;
        return true;
    }
    if (g->which == HEDDLE_REMOTE_EACH && !heddle__task_begin(s->p)) return false;
    if (!heddle__call_program(s->p, s->b, s->program, s->space, s->constants, box, g->part,
                              HEDDLE_PHASE_WHOLE))
        return false;
    if (g->which == HEDDLE_REMOTE_EACH) end_task(s->p, g);
    return true;
}

bool heddle__pieces_call(struct heddle_pieces *s, const struct heddle_box *box)
{
    if (heddle__box_size(box, s->space->ndim) == 0) return true;
    return heddle__for_pieces(s->p, s->space->ndim, box, s->n_reads, s->reads, call_piece, s);
}

/* The tasks of one part. Pieces that wait for other places have tasks of their own, so that the others
 * do not wait. */
static bool cut_part(struct heddle_planner *p, const struct heddle_part_step *step,
                     const struct heddle_box *box, int64_t remote, int64_t size)
{
    const struct heddle_thresholds *at = &heddle__thresholds;
    struct heddle_progress *g = step->progress;
    g->n_tasks = step->how == HEDDLE_ASSEMBLE_UPDATE; /* an update: tasks have written it before */
    g->which = remote > 0 && size >= at->worth_a_task && step->how != HEDDLE_ASSEMBLE_ORDERED
                   ? HEDDLE_LOCAL
                   : HEDDLE_ALL;
    if (!heddle__task_begin(p) || !step->part(step->context, box)) return false;
    end_task(p, g);
    if (g->which == HEDDLE_ALL) return true;
    if (remote <= size / at->remote_in_one) {
        g->which = HEDDLE_REMOTE;
        if (!heddle__task_begin(p) || !step->part(step->context, box)) return false;
        end_task(p, g);
        return true;
    }
    g->which = HEDDLE_REMOTE_EACH;
    g->round = 0;
    do {
        g->next = 0;
        if (!step->part(step->context, box)) return false;
        g->round = g->next;
    } while (g->next > 0);
    return true;
}

bool heddle__cut_by_part(struct heddle_planner *p, const struct heddle_grid *grid,
                         const struct heddle_part_step *step)
{
    struct heddle_progress *g = step->progress;
    int64_t *remote = NULL;
    heddle__halos_clear(p);
    if (grid->place) {
        remote = heddle__arena_alloc(&p->scratch, (size_t)grid->n_parts * sizeof *remote);
        if (!remote) return false;
        for (g->part = 0; g->part < grid->n_parts; g->part++) {
            const struct heddle_box box = heddle__grid_part(grid, g->part);
            g->place = grid->place[g->part];
            g->which = g->place == HEDDLE_ANYWHERE ? HEDDLE_ALL : HEDDLE_NOTED;
            g->remote = 0;
            if (g->which == HEDDLE_NOTED && !step->part(step->context, &box)) return false;
            remote[g->part] = g->remote;
        }
        if (!heddle__halos_cut(p)) return false;
    }
    if (!heddle__step_begin(p, &heddle__program_family, step->program, step->name, step->n_nodes))
        return false;
    for (g->part = 0; g->part < grid->n_parts; g->part++) {
        const struct heddle_box box = heddle__grid_part(grid, g->part);
        g->place = heddle__grid_place_of(grid, g->part);
        if (!cut_part(p, step, &box, remote ? remote[g->part] : 0,
                      heddle__box_size(&box, grid->ndim)))
            return false;
    }
    return !p->failed;
}
