/* Arrays of values: of numbers, of nested lists, of a dtype. Entry points: heddle__expr_to_array,
 * heddle__expr_to_array_of. */
#include "expr/value.h"
#include "base/memory.h"
#include "graph/infer.h"
#include "graph/make.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

#include <string.h>

/* ---- Nested lists --------------------------------------------------------------------------------- */

struct nest {
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;             /* -1: no item seen yet */
    enum value_kind kind; /* the widest of the scalars */
    bool arrays;          /* there are arrays inside */
    int64_t n;            /* scalars written */
};

static bool ragged(struct run *run, const struct value *v)
{
    return heddle__expr_fail(run, HEDDLE_ESHAPE, v->at, "the nested lists differ in length");
}

/* Checks that the lists nest evenly; fills in `nest`. Recursion: HEDDLE_MAX_NDIM levels. */
static bool measure(struct run *run, const struct value *v, int depth, struct nest *nest)
{
    if (v->kind == VALUE_ARRAY) {
        nest->arrays = true;
        return true;
    }
    if (heddle__expr_is_scalar(v)) {
        if (nest->ndim >= 0 && nest->ndim != depth) return ragged(run, v);
        nest->ndim = depth;
        if (v->kind > nest->kind) nest->kind = v->kind;
        return true;
    }
    if (!heddle__expr_is_list(v))
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected a number, an array or a list of them, found %s",
                                 heddle__expr_value_name(v));
    if (depth == HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, v->at, "an array has at most %d axes",
                                 HEDDLE_MAX_NDIM);
    if (nest->shape[depth] < 0)
        nest->shape[depth] = v->n;
    else if (nest->shape[depth] != v->n && !nest->arrays)
        return ragged(run, v);
    if (v->n == 0) {
        if (nest->ndim >= 0 && nest->ndim != depth + 1) return ragged(run, v);
        nest->ndim = depth + 1;
    }
    for (int64_t i = 0; i < v->n; i++)
        if (!measure(run, &v->items[i], depth + 1, nest)) return false;
    return true;
}

static void write_scalar(const struct value *v, enum value_kind kind, void *data, int64_t i)
{
    const int64_t integer = v->kind == VALUE_BOOL ? v->boolean : v->integer;
    const double re = v->kind >= VALUE_FLOAT ? v->re : (double)integer;
    const double im = v->kind == VALUE_COMPLEX ? v->im : 0, both[2] = {re, im};
    switch (kind) {
    case VALUE_BOOL: memcpy((bool *)data + i, &v->boolean, sizeof v->boolean); break;
    case VALUE_INT: memcpy((int64_t *)data + i, &integer, sizeof integer); break;
    case VALUE_FLOAT: memcpy((double *)data + i, &re, sizeof re); break;
    default: memcpy((double *)data + 2 * i, both, sizeof both); break;
    }
}

static void write_items(const struct value *v, struct nest *nest, void *data)
{
    if (!heddle__expr_is_list(v)) {
        write_scalar(v, nest->kind, data, nest->n++);
        return;
    }
    for (int64_t i = 0; i < v->n; i++) write_items(&v->items[i], nest, data);
}

static enum heddle_dtype natural_dtype(enum value_kind kind)
{
    return kind == VALUE_BOOL      ? HEDDLE_BOOL
           : kind == VALUE_INT     ? HEDDLE_INT64
           : kind == VALUE_COMPLEX ? HEDDLE_COMPLEX128
                                   : HEDDLE_FLOAT64;
}

/* A list with arrays in it: makes an array of each item, and stacks them. */
static bool stack_items(struct run *run, const struct value *v, heddle_array **out)
{
    if (v->n > INT32_MAX)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, v->at, "too many arrays in a list");
    heddle_array **arrays = heddle__alloc((size_t)v->n * sizeof *arrays);
    if (!arrays) return heddle__expr_no_memory(run);
    bool ok = true;
    for (int64_t i = 0; ok && i < v->n; i++)
        ok = heddle__expr_to_array(run, &v->items[i], true, &arrays[i]);
    struct value stacked = {0};
    ok = ok && heddle__expr_from_array(run, heddle_stack((int)v->n, arrays, 0), v->at, &stacked);
    if (ok) *out = stacked.array;
    heddle__free(arrays);
    return ok;
}

