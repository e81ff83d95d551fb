/* Values: their stack, and conversions to dtypes, integers, flags. Each reports what it wanted and what it got.
 * Entry points: value.h. */
#include "expr/value.h"
#include "base/memory.h"

#include <string.h>

bool heddle__expr_is_list(const struct value *v)
{
    return v->kind == VALUE_TUPLE || v->kind == VALUE_LIST;
}

bool heddle__expr_is_function(const struct value *v)
{
    return v->kind == VALUE_FUNCTION || v->kind == VALUE_METHOD || v->kind == VALUE_DRAW ||
           v->kind == VALUE_DEFINITION || v->kind == VALUE_KERNEL || v->kind == VALUE_PYTHON;
}

bool heddle__expr_is_text(const struct value *v, const char *text)
{
    return v->kind == VALUE_STRING && v->length == strlen(text) &&
           !memcmp(v->text, text, v->length);
}

const char *heddle__expr_value_name(const struct value *v)
{
    static const char *const names[] = {
        [VALUE_ABSENT] = "nothing",
        [VALUE_NONE] = "None",
        [VALUE_BOOL] = "a bool",
        [VALUE_INT] = "an int",
        [VALUE_FLOAT] = "a float",
        [VALUE_COMPLEX] = "a complex",
        [VALUE_STRING] = "a string",
        [VALUE_DTYPE] = "a dtype",
        [VALUE_ELLIPSIS] = "'...'",
        [VALUE_TUPLE] = "a tuple",
        [VALUE_LIST] = "a list",
        [VALUE_ARRAY] = "an array",
        [VALUE_FUNCTION] = "a function",
        [VALUE_METHOD] = "a method",
        [VALUE_BUILDER] = "np.mgrid or its kin",
        [VALUE_GENERATOR] = "a generator",
        [VALUE_DRAW] = "a method",
        [VALUE_DEFINITION] = "a function",
        [VALUE_KERNEL] = "a kernel",
        [VALUE_MODULE] = "a module",
        [VALUE_PYTHON] = "a function",
        [VALUE_LIMITS] = "limits of a dtype",
        [VALUE_SLICE] = "a slice",
        [VALUE_TYPE] = "a class",
    };
    return names[v->kind];
}

bool heddle__expr_from_int(struct value *out, size_t at, int64_t i)
{
    *out = (struct value){.kind = VALUE_INT, .at = at, .integer = i};
    return true;
}

bool heddle__expr_from_array(struct run *run, heddle_array *a, size_t at, struct value *out)
{
    const enum heddle_status code = heddle_status_of(a);
    if (code != HEDDLE_OK) return heddle__expr_fail(run, code, at, "%s", heddle_error(a));
    *out = (struct value){.kind = VALUE_ARRAY, .at = at, .array = a};
    out->identity = ++run->n_arrays;
    return true;
}

/* ---- The stack ---------------------------------------------------------------------------------- */

bool heddle__expr_push(struct run *run, struct value v)
{
    if (!heddle__grow(&run->stack, sizeof *run->stack, run->n_stack + 1, &run->stack_capacity))
        return heddle__expr_no_memory(run);
    run->stack[run->n_stack++] = v;
    return true;
}

bool heddle__expr_take(struct run *run, int64_t base, enum value_kind kind, size_t at,
                       struct value *out)
{
    const int64_t n = run->n_stack - base;
    struct value *items = heddle__arena_alloc(&run->arena, (size_t)(n + 1) * sizeof *items);
    if (!items) return heddle__expr_no_memory(run);
    if (n) memcpy(items, run->stack + base, (size_t)n * sizeof *items);
    run->n_stack = base;
    *out = (struct value){.kind = kind, .at = at, .items = items, .n = n};
    return true;
}

/* ---- Dtypes, integers, flags --------------------------------------------------------------------------- */

bool heddle__expr_to_dtype(struct run *run, const struct value *v, enum heddle_dtype *out)
{
    switch (v->kind) {
    case VALUE_ABSENT:
    case VALUE_NONE: *out = HEDDLE_DTYPE_NONE; return true;
    case VALUE_DTYPE: *out = v->dtype; return true;
    case VALUE_STRING:
        if (heddle__expr_dtype_of_name(v->text, v->length, out)) return true;
        return heddle__expr_fail(run, HEDDLE_EDTYPE, v->at, "unknown dtype '%.*s'",
                                 v->length > 60 ? 60 : (int)v->length, v->text);
    default:
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected a dtype, as float32 or 'f4', found %s",
                                 heddle__expr_value_name(v));
    }
}

bool heddle__expr_same_kind(enum heddle_dtype from, enum heddle_dtype to)
{
    static const char kinds[] = "BUIFC"; /* each holds those before it */
    return strchr(kinds, heddle_dtype_kind(from)) <= strchr(kinds, heddle_dtype_kind(to));
}

bool heddle__expr_to_int(struct run *run, const struct value *v, const char *what, int64_t *out)
{
    if (v->kind == VALUE_INT || v->kind == VALUE_BOOL) {
        *out = v->kind == VALUE_INT ? v->integer : v->boolean;
        return true;
    }
    if (v->kind == VALUE_ARRAY && heddle_ndim(v->array) == 0 &&
        strchr("BIU", heddle_dtype_kind(heddle_dtype_of(v->array)))) {
        struct value number;
        return heddle__expr_item(run, v->array, v->at, &number) &&
               heddle__expr_to_int(run, &number, what, out);
    }
    return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s must be an integer, not %s", what,
                             heddle__expr_value_name(v));
}

bool heddle__expr_to_bool(struct run *run, const struct value *v, const char *what, bool *out)
{
    if (v->kind == VALUE_ABSENT) return true; /* the default stays */
    if (!heddle__expr_is_scalar(v))
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s must be True or False, not %s", what,
                                 heddle__expr_value_name(v));
    *out = heddle__expr_truth(v);
    return true;
}

bool heddle__expr_to_ints(struct run *run, const struct value *v, const char *what, int room,
                          int64_t *out, int *n)
{
    struct value items;
    if (v->kind == VALUE_ARRAY && heddle_ndim(v->array) == 1) {
        if (!heddle__expr_to_list(run, v->array, v->at, &items)) return false;
        v = &items;
    }
    if (!heddle__expr_is_list(v)) {
        *n = 1;
        return heddle__expr_to_int(run, v, what, out);
    }
    if (v->n > room)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, v->at, "%s has %lld numbers, more than %d",
                                 what, (long long)v->n, room);
    for (int64_t i = 0; i < v->n; i++)
        if (!heddle__expr_to_int(run, &v->items[i], what, &out[i])) return false;
    *n = (int)v->n;
    return true;
}
