/* Generalised functions: functions of the program's own of small arrays, over the other axes of large ones.
 *
 *     heddle_gufunc *inner = heddle_gufunc_make("(n),(n)->()", inner_of_rows);
 *     heddle_array *r = heddle_gufunc_apply(inner, HEDDLE_ARRAYS(x, y)); // (10, 1, 3) and (7, 3): (10, 7)
 *
 * A signature names the last axes of each argument, as NumPy's do: equal names are equal extents, a number is an
 * extent. The axes before them are looped over and broadcast; they are cut and run in parts like any others. */
#ifndef HEDDLE_GUFUNC_H
#define HEDDLE_GUFUNC_H

#include <heddle/assemble.h>
#include <heddle/raw.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Some items, one after the other. */
struct heddle_gufunc_items {
    int64_t n;
    const int64_t *core; /* extents of the signature's names and numbers, in the order in which they first appear */
    void *const *data;   /* of each argument, inputs first: those of the first item, in C order */
    const int64_t *step; /* of each argument: bytes from an item to the next; 0: all have the same */
    void *user;
};

/* Computes the outputs of n items. It is called from threads of Heddle's, several at once, as a
 * heddle_raw_function is. */
typedef enum heddle_status heddle_gufunc_function(const struct heddle_gufunc_items *items);

/* Immutable; any number of threads may apply it. */
typedef struct heddle_gufunc heddle_gufunc;

struct heddle_gufunc_options {
    size_t size;       /* call.h */
    const char *types; /* "float32,float32->float64"; default: all are float64. Arguments are converted. */
    const char *cuda;  /* CUDA C++ source with a function for one item: */
    const char *name;  /* its name: __device__ void name(const float *, const float *, double *, long long n);
                          the extents follow the pointers. bool, complex64 and complex128 are bool, float2 and double2,
                          both kinds of 16 bits unsigned short */
    const char *flags; /* for its compiler */
    void *user;        /* for the function; must stay valid until the deleter is called */
    void (*deleter)(void *user); /* as for heddle_raw_kernel_from_source */
};

/** At most 8 arguments, inputs and outputs together, at least one of each. NULL for `function`: on GPUs only.
 *  Release it with heddle_gufunc_release. NULL: no memory, or heddle_last_error says what is wrong: HEDDLE_ESYNTAX with the
 *  column of the signature, HEDDLE_EDTYPE, HEDDLE_EARG. */
HEDDLE_API heddle_gufunc *heddle_gufunc_make_with(const char *signature,
                                                  heddle_gufunc_function *function,
                                                  const struct heddle_gufunc_options *options);
#define heddle_gufunc_make(...)                                                                    \
    HEDDLE_CALL2(heddle_gufunc_make_with, heddle_gufunc_options, __VA_ARGS__)

/** NULL is ignored. What was recorded with it stays good. */
HEDDLE_API void heddle_gufunc_release(heddle_gufunc *gufunc);

/** The outputs for n_in arguments. Lazy. out[n_out] receives new arrays, and stays as it is when the call fails:
 *  HEDDLE_EARG, HEDDLE_ESHAPE, HEDDLE_EDTYPE, HEDDLE_ENOMEM, or the code of an argument in error; at evaluation those of
 *  heddle_raw_call. */
HEDDLE_API enum heddle_status heddle_gufunc_call(heddle_gufunc *gufunc, int n_in,
                                                 heddle_array *const in[], int n_out,
                                                 heddle_array *out[]);
/** The same of a function with one output, as an array. */
HEDDLE_API heddle_array *heddle_gufunc_apply(heddle_gufunc *gufunc, int n_in,
                                             heddle_array *const in[]);

#ifdef __cplusplus
}
#endif

#endif
