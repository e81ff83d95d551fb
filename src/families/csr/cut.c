/* Products of sparse matrices to tasks: one for each part of the matrix, where its entries live. The starts of the rows,
 * and x, are whole. Entry point: heddle__csr_cut. */
#include "families/csr/csr.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    const heddle_array *node;
    const struct heddle_csr_params *params;
    int n_parts;
    int32_t in[4], out; /* data, indices, starts, x */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static bool calls(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const heddle_array *x = s->node->in[3], *data = s->node->in[0];
    const struct heddle_csr_params *m = s->params;
    const bool cut = s->n_parts > 1;
    struct heddle_csr_call call = {
        .dtype = s->node->dtype,
        .index_bytes = (uint8_t)p->plan->arrays[s->in[1]].element_bytes,
        .lanes = (uint8_t)m->lanes,
        .first_row = cut ? m->row[part] : 0,
        .n_rows = cut ? m->row[part + 1] - m->row[part] : s->node->shape[0],
        .first_entry = cut ? m->entry[part] : 0,
        .n_entries = cut ? m->entry[part + 1] - m->entry[part] : data->size,
        .x_rows = x->shape[0],
        .columns = x->ndim > 1 ? x->shape[1] : 1};
    const double size = (double)heddle_dtype_size((enum heddle_dtype)call.dtype),
                 entries = (double)call.n_entries, columns = (double)call.columns;
    struct heddle_csr_call *to =
        heddle__task_call(p, &heddle__csr_family, sizeof *to, 2 * entries * columns,
                          entries * (size + call.index_bytes) +
                              (double)call.n_rows * (size * columns + 8) + (double)x->size * size);
    if (!to) return false;
    *to = call;
    to->starts = heddle__task_use(p, s->in[2], 0, HEDDLE_READ);
    to->x = heddle__task_use(p, s->in[3], 0, HEDDLE_READ);
    /* a part without entries may be one that no task writes: any buffer stands for it */
    const bool any = call.n_entries > 0;
    to->data = any ? heddle__task_use(p, s->in[0], cut ? part : 0, HEDDLE_READ) : to->x;
    to->indices = any ? heddle__task_use(p, s->in[1], cut ? part : 0, HEDDLE_READ) : to->x;
    to->y = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return !p->failed;
}

/* Whether the array is cut where the parts of the matrix end. */
static bool is_cut_so(const struct heddle_grid *grid, const struct heddle_csr_params *m)
{
    bool same = grid->n[0] == m->n_parts;
    for (int64_t i = 0; i <= m->n_parts && same; i++) same = grid->bound[0][i] == m->entry[i];
    return same;
}

/* Parts of rows, placed where their entries are. */
static struct heddle_grid *result_grid(const struct heddle_planner *p, const struct cut *s)
{
    const heddle_array *node = s->node;
    const struct heddle_grid *entries = grid_of(p, s->in[0]);
    const int64_t n[2] = {s->n_parts, 1}, one[2] = {0, node->ndim > 1 ? node->shape[1] : 0},
                  whole[2] = {0, node->shape[0]};
    const int64_t *const bounds[2] = {s->n_parts > 1 ? s->params->row : whole, one};
    struct heddle_grid *grid = heddle__grid_make(node->ndim, node->shape, n, bounds);
    if (!grid || !entries->place) return grid;
    struct heddle_grid *placed = heddle__grid_place(grid, s->n_parts, entries->place);
    heddle__grid_release(grid);
    if (placed) placed->asked = entries->asked;
    return placed;
}

bool heddle__csr_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_map *map;
    struct cut s = {.node = node, .params = heddle__params_of(node), .n_parts = 1};
    for (int i = 0; i < 4; i++) {
        s.in[i] = heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &map));
        if (s.in[i] < 0) return false;
    }
    if (s.params->n_parts > 1 && is_cut_so(grid_of(p, s.in[0]), s.params) &&
        is_cut_so(grid_of(p, s.in[1]), s.params))
        s.n_parts = (int)s.params->n_parts;
    for (int i = 0; i < 4; i++) {
        if (i < 2 && s.n_parts > 1) continue;
        if ((s.in[i] = heddle__cut_one_part(p, s.in[i])) < 0) return false;
    }
    struct heddle_grid *grid = result_grid(p, &s);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed &&
           heddle__cut_parts(p, &heddle__csr_family, "csr", 1, grid_of(p, s.out), calls, &s);
}
