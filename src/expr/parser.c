/* Expressions, by precedence climbing, evaluated as they are parsed: each step calls the API; the statements
 * that they are in are in statements.c. Chains of any length are loops; nesting is limited to HEDDLE_EXPR_MAX_DEPTH.
 * Must not know what a function does. Entry points: heddle__expr_parse, heddle__expr_parse_expression. */
#include "base/limits.h"
#include "expr/value.h"

#include <heddle/create.h>
#include <string.h>

/* Binding strength, weakest first, as in Python's grammar. */
enum precedence {
    NO_OPERATOR,
    BY_OR,
    BY_AND,
    BY_NOT,
    BY_COMPARISON,
    BY_BIT_OR,
    BY_BIT_XOR,
    BY_BIT_AND,
    BY_SHIFT,
    BY_SUM,
    BY_PRODUCT,
    BY_SIGN,
    BY_POWER,
};

static enum precedence precedence_of(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_OR: return BY_OR;
    case TOKEN_AND: return BY_AND;
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL:
    case TOKEN_LESS:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER:
    case TOKEN_IN:
    case TOKEN_IS:
    case TOKEN_GREATER_EQUAL: return BY_COMPARISON;
    case TOKEN_BIT_OR: return BY_BIT_OR;
    case TOKEN_BIT_XOR: return BY_BIT_XOR;
    case TOKEN_BIT_AND: return BY_BIT_AND;
    case TOKEN_LEFT:
    case TOKEN_RIGHT: return BY_SHIFT;
    case TOKEN_ADD:
    case TOKEN_SUB: return BY_SUM;
    case TOKEN_MUL:
    case TOKEN_DIV:
    case TOKEN_FLOOR:
    case TOKEN_MOD:
    case TOKEN_MATMUL: return BY_PRODUCT;
    case TOKEN_POW: return BY_POWER;
    default: return NO_OPERATOR;
    }
}

/* ---- Steps ------------------------------------------------------------------------------------ */

void heddle__expr_advance(struct run *run)
{
    heddle__lex(&run->lexer, &run->token);
}

bool heddle__expr_is_word(const struct run *run, const char *word)
{
    return run->token.length == strlen(word) &&
           !memcmp(run->text + run->token.at, word, run->token.length);
}

/* Fails: the token at the cursor is wrong, `expected` would be right. */
bool heddle__expr_unexpected(struct run *run, const char *expected)
{
    const struct token *t = &run->token;
    const char *text = run->text + t->at;
    const int length = t->length > 40 ? 40 : (int)t->length;
    const char *hint = NULL;
    if (t->kind == TOKEN_ERROR && t->error)
        return heddle__expr_fail(run, t->too_large ? HEDDLE_ERANGE : HEDDLE_ESYNTAX, t->at, "%s",
                                 t->error);
    if (t->kind == TOKEN_KEYWORD) {
        if (heddle__expr_is_word(run, "if") || heddle__expr_is_word(run, "else"))
            hint = "conditions are written where(condition, a, b)";
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at, "'%.*s' is not supported%s%s", length,
                                 text, hint ? "; " : "", hint ? hint : "");
    }
    if (t->kind == TOKEN_OPEN_DICT)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at,
                                 "dictionaries and sets are not supported");
    if (t->kind == TOKEN_WALRUS)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at,
                                 "':=' is not supported; use statements 'x = ...; ...'");
    if (t->kind == TOKEN_END || t->kind == TOKEN_NEWLINE)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at, "expected %s, found %s", expected,
                                 heddle__token_text(t->kind));
    return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at, "expected %s, found '%.*s'", expected,
                             length, text);
}

bool heddle__expr_expect(struct run *run, enum token_kind kind, const char *expected)
{
    if (run->token.kind != kind) return heddle__expr_unexpected(run, expected);
    heddle__expr_advance(run);
    return true;
}

/* What a level of nesting takes of the stack, with the functions that it calls. */
enum { LEVEL_BYTES = 20 << 10 };

/* Adds a level of nesting; the caller takes it off again. */
bool heddle__expr_enter(struct run *run, size_t at)
{
    int64_t left;
    if (!heddle__stack_has_room(&left) && left < LEVEL_BYTES)
        return heddle__expr_fail(run, HEDDLE_ENOMEM, at, "the thread's stack has %lld bytes left",
                                 (long long)left);
    if (++run->depth <= HEDDLE_EXPR_MAX_DEPTH) return true;
    return heddle__expr_fail(run, HEDDLE_ESYNTAX, at, "nested deeper than %d levels",
                             HEDDLE_EXPR_MAX_DEPTH);
}

