/* Functions of dtypes: what they promote to, what they are, their limits. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

static bool of_dtype(enum heddle_dtype dtype, size_t at, struct value *out)
{
    *out = (struct value){.kind = VALUE_DTYPE, .at = at, .dtype = dtype};
    return true;
}

static heddle_array *sample(enum heddle_dtype dtype)
{
    const struct heddle_create_options o = {.size = sizeof o, .dtype = dtype};
    return heddle_zeros_with(1, (const int64_t[]){1}, &o);
}

/* The dtype of an array or a name; *none if it is a Python number. */
static bool dtype_of(struct run *run, const struct value *v, enum heddle_dtype *out, bool *weak)
{
    *weak = heddle__expr_is_scalar(v);
    *out = HEDDLE_DTYPE_NONE;
    if (*weak) return true;
    if (v->kind == VALUE_DTYPE || v->kind == VALUE_STRING)
        return heddle__expr_to_dtype(run, v, out);
    heddle_array *a;
    if (!heddle__expr_to_array(run, v, true, &a)) return false;
    *out = heddle_dtype_of(a);
    return true;
}

/* Python's numbers are weak: they count by their kind. */
CALL(call_result_type)
{
    (void)f;
    enum heddle_dtype strong = HEDDLE_DTYPE_NONE, one;
    const struct value *weakest = NULL; /* the number of the widest kind */
    bool weak;
    if (args[0].n == 0 || !args[0].items)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s() needs a dtype or an array", f->name);
    for (int64_t i = 0; i < args[0].n; i++) {
        const struct value *v = &args[0].items[i];
        if (!dtype_of(run, v, &one, &weak)) return false;
        if (weak && (!weakest || v->kind > weakest->kind)) weakest = v;
        if (!weak) strong = strong ? heddle_result_type(strong, one) : one;
    }
    heddle_array *a = NULL, *number = NULL;
    struct value v;
    if (weakest) { /* whether it fits does not matter */
        v = *weakest;
        if (v.kind == VALUE_INT) v.integer = 0;
        if (!heddle__expr_to_array(run, &v, !strong, &number)) return false;
    }
    if (strong) a = sample(strong);
    if (number) a = a ? heddle_where(heddle_scalar_bool(true), a, number) : number;
    return heddle__expr_from_array(run, a, at, &v) && of_dtype(heddle_dtype_of(a), at, out);
}

CALL(call_can_cast)
{
    (void)f;
    enum heddle_dtype from, to;
    if (args[0].kind == VALUE_ARRAY)
        from = heddle_dtype_of(args[0].array);
    else if (!heddle__expr_to_dtype(run, &args[0], &from))
        return false;
    if (!heddle__expr_to_dtype(run, &args[1], &to)) return false;
    if (!from || !to) return heddle__expr_fail(run, HEDDLE_EDTYPE, at, "a dtype is missing");
    bool can = heddle_can_cast(from, to);
    if (args[2].kind == VALUE_STRING) {
        const struct value *casting = &args[2];
        if (heddle__expr_is_text(casting, "no") || heddle__expr_is_text(casting, "equiv"))
            can = from == to;
        else if (heddle__expr_is_text(casting, "same_kind"))
            can = heddle__expr_same_kind(from, to);
        else if (heddle__expr_is_text(casting, "unsafe"))
            can = true;
        else if (!heddle__expr_is_text(casting, "safe"))
            return heddle__expr_fail(run, HEDDLE_EARG, args[2].at,
                                     "casting is 'no', 'safe', 'same_kind' or 'unsafe'");
    }
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = can};
    return true;
}

CALL(call_isdtype)
{
    (void)f;
    enum heddle_dtype dtype, other;
    const struct value *kinds = &args[1];
    const bool list = kinds->kind == VALUE_TUPLE;
    bool found = false;
    if (!heddle__expr_to_dtype(run, &args[0], &dtype)) return false;
    for (int64_t i = 0; i < (list ? kinds->n : 1); i++) {
        const struct value *kind = list ? &kinds->items[i] : kinds;
        static const char *const known[] = {"bool",     "signed integer", "unsigned integer",
                                            "integral", "real floating",  "complex floating",
                                            "numeric"};
        if (kind->kind == VALUE_STRING) {
            const size_t n_known = sizeof known / sizeof *known;
            size_t k = 0;
            while (k < n_known && !heddle__expr_is_text(kind, known[k])) k++;
            if (k == n_known)
                return heddle__expr_fail(run, HEDDLE_EARG, kind->at,
                                         "a kind is 'bool', 'integral', 'real floating', "
                                         "'numeric', ...");
            found |= heddle_isdtype(dtype, known[k]);
        } else {
            if (!heddle__expr_to_dtype(run, kind, &other)) return false;
            found |= dtype == other;
        }
    }
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = found};
    return true;
}

/* finfo and iinfo: f->number is whether it is of floating numbers. */
CALL(call_limits)
{
    enum heddle_dtype dtype;
    struct heddle_finfo real;
    struct heddle_iinfo integer;
    if (args[0].kind == VALUE_ARRAY)
        dtype = heddle_dtype_of(args[0].array);
    else if (!heddle__expr_to_dtype(run, &args[0], &dtype))
        return false;
    const enum heddle_status status =
        f->number ? heddle_finfo_get(dtype, &real) : heddle_iinfo_get(dtype, &integer);
    if (status != HEDDLE_OK) return heddle__expr_fail(run, status, at, "%s", heddle_last_error());
    *out = (struct value){.kind = VALUE_LIMITS, .at = at, .dtype = f->number ? real.dtype : dtype};
    return true;
}

CALL(call_issubdtype)
{
    (void)f;
    bool is = false;
    if (!heddle__expr_is_subtype(run, &args[0], &args[1], &is)) return false;
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = is};
    return true;
}

/* isrealobj and iscomplexobj: f->number is whether it is of complex numbers. */
CALL(call_is_complex)
{
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const bool complex = heddle_dtype_kind(heddle_dtype_of(a)) == 'C';
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = complex == (f->number != 0)};
    return true;
}

CALL(call_iterable)
{
    (void)run, (void)f;
    const struct value *v = &args[0];
    const bool is = heddle__expr_is_list(v) || v->kind == VALUE_STRING ||
                    (v->kind == VALUE_ARRAY && heddle_ndim(v->array) > 0);
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = is};
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(result_type, "+arrays_and_dtypes", call_result_type),
    PLAIN(promote_types, "+types", call_result_type),
    PLAIN(can_cast, "from_ to casting=", call_can_cast),
    PLAIN(isdtype, "dtype kind", call_isdtype),
    PLAIN(issubdtype, "arg1 arg2", call_issubdtype),
    {"isrealobj", "x", call_is_complex, {.number = 0}},
    {"iscomplexobj", "x", call_is_complex, {.number = 1}},
    PLAIN(iterable, "y", call_iterable),
    {"finfo", "dtype", call_limits, {.number = 1}},
    {"iinfo", "type/dtype", call_limits, {.number = 0}},
};

TABLE(types);
