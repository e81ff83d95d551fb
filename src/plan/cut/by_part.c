/* Tasks part by part. Entry points: by_part.h. */
#include "plan/cut/by_part.h"
#include "plan/policy/thresholds.h"

bool heddle__pieces_start(struct heddle_pieces *s, struct heddle_planner *p,
                          struct heddle_builder *b, const struct heddle_program *program,
                          const struct heddle_space *space)
{
    *s = (struct heddle_pieces){.p = p, .b = b, .program = program, .space = space};
    for (int k = 0; k < program->n_operands; k++)
        if (!b->operands[k].store && !b->operands[k].at_indices) {
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
    if (g->is_apart) heddle__task_join_stretches(p);
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
        if (from == g->place || from == HEDDLE_ANYWHERE ||
            heddle__replica_of(s->p, s->arrays[k], g->place) >= 0)
            continue;
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

/* A part of the result. Pieces that wait for other places have tasks of their own, so that the others do not wait. */
struct part {
    int64_t remote;  /* elements that need something of other places */
    int64_t n_tasks; /* that write it so far */
    bool waits;      /* pieces of it have no task yet */
};

/* The first task of a part: all of it, or what needs nothing of other places. */
static bool cut_first(struct heddle_planner *p, const struct heddle_grid *grid,
                      const struct heddle_part_step *step, struct part *part)
{
    struct heddle_progress *g = step->progress;
    const struct heddle_box box = heddle__grid_part(grid, g->part);
    const int64_t size = heddle__box_size(&box, grid->ndim);
    g->place = heddle__grid_place_of(grid, g->part);
    g->n_tasks = step->how == HEDDLE_ASSEMBLE_UPDATE; /* an update: tasks have written it before */
    part->waits = part->remote > 0 && size >= heddle__thresholds.worth_a_task &&
                  step->how != HEDDLE_ASSEMBLE_ORDERED;
    g->which = part->waits ? HEDDLE_LOCAL : HEDDLE_ALL;
    if (!heddle__task_begin(p) || !step->part(step->context, &box)) return false;
    end_task(p, g);
    part->n_tasks = g->n_tasks;
    return true;
}

/* The tasks of what else there is of a part. */
static bool cut_rest(struct heddle_planner *p, const struct heddle_grid *grid,
                     const struct heddle_part_step *step, const struct part *part)
{
    struct heddle_progress *g = step->progress;
    const struct heddle_box box = heddle__grid_part(grid, g->part);
    g->place = heddle__grid_place_of(grid, g->part);
    g->n_tasks = part->n_tasks;
    if (part->remote <= heddle__box_size(&box, grid->ndim) / heddle__thresholds.remote_in_one) {
        g->which = HEDDLE_REMOTE;
        if (!heddle__task_begin(p) || !step->part(step->context, &box)) return false;
        end_task(p, g);
        return true;
    }
    g->which = HEDDLE_REMOTE_EACH;
    g->round = 0;
    do {
        g->next = 0;
        if (!step->part(step->context, &box)) return false;
        g->round = g->next;
    } while (g->next > 0);
    return true;
}

/* Notes what parts need of other places, and makes the tasks that cut it out. */
static bool cut_halos(struct heddle_planner *p, const struct heddle_grid *grid,
                      const struct heddle_part_step *step, struct part *parts)
{
    struct heddle_progress *g = step->progress;
    for (g->part = 0; g->part < grid->n_parts; g->part++) {
        const struct heddle_box box = heddle__grid_part(grid, g->part);
        g->place = grid->place[g->part];
        g->which = g->place == HEDDLE_ANYWHERE ? HEDDLE_ALL : HEDDLE_NOTED;
        g->remote = 0;
        if (g->which == HEDDLE_NOTED && !step->part(step->context, &box)) return false;
        parts[g->part].remote = g->remote;
    }
    return heddle__halos_cut(p);
}

/* Where the parts from `first` on end that are of different places: all of them begin before one goes on with what it waits
 * for, since one thread may launch all kernels. */
static int64_t end_of_turn(const struct heddle_grid *grid, int64_t first)
{
    int64_t end = first + 1;
    while (grid->place && end < grid->n_parts) {
        for (int64_t i = first; i < end; i++)
            if (grid->place[i] == grid->place[end]) return end;
        end++;
    }
    return end;
}

bool heddle__cut_by_part(struct heddle_planner *p, const struct heddle_grid *grid,
                         const struct heddle_part_step *step)
{
    struct heddle_progress *g = step->progress;
    struct part *parts = heddle__arena_alloc(&p->scratch, (size_t)grid->n_parts * sizeof *parts);
    g->is_apart = step->how == HEDDLE_ASSEMBLE_APART;
    heddle__halos_clear(p);
    if (!parts || (grid->place && !cut_halos(p, grid, step, parts)) ||
        !heddle__step_begin(p, &heddle__program_family, step->program, step->name, step->n_nodes))
        return false;
    for (int64_t first = 0, end; first < grid->n_parts; first = end) {
        end = end_of_turn(grid, first);
        for (g->part = first; g->part < end; g->part++)
            if (!cut_first(p, grid, step, &parts[g->part])) return false;
        for (g->part = first; g->part < end; g->part++)
            if (parts[g->part].waits && !cut_rest(p, grid, step, &parts[g->part])) return false;
    }
    return !p->failed;
}
