/* What of a sorted array anything reads: if only views do, such as `sort(x)[:10]` or the middle for a median, the ranks that
 * they have. A kernel may leave the others. Entry point: heddle__sort_wanted. */
#include "families/sort/sort.h"
#include "plan/build/planner.h"

#include <string.h>

/* Adds ranks lo .. hi-1; false: there is no room. */
static bool add_ranks(struct heddle_sort_wanted *w, int64_t lo, int64_t hi)
{
    int i = 0, end;
    while (i < w->n && w->ranks[i][1] < lo) i++;
    for (end = i; end < w->n && w->ranks[end][0] <= hi; end++) { /* those that meet it become one */
        lo = w->ranks[end][0] < lo ? w->ranks[end][0] : lo;
        hi = w->ranks[end][1] > hi ? w->ranks[end][1] : hi;
    }
    if (end == i && w->n == HEDDLE_SORT_WANTED) return false;
    memmove(w->ranks[i + 1], w->ranks[end], (size_t)(w->n - end) * sizeof *w->ranks);
    w->n += 1 - (end - i);
    w->ranks[i][0] = lo;
    w->ranks[i][1] = hi;
    return true;
}

/* The ranks that a view of `shape` has. NULL: it is no view. */
static bool add_view(struct heddle_sort_wanted *w, const struct heddle_map *map,
                     const int64_t *shape, int last)
{
    if (!map) return false;
    const int axis = map->axis[last];
    const int64_t from = map->offset[last],
                  way = axis < 0 ? 0 : map->step[last] * (shape[axis] - 1);
    return add_ranks(w, way < 0 ? from + way : from, (way < 0 ? from : from + way) + 1);
}

void heddle__sort_wanted(struct heddle_planner *p, int32_t at, struct heddle_sort_wanted *w)
{
    const struct heddle_value *sorted = &p->values[at];
    const int last = sorted->node->ndim - 1;
    bool some = sorted->result < 0 && heddle__list_reads(p); /* what is asked for is read whole */
    w->n = 0;
    for (int32_t k = some ? p->first_read[at] : -1; k >= 0 && some; k = p->reads[k].next) {
        const struct heddle_value *v = &p->values[p->reads[k].reader];
        const heddle_array *reader = v->node;
        const struct heddle_map *map = v->view;
        const bool is_view = reader->kind == HEDDLE_NODE_VIEW; /* that is materialised */
        if (!is_view) heddle__input(p, v, p->reads[k].input, &map);
        some =
            add_view(w, map, is_view ? reader->shape : reader->in[p->reads[k].input]->shape, last);
    }
    int64_t n = 0;
    for (int i = 0; i < w->n; i++) n += w->ranks[i][1] - w->ranks[i][0];
    if (!some || n > sorted->node->shape[last] / 2) w->n = 0;
}
