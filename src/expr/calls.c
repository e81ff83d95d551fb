/* Calls: bind arguments to the parameters of a function's row, and convert by a dtype that is called.
 * Entry point: heddle__expr_call. */
#include "expr/functions/functions.h"
#include "expr/value.h"

#include <heddle/elementwise.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

struct parameter {
    const char *names; /* "a/x" */
    size_t length;
    bool optional;
};

struct parameters {
    struct parameter list[HEDDLE_EXPR_MAX_ARGS];
    int n, n_positional;
    bool packs;   /* '*' */
    bool gathers; /* '+' */
};

static struct parameters parse_parameters(const char *text)
{
    struct parameters p = {.n_positional = -1};
    p.packs = *text == '*';
    p.gathers = *text == '+';
    text += p.packs || p.gathers;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (*text == '|') {
            p.n_positional = p.n;
        } else {
            const bool optional = text[n - 1] == '=';
            p.list[p.n++] =
                (struct parameter){.names = text, .length = n - optional, .optional = optional};
        }
        text += n;
        text += strspn(text, " ");
    }
    if (p.n_positional < 0) p.n_positional = p.n;
    return p;
}

static bool is_named(const struct parameter *p, const char *name, size_t length)
{
    const char *at = p->names, *end = p->names + p->length;
    while (at < end) {
        size_t n = 0;
        while (at + n < end && at[n] != '/') n++;
        if (n == length && !memcmp(at, name, n)) return true;
        at += n + 1;
    }
    return false;
}

static int first_name(const struct parameter *p)
{
    int n = 0;
    while ((size_t)n < p->length && p->names[n] != '/') n++;
    return n;
}

/* "a, axis, keepdims" */
static void list_parameters(const struct parameters *p, int first, char *out, size_t room)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = first; i < p->n && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%.*s", i > first ? ", " : "",
                              first_name(&p->list[i]), p->list[i].names);
}

static bool bind_keyword(struct run *run, const struct function *f, const struct parameters *p,
                         const struct value *keyword, const struct value *arg, bool method,
                         struct value *bound)
{
    const int shown = keyword->length > 40 ? 40 : (int)keyword->length;
    for (int i = method; i < p->n; i++) {
        if (!is_named(&p->list[i], keyword->text, keyword->length)) continue;
        if (bound[i].kind != VALUE_ABSENT)
            return heddle__expr_fail(run, HEDDLE_EARG, keyword->at,
                                     "%s() got its argument '%.*s' twice", f->name, shown,
                                     keyword->text);
        bound[i] = *arg;
        return true;
    }
    if (keyword->length == 5 && !memcmp(keyword->text, "dtype", 5) &&
        heddle__expr_is_elementwise(f)) {
        bound[p->n] = *arg; /* behind the operands, see in_dtype */
        return true;
    }
    if (keyword->length == 5 && !memcmp(keyword->text, "where", 5))
        return heddle__expr_fail(run, HEDDLE_EUNSUPPORTED, keyword->at,
                                 "where= is not supported: choose elements with where(condition, "
                                 "a, b)");
    char list[120];
    list_parameters(p, method, list, sizeof list);
    return heddle__expr_fail(run, HEDDLE_EARG, keyword->at,
                             "%s() has no argument '%.*s'; it takes (%s)", f->name, shown,
                             keyword->text, list);
}

static bool is_of(const struct function *f, const struct function_table *table)
{
    return f >= table->rows && f < table->rows + table->n;
}

bool heddle__expr_changes_argument(const struct value *f)
{
    return heddle__expr_is_function(f) && f->kind != VALUE_PYTHON && f->kind != VALUE_KERNEL &&
           f->kind != VALUE_DEFINITION && is_of(f->function, &heddle__expr_changes);
}

bool heddle__expr_is_elementwise(const struct function *f)
{
    const bool made = f->call == heddle__expr_call_unary || f->call == heddle__expr_call_binary;
    return made && (is_of(f, &heddle__expr_elementwise) || is_of(f, &heddle__expr_special));
}

/* dtype= of elementwise functions: the operands become arrays of it. */
static bool in_dtype(struct run *run, const struct value *v, int n, struct value *operands)
{
    enum heddle_dtype dtype;
    heddle_array *a;
    if (!heddle__expr_given(v)) return true;
    if (!heddle__expr_to_dtype(run, v, &dtype)) return false;
    for (int i = 0; i < n; i++)
        if (!heddle__expr_to_array(run, &operands[i], true, &a) ||
            !heddle__expr_from_array(run, heddle_astype(a, dtype), operands[i].at, &operands[i]))
            return false;
    return true;
}

static bool call_function(struct run *run, const struct value *callee, size_t at,
                          const struct value *args, int64_t n, const struct value *keywords,
                          int64_t n_keywords, struct value *out)
{
    const struct function *f = callee->function;
    const struct parameters p = parse_parameters(f->parameters);
    const int method = callee->kind == VALUE_METHOD;
    const int room = p.n_positional - method;
    struct value bound[HEDDLE_EXPR_MAX_ARGS + 1] = {{.kind = VALUE_ABSENT}}, packed;
    const struct value *positional = args;
    int64_t n_positional = n;

    /* positional arguments */
    if (method)
        bound[0] = (struct value){.kind = VALUE_ARRAY, .at = callee->at, .array = callee->array};
    if ((method && p.packs && n > 1) || p.gathers) {
        struct value *items = heddle__arena_alloc(&run->arena, (size_t)(n + 1) * sizeof *items);
        if (!items) return heddle__expr_no_memory(run);
        if (n) memcpy(items, args, (size_t)n * sizeof *items);
        packed =
            (struct value){.kind = VALUE_TUPLE, .at = n ? args->at : at, .items = items, .n = n};
        positional = &packed;
        n_positional = 1;
    }
    if (n_positional > room)
        return heddle__expr_fail(run, HEDDLE_EARG, positional[room].at,
                                 "%s() takes at most %d positional argument%s, not %lld", f->name,
                                 room, room == 1 ? "" : "s", (long long)n_positional);
    for (int64_t i = 0; i < n_positional; i++) bound[i + method] = positional[i];

    /* keyword arguments */
    for (int64_t i = 0; i < n_keywords; i++)
        if (!bind_keyword(run, f, &p, &keywords[i], &args[n + i], method, bound)) return false;
    for (int i = 0; i < p.n; i++)
        if (bound[i].kind == VALUE_ABSENT && !p.list[i].optional)
            return heddle__expr_fail(run, HEDDLE_EARG, at, "%s() needs its argument '%.*s'",
                                     f->name, first_name(&p.list[i]), p.list[i].names);
    if (heddle__expr_is_elementwise(f) && !in_dtype(run, &bound[p.n], p.n, bound)) return false;
    struct value result;
    if (!f->call(run, f, callee->at, bound, &result)) return false;
    *out = result;
    return true;
}

