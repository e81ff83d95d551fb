/* Functions of the language: a table of rows for each file of this folder. A row names a function,
 * its parameters and the call_ function that converts the arguments and calls the API. A new
 * function is a row; a new group is a file with a TABLE and its place in functions.c. */
#ifndef HEDDLE_EXPR_FUNCTIONS_H
#define HEDDLE_EXPR_FUNCTIONS_H

#include "expr/value.h"

#include <heddle/assemble.h>
#include <heddle/create.h>
#include <heddle/fft.h>
#include <heddle/gather.h>
#include <heddle/histogram.h>
#include <heddle/scan.h>
#include <heddle/series.h>
#include <heddle/sets.h>
#include <heddle/sort.h>
#include <heddle/special.h>
#include <heddle/statistics.h>

typedef heddle_array *reduce_function(heddle_array *, const struct heddle_reduce_options *);

/* A function of the language. `parameters` is like "a/x axis= | keepdims=": '/' separates names of the
 * same parameter, '=' says that it is optional; those after '|' are by keyword alone. A '*' at the
 * beginning: the method takes a tuple without its brackets, as in a.reshape(2, 3); a '+': all positional
 * arguments are one tuple, the first parameter, as in meshgrid(x, y). */
struct function {
    const char *name;
    const char *parameters;
    bool (*call)(struct run *run, const struct function *f, size_t at, struct value *args,
                 struct value *out);
    union {
        void (*any)(void);
        heddle_array *(*unary)(heddle_array *);
        heddle_array *(*binary)(heddle_array *, heddle_array *);
        heddle_array *(*ternary)(heddle_array *, heddle_array *, heddle_array *);
        reduce_function *reduce;
        heddle_array *(*flip)(heddle_array *, const struct heddle_flip_options *);
        heddle_array *(*create)(int, const int64_t *, const struct heddle_create_options *);
        heddle_array *(*like)(heddle_array *, const struct heddle_create_options *);
        heddle_array *(*shaped)(heddle_array *, int, const int64_t *);
        heddle_array *(*join)(int, heddle_array *const[], int);
        heddle_array *(*take)(heddle_array *, heddle_array *, const struct heddle_take_options *);
        heddle_array *(*scan)(heddle_array *, const struct heddle_scan_options *);
        heddle_array *(*sort)(heddle_array *, const struct heddle_sort_options *);
        heddle_array *(*variance)(heddle_array *, const struct heddle_var_options *);
        heddle_array *(*quantile)(heddle_array *, heddle_array *,
                                  const struct heddle_quantile_options *);
        heddle_array *(*covariance)(heddle_array *, const struct heddle_cov_options *);
        heddle_array *(*close)(heddle_array *, heddle_array *,
                               const struct heddle_isclose_options *);
        heddle_array *(*along)(heddle_array *, heddle_array *, const struct heddle_along_options *);
        heddle_array *(*joined)(int, heddle_array *const[]);
        heddle_array *(*triangle)(heddle_array *, int64_t);
        enum heddle_status (*split)(heddle_array *, int, heddle_array *[],
                                    const struct heddle_along_options *);
        heddle_array *(*logspace)(heddle_array *, heddle_array *, int64_t,
                                  const struct heddle_logspace_options *);
        heddle_array *(*convolve)(heddle_array *, heddle_array *,
                                  const struct heddle_convolve_options *);
        enum heddle_status (*unique)(heddle_array *, heddle_array **, heddle_array **,
                                     const struct heddle_unique_options *);
        heddle_array *(*fft)(heddle_array *, const struct heddle_fft_options *);
        heddle_array *(*fftn)(heddle_array *, const struct heddle_fftn_options *);
        heddle_array *(*fftfreq)(int64_t, const struct heddle_fftfreq_options *);
        heddle_array *(*fftshift)(heddle_array *, const struct heddle_fftshift_options *);
        heddle_array *(*draw_by_two)(struct heddle_generator *, int, const int64_t *,
                                     heddle_array *, heddle_array *,
                                     const struct heddle_random_options *);
        heddle_array *(*draw_normal)(struct heddle_generator *, int, const int64_t *,
                                     const struct heddle_random_normal_options *);
        int64_t number;
    };
};

struct function_table {
    const struct function *rows;
    size_t n;
};

extern const struct function_table heddle__expr_elementwise, heddle__expr_special,
    heddle__expr_reductions, heddle__expr_statistics, heddle__expr_creation, heddle__expr_shapes,
    heddle__expr_axes, heddle__expr_assembly, heddle__expr_diagonals, heddle__expr_parts,
    heddle__expr_products, heddle__expr_known, heddle__expr_sorting, heddle__expr_types,
    heddle__expr_selecting, heddle__expr_series, heddle__expr_order, heddle__expr_sets,
    heddle__expr_changes, heddle__expr_methods, heddle__expr_applying, heddle__expr_indices,
    heddle__expr_windows, heddle__expr_edits, heddle__expr_differences, heddle__expr_contractions,
    heddle__expr_factors, heddle__expr_spectral, heddle__expr_generators, heddle__expr_fourier,
    heddle__expr_kernels;

/* Row `i` of all tables; NULL after the last. */
const struct function *heddle__expr_function_at(size_t i);

/* ---- For the files of this folder -------------------------------------------------------------- */

