/* Python's numbers and lists of arrays: what needs their values, and so evaluates them. Entry points:
 * heddle__expr_item, heddle__expr_to_list, heddle__expr_to_many_ints. */
#include "base/memory.h"
#include "expr/value.h"

enum { MAX_ITEMS = 100000 };

/* Number `i` of what was read: bool, int64, float64 or complex128 by the kind. */
static struct value number_at(char kind, const void *data, int64_t i, size_t at)
{
    struct value v = {.kind = VALUE_FLOAT, .at = at};
    switch (kind) {
    case 'B':
        v.kind = VALUE_BOOL;
        v.boolean = ((const bool *)data)[i];
        break;
    case 'I':
    case 'U':
        v.kind = VALUE_INT;
        v.integer = ((const int64_t *)data)[i];
        break;
    case 'C':
        v.kind = VALUE_COMPLEX;
        v.re = ((const double *)data)[2 * i];
        v.im = ((const double *)data)[2 * i + 1];
        break;
    default: v.re = ((const double *)data)[i];
    }
    return v;
}

static enum heddle_dtype widest_of(char kind)
{
    return kind == 'B'                  ? HEDDLE_BOOL
           : kind == 'I' || kind == 'U' ? HEDDLE_INT64
           : kind == 'C'                ? HEDDLE_COMPLEX128
                                        : HEDDLE_FLOAT64;
}

/* All elements, to be freed with heddle__free. */
static bool read_all(struct run *run, heddle_array *a, size_t at, void **data)
{
    const enum heddle_dtype dtype = widest_of(heddle_dtype_kind(heddle_dtype_of(a)));
    const int64_t bytes = heddle_size(a) * (int64_t)heddle_dtype_size(dtype);
    *data = heddle__alloc(bytes ? (size_t)bytes : 1);
    if (!*data) return heddle__expr_no_memory(run);
    const enum heddle_status status = heddle_read_as(a, dtype, *data, bytes);
    int64_t beyond = 0; /* of int64, as they are in uint64 */
    for (int64_t i = 0;
         status == HEDDLE_OK && heddle_dtype_of(a) == HEDDLE_UINT64 && i < heddle_size(a); i++)
        beyond += ((const int64_t *)*data)[i] < 0;
    if (status == HEDDLE_OK && !beyond) return true;
    heddle__free(*data);
    return heddle__expr_fail(run, beyond ? HEDDLE_ERANGE : status, at, "%s",
                             beyond ? "a value does not fit int64" : heddle_last_error());
}

bool heddle__expr_item(struct run *run, heddle_array *a, size_t at, struct value *out)
{
    void *data;
    if (heddle_size(a) != 1)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at,
                                 "it has %lld elements; one is needed to be a number",
                                 (long long)heddle_size(a));
    if (!read_all(run, a, at, &data)) return false;
    *out = number_at(heddle_dtype_kind(heddle_dtype_of(a)), data, 0, at);
    heddle__free(data);
    return true;
}

/* The elements from number *next on that the axes from `axis` have, as nested lists. */
static bool to_list(struct run *run, heddle_array *a, int axis, const void *data, int64_t *next,
                    size_t at, struct value *out)
{
    if (axis == heddle_ndim(a)) {
        *out = number_at(heddle_dtype_kind(heddle_dtype_of(a)), data, (*next)++, at);
        return true;
    }
    const int64_t base = run->n_stack;
    for (int64_t i = 0; i < heddle_shape(a)[axis]; i++) {
        struct value item;
        if (!to_list(run, a, axis + 1, data, next, at, &item) || !heddle__expr_push(run, item))
            return false;
    }
    return heddle__expr_take(run, base, VALUE_LIST, at, out);
}

bool heddle__expr_to_list(struct run *run, heddle_array *a, size_t at, struct value *out)
{
    void *data;
    int64_t next = 0, lists = 1; /* lists without elements count, too */
    for (int d = 0; d < heddle_ndim(a) && lists <= MAX_ITEMS; d++) lists *= heddle_shape(a)[d];
    if (heddle_size(a) > MAX_ITEMS || lists > MAX_ITEMS)
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "a list of more than %d items", MAX_ITEMS);
    if (!read_all(run, a, at, &data)) return false;
    const bool ok = to_list(run, a, 0, data, &next, at, out);
    heddle__free(data);
    return ok;
}

bool heddle__expr_to_many_ints(struct run *run, const struct value *v, const char *what,
                               int64_t **out, int64_t *n)
{
    const char kind = v->kind == VALUE_ARRAY ? heddle_dtype_kind(heddle_dtype_of(v->array)) : 0;
    if ((kind == 'I' || kind == 'U') && heddle_ndim(v->array) == 1) {
        void *data;
        if (!read_all(run, v->array, v->at, &data)) return false;
        *n = heddle_size(v->array);
        *out = data;
        return true;
    }
    const bool is_list = heddle__expr_is_list(v);
    *n = is_list ? v->n : 1;
    *out = heddle__alloc((size_t)(*n ? *n : 1) * sizeof **out);
    if (!*out) return heddle__expr_no_memory(run);
    for (int64_t i = 0; i < *n; i++)
        if (!heddle__expr_to_int(run, is_list ? &v->items[i] : v, what, &(*out)[i])) {
            heddle__free(*out);
            return false;
        }
    return true;
}
