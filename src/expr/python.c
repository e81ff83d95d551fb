/* Python's own functions, by their names without np: of Python's numbers and of lists of them they give what
 * Python gives; of arrays they are NumPy's function of the same name. Entry points: heddle__expr_python,
 * heddle__expr_call_python. */
#include "expr/value.h"

#include <heddle/sort.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANGE = 100000 };

/* The arguments of a call without keywords. `handled`: whether it was Python's to answer. */
struct call {
    size_t at;
    const struct value *args;
    int64_t n;
    bool handled;
};

struct python_function {
    const char *name;
    bool (*call)(struct run *run, struct call *c, struct value *out);
};

static bool all_scalars(const struct value *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!heddle__expr_is_scalar(&v[i])) return false;
    return true;
}

/* ---- min, max, sum -------------------------------------------------------------------------------- */

/* max(3, 5), max((3, 5)): the first of those that no other is beyond. */
static bool extreme(struct run *run, struct call *c, enum token_kind beyond, struct value *out)
{
    const bool list = c->n == 1 && heddle__expr_is_list(c->args);
    const struct value *v = list ? c->args->items : c->args;
    const int64_t n = list ? c->args->n : c->n;
    c->handled = n > 0 && (list || n > 1) && all_scalars(v, n);
    if (!c->handled) return true;
    *out = v[0];
    for (int64_t i = 1; i < n; i++) {
        struct value is;
        if (!heddle__expr_fold_binary(run, beyond, c->at, &v[i], out, &is)) return false;
        if (is.boolean) *out = v[i];
    }
    return true;
}

static bool call_max(struct run *run, struct call *c, struct value *out)
{
    return extreme(run, c, TOKEN_GREATER, out);
}

static bool call_min(struct run *run, struct call *c, struct value *out)
{
    return extreme(run, c, TOKEN_LESS, out);
}

static bool call_sum(struct run *run, struct call *c, struct value *out)
{
    c->handled = (c->n == 1 || c->n == 2) && heddle__expr_is_list(c->args) &&
                 all_scalars(c->args->items, c->args->n) && all_scalars(c->args + 1, c->n - 1);
    if (!c->handled) return true;
    heddle__expr_from_int(out, c->at, 0);
    if (c->n == 2) *out = c->args[1]; /* the start */
    for (int64_t i = 0; i < c->args->n; i++)
        if (!heddle__expr_fold_binary(run, TOKEN_ADD, c->at, out, &c->args->items[i], out))
            return false;
    return true;
}

/* ---- abs, round, pow, divmod ----------------------------------------------------------------------- */

static bool call_abs(struct run *run, struct call *c, struct value *out)
{
    c->handled = c->n == 1 && all_scalars(c->args, 1);
    if (!c->handled) return true;
    const struct value *v = c->args, zero = {.kind = VALUE_INT};
    *out = *v;
    if (v->kind == VALUE_BOOL) return heddle__expr_from_int(out, c->at, v->boolean);
    if (v->kind == VALUE_INT)
        return v->integer >= 0 || heddle__expr_fold_binary(run, TOKEN_SUB, c->at, &zero, v, out);
    *out = (struct value){.kind = VALUE_FLOAT,
                          .re = v->kind == VALUE_COMPLEX ? hypot(v->re, v->im) : fabs(v->re)};
    return true;
}

/* To a multiple of 10**digits, halves to the even one. */
static bool round_int(struct run *run, size_t at, int64_t i, int64_t digits, struct value *out)
{
    int64_t unit = 1;
    for (; digits > 0; digits--)
        if (__builtin_mul_overflow(unit, 10, &unit)) return heddle__expr_from_int(out, at, 0);
    const int64_t rest = (i % unit + unit) % unit;
    int64_t low;
    if (__builtin_sub_overflow(i, rest, &low))
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "the result does not fit int64");
    const bool up = rest > unit - rest || (rest == unit - rest && rest && low / unit % 2 != 0);
    if (up && __builtin_add_overflow(low, unit, &low))
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "the result does not fit int64");
    return heddle__expr_from_int(out, at, low);
}

