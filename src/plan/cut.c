/* Last pass: elementwise steps and assembled arrays to tasks, one a part of the result. Entry points:
 * heddle__cut_map, heddle__cut_assemble, heddle__cut_one_part (planner.h), heddle__cut_overlap,
 * heddle__cut_copy (tasks.h). */
#include "plan/tasks.h"

/* Which pieces of a part are called, if that has a place. */
enum which {
    ALL,
    COLLECT,    /* none: what they need of other places is noted */
    LOCAL,      /* those that read nothing of other places */
    REMOTE,     /* the others */
    REMOTE_EACH /* the others, each in a task of its own */
};

/* Of the part that is being cut. */
struct progress {
    int64_t part;
    heddle_place place;
    enum which which;
    int64_t n_tasks; /* that write it so far */
    int64_t remote;  /* elements that need something of other places */
    uint32_t round;  /* REMOTE_EACH: whose turn it is ... */
    uint32_t next;   /* ... and whose it is then */
};

/* A call for each piece of one program. */
struct pieces {
    struct heddle_planner *p;
    struct heddle_builder *b;
    const struct heddle_program *program;
    const struct heddle_space *space;
    const uint32_t *constants;
    struct progress *progress;
    int n_reads;
    int32_t arrays[HEDDLE_MAX_OPERANDS];
    struct heddle_read reads[HEDDLE_MAX_OPERANDS];
};

