/* Which object a value is in Python, what it is an element of, and of which class: `is`, `in`, type(), isinstance(),
 * issubdtype(). Entry points: value.h. */
#include "expr/value.h"

#include <heddle/elementwise.h>
#include <heddle/reduce.h>

#include <string.h>

/* ---- is, in -------------------------------------------------------------------------------------------- */

bool heddle__expr_is(const struct value *a, const struct value *b)
{
    struct value class;
    if (heddle__expr_class_of_function(b, &class)) b = &class; /* type(x) is list */
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case VALUE_BOOL: return a->boolean == b->boolean;
    case VALUE_INT: return a->integer == b->integer;
    case VALUE_FLOAT: return !memcmp(&a->re, &b->re, sizeof a->re); /* np.nan is np.nan */
    case VALUE_COMPLEX: return a->re == b->re && a->im == b->im;
    case VALUE_STRING: return a->length == b->length && !memcmp(a->text, b->text, a->length);
    case VALUE_DTYPE: return a->dtype == b->dtype && a->python == b->python && a->class == b->class;
    case VALUE_TUPLE:
    case VALUE_LIST:
    case VALUE_SLICE: return a->items == b->items && a->n == b->n;
    case VALUE_ARRAY: return a->identity == b->identity && a->array == b->array;
    case VALUE_FUNCTION: return a->function == b->function;
    case VALUE_METHOD:
    case VALUE_DRAW: return false; /* each is new */
    case VALUE_GENERATOR: return a->generator == b->generator;
    case VALUE_DEFINITION: return a->definition == b->definition;
    case VALUE_KERNEL: return a->kernel == b->kernel;
    case VALUE_PYTHON: return a->python_function == b->python_function;
    case VALUE_BUILDER: return a->builder == b->builder;
    case VALUE_TYPE: return a->type == b->type;
    case VALUE_LIMITS: return a->dtype == b->dtype;
    case VALUE_ABSENT:
    case VALUE_NONE:
    case VALUE_ELLIPSIS: return true;
    case VALUE_MODULE: return a->module == b->module;
    }
    return false;
}

bool heddle__expr_in(struct run *run, size_t at, const struct value *a, const struct value *b,
                     bool *out)
{
    heddle_array *x, *y;
    struct value equal;
    *out = false;
    if (heddle__expr_is_list(b)) {
        for (int64_t i = 0; i < b->n && !*out; i++) {
            *out = heddle__expr_is(a, &b->items[i]);
            const bool mixed = heddle__expr_is_scalar(a) != heddle__expr_is_scalar(&b->items[i]) &&
                               a->kind != VALUE_ARRAY && b->items[i].kind != VALUE_ARRAY;
            if (*out || mixed) continue;
            if (!heddle__expr_binary(run, TOKEN_EQUAL, at, a, &b->items[i], &equal)) return false;
            if (equal.kind == VALUE_ARRAY && !heddle__expr_item(run, equal.array, at, &equal))
                return false;
            *out = heddle__expr_truth(&equal);
        }
        return true;
    }
    if (b->kind == VALUE_STRING && a->kind == VALUE_STRING) {
        for (size_t i = 0; i + a->length <= b->length && !*out; i++)
            *out = !memcmp(b->text + i, a->text, a->length);
        return true;
    }
    if (b->kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s has no elements",
                                 heddle__expr_value_name(b));
    if (!heddle__expr_to_array(run, a, false, &x) || !heddle__expr_to_array(run, b, true, &y))
        return false;
    if (!heddle__expr_from_array(run, heddle_any_with(heddle_equal(x, y), NULL), at, &equal) ||
        !heddle__expr_item(run, equal.array, at, &equal))
        return false;
    *out = equal.boolean;
    return true;
}

/* ---- Classes ---------------------------------------------------------------------------------------------- */

/* A class that is no dtype. `kinds`: those of the dtypes below it. */
struct type {
    const char *name, *shown, *kinds;
};

static const struct type types[] = {
    {"ndarray", "numpy.ndarray", ""},
    {"generic", "numpy.generic", "BUIFC"},
    {"number", "numpy.number", "UIFC"},
    {"integer", "numpy.integer", "UI"},
    {"signedinteger", "numpy.signedinteger", "I"},
    {"unsignedinteger", "numpy.unsignedinteger", "U"},
    {"inexact", "numpy.inexact", "FC"},
    {"floating", "numpy.floating", "F"},
    {"complexfloating", "numpy.complexfloating", "C"},
    {"list", "list", ""},
    {"tuple", "tuple", ""},
    {"str", "str", ""},
    {"slice", "slice", ""},
    {"NoneType", "NoneType", ""},
    {"dtype", "numpy.dtype", ""},
    {"function", "function", ""},
};

enum { OF_ARRAY, OF_LIST = 9, OF_TUPLE, OF_STRING, OF_SLICE, OF_NONE, OF_DTYPE };
enum { OF_OTHERS = OF_DTYPE + 1, N_TYPES };
_Static_assert(sizeof types / sizeof *types == N_TYPES, "each number is a row");

bool heddle__expr_type(size_t i, struct value *out, const char **name)
{
    if (i >= OF_LIST) return false; /* the others are reached by type() */
    *name = types[i].name;
    *out = (struct value){.kind = VALUE_TYPE, .type = &types[i]};
    return true;
}

