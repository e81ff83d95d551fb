/* The value of an array of one element as a C number: exactly, or not at all. Entry points: heddle_item_double,
 * heddle_item_int, heddle_item_bool, heddle_item_complex. */
#include "base/dtype.h"
#include "graph/infer.h"

#include <math.h>
#include <stdio.h>

/* The one element, widened within its kind: bool and signed in i64, unsigned in u64, others in c128. */
struct item {
    const char *name; /* of the public function */
    enum heddle_dtype dtype;
    char kind;
    union heddle_scalar value;
};

static enum heddle_status read_item(const char *name, heddle_array *a, const void *out,
                                    struct item *item)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_%s: the array is NULL", name);
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_%s: out is NULL", name);
    HEDDLE_REQUIRE(a->kind == HEDDLE_NODE_ERROR || a->size == 1, HEDDLE_ESHAPE,
                   "heddle_%s: shape %s has %lld elements, not one", name, HEDDLE_SHAPE_OF(a),
                   (long long)a->size);
    union heddle_scalar value = {0};
    const enum heddle_status status = heddle_read(a, &value, heddle_nbytes(a));
    if (status != HEDDLE_OK) return status;
    *item = (struct item){.name = name, .dtype = heddle_dtype_of(a)};
    item->kind = heddle_dtype_kind(item->dtype);
    const enum heddle_dtype wide = item->kind == 'B' || item->kind == 'I' ? HEDDLE_INT64
                                   : item->kind == 'U'                    ? HEDDLE_UINT64
                                                                          : HEDDLE_COMPLEX128;
    item->value = heddle__convert(value, item->dtype, wide);
    return HEDDLE_OK;
}

static enum heddle_status not_held(const struct item *item, const char *by)
{
    char text[32];
    if (item->kind == 'F')
        snprintf(text, sizeof text, "%.17g", item->value.c128[0]);
    else if (item->kind == 'U')
        snprintf(text, sizeof text, "%llu", (unsigned long long)item->value.u64);
    else
        snprintf(text, sizeof text, "%lld", (long long)item->value.i64);
    return heddle__fail(HEDDLE_ERANGE, "heddle_%s: %s %s is no %s", item->name,
                        heddle_dtype_name(item->dtype), text, by);
}

static enum heddle_status refuse_complex(const struct item *item)
{
    HEDDLE_REQUIRE(item->kind != 'C', HEDDLE_EDTYPE, "heddle_%s: the array is %s", item->name,
                   heddle_dtype_name(item->dtype));
    return HEDDLE_OK;
}

/* Of a real number. */
static enum heddle_status as_double(const struct item *item, double *out)
{
    double x = item->value.c128[0];
    bool exact = true;
    if (item->kind == 'U') {
        x = (double)item->value.u64;
        exact = x < 0x1p64 && (uint64_t)x == item->value.u64;
    } else if (item->kind != 'F') {
        x = (double)item->value.i64;
        exact = x < 0x1p63 && (int64_t)x == item->value.i64;
    }
    if (!exact) return not_held(item, "double");
    *out = x;
    return HEDDLE_OK;
}

enum heddle_status heddle_item_double(heddle_array *a, double *out)
{
    struct item item;
    enum heddle_status status = read_item("item_double", a, out, &item);
    if (status == HEDDLE_OK) status = refuse_complex(&item);
    return status == HEDDLE_OK ? as_double(&item, out) : status;
}

enum heddle_status heddle_item_int(heddle_array *a, int64_t *out)
{
    struct item item;
    enum heddle_status status = read_item("item_int", a, out, &item);
    if (status == HEDDLE_OK) status = refuse_complex(&item);
    if (status != HEDDLE_OK) return status;
    const double x = item.value.c128[0];
    const bool exact = item.kind == 'F'   ? x >= -0x1p63 && x < 0x1p63 && x == trunc(x)
                       : item.kind == 'U' ? item.value.u64 <= INT64_MAX
                                          : true;
    if (!exact) return not_held(&item, "int64");
    *out = item.kind == 'F' ? (int64_t)x : item.value.i64;
    return HEDDLE_OK;
}

enum heddle_status heddle_item_bool(heddle_array *a, bool *out)
{
    struct item item;
    enum heddle_status status = read_item("item_bool", a, out, &item);
    if (status == HEDDLE_OK) status = refuse_complex(&item);
    if (status != HEDDLE_OK) return status;
    const bool is_1 = item.kind == 'F' ? item.value.c128[0] == 1 : item.value.u64 == 1;
    const bool is_0 = item.kind == 'F' ? item.value.c128[0] == 0 : item.value.u64 == 0;
    if (!is_0 && !is_1) return not_held(&item, "bool");
    *out = is_1;
    return HEDDLE_OK;
}

enum heddle_status heddle_item_complex(heddle_array *a, double *real, double *imag)
{
    struct item item;
    double x = 0;
    enum heddle_status status = read_item("item_complex", a, real && imag ? real : NULL, &item);
    if (status != HEDDLE_OK) return status;
    if (item.kind == 'C')
        x = item.value.c128[0];
    else
        status = as_double(&item, &x);
    if (status != HEDDLE_OK) return status;
    *real = x;
    *imag = item.kind == 'C' ? item.value.c128[1] : 0;
    return HEDDLE_OK;
}
