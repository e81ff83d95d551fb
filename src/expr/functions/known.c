/* Functions of what is known without evaluating: shape, size, dtype, ... */
#include "expr/functions/functions.h"

#include <string.h>

CALL(call_itself)
{
    (void)f;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, out);
}

/* shape(a), size(a), ndim(a): the attribute of that name. */
CALL(call_attribute)
{
    struct value v;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, &v) &&
           heddle__expr_attribute(run, &v, at, f->name, strlen(f->name), out);
}

CALL(call_len)
{
    (void)f;
    *out = (struct value){.kind = VALUE_INT, .at = at, .integer = args[0].n};
    if (heddle__expr_is_list(&args[0])) return true;
    if (args[0].kind != VALUE_ARRAY || heddle_ndim(args[0].array) == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "it has no length");
    out->integer = heddle_shape(args[0].array)[0];
    return true;
}

CALL(call_dtype)
{
    (void)f;
    *out = (struct value){.kind = VALUE_DTYPE, .at = at};
    if (!heddle__expr_to_dtype(run, &args[0], &out->dtype)) return false;
    if (out->dtype == HEDDLE_DTYPE_NONE) out->dtype = HEDDLE_FLOAT64;
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(copy, "a/x", call_itself),    PLAIN(shape, "a/x", call_attribute),
    PLAIN(size, "a/x", call_attribute), PLAIN(ndim, "a/x", call_attribute),
    PLAIN(len, "a/obj", call_len),      PLAIN(dtype, "dtype", call_dtype),
};

TABLE(known);
