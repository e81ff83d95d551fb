/* Rows in stretches. Entry points: stretches.h. */
#include "stretches.h"

#include <string.h>

static int last_axis(const struct heddle_launch *l)
{
    return l->geometry.ndim - 1;
}

static bool is_plain_map(const struct heddle_launch *l)
{
    const struct heddle_program *p = l->program;
    return !l->next && !l->stretches && p->n_reductions == 0 && p->n_checked == 0 && p->scan == 0 &&
           l->geometry.ndim > 1;
}

static bool is_stored(const struct heddle_program *p, int operand)
{
    for (int i = 0; i < p->n_stores; i++)
        if (p->stores[i].operand == operand) return true;
    return false;
}

/* Whether the boxes differ only along the last axis, where b's begins when a's ends. */
static bool are_beside(const struct heddle_launch *a, const struct heddle_launch *b)
{
    const struct heddle_geometry *g = &a->geometry, *h = &b->geometry;
    const int last = last_axis(a);
    if (g->ndim != h->ndim || g->n_kept != h->n_kept || g->phase != h->phase) return false;
    for (int d = 0; d < g->ndim; d++) {
        const int64_t origin = g->origin[d] + (d == last ? g->extent[d] : 0);
        if ((d < last && g->extent[d] != h->extent[d]) ||
            (a->program->index_axes >> d & 1 && h->origin[d] != origin))
            return false;
    }
    return true;
}

/* Whether operands walk alike along the other axes, and b is stored behind a. */
static bool walk_alike(const struct heddle_launch *a, const struct heddle_launch *b)
{
    const int last = last_axis(a);
    for (int k = 0; k < a->program->n_operands; k++) {
        for (int d = 0; d < last; d++)
            if (a->geometry.extent[d] > 1 && a->access[k].stride[d] != b->access[k].stride[d])
                return false;
        if (is_stored(a->program, k) &&
            b->access[k].offset != a->access[k].offset + a->geometry.extent[last])
            return false;
    }
    return true;
}

bool heddle__stretch_goes_on(const struct heddle_launch *a, const struct heddle_launch *b)
{
    const struct heddle_program *p = a->program;
    return b->program == p && is_plain_map(a) && is_plain_map(b) && are_beside(a, b) &&
           memcmp(a->buffer, b->buffer, p->n_operands * sizeof *a->buffer) == 0 &&
           memcmp(a->constants, b->constants, p->n_constants * sizeof *a->constants) == 0 &&
           walk_alike(a, b);
}

static int longest(const struct heddle_launch *const launches[], int n)
{
    const int last = last_axis(launches[0]);
    int found = 0;
    for (int s = 1; s < n; s++)
        if (launches[s]->geometry.extent[last] > launches[found]->geometry.extent[last]) found = s;
    return found;
}

/* Whether operands walk along the last axis as those of `main` do: by single elements, or not at all if they are only loaded. Of one
 * element no stride matters. */
static bool walks_as(const struct heddle_launch *main, const struct heddle_launch *l)
{
    const int last = last_axis(main);
    for (int k = 0; k < main->program->n_operands; k++) {
        const int64_t step = main->access[k].stride[last];
        if (step != 1 && (step != 0 || is_stored(main->program, k))) return false;
        if (l->geometry.extent[last] > 1 && l->access[k].stride[last] != step) return false;
    }
    return true;
}

/* Small elements that may be moved are loaded one by one; the borders of long rows take less than that. */
static bool is_worth(const struct heddle_launch *l, int64_t length)
{
    enum { SMALL_BYTES = 2, MOST_SMALL = 2048 };
    for (int k = 0; k < l->program->n_operands; k++)
        if (heddle_dtype_size((enum heddle_dtype)l->program->operand_dtype[k]) <= SMALL_BYTES)
            return length <= MOST_SMALL;
    return true;
}

bool heddle__are_stretches(const struct heddle_launch *const launches[], int n)
{
    const struct heddle_launch *const main = launches[longest(launches, n)];
    int64_t length = 0;
    for (int s = 0; s < n; s++) {
        if (!walks_as(main, launches[s])) return false;
        length += launches[s]->geometry.extent[last_axis(main)];
    }
    return n > 1 && n <= HEDDLE_MOST_STRETCHES && main->geometry.extent[last_axis(main)] > 1 &&
           is_worth(main, length);
}

struct heddle_launch heddle__stretches_join(const struct heddle_launch *const launches[], int n,
                                            struct heddle_access access[],
                                            struct heddle_stretches *stretches)
{
    const struct heddle_launch *const main = launches[longest(launches, n)];
    const int last = last_axis(main), n_operands = main->program->n_operands;
    struct heddle_launch whole = *main;
    int64_t length = 0, before = 0;
    memset(stretches, 0, sizeof *stretches);
    stretches->n = n;
    memcpy(access, main->access, (size_t)n_operands * sizeof *access);
    for (const struct heddle_launch *const *l = launches; *l != main; l++)
        before += (*l)->geometry.extent[last];
    for (int k = 0; k < n_operands; k++) access[k].offset -= before * access[k].stride[last];
    for (int s = 0; s < n; s++) {
        for (int k = 0; k < n_operands; k++) {
            const int64_t apart =
                launches[s]->access[k].offset - length * access[k].stride[last] - access[k].offset;
            stretches->apart[s][k] = apart;
            if (apart != 0) stretches->moved |= UINT32_C(1) << k;
        }
        length += launches[s]->geometry.extent[last];
        stretches->end[s] = length;
    }
    whole.geometry.origin[last] = launches[0]->geometry.origin[last];
    whole.geometry.extent[last] = length;
    whole.access = access;
    whole.stretches = stretches->moved ? stretches : NULL;
    return whole;
}

struct heddle_launch heddle__stretch(const struct heddle_launch *launch, int s,
                                     struct heddle_access access[])
{
    const struct heddle_stretches *const of = launch->stretches;
    const int last = last_axis(launch);
    int64_t lo[HEDDLE_MAX_NDIM] = {0}, size[HEDDLE_MAX_NDIM];
    memcpy(size, launch->geometry.extent, sizeof size);
    lo[last] = s > 0 ? of->end[s - 1] : 0;
    size[last] = of->end[s] - lo[last];
    struct heddle_launch box = heddle__launch_box(launch, lo, size, access);
    box.stretches = NULL;
    for (int k = 0; k < launch->program->n_operands; k++) access[k].offset += of->apart[s][k];
    return box;
}