static bool round_float(struct run *run, size_t at, double x, int64_t digits, struct value *out)
{
    char text[400 + 350];
    *out = (struct value){.kind = VALUE_FLOAT, .at = at, .re = x};
    if (!isfinite(x) || digits > 330) return true;
    if (digits >= 0) { /* the decimal number, which printf rounds exactly */
        snprintf(text, sizeof text, "%.*f", (int)digits, x);
        out->re = strtod(text, NULL);
        return true;
    }
    const double unit = pow(10, digits < -330 ? 330 : (double)-digits);
    out->re = isfinite(unit) ? nearbyint(x / unit) * unit : 0;
    if (isinf(out->re))
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "the result is too large for a float");
    return true;
}

static bool call_round(struct run *run, struct call *c, struct value *out)
{
    const struct value *v = c->args;
    c->handled = (c->n == 1 || c->n == 2) && all_scalars(v, 1) && v->kind != VALUE_COMPLEX;
    if (!c->handled) return true;
    const bool whole = c->n == 1 || v[1].kind == VALUE_NONE;
    int64_t digits = 0;
    if (!whole && !heddle__expr_to_int(run, &v[1], "the number of digits", &digits)) return false;
    if (v->kind == VALUE_FLOAT && !whole) return round_float(run, c->at, v->re, digits, out);
    if (v->kind == VALUE_FLOAT) {
        const double r = nearbyint(v->re);
        if (!(r >= -0x1p63 && r < 0x1p63))
            return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "the value does not fit int64");
        return heddle__expr_from_int(out, c->at, (int64_t)r);
    }
    const int64_t i = v->kind == VALUE_BOOL ? v->boolean : v->integer;
    return digits < 0 ? round_int(run, c->at, i, -digits, out)
                      : heddle__expr_from_int(out, c->at, i);
}

static bool call_pow(struct run *run, struct call *c, struct value *out)
{
    c->handled = c->n == 2 && all_scalars(c->args, 2);
    return !c->handled ||
           heddle__expr_fold_binary(run, TOKEN_POW, c->at, &c->args[0], &c->args[1], out);
}

static bool call_divmod(struct run *run, struct call *c, struct value *out)
{
    struct value both[2];
    c->handled = c->n == 2 && all_scalars(c->args, 2);
    if (!c->handled) return true;
    const int64_t base = run->n_stack;
    const enum token_kind ops[2] = {TOKEN_FLOOR, TOKEN_MOD};
    for (int i = 0; i < 2; i++)
        if (!heddle__expr_fold_binary(run, ops[i], c->at, &c->args[0], &c->args[1], &both[i]) ||
            !heddle__expr_push(run, both[i]))
            return false;
    return heddle__expr_take(run, base, VALUE_TUPLE, c->at, out);
}

/* ---- range, list, tuple, print ------------------------------------------------------------------------ */

/* As a list. */
static bool call_range(struct run *run, struct call *c, struct value *out)
{
    int64_t of[3] = {0, 0, 1};
    c->handled = true;
    if (c->n < 1 || c->n > 3)
        return heddle__expr_fail(run, HEDDLE_EARG, c->at, "range() takes one to three integers");
    for (int64_t i = 0; i < c->n; i++)
        if (!heddle__expr_to_int(run, &c->args[i], "a range", &of[c->n == 1 ? 1 : i])) return false;
    if (of[2] == 0) return heddle__expr_fail(run, HEDDLE_EARG, c->at, "the step is 0");
    const __int128 way = (__int128)of[1] - of[0], step = of[2];
    const __int128 count = (way + step - (step > 0 ? 1 : -1)) / step;
    const int64_t n = (step > 0) != (way > 0) || way == 0 ? 0
                      : count > MAX_RANGE                 ? MAX_RANGE + 1
                                                          : (int64_t)count;
    if (n > MAX_RANGE)
        return heddle__expr_fail(run, HEDDLE_ERANGE, c->at,
                                 "a range of more than %d numbers; use arange", MAX_RANGE);
    const int64_t base = run->n_stack;
    for (int64_t i = 0; i < n; i++) {
        struct value item;
        heddle__expr_from_int(&item, c->at, of[0] + i * of[2]);
        if (!heddle__expr_push(run, item)) return false;
    }
    return heddle__expr_take(run, base, VALUE_LIST, c->at, out);
}

