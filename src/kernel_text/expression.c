/* Expressions: C's precedences, calls, casts. Assignments are statements. Entry points:
 * heddle__kernel_expression, heddle__kernel_target. */
#include "kernel_text/reader.h"

#include <math.h>
#include <string.h>

typedef struct kernel_node *node;

static node unary(struct kernel_reader *r);

static const struct {
    const char *text;
    int precedence; /* 0: of one operand */
} operators[] = {
    [KERNEL_ADD] = {"+", 9},          [KERNEL_SUBTRACT] = {"-", 9},
    [KERNEL_MULTIPLY] = {"*", 10},    [KERNEL_DIVIDE] = {"/", 10},
    [KERNEL_MODULO] = {"%", 10},      [KERNEL_SHIFT_LEFT] = {"<<", 8},
    [KERNEL_SHIFT_RIGHT] = {">>", 8}, [KERNEL_BIT_AND] = {"&", 5},
    [KERNEL_BIT_OR] = {"|", 3},       [KERNEL_BIT_XOR] = {"^", 4},
    [KERNEL_LESS] = {"<", 7},         [KERNEL_LESS_EQUAL] = {"<=", 7},
    [KERNEL_GREATER] = {">", 7},      [KERNEL_GREATER_EQUAL] = {">=", 7},
    [KERNEL_EQUAL] = {"==", 6},       [KERNEL_NOT_EQUAL] = {"!=", 6},
    [KERNEL_AND] = {"&&", 2},         [KERNEL_OR] = {"||", 1},
    [KERNEL_NEGATE] = {"-", 0},       [KERNEL_INVERT] = {"~", 0},
    [KERNEL_NOT] = {"!", 0},
};

const char *heddle__kernel_operator_text(enum kernel_operator op)
{
    return operators[op].text;
}

/* The operator of two operands at the token; its precedence, or 0. */
static int operator_at(const struct kernel_reader *r, enum kernel_operator *op)
{
    for (int i = 0; i < KERNEL_NEGATE && r->token.kind == TOKEN_SIGN; i++)
        if ((size_t)r->token.length == strlen(operators[i].text) &&
            !memcmp(r->text + r->token.at, operators[i].text, (size_t)r->token.length)) {
            *op = (enum kernel_operator)i;
            return operators[i].precedence;
        }
    return 0;
}

/* ---- Names ------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    kernel_type type;
    double value;
} constants[] = {
    {"true", HEDDLE_BOOL, 1},
    {"false", HEDDLE_BOOL, 0},
    {"M_PI", HEDDLE_FLOAT64, 3.14159265358979323846},
    {"M_E", HEDDLE_FLOAT64, 2.71828182845904523536},
    {"INFINITY", HEDDLE_FLOAT32, INFINITY},
    {"NAN", HEDDLE_FLOAT32, NAN},
};

static node constant(struct kernel_reader *r)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (heddle__kernel_is_word(r, constants[i].name)) {
            node n = heddle__kernel_node(r, KERNEL_NUMBER, r->token.at);
            if (!n) return NULL;
            n->type = constants[i].type;
            n->value = heddle__convert((union heddle_scalar){.f64 = constants[i].value},
                                       HEDDLE_FLOAT64, n->type);
            heddle__kernel_lex(r);
            return n;
        }
    return NULL;
}

/* `( argument )` as an argument of a function with one; `( re, im )` is a complex number of its parts. */
static node cast(struct kernel_reader *r, kernel_type type, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_CAST, at);
    if (!n || !heddle__kernel_expect(r, SIGN1('('), "after a type")) return NULL;
    n->type = type;
    n->a = heddle__kernel_expression(r);
    if (n->a && heddle__kernel_take(r, SIGN1(','))) {
        n->kind = KERNEL_CALL;
        n->op = KERNEL_F_COMPLEX;
        n->b = heddle__kernel_expression(r);
        if (!n->b) return NULL;
    }
    return n->a && heddle__kernel_expect(r, SIGN1(')'), "after what is cast") ? n : NULL;
}

static node single(struct kernel_reader *r, node a)
{
    node n = a ? heddle__kernel_node(r, KERNEL_CAST, r->token.at) : NULL;
    if (!n) return NULL;
    n->at = a->at;
    n->type = HEDDLE_FLOAT32;
    n->a = a;
    return n;
}

