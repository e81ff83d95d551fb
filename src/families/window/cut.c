/* Sums over windows to tasks: part by part, cut where the row is, so that a window begins in the part of the row that has the
 * result's number, and ends there or in those behind it. A task has a call for each of these, in the order of the row. What lies at other
 * places is cut out there (halo.c). Entry points:
 * heddle__window_cut, heddle__window_reads_view. */
#include "families/window/window.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

/* Parts that windows of one part of the result may lie in; else the row is brought together. */
enum { MOST_PARTS = 8 };

struct cut {
    const struct heddle_window_params *params;
    enum heddle_dtype dtype;
    int32_t x, taps, y;
    int64_t lo, hi;      /* elements of array x that are the row */
    int64_t first, m, n; /* first: where the window of result 0 begins in array x */
    bool notes;          /* what tasks need of other places; else calls are added */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static int64_t within(int64_t at, int64_t lo, int64_t hi)
{
    return at < lo ? lo : at > hi ? hi : at;
}

/* A slice is read where it is. */
bool heddle__window_reads_view(const heddle_array *node, int i, const struct heddle_map *map,
                               const int64_t *shape)
{
    (void)node;
    (void)shape;
    return i == 0 && map->n == 1 && map->axis[0] == 0 && map->step[0] == 1;
}

/* What the windows of results lo to hi - 1 have of the row. */
static struct heddle_box windows_of(const struct cut *s, int64_t lo, int64_t hi)
{
    return (struct heddle_box){{within(s->first + lo, s->lo, s->hi)},
                               {within(s->first + hi - 1 + s->m, s->lo, s->hi)}};
}

/* A call for the results of a box that have elements from..to-1 of the row, which lie in part q. `goes_on`: others have been added. */
static bool add_call(struct heddle_planner *p, const struct cut *s, const struct heddle_box *box,
                     int64_t part, int64_t q, const struct heddle_box *of, bool goes_on)
{
    const int64_t from = of->lo[0], to = of->hi[0], first = s->first;
    const int64_t lo = within(from - first - s->m + 1, box->lo[0], box->hi[0]),
                  hi = within(to - first, box->lo[0], box->hi[0]);
    const struct heddle_map identity = heddle__map_identity(1);
    struct heddle_map map = identity;
    const int32_t halo =
        heddle__halo_of(p, s->x, q, heddle__grid_place_of(grid_of(p, s->y), part), of, &map);
    const int32_t array = halo < 0 ? s->x : halo;
    if (halo >= 0) q = 0;

    const double results = (double)(hi - lo), size = (double)heddle_dtype_size(s->dtype);
    struct heddle_window *call =
        heddle__task_call(p, &heddle__window_family, sizeof *call, 2 * results * (double)s->m,
                          (results + (double)(to - from) + (double)s->m) * size);
    if (!call) return false;
    *call = (struct heddle_window){
        .dtype = (uint8_t)s->dtype,
        .turned = s->params->turned != 0,
        .adds = goes_on,
        .n = hi - lo,
        .m = s->m,
        .n_x = to - from,
        .first = first + lo - from,
        .x_offset = heddle__part_access(grid_of(p, array), q, &map, of->lo).offset,
        .y_offset = heddle__part_access(grid_of(p, s->y), part, &identity, &lo).offset};
    call->x = heddle__task_use(p, array, q, HEDDLE_READ);
    call->taps = heddle__task_use(p, s->taps, 0, HEDDLE_READ);
    call->y = heddle__task_use(p, s->y, part, HEDDLE_WRITE);
    return !p->failed;
}

static bool sum_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *x = grid_of(p, s->x), *y = grid_of(p, s->y);
    const struct heddle_box box = heddle__grid_part(y, part),
                            all = windows_of(s, box.lo[0], box.hi[0]);
    for (int64_t q = heddle__grid_locate(x, all.lo); q < x->n_parts; q++) {
        const struct heddle_box has = heddle__grid_part(x, q);
        struct heddle_box of;
        if (has.lo[0] >= all.hi[0]) break;
        if (!heddle__box_intersect(&has, &all, 1, &of)) continue;
        if (s->notes ? !heddle__halo_want(p, s->x, q, heddle__grid_place_of(y, part), &of)
                     : !add_call(p, s, &box, part, q, &of, of.lo[0] > all.lo[0]))
            return false;
    }
    return true;
}

/* ---- Partitions -------------------------------------------------------------------------------------- */

/* Where the row's parts begin, the windows of the result's parts do, as far as there are any. */
static struct heddle_grid *result_grid(struct heddle_planner *p, const struct cut *s)
{
    const struct heddle_grid *x = grid_of(p, s->x);
    const struct heddle_demand demand = {.flops = 2 * (double)s->n * (double)s->m};
    if (!heddle__grid_is_divided(x)) return heddle__auto_grid_of(p, 1, &s->n, &demand);
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(x->n_parts + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    bounds[0] = 0;
    for (int64_t i = 1; i < x->n_parts; i++) bounds[i] = within(x->bound[0][i] - s->first, 0, s->n);
    bounds[x->n_parts] = s->n;
    struct heddle_grid *grid = heddle__grid_beside(x, 0, bounds);
    if (grid) grid->asked = x->asked;
    return grid;
}

/* Whether windows of a part of the result may lie in too many parts of the row. */
static bool is_scattered(const struct heddle_grid *x, int64_t m)
{
    for (int64_t i = MOST_PARTS - 1; i < x->n_parts; i++)
        if (x->bound[0][i] - x->bound[0][i - MOST_PARTS + 2] < m) return true;
    return false;
}

bool heddle__window_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_map *map;
    struct cut s = {.params = heddle__params_of(node),
                    .dtype = (enum heddle_dtype)node->dtype,
                    .m = node->in[1]->size,
                    .n = node->size};
    const int32_t taps = heddle__whole_input(p, &p->values[at], 1, &map),
                  row = heddle__whole_input(p, &p->values[at], 0, &map);
    s.lo = map ? map->offset[0] : 0;
    s.hi = s.lo + node->in[0]->size;
    s.first = s.lo + s.params->first;
    if (row != taps && heddle__is_uncut(p, taps) &&
        heddle__cut_leaf(p, taps, heddle__grid_one(1, &s.m)) < 0)
        return false;
    s.x = heddle__array_of(p, row);
    s.taps = heddle__array_of(p, taps);
    if (s.x < 0 || s.taps < 0) return false;
    s.taps = heddle__cut_one_part(p, s.taps);
    if (s.taps < 0) return false;
    struct heddle_grid *grid = result_grid(p, &s); /* also of a row that is brought together */
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.y = p->values[at].array;
    if (p->failed) return false;
    if (is_scattered(grid_of(p, s.x), s.m) && (s.x = heddle__cut_one_part(p, s.x)) < 0)
        return false;

    /* what is needed of other places, then the sums */
    const struct heddle_grid *y = grid_of(p, s.y);
    heddle__halos_clear(p);
    s.notes = true;
    for (int64_t part = 0; part < y->n_parts && y->place; part++)
        if (heddle__grid_part_size(y, part) > 0 && !sum_part(&s, p, part)) return false;
    s.notes = false;
    return !p->failed && heddle__halos_cut(p) &&
           heddle__cut_parts(p, &heddle__window_family, "window", 1, y, sum_part, &s);
}
