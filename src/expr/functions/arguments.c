/* What calls of several groups convert: axes, shapes, numbers, lists of arrays; and several results. Entry
 * points: functions.h. */
#include "expr/functions/functions.h"

#include <heddle/manipulate.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool heddle__expr_given(const struct value *v)
{
    return v->kind != VALUE_ABSENT && v->kind != VALUE_NONE;
}

heddle_array *heddle__expr_flat(heddle_array *a)
{
    return heddle_reshape(a, 1, (const int64_t[]){-1});
}

bool heddle__expr_to_optional_array(struct run *run, const struct value *v, bool strong,
                                    heddle_array **out)
{
    return !heddle__expr_given(v) || heddle__expr_to_array(run, v, strong, out);
}

bool heddle__expr_to_axes(struct run *run, const struct value *v, int *axes, int *n)
{
    int64_t numbers[HEDDLE_MAX_NDIM];
    *n = -1;
    if (!heddle__expr_given(v)) return true;
    if (!heddle__expr_to_ints(run, v, "axis", HEDDLE_MAX_NDIM, numbers, n)) return false;
    for (int i = 0; i < *n; i++) {
        if (numbers[i] < -INT_MAX + 1 || numbers[i] > INT_MAX)
            return heddle__expr_fail(run, HEDDLE_EAXIS, v->at, "axis %lld is out of range",
                                     (long long)numbers[i]);
        axes[i] = (int)numbers[i];
    }
    return true;
}

bool heddle__expr_to_shape(struct run *run, const struct value *v, int64_t *shape, int *ndim)
{
    return heddle__expr_to_ints(run, v, "a shape", HEDDLE_MAX_NDIM, shape, ndim);
}

bool heddle__expr_to_axes_options(struct run *run, const struct value *v, int *one, bool *has_one,
                                  struct heddle_axes *several)
{
    int n;
    *several = (struct heddle_axes){0};
    if (!heddle__expr_to_axes(run, v, several->at, &n)) return false;
    *has_one = n == 1 && !heddle__expr_is_list(v);
    *one = *has_one ? several->at[0] : 0;
    if (n >= 0 && !*has_one) several->count = n > 0 ? n : -1;
    return true;
}

bool heddle__expr_to_axis(struct run *run, const struct value *v, int *axis, bool *given)
{
    int axes[HEDDLE_MAX_NDIM], n;
    if (!heddle__expr_to_axes(run, v, axes, &n)) return false;
    if (n > 1 || n == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "axis must be an integer");
    *given = n == 1;
    if (n == 1) *axis = axes[0];
    return true;
}

bool heddle__expr_to_one_axis(struct run *run, const struct value *v, int *axis)
{
    bool given = false;
    *axis = 0;
    if (!heddle__expr_to_axis(run, v, axis, &given)) return false;
    return given || heddle__expr_fail(run, HEDDLE_EARG, v->at, "an axis is an integer");
}

bool heddle__expr_to_along(struct run *run, const struct value *v,
                           struct heddle_along_options *along)
{
    *along = (struct heddle_along_options){.size = sizeof *along};
    return heddle__expr_to_axis(run, v, &along->axis, &along->has_axis);
}

bool heddle__expr_to_optional_int(struct run *run, const struct value *v, const char *what,
                                  int64_t *out)
{
    return v->kind == VALUE_ABSENT || heddle__expr_to_int(run, v, what, out);
}

bool heddle__expr_to_double(struct run *run, const struct value *v, const char *what, double *out)
{
    if (!heddle__expr_given(v)) return true;
    if (!heddle__expr_is_scalar(v) || v->kind == VALUE_COMPLEX)
        return heddle__expr_fail(run, v->kind == VALUE_ARRAY ? HEDDLE_EUNSUPPORTED : HEDDLE_EARG,
                                 v->at, "%s must be a number, not %s", what,
                                 heddle__expr_value_name(v));
    *out = v->kind == VALUE_FLOAT ? v->re
           : v->kind == VALUE_INT ? (double)v->integer
                                  : (double)v->boolean;
    return true;
}