static node call(struct kernel_reader *r, enum kernel_function f, bool is_single)
{
    node n = heddle__kernel_node(r, KERNEL_CALL, r->token.at);
    if (!n) return NULL;
    n->op = (unsigned char)f;
    heddle__kernel_lex(r);
    if (!heddle__kernel_expect(r, SIGN1('('), "after a function")) return NULL;
    node *const into[] = {&n->a, &n->b, &n->c};
    const int arity = heddle__kernel_function_arity(f);
    for (int i = 0; i < arity && i < 3; i++) {
        if (i > 0 && !heddle__kernel_expect(r, SIGN1(','), "before another argument")) return NULL;
        node x = heddle__kernel_expression(r);
        if (is_single) x = single(r, x);
        if (!(*into[i] = x)) return NULL;
    }
    return heddle__kernel_expect(r, SIGN1(')'), "after the arguments of a function") ? n : NULL;
}

/* An argument list of a function of the preamble. */
static node invoke(struct kernel_reader *r, int number)
{
    const struct kernel_helper *const h = &r->tree->helpers[number];
    node n = heddle__kernel_node(r, KERNEL_INVOKE, r->token.at);
    if (!n) return NULL;
    n->symbol = number;
    heddle__kernel_lex(r);
    if (!heddle__kernel_expect(r, SIGN1('('), "after a function")) return NULL;
    node *into = &n->a;
    for (int i = 0; i < h->n; i++) {
        if (i > 0 && !heddle__kernel_expect(r, SIGN1(','), "before another argument")) return NULL;
        node x = heddle__kernel_expression(r);
        if (!x) return NULL;
        *into = x;
        into = &x->next;
    }
    return heddle__kernel_expect(r, SIGN1(')'), "after the arguments of a function") ? n : NULL;
}

/* The index of the element along each axis, or along one: _ind.get(), _ind.get()[d]. After `get`. */
static node place(struct kernel_reader *r, size_t at, bool along_each)
{
    node n = heddle__kernel_node(r, KERNEL_PLACE, at);
    if (strcmp(r->what, "operation") != 0) { /* slices of a reduction have other indices */
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "_ind.get() is of elementwise kernels");
        return NULL;
    }
    if (!n || !heddle__kernel_expect(r, SIGN1('('), "after get") ||
        !heddle__kernel_expect(r, SIGN1(')'), "after '('"))
        return NULL;
    r->tree->uses_index = true;
    if (along_each && r->token.kind == TOKEN_SIGN && r->token.sign == SIGN1(']')) return n;
    if (!heddle__kernel_expect(r, SIGN1('['), "and an axis after _ind.get()")) return NULL;
    n->b = heddle__kernel_expression(r);
    return n->b && heddle__kernel_expect(r, SIGN1(']'), "after an axis") ? n : NULL;
}

/* What stands between [ and ] of a raw parameter if it is an index for each axis: a local array, or _ind.get(). NULL: it is
 * none, or an error. */
static node index_of_axes(struct kernel_reader *r)
{
    const struct kernel_reader before = *r;
    const size_t at = r->token.at;
    if (heddle__kernel_is_word(r, "_ind") && !r->helper) {
        heddle__kernel_lex(r);
        if (heddle__kernel_take(r, SIGN1('.')) && heddle__kernel_take_word(r, "get")) {
            node n = place(r, at, true);
            if (!n || !n->b) return n;
        }
    } else if (r->token.kind == TOKEN_NAME) {
        const int found = heddle__kernel_find(r);
        heddle__kernel_lex(r);
        if (found >= 0 && r->tree->symbols[found].extent && r->token.kind == TOKEN_SIGN &&
            r->token.sign == SIGN1(']')) {
            node n = heddle__kernel_node(r, KERNEL_SYMBOL, at);
            if (n) n->symbol = found;
            return n;
        }
    }
    *r = before;
    return NULL;
}

/* An element of a local array. */
static node local_element(struct kernel_reader *r, int symbol, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_ELEMENT, at);
    if (!n || !heddle__kernel_expect(r, SIGN1('['), "after an array")) return NULL;
    n->symbol = symbol;
    n->b = heddle__kernel_expression(r);
    return n->b && heddle__kernel_expect(r, SIGN1(']'), "after an index") ? n : NULL;
}

