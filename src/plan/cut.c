/* Last pass: elementwise steps and assembled arrays to tasks, one a part of the result. Entry points:
 * heddle__cut_map, heddle__cut_assemble, heddle__cut_one_part (planner.h). */
#include "plan/tasks.h"

/* A call for each piece of one program in the current task. */
struct pieces {
    struct heddle_planner *p;
    struct heddle_builder *b;
    const struct heddle_program *program;
    const struct heddle_space *space;
    const uint32_t *constants;
    int64_t part;
    heddle_place place; /* of the part */
    bool collecting;    /* halos; no call is made yet */
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

static bool call_piece(void *context, const struct heddle_box *box)
{
    struct pieces *s = context;
    if (s->collecting) {
        for (int k = 0; k < s->n_reads; k++) {
            const struct heddle_read *r = &s->reads[k];
            const struct heddle_box region = heddle__map_region(r->map, box);
            if (!heddle__halo_want(s->p, s->arrays[k], heddle__part_at(r->grid, r->map, box->lo),
                                   s->place, &region))
                return false;
        }
        return true;
    }
    return heddle__call_program(s->p, s->b, s->program, s->space, s->constants, box, s->part,
                                HEDDLE_PHASE_WHOLE) != NULL;
}

static bool call_pieces(struct pieces *s, const struct heddle_box *box)
{
    if (heddle__box_size(box, s->space->ndim) == 0) return true;
    return heddle__for_pieces(s->p, s->space->ndim, box, s->n_reads, s->reads, call_piece, s);
}

/* Runs `parts` twice when parts have places: once to collect and cut out halos, then for tasks. */
static bool with_halos(struct heddle_planner *p, const struct heddle_grid *grid,
                       bool (*parts)(void *context, bool collecting), void *context)
{
    heddle__halos_clear(p);
    if (grid->place && !(parts(context, true) && heddle__halos_cut(p))) return false;
    return parts(context, false) && !p->failed;
}

struct map_cut {
    struct pieces *s;
    const struct heddle_grid *grid;
};

static bool map_parts(void *context, bool collecting)
{
    struct map_cut *c = context;
    struct pieces *s = c->s;
    s->collecting = collecting;
    if (!collecting && !heddle__step_begin(s->p, HEDDLE_FAMILY_PROGRAM, s->program, s->space->name,
                                           s->space->n_nodes))
        return false;
    for (int64_t part = 0; part < c->grid->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(c->grid, part);
        s->part = part;
        s->place = heddle__grid_place_of(c->grid, part);
        if ((!collecting && !heddle__task_begin(s->p)) || !call_pieces(s, &box)) return false;
        if (!collecting) heddle__task_end(s->p);
    }
    return true;
}

bool heddle__cut_map(struct heddle_planner *p, struct heddle_builder *b,
                     const struct heddle_program *program, const struct heddle_space *space,
                     const struct heddle_grid *grid)
{
    struct pieces s;
    struct map_cut c = {&s, grid};
    return start_pieces(&s, p, b, program, space) && with_halos(p, grid, map_parts, &c);
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
    struct heddle_planner *p;
    const struct heddle_grid *grid;
    int n, n_nodes;
    const struct heddle_piece *pieces;
    struct pieces *s; /* [n] */
};

static bool assemble_parts(void *context, bool collecting)
{
    struct assemble_cut *c = context;
    struct heddle_planner *p = c->p;
    if (!collecting &&
        !heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, c->n ? c->pieces[c->n - 1].program : NULL,
                            "assemble", c->n_nodes))
        return false;
    for (int64_t part = 0; part < c->grid->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(c->grid, part);
        if (!collecting && !heddle__task_begin(p)) return false;
        for (int i = 0; i < c->n; i++) {
            const struct heddle_piece *piece = &c->pieces[i];
            const struct heddle_box mine = landing(piece, &box);
            struct pieces *s = &c->s[i];
            s->part = part;
            s->place = heddle__grid_place_of(c->grid, part);
            s->collecting = collecting;
            if (heddle__box_size(&mine, piece->space.ndim) == 0) continue;
            if (!(piece->outside ? call_outside(s, mine, &piece->hole) : call_pieces(s, &mine)))
                return false;
        }
        if (!collecting) heddle__task_end(p);
    }
    return true;
}

bool heddle__cut_assemble(struct heddle_planner *p, int32_t array, int n,
                          const struct heddle_piece *pieces, int n_nodes)
{
    struct pieces *s = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *s);
    if (!s) return false;
    for (int i = 0; i < n; i++)
        if (!pieces[i].program ||
            !start_pieces(&s[i], p, pieces[i].builder, pieces[i].program, &pieces[i].space))
            return false;
    const struct heddle_grid *grid = p->plan->arrays[array].grid;
    struct assemble_cut c = {p, grid, n, n_nodes, pieces, s};
    return with_halos(p, grid, assemble_parts, &c);
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

bool heddle__call_copy(struct heddle_planner *p, int32_t from, int32_t to, int64_t part)
{
    const struct heddle_grid *grid = p->plan->arrays[to].grid;
    const struct heddle_box box = heddle__grid_part(grid, part);
    struct heddle_builder *b;
    const struct heddle_program *program = copy_program(p, from, to, &b);
    const struct heddle_space space = {grid->ndim, grid->ndim, grid->shape, 0, "gather"};
    struct pieces s;
    if (!program || !start_pieces(&s, p, b, program, &space)) return false;
    s.part = part;
    return call_pieces(&s, &box);
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
