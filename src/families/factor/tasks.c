/* The tasks of a factorisation: steps over panels and blocks, in an order in which each comes after what it needs. Entry
 * points: heddle__factor_add, heddle__factor_tasks. */
#include "base/memory.h"
#include "families/factor/factor.h"
#include "plan/cut/patterns.h"

#include <string.h>

bool heddle__factor_add(struct heddle_planner *p, struct heddle_factor_cut *cut, uint8_t step,
                        int64_t panel, int64_t block)
{
    if (cut->n_tasks == cut->room) {
        const int64_t room = cut->room ? 2 * cut->room : 64;
        struct heddle_factor_task *tasks =
            heddle__arena_alloc(&p->scratch, (size_t)room * sizeof *tasks);
        if (!tasks) return false;
        if (cut->n_tasks) memcpy(tasks, cut->tasks, (size_t)cut->n_tasks * sizeof *tasks);
        cut->tasks = tasks;
        cut->room = room;
    }
    cut->tasks[cut->n_tasks++] =
        (struct heddle_factor_task){.step = step, .panel = (int32_t)panel, .block = (int32_t)block};
    return true;
}

bool heddle__factor_join(struct heddle_planner *p, struct heddle_factor_cut *cut, uint8_t step,
                         int64_t panel, int64_t block)
{
    if (!heddle__factor_add(p, cut, step, panel, block)) return false;
    cut->tasks[cut->n_tasks - 1].joins = cut->n_tasks > 1;
    return true;
}

/* ---- What a step costs ---------------------------------------------------------------------------------- */

static double flops_of(const struct heddle_factor *f)
{
    const double w = (double)heddle__factor_pivots(f), c = (double)f->columns,
                 m = (double)(f->rows - f->first), all = (double)f->width;
    double flops = 0;
    switch ((enum heddle_factor_step)f->step) {
    case HEDDLE_CHOLESKY_PANEL: flops = w * w * (m - 2 * w / 3); break;
    case HEDDLE_CHOLESKY_SEND: break;
    case HEDDLE_CHOLESKY_UPDATE: flops = 2 * (double)(f->rows - f->begin) * w * c; break;
    case HEDDLE_LU_PANEL: flops = w * (2 * m * all - w * (m + all) + 2 * w * w / 3); break;
    case HEDDLE_LU_UPDATE: flops = (2 * m - w) * w * c; break;
    case HEDDLE_QR_PANEL: flops = 2 * w * (2 * m * all - w * (m + all) + 2 * w * w / 3); break;
    case HEDDLE_QR_SEND: flops = 2 * m * w * w; break;
    case HEDDLE_QR_UPDATE:
    case HEDDLE_QR_EXPAND: flops = (4 * m - 2 * w) * w * c; break;
    case HEDDLE_TRIANGULAR:
        flops = (2 * (f->lower ? m : (double)(f->first + f->width)) - w) * w * c;
        break;
    default: break;
    }
    const char kind = heddle_dtype_kind((enum heddle_dtype)f->dtype);
    return flops * (double)f->batch * (kind == 'C' ? 4 : 1);
}

/* Rows above the panel, or above the block of a Cholesky factor, are not touched. */
static double bytes_of(const struct heddle_factor *f)
{
    const double size = (double)heddle_dtype_size((enum heddle_dtype)f->dtype);
    const bool whole = f->step == HEDDLE_TRIANGULAR || f->step == HEDDLE_LU_SWAP || f->begins;
    const int64_t above = whole ? 0 : f->step == HEDDLE_CHOLESKY_UPDATE ? f->begin : f->first;
    return size * (double)(f->rows - above) * (double)(f->width + 2 * f->columns) *
           (double)f->batch;
}

/* ---- Tasks ---------------------------------------------------------------------------------------------- */

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* The task, and which part of a batch it is for. */
static const struct heddle_factor_task *task_of(const struct heddle_factor_cut *cut, int64_t i,
                                                int64_t *part)
{
    *part = i / cut->n_tasks;
    return &cut->tasks[i % cut->n_tasks];
}

/* Columns [*from, *from + *n) of a part. */
static void columns_of(const struct heddle_grid *grid, int64_t part, int64_t *from, int64_t *n)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    *from = box.lo[grid->ndim - 2];
    *n = box.hi[grid->ndim - 2] - *from;
}

void heddle__factor_matrices(const struct heddle_grid *grid, int64_t part, int64_t *first,
                             int64_t *n)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    *first = 0;
    *n = 1;
    for (int d = 0; d < grid->ndim - 2; d++) {
        *n *= box.hi[d] - box.lo[d];
        *first = *first * grid->shape[d] + box.lo[d];
    }
}

