/* value.name: attributes and methods of arrays, real and imaginary parts of scalars, names of np.
 * Entry points: heddle__expr_attribute, heddle__expr_each_attribute. */
#include "expr/functions/functions.h"
#include "expr/names.h"
#include "expr/value.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

#include <stdio.h>
#include <string.h>

static const char *const attributes[] = {"T",    "mT",   "shape",  "size",     "ndim", "dtype",
                                         "real", "imag", "nbytes", "itemsize", "flat"};

/* Functions that are also methods. */
static const char *const methods[] = {
    "sum",       "prod",    "max",      "min",      "mean",    "any",          "all",
    "argmax",    "argmin",  "astype",   "reshape",  "conj",    "conjugate",    "copy",
    "transpose", "squeeze", "flatten",  "ravel",    "clip",    "round",        "swapaxes",
    "cumsum",    "cumprod", "take",     "var",      "std",     "ptp",          "dot",
    "repeat",    "trace",   "diagonal", "argsort",  "nonzero", "searchsorted", "argpartition",
    "item",      "tolist",  "view",     "compress",
};

/* Methods that change the array. */
static const char *const changing[] = {"ndarray.sort", "ndarray.fill", "ndarray.resize",
                                       "ndarray.put", "ndarray.partition"};

static bool is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && !memcmp(name, other, length);
}

static bool shape_of(struct run *run, heddle_array *a, size_t at, struct value *out)
{
    const int ndim = heddle_ndim(a);
    const int64_t base = run->n_stack;
    for (int d = 0; d < ndim; d++) {
        struct value extent;
        heddle__expr_from_int(&extent, at, heddle_shape(a)[d]);
        if (!heddle__expr_push(run, extent)) return false;
    }
    return heddle__expr_take(run, base, VALUE_TUPLE, at, out);
}

static bool transposed(struct run *run, heddle_array *a, size_t at, struct value *out)
{
    int axes[HEDDLE_MAX_NDIM];
    const int ndim = heddle_ndim(a);
    for (int d = 0; d < ndim; d++) axes[d] = ndim - 1 - d;
    return heddle__expr_from_array(run, heddle_permute_dims(a, ndim, axes), at, out);
}

static bool array_attribute(struct run *run, heddle_array *a, size_t at, const char *name,
                            size_t length, struct value *out)
{
    if (is(name, length, "T")) return transposed(run, a, at, out);
    if (is(name, length, "mT"))
        return heddle__expr_from_array(run, heddle_matrix_transpose(a), at, out);
    if (is(name, length, "shape")) return shape_of(run, a, at, out);
    if (is(name, length, "size")) return heddle__expr_from_int(out, at, heddle_size(a));
    if (is(name, length, "ndim")) return heddle__expr_from_int(out, at, heddle_ndim(a));
    if (is(name, length, "nbytes")) return heddle__expr_from_int(out, at, heddle_nbytes(a));
    if (is(name, length, "itemsize"))
        return heddle__expr_from_int(out, at, (int64_t)heddle_dtype_size(heddle_dtype_of(a)));
    if (is(name, length, "real")) return heddle__expr_from_array(run, heddle_real(a), at, out);
    if (is(name, length, "imag")) return heddle__expr_from_array(run, heddle_imag(a), at, out);
    if (is(name, length, "dtype")) {
        *out = (struct value){.kind = VALUE_DTYPE, .at = at, .dtype = heddle_dtype_of(a)};
        return true;
    }
    if (is(name, length, "flat"))
        return heddle__expr_from_array(run, heddle__expr_flat(a), at, out);
    const size_t prefix = strlen("ndarray.");
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (is(name, length, changing[i] + prefix)) {
            *out = (struct value){.kind = VALUE_METHOD, .at = at, .array = a};
            out->function = heddle__expr_function(changing[i], prefix + length);
            return true;
        }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (is(name, length, methods[i])) {
            *out = (struct value){.kind = VALUE_METHOD, .at = at, .array = a};
            /* unlike the function, which makes bool int8 */
            const bool same = heddle_dtype_of(a) == HEDDLE_BOOL &&
                              (is(name, length, "conj") || is(name, length, "conjugate"));
            out->function =
                same ? heddle__expr_function("copy", 4) : heddle__expr_function(name, length);
            return true;
        }
    if (heddle__expr_known_missing(run, at, name, length)) return false;
    return heddle__expr_unknown_attribute(run, at, length);
}

/* dtype(...).name, ... */
static bool dtype_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                            size_t length, struct value *out)
{
    const char *text = heddle_dtype_name(v->dtype);
    if (is(name, length, "itemsize"))
        return heddle__expr_from_int(out, at, (int64_t)heddle_dtype_size(v->dtype));
    if (is(name, length, "name")) {
        *out = (struct value){.kind = VALUE_STRING, .at = at, .text = text, .length = strlen(text)};
        return true;
    }
    if (is(name, length, "type")) {
        *out = (struct value){.kind = VALUE_DTYPE, .at = at, .dtype = v->dtype, .class = true};
        return true;
    }
    if (is(name, length, "kind")) {
        *out = (struct value){.kind = VALUE_STRING, .at = at, .text = text, .length = 1};
        return true; /* the name's first letter: bool, int, uint, float, complex */
    }
    return heddle__expr_fail(run, HEDDLE_ENAME, at, "a dtype has no attribute '%.*s'",
                             length > 60 ? 60 : (int)length, name);
}

