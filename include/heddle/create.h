/* Creation: arrays from memory, constants, ranges. Lazy: a constant occupies no memory until it
 * is evaluated, and inside an expression it never does. */
#ifndef HEDDLE_CREATE_H
#define HEDDLE_CREATE_H

#include <heddle/array.h>
#include <heddle/call.h>
#include <heddle/list.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_distribution; /* distribute.h */

/* A shape as two arguments: heddle_zeros(HEDDLE_SHAPE(3, 4)). HEDDLE_NO_SHAPE is a scalar's. */
#define HEDDLE_SHAPE(...) HEDDLE_LIST_(int64_t, __VA_ARGS__)
#define HEDDLE_NO_SHAPE HEDDLE_NO_LIST_(int64_t)

/* ---- Scalars, with a Python scalar's weak dtype: they take the dtype of the array that they
 * meet (float32 array * 2.0 stays float32). Alone: bool, int64, float64, complex128. ----------- */

HEDDLE_API heddle_array *heddle_scalar_bool(bool value);
HEDDLE_API heddle_array *heddle_scalar_int(int64_t value);
HEDDLE_API heddle_array *heddle_scalar_float(double value);
HEDDLE_API heddle_array *heddle_scalar_complex(double real, double imag);

/* The scalar of a C value, a bool, an integer, a float or a double: heddle_multiply(a,
 * heddle_scalar(2.0)). In C++ a function, below. */
#ifndef __cplusplus
#define heddle_scalar(value)                                                                       \
    _Generic((value),                                                                              \
        _Bool: heddle_scalar_bool,                                                                 \
        float: heddle_scalar_float,                                                                \
        double: heddle_scalar_float,                                                               \
        char: heddle_scalar_int,                                                                   \
        signed char: heddle_scalar_int,                                                            \
        unsigned char: heddle_scalar_int,                                                          \
        short: heddle_scalar_int,                                                                  \
        unsigned short: heddle_scalar_int,                                                         \
        int: heddle_scalar_int,                                                                    \
        unsigned: heddle_scalar_int,                                                               \
        long: heddle_scalar_int,                                                                   \
        unsigned long: heddle_scalar_int,                                                          \
        long long: heddle_scalar_int,                                                              \
        unsigned long long: heddle_scalar_int)(value)
#endif

/* ---- Arrays from the caller's memory -------------------------------------------------------- */

