/* Element types and the standard's promotion table. */
#ifndef HEDDLE_DTYPE_H
#define HEDDLE_DTYPE_H

#include <heddle/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* float16 (IEEE binary16) and bfloat16 (the upper half of a float32) are for storage: an operation on them computes in
 * float32 and rounds its result, reductions once at the end, products on tensor cores where there are any. In C their
 * elements are uint16_t, the bits. */
enum heddle_dtype {
    HEDDLE_DTYPE_NONE = 0, /* "not said": functions choose their documented default */
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) HEDDLE_##ID,
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    HEDDLE_N_DTYPES
};

/** Bytes of one element; 0 for HEDDLE_DTYPE_NONE or a number that is no dtype. */
HEDDLE_API size_t heddle_dtype_size(enum heddle_dtype dtype);

/** The standard's name, "float64"; "none" or "?" otherwise. Static string. */
HEDDLE_API const char *heddle_dtype_name(enum heddle_dtype dtype);

/** The dtype of a name of the standard; HEDDLE_DTYPE_NONE when there is none. */
HEDDLE_API enum heddle_dtype heddle_dtype_from_name(const char *name);

/** 'B' bool, 'I' signed, 'U' unsigned, 'F' real floating, 'C' complex; 0 otherwise. */
HEDDLE_API char heddle_dtype_kind(enum heddle_dtype dtype);

/** The dtype that both convert to: the standard's table, NumPy's where kinds mix (int64 with
 *  float32 gives float64; uint64 with a signed integer gives float64; float16 with bfloat16 float32). Symmetric. */
HEDDLE_API enum heddle_dtype heddle_result_type(enum heddle_dtype a, enum heddle_dtype b);

/** The dtype of arrays that nobody names one for: of kind 'B' bool, 'I' int64 (indices too), 'U' uint64, 'F'
 *  float64, 'C' complex128; HEDDLE_DTYPE_NONE otherwise. */
HEDDLE_API enum heddle_dtype heddle_default_dtype(char kind);

/** Whether it is of the kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
 *  "complex floating" or "numeric". False for other texts. */
HEDDLE_API bool heddle_isdtype(enum heddle_dtype dtype, const char *kind);

/* Limits of floating numbers; of a complex dtype those of its parts. */
struct heddle_finfo {
    enum heddle_dtype dtype; /* real */
    int bits;
    double eps; /* 1 + eps is the next number after 1 */
    double max, min;
    double smallest_normal;
};

/** HEDDLE_EDTYPE: not floating; `out` untouched. */
HEDDLE_API enum heddle_status heddle_finfo_get(enum heddle_dtype dtype, struct heddle_finfo *out);

/* Limits of integers. */
struct heddle_iinfo {
    enum heddle_dtype dtype;
    int bits;
    int64_t min;
    uint64_t max;
};

/** HEDDLE_EDTYPE: no integers; `out` untouched. */
HEDDLE_API enum heddle_status heddle_iinfo_get(enum heddle_dtype dtype, struct heddle_iinfo *out);

/** Whether every value of `from` can become a `to` under the promotion rules. */
HEDDLE_API bool heddle_can_cast(enum heddle_dtype from, enum heddle_dtype to);

#ifdef __cplusplus
}
#endif

#endif