/* A call_ function: `args` are as many as the row has parameters. */
#define HEADING(name)                                                                              \
    bool name(struct run *run, const struct function *f, size_t at, struct value *args,            \
              struct value *out)
#define CALL(name) static HEADING(name)

/* The call_ functions of one and of two arrays. */
HEADING(heddle__expr_call_unary);
HEADING(heddle__expr_call_binary);
/* Of a reduction with axis= and keepdims=, and of one that has dtype= between them. */
HEADING(heddle__expr_call_reduce);
HEADING(heddle__expr_call_reduce_dtype);
/* Of an array in random order. */
HEADING(heddle__expr_call_shuffle);
/* Of a scan along an axis, or of all elements in C order. */
HEADING(heddle__expr_call_scan);

/* Makes the table heddle__expr_NAME of `rows`. */
#define TABLE(name)                                                                                \
    const struct function_table heddle__expr_##name = {rows, sizeof rows / sizeof *rows}

/* Whether the argument is there and not None. */
bool heddle__expr_given(const struct value *v);
/* All elements in C order. */
heddle_array *heddle__expr_flat(heddle_array *a);
/* If it is given, heddle__expr_to_array; else `out` stays. */
bool heddle__expr_to_optional_array(struct run *run, const struct value *v, bool strong,
                                    heddle_array **out);
/* The integers of an axis argument; *n is -1 if none is given. */
bool heddle__expr_to_axes(struct run *run, const struct value *v, int *axes, int *n);
bool heddle__expr_to_shape(struct run *run, const struct value *v, int64_t *shape, int *ndim);
/* What axis= says, as the options `axis` and `axes`. */
bool heddle__expr_to_axes_options(struct run *run, const struct value *v, int *one, bool *has_one,
                                  struct heddle_axes *several);
/* At most one axis. */
bool heddle__expr_to_axis(struct run *run, const struct value *v, int *axis, bool *given);
/* One that is required, as in swapaxes(a, 0, 1). */
bool heddle__expr_to_one_axis(struct run *run, const struct value *v, int *axis);
/* An axis that is given. */
bool heddle__expr_to_along(struct run *run, const struct value *v,
                           struct heddle_along_options *along);
/* An integer; if none is given `out` stays. */
bool heddle__expr_to_optional_int(struct run *run, const struct value *v, const char *what,
                                  int64_t *out);
/* A Python number as a double, but 0, which options take as their default; if none is given `out` stays. */
bool heddle__expr_to_nonzero(struct run *run, const struct value *v, const char *what, double *out);
/* A Python number as a double; if none is given `out` stays. */
bool heddle__expr_to_double(struct run *run, const struct value *v, const char *what, double *out);
/* Which of the words it is; if none is given `out` stays. `what`: for the error, as "side is". */
bool heddle__expr_to_word(struct run *run, const struct value *v, const char *what, int n,
                          const char *const words[], int *out);
/* The arrays of a tuple or list, in the run's arena; `strong`: of numbers, too. */
bool heddle__expr_to_arrays(struct run *run, const struct value *v, bool strong,
                            heddle_array ***arrays, int *n);
/* The same, also the rows of an array. */
bool heddle__expr_to_rows(struct run *run, const struct value *v, heddle_array ***arrays, int *n);
/* Reductions along an axis of n > 0 segments [start, end), none of them empty, of an array of less than HEDDLE_MAX_NDIM axes, one beside
 * the other. NULL: no memory. */
heddle_array *heddle__expr_segments(reduce_function *reduce, heddle_array *a, int axis, int64_t n,
                                    const int64_t *start, const int64_t *end);
/* Elements from..to-1 along an axis. */
heddle_array *heddle__expr_slice(heddle_array *a, int axis, int64_t from, int64_t to);
/* Room for n arrays in the run's arena; and a tuple or list of what a function put there, unless it failed. */
heddle_array **heddle__expr_room(struct run *run, int64_t n);
bool heddle__expr_from_arrays(struct run *run, enum heddle_status status, int n,
                              heddle_array *const arrays[], enum value_kind kind, size_t at,
                              struct value *out);

#define UNARY(name, function)                                                                      \
    {                                                                                              \
#name, "x/a", heddle__expr_call_unary,                                                     \
        {                                                                                          \
            .unary = heddle_##function                                                             \
        }                                                                                          \
    }
#define BINARY(name, function)                                                                     \
    {                                                                                              \
#name, "x1/a x2/b", heddle__expr_call_binary,                                              \
        {                                                                                          \
            .binary = heddle_##function                                                            \
        }                                                                                          \
    }
#define REDUCE(name, function)                                                                     \
    {                                                                                              \
#name, "a/x axis= | keepdims= initial= where=", heddle__expr_call_reduce,                  \
        {                                                                                          \
            .reduce = heddle_##function##_with                                                     \
        }                                                                                          \
    }
#define REDUCE_DTYPE(name)                                                                         \
    {                                                                                              \
#name, "a/x axis= dtype= | keepdims= initial= where=", heddle__expr_call_reduce_dtype,     \
        {                                                                                          \
            .reduce = heddle_##name##_with                                                         \
        }                                                                                          \
    }
#define PLAIN(name, parameters, function)                                                          \
    {                                                                                              \
#name, parameters, function,                                                               \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

#endif