struct heddle_asarray_options {
    size_t size;                 /* call.h */
    bool borrow;                 /* use the memory in place: it must stay valid and unchanged until
                                    the deleter is called */
    void (*deleter)(void *user); /* called once, from any thread, when Heddle needs the memory no
                                    more; also when the call fails. May be NULL. */
    void *user;
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

/** An array of `data`: C order, `shape`, `dtype`. Copies unless .borrow = true.
 *  Errors: HEDDLE_EARG (NULL data of a non-empty shape, ndim), HEDDLE_ESHAPE (negative extent or
 *  too many elements), HEDDLE_EDTYPE, HEDDLE_ENOMEM. */
HEDDLE_API heddle_array *heddle_asarray_with(const void *data, enum heddle_dtype dtype, int ndim,
                                             const int64_t *shape,
                                             const struct heddle_asarray_options *options);
#define heddle_asarray(...) HEDDLE_CALL4(heddle_asarray_with, heddle_asarray_options, __VA_ARGS__)

/* ---- Filled arrays --------------------------------------------------------------------------- */

struct heddle_create_options {
    size_t size;             /* call.h */
    enum heddle_dtype dtype; /* default float64; for *_like that of the array; for full that of the
                                value; for arange int64 when all arguments are integers, or
                                uint64 if that holds the values alone */
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

HEDDLE_API heddle_array *heddle_empty_with(int ndim, const int64_t *shape,
                                           const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_zeros_with(int ndim, const int64_t *shape,
                                           const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_ones_with(int ndim, const int64_t *shape,
                                          const struct heddle_create_options *options);
/** Every element is `value`, a 0-d array. */
HEDDLE_API heddle_array *heddle_full_with(int ndim, const int64_t *shape, heddle_array *value,
                                          const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_empty_like_with(heddle_array *a,
                                                const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_zeros_like_with(heddle_array *a,
                                                const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_ones_like_with(heddle_array *a,
                                               const struct heddle_create_options *options);
HEDDLE_API heddle_array *heddle_full_like_with(heddle_array *a, heddle_array *value,
                                               const struct heddle_create_options *options);
/** start, start + step, ... below stop. Arguments are 0-d real scalars (heddle_scalar); `stop`
 *  NULL means the range 0..start; `step` NULL means 1. Length ceil((stop - start) / step).
 *  Errors: HEDDLE_EARG step 0, HEDDLE_EDTYPE complex, HEDDLE_ERANGE. Data-dependent arguments must be scalars. */
HEDDLE_API heddle_array *heddle_arange_with(heddle_array *start, heddle_array *stop,
                                            heddle_array *step,
                                            const struct heddle_create_options *options);
struct heddle_linspace_options {
    size_t size;             /* call.h */
    enum heddle_dtype dtype; /* default float64, of complex ends complex128 */
    bool endpoint_excluded;  /* NumPy's endpoint=False */
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

/** `num` evenly spaced values from start to stop, both included unless .endpoint_excluded. */
HEDDLE_API heddle_array *heddle_linspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                              const struct heddle_linspace_options *options);

struct heddle_eye_options {
    size_t size;             /* call.h */
    enum heddle_dtype dtype; /* default float64 */
    int64_t k;               /* index of the diagonal */
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

/** rows x columns, ones on diagonal .k. `columns` < 0 means as many as rows. */
HEDDLE_API heddle_array *heddle_eye_with(int64_t rows, int64_t columns,
                                         const struct heddle_eye_options *options);

#define heddle_empty(...) HEDDLE_CALL2(heddle_empty_with, heddle_create_options, __VA_ARGS__)
#define heddle_zeros(...) HEDDLE_CALL2(heddle_zeros_with, heddle_create_options, __VA_ARGS__)
#define heddle_ones(...) HEDDLE_CALL2(heddle_ones_with, heddle_create_options, __VA_ARGS__)
#define heddle_full(...) HEDDLE_CALL3(heddle_full_with, heddle_create_options, __VA_ARGS__)
#define heddle_empty_like(...)                                                                     \
    HEDDLE_CALL1(heddle_empty_like_with, heddle_create_options, __VA_ARGS__)
#define heddle_zeros_like(...)                                                                     \
    HEDDLE_CALL1(heddle_zeros_like_with, heddle_create_options, __VA_ARGS__)
#define heddle_ones_like(...)                                                                      \
    HEDDLE_CALL1(heddle_ones_like_with, heddle_create_options, __VA_ARGS__)
#define heddle_full_like(...)                                                                      \
    HEDDLE_CALL2(heddle_full_like_with, heddle_create_options, __VA_ARGS__)
#define heddle_arange(...) HEDDLE_CALL3(heddle_arange_with, heddle_create_options, __VA_ARGS__)
#define heddle_linspace(...)                                                                       \
    HEDDLE_CALL3(heddle_linspace_with, heddle_linspace_options, __VA_ARGS__)
#define heddle_eye(...) HEDDLE_CALL2(heddle_eye_with, heddle_eye_options, __VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */

inline heddle_array *heddle_scalar(bool value) { return heddle_scalar_bool(value); }
inline heddle_array *heddle_scalar(float value) { return heddle_scalar_float(value); }
inline heddle_array *heddle_scalar(double value) { return heddle_scalar_float(value); }
template <class Integer> heddle_array *heddle_scalar(Integer value)
{
    static_assert(static_cast<Integer>(1) / 2 == 0, "a bool, an integer, a float or a double");
    return heddle_scalar_int(static_cast<int64_t>(value));
}
#endif

#endif
