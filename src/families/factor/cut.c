/* Factorisations to tasks. They look to the right: each panel, when it is factored, updates the columns after it. A batch
 * has one panel. Entry points: heddle__cholesky_cut, heddle__lu_cut, heddle__qr_cut, heddle__reflect_cut,
 * heddle__triangular_cut. */
#include "families/factor/factor.h"
#include "plan/cut/cut.h"
#include "plan/partition/derive.h"

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* How many panels a matrix has. */
static int64_t panels_of(const struct heddle_planner *p, int32_t array)
{
    const struct heddle_grid *grid = grid_of(p, array);
    return grid->n[grid->ndim - 2];
}

/* Those that have a pivot or a reflector. */
static int64_t pivoted_of(const struct heddle_planner *p, int32_t array)
{
    const struct heddle_grid *grid = grid_of(p, array);
    int64_t n = 0;
    while (n < grid->n[grid->ndim - 2] &&
           grid->bound[grid->ndim - 2][n] < grid->shape[grid->ndim - 1])
        n++;
    return n;
}

static double flops_of_node(const heddle_array *a)
{
    const double m = (double)a->shape[a->ndim - 1];
    const double kind = heddle_dtype_kind((enum heddle_dtype)a->dtype) == 'C' ? 4 : 1;
    return kind * (double)a->size * m;
}

static struct heddle_factor_cut begin(const struct heddle_planner *p, const heddle_array *node,
                                      const char *title)
{
    return (struct heddle_factor_cut){
        .family = heddle__family_of(node),
        .title = title,
        .first = p->plan->n_tasks,
        .call = {.dtype = node->dtype, .rows = node->shape[node->ndim - 1]},
        .panels = -1,
        .blocks = -1,
        .below = -1,
        .scales = -1,
        .pivots = -1,
        .order = -1,
        .signs = -1};
}

/* Panel after panel, each followed by what it updates. The task that brings the next panel up to date factors it, too: all
 * others wait for it, and a GPU that is asked for one more task has others in its stream. */
static bool add_panels(struct heddle_planner *p, struct heddle_factor_cut *cut, uint8_t factor,
                       uint8_t send, uint8_t update)
{
    const int64_t n = panels_of(p, cut->panels), pivoted = pivoted_of(p, cut->panels);
    for (int64_t k = -1; k < pivoted; k++)
        for (int64_t j = k + 1; j < n; j++) {
            if (k >= 0 && !heddle__factor_add(p, cut, update, k, j)) return false;
            if (j > k + 1 || j == pivoted) continue;
            if (!heddle__factor_join(p, cut, factor, j, -1)) return false;
            if (cut->below >= 0 && j + 1 < n && !heddle__factor_join(p, cut, send, j, -1))
                return false;
        }
    return true;
}

/* An array of what panels send, a part for each: what is below their diagonal blocks or, of QR, reflectors and a square.
 * -1: memory is gone. */
static int32_t make_below(struct heddle_planner *p, int32_t panels, bool reflectors)
{
    const struct heddle_grid *grid = grid_of(p, panels);
    const int64_t n = grid->n[0], rows = grid->shape[1];
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *bounds);
    if (!bounds) return -1;
    bounds[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t first = grid->bound[0][k], end = grid->bound[0][k + 1];
        const int64_t last = end < rows ? end : rows, width = last > first ? last - first : 0;
        bounds[k + 1] = bounds[k] + width * (reflectors ? rows - first + width : rows - last);
    }
    const int64_t *const at[1] = {bounds};
    struct heddle_grid *cut = heddle__grid_make(1, &bounds[n], &n, at);
    struct heddle_grid *placed =
        cut && grid->place ? heddle__grid_place(cut, n, grid->place) : heddle__grid_retain(cut);
    heddle__grid_release(cut);
    return heddle__plan_add_like(p, panels, placed);
}

bool heddle__cholesky_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct heddle_factor_cut cut = begin(p, node, "cholesky");
    const int32_t from = heddle__factor_source(p, at, 0);
    struct heddle_grid *grid =
        from >= 0 ? heddle__factor_grid(p, from, node->ndim, node->shape, flops_of_node(node) / 3)
                  : NULL;
    if (!grid) return false;
    cut.call.name = HEDDLE_FACTOR_CHOLESKY;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    cut.panels = cut.blocks = p->values[at].array;
    if (p->failed) return false;
    if (panels_of(p, cut.panels) > 1 && (cut.below = make_below(p, cut.panels, false)) < 0)
        return false;
    return heddle__factor_copy(p, at, 0, cut.panels, true) &&
           add_panels(p, &cut, HEDDLE_CHOLESKY_PANEL, HEDDLE_CHOLESKY_SEND,
                      HEDDLE_CHOLESKY_UPDATE) &&
           heddle__factor_tasks(p, &cut);
}

