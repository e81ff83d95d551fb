/* Kinds of dtypes and limits of their numbers. Entry points: heddle_default_dtype, heddle_isdtype,
 * heddle_finfo_get, heddle_iinfo_get. */
#include "base/dtype.h"
#include "base/error.h"

#include <float.h>
#include <string.h>

enum heddle_dtype heddle_default_dtype(char kind)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_BOOL, HEDDLE_INT64, HEDDLE_UINT64,
                                               HEDDLE_FLOAT64, HEDDLE_COMPLEX128};
    static const char kinds[] = "BIUFC";
    const char *const at = kind ? strchr(kinds, kind) : NULL;
    return at ? dtypes[at - kinds] : HEDDLE_DTYPE_NONE;
}

bool heddle_isdtype(enum heddle_dtype dtype, const char *kind)
{
    static const struct {
        const char *name, *kinds;
    } groups[] = {
        {"bool", "B"},       {"signed integer", "I"}, {"unsigned integer", "U"},
        {"integral", "IU"},  {"real floating", "F"},  {"complex floating", "C"},
        {"numeric", "IUFC"},
    };
    const char is = heddle_dtype_kind(dtype);
    for (size_t i = 0; is && kind && i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(groups[i].name, kind)) return strchr(groups[i].kinds, is) != NULL;
    return false;
}

enum heddle_status heddle_finfo_get(enum heddle_dtype dtype, struct heddle_finfo *out)
{
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_finfo_get: out is NULL");
    const enum heddle_dtype real = heddle__real_dtype(dtype);
    HEDDLE_REQUIRE(heddle_dtype_kind(real) == 'F', HEDDLE_EDTYPE,
                   "heddle_finfo_get: dtype %s is not floating", heddle_dtype_name(dtype));
    if (real == HEDDLE_FLOAT16)
        *out = (struct heddle_finfo){real, 16, 0x1p-10, 65504, -65504, 0x1p-14};
    else if (real == HEDDLE_BFLOAT16)
        *out = (struct heddle_finfo){real, 16, 0x1p-7, 0x1.fep127, -0x1.fep127, FLT_MIN};
    else if (real == HEDDLE_FLOAT32)
        *out = (struct heddle_finfo){real, 32, FLT_EPSILON, FLT_MAX, -FLT_MAX, FLT_MIN};
    else
        *out = (struct heddle_finfo){real, 64, DBL_EPSILON, DBL_MAX, -DBL_MAX, DBL_MIN};
    return HEDDLE_OK;
}

enum heddle_status heddle_iinfo_get(enum heddle_dtype dtype, struct heddle_iinfo *out)
{
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_iinfo_get: out is NULL");
    HEDDLE_REQUIRE(heddle_isdtype(dtype, "integral"), HEDDLE_EDTYPE,
                   "heddle_iinfo_get: dtype %s is no integer", heddle_dtype_name(dtype));
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    const bool is_signed = heddle_dtype_kind(dtype) == 'I';
    const uint64_t max = UINT64_MAX >> (64 - bits + is_signed);
    *out = (struct heddle_iinfo){dtype, bits, is_signed ? -(int64_t)max - 1 : 0, max};
    return HEDDLE_OK;
}