/* The items of a tuple, of a list, or of an array along its first axis, as a list. */
static bool items_of(struct run *run, const struct value *v, struct value *out)
{
    *out = *v;
    out->kind = VALUE_LIST;
    if (heddle__expr_is_list(v)) return true;
    if (v->kind != VALUE_ARRAY || heddle_ndim(v->array) == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s has no items",
                                 heddle__expr_value_name(v));
    const int64_t n = heddle_shape(v->array)[0], base = run->n_stack;
    if (n > MAX_RANGE)
        return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "a list of more than %d items",
                                 MAX_RANGE);
    for (int64_t i = 0; i < n; i++) {
        const struct subscript at = {.value = {.kind = VALUE_INT, .integer = i}};
        struct value item;
        if (!heddle__expr_getitem(run, v, v->at, &at, 1, &item) || !heddle__expr_push(run, item))
            return false;
    }
    return heddle__expr_take(run, base, VALUE_LIST, v->at, out);
}

static bool as_list(struct run *run, struct call *c, enum value_kind kind, struct value *out)
{
    c->handled = true;
    if (c->n != 1) return heddle__expr_fail(run, HEDDLE_EARG, c->at, "it takes one argument");
    if (!items_of(run, c->args, out)) return false;
    out->kind = kind;
    return true;
}

/* As a list of tuples, as many as the shortest argument has items. */
static bool call_zip(struct run *run, struct call *c, struct value *out)
{
    const int64_t base = run->n_stack;
    int64_t shortest = c->n ? MAX_RANGE : 0;
    c->handled = true;
    for (int64_t i = 0; i < c->n; i++) {
        struct value items;
        if (!items_of(run, &c->args[i], &items) || !heddle__expr_push(run, items)) return false;
        if (items.n < shortest) shortest = items.n;
    }
    const int64_t tuples = run->n_stack;
    for (int64_t k = 0; k < shortest; k++) {
        const int64_t first = run->n_stack;
        struct value tuple;
        for (int64_t i = 0; i < c->n; i++)
            if (!heddle__expr_push(run, run->stack[base + i].items[k])) return false;
        if (!heddle__expr_take(run, first, VALUE_TUPLE, c->at, &tuple) ||
            !heddle__expr_push(run, tuple))
            return false;
    }
    if (!heddle__expr_take(run, tuples, VALUE_LIST, c->at, out)) return false;
    run->n_stack = base;
    return true;
}

static bool call_list(struct run *run, struct call *c, struct value *out)
{
    return as_list(run, c, VALUE_LIST, out);
}

static bool call_tuple(struct run *run, struct call *c, struct value *out)
{
    return as_list(run, c, VALUE_TUPLE, out);
}

static bool call_print(struct run *run, struct call *c, struct value *out)
{
    c->handled = true;
    *out = (struct value){.kind = VALUE_NONE, .at = c->at};
    return !run->print || run->print(run, c->n, c->args);
}

/* ---- Classes and slices ------------------------------------------------------------------------------- */

static bool call_type(struct run *run, struct call *c, struct value *out)
{
    c->handled = true;
    if (c->n != 1) return heddle__expr_fail(run, HEDDLE_EARG, c->at, "type() takes one value");
    return heddle__expr_type_of(run, c->args, out);
}

static bool call_isinstance(struct run *run, struct call *c, struct value *out)
{
    bool is = false;
    c->handled = true;
    if (c->n != 2)
        return heddle__expr_fail(run, HEDDLE_EARG, c->at, "isinstance() takes a value and a class");
    if (!heddle__expr_is_instance(run, &c->args[0], &c->args[1], &is)) return false;
    *out = (struct value){.kind = VALUE_BOOL, .boolean = is};
    return true;
}