/* int(2.7), float(1), bool(0), complex(1, 2): make a Python scalar of scalars. */
static bool python_scalar(struct run *run, enum heddle_dtype dtype, const struct value *args,
                          int64_t n, struct value *out)
{
    double re[2] = {0, 0}, im[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        const struct value *v = &args[i];
        re[i] = v->kind == VALUE_BOOL  ? v->boolean
                : v->kind == VALUE_INT ? (double)v->integer
                                       : v->re;
        im[i] = v->kind == VALUE_COMPLEX ? v->im : 0;
    }
    const char kind = heddle_dtype_kind(dtype);
    if (args->kind == VALUE_COMPLEX && (kind == 'I' || kind == 'F'))
        return heddle__expr_fail(run, HEDDLE_EDTYPE, args->at,
                                 "a complex has no order; take .real");
    *out = (struct value){.kind = VALUE_BOOL, .boolean = heddle__expr_truth(args)};
    if (kind == 'F') *out = (struct value){.kind = VALUE_FLOAT, .re = re[0]};
    if (kind == 'C')
        *out = (struct value){.kind = VALUE_COMPLEX, .re = re[0] - im[1], .im = im[0] + re[1]};
    if (kind != 'I') return true;
    if (args->kind != VALUE_FLOAT) {
        *out = (struct value){.kind = VALUE_INT,
                              .integer = args->kind == VALUE_BOOL ? args->boolean : args->integer};
        return true;
    }
    if (!(re[0] >= -9223372036854775808.0 && re[0] < 9223372036854775808.0))
        return heddle__expr_fail(run, HEDDLE_ERANGE, args->at, "the value does not fit int64");
    *out = (struct value){.kind = VALUE_INT, .integer = (int64_t)re[0]};
    return true;
}

/* float32(x): an array of that dtype. */
static bool call_dtype(struct run *run, const struct value *callee, size_t at,
                       const struct value *args, int64_t n, int64_t n_keywords, struct value *out)
{
    heddle_array *a;
    const int64_t room = callee->python && callee->dtype == HEDDLE_COMPLEX128 ? 2 : 1;
    const char *name = heddle_dtype_name(callee->dtype);
    if (n_keywords || n < 1 || n > room)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s() takes one value", name);
    bool scalars = callee->python;
    for (int64_t i = 0; i < n; i++) scalars = scalars && heddle__expr_is_scalar(&args[i]);
    if (scalars) return python_scalar(run, callee->dtype, args, n, out);
    if (callee->python && n == 1 && args->kind == VALUE_ARRAY) {
        struct value number;
        return heddle__expr_item(run, args->array, args->at, &number) &&
               python_scalar(run, callee->dtype, &number, 1, out);
    }
    if (n != 1) return heddle__expr_fail(run, HEDDLE_EARG, at, "%s() takes numbers here", name);
    return heddle__expr_to_array_of(run, args, callee->dtype, &a) &&
           heddle__expr_from_array(run, a, callee->at, out);
}

/* A method of a generator: the function, which draws from it. */
static bool call_draw(struct run *run, const struct value *f, size_t at, const struct value *args,
                      int64_t n, const struct value *keywords, int64_t n_keywords,
                      struct value *out)
{
    struct value function = {.kind = VALUE_FUNCTION, .at = f->at};
    function.function = f->function;
    run->generator = f->generator;
    const bool done = call_function(run, &function, at, args, n, keywords, n_keywords, out);
    run->generator = NULL;
    return done;
}

bool heddle__expr_call(struct run *run, const struct value *f, size_t at, const struct value *args,
                       int64_t n, const struct value *keywords, int64_t n_keywords,
                       struct value *out)
{
    switch (f->kind) {
    case VALUE_PYTHON:
        return heddle__expr_call_python(run, f, at, args, n, keywords, n_keywords, out);
    case VALUE_FUNCTION:
    case VALUE_METHOD: return call_function(run, f, at, args, n, keywords, n_keywords, out);
    case VALUE_DEFINITION:
        return heddle__expr_call_definition(run, f, at, args, n, keywords, n_keywords, out);
    case VALUE_KERNEL:
        return heddle__expr_call_kernel(run, f, at, args, n, keywords, n_keywords, out);
    case VALUE_DRAW: return call_draw(run, f, at, args, n, keywords, n_keywords, out);
    case VALUE_DTYPE: return call_dtype(run, f, at, args, n, n_keywords, out);
    case VALUE_ARRAY:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_COMPLEX:
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s cannot be called; a product needs '*'",
                                 heddle__expr_value_name(f));
    default:
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s cannot be called",
                                 heddle__expr_value_name(f));
    }
}
