/* Dtype table, promotion, scalar conversion. Entry points: base/dtype.h, heddle/dtype.h. */
#include "base/dtype.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *npy;
    unsigned char size, kind;
} table[HEDDLE_N_DTYPES] = {
#define HEDDLE_DTYPE(ID, name_, ctype, bytes, kind_, npy_)                                         \
    [HEDDLE_##ID] = {#name_, npy_, bytes, #kind_[0]},
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
};

static bool is_dtype(enum heddle_dtype dtype)
{
    return (int)dtype > HEDDLE_DTYPE_NONE && (int)dtype < HEDDLE_N_DTYPES;
}

size_t heddle_dtype_size(enum heddle_dtype dtype)
{
    return is_dtype(dtype) ? table[dtype].size : 0;
}

const char *heddle_dtype_name(enum heddle_dtype dtype)
{
    if (dtype == HEDDLE_DTYPE_NONE) return "none";
    return is_dtype(dtype) ? table[dtype].name : "?";
}

enum heddle_dtype heddle_dtype_from_name(const char *name)
{
    for (int d = 1; name && d < HEDDLE_N_DTYPES; d++)
        if (!strcmp(table[d].name, name)) return (enum heddle_dtype)d;
    return HEDDLE_DTYPE_NONE;
}

char heddle_dtype_kind(enum heddle_dtype dtype)
{
    return is_dtype(dtype) ? (char)table[dtype].kind : 0;
}

const char *heddle__dtype_npy(enum heddle_dtype dtype)
{
    return is_dtype(dtype) ? table[dtype].npy : "";
}

enum heddle_dtype heddle__dtype_from_npy(const char *code)
{
    for (int d = 1; d < HEDDLE_N_DTYPES; d++)
        if (*code && !strcmp(table[d].npy, code)) return (enum heddle_dtype)d;
    return HEDDLE_DTYPE_NONE;
}

enum heddle_dtype heddle__computed_in(enum heddle_dtype dtype)
{
    return heddle__is_half(dtype) ? HEDDLE_FLOAT32 : dtype;
}

enum heddle_dtype heddle__real_dtype(enum heddle_dtype dtype)
{
    if (dtype == HEDDLE_COMPLEX64) return HEDDLE_FLOAT32;
    if (dtype == HEDDLE_COMPLEX128) return HEDDLE_FLOAT64;
    return dtype;
}

static enum heddle_dtype signed_of_size(size_t size)
{
    switch (size) {
    case 1: return HEDDLE_INT8;
    case 2: return HEDDLE_INT16;
    case 4: return HEDDLE_INT32;
    default: return HEDDLE_INT64;
    }
}

/* The floating dtype that holds an integer or bool beside `real`: a half holds 8 bits, float32 16. */
static enum heddle_dtype float_for(enum heddle_dtype dtype, enum heddle_dtype real)
{
    const size_t size = heddle_dtype_kind(dtype) == 'B' ? 0 : heddle_dtype_size(dtype);
    if (size <= 1 && heddle__is_half(real)) return real;
    return size <= 2 ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
}

enum heddle_dtype heddle_result_type(enum heddle_dtype a, enum heddle_dtype b)
{
    if (!is_dtype(a) || !is_dtype(b)) return HEDDLE_DTYPE_NONE;
    if (a == b) return a;
    char ka = heddle_dtype_kind(a), kb = heddle_dtype_kind(b);
    if (ka == kb && heddle_dtype_size(a) == heddle_dtype_size(b))
        return HEDDLE_FLOAT32; /* halves */
    if (ka == kb) return heddle_dtype_size(a) > heddle_dtype_size(b) ? a : b;
    if (strchr("BIUFC", ka) > strchr("BIUFC", kb)) { /* now a is of the lower kind */
        const enum heddle_dtype t = a;
        a = b;
        b = t;
        const char k = ka;
        ka = kb;
        kb = k;
    }
    if (ka == 'B') return b;
    if (ka == 'I' && kb == 'U') { /* the signed dtype that holds both */
        if (heddle_dtype_size(b) == 8) return HEDDLE_FLOAT64;
        if (heddle_dtype_size(a) > heddle_dtype_size(b)) return a;
        return signed_of_size(2 * heddle_dtype_size(b));
    }
    const enum heddle_dtype real = ka == 'F' ? a : float_for(a, b);
    const enum heddle_dtype other = heddle__real_dtype(b);
    const enum heddle_dtype wide =
        heddle_dtype_size(real) > heddle_dtype_size(other) ? real : other;
    if (kb == 'F') return wide;
    return wide == HEDDLE_FLOAT64 ? HEDDLE_COMPLEX128 : HEDDLE_COMPLEX64;
}

bool heddle_can_cast(enum heddle_dtype from, enum heddle_dtype to)
{
    return is_dtype(from) && heddle_result_type(from, to) == to;
}

static int64_t to_int(double x)
{
    if (!(x > -9.2233720368547758e18)) return INT64_MIN; /* NaN too */
    return x >= 9.2233720368547758e18 ? INT64_MAX : (int64_t)x;
}

static uint64_t to_uint(double x)
{
    if (!(x >= 0)) return (uint64_t)to_int(x);
    return x >= 1.8446744073709552e19 ? UINT64_MAX : (uint64_t)x;
}

union heddle_scalar heddle__convert(union heddle_scalar v, enum heddle_dtype from,
                                    enum heddle_dtype to)
{
    /* through the widest value of the source's kind */
    double re = 0, im = 0;
    int64_t i = 0;
    uint64_t u = 0;
    const char kind = heddle_dtype_kind(from);
    if (from == to) return v;
    switch (from) {
    case HEDDLE_BOOL: i = v.b; break;
    case HEDDLE_INT8: i = v.i8; break;
    case HEDDLE_INT16: i = v.i16; break;
    case HEDDLE_INT32: i = v.i32; break;
    case HEDDLE_INT64: i = v.i64; break;
    case HEDDLE_UINT8: u = v.u8; break;
    case HEDDLE_UINT16: u = v.u16; break;
    case HEDDLE_UINT32: u = v.u32; break;
    case HEDDLE_UINT64: u = v.u64; break;
    case HEDDLE_FLOAT16: re = (double)hd_float16_to_float(v.u16); break;
    case HEDDLE_BFLOAT16: re = (double)hd_bfloat16_to_float(v.u16); break;
    case HEDDLE_FLOAT32: re = (double)v.f32; break;
    case HEDDLE_FLOAT64: re = v.f64; break;
    case HEDDLE_COMPLEX64: re = (double)v.c64[0], im = (double)v.c64[1]; break;
    case HEDDLE_COMPLEX128: re = v.c128[0], im = v.c128[1]; break;
    default: break;
    }
    const bool nonzero = re != 0 || im != 0 || i != 0 || u != 0;
    if (kind == 'F' || kind == 'C') {
        i = to_int(re);
        u = to_uint(re);
    } else if (kind == 'U') {
        re = (double)u;
        i = (int64_t)u;
    } else {
        re = (double)i;
        u = (uint64_t)i;
    }
    union heddle_scalar r = {.c128 = {0, 0}};
    switch (to) {
    case HEDDLE_BOOL: r.b = nonzero; break;
    case HEDDLE_INT8: r.i8 = (int8_t)i; break;
    case HEDDLE_INT16: r.i16 = (int16_t)i; break;
    case HEDDLE_INT32: r.i32 = (int32_t)i; break;
    case HEDDLE_INT64: r.i64 = i; break;
    case HEDDLE_UINT8: r.u8 = (uint8_t)u; break;
    case HEDDLE_UINT16: r.u16 = (uint16_t)u; break;
    case HEDDLE_UINT32: r.u32 = (uint32_t)u; break;
    case HEDDLE_UINT64: r.u64 = u; break;
    case HEDDLE_FLOAT32: r.f32 = kind == 'U' ? (float)u : kind == 'I' ? (float)i : (float)re; break;
    case HEDDLE_FLOAT16: r.u16 = hd_float16_of_double(re); break;
    case HEDDLE_BFLOAT16: r.u16 = hd_bfloat16_of_double(re); break;
    case HEDDLE_FLOAT64: r.f64 = re; break;
    case HEDDLE_COMPLEX64: r.c64[0] = (float)re, r.c64[1] = (float)im; break;
    case HEDDLE_COMPLEX128: r.c128[0] = re, r.c128[1] = im; break;
    default: break;
    }
    return r;
}

double heddle__as_held(double x, enum heddle_dtype dtype)
{
    const union heddle_scalar v = {.f64 = x};
    return heddle__convert(heddle__convert(v, HEDDLE_FLOAT64, dtype), dtype, HEDDLE_FLOAT64).f64;
}
