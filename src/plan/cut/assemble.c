/* Assembled arrays to tasks: each task computes what lands in its part of the result. Entry point:
 * heddle__cut_assemble. */
#include "plan/cut/by_part.h"

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

/* The elements of an input that land in `part`. */
static struct heddle_box landing(const struct heddle_inset *inset, const struct heddle_box *part)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = 0; d < inset->space.ndim; d++) {
        const int64_t start = inset->landing.start[d];
        const int64_t step = inset->landing.step[d] > 0 ? inset->landing.step[d] : 1;
        const int64_t lo = ceil_div(part->lo[d] - start, step);
        const int64_t hi = ceil_div(part->hi[d] - start, step);
        box.lo[d] = lo > 0 ? lo : 0;
        box.hi[d] = hi < inset->space.extent[d] ? hi : inset->space.extent[d];
    }
    return box;
}

/* Adds calls for `box` without `hole`: for slabs before and after the hole, axis by axis. */
static bool call_outside(struct heddle_pieces *s, struct heddle_box box,
                         const struct heddle_box *hole)
{
    struct heddle_box inside;
    if (!heddle__box_intersect(&box, hole, s->space->ndim, &inside))
        return heddle__pieces_call(s, &box);
    for (int d = 0; d < s->space->ndim; d++) {
        struct heddle_box slab = box;
        slab.hi[d] = inside.lo[d];
        if (!heddle__pieces_call(s, &slab)) return false;
        slab = box;
        slab.lo[d] = inside.hi[d];
        if (!heddle__pieces_call(s, &slab)) return false;
        box.lo[d] = inside.lo[d];
        box.hi[d] = inside.hi[d];
    }
    return true;
}

struct assemble_cut {
    int n;
    const struct heddle_inset *insets;
    struct heddle_pieces *s; /* [n] */
};

static bool assemble_part(void *context, const struct heddle_box *box)
{
    const struct assemble_cut *c = context;
    for (int i = 0; i < c->n; i++) {
        const struct heddle_inset *inset = &c->insets[i];
        struct heddle_box mine = landing(inset, box);
        if (heddle__box_size(&mine, inset->space.ndim) == 0 ||
            (inset->only && !heddle__box_intersect(&mine, inset->only, inset->space.ndim, &mine)))
            continue;
        if (!(inset->outside ? call_outside(&c->s[i], mine, &inset->hole)
                             : heddle__pieces_call(&c->s[i], &mine)))
            return false;
    }
    return true;
}

bool heddle__cut_assemble(struct heddle_planner *p, const struct heddle_grid *grid, int n,
                          const struct heddle_inset *insets, int n_nodes, enum heddle_assembly how)
{
    struct heddle_pieces *s = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *s);
    struct heddle_progress g = {0};
    if (!s) return false;
    for (int i = 0; i < n; i++) {
        if (!insets[i].program ||
            !heddle__pieces_start(&s[i], p, insets[i].builder, insets[i].program, &insets[i].space))
            return false;
        s[i].progress = &g;
    }
    struct assemble_cut c = {n, insets, s};
    const struct heddle_inset *last = n ? &insets[n - 1] : NULL;
    const struct heddle_part_step step = {.program = last ? last->program : NULL,
                                          .name = last && last->space.name ? last->space.name
                                                                           : "assemble",
                                          .n_nodes = n_nodes,
                                          .part = assemble_part,
                                          .context = &c,
                                          .progress = &g,
                                          .how = how};
    return heddle__cut_by_part(p, grid, &step);
}