static bool list_to_array(struct run *run, const struct value *v, heddle_array **out)
{
    struct nest nest = {.ndim = -1, .kind = VALUE_ABSENT};
    struct value made = {0};
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) nest.shape[d] = -1;
    if (!measure(run, v, 0, &nest)) return false;
    if (nest.arrays) {
        if (!stack_items(run, v, &made.array)) return false;
    } else {
        const enum heddle_dtype natural = natural_dtype(nest.kind);
        const int ndim = nest.ndim < 0 ? 0 : nest.ndim;
        uint64_t size = 1;
        for (int d = 0; d < ndim; d++)
            size *= (uint64_t)nest.shape[d]; /* each item is in the text: no overflow */
        void *data = heddle__alloc(size * heddle_dtype_size(natural));
        if (!data) return heddle__expr_no_memory(run);
        if (nest.kind != VALUE_ABSENT) write_items(v, &nest, data);
        made.array = heddle_asarray_with(data, natural, ndim, nest.shape, NULL);
        heddle__free(data);
    }
    if (!heddle__expr_from_array(run, made.array, v->at, &made)) return false;
    *out = made.array;
    return true;
}

/* ---- Any value ------------------------------------------------------------------------------------ */

bool heddle__expr_to_array(struct run *run, const struct value *v, bool strong, heddle_array **out)
{
    heddle_array *a;
    switch (v->kind) {
    case VALUE_ARRAY: *out = v->array; return true;
    case VALUE_BOOL: a = heddle_scalar_bool(v->boolean); break;
    case VALUE_INT: a = heddle_scalar_int(v->integer); break;
    case VALUE_FLOAT: a = heddle_scalar_float(v->re); break;
    case VALUE_COMPLEX: a = heddle_scalar_complex(v->re, v->im); break;
    case VALUE_TUPLE:
    case VALUE_LIST: return list_to_array(run, v, out);
    case VALUE_STRING:
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected an array or a number, found a string (strings name "
                                 "dtypes only)");
    case VALUE_FUNCTION:
    case VALUE_PYTHON:
    case VALUE_METHOD:
    case VALUE_DRAW:
    case VALUE_DEFINITION:
    case VALUE_KERNEL:
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected an array or a number, found a function: its call needs "
                                 "'(' and ')'");
    default:
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "expected an array or a number, found %s",
                                 heddle__expr_value_name(v));
    }
    if (strong) a = heddle__adopt(heddle__make_cast(a, natural_dtype(v->kind)));
    struct value made;
    if (!heddle__expr_from_array(run, a, v->at, &made)) return false;
    *out = a;
    return true;
}

/* Integers, in lists too, are in the range of the dtype. */
static bool fits(struct run *run, const struct value *v, enum heddle_dtype dtype)
{
    if (v->kind == VALUE_INT && !heddle__int_fits(v->integer, dtype))
        return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "%lld is out of range of %s",
                                 (long long)v->integer, heddle_dtype_name(dtype));
    for (int64_t i = 0; heddle__expr_is_list(v) && i < v->n; i++)
        if (!fits(run, &v->items[i], dtype)) return false;
    return true;
}

bool heddle__expr_to_array_of(struct run *run, const struct value *v, enum heddle_dtype dtype,
                              heddle_array **out)
{
    if (!heddle__expr_to_array(run, v, true, out)) return false;
    if (dtype == HEDDLE_DTYPE_NONE || dtype == heddle_dtype_of(*out)) return true;
    if (!fits(run, v, dtype)) return false;
    struct value made;
    if (!heddle__expr_from_array(run, heddle_astype(*out, dtype), v->at, &made)) return false;
    *out = made.array;
    return true;
}
