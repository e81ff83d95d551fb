/* How boxes of an iteration space meet the parts of arrays: accesses, and pieces that read one part of
 * each. Entry points: cut.h, "Pieces". */
#include "base/memory.h"
#include "plan/cut/cut.h"

#include <string.h>

struct heddle_access heddle__part_access(const struct heddle_grid *grid, int64_t part,
                                         const struct heddle_map *map, const int64_t *lo)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    struct heddle_access access = {0, {0}};
    int64_t along = 1;
    for (int d = map->n - 1; d >= 0; d--) {
        int64_t first = map->offset[d] - box.lo[d];
        if (map->axis[d] >= 0) {
            first += map->step[d] * lo[map->axis[d]];
            if (map->axis[d] < HEDDLE_MAX_NDIM) access.stride[map->axis[d]] += map->step[d] * along;
        }
        access.offset += first * along;
        along *= box.hi[d] - box.lo[d];
    }
    return access;
}

struct heddle_access heddle__array_access(const struct heddle_plan_array *a, int64_t part,
                                          const struct heddle_map *map, const int64_t *lo)
{
    if (!a->seen) {
        struct heddle_access access = heddle__part_access(a->grid, part, map, lo);
        if (a->runs) access.offset += a->runs[part].start;
        return access;
    }
    struct heddle_access access = {a->seen->offset, {0}};
    for (int d = 0; d < map->n; d++) {
        access.offset += map->offset[d] * a->seen->stride[d];
        if (map->axis[d] < 0) continue;
        access.offset += map->step[d] * lo[map->axis[d]] * a->seen->stride[d];
        if (map->axis[d] < HEDDLE_MAX_NDIM)
            access.stride[map->axis[d]] += map->step[d] * a->seen->stride[d];
    }
    return access;
}

int64_t heddle__part_at(const struct heddle_grid *grid, const struct heddle_map *map,
                        const int64_t *lo)
{
    if (grid->n_parts == 1) return 0;
    int64_t index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < map->n; d++)
        index[d] = map->offset[d] + (map->axis[d] >= 0 ? map->step[d] * lo[map->axis[d]] : 0);
    return heddle__grid_locate(grid, index);
}

struct cuts {
    int64_t *at;
    int64_t n, room;
};

static bool add_cut(struct cuts *cuts, int64_t value)
{
    int64_t i = cuts->n;
    while (i > 0 && cuts->at[i - 1] > value) i--;
    if (i > 0 && cuts->at[i - 1] == value) return true;
    if (!heddle__grow(&cuts->at, sizeof *cuts->at, cuts->n + 1, &cuts->room)) return false;
    memmove(&cuts->at[i + 1], &cuts->at[i], (size_t)(cuts->n - i) * sizeof *cuts->at);
    cuts->at[i] = value;
    cuts->n++;
    return true;
}

static bool cut_axes(int ndim, const struct heddle_box *box, int n, const struct heddle_read *reads,
                     struct cuts *cuts)
{
    for (int d = 0; d < ndim; d++)
        if (!add_cut(&cuts[d], box->lo[d]) || !add_cut(&cuts[d], box->hi[d])) return false;
    for (int k = 0; k < n; k++) {
        const struct heddle_map *m = reads[k].map;
        for (int d = 0; d < m->n; d++) {
            const int axis = m->axis[d];
            if (axis < 0 || m->step[d] == 0) continue;
            for (int64_t i = 1; i < reads[k].grid->n[d]; i++) {
                const int64_t at =
                    heddle__map_beyond(m->offset[d], m->step[d], reads[k].grid->bound[d][i]);
                if (at > box->lo[axis] && at < box->hi[axis] && !add_cut(&cuts[axis], at))
                    return false;
            }
        }
    }
    return true;
}

bool heddle__for_pieces(struct heddle_planner *p, int ndim, const struct heddle_box *box, int n,
                        const struct heddle_read *reads,
                        bool (*piece)(void *context, const struct heddle_box *box), void *context)
{
    bool whole = true;
    for (int k = 0; k < n; k++) whole = whole && reads[k].grid->n_parts == 1;
    if (whole) return piece(context, box);

    struct cuts cuts[HEDDLE_MAX_NDIM + 1] = {{0}};
    bool ok = cut_axes(ndim, box, n, reads, cuts);
    int64_t i[HEDDLE_MAX_NDIM + 1] = {0};
    while (ok) {
        struct heddle_box sub = *box;
        for (int d = 0; d < ndim; d++) {
            sub.lo[d] = cuts[d].at[i[d]];
            sub.hi[d] = cuts[d].at[i[d] + 1];
        }
        ok = piece(context, &sub);
        int d = ndim - 1;
        for (; d >= 0; d--) {
            if (++i[d] < cuts[d].n - 1) break;
            i[d] = 0;
        }
        if (d < 0) break;
    }
    for (int d = 0; d <= HEDDLE_MAX_NDIM; d++) heddle__free(cuts[d].at);
    if (!ok) p->failed = true;
    return ok;
}
