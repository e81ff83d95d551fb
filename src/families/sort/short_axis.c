/* Sorting along an axis of few indices: these exchange what is in the wrong order, by an order of pairs that does not depend on the elements,
 * so that it is elementwise work, which fuses with what is before and after it; ranks that nobody reads are never computed. Entry
 * point: heddle__sort_short. */
#include "families/sort/sort.h"

#include "graph/make.h"
#include "graph/scope.h"
#include "graph/stacks.h"

#include <heddle/elementwise.h>

/* One program has room for so many indices, each loaded once and stored once, and for what reads them: with more, what is exchanged would be
 * stored. If an index is computed of several arrays, for fewer. */
enum {
    MOST = 5,            /* 9 exchanges */
    MOST_OF_DATA = 7,    /* 16 */
    LEAST_LINES = 1 << 9 /* with fewer one call takes less than so many operations */
};

bool heddle__is_sorted_short(heddle_array *a, int axis)
{
    const int64_t n = a->shape[axis];
    return n >= 2 && n <= MOST_OF_DATA && a->size / n >= LEAST_LINES &&
           heddle_dtype_kind((enum heddle_dtype)a->dtype) != 'C' &&
           (n <= MOST || heddle__is_seen_data(a));
}

/* NaN goes to *y: the one operation gives the number beside it, the other one it. Of equal ones, as -0 and 0 are, both stay. */
static void exchange(heddle_array **x, heddle_array **y, bool descending)
{
    heddle_array *const a = *x, *const b = *y;
    *x = descending ? heddle_fmax(a, b) : heddle_fmin(a, b);
    *y = descending ? heddle_minimum(b, a) : heddle_maximum(b, a);
}

/* Merge exchange: D. E. Knuth, The Art of Computer Programming, volume 3, 1998, algorithm 5.2.2M. */
heddle_array *heddle__sort_short(heddle_array *a, int axis, bool descending)
{
    struct heddle_scope_state scope;
    heddle_array *line[MOST_OF_DATA];
    const int n = (int)a->shape[axis];
    int top = 1;
    while (2 * top < n) top *= 2;
    heddle__scope_enter(&scope);
    for (int i = 0; i < n; i++) line[i] = heddle__hand_out(heddle__make_line(a, axis, i));
    for (int p = top; p > 0; p /= 2)
        for (int q = top, r = 0, apart = p; q >= p; apart = q - p, q /= 2, r = p)
            for (int i = 0; i + apart < n; i++)
                if ((i & p) == r) exchange(&line[i], &line[i + apart], descending);
    heddle_array *const bad = heddle__bad_operand("sort", n, line);
    heddle_array *const r = bad ? bad : heddle__hand_out(heddle__make_stack(axis, n, line));
    if (!bad) r->of_ranks = r->kind == HEDDLE_NODE_ASSEMBLE;
    return heddle__scope_leave(&scope, r);
}
