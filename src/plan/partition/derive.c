/* Partitions that follow from another array's: over what reads it, under what is read, of the kept axes,
 * of another shape. Entry points: derive.h. */
#include "plan/partition/derive.h"

#include "base/memory.h"
#include "plan/policy/automatic.h"

bool heddle__grid_carries_over(const struct heddle_grid *grid, const struct heddle_map *map)
{
    unsigned seen = 0;
    for (int d = 0; d < grid->ndim; d++) {
        if (grid->n[d] == 1) continue;
        if (map->axis[d] < 0 || map->step[d] == 0 || (seen >> map->axis[d] & 1)) return false;
        seen |= 1u << map->axis[d];
    }
    return true;
}

/* Bounds of every axis of a grid in the making. */
struct bounds {
    int64_t n[HEDDLE_MAX_NDIM], *at[HEDDLE_MAX_NDIM];
};

static bool start_bounds(struct heddle_planner *p, struct bounds *b, int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++) {
        b->n[d] = 1;
        b->at[d] = heddle__arena_alloc(&p->scratch, 2 * sizeof(int64_t));
        if (!b->at[d]) return false;
        b->at[d][0] = 0;
        b->at[d][1] = shape[d];
    }
    return true;
}

/* Cuts axis d where offset + step * index goes beyond bound[1..n-1], as far as that is inside. */
static bool cut_axis(struct heddle_planner *p, struct bounds *b, int d, int64_t extent, int64_t n,
                     const int64_t *bound, int64_t offset, int64_t step)
{
    int64_t *to = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *to);
    if (!to) return false;
    int64_t count = 0;
    to[0] = 0;
    for (int64_t i = 1; i < n; i++) {
        const int64_t at = heddle__map_beyond(offset, step, bound[step > 0 ? i : n - i]);
        if (at > to[count] && at < extent) to[++count] = at;
    }
    to[++count] = extent;
    b->at[d] = to;
    b->n[d] = count;
    return true;
}

struct heddle_grid *heddle__grid_placed_as(struct heddle_planner *p, struct heddle_grid *cut,
                                           const struct heddle_grid *like,
                                           const struct heddle_map *map)
{
    if (!cut || !like->place) return cut;
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)cut->n_parts * sizeof *places);
    for (int64_t part = 0; places && part < cut->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(cut, part);
        int64_t index[HEDDLE_MAX_NDIM];
        for (int d = 0; d < like->ndim; d++) {
            index[d] = map->offset[d];
            const int axis = map->axis[d];
            if (axis >= 0) index[d] += map->step[d] * ((box.lo[axis] + box.hi[axis]) / 2);
            if (index[d] >= like->shape[d]) index[d] = like->shape[d] - 1;
            if (index[d] < 0) index[d] = 0;
        }
        places[part] = like->place[heddle__grid_locate(like, index)];
    }
    struct heddle_grid *placed = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__grid_release(cut);
    return placed;
}

static struct heddle_grid *finish(struct heddle_planner *p, const struct bounds *b, int ndim,
                                  const int64_t *shape, const struct heddle_grid *like,
                                  const struct heddle_map *map)
{
    return heddle__grid_placed_as(
        p, heddle__grid_make(ndim, shape, b->n, (const int64_t *const *)b->at), like, map);
}

struct heddle_grid *heddle__grid_over(struct heddle_planner *p, const struct heddle_grid *like,
                                      const struct heddle_map *map, int ndim, const int64_t *extent)
{
    struct bounds b;
    if (!start_bounds(p, &b, ndim, extent)) return NULL;
    for (int d = 0; d < like->ndim; d++) {
        if (like->n[d] == 1) continue;
        if (!cut_axis(p, &b, map->axis[d], extent[map->axis[d]], like->n[d], like->bound[d],
                      map->offset[d], map->step[d]))
            return NULL;
    }
    return finish(p, &b, ndim, extent, like, map);
}

/* Merges two lists of bounds, both from 0 to the extent. */
static bool merge_axis(struct heddle_planner *p, struct bounds *b, int d, int64_t n,
                       const int64_t *other)
{
    int64_t *to = heddle__arena_alloc(&p->scratch, (size_t)(b->n[d] + n + 1) * sizeof *to);
    if (!to) return false;
    int64_t count = 0, i = 1, k = 1;
    to[0] = 0;
    while (i <= b->n[d] || k <= n) {
        const bool first = k > n || (i <= b->n[d] && b->at[d][i] <= other[k]);
        const int64_t at = first ? b->at[d][i++] : other[k++];
        if (at > to[count]) to[++count] = at;
    }
    if (count == 0) to[++count] = 0;
    b->at[d] = to;
    b->n[d] = count;
    return true;
}

