/* Indices that are sums of numbers along axes, as those of sliding windows are: which elements they mean is a matter of
 * strides, so that a program copies them. Entry points: heddle__gather_see, heddle__gather_cut_strides. */
#include "families/gather/strides.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

/* Adds what the lines are for a box of the result that begins at lo and reads a part, walked by the axes that are not indexed. */
static void add_lines(const struct heddle_gather_strides *s, const struct heddle_grid *in,
                      int64_t part, int ndim, const int64_t *lo, struct heddle_access *access)
{
    const struct heddle_box from = heddle__grid_part(in, part);
    int64_t along[HEDDLE_MAX_NDIM], next = 1;
    for (int d = in->ndim - 1; d >= 0; d--) {
        along[d] = next;
        next *= from.hi[d] - from.lo[d];
    }
    for (int k = 0; k < s->n; k++) {
        if (s->axis[k] < 0) continue;
        const struct heddle_line line = heddle__line_through(&s->line[k], &s->by[k]);
        const int64_t step = s->step[k] * along[s->axis[k]];
        access->offset += step * line.first;
        for (int d = 0; d < ndim; d++) {
            access->offset += step * line.step[d] * lo[d];
            access->stride[d] += step * line.step[d];
        }
    }
}

bool heddle__gather_see(struct heddle_planner *p, int32_t at, const struct heddle_gather_strides *s)
{
    struct heddle_value *v = &p->values[at];
    const struct heddle_grid *in = p->plan->arrays[s->in].grid;
    const int64_t lo[HEDDLE_MAX_NDIM] = {0};
    struct heddle_access *seen = heddle__arena_alloc(p->plan->arena, sizeof *seen);
    struct heddle_grid *grid = heddle__grid_one(v->node->ndim, v->node->shape);
    if (grid && in->place) {
        struct heddle_grid *placed = heddle__grid_place(grid, 1, in->place);
        heddle__grid_release(grid);
        grid = placed;
    }
    if (!seen) heddle__grid_release(grid);
    if (!seen) return false;
    *seen = heddle__part_access(in, 0, s->in_map, lo);
    add_lines(s, in, 0, v->node->ndim, lo, seen);
    v->array = heddle__plan_add_like(p, s->in, grid);
    if (v->array < 0) return false;
    v->shares = true;
    p->plan->arrays[v->array].seen = seen;
    heddle__share_array(p->plan, v->array, s->in);
    return true;
}

struct copy {
    const struct heddle_gather_strides *s;
    struct heddle_builder *b;
    const struct heddle_program *program;
    const uint32_t *constants;
    struct heddle_space space;
};

/* The program reads what `in_map` says, to which the lines are added. */
static bool copy_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct copy *c = context;
    const struct heddle_gather_strides *s = c->s;
    const struct heddle_grid *in = p->plan->arrays[s->in].grid, *out = p->plan->arrays[s->out].grid;
    const struct heddle_box box = heddle__grid_part(out, part);
    const struct heddle_launch *launch = heddle__call_program(
        p, c->b, c->program, &c->space, c->constants, &box, part, HEDDLE_PHASE_WHOLE);
    if (!launch) return false;
    add_lines(s, in, heddle__part_at(in, s->in_map, box.lo), out->ndim, box.lo, &launch->access[0]);
    return true;
}

bool heddle__gather_cut_strides(struct heddle_planner *p, const struct heddle_gather_strides *s)
{
    const struct heddle_grid *grid = p->plan->arrays[s->out].grid;
    struct copy c = {.s = s, .space = {grid->ndim, grid->ndim, grid->shape, 0, "gather"}};
    c.b = heddle__arena_alloc(&p->scratch, sizeof *c.b);
    if (!c.b) return false;
    heddle__build_start(c.b);
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[s->in]);
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    const uint16_t value = heddle__build_load(c.b, s->in, dtype, s->in_map);
    heddle__build_store(c.b, value, s->out, dtype, &identity);
    c.program = heddle__plan_program(p, c.b);
    if (!c.program) return false;
    c.constants = heddle__call_constants(p, c.b);
    if (!c.constants) return false;
    heddle__halos_clear(p);
    return heddle__cut_parts(p, &heddle__program_family, "gather", 1, grid, copy_part, &c);
}