/* ---- Values ------------------------------------------------------------------------------------ */

/* Parses items up to `close`, which it leaves, onto the stack. *commas tells (a) from (a,). */
static bool parse_items(struct run *run, enum token_kind close, int64_t *commas)
{
    *commas = 0;
    while (run->token.kind != close) {
        struct value item;
        if (!heddle__expr_parse_expression(run, &item) || !heddle__expr_push(run, item))
            return false;
        if (run->token.kind == close) break;
        if (run->token.kind != TOKEN_COMMA)
            return heddle__expr_unexpected(run, close == TOKEN_CLOSE ? "',' or ')'" : "',' or ']'");
        ++*commas;
        heddle__expr_advance(run);
    }
    return true;
}

/* ( ... ) a group or a tuple, [ ... ] a list. */
static bool parse_brackets(struct run *run, struct value *out)
{
    const size_t at = run->token.at;
    const bool list = run->token.kind == TOKEN_OPEN_INDEX;
    const enum token_kind close = list ? TOKEN_CLOSE_INDEX : TOKEN_CLOSE;
    const int64_t base = run->n_stack;
    int64_t commas;
    if (!heddle__expr_enter(run, at)) return false;
    heddle__expr_advance(run);
    if (!parse_items(run, close, &commas)) return false;
    heddle__expr_advance(run);
    run->depth--;
    if (!list && run->n_stack == base + 1 && !commas) {
        *out = run->stack[--run->n_stack];
        return true;
    }
    return heddle__expr_take(run, base, list ? VALUE_LIST : VALUE_TUPLE, at, out);
}

/* Whether the name at the cursor is that of a function that is called, though a variable has it too. */
static bool is_called(const struct run *run, const struct value *variable)
{
    struct value v;
    const char *name = run->text + run->token.at, *after = name + run->token.length;
    if (variable->kind != VALUE_ARRAY && !heddle__expr_is_scalar(variable)) return false;
    return after[strspn(after, " \t")] == '(' &&
           heddle__expr_builtin(name, run->token.length, &v) && v.kind == VALUE_FUNCTION;
}

static bool parse_name(struct run *run, struct value *out)
{
    const size_t at = run->token.at, length = run->token.length;
    const char *name = run->text + at;
    const struct value *v = heddle__expr_variable_get(run, name, length);
    if (v && !is_called(run, v))
        *out = *v;
    else if (!heddle__expr_python(name, length, out) && !heddle__expr_builtin(name, length, out))
        return !heddle__expr_known_missing(run, at, name, length) &&
               heddle__expr_unknown_name(run, "", at, length, true);
    out->at = at;
    heddle__expr_advance(run);
    return true;
}

static bool parse_atom(struct run *run, struct value *out)
{
    const struct token *t = &run->token;
    *out = (struct value){.at = t->at};
    switch (t->kind) {
    case TOKEN_OPEN:
    case TOKEN_OPEN_INDEX: return parse_brackets(run, out);
    case TOKEN_NAME: return parse_name(run, out);
    case TOKEN_INT:
        out->kind = VALUE_INT;
        out->integer = t->integer;
        break;
    case TOKEN_LARGE: /* uint64, as NumPy has it */
        if (!heddle__expr_from_array(
                run, heddle_asarray_with(&t->large, HEDDLE_UINT64, HEDDLE_NO_SHAPE, NULL), t->at,
                out))
            return false;
        break;
    case TOKEN_FLOAT:
        out->kind = VALUE_FLOAT;
        out->re = t->number;
        break;
    case TOKEN_IMAGINARY:
        out->kind = VALUE_COMPLEX;
        out->im = t->number;
        break;
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        out->kind = VALUE_BOOL;
        out->boolean = t->kind == TOKEN_TRUE;
        break;
    case TOKEN_NONE: out->kind = VALUE_NONE; break;
    case TOKEN_DOTS: out->kind = VALUE_ELLIPSIS; break;
    case TOKEN_STRING:
        out->kind = VALUE_STRING;
        out->text = run->text + t->at + t->quote;
        out->length = t->length - 2 * t->quote;
        break;
    default: return heddle__expr_unexpected(run, "a value");
    }
    heddle__expr_advance(run);
    return true;
}

/* The name after a '.' */
static bool parse_attribute(struct run *run, const struct value *v, struct value *out)
{
    const struct token *name = &run->token;
    if (name->kind != TOKEN_NAME) return heddle__expr_unexpected(run, "a name after '.'");
    if (!heddle__expr_attribute(run, v, name->at, run->text + name->at, name->length, out))
        return false;
    heddle__expr_advance(run);
    return true;
}