struct heddle_grid *heddle__grid_over_both(struct heddle_planner *p, const struct heddle_grid *a,
                                           const struct heddle_map *a_map,
                                           const struct heddle_grid *b,
                                           const struct heddle_map *b_map, int ndim,
                                           const int64_t *extent)
{
    struct heddle_grid *first = heddle__grid_over(p, a, a_map, ndim, extent);
    struct heddle_grid *second = heddle__grid_over(p, b, b_map, ndim, extent);
    const struct heddle_map identity = heddle__map_identity(ndim);
    struct bounds both;
    bool ok = first && second && start_bounds(p, &both, ndim, extent);
    for (int d = 0; d < ndim && ok; d++) {
        both.n[d] = first->n[d];
        both.at[d] = first->bound[d];
        ok = second->n[d] == 1 || merge_axis(p, &both, d, second->n[d], second->bound[d]);
    }
    struct heddle_grid *grid =
        ok ? finish(p, &both, ndim, extent, first->place ? first : second, &identity) : NULL;
    heddle__grid_release(first);
    heddle__grid_release(second);
    return grid;
}

struct heddle_grid *heddle__grid_under(struct heddle_planner *p, const struct heddle_grid *like,
                                       const struct heddle_map *map, const int64_t *shape)
{
    struct bounds b;
    struct heddle_map back = {.n = (int8_t)like->ndim};
    for (int e = 0; e < like->ndim; e++) back.axis[e] = -1;
    if (!start_bounds(p, &b, map->n, shape)) return NULL;
    for (int d = 0; d < map->n; d++) {
        const int e = map->axis[d];
        if (e < 0 || map->step[d] != 1 || back.axis[e] >= 0) continue;
        back.axis[e] = (int8_t)d;
        back.step[e] = 1;
        back.offset[e] = -map->offset[d];
        if (!cut_axis(p, &b, d, shape[d], like->n[e], like->bound[e], -map->offset[d], 1))
            return NULL;
    }
    return finish(p, &b, map->n, shape, like, &back);
}

/* Rounds bounds to the nearest multiples, each once; `to` has room for all. Gives the number of
 * intervals. */
static int64_t round_bounds(int64_t n, const int64_t *bounds, int64_t unit, int64_t *to)
{
    int64_t count = 0;
    to[0] = 0;
    for (int64_t i = 1; i < n && unit > 0; i++) {
        const int64_t at = (bounds[i] + unit / 2) / unit * unit;
        if (at > to[count] && at < bounds[n]) to[++count] = at;
    }
    to[++count] = bounds[n];
    return count;
}

struct heddle_grid *heddle__grid_rounded(struct heddle_planner *p, struct heddle_grid *grid,
                                         const int64_t unit[])
{
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    bool fits = true, memory = true;
    for (int axis = 0; axis < grid->ndim && memory; axis++) {
        bool may = unit[axis] > 0 || grid->n[axis] == 1;
        n[axis] = grid->n[axis];
        bounds[axis] = grid->bound[axis];
        for (int64_t i = 1; i < n[axis] && may && unit[axis] != 1; i++)
            may = bounds[axis][i] % unit[axis] == 0 && bounds[axis][i] > bounds[axis][i - 1] &&
                  bounds[axis][i] < grid->shape[axis];
        if (may) continue;
        fits = false;
        int64_t *to = heddle__arena_alloc(&p->scratch, (size_t)(n[axis] + 1) * sizeof *to);
        memory = to != NULL;
        if (!to) break;
        n[axis] = round_bounds(grid->n[axis], grid->bound[axis], unit[axis], to);
        bounds[axis] = to;
    }
    if (fits && memory) return grid;
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    struct heddle_grid *rounded =
        memory ? heddle__grid_placed_as(p, heddle__grid_make(grid->ndim, grid->shape, n, bounds),
                                        grid, &identity)
               : NULL;
    heddle__grid_release(grid);
    return rounded;
}

int heddle__row_axis(int ndim, const int64_t *shape)
{
    int axis = 0;
    while (axis < ndim - 1 && shape[axis] == 1) axis++;
    return axis;
}

int64_t heddle__row_size(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = heddle__row_axis(ndim, shape) + 1; d < ndim; d++) size *= shape[d];
    return size;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool heddle__grid_in_runs(const struct heddle_grid *grid)
{
    return grid->n_parts == 1 ||
           grid->n[heddle__row_axis(grid->ndim, grid->shape)] == grid->n_parts;
}