/* finfo(...).eps, iinfo(...).max, ... */
static bool limit(struct run *run, const struct value *v, size_t at, const char *name,
                  size_t length, struct value *out)
{
    struct heddle_finfo real = {.bits = 0};
    struct heddle_iinfo integer = {.bits = 0};
    const bool floating = heddle_finfo_get(v->dtype, &real) == HEDDLE_OK;
    if (!floating && heddle_iinfo_get(v->dtype, &integer) != HEDDLE_OK) return false;
    if (is(name, length, "bits"))
        return heddle__expr_from_int(out, at, floating ? real.bits : integer.bits);
    if (is(name, length, "dtype")) {
        *out = (struct value){.kind = VALUE_DTYPE, .at = at, .dtype = v->dtype};
        return true;
    }
    if (!floating && is(name, length, "min")) return heddle__expr_from_int(out, at, integer.min);
    if (!floating && is(name, length, "max")) {
        if (integer.max <= INT64_MAX) return heddle__expr_from_int(out, at, (int64_t)integer.max);
        return heddle__expr_from_array(
            run, heddle_asarray_with(&integer.max, HEDDLE_UINT64, HEDDLE_NO_SHAPE, NULL), at, out);
    }
    const struct {
        const char *name;
        double value;
    } limits[] = {{"eps", real.eps},
                  {"max", real.max},
                  {"min", real.min},
                  {"tiny", real.smallest_normal},
                  {"smallest_normal", real.smallest_normal}};
    for (size_t i = 0; floating && i < sizeof limits / sizeof *limits; i++)
        if (is(name, length, limits[i].name)) {
            return heddle__expr_from_array(
                run, heddle_astype(heddle_scalar_float(limits[i].value), real.dtype), at, out);
        }
    return heddle__expr_fail(run, HEDDLE_ENAME, at, "%s have no '%.*s'", heddle__expr_value_name(v),
                             length > 60 ? 60 : (int)length, name);
}

/* The attributes of Python's scalars: real and imag. */
static bool scalar_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                             size_t length, struct value *out)
{
    const bool complex = v->kind == VALUE_COMPLEX;
    if (is(name, length, "real")) {
        *out = *v;
        if (complex) *out = (struct value){.kind = VALUE_FLOAT, .at = at, .re = v->re};
        return true;
    }
    if (is(name, length, "imag")) {
        *out = (struct value){.kind = VALUE_INT, .at = at};
        if (complex || v->kind == VALUE_FLOAT)
            *out = (struct value){.kind = VALUE_FLOAT, .at = at, .re = complex ? v->im : 0};
        return true;
    }
    return heddle__expr_fail(run, HEDDLE_ENAME, at,
                             "%s has no attribute '%.*s'; array(x) makes an array of it",
                             heddle__expr_value_name(v), length > 60 ? 60 : (int)length, name);
}

/* np.add.reduce: a function with that whole name. */
static bool function_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                               size_t length, struct value *out)
{
    char whole[64];
    const int shown = length > 60 ? 60 : (int)length;
    const int n = snprintf(whole, sizeof whole, "%s.%.*s", v->function->name, shown, name);
    *out = (struct value){.kind = VALUE_FUNCTION, .at = at};
    if (n < (int)sizeof whole) out->function = heddle__expr_function(whole, (size_t)n);
    return out->function || heddle__expr_fail(run, HEDDLE_ENAME, at,
                                              "a function has no attribute '%.*s'", shown, name);
}

/* rng.normal: a function of Generator, or of RandomState, whose functions are np.random's. */
static bool generator_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                                size_t length, struct value *out)
{
    static const char *const classes[] = {"Generator", "random"};
    char whole[64];
    const int shown = length > 40 ? 40 : (int)length;
    *out = (struct value){.kind = VALUE_DRAW, .at = at};
    out->generator = v->generator;
    for (int i = 0; i < 2 && !out->function; i++) {
        const int n = snprintf(whole, sizeof whole, "%s.%.*s", classes[i], shown, name);
        out->function = heddle__expr_function(whole, (size_t)n);
    }
    return out->function || heddle__expr_fail(run, HEDDLE_ENAME, at,
                                              "a generator has no method '%.*s'", shown, name);
}

bool heddle__expr_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                            size_t length, struct value *out)
{
    switch (v->kind) {
    case VALUE_ARRAY: return array_attribute(run, v->array, at, name, length, out);
    case VALUE_LIMITS: return limit(run, v, at, name, length, out);
    case VALUE_DTYPE: return dtype_attribute(run, v, at, name, length, out);
    case VALUE_MODULE:
        if (!v->module && (is(name, length, "lib") ||
                           is(name, length, "stride_tricks"))) { /* their names are np's here */
            *out = *v;
            return true;
        }
        return heddle__expr_of_module(run, v->module, at, name, length, out);
    case VALUE_FUNCTION: return function_attribute(run, v, at, name, length, out);
    case VALUE_GENERATOR: {
        const struct value generator = *v; /* `out` may be v */
        return generator_attribute(run, &generator, at, name, length, out);
    }
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_COMPLEX: return scalar_attribute(run, v, at, name, length, out);
    default:
        return heddle__expr_fail(run, HEDDLE_ENAME, at, "%s has no attribute '%.*s'",
                                 heddle__expr_value_name(v), length > 60 ? 60 : (int)length, name);
    }
}

void heddle__expr_each_attribute(heddle__expr_name_visitor *visit, void *user)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        visit(user, attributes[i], strlen(attributes[i]));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        visit(user, methods[i], strlen(methods[i]));
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        const char *name = strchr(changing[i], '.') + 1;
        visit(user, name, strlen(name));
    }
}
