/* Joins that add axes where there are too few. Entry points: heddle_vstack, heddle_hstack, heddle_dstack,
 * heddle_column_stack. */
#include "api/compose/compose.h"

#include "base/memory.h"

#include <heddle/assemble.h>

/* Joins the arrays, each as `form` makes it, along `axis`. */
static heddle_array *join(const char *name, int n, heddle_array *const arrays[],
                          heddle_array *(*form)(heddle_array *), int axis)
{
    heddle_array *const bad = heddle__bad_list(name, n, arrays);
    if (bad) return bad;
    heddle_array **in = heddle__calloc((size_t)n, sizeof(heddle_array *));
    if (!in) return heddle__hand_out(heddle__no_memory());
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    for (int i = 0; i < n; i++) in[i] = form(arrays[i]);
    heddle_array *r = heddle_concat(n, in, axis);
    heddle__free(in);
    return heddle__scope_leave(&scope, r);
}

static heddle_array *with_1_axis(heddle_array *a)
{
    return heddle_atleast(a, 1);
}

static heddle_array *with_2_axes(heddle_array *a)
{
    return heddle_atleast(a, 2);
}

static heddle_array *with_3_axes(heddle_array *a)
{
    return heddle_atleast(a, 3);
}

/* A vector as a column. */
static heddle_array *as_columns(heddle_array *a)
{
    if (a->ndim > 1) return a;
    return heddle_reshape(a, 2, (const int64_t[]){a->size, 1});
}

heddle_array *heddle_vstack(int n, heddle_array *const arrays[])
{
    return join("vstack", n, arrays, with_2_axes, 0);
}

heddle_array *heddle_hstack(int n, heddle_array *const arrays[])
{
    const bool vectors = n > 0 && arrays && arrays[0] && arrays[0]->ndim <= 1;
    return join("hstack", n, arrays, with_1_axis, vectors ? 0 : 1);
}

heddle_array *heddle_dstack(int n, heddle_array *const arrays[])
{
    return join("dstack", n, arrays, with_3_axes, 2);
}

heddle_array *heddle_column_stack(int n, heddle_array *const arrays[])
{
    return join("column_stack", n, arrays, as_columns, 1);
}
