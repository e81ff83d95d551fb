/* Distinct rows: they are sorted by their numbers, the first of which counts most, and each is compared with the one
 * before. Entry point: heddle__row_runs. */
#include "api/compose/compose.h"
#include "api/order/distinct.h"

#include "base/memory.h"

#include <heddle/gather.h>
#include <heddle/sort.h>

/* The order of the rows; by no numbers that in which they are. */
static heddle_array *order_of(heddle_array *rows)
{
    const int64_t columns = rows->shape[1];
    if (columns == 0) return heddle__index_along(rows->shape[0], 0, 1);
    if (columns > INT32_MAX)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_unique: rows of %lld numbers",
                                   (long long)columns);
    heddle_array **keys = heddle__alloc((size_t)columns * sizeof *keys);
    if (!keys) return heddle__error_memory();
    for (int64_t i = 0; i < columns; i++) keys[i] = heddle__item(rows, 1, columns - 1 - i);
    const struct heddle_along_options o = {.size = sizeof o};
    heddle_array *const order = heddle_lexsort_with((int)columns, keys, &o);
    heddle__free(keys);
    return order;
}

void heddle__row_runs(heddle_array *rows, struct heddle__runs *r)
{
    *r = (struct heddle__runs){rows, rows, rows};
    if (heddle_status_of(rows) != HEDDLE_OK) return;
    const struct heddle_take_options o = {.size = sizeof o, .has_axis = true};
    const int64_t n = rows->shape[0];
    r->order = order_of(rows);
    r->sorted = heddle_take_with(rows, r->order, &o);
    const struct heddle_shape one = {.ndim = 1, .extent = {1}};
    r->is_first = heddle_logical_not(heddle__zeros(HEDDLE_BOOL, &one));
    if (n == 1) return;
    heddle_array *const differ =
        heddle_not_equal(heddle__slice(r->sorted, 0, 0, n - 1), heddle__slice(r->sorted, 0, 1, n));
    if (heddle_status_of(differ) != HEDDLE_OK) {
        r->is_first = differ;
        return;
    }
    heddle_array *const parts[2] = {
        r->is_first, heddle__reduce_mask(heddle_any_with, differ, 2, false, HEDDLE_DTYPE_NONE)};
    r->is_first = heddle_concat(2, parts, 0);
}
