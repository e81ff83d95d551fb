/* The types of every value of a tree. Entry points: types.h. */
#include "kernel_text/types.h"

#include "base/text_point.h"

#include <stdio.h>
#include <string.h>

struct check {
    const struct kernel_tree *tree;
    struct kernel_types *types;
    const struct kernel_helper *helper; /* whose body it is, or NULL */
    bool failed;
};

enum heddle_status heddle__kernel_fail_at(const struct kernel_tree *tree, enum heddle_status code,
                                          size_t at, const char *format, ...)
{
    char detail[200];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    const size_t n = strlen(tree->body);
    const struct heddle_text_point p = at > n ? heddle__text_point(tree->preamble, at - n - 1)
                                              : heddle__text_point(tree->body, at);
    return heddle__fail(code, "kernel '%.40s', %s, line %zu, column %zu: %s%s", tree->name,
                        at > n ? "preamble" : tree->what, p.line, p.column, detail, p.shown);
}

enum heddle_dtype heddle__kernel_dtype(const struct kernel_types *types, kernel_type type)
{
    if (!heddle__kernel_is_letter(type)) return (enum heddle_dtype)type;
    const enum heddle_dtype dtype = (enum heddle_dtype)types->letters[type & 127];
    if (!heddle__kernel_is_complex_of(type)) return dtype;
    return dtype == HEDDLE_FLOAT32   ? HEDDLE_COMPLEX64
           : dtype == HEDDLE_FLOAT64 ? HEDDLE_COMPLEX128
                                     : HEDDLE_DTYPE_NONE;
}

static bool is_integer(enum heddle_dtype dtype)
{
    return dtype >= HEDDLE_BOOL && dtype < HEDDLE_FLOAT32;
}

static bool is_complex(enum heddle_dtype dtype)
{
    return heddle_dtype_kind(dtype) == 'C';
}

/* Fails for the first operand that is not of the kind. */
static enum heddle_dtype require(struct check *c, bool good, const struct kernel_node *n,
                                 const char *what, enum heddle_dtype dtype)
{
    if (!good && !c->failed)
        heddle__kernel_fail_at(c->tree, HEDDLE_EDTYPE, n->at, "%s, not %s", what,
                               heddle_dtype_name(dtype));
    c->failed |= !good;
    return dtype;
}

static enum heddle_dtype value(struct check *c, const struct kernel_node *n);

static enum heddle_dtype integer(struct check *c, const struct kernel_node *n, const char *what)
{
    const enum heddle_dtype dtype = value(c, n);
    return require(c, is_integer(dtype), n, what, dtype);
}

static enum heddle_dtype real(struct check *c, const struct kernel_node *n, const char *what)
{
    const enum heddle_dtype dtype = value(c, n);
    return require(c, !is_complex(dtype), n, what, dtype);
}

static enum heddle_dtype binary(struct check *c, const struct kernel_node *n)
{
    switch ((enum kernel_operator)n->op) {
    case KERNEL_ADD:
    case KERNEL_SUBTRACT:
    case KERNEL_MULTIPLY:
    case KERNEL_DIVIDE: {
        const enum heddle_dtype a = value(c, n->a), b = value(c, n->b);
        return heddle__c_common(a, b);
    }
    case KERNEL_MODULO:
    case KERNEL_BIT_AND:
    case KERNEL_BIT_OR:
    case KERNEL_BIT_XOR: {
        const char *const what = n->op == KERNEL_MODULO
                                     ? "% takes integers (fmod takes floating numbers)"
                                     : "bit operations take integers";
        const enum heddle_dtype a = integer(c, n->a, what), b = integer(c, n->b, what);
        return heddle__c_common(a, b);
    }
    case KERNEL_SHIFT_LEFT:
    case KERNEL_SHIFT_RIGHT: {
        const enum heddle_dtype a = integer(c, n->a, "shifts take integers");
        integer(c, n->b, "shifts take integers");
        return heddle__c_promoted(a);
    }
    case KERNEL_EQUAL:
    case KERNEL_NOT_EQUAL:
        value(c, n->a);
        value(c, n->b);
        return HEDDLE_BOOL;
    case KERNEL_AND:
    case KERNEL_OR:
        real(c, n->a, "a condition is a real number");
        real(c, n->b, "a condition is a real number");
        return HEDDLE_BOOL;
    default: /* an order */
        real(c, n->a, "an order is of real numbers");
        real(c, n->b, "an order is of real numbers");
        return HEDDLE_BOOL;
    }
}

