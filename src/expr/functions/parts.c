/* Functions with several results, which are tuples or lists of arrays, as NumPy's. */
#include "expr/functions/functions.h"

enum { MAX_PARTS = 1000000 };

CALL(call_unstack)
{
    (void)f;
    heddle_array *a;
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_along(run, &args[1], &o))
        return false;
    const int ndim = heddle_ndim(a), axis = o.axis < 0 ? o.axis + ndim : o.axis;
    const int64_t n = axis >= 0 && axis < ndim ? heddle_shape(a)[axis] : 0;
    if (n > MAX_PARTS)
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "more than %d parts", MAX_PARTS);
    heddle_array **parts = heddle__expr_room(run, n);
    return parts && heddle__expr_from_arrays(run, heddle_unstack_with(a, (int)n, parts, &o), (int)n,
                                             parts, VALUE_TUPLE, at, out);
}

/* A number of parts, or a list of positions. */
static bool split(struct run *run, const struct function *f, size_t at, heddle_array *a,
                  const struct value *where, const struct heddle_along_options *o,
                  struct value *out)
{
    struct value positions_of;
    if (where->kind == VALUE_ARRAY && heddle_ndim(where->array) == 1) {
        if (!heddle__expr_to_list(run, where->array, where->at, &positions_of)) return false;
        where = &positions_of;
    }
    const bool list = heddle__expr_is_list(where);
    int64_t n = 0;
    if (!list && !heddle__expr_to_int(run, where, "the number of parts", &n)) return false;
    const int64_t n_parts = list ? where->n + 1 : n;
    if (n_parts < 1 || n_parts > MAX_PARTS)
        return heddle__expr_fail(run, HEDDLE_EARG, where->at, "%lld parts", (long long)n_parts);
    heddle_array **parts = heddle__expr_room(run, n_parts);
    if (!parts) return false;
    if (!list)
        return heddle__expr_from_arrays(run, f->split(a, (int)n, parts, o), (int)n, parts,
                                        VALUE_LIST, at, out);
    int64_t *positions = heddle__arena_alloc(&run->arena, (size_t)n_parts * sizeof *positions);
    if (!positions) return heddle__expr_no_memory(run);
    for (int64_t i = 0; i < where->n; i++)
        if (!heddle__expr_to_int(run, &where->items[i], "a position", &positions[i])) return false;
    return heddle__expr_from_arrays(run,
                                    heddle_split_at_with(a, (int)where->n, positions, parts, o),
                                    (int)n_parts, parts, VALUE_LIST, at, out);
}

CALL(call_split)
{
    heddle_array *a;
    struct heddle_along_options o;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_along(run, &args[2], &o) && split(run, f, at, a, &args[1], &o, out);
}

/* vsplit, hsplit, dsplit: the axis is by the name, and the only one of a vector for hsplit. */
CALL(call_split_axis)
{
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    struct heddle_along_options o = {.size = sizeof o, .has_axis = true};
    o.axis = f->name[0] == 'v' ? 0 : f->name[0] == 'd' ? 2 : heddle_ndim(a) > 1;
    const struct function equal = {.name = f->name, .split = heddle_split_with};
    return split(run, &equal, at, a, &args[1], &o, out);
}

CALL(call_meshgrid)
{
    (void)f;
    heddle_array **arrays = NULL;
    int n = 0;
    struct heddle_meshgrid_options o = {.size = sizeof o};
    if (!heddle__expr_to_arrays(run, &args[0], true, &arrays, &n)) return false;
    for (int i = 0; i < n; i++) arrays[i] = heddle__expr_flat(arrays[i]);
    o.matrix_indexing = heddle__expr_is_text(&args[1], "ij");
    if (args[1].kind != VALUE_ABSENT && !o.matrix_indexing && !heddle__expr_is_text(&args[1], "xy"))
        return heddle__expr_fail(run, HEDDLE_EARG, args[1].at, "indexing is 'xy' or 'ij'");
    heddle_array **grid = heddle__expr_room(run, n);
    bool sparse = false;
    if (!heddle__expr_to_bool(run, &args[2], "sparse", &sparse)) return false;
    if (grid && sparse) { /* each along its axis alone */
        for (int i = 0; i < n && n <= HEDDLE_MAX_NDIM; i++) {
            int64_t line[HEDDLE_MAX_NDIM];
            const int axis = o.matrix_indexing || i > 1 || n == 1 ? i : 1 - i;
            for (int d = 0; d < n; d++) line[d] = d == axis ? heddle_size(arrays[i]) : 1;
            grid[i] = heddle_reshape(arrays[i], n, line);
        }
        return n <= HEDDLE_MAX_NDIM
                   ? heddle__expr_from_arrays(run, HEDDLE_OK, n, grid, VALUE_TUPLE, at, out)
                   : heddle__expr_fail(run, HEDDLE_ESHAPE, at, "a grid of %d axes", n);
    }
    return grid && heddle__expr_from_arrays(run, heddle_meshgrid_with(n, arrays, grid, &o), n, grid,
                                            VALUE_TUPLE, at, out);
}

CALL(call_broadcast_arrays)
{
    (void)f;
    heddle_array **arrays = NULL;
    int n = 0;
    if (!heddle__expr_to_arrays(run, &args[0], true, &arrays, &n)) return false;
    heddle_array **same = heddle__expr_room(run, n);
    return same && heddle__expr_from_arrays(run, heddle_broadcast_arrays(n, arrays, same), n, same,
                                            VALUE_TUPLE, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(unstack, "x/a | axis=", call_unstack),
    {"split", "ary/a indices_or_sections axis=", call_split, {.split = heddle_split_with}},
    {"array_split",
     "ary/a indices_or_sections axis=",
     call_split,
     {.split = heddle_array_split_with}},
    PLAIN(vsplit, "ary/a indices_or_sections", call_split_axis),
    PLAIN(hsplit, "ary/a indices_or_sections", call_split_axis),
    PLAIN(dsplit, "ary/a indices_or_sections", call_split_axis),
    PLAIN(meshgrid, "+arrays | indexing= sparse= copy=", call_meshgrid),
    PLAIN(broadcast_arrays, "+arrays", call_broadcast_arrays),
};

TABLE(parts);