/* Of a raw parameter: x[e], x[axes], x.size(), x.shape()[e]. */
static node raw(struct kernel_reader *r, int symbol)
{
    const size_t at = r->token.at;
    const bool element = heddle__kernel_take(r, SIGN1('['));
    node n = heddle__kernel_node(r, element ? KERNEL_ELEMENT : KERNEL_EXTENT, at);
    if (!n) return NULL;
    n->symbol = symbol;
    if (element) {
        n->b = index_of_axes(r);
        n->op = n->b != NULL;
    } else {
        n->type = HEDDLE_INT64;
        if (!heddle__kernel_expect(r, SIGN1('.'), "or '[' after a raw parameter")) return NULL;
        const bool size = heddle__kernel_take_word(r, "size");
        if (!size && !heddle__kernel_take_word(r, "shape")) {
            heddle__kernel_unexpected(r, "size or shape");
            return NULL;
        }
        if (heddle__kernel_take(r, SIGN1('(')))
            (void)heddle__kernel_expect(r, SIGN1(')'), "after '('");
        if (size) return n;
        if (!heddle__kernel_expect(r, SIGN1('['), "after shape")) return NULL;
    }
    if (!n->b) n->b = heddle__kernel_expression(r);
    return n->b && heddle__kernel_expect(r, SIGN1(']'), "after an index") ? n : NULL;
}

static node symbol(struct kernel_reader *r, int found)
{
    const struct kernel_symbol *const s = &r->tree->symbols[found];
    node n = heddle__kernel_node(r, KERNEL_SYMBOL, r->token.at);
    if (!n) return NULL;
    n->symbol = found;
    r->tree->uses_index |= s->kind == KERNEL_INDEX;
    const size_t at = r->token.at;
    heddle__kernel_lex(r);
    return s->raw ? raw(r, found) : s->extent ? local_element(r, found, at) : n;
}

/* _ind.size(), _ind.get()[d] */
static node size(struct kernel_reader *r)
{
    const size_t at = r->token.at;
    node n = heddle__kernel_node(r, KERNEL_SYMBOL, r->token.at);
    heddle__kernel_lex(r);
    if (!n || !heddle__kernel_expect(r, SIGN1('.'), "after _ind")) return NULL;
    if (heddle__kernel_take_word(r, "get")) return place(r, at, false);
    if (!heddle__kernel_take_word(r, "size")) {
        heddle__kernel_unexpected(r, "size() or get()");
        return NULL;
    }
    n->symbol = r->tree->n_in + r->tree->n_out + 1;
    return heddle__kernel_expect(r, SIGN1('('), "after size") &&
                   heddle__kernel_expect(r, SIGN1(')'), "after '('")
               ? n
               : NULL;
}

static node name(struct kernel_reader *r)
{
    bool is_single;
    kernel_type type;
    const size_t at = r->token.at;
    const int found = heddle__kernel_find(r);
    const int helper = found < 0 ? heddle__kernel_find_helper(r) : -1;
    if (found >= 0) return symbol(r, found);
    if (helper >= 0) return invoke(r, helper);
    if (heddle__kernel_is_word(r, "_ind") &&
        r->tree->symbols[r->tree->n_in + r->tree->n_out + 1].depth >= 0)
        return size(r);
    if (heddle__kernel_take_word(r, "static_cast")) {
        if (!heddle__kernel_expect(r, SIGN1('<'), "after static_cast") ||
            !heddle__kernel_take_type(r, false, &type) ||
            !heddle__kernel_expect(r, SIGN1('>'), "after the type of static_cast"))
            return NULL;
        return cast(r, type, at);
    }
    if (heddle__kernel_at_type(r))
        return heddle__kernel_take_type(r, false, &type) ? cast(r, type, at) : NULL;
    const enum kernel_function f =
        heddle__kernel_function_of(r->text + at, r->token.length, &is_single);
    if (f < KERNEL_N_FUNCTIONS) return call(r, f, is_single);
    node n = constant(r);
    if (!n && r->helper && r->helper->length == r->token.length &&
        !memcmp(r->helper->name, r->text + at, (size_t)r->token.length))
        heddle__kernel_fail(r, HEDDLE_ENAME, at, "a function that calls itself");
    if (!n) heddle__kernel_fail(r, HEDDLE_ENAME, at, "unknown name '%.*s'", KERNEL_SPELLED(r));
    return n;
}

/* ---- Operators ------------------------------------------------------------------------------------- */

/* What follows '(': a cast, or an expression in brackets. */
static node bracketed(struct kernel_reader *r, size_t at)
{
    const struct kernel_reader before = *r;
    kernel_type type;
    if (heddle__kernel_at_type(r)) {
        if (!heddle__kernel_take_type(r, false, &type)) return NULL;
        if (heddle__kernel_take(r, SIGN1(')'))) {
            node n = heddle__kernel_node(r, KERNEL_CAST, at);
            if (!n) return NULL;
            n->type = type;
            n->a = unary(r);
            return n->a ? n : NULL;
        }
        *r = before; /* (float(x) + 1) */
    }
    node n = heddle__kernel_expression(r);
    return n && heddle__kernel_expect(r, SIGN1(')'), "after an expression in brackets") ? n : NULL;
}

