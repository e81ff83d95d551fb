/* Operands of factorisations, as arrays in panels. Each panel is copied by a task of its own, without the rows that nothing
 * reads. Where data in host memory have a panel's elements far apart, a GPU would wait for all of the data before the first
 * panel is complete. So, when data are used first, cores pack panel after panel, and the link brings them while the GPU factors those before. Entry
 * points: heddle__factor_source, heddle__factor_copy, heddle__factor_operand. */
#include "families/factor/factor.h"
#include "plan/cut/by_part.h"
#include "plan/partition/derive.h"

/* ---- A copy from one array to another ------------------------------------------------------------------- */

struct copy {
    struct heddle_pieces pieces;
    struct heddle_progress progress;
    struct heddle_space space;
    bool lower;
};

/* `map`: from the elements of `to`, or of a box that is as large, to those of `from`. */
static bool start(struct heddle_planner *p, struct copy *c, int32_t from,
                  const struct heddle_map *map, int32_t to, const char *name)
{
    const struct heddle_grid *grid = p->plan->arrays[to].grid;
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[from]);
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (!b) return false;
    heddle__build_start(b);
    const uint16_t value = heddle__build_load(b, from, dtype, map ? map : &identity);
    heddle__build_store(b, value, to, dtype, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    c->space = (struct heddle_space){grid->ndim, grid->ndim, grid->shape, 0, name};
    c->progress = (struct heddle_progress){0};
    if (!program || !heddle__pieces_start(&c->pieces, p, b, program, &c->space)) return false;
    c->pieces.progress = &c->progress;
    return true;
}

/* The rows of a panel that are read: of a lower triangle, those from its diagonal on. */
static struct heddle_box rows_of(struct heddle_box panel, bool lower)
{
    if (lower && panel.lo[0] > panel.lo[1]) panel.lo[1] = panel.lo[0];
    return panel;
}

static bool copy_panel(void *context, const struct heddle_box *box)
{
    struct copy *c = context;
    const struct heddle_box rows = rows_of(*box, c->lower);
    return heddle__pieces_call(&c->pieces, &rows);
}

/* ---- Panels that are packed by cores ---------------------------------------------------------------------- */

/* Whether cores read and write the panels sooner than links would carry all of the data. */
static bool pays(const struct heddle_policy *policy, bool lower)
{
    double cores = 0, links = 0;
    for (int i = 0; i < policy->n_gpus; i++) links += policy->places[i].link;
    for (int i = policy->n_gpus; i < policy->n_places; i++) cores += policy->places[i].bandwidth;
    return links > 0 && cores >= (lower ? 1 : 2) * links;
}

/* Teams take turns. */
static heddle_place packer(const struct heddle_policy *policy, int64_t k)
{
    return policy->places[policy->n_gpus + k % (policy->n_places - policy->n_gpus)].place;
}

static bool is_packed(const struct heddle_planner *p, int32_t from, const struct heddle_map *view,
                      int32_t to, bool lower)
{
    const struct heddle_grid *panels = p->plan->arrays[to].grid;
    return p->spread == HEDDLE_SPREAD_STREAM && p->plan->arrays[from].fresh && panels->ndim == 2 &&
           panels->place && panels->n_parts > 1 && view && view->n == 2 && view->axis[0] == 1 &&
           view->axis[1] == 0 && view->step[0] == 1 && view->step[1] == 1 && pays(p->policy, lower);
}

/* An array for the rows of a panel that are read, in the order of the data. -1: memory is gone. */
static int32_t add_pack(struct heddle_planner *p, int32_t from, const struct heddle_box *rows,
                        heddle_place place)
{
    const int64_t shape[2] = {rows->hi[1] - rows->lo[1], rows->hi[0] - rows->lo[0]};
    struct heddle_grid *one = heddle__grid_one(2, shape),
                       *placed = one ? heddle__grid_place(one, 1, &place) : NULL;
    heddle__grid_release(one);
    return heddle__plan_add_like(p, from, placed);
}

/* Adds a task with the copy of a box to part `part`. */
static bool add_task(struct heddle_planner *p, struct copy *c, const struct heddle_box *box,
                     int64_t part)
{
    c->progress.part = part;
    if (!heddle__task_begin(p) || !heddle__pieces_call(&c->pieces, box)) return false;
    heddle__task_end(p);
    return true;
}