/* Makes output i of a value; NULL: memory is gone. Takes over the reference of `grid`. */
static int32_t make_output(struct heddle_planner *p, int32_t at, int i, enum heddle_dtype dtype,
                           struct heddle_grid *grid)
{
    if (!grid) return -1;
    heddle__make_output_array(p, at, i, dtype, grid);
    heddle__grid_release(grid);
    return p->failed ? -1 : p->values[at].outputs[i];
}

/* Makes output 0, the panels, of an operation of so many flops. */
static bool begin_panels(struct heddle_planner *p, int32_t at, const char *title, double flops,
                         struct heddle_factor_cut *cut)
{
    const heddle_array *node = p->values[at].node;
    *cut = begin(p, node, title);
    const int32_t from = heddle__factor_source(p, at, 0);
    if (from < 0) return false;
    cut->panels = cut->blocks =
        make_output(p, at, 0, (enum heddle_dtype)node->dtype,
                    heddle__factor_grid(p, from, node->ndim, node->shape, flops));
    return cut->panels >= 0;
}

bool heddle__lu_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const int last = node->ndim - 1;
    const int64_t m = node->shape[last], n = node->shape[last - 1], k = m < n ? m : n;
    struct heddle_factor_cut cut;
    if (!begin_panels(p, at, "lu", 2 * flops_of_node(node) / 3, &cut)) return false;
    const struct heddle_grid *grid = grid_of(p, cut.panels);
    cut.order = make_output(p, at, 1, HEDDLE_INT64, heddle__factor_vectors(p, grid, m, true));
    grid = grid_of(p, cut.panels);
    struct heddle_grid *one = heddle__grid_kept(p, grid, node->ndim - 2);
    cut.signs = make_output(p, at, 2, HEDDLE_INT64, one);
    grid = grid_of(p, cut.panels);
    cut.scales = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, 0, HEDDLE_INT64,
                                        heddle__factor_vectors(p, grid, k, false));
    if (cut.order < 0 || cut.signs < 0 || cut.scales < 0) return false;
    cut.call.n_pivots = k;

    const int64_t panels = panels_of(p, cut.panels);
    if (!heddle__factor_copy(p, at, 0, cut.panels, false) ||
        !add_panels(p, &cut, HEDDLE_LU_PANEL, HEDDLE_FACTOR_STEPS, HEDDLE_LU_UPDATE))
        return false;
    if (panels == 1)
        cut.pivots = cut.scales;
    else if (!heddle__factor_tasks(p, &cut) ||
             (cut.pivots = heddle__cut_one_part(p, cut.scales)) < 0)
        return false;
    if (panels > 1) { /* the pivots are together now */
        cut.n_tasks = 0;
        cut.title = "swap";
    }
    for (int64_t j = 0; j + 1 < pivoted_of(p, cut.panels); j++)
        if (!heddle__factor_add(p, &cut, HEDDLE_LU_SWAP, -1, j)) return false;
    return heddle__factor_add(p, &cut, HEDDLE_LU_ORDER, -1, -1) && heddle__factor_tasks(p, &cut);
}

bool heddle__qr_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const int last = node->ndim - 1;
    const int64_t m = node->shape[last], n = node->shape[last - 1];
    struct heddle_factor_cut cut;
    if (!begin_panels(p, at, "qr", 4 * flops_of_node(node) / 3, &cut)) return false;
    cut.scales =
        make_output(p, at, 1, (enum heddle_dtype)node->dtype,
                    heddle__factor_vectors(p, grid_of(p, cut.panels), m < n ? m : n, false));
    if (cut.scales < 0) return false;
    if (panels_of(p, cut.panels) > 1 && (cut.below = make_below(p, cut.panels, true)) < 0)
        return false;
    return heddle__factor_copy(p, at, 0, cut.panels, false) &&
           add_panels(p, &cut, HEDDLE_QR_PANEL, HEDDLE_QR_SEND, HEDDLE_QR_UPDATE) &&
           heddle__factor_tasks(p, &cut);
}

bool heddle__factor_is_of_batch(const struct heddle_grid *grid)
{
    for (int d = 0, seen = 0; d < grid->ndim; d++) {
        if (grid->n[d] > 1 && (seen || d >= grid->ndim - 2)) return false;
        seen |= grid->shape[d] > 1;
    }
    return true;
}