static bool is_panel_step(enum heddle_factor_step step)
{
    return step == HEDDLE_CHOLESKY_PANEL || step == HEDDLE_LU_PANEL || step == HEDDLE_QR_PANEL;
}

static void use_buffers(struct heddle_planner *p, const struct heddle_factor_cut *cut,
                        struct heddle_factor *call, int64_t panel, int64_t block, int64_t part)
{
    const enum heddle_factor_step step = (enum heddle_factor_step)call->step;
    const bool makes = is_panel_step(step);
    if (block >= 0)
        call->block = heddle__task_use(p, cut->blocks, block,
                                       call->begins ? HEDDLE_WRITE : HEDDLE_READ_WRITE);
    if (heddle__factor_has_below(call))
        call->below = heddle__task_use(
            p, cut->below, panel, heddle__factor_reads_below(call) ? HEDDLE_READ : HEDDLE_WRITE);
    if (panel >= 0 && heddle__factor_has_panel(call))
        call->panel =
            heddle__task_use(p, cut->panels, panel, makes ? HEDDLE_READ_WRITE : HEDDLE_READ);
    if (heddle__factor_is_of_all(call))
        call->scales = heddle__task_use(p, cut->pivots, part, HEDDLE_READ);
    else if (heddle__factor_has_scales(call))
        call->scales = heddle__task_use(p, cut->scales, panel, makes ? HEDDLE_WRITE : HEDDLE_READ);
    if (step == HEDDLE_LU_ORDER) {
        call->order = heddle__task_use(p, cut->order, part, HEDDLE_WRITE);
        call->signs = heddle__task_use(p, cut->signs, part, HEDDLE_WRITE);
    }
}

static bool add_call(struct heddle_planner *p, const struct heddle_factor_cut *cut,
                     const struct heddle_factor_task *t, int64_t part)
{
    const int64_t panel = t->panel < 0 ? -1 : t->panel + part,
                  block = t->block < 0 ? -1 : t->block + part;
    struct heddle_factor call = cut->call;
    call.step = t->step;
    call.begins = t->begins;
    heddle__factor_matrices(grid_of(p, cut->panels), part, &call.matrix, &call.batch);
    if (panel >= 0) columns_of(grid_of(p, cut->panels), panel, &call.first, &call.width);
    if (block >= 0) columns_of(grid_of(p, cut->blocks), block, &call.begin, &call.columns);
    struct heddle_factor *added =
        heddle__task_call(p, cut->family, sizeof *added, flops_of(&call), bytes_of(&call));
    if (!added) return false;
    use_buffers(p, cut, &call, panel, block, part);
    *added = call;
    return !p->failed;
}

/* On GPUs a panel takes about as long as so many updates, since its columns wait for each other. */
enum { PANEL_WEIGHT = 6 };

/* The calls of a task; one that joins the task before has none left, and one of a part without matrices has none. */
static bool add_calls(void *context, struct heddle_planner *p, int64_t i)
{
    const struct heddle_factor_cut *cut = context;
    int64_t part;
    const struct heddle_factor_task *t = task_of(cut, i, &part), *const end =
                                                                     cut->tasks + cut->n_tasks;
    int64_t first, n_matrices;
    heddle__factor_matrices(grid_of(p, cut->panels), part, &first, &n_matrices);
    if (t->joins || n_matrices == 0) return true;
    do {
        if (!add_call(p, cut, t, part)) return false;
        if (is_panel_step((enum heddle_factor_step)t->step))
            p->plan->tasks[p->plan->n_tasks - 1].weight = PANEL_WEIGHT;
    } while (++t < end && t->joins);
    return true;
}

static heddle_place place_of(void *context, const struct heddle_planner *p, int64_t i)
{
    const struct heddle_factor_cut *cut = context;
    int64_t part;
    const struct heddle_factor_task *t = task_of(cut, i, &part);
    if (t->block >= 0) return heddle__grid_place_of(grid_of(p, cut->blocks), t->block + part);
    if (t->panel >= 0) return heddle__grid_place_of(grid_of(p, cut->panels), t->panel + part);
    return HEDDLE_ANYWHERE;
}

bool heddle__factor_tasks(struct heddle_planner *p, struct heddle_factor_cut *cut)
{
    const struct heddle_grid *panels = grid_of(p, cut->panels);
    const struct heddle_tiles tiles = {.family = cut->family,
                                       .name = cut->title,
                                       .n_nodes = 1,
                                       .n = cut->n_tasks * (panels->ndim > 2 ? panels->n_parts : 1),
                                       .place = place_of,
                                       .calls = add_calls,
                                       .context = cut};
    /* what brings operands is on the longest chain, too */
    return heddle__cut_tiles(p, &tiles) &&
           heddle__rank_tasks(p->plan, cut->first, p->plan->n_tasks - cut->first);
}
