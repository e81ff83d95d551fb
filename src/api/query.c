/* What is known of an array without evaluating it. Reads the node alone.
 * Entry points: heddle_dtype_of, heddle_ndim, heddle_size, heddle_nbytes, heddle_shape,
 * heddle_is_evaluated. */
#include "graph/check.h"

/* NULL and arrays in error have no value. */
static bool has_value(const char *name, const heddle_array *a)
{
    if (a && heddle__checking() && !heddle__check_use(name, a)) return false;
    return a && a->kind != HEDDLE_NODE_ERROR;
}

enum heddle_dtype heddle_dtype_of(const heddle_array *a)
{
    return has_value("dtype_of", a) ? (enum heddle_dtype)a->dtype : HEDDLE_DTYPE_NONE;
}

int heddle_ndim(const heddle_array *a)
{
    return has_value("ndim", a) ? a->ndim : 0;
}

int64_t heddle_size(const heddle_array *a)
{
    return has_value("size", a) ? a->size : 0;
}

int64_t heddle_nbytes(const heddle_array *a)
{
    return has_value("nbytes", a)
               ? a->size * (int64_t)heddle_dtype_size((enum heddle_dtype)a->dtype)
               : 0;
}

const int64_t *heddle_shape(const heddle_array *a)
{
    return has_value("shape", a) ? a->shape : NULL;
}

bool heddle_is_evaluated(const heddle_array *a)
{
    return a && heddle__node_has_data(a);
}