/* slice(stop), slice(start, stop), slice(start, stop, step) */
static bool call_slice(struct run *run, struct call *c, struct value *out)
{
    const struct value none = {.kind = VALUE_NONE, .at = c->at};
    const int64_t base = run->n_stack;
    c->handled = true;
    if (c->n < 1 || c->n > 3)
        return heddle__expr_fail(run, HEDDLE_EARG, c->at, "slice() takes one to three bounds");
    for (int64_t i = 0; i < 3; i++) {
        const int64_t from = c->n == 1 ? i - 1 : i;
        if (!heddle__expr_push(run, from < 0 || from >= c->n ? none : c->args[from])) return false;
    }
    return heddle__expr_take(run, base, VALUE_SLICE, c->at, out);
}

/* The items in ascending order, as a list: those that are equal stay in their order. */
static bool call_sorted(struct run *run, struct call *c, struct value *out)
{
    struct value items, is;
    c->handled = true;
    if (c->n != 1) return heddle__expr_fail(run, HEDDLE_EARG, c->at, "sorted() takes one argument");
    if (c->args->kind == VALUE_ARRAY && heddle_ndim(c->args->array) == 1) {
        const struct heddle_sort_options o = {.size = sizeof o};
        struct value sorted;
        return heddle__expr_from_array(run, heddle_sort_with(c->args->array, &o), c->at, &sorted) &&
               items_of(run, &sorted, out);
    }
    if (!items_of(run, c->args, &items)) return false;
    if (!all_scalars(items.items, items.n))
        return heddle__expr_fail(run, HEDDLE_EARG, c->at, "sorted() takes numbers");
    const int64_t base = run->n_stack;
    for (int64_t n = 0; n < items.n; n++) {
        if (!heddle__expr_push(run, items.items[n])) return false;
        for (int64_t i = base + n; i > base; i--) {
            struct value *v = run->stack + i, last = v[0];
            if (!heddle__expr_fold_binary(run, TOKEN_LESS, c->at, &v[0], &v[-1], &is)) return false;
            if (!is.boolean) break;
            v[0] = v[-1];
            v[-1] = last;
        }
    }
    return heddle__expr_take(run, base, VALUE_LIST, c->at, out);
}

/* ---- All ------------------------------------------------------------------------------------------ */

static const struct python_function functions[] = {
    {"abs", call_abs},     {"divmod", call_divmod}, {"isinstance", call_isinstance},
    {"list", call_list},   {"max", call_max},       {"min", call_min},
    {"pow", call_pow},     {"print", call_print},   {"range", call_range},
    {"round", call_round}, {"slice", call_slice},   {"sorted", call_sorted},
    {"sum", call_sum},     {"tuple", call_tuple},   {"type", call_type},
    {"zip", call_zip},
};

const char *heddle__expr_python_name(const struct value *f)
{
    return f->python_function->name;
}

bool heddle__expr_python(const char *name, size_t length, struct value *out)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct python_function *f = &functions[i];
        if (strlen(f->name) != length || memcmp(f->name, name, length) != 0) continue;
        *out = (struct value){.kind = VALUE_PYTHON};
        out->python_function = f;
        return true;
    }
    return false;
}

bool heddle__expr_call_python(struct run *run, const struct value *f, size_t at,
                              const struct value *args, int64_t n, const struct value *keywords,
                              int64_t n_keywords, struct value *out)
{
    const char *name = f->python_function->name;
    struct call c = {.at = f->at, .args = args, .n = n};
    struct value result, numpy = {.kind = VALUE_FUNCTION, .at = f->at};
    numpy.function = heddle__expr_function(name, strlen(name));
    if (!n_keywords) {
        if (!f->python_function->call(run, &c, &result)) return false;
        result.at = f->at;
        if (c.handled) *out = result;
        if (c.handled) return true;
    }
    if (numpy.function)
        return heddle__expr_call(run, &numpy, at, args, n, keywords, n_keywords, out);
    return heddle__expr_fail(run, HEDDLE_EARG, keywords->at, "%s() takes no keyword arguments",
                             name);
}