const char *heddle__expr_type_name(const struct value *type)
{
    return type->type->shown;
}

static bool of_type(int i, size_t at, struct value *out)
{
    *out = (struct value){.kind = VALUE_TYPE, .at = at, .type = &types[i]};
    return true;
}

static bool of_dtype(enum heddle_dtype dtype, bool python, size_t at, struct value *out)
{
    *out = (struct value){.kind = VALUE_DTYPE, .at = at, .dtype = dtype, .class = true};
    out->python = python;
    return true;
}

bool heddle__expr_type_of(struct run *run, const struct value *v, struct value *out)
{
    const size_t at = v->at;
    (void)run;
    switch (v->kind) {
    case VALUE_BOOL: return of_dtype(HEDDLE_BOOL, true, at, out);
    case VALUE_INT: return of_dtype(HEDDLE_INT64, true, at, out);
    case VALUE_FLOAT: return of_dtype(HEDDLE_FLOAT64, true, at, out);
    case VALUE_COMPLEX: return of_dtype(HEDDLE_COMPLEX128, true, at, out);
    case VALUE_ARRAY:
        return heddle_ndim(v->array) > 0 ? of_type(OF_ARRAY, at, out)
                                         : of_dtype(heddle_dtype_of(v->array), false, at, out);
    case VALUE_LIST: return of_type(OF_LIST, at, out);
    case VALUE_TUPLE: return of_type(OF_TUPLE, at, out);
    case VALUE_STRING: return of_type(OF_STRING, at, out);
    case VALUE_SLICE: return of_type(OF_SLICE, at, out);
    case VALUE_ABSENT:
    case VALUE_NONE: return of_type(OF_NONE, at, out);
    case VALUE_DTYPE: return of_type(OF_DTYPE, at, out);
    case VALUE_ELLIPSIS:
    case VALUE_FUNCTION:
    case VALUE_METHOD:
    case VALUE_GENERATOR:
    case VALUE_DRAW:
    case VALUE_DEFINITION:
    case VALUE_KERNEL:
    case VALUE_MODULE:
    case VALUE_PYTHON:
    case VALUE_LIMITS:
    case VALUE_BUILDER:
    case VALUE_TYPE: return of_type(OF_OTHERS, at, out);
    }
    return false;
}

/* Whether the class `type` is `of`, or below it: bool is an int in Python, float64 a float. */
static bool is_below(const struct value *type, const struct value *of)
{
    if (of->kind == VALUE_TYPE)
        return (type->kind == VALUE_TYPE && type->type == of->type) ||
               (type->kind == VALUE_DTYPE && !type->python &&
                strchr(of->type->kinds, heddle_dtype_kind(type->dtype)));
    if (type->kind != VALUE_DTYPE) return false;
    if (type->dtype == of->dtype && type->python == of->python) return true;
    const bool floats = of->dtype == HEDDLE_FLOAT64 || of->dtype == HEDDLE_COMPLEX128;
    return of->python &&
           ((floats && type->dtype == of->dtype) ||
            (type->python && type->dtype == HEDDLE_BOOL && of->dtype == HEDDLE_INT64));
}

bool heddle__expr_is_instance(struct run *run, const struct value *v, const struct value *of,
                              bool *out)
{
    struct value type;
    *out = false;
    if (heddle__expr_is_list(of)) {
        for (int64_t i = 0; i < of->n && !*out; i++)
            if (!heddle__expr_is_instance(run, v, &of->items[i], out)) return false;
        return true;
    }
    /* list and tuple are functions of Python's here, and so is their name */
    struct value class = *of;
    if (!heddle__expr_class_of_function(of, &class) && of->kind != VALUE_TYPE &&
        of->kind != VALUE_DTYPE)
        return heddle__expr_fail(run, HEDDLE_EARG, of->at, "%s is no class",
                                 heddle__expr_value_name(of));
    if (!heddle__expr_type_of(run, v, &type)) return false;
    *out = is_below(&type, &class);
    return true;
}

bool heddle__expr_is_subtype(struct run *run, const struct value *dtype, const struct value *of,
                             bool *out)
{
    struct value a = *dtype, b = *of;
    if (a.kind == VALUE_TYPE && b.kind == VALUE_TYPE) {
        *out = strspn(a.type->kinds, b.type->kinds) == strlen(a.type->kinds);
        return true;
    }
    if (a.kind == VALUE_TYPE) {
        *out = false;
        return true;
    }
    if (!heddle__expr_to_dtype(run, dtype, &a.dtype)) return false;
    if (b.kind != VALUE_TYPE && !heddle__expr_to_dtype(run, of, &b.dtype)) return false;
    *out = b.kind == VALUE_TYPE ? strchr(b.type->kinds, heddle_dtype_kind(a.dtype)) != NULL
                                : a.dtype == b.dtype;
    return true;
}

bool heddle__expr_class_of_function(const struct value *f, struct value *out)
{
    static const int of[] = {OF_LIST, OF_TUPLE, OF_STRING, OF_SLICE};
    for (size_t i = 0; f->kind == VALUE_PYTHON && i < sizeof of / sizeof *of; i++)
        if (!strcmp(heddle__expr_python_name(f), types[of[i]].name))
            return of_type(of[i], f->at, out);
    return false;
}
