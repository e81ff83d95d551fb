/* Brings parts together within a task: copies what a part of one array has of another that is cut finer.
 * One program copies several pieces of equal extents, so that a task of many small ones is not all
 * launches. Entry point: heddle__call_collect. */
#include "plan/cut/cut.h"

enum { TOGETHER = 8 }; /* pieces of a call; each number of them is a program */

struct collection {
    struct heddle_planner *p;
    int32_t from, to;
    int64_t part; /* of `to` */
    int n;
    struct heddle_box boxes[TOGETHER]; /* of equal extents */
};

static bool same_extent(const struct heddle_box *a, const struct heddle_box *b, int ndim)
{
    for (int d = 0; d < ndim; d++)
        if (a->hi[d] - a->lo[d] != b->hi[d] - b->lo[d]) return false;
    return true;
}

/* Adds one call for the pieces so far: each is an operand to read and one to write. */
static bool flush(struct collection *s)
{
    struct heddle_planner *p = s->p;
    const int ndim = p->plan->arrays[s->to].grid->ndim;
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[s->to]);
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (!b) return false;
    heddle__build_start(b);
    struct heddle_box box = {{0}, {0}};
    for (int i = 0; i < s->n; i++) {
        struct heddle_map map = heddle__map_identity(ndim);
        for (int d = 0; d < ndim; d++) {
            map.offset[d] = s->boxes[i].lo[d];
            box.hi[d] = s->boxes[i].hi[d] - s->boxes[i].lo[d];
        }
        const uint16_t value = heddle__build_load(b, s->from, dtype, &map);
        heddle__build_store(b, value, s->to, dtype, &map);
    }
    s->n = 0;
    const struct heddle_space space = {ndim, ndim, box.hi, 0, "collect"};
    const struct heddle_program *program = heddle__plan_program(p, b);
    const uint32_t *constants = heddle__call_constants(p, b);
    return program && constants &&
           heddle__call_program(p, b, program, &space, constants, &box, s->part,
                                HEDDLE_PHASE_WHOLE);
}

static bool add(void *context, const struct heddle_box *box)
{
    struct collection *s = context;
    const int ndim = s->p->plan->arrays[s->to].grid->ndim;
    if (heddle__box_size(box, ndim) == 0) return true;
    if (s->n > 0 && (s->n == TOGETHER || !same_extent(&s->boxes[0], box, ndim)) && !flush(s))
        return false;
    s->boxes[s->n++] = *box;
    return true;
}

bool heddle__call_collect(struct heddle_planner *p, int32_t from, int32_t to, int64_t part)
{
    const struct heddle_grid *grid = p->plan->arrays[to].grid;
    const struct heddle_box box = heddle__grid_part(grid, part);
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    const struct heddle_read read = {p->plan->arrays[from].grid, &identity};
    struct collection s = {.p = p, .from = from, .to = to, .part = part};
    if (!heddle__for_pieces(p, grid->ndim, &box, 1, &read, add, &s)) return false;
    return s.n == 0 || flush(&s);
}
