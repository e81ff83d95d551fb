/* Access maps and boxes. Entry points: map.h. */
#include "array/map.h"

struct heddle_map heddle__map_identity(int ndim)
{
    struct heddle_map m = {.n = (int8_t)ndim};
    for (int d = 0; d < ndim; d++) {
        m.axis[d] = (int8_t)d;
        m.step[d] = 1;
    }
    return m;
}

struct heddle_map heddle__map_compose(const struct heddle_map *inner,
                                      const struct heddle_map *outer)
{
    struct heddle_map m = {.n = inner->n};
    for (int d = 0; d < inner->n; d++) {
        const int mid = inner->axis[d];
        m.offset[d] = inner->offset[d];
        m.axis[d] = -1;
        if (mid < 0) continue;
        m.offset[d] += inner->step[d] * outer->offset[mid];
        if (outer->axis[mid] < 0) continue;
        m.axis[d] = outer->axis[mid];
        m.step[d] = inner->step[d] * outer->step[mid];
    }
    return m;
}

struct heddle_map heddle__map_broadcast(int ndim, const int64_t *shape, int to_ndim)
{
    struct heddle_map m = {.n = (int8_t)ndim};
    for (int d = 0; d < ndim; d++) {
        m.axis[d] = (int8_t)(shape[d] == 1 ? -1 : d + to_ndim - ndim);
        m.step[d] = shape[d] != 1;
    }
    return m;
}

bool heddle__map_equal(const struct heddle_map *a, const struct heddle_map *b)
{
    if (a->n != b->n) return false;
    for (int d = 0; d < a->n; d++) {
        if (a->axis[d] != b->axis[d] || a->offset[d] != b->offset[d]) return false;
        if (a->axis[d] >= 0 && a->step[d] != b->step[d]) return false;
    }
    return true;
}

bool heddle__map_is_identity(const struct heddle_map *m, int ndim)
{
    const struct heddle_map id = heddle__map_identity(ndim);
    return heddle__map_equal(m, &id);
}

int64_t heddle__map_beyond(int64_t offset, int64_t step, int64_t bound)
{
    const int64_t distance = step > 0 ? bound - offset : offset - bound;
    const int64_t by = step > 0 ? step : -step;
    int64_t q = distance / by;
    if (step > 0) return distance > 0 && distance % by ? q + 1 : q; /* round up */
    if (distance < 0 && distance % by) q--;                         /* floor, then the next */
    return q + 1;
}

struct heddle_box heddle__map_region(const struct heddle_map *m, const struct heddle_box *view)
{
    struct heddle_box r = {{0}, {0}};
    for (int d = 0; d < m->n; d++) {
        int64_t first = m->offset[d], last = first;
        if (m->axis[d] >= 0) {
            first += m->step[d] * view->lo[m->axis[d]];
            last += m->step[d] * (view->hi[m->axis[d]] - 1);
        }
        r.lo[d] = first < last ? first : last;
        r.hi[d] = (first < last ? last : first) + 1;
    }
    return r;
}

int64_t heddle__box_size(const struct heddle_box *box, int ndim)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= box->hi[d] > box->lo[d] ? box->hi[d] - box->lo[d] : 0;
    return n;
}

bool heddle__box_contains(const struct heddle_box *outer, const struct heddle_box *inner, int ndim)
{
    for (int d = 0; d < ndim; d++)
        if (inner->lo[d] < outer->lo[d] || inner->hi[d] > outer->hi[d]) return false;
    return true;
}

bool heddle__box_intersect(const struct heddle_box *a, const struct heddle_box *b, int ndim,
                           struct heddle_box *out)
{
    for (int d = 0; d < ndim; d++) {
        out->lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
        out->hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
        if (out->lo[d] >= out->hi[d]) return false;
    }
    return true;
}
