/* Patterns of tasks that families share. Entry points: patterns.h. */
#include "plan/cut/patterns.h"

#include "base/memory.h"
#include "plan/cut/cut.h"
#include "plan/partition/derive.h"

#include <stdlib.h>

bool heddle__cut_parts(struct heddle_planner *p, const struct heddle_family_info *family,
                       const char *name, int n_nodes, const struct heddle_grid *grid,
                       heddle_part_calls *calls, void *context)
{
    if (!heddle__step_begin(p, family, NULL, name, n_nodes)) return false;
    for (int64_t part = 0; part < grid->n_parts; part++) {
        if (heddle__grid_part_size(grid, part) == 0) continue;
        if (!heddle__task_begin(p)) return false;
        heddle__task_place(p, heddle__grid_place_of(grid, part));
        if (!calls(context, p, part) || p->failed) return false;
        heddle__task_end(p);
    }
    return true;
}

/* ---- Along an axis ------------------------------------------------------------------------------- */

int32_t heddle__cut_in_units(struct heddle_planner *p, int32_t array, int axis, int64_t unit)
{
    struct heddle_grid *grid = p->plan->arrays[array].grid;
    int64_t units[HEDDLE_MAX_NDIM];
    for (int d = 0; d < grid->ndim; d++) units[d] = d == axis ? unit : 1;
    return heddle__cut_as(p, array, heddle__grid_rounded(p, heddle__grid_retain(grid), units));
}

struct heddle_grid *heddle__grid_beside(const struct heddle_grid *grid, int axis,
                                        const int64_t *bounds)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    const int64_t *all[HEDDLE_MAX_NDIM];
    for (int d = 0; d < grid->ndim; d++) {
        shape[d] = d == axis ? bounds[grid->n[d]] : grid->shape[d];
        all[d] = d == axis ? bounds : grid->bound[d];
    }
    struct heddle_grid *cut = heddle__grid_make(grid->ndim, shape, grid->n, all);
    if (!cut || !grid->place) return cut;
    struct heddle_grid *placed = heddle__grid_place(cut, grid->n_parts, grid->place);
    heddle__grid_release(cut);
    return placed;
}

/* How many parts there are along the axes after `axis`. */
static int64_t parts_behind(const struct heddle_grid *grid, int axis)
{
    int64_t n = 1;
    for (int d = axis + 1; d < grid->ndim; d++) n *= grid->n[d];
    return n;
}

int64_t heddle__line_of(const struct heddle_grid *grid, int axis, int64_t part)
{
    const int64_t behind = parts_behind(grid, axis);
    return part / (behind * grid->n[axis]) * behind + part % behind;
}

/* The first part of a line. */
static int64_t begin_of(const struct heddle_grid *grid, int axis, int64_t line)
{
    const int64_t behind = parts_behind(grid, axis);
    return line / behind * (behind * grid->n[axis]) + line % behind;
}

bool heddle__parts_follow(const struct heddle_planner *p, const struct heddle_grid *grid, int axis)
{
    const struct heddle_policy *policy = p->policy;
    if (!grid->place) return (policy->n_places > 0 ? policy->n_places : policy->n_teams) <= 1;
    for (int64_t part = 0; part < grid->n_parts; part++)
        if (grid->place[part] !=
            grid->place[begin_of(grid, axis, heddle__line_of(grid, axis, part))])
            return false;
    return true;
}

struct heddle_grid *heddle__grid_of_lines(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int axis)
{
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM], ends[2] = {0, grid->shape[axis]};
    for (int d = 0; d < grid->ndim; d++) {
        n[d] = d == axis ? 1 : grid->n[d];
        bounds[d] = d == axis ? ends : grid->bound[d];
    }
    struct heddle_grid *lines = heddle__grid_make(grid->ndim, grid->shape, n, bounds);
    if (!lines || !grid->place) return lines;
    heddle_place *places =
        heddle__arena_alloc(&p->scratch, (size_t)lines->n_parts * sizeof *places);
    for (int64_t line = 0; places && line < lines->n_parts; line++)
        places[line] = grid->place[begin_of(grid, axis, line)];
    struct heddle_grid *placed = places ? heddle__grid_place(lines, lines->n_parts, places) : NULL;
    heddle__grid_release(lines);
    return placed;
}

static bool combine_line(void *context, struct heddle_planner *p, int64_t line)
{
    const struct heddle_along *s = context;
    return heddle__call_collect(p, s->partial, s->combined, line) &&
           s->combine(s->context, p, line);
}