bool heddle__expr_to_nonzero(struct run *run, const struct value *v, const char *what, double *out)
{
    if (!heddle__expr_to_double(run, v, what, out)) return false;
    if (!heddle__expr_given(v) || *out != 0) return true;
    return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "%s must not be 0", what);
}

bool heddle__expr_to_word(struct run *run, const struct value *v, const char *what, int n,
                          const char *const words[], int *out)
{
    if (v->kind == VALUE_ABSENT) return true;
    for (int i = 0; i < n; i++)
        if (heddle__expr_is_text(v, words[i])) {
            *out = i;
            return true;
        }
    char all[160];
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s'%s'",
                                 i == 0       ? ""
                                 : i == n - 1 ? " or "
                                              : ", ",
                                 words[i]);
    return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s %s", what, all);
}

heddle_array *heddle__expr_slice(heddle_array *a, int axis, int64_t from, int64_t to)
{
    struct heddle_index index[HEDDLE_MAX_NDIM] = {{.kind = HEDDLE_INDEX_SLICE}};
    for (int d = 0; d < axis; d++) index[d] = (struct heddle_index){.kind = HEDDLE_INDEX_SLICE};
    index[axis] = (struct heddle_index)HEDDLE_SLICE(from, to);
    return heddle_getitem(a, axis + 1, index);
}

/* ---- Several arrays ------------------------------------------------------------------------------- */

heddle_array **heddle__expr_room(struct run *run, int64_t n)
{
    heddle_array **room = heddle__arena_alloc(&run->arena, (size_t)(n + 1) * sizeof *room);
    if (!room) heddle__expr_no_memory(run);
    return room;
}

bool heddle__expr_to_arrays(struct run *run, const struct value *v, bool strong,
                            heddle_array ***arrays, int *n)
{
    if (!heddle__expr_is_list(v))
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected a list of arrays, as [a, b], found %s",
                                 heddle__expr_value_name(v));
    if (v->n > INT_MAX) return heddle__expr_fail(run, HEDDLE_EARG, v->at, "too many arrays");
    *arrays = heddle__expr_room(run, v->n);
    if (!*arrays) return false;
    for (int64_t i = 0; i < v->n; i++)
        if (!heddle__expr_to_array(run, &v->items[i], strong, &(*arrays)[i])) return false;
    *n = (int)v->n;
    return true;
}

bool heddle__expr_to_rows(struct run *run, const struct value *v, heddle_array ***arrays, int *n)
{
    if (v->kind != VALUE_ARRAY || heddle_ndim(v->array) == 0)
        return heddle__expr_to_arrays(run, v, true, arrays, n);
    const int64_t rows = heddle_shape(v->array)[0];
    if (rows > INT_MAX) return heddle__expr_fail(run, HEDDLE_EARG, v->at, "too many arrays");
    *n = (int)rows;
    *arrays = heddle__expr_room(run, rows);
    if (!*arrays) return false;
    const enum heddle_status status =
        rows ? heddle_unstack_with(v->array, *n, *arrays, NULL) : HEDDLE_OK;
    return status == HEDDLE_OK || heddle__expr_fail(run, status, v->at, "%s", heddle_last_error());
}

bool heddle__expr_from_arrays(struct run *run, enum heddle_status status, int n,
                              heddle_array *const arrays[], enum value_kind kind, size_t at,
                              struct value *out)
{
    if (status != HEDDLE_OK) return heddle__expr_fail(run, status, at, "%s", heddle_last_error());
    const int64_t base = run->n_stack;
    for (int i = 0; i < n; i++) {
        struct value item;
        if (!heddle__expr_from_array(run, arrays[i], at, &item) || !heddle__expr_push(run, item))
            return false;
    }
    return heddle__expr_take(run, base, kind, at, out);
}