/* An operand as panels: where it is, if it is cut in whole columns. */
static int32_t panels_operand(struct heddle_planner *p, int32_t at, int i, double flops)
{
    const heddle_array *in = p->values[at].node->in[i];
    const int32_t from = heddle__factor_source(p, at, i);
    if (from < 0) return -1;
    const struct heddle_map *view;
    (void)heddle__whole_input(p, &p->values[at], i, &view);
    const struct heddle_grid *grid = grid_of(p, from);
    if (!view && (in->ndim == 2 ? grid->n[1] == 1 && grid->n[0] <= in->shape[0]
                                : heddle__factor_is_of_batch(grid)))
        return from;
    return heddle__factor_operand(p, at, i,
                                  heddle__factor_grid(p, from, in->ndim, in->shape, flops));
}

struct heddle_grid *heddle__factor_beside(const struct heddle_grid *matrices,
                                          struct heddle_grid *alone)
{
    if (!alone || alone->ndim == 2) return alone;
    const int64_t *at[HEDDLE_MAX_NDIM];
    int64_t n[HEDDLE_MAX_NDIM], whole[2][2] = {{0, 0}, {0, 0}};
    const int nb = alone->ndim - 2;
    for (int d = 0; d < alone->ndim; d++) {
        n[d] = d < nb ? matrices->n[d] : 1;
        at[d] = d < nb ? matrices->bound[d] : whole[d - nb];
        if (d >= nb) whole[d - nb][1] = alone->shape[d];
    }
    struct heddle_grid *cut = heddle__grid_make(alone->ndim, alone->shape, n, at);
    heddle__grid_release(alone);
    if (!cut || !matrices->place) return cut;
    struct heddle_grid *placed = heddle__grid_place(cut, cut->n_parts, matrices->place);
    heddle__grid_release(cut);
    return placed;
}

bool heddle__reflect_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node, *in = node->in[0];
    const int last = node->ndim - 1;
    const int64_t m = in->shape[last], n = in->shape[last - 1];
    struct heddle_factor_cut cut = begin(p, node, "reflect");
    cut.panels = panels_operand(p, at, 0, 4 * flops_of_node(in) / 3);
    if (cut.panels < 0) return false;
    cut.scales = heddle__factor_operand(
        p, at, 1, heddle__factor_vectors(p, grid_of(p, cut.panels), m < n ? m : n, false));
    if (cut.scales < 0) return false;
    struct heddle_grid *grid =
        panels_of(p, cut.panels) == 1 && node->ndim == 2
            ? heddle__grid_one(2, node->shape)
            : heddle__factor_beside(grid_of(p, cut.panels),
                                    heddle__factor_grid(p, cut.panels, node->ndim, node->shape,
                                                        4 * flops_of_node(node) / 3));
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    cut.blocks = p->values[at].array;
    if (p->failed) return false;
    /* columns of the identity are changed only by reflectors that begin before they end */
    const struct heddle_grid *panels = grid_of(p, cut.panels), *blocks = grid_of(p, cut.blocks);
    const int64_t pivoted = pivoted_of(p, cut.panels);
    if (panels_of(p, cut.panels) > 1) {
        cut.call.sent = 1;
        if ((cut.below = make_below(p, cut.panels, true)) < 0) return false;
        for (int64_t k = pivoted - 1; k >= 0; k--)
            if (!heddle__factor_add(p, &cut, HEDDLE_QR_SEND, k, -1)) return false;
    }
    for (int64_t j = 0; j < panels_of(p, cut.blocks); j++) {
        bool begins = true;
        for (int64_t k = pivoted - 1; k >= 0; k--) {
            if (k > 0 && panels->bound[last - 1][k] >= blocks->bound[last - 1][j + 1]) continue;
            if (!heddle__factor_add(p, &cut, HEDDLE_QR_EXPAND, k, j)) return false;
            cut.tasks[cut.n_tasks - 1].begins = begins;
            begins = false;
        }
    }
    return heddle__factor_tasks(p, &cut);
}

bool heddle__triangular_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_triangular_params *params = heddle__params_of(node);
    struct heddle_factor_cut cut = begin(p, node, "triangular");
    cut.call.lower = params->lower != 0;
    cut.call.unit = params->unit != 0;
    cut.call.name = (uint8_t)params->name;
    cut.panels = panels_operand(p, at, 0, flops_of_node(node));
    if (cut.panels < 0) return false;
    struct heddle_grid *grid = heddle__factor_beside(
        grid_of(p, cut.panels), heddle__factor_grid(p, heddle__factor_source(p, at, 1), node->ndim,
                                                    node->shape, flops_of_node(node)));
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    cut.blocks = p->values[at].array;
    if (p->failed || !heddle__factor_copy(p, at, 1, cut.blocks, false)) return false;
    const int64_t n = panels_of(p, cut.panels);
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < panels_of(p, cut.blocks); j++)
            if (!heddle__factor_add(p, &cut, HEDDLE_TRIANGULAR, params->lower ? k : n - 1 - k, j))
                return false;
    return heddle__factor_tasks(p, &cut);
}