static enum heddle_dtype unary(struct check *c, const struct kernel_node *n)
{
    if (n->op == KERNEL_NOT) {
        real(c, n->a, "a condition is a real number");
        return HEDDLE_BOOL;
    }
    if (n->op == KERNEL_INVERT)
        return heddle__c_promoted(integer(c, n->a, "bit operations take integers"));
    return heddle__c_promoted(value(c, n->a));
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

enum rule { FLOATING, COMPLEX, COMMON, MODULUS, PART, CONJUGATE, PAIR, TEST };

static const enum rule rules[] = {
#define KERNEL_FUNCTION(ID, name, arity, rule) rule,
#include "kernel_text/functions.def"
#undef KERNEL_FUNCTION
};

static enum heddle_dtype type_of(struct check *c, const struct kernel_node *n,
                                 enum heddle_dtype given);

/* complex<T>(re, im) */
static enum heddle_dtype pair(struct check *c, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = type_of(c, n, HEDDLE_DTYPE_NONE);
    real(c, n->a, "a complex number is made of real ones");
    real(c, n->b, "a complex number is made of real ones");
    return require(c, is_complex(dtype), n, "two numbers make a complex one", dtype);
}

static enum heddle_dtype call(struct check *c, const struct kernel_node *n)
{
    const enum rule rule = rules[n->op];
    if (rule == PAIR) return pair(c, n);
    const bool takes_complex = rule != FLOATING && rule != COMMON;
    char what[60];
    snprintf(what, sizeof what, "%s takes real numbers",
             heddle__kernel_function_name((enum kernel_function)n->op));
    enum heddle_dtype dtype = value(c, n->a);
    require(c, takes_complex || !is_complex(dtype), n->a, what, dtype);
    if (n->b) dtype = heddle__c_common(dtype, real(c, n->b, what));
    if (n->c) dtype = heddle__c_common(dtype, real(c, n->c, what));
    dtype = heddle__c_promoted(dtype);
    switch (rule) {
    case FLOATING:
    case COMPLEX: return is_integer(dtype) ? HEDDLE_FLOAT64 : dtype;
    case MODULUS:
    case PART: return heddle__real_dtype(dtype);
    case TEST: return HEDDLE_BOOL;
    case COMMON:
    case PAIR:
    case CONJUGATE: break;
    }
    return dtype;
}

/* ---- Values and statements --------------------------------------------------------------------------- */

static enum heddle_dtype converted(struct check *c, const struct kernel_node *at,
                                   enum heddle_dtype from, enum heddle_dtype to)
{
    require(c, !is_complex(from) || is_complex(to), at,
            "a complex number where a real one belongs (real(z), imag(z) are its parts)", from);
    return to;
}

static enum heddle_dtype type_of(struct check *c, const struct kernel_node *n,
                                 enum heddle_dtype given)
{
    const enum heddle_dtype dtype = heddle__kernel_dtype(c->types, n->type);
    if (dtype == HEDDLE_DTYPE_NONE && (!given || n->type)) {
        if (!c->failed)
            heddle__kernel_fail_at(c->tree, HEDDLE_EDTYPE, n->at, "%s",
                                   n->type ? "complex numbers are of float32 or float64"
                                           : "auto is no type to convert to");
        c->failed = true;
    }
    return dtype == HEDDLE_DTYPE_NONE ? given : heddle__computed_in(dtype);
}

static enum heddle_dtype choice(struct check *c, const struct kernel_node *n)
{
    real(c, n->a, "a condition is a real number");
    const enum heddle_dtype a = value(c, n->b), b = value(c, n->c);
    return a == b ? a : heddle__c_common(a, b);
}

/* A call of a function of the preamble, whose own types are known. */
static enum heddle_dtype invoke(struct check *c, const struct kernel_node *n)
{
    const struct kernel_helper *const h = &c->tree->helpers[n->symbol];
    const struct kernel_node *x = n->a;
    for (int i = 0; i < h->n && x; i++, x = x->next)
        converted(c, x, value(c, x), (enum heddle_dtype)c->types->symbols[h->first + i]);
    return (enum heddle_dtype)c->types->symbols[h->result];
}

static enum heddle_dtype computed(struct check *c, const struct kernel_node *n)
{
    switch ((enum kernel_kind)n->kind) {
    case KERNEL_NUMBER: return (enum heddle_dtype)n->type;
    case KERNEL_ELEMENT:
        integer(c, n->b, "an index is an integer");
        return (enum heddle_dtype)c->types->symbols[n->symbol];
    case KERNEL_SYMBOL: return (enum heddle_dtype)c->types->symbols[n->symbol];
    case KERNEL_EXTENT:
        if (n->b) integer(c, n->b, "an axis is an integer");
        return HEDDLE_INT64;
    case KERNEL_PLACE:
        if (n->b) integer(c, n->b, "an axis is an integer");
        return HEDDLE_INT64;
    case KERNEL_INVOKE: return invoke(c, n);
    case KERNEL_UNARY: return unary(c, n);
    case KERNEL_BINARY: return binary(c, n);
    case KERNEL_CHOICE: return choice(c, n);
    case KERNEL_CAST: return converted(c, n, value(c, n->a), type_of(c, n, HEDDLE_DTYPE_NONE));
    case KERNEL_CALL: return call(c, n);
    default: return HEDDLE_DTYPE_NONE;
    }
}

static enum heddle_dtype value(struct check *c, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = c->failed ? HEDDLE_INT32 : computed(c, n);
    c->types->nodes[n->number] = (unsigned char)dtype;
    return dtype;
}

static void declare(struct check *c, const struct kernel_node *n)
{
    struct kernel_node named = *n;
    named.type = c->tree->symbols[n->symbol].type;
    const enum heddle_dtype given = n->a ? value(c, n->a) : HEDDLE_DTYPE_NONE;
    const enum heddle_dtype dtype = type_of(c, &named, given);
    if (n->a) converted(c, n->a, given, dtype);
    for (const struct kernel_node *x = n->a ? n->a->next : NULL; x; x = x->next)
        converted(c, x, value(c, x), dtype);
    c->types->symbols[n->symbol] = (unsigned char)dtype;
}

/* An accumulator whose type is not named has that of its first value, as arithmetic makes it: int32 of comparisons. */
static void assign(struct check *c, const struct kernel_node *n)
{
    enum heddle_dtype to = value(c, n->a);
    const enum heddle_dtype from = value(c, n->b);
    if (to == HEDDLE_DTYPE_NONE) {
        to = heddle__c_promoted(from);
        c->types->letters[c->tree->symbols[n->a->symbol].type & 127] = (unsigned char)to;
        c->types->symbols[n->a->symbol] = c->types->nodes[n->a->number] = (unsigned char)to;
    }
    converted(c, n->b, from, to);
}

static void statements(struct check *c, const struct kernel_node *n)
{
    for (; n && !c->failed; n = n->next) {
        switch ((enum kernel_kind)n->kind) {
        case KERNEL_BLOCK: statements(c, n->a); break;
        case KERNEL_DECLARE: declare(c, n); break;
        case KERNEL_ASSIGN: assign(c, n); break;
        case KERNEL_RETURN:
            if (c->helper) /* it is in one, or it would not have been parsed */
                converted(c, n->a, value(c, n->a),
                          (enum heddle_dtype)c->types->symbols[c->helper->result]);
            break;
        case KERNEL_IF:
        case KERNEL_LOOP:
            real(c, n->a, "a condition is a real number");
            statements(c, n->b);
            statements(c, n->c);
            break;
        default: break;
        }
    }
}

enum heddle_status heddle__kernel_check(const struct kernel_tree *tree, struct kernel_types *types)
{
    struct check c = {.tree = tree, .types = types};
    for (int i = 0; i < tree->n_in + tree->n_out + 2; i++)
        types->symbols[i] =
            (unsigned char)heddle__computed_in(heddle__kernel_dtype(types, tree->symbols[i].type));
    for (int i = 0; i < tree->n_helpers; i++) {
        const struct kernel_helper *const h = c.helper = &tree->helpers[i];
        for (int k = h->first; k <= h->result && !c.failed; k++) {
            const struct kernel_node named = {.type = tree->symbols[k].type, .at = h->body->at};
            types->symbols[k] = (unsigned char)type_of(&c, &named, HEDDLE_DTYPE_NONE);
        }
        statements(&c, h->body);
    }
    statements(&c, tree->statements);
    return c.failed ? heddle__last_code() : HEDDLE_OK;
}

bool heddle__kernel_loop_fits(const struct kernel_tree *tree, const struct kernel_types *types)
{
    for (int i = 0; i < tree->n_in + tree->n_out; i++)
        if (tree->symbols[i].raw || heddle__kernel_dtype(types, tree->symbols[i].type) !=
                                        (enum heddle_dtype)types->symbols[i])
            return false;
    return tree->loop != NULL;
}