/* An atom with its .names, (arguments) and [indices]. */
static bool parse_postfix(struct run *run, struct value *out)
{
    struct subscript s[HEDDLE_EXPR_MAX_INDEX];
    const size_t start = run->token.at;
    if (!parse_atom(run, out)) return false;
    for (;;) {
        const size_t at = run->token.at;
        struct value v;
        int n;
        switch (run->token.kind) {
        case TOKEN_OPEN:
            if (!heddle__expr_parse_call(run, start, out)) return false;
            break;
        case TOKEN_OPEN_INDEX:
            v = *out;
            if (!heddle__expr_parse_subscript(run, s, &n) ||
                !heddle__expr_getitem(run, &v, at, s, n, out))
                return false;
            break;
        case TOKEN_DOT:
            v = *out;
            heddle__expr_advance(run);
            if (!parse_attribute(run, &v, out)) return false;
            break;
        default: return true;
        }
        /* errors of a call point to the function's name, all others to where the value begins */
        if (!heddle__expr_is_function(out)) out->at = start;
    }
}

/* ---- Operators ---------------------------------------------------------------------------------- */

static bool parse_operators(struct run *run, enum precedence least, struct value *out);

/* -2**63, the one integer of int64 whose digits are beyond it; the cursor is on the digits. */
static bool parse_least(struct run *run, size_t at, struct value *out)
{
    if (run->token.large != (uint64_t)INT64_MAX + 1)
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "the integer does not fit int64");
    *out = (struct value){.kind = VALUE_INT, .at = at, .integer = INT64_MIN};
    heddle__expr_advance(run);
    return true;
}

/* Makes a number of an array without axes, which has a truth; it is evaluated. */
static bool to_truth(struct run *run, struct value *v)
{
    return v->kind != VALUE_ARRAY || heddle_ndim(v->array) > 0 ||
           heddle__expr_item(run, v->array, v->at, v);
}

/* + - ~ and not before their operand. */
static bool parse_prefix(struct run *run, enum precedence least, struct value *out)
{
    const enum token_kind op = run->token.kind;
    const size_t at = run->token.at;
    const bool negation = op == TOKEN_NOT;
    struct value v;
    if (!negation && op != TOKEN_ADD && op != TOKEN_SUB && op != TOKEN_INVERT)
        return parse_postfix(run, out);
    if (negation && least > BY_NOT) return heddle__expr_unexpected(run, "a value");
    if (!heddle__expr_enter(run, at)) return false;
    heddle__expr_advance(run);
    if (op == TOKEN_SUB && run->token.kind == TOKEN_LARGE) {
        run->depth--;
        return parse_least(run, at, out);
    }
    if (!parse_operators(run, negation ? BY_NOT : BY_SIGN, &v)) return false;
    run->depth--;
    if (!negation) return heddle__expr_unary(run, op, at, &v, out);
    if (!to_truth(run, &v)) return false;
    if (v.kind == VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, at,
                                 "the truth of an array is ambiguous; use logical_not(a)");
    *out = (struct value){.kind = VALUE_BOOL, .at = at, .boolean = !heddle__expr_truth(&v)};
    return true;
}

/* `left and right`, `left or right`: chooses between scalars as Python does. */
static bool choose(struct run *run, enum token_kind op, size_t at, struct value *right,
                   struct value *left)
{
    const bool is_and = op == TOKEN_AND;
    if (!to_truth(run, left) || !to_truth(run, right)) return false;
    if (left->kind == VALUE_ARRAY || right->kind == VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, at,
                                 "the truth of an array is ambiguous; use logical_%s(a, b), or "
                                 "(a) %s (b) of boolean arrays",
                                 is_and ? "and" : "or", is_and ? "&" : "|");
    if (heddle__expr_truth(left) == is_and) *left = *right;
    return true;
}

struct comparison {
    enum token_kind op;
    bool negated; /* is not, not in */
    size_t at;
};

static bool compare(struct run *run, const struct comparison *c, const struct value *left,
                    const struct value *right, struct value *out)
{
    const enum token_kind op = c->op;
    bool holds;
    if (op == TOKEN_IS)
        holds = heddle__expr_is(left, right);
    else if (op != TOKEN_IN)
        return heddle__expr_binary(run, op, c->at, left, right, out);
    else if (!heddle__expr_in(run, c->at, left, right, &holds))
        return false;
    *out = (struct value){.kind = VALUE_BOOL, .at = c->at, .boolean = holds != c->negated};
    return true;
}