struct heddle_grid *heddle__grid_in_rows(struct heddle_planner *p, struct heddle_grid *grid,
                                         int64_t row)
{
    if (!grid || row < 2 || grid->n_parts == 1 || !heddle__grid_in_runs(grid)) return grid;
    const int axis = heddle__row_axis(grid->ndim, grid->shape);
    const int64_t size = heddle__row_size(grid->ndim, grid->shape),
                  most = grid->shape[axis] / grid->n_parts, rows = size * grid->shape[axis] / row,
                  chunk = heddle__grid_row_unit(rows / grid->n_parts, row) * row;
    int64_t units[HEDDLE_MAX_NDIM];
    for (int d = 0; d < grid->ndim; d++) units[d] = 1;
    units[axis] = chunk / common_divisor(chunk, size);
    if (units[axis] > most) units[axis] = row / common_divisor(row, size);
    if (units[axis] > most) return grid;
    return heddle__grid_rounded(p, grid, units);
}

struct heddle_grid *heddle__grid_kept(struct heddle_planner *p, const struct heddle_grid *iteration,
                                      int n_kept)
{
    struct heddle_map first = {.n = (int8_t)iteration->ndim};
    for (int d = 0; d < iteration->ndim; d++) {
        first.axis[d] = (int8_t)(d < n_kept ? d : -1);
        first.step[d] = 1;
    }
    return heddle__grid_placed_as(p,
                                  heddle__grid_make(n_kept, iteration->shape, iteration->n,
                                                    (const int64_t *const *)iteration->bound),
                                  iteration, &first);
}

/* The same parts without some axes of extent 1, or with others; NULL also if they differ in more. */
static struct heddle_grid *renamed_axes(const struct heddle_grid *grid, int ndim,
                                        const int64_t *shape)
{
    static const int64_t one[] = {0, 1};
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    int64_t n[HEDDLE_MAX_NDIM];
    int from = 0;
    for (int d = 0; d < ndim; d++) {
        n[d] = 1;
        bounds[d] = one;
        if (shape[d] == 1) continue;
        while (from < grid->ndim && grid->shape[from] == 1 && grid->n[from] == 1) from++;
        if (from == grid->ndim || grid->shape[from] != shape[d]) return NULL;
        n[d] = grid->n[from];
        bounds[d] = grid->bound[from++];
    }
    for (; from < grid->ndim; from++)
        if (grid->shape[from] != 1 || grid->n[from] != 1) return NULL;
    return heddle__grid_make(ndim, shape, n, bounds);
}

/* `reshaped` where `grid` is. */
static struct heddle_grid *placed_alike(struct heddle_grid *reshaped,
                                        const struct heddle_grid *grid)
{
    if (reshaped) reshaped->asked = grid->asked;
    if (!reshaped || !grid->place) return reshaped;
    struct heddle_grid *placed = heddle__grid_place(reshaped, grid->n_parts, grid->place);
    heddle__grid_release(reshaped);
    return placed;
}

struct heddle_grid *heddle__grid_reshaped(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int ndim, const int64_t *shape)
{
    struct heddle_grid *renamed = renamed_axes(grid, ndim, shape);
    if (renamed) return placed_alike(renamed, grid);
    const int axis = heddle__row_axis(ndim, shape);
    int64_t n[HEDDLE_MAX_NDIM], end = 0;
    const int64_t *bounds[HEDDLE_MAX_NDIM], inner = heddle__row_size(ndim, shape);
    int64_t *cut =
        heddle__arena_alloc(&p->scratch, (size_t)(grid->n_parts + 1 + 2 * ndim) * sizeof *cut);
    if (!cut || ndim == 0) return NULL;
    cut[0] = 0;
    for (int64_t part = 0; part < grid->n_parts; part++) { /* runs of whole rows, in order? */
        int64_t first;
        if (!heddle__grid_part_contiguous(grid, part, &first) || first != end) return NULL;
        end += heddle__grid_part_size(grid, part);
        if (end % inner != 0) return NULL;
        cut[part + 1] = end / inner;
    }
    for (int d = 0; d < ndim; d++) {
        int64_t *ends = cut + grid->n_parts + 1 + 2 * d;
        ends[0] = 0;
        ends[1] = shape[d];
        n[d] = d == axis ? grid->n_parts : 1;
        bounds[d] = d == axis ? cut : ends;
    }
    return placed_alike(heddle__grid_make(ndim, shape, n, bounds), grid);
}
