/* Which elementwise work a scan's call takes, and how it walks. Entry points: kernel_work.h. */
#include "families/scan/kernel_work.h"

enum { OUTER, ALONG, INNER };

/* A factor that an axis of a box has in common with an axis of the call: `size` indices, `step` of the box's apart. */
struct factor {
    int of_box, of_call;
    int64_t size, step;
};
enum { MOST_FACTORS = HEDDLE_MAX_NDIM + 3 };

/* The factors, from the innermost out; gives how many, or -1: the axes have none in common. */
static int find_factors(const struct heddle_scan *s, const struct heddle_geometry *g,
                        struct factor factor[MOST_FACTORS])
{
    const int64_t extent[3] = {s->outer, s->n, s->inner};
    int n = 0, e = INNER, d = g->ndim - 1;
    int64_t left = extent[e], here = d >= 0 ? g->extent[d] : 1, step = 1;
    for (;;) {
        while (left == 1 && e > OUTER) left = extent[--e];
        for (; here == 1 && d > 0; step = 1) here = g->extent[--d];
        if (left == 1 || here == 1) return left == here ? n : -1;
        const int64_t size = left < here ? left : here;
        if (left % size != 0 || here % size != 0 || n == MOST_FACTORS) return -1;
        factor[n++] = (struct factor){d, e, size, step};
        left /= size;
        here /= size;
        step *= size;
    }
}

/* False: axes that are one of the call's are not walked as one. */
static bool walk_of(const struct heddle_launch *l, int k, const struct factor factor[],
                    int n_factors, struct heddle_scan_walk *out)
{
    int64_t next[3] = {0};
    bool any[3] = {false};
    *out = (struct heddle_scan_walk){.offset = l->access[k].offset};
    for (int i = 0; i < n_factors; i++) {
        const struct factor *f = &factor[i];
        const int64_t stride = l->access[k].stride[f->of_box] * f->step;
        if (any[f->of_call] && stride != next[f->of_call]) return false;
        if (!any[f->of_call]) out->stride[f->of_call] = stride;
        any[f->of_call] = true;
        next[f->of_call] = stride * f->size;
    }
    return true;
}

bool heddle__scan_walks(const struct heddle_scan *s, const struct heddle_launch *launch,
                        struct heddle_scan_walk walk[HEDDLE_MAX_OPERANDS])
{
    struct factor factor[MOST_FACTORS];
    const int n = find_factors(s, &launch->geometry, factor);
    if (n < 0) return false;
    for (int k = 0; k < launch->program->n_operands; k++)
        if (!walk_of(launch, k, factor, n, &walk[k])) return false;
    return true;
}

/* Whether the elements are walked in the order in which they lie in the call's result. */
static bool is_in_place(const struct heddle_scan *s, const struct heddle_scan_walk *w)
{
    return w->offset == 0 && (s->outer == 1 || w->stride[OUTER] == s->n * s->inner) &&
           (s->n == 1 || w->stride[ALONG] == s->inner) && (s->inner == 1 || w->stride[INNER] == 1);
}

/* Whether neighbouring threads read memory that is together. */
static bool is_near(const struct heddle_scan *s, const struct heddle_scan_walk *w)
{
    enum { NEAR = 2 };
    const int64_t step = w->stride[s->columns ? INNER : ALONG];
    return step >= -NEAR && step <= NEAR;
}

bool heddle__scan_takes(const struct heddle_scan *s, const struct heddle_launch *launch,
                        bool before)
{
    enum {
        MOST_BYTES = 8
    }; /* larger elements have no room in shared memory that all kernels have */
    const struct heddle_program *p = launch->program;
    const size_t bytes = heddle_dtype_size((enum heddle_dtype)s->dtype);
    struct heddle_scan_walk walk[HEDDLE_MAX_OPERANDS];
    if (s->phase != HEDDLE_SCAN_WHOLE || s->initial || s->has_in || s->has_out ||
        bytes > MOST_BYTES || (before ? s->before : s->after) || launch->next ||
        p->n_reductions > 0 || p->n_checked > 0 || p->index_axes != 0 ||
        4 * p->n_operands + 2 * p->n_constants > HEDDLE_SCAN_WORK_SLOTS ||
        !heddle__scan_walks(s, launch, walk))
        return false;
    if (before && (p->n_stores != 1 || launch->buffer[p->stores[0].operand] != s->out))
        return false;
    for (int k = 0; k < p->n_operands; k++) {
        const bool is_own = launch->buffer[k] == s->out;
        if (is_own ? !is_in_place(s, &walk[k]) : !is_near(s, &walk[k])) return false;
        if (is_own && heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]) != bytes)
            return false;
        if (is_own && before && k != p->stores[0].operand) return false;
    }
    return true;
}

/* The outermost factor. */
static struct factor outermost(const struct heddle_scan *s, const struct heddle_launch *launch)
{
    struct factor factor[MOST_FACTORS];
    const int n = find_factors(s, &launch->geometry, factor);
    return n > 0 ? factor[n - 1] : (struct factor){0, OUTER, 1, launch->geometry.extent[0]};
}

int64_t heddle__scan_pieces(const struct heddle_scan *s, const struct heddle_launch *launch)
{
    const struct factor f = outermost(s, launch);
    return f.of_call == OUTER ? f.size : 1;
}

bool heddle__scan_is_line(const struct heddle_scan *s, const struct heddle_launch *launch)
{
    const struct factor f = outermost(s, launch);
    return f.of_call == ALONG && f.size == s->n;
}

struct heddle_launch heddle__scan_part(const struct heddle_scan *s,
                                       const struct heddle_launch *launch, int64_t from, int64_t n,
                                       struct heddle_access access[])
{
    int64_t lo[HEDDLE_MAX_NDIM] = {0}, size[HEDDLE_MAX_NDIM];
    const struct factor f = outermost(s, launch);
    for (int d = 0; d < launch->geometry.ndim; d++) size[d] = launch->geometry.extent[d];
    lo[f.of_box] = from * f.step;
    size[f.of_box] = n * f.step;
    return heddle__launch_box(launch, lo, size, access);
}