static bool start_pieces(struct pieces *s, struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_program *program, const struct heddle_space *space)
{
    *s = (struct pieces){.p = p, .b = b, .program = program, .space = space};
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
static void end_task(struct heddle_planner *p, struct progress *g)
{
    const struct heddle_plan_task *task = &p->plan->tasks[p->plan->n_tasks - 1];
    if (task->n_calls > 0 && g->n_tasks++ > 0) heddle__task_updates(p);
    heddle__task_end(p);
}

/* The last round in which a piece reads something of another place, 0: it does not; notes what, when
 * that is wanted. */
static uint32_t round_of(const struct pieces *s, const struct heddle_box *box)
{
    const struct progress *g = s->progress;
    uint32_t last = 0;
    for (int k = 0; k < s->n_reads; k++) {
        const struct heddle_read *r = &s->reads[k];
        const int64_t part = heddle__part_at(r->grid, r->map, box->lo);
        const heddle_place from = heddle__grid_place_of(r->grid, part);
        if (from == g->place || from == HEDDLE_ANYWHERE) continue;
        const uint32_t round = heddle__round_of(from, g->place);
        if (round > last) last = round;
        const struct heddle_box region = heddle__map_region(r->map, box);
        if (g->which == COLLECT) heddle__halo_want(s->p, s->arrays[k], part, g->place, &region);
    }
    return last;
}

static bool call_piece(void *context, const struct heddle_box *box)
{
    struct pieces *s = context;
    struct progress *g = s->progress;
    const uint32_t round = g->which == ALL ? 0 : round_of(s, box);
    const bool remote = round > 0;
    if (g->which == COLLECT && remote) g->remote += heddle__box_size(box, s->space->ndim);
    if (g->which == COLLECT) return !s->p->failed;
    if (g->which != ALL && remote != (g->which != LOCAL)) return true;
    if (g->which == REMOTE_EACH && round != g->round) {
        if (round > g->round && (g->next == 0 || round < g->next)) g->next = round;
        return true;
    }
    if (g->which == REMOTE_EACH && !heddle__task_begin(s->p)) return false;
    if (!heddle__call_program(s->p, s->b, s->program, s->space, s->constants, box, g->part,
                              HEDDLE_PHASE_WHOLE))
        return false;
    if (g->which == REMOTE_EACH) end_task(s->p, g);
    return true;
}

static bool call_pieces(struct pieces *s, const struct heddle_box *box)
{
    if (heddle__box_size(box, s->space->ndim) == 0) return true;
    return heddle__for_pieces(s->p, s->space->ndim, box, s->n_reads, s->reads, call_piece, s);
}

/* What a step is made of. */
struct step {
    const struct heddle_program *program;
    const char *name;
    int n_nodes;
    bool (*part)(void *context, const struct heddle_box *box); /* calls for one part */
    void *context;
    struct progress *progress;
    enum heddle_assembly how;
};

/* The tasks of one part. What waits for other places is not waited for by the rest of the part. */
static bool cut_part(struct heddle_planner *p, const struct step *step,
                     const struct heddle_box *box, int64_t remote, int64_t size)
{
    enum { WORTH_A_TASK = 1 << 16 }; /* elements */
    struct progress *g = step->progress;
    g->n_tasks = step->how == HEDDLE_ASSEMBLE_UPDATE; /* others have written it before */
    g->which =
        remote > 0 && size >= WORTH_A_TASK && step->how != HEDDLE_ASSEMBLE_ORDERED ? LOCAL : ALL;
    if (!heddle__task_begin(p) || !step->part(step->context, box)) return false;
    end_task(p, g);
    if (g->which == ALL) return true;
    if (remote <= size / 4) {
        g->which = REMOTE;
        if (!heddle__task_begin(p) || !step->part(step->context, box)) return false;
        end_task(p, g);
        return true;
    }
    g->which = REMOTE_EACH;
    g->round = 0;
    do {
        g->next = 0;
        if (!step->part(step->context, box)) return false;
        g->round = g->next;
    } while (g->next > 0);
    return true;
}

static bool cut_parts(struct heddle_planner *p, const struct heddle_grid *grid,
                      const struct step *step)
{
    struct progress *g = step->progress;
    int64_t *remote = NULL;
    heddle__halos_clear(p);
    if (grid->place) {
        remote = heddle__arena_alloc(&p->scratch, (size_t)grid->n_parts * sizeof *remote);
        if (!remote) return false;
        for (g->part = 0; g->part < grid->n_parts; g->part++) {
            const struct heddle_box box = heddle__grid_part(grid, g->part);
            g->place = grid->place[g->part];
            g->which = g->place == HEDDLE_ANYWHERE ? ALL : COLLECT;
            g->remote = 0;
            if (g->which == COLLECT && !step->part(step->context, &box)) return false;
            remote[g->part] = g->remote;
        }
        if (!heddle__halos_cut(p)) return false;
    }
    if (!heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, step->program, step->name, step->n_nodes))
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

static bool map_part(void *context, const struct heddle_box *box)
{
    return call_pieces(context, box);
}

bool heddle__cut_map(struct heddle_planner *p, struct heddle_builder *b,
                     const struct heddle_program *program, const struct heddle_space *space,
                     const struct heddle_grid *grid)
{
    struct pieces s;
    struct progress g = {0};
    if (!start_pieces(&s, p, b, program, space)) return false;
    s.progress = &g;
    const struct step step = {.program = program,
                              .name = space->name,
                              .n_nodes = space->n_nodes,
                              .part = map_part,
                              .context = &s,
                              .progress = &g};
    return cut_parts(p, grid, &step);
}

/* ---- Assembled arrays -------------------------------------------------------------------------------- */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

/* The elements of a piece that land in `part`. */
static struct heddle_box landing(const struct heddle_piece *piece, const struct heddle_box *part)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = 0; d < piece->space.ndim; d++) {
        const int64_t start = piece->place.start[d];
        const int64_t step = piece->place.step[d] > 0 ? piece->place.step[d] : 1;
        const int64_t lo = ceil_div(part->lo[d] - start, step);
        const int64_t hi = ceil_div(part->hi[d] - start, step);
        box.lo[d] = lo > 0 ? lo : 0;
        box.hi[d] = hi < piece->space.extent[d] ? hi : piece->space.extent[d];
    }
    return box;
}

