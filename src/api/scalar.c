/* Scalars with a weak dtype. Entry points: heddle_scalar_*. */
#include "graph/make.h"

#include <heddle/create.h>

static heddle_array *weak(union heddle_scalar value, enum heddle_dtype dtype)
{
    heddle_array *a = heddle__make_constant(value, dtype, 0, NULL);
    if (a) a->weak = true;
    return heddle__hand_out(a);
}

heddle_array *heddle_scalar_bool(bool value)
{
    return weak((union heddle_scalar){.b = value}, HEDDLE_BOOL);
}

heddle_array *heddle_scalar_int(int64_t value)
{
    return weak((union heddle_scalar){.i64 = value}, HEDDLE_INT64);
}

heddle_array *heddle_scalar_float(double value)
{
    return weak((union heddle_scalar){.f64 = value}, HEDDLE_FLOAT64);
}

heddle_array *heddle_scalar_complex(double real, double imag)
{
    return weak((union heddle_scalar){.c128 = {real, imag}}, HEDDLE_COMPLEX128);
}