static node primary(struct kernel_reader *r)
{
    const size_t at = r->token.at;
    if (r->token.kind == TOKEN_NUMBER) {
        node n = heddle__kernel_node(r, KERNEL_NUMBER, at);
        if (!n) return NULL;
        n->type = r->token.type;
        n->value = r->token.value;
        heddle__kernel_lex(r);
        return n;
    }
    if (r->token.kind == TOKEN_NAME) return name(r);
    if (heddle__kernel_take(r, SIGN1('('))) return bracketed(r, at);
    heddle__kernel_unexpected(r, "a value");
    return NULL;
}

/* z.real(), z.imag() */
static node member(struct kernel_reader *r, node a)
{
    while (a && heddle__kernel_take(r, SIGN1('.'))) {
        const bool real = heddle__kernel_is_word(r, "real");
        node n = heddle__kernel_node(r, KERNEL_CALL, r->token.at);
        if (!n) return NULL;
        if (!real && !heddle__kernel_is_word(r, "imag")) {
            heddle__kernel_unexpected(r, "real() or imag()");
            return NULL;
        }
        heddle__kernel_lex(r);
        n->op = real ? KERNEL_F_REAL : KERNEL_F_IMAG;
        n->a = a;
        if (!heddle__kernel_expect(r, SIGN1('('), "after a member") ||
            !heddle__kernel_expect(r, SIGN1(')'), "after '('"))
            return NULL;
        a = n;
    }
    return a;
}

static node unary(struct kernel_reader *r)
{
    const size_t at = r->token.at;
    if (!heddle__kernel_enter(r)) return NULL;
    node n = NULL;
    enum kernel_operator op = KERNEL_ADD;
    if (heddle__kernel_take(r, SIGN1('-')))
        op = KERNEL_NEGATE;
    else if (heddle__kernel_take(r, SIGN1('~')))
        op = KERNEL_INVERT;
    else if (heddle__kernel_take(r, SIGN1('!')))
        op = KERNEL_NOT;
    if (op != KERNEL_ADD) {
        n = heddle__kernel_node(r, KERNEL_UNARY, at);
        if (n) {
            n->op = (unsigned char)op;
            n->a = unary(r);
            if (!n->a) n = NULL;
        }
    } else if (heddle__kernel_take(r, SIGN1('+'))) {
        n = unary(r);
    } else {
        n = member(r, primary(r));
    }
    r->depth--;
    return n;
}

static node binary(struct kernel_reader *r, int least)
{
    node left = unary(r);
    enum kernel_operator op;
    for (int p; left && (p = operator_at(r, &op)) >= least && p > 0;) {
        node n = heddle__kernel_node(r, KERNEL_BINARY, r->token.at);
        if (!n) return NULL;
        heddle__kernel_lex(r);
        n->op = (unsigned char)op;
        n->a = left;
        n->b = binary(r, p + 1);
        left = n->b ? n : NULL;
    }
    return left;
}

node heddle__kernel_expression(struct kernel_reader *r)
{
    if (!heddle__kernel_enter(r)) return NULL;
    node n = binary(r, 1);
    const size_t at = r->token.at;
    if (n && heddle__kernel_take(r, SIGN1('?'))) {
        node choice = heddle__kernel_node(r, KERNEL_CHOICE, at);
        if (!choice) return NULL;
        choice->a = n;
        choice->b = heddle__kernel_expression(r);
        n = choice->b && heddle__kernel_expect(r, SIGN1(':'), "between the values of '?'") &&
                    (choice->c = heddle__kernel_expression(r))
                ? choice
                : NULL;
    }
    r->depth--;
    return n;
}

node heddle__kernel_target(struct kernel_reader *r)
{
    const size_t at = r->token.at;
    const int found = r->token.kind == TOKEN_NAME ? heddle__kernel_find(r) : -1;
    if (found < 0) {
        if (r->token.kind == TOKEN_NAME)
            heddle__kernel_fail(r, HEDDLE_ENAME, at, "unknown name '%.*s'", KERNEL_SPELLED(r));
        else
            heddle__kernel_unexpected(r, "a statement");
        return NULL;
    }
    if (r->tree->symbols[found].constant) {
        heddle__kernel_fail(r, HEDDLE_ENAME, at, "'%.*s' cannot be changed", KERNEL_SPELLED(r));
        return NULL;
    }
    node n = symbol(r, found);
    if (n && n->kind == KERNEL_EXTENT) {
        heddle__kernel_fail(r, HEDDLE_ENAME, at, "an extent cannot be changed");
        return NULL;
    }
    return n;
}