/* Calls for `box` without `hole`: slabs below and above the hole, axis after axis. */
static bool call_outside(struct pieces *s, struct heddle_box box, const struct heddle_box *hole)
{
    struct heddle_box inside;
    if (!heddle__box_intersect(&box, hole, s->space->ndim, &inside)) return call_pieces(s, &box);
    for (int d = 0; d < s->space->ndim; d++) {
        struct heddle_box slab = box;
        slab.hi[d] = inside.lo[d];
        if (!call_pieces(s, &slab)) return false;
        slab = box;
        slab.lo[d] = inside.hi[d];
        if (!call_pieces(s, &slab)) return false;
        box.lo[d] = inside.lo[d];
        box.hi[d] = inside.hi[d];
    }
    return true;
}

struct assemble_cut {
    int n;
    const struct heddle_piece *pieces;
    struct pieces *s; /* [n] */
};

static bool assemble_part(void *context, const struct heddle_box *box)
{
    const struct assemble_cut *c = context;
    for (int i = 0; i < c->n; i++) {
        const struct heddle_piece *piece = &c->pieces[i];
        const struct heddle_box mine = landing(piece, box);
        if (heddle__box_size(&mine, piece->space.ndim) == 0) continue;
        if (!(piece->outside ? call_outside(&c->s[i], mine, &piece->hole)
                             : call_pieces(&c->s[i], &mine)))
            return false;
    }
    return true;
}

bool heddle__cut_assemble(struct heddle_planner *p, int32_t array, int n,
                          const struct heddle_piece *pieces, int n_nodes, enum heddle_assembly how)
{
    struct pieces *s = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *s);
    struct progress g = {0};
    if (!s) return false;
    for (int i = 0; i < n; i++) {
        if (!pieces[i].program ||
            !start_pieces(&s[i], p, pieces[i].builder, pieces[i].program, &pieces[i].space))
            return false;
        s[i].progress = &g;
    }
    struct assemble_cut c = {n, pieces, s};
    const struct step step = {.program = n ? pieces[n - 1].program : NULL,
                              .name = "assemble",
                              .n_nodes = n_nodes,
                              .part = assemble_part,
                              .context = &c,
                              .progress = &g,
                              .how = how};
    return cut_parts(p, p->plan->arrays[array].grid, &step);
}

/* ---- Copies --------------------------------------------------------------------------------------------- */

/* The program of a copy between arrays of one shape; false: memory is gone. */
static const struct heddle_program *copy_program(struct heddle_planner *p, int32_t from, int32_t to,
                                                 struct heddle_builder **builder)
{
    const struct heddle_plan_array *a = &p->plan->arrays[from];
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
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
    const enum heddle_dtype dtype = (enum heddle_dtype)p->plan->arrays[array].dtype;
    const int32_t copy = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, dtype, grid);
    if (copy < 0) return -1;
    struct heddle_builder *b;
    const struct heddle_program *program = copy_program(p, array, copy, &b);
    const struct heddle_space space = {grid->ndim, grid->ndim, grid->shape, 0, "gather"};
    if (!program || !heddle__cut_map(p, b, program, &space, grid)) return -1;
    return copy;
}

/* What a part of the widened array reads: the map moves from part to part. */
struct overlap {
    struct pieces pieces;
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
    return call_pieces(&o->pieces, box);
}

int32_t heddle__cut_overlap(struct heddle_planner *p, int32_t array)
{
    struct heddle_grid *const grid = p->plan->arrays[array].grid;
    if (!grid->overlaps) return array;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->plan->arrays[array].dtype;
    struct heddle_grid *wide = heddle__grid_widened(grid);
    const int32_t copy = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, dtype, wide);
    if (copy < 0) return -1;
    struct overlap o = {.grid = grid};
    struct progress g = {0};
    const struct heddle_program *program = copy_program(p, array, copy, &o.builder);
    const struct heddle_space space = {wide->ndim, wide->ndim, wide->shape, 0, "overlap"};
    if (!program || !start_pieces(&o.pieces, p, o.builder, program, &space)) return -1;
    o.pieces.progress = &g;
    const struct step step = {.program = program,
                              .name = space.name,
                              .part = overlap_part,
                              .context = &o,
                              .progress = &g};
    const bool asked = p->asked;
    p->asked = true; /* who declares an overlap wants it to move */
    const bool ok = cut_parts(p, wide, &step);
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