/* A chain of scalar comparisons, from the second on: a < b < c is a < b and b < c. */
static bool chain(struct run *run, const struct comparison *c, const struct value *middle,
                  const struct value *right, struct value *left)
{
    struct value next;
    if (!to_truth(run, left)) return false;
    if (left->kind == VALUE_ARRAY || (right->kind == VALUE_ARRAY && heddle_ndim(right->array) > 0))
        return heddle__expr_fail(run, HEDDLE_EARG, c->at,
                                 "the truth of an array is ambiguous: write a chain of comparisons "
                                 "as (a < b) & (b < c)");
    if (!compare(run, c, middle, right, &next) || !to_truth(run, &next)) return false;
    if (heddle__expr_truth(left)) *left = next;
    return true;
}

/* Whether the cursor is at `not in`. */
static bool at_not_in(const struct run *run)
{
    struct lexer ahead = run->lexer;
    struct token after;
    if (run->token.kind != TOKEN_NOT) return false;
    heddle__lex(&ahead, &after);
    return after.kind == TOKEN_IN;
}

/* Operands joined by operators that bind at least as strongly as `least`. */
static bool parse_operators(struct run *run, enum precedence least, struct value *out)
{
    struct value compared = {.kind = VALUE_ABSENT}; /* the right operand of the comparison before */
    if (!parse_prefix(run, least, out)) return false;
    for (;;) {
        const bool not_in = at_not_in(run);
        const size_t at = run->token.at, start = out->at;
        const enum token_kind op = not_in ? TOKEN_IN : run->token.kind;
        const enum precedence strength = precedence_of(op);
        struct value right;
        if (strength == NO_OPERATOR || strength < least) return true;
        const bool power = strength == BY_POWER; /* binds to the right; -2 may be on its right */
        if (power && !heddle__expr_enter(run, at)) return false;
        heddle__expr_advance(run);
        if (not_in) heddle__expr_advance(run);
        const struct comparison c = {op, not_in || (op == TOKEN_IS && run->token.kind == TOKEN_NOT),
                                     at};
        if (c.negated && !not_in) heddle__expr_advance(run);
        if (!parse_operators(run, power ? BY_POWER : (enum precedence)(strength + 1), &right))
            return false;
        run->depth -= power;

        if (strength == BY_AND || strength == BY_OR) {
            if (!choose(run, op, at, &right, out)) return false;
        } else if (compared.kind != VALUE_ABSENT && strength == BY_COMPARISON) {
            if (!chain(run, &c, &compared, &right, out)) return false;
        } else if (strength == BY_COMPARISON) {
            if (!compare(run, &c, out, &right, out)) return false;
        } else if (!heddle__expr_binary(run, op, at, out, &right, out)) {
            return false;
        }
        out->at = start;
        compared.kind = VALUE_ABSENT;
        if (strength == BY_COMPARISON) compared = right;
    }
}

bool heddle__expr_parse_expression(struct run *run, struct value *out)
{
    return parse_operators(run, BY_OR, out);
}

/* ---- Statements ------------------------------------------------------------------------------------ */

/* `before` has not read the token at the cursor. */
bool heddle__expr_parse_statement(struct run *run, struct lexer before)
{
    size_t at;
    struct value v;
    if (run->token.kind == TOKEN_KEYWORD &&
        (heddle__expr_is_word(run, "import") || heddle__expr_is_word(run, "from")))
        return heddle__expr_parse_import(run);
    if (run->token.kind == TOKEN_MATMUL || heddle__expr_is_word(run, "def"))
        return heddle__expr_parse_definition(run);
    if (before.at < run->signs_end && heddle__statement_assigns(before, &at))
        return heddle__expr_parse_assignment(run, at);
    if (!heddle__expr_parse_list(run, &v)) return false;
    run->last = v.kind == VALUE_NONE && v.identity ? run->changed : v;
    return true;
}

bool heddle__expr_parse(struct run *run)
{
    bool any = false;
    const char *sign = strrchr(run->text, '='); /* nothing after the last one is assigned */
    run->signs_end = sign ? (size_t)(sign - run->text) + 1 : 0;
    run->lexer = (struct lexer){.text = run->text};
    for (;;) {
        const struct lexer before = run->lexer;
        heddle__expr_advance(run);
        if (run->token.kind == TOKEN_NEWLINE) continue;
        if (run->token.kind == TOKEN_END) break;
        any |= run->token.kind != TOKEN_KEYWORD && run->token.kind != TOKEN_MATMUL;
        if (!heddle__expr_parse_statement(run, before)) return false;
        if (run->token.kind == TOKEN_END) break;
        if (run->token.kind != TOKEN_NEWLINE)
            return heddle__expr_unexpected(run, "an operator or the end of the statement");
    }
    return any || heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at, "there is no expression");
}