bool heddle__cut_along(struct heddle_planner *p, struct heddle_along *s)
{
    s->combined = heddle__plan_add_like(
        p, s->partial, heddle__grid_of_lines(p, p->plan->arrays[s->partial].grid, s->axis));
    if (s->combined < 0) return false;
    p->plan->arrays[s->partial].partial = p->plan->arrays[s->combined].partial = true;
    return heddle__cut_parts(p, s->family, s->name, s->n_nodes, s->grid, s->partials, s->context) &&
           heddle__cut_parts(p, s->family, "combine", 0, p->plan->arrays[s->combined].grid,
                             combine_line, s) &&
           (!s->apply ||
            heddle__cut_parts(p, s->family, "apply", 0, s->grid, s->apply, s->context));
}

/* ---- Tiles --------------------------------------------------------------------------------------- */

/* The longest chains that begin with a later task that accesses a part. */
struct chains {
    int32_t of_any;   /* up to the next one that writes it */
    int32_t of_write; /* that writes it */
};

bool heddle__rank_tasks(struct heddle_plan *plan, int64_t first, int64_t n)
{
    int64_t n_parts = 0; /* numbered here: the plan has slots only when it is finished */
    int64_t *base = heddle__alloc((size_t)plan->n_arrays * sizeof *base);
    for (int32_t i = 0; base && i < plan->n_arrays; i++) {
        base[i] = n_parts;
        n_parts += plan->arrays[i].grid->n_parts;
    }
    struct chains *parts = base ? heddle__calloc((size_t)n_parts, sizeof *parts) : NULL;
    for (int64_t t = first + n - 1; parts && t >= first; t--) {
        struct heddle_plan_task *task = &plan->tasks[t];
        const struct heddle_plan_use *uses = &plan->uses[task->first_use];
        int32_t longest = 0;
        for (int32_t i = 0; i < task->n_uses; i++) {
            const struct chains *c = &parts[base[uses[i].array] + uses[i].part];
            const int32_t after = uses[i].mode & HEDDLE_WRITE ? c->of_any : c->of_write;
            if (after > longest) longest = after;
        }
        task->priority = longest + 1 + task->weight;
        for (int32_t i = 0; i < task->n_uses; i++) {
            struct chains *c = &parts[base[uses[i].array] + uses[i].part];
            if (uses[i].mode & HEDDLE_WRITE)
                c->of_any = c->of_write = task->priority;
            else if (c->of_any < task->priority)
                c->of_any = task->priority;
        }
    }
    const bool ok = parts || n_parts == 0;
    heddle__free(parts);
    heddle__free(base);
    return ok;
}

bool heddle__cut_tiles(struct heddle_planner *p, const struct heddle_tiles *s)
{
    if (!heddle__step_begin(p, s->family, NULL, s->name, s->n_nodes)) return false;
    const int64_t first = p->plan->n_tasks;
    for (int64_t i = 0; i < s->n; i++) {
        if (!heddle__task_begin(p)) return false;
        heddle__task_place(p, s->place(s->context, p, i));
        if (!s->calls(s->context, p, i) || p->failed) return false;
        heddle__task_end(p);
    }
    return heddle__rank_tasks(p->plan, first, p->plan->n_tasks - first);
}

/* ---- Between parts ------------------------------------------------------------------------------- */

struct turn {
    uint32_t round;
    int64_t source;
};

static int compare_turns(const void *x, const void *y)
{
    const struct turn *a = x, *b = y;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

/* The tasks are in the order of the rounds, since what several places read goes from each to the next reader. */
bool heddle__cut_exchange(struct heddle_planner *p, const struct heddle_exchange *s)
{
    const int64_t n_parts = s->grid->n_parts;
    struct turn *turns =
        heddle__arena_alloc(&p->scratch, (size_t)(n_parts * s->n + 1) * sizeof *turns);
    bool *is_made = heddle__arena_alloc(&p->scratch, (size_t)(n_parts + 1) * sizeof *is_made);
    if (!turns || !is_made || !heddle__step_begin(p, s->family, NULL, s->name, s->n_nodes))
        return false;
    for (int64_t part = 0; part < n_parts; part++) {
        const heddle_place here = heddle__grid_place_of(s->grid, part);
        struct turn *of = turns + part * s->n;
        for (int64_t i = 0; i < s->n; i++)
            of[i] = (struct turn){heddle__round_of(s->place(s->context, p, part, i), here), i};
        qsort(of, (size_t)s->n, sizeof *of, compare_turns);
        is_made[part] = false;
    }
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t part = 0; part < n_parts; part++) {
            if (heddle__grid_part_size(s->grid, part) == 0) continue;
            if (!heddle__task_begin(p)) return false;
            heddle__task_place(p, heddle__grid_place_of(s->grid, part));
            if (!s->calls(s->context, p, part, turns[part * s->n + k].source) || p->failed)
                return false;
            if (p->plan->tasks[p->plan->n_tasks - 1].n_calls > 0) {
                if (is_made[part]) heddle__task_commutes(p);
                is_made[part] = true;
            }
            heddle__task_end(p);
        }
    return true;
}