static bool pack_panels(struct heddle_planner *p, int32_t from, const struct heddle_map *view,
                        int32_t to, bool lower)
{
    const struct heddle_grid *panels = p->plan->arrays[to].grid;
    const int64_t n = panels->n_parts;
    int32_t *packs = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *packs);
    if (!packs) return false;
    struct copy c;
    heddle__halos_clear(p);
    for (int pass = 0; pass < 2; pass++) {
        if (!heddle__step_begin(p, &heddle__program_family, NULL, pass ? "panels" : "pack", 0))
            return false;
        for (int64_t k = 0; k < n; k++) {
            const struct heddle_box rows = rows_of(heddle__grid_part(panels, k), lower);
            struct heddle_map map =
                heddle__map_identity(2); /* of a pack's elements to the data's */
            for (int d = 0; d < 2; d++) map.offset[d] = view->offset[d] + rows.lo[1 - d];
            if (pass == 0) {
                packs[k] = add_pack(p, from, &rows, packer(p->policy, k));
                const struct heddle_box all = {{0},
                                               {rows.hi[1] - rows.lo[1], rows.hi[0] - rows.lo[0]}};
                if (packs[k] < 0 || !start(p, &c, from, &map, packs[k], "pack") ||
                    !add_task(p, &c, &all, 0))
                    return false;
                continue;
            }
            struct heddle_map back = *view;
            for (int d = 0; d < 2; d++) back.offset[d] = -rows.lo[1 - d];
            if (!start(p, &c, packs[k], &back, to, "panels") || !add_task(p, &c, &rows, k))
                return false;
        }
    }
    return true;
}

/* ---- Entry points ------------------------------------------------------------------------------------------ */

int32_t heddle__factor_source(struct heddle_planner *p, int32_t at, int i)
{
    enum { PARTS = 8 }; /* few, since what packs a panel has a kernel call for each */
    const struct heddle_map *map;
    const int32_t from = heddle__whole_input(p, &p->values[at], i, &map);
    const heddle_array *a = p->values[from].node;
    if (a->ndim != 2 || p->spread != HEDDLE_SPREAD_STREAM || p->policy->force_n > 0 ||
        !heddle__is_uncut(p, from) || !pays(p->policy, true))
        return heddle__array_of(p, from);
    const int64_t row_bytes = a->shape[1] * (int64_t)heddle_dtype_size((enum heddle_dtype)a->dtype),
                  most = p->policy->part_bytes / (row_bytes > 0 ? row_bytes : 1),
                  rows = a->shape[0] / PARTS + 1;
    const int64_t block[2] = {rows < most ? rows : most > 0 ? most : 1, a->shape[1]};
    return heddle__cut_leaf(p, from, heddle__grid_blocks(2, a->shape, block));
}

bool heddle__factor_copy(struct heddle_planner *p, int32_t at, int i, int32_t to, bool lower)
{
    const struct heddle_map *view;
    const int32_t from = heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &view));
    if (from < 0 || to < 0) return false;
    if (is_packed(p, from, view, to, lower)) return pack_panels(p, from, view, to, lower);
    struct copy c;
    if (!start(p, &c, from, view, to, "panels")) return false;
    const struct heddle_grid *grid = p->plan->arrays[to].grid;
    c.lower = lower && grid->ndim == 2;
    const struct heddle_part_step step = {.program = c.pieces.program,
                                          .name = c.space.name,
                                          .part = copy_panel,
                                          .context = &c,
                                          .progress = &c.progress};
    return heddle__cut_by_part(p, grid, &step);
}

int32_t heddle__factor_operand(struct heddle_planner *p, int32_t at, int i,
                               struct heddle_grid *grid)
{
    const struct heddle_map *view;
    const int32_t from = heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &view));
    if (from < 0 || !grid) {
        heddle__grid_release(grid);
        return -1;
    }
    if (!view && heddle__grid_same_cuts(p->plan->arrays[from].grid, grid)) {
        heddle__grid_release(grid);
        return from;
    }
    const int32_t copy = heddle__plan_add_like(p, from, grid);
    return copy >= 0 && heddle__factor_copy(p, at, i, copy, false) ? copy : -1;
}
