/* Writing by position to tasks: one for each part of the array, which reads all positions and values and takes what is
 * its own. Entry point: heddle__scatter_cut. */
#include "families/scatter/scatter.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    const heddle_array *node;
    const struct heddle_scatter_params *params;
    int n_lead; /* axes before those of a row */
    int32_t in, positions, values, out;
    bool updates; /* `out` is made in the memory of `in` */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static void set_axes(const struct cut *s, const struct heddle_box *box, struct heddle_scatter *call)
{
    const heddle_array *node = s->node;
    int n = 0;
    for (int d = 0; d < node->ndim; d++) call->shape[d] = node->shape[d];
    for (int d = 0; d < s->n_lead; d++) {
        const int64_t extent = node->shape[d];
        const bool whole = box->lo[d] == 0 && box->hi[d] == extent;
        if (n > 0 && whole) {
            call->extent[n - 1] *= extent;
            call->lo[n - 1] *= extent;
            call->hi[n - 1] *= extent;
            continue;
        }
        call->extent[n] = extent;
        call->lo[n] = box->lo[d];
        call->hi[n++] = box->hi[d];
    }
    if (n == 0) call->extent[n] = call->hi[n] = 1, n = 1;
    call->n_axes = n;
    call->n_rows = 1;
    for (int d = 0; d < n; d++) call->n_rows *= call->hi[d] - call->lo[d];
}

static bool scatter_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const heddle_array *node = s->node;
    const enum heddle_dtype dtype = (enum heddle_dtype)node->dtype;
    const struct heddle_box box = heddle__grid_part(grid_of(p, s->out), part);
    const double bytes = (double)heddle_dtype_size(dtype),
                 size = (double)heddle__box_size(&box, node->ndim),
                 n_updates = (double)node->in[1]->size * (double)s->params->row,
                 n_values = (double)node->in[2]->size;
    struct heddle_scatter *call =
        heddle__task_call(p, &heddle__scatter_family, sizeof *call, s->params->add ? n_updates : 0,
                          (s->updates ? 0 : 2 * size * bytes) + (2 * n_updates + n_values) * bytes +
                              8 * (double)node->in[1]->size);
    if (!call) return false;
    *call = (struct heddle_scatter){.dtype = (uint8_t)dtype,
                                    .element_bytes = (uint8_t)heddle_dtype_size(dtype),
                                    .add = s->params->add != 0,
                                    .name = (uint8_t)s->params->name,
                                    .n = node->in[1]->size,
                                    .row = s->params->row,
                                    .per_update = heddle__scatter_per_update(node),
                                    .per_element = node->in[2]->size > 1};
    set_axes(s, &box, call);
    if (!s->updates) call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->positions = heddle__task_use(p, s->positions, 0, HEDDLE_READ);
    call->values = heddle__task_use(p, s->values, 0, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, s->updates ? HEDDLE_READ_WRITE : HEDDLE_WRITE);
    if (s->updates) call->in = call->out;
    return true;
}

static int32_t operand(struct heddle_planner *p, int32_t at, int i)
{
    const struct heddle_map *map;
    return heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &map));
}

/* Makes the result in the memory of the array, if nobody else reads that: of a node's, or of a copy, `is_copy`. */
static void share_memory(struct heddle_planner *p, int32_t at, struct cut *s, bool is_copy)
{
    if (!heddle__grid_equal(grid_of(p, s->out), grid_of(p, s->in))) return;
    s->updates = is_copy || heddle__operand_to_update(p, &p->values[at], 0) == s->in;
    if (s->updates) heddle__share_array(p->plan, s->out, s->in);
}

bool heddle__scatter_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.node = node, .params = heddle__params_of(node), .n_lead = node->ndim};
    for (int64_t row = 1; row < s.params->row; s.n_lead--) row *= node->shape[s.n_lead - 1];

    /* rows are not cut; positions and values are not cut at all */
    s.in = operand(p, at, 0);
    if (s.in < 0) return false;
    const bool asked = grid_of(p, s.in)->asked;
    const int32_t whole = s.in;
    for (int d = s.n_lead; d < node->ndim && s.in >= 0; d++)
        s.in = heddle__cut_in_units(p, s.in, d, 0);
    s.positions = operand(p, at, 1);
    s.values = operand(p, at, 2);
    if (s.in < 0 || s.positions < 0 || s.values < 0 ||
        (s.positions = heddle__cut_one_part(p, s.positions)) < 0 ||
        (s.values = heddle__cut_one_part(p, s.values)) < 0)
        return false;

    const struct heddle_grid *in = grid_of(p, s.in);
    struct heddle_grid *grid =
        in->ndim > 0 ? heddle__grid_beside(in, 0, in->bound[0]) : heddle__grid_one(0, node->shape);
    if (!grid) return false;
    grid->asked = asked;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    if (!p->failed) share_memory(p, at, &s, s.in != whole);
    return !p->failed && heddle__cut_parts(p, &heddle__scatter_family, "scatter", 1,
                                           grid_of(p, s.out), scatter_part, &s);
}
