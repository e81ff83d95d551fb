/* Statements: assignments, of one target or of several names, and imports. Entry points:
 * heddle__expr_parse_assignment, heddle__expr_parse_import, heddle__expr_parse_list. */
#include "expr/value.h"

#include <heddle/assemble.h>

#include <limits.h>
#include <string.h>

enum { MAX_TARGETS = 64 };

bool heddle__expr_parse_list(struct run *run, struct value *out)
{
    const size_t at = run->token.at;
    const int64_t base = run->n_stack;
    if (!heddle__expr_parse_expression(run, out)) return false;
    if (run->token.kind != TOKEN_COMMA) return true;
    if (!heddle__expr_push(run, *out)) return false;
    while (run->token.kind == TOKEN_COMMA) {
        heddle__expr_advance(run);
        if (run->token.kind == TOKEN_NEWLINE || run->token.kind == TOKEN_END) break;
        if (!heddle__expr_parse_expression(run, out) || !heddle__expr_push(run, *out)) return false;
    }
    return heddle__expr_take(run, base, VALUE_TUPLE, at, out);
}

/* ---- Several names -------------------------------------------------------------------------------- */

/* The items of a tuple or list, or the parts of an array along its first axis: as many as `n`. */
static bool items_of(struct run *run, const struct value *v, int n, struct value *out)
{
    const bool list = heddle__expr_is_list(v);
    const bool array = v->kind == VALUE_ARRAY && heddle_ndim(v->array) > 0;
    if (!list && !array)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "cannot unpack %s",
                                 v->kind == VALUE_ARRAY ? "an array of no axes"
                                                        : heddle__expr_value_name(v));
    const int64_t there = list ? v->n : heddle_shape(v->array)[0];
    if (there != n)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%lld values for %d names",
                                 (long long)there, n);
    heddle_array *parts[MAX_TARGETS];
    if (list)
        memcpy(out, v->items, (size_t)n * sizeof *out);
    else if (heddle_unstack_with(v->array, n, parts, NULL) != HEDDLE_OK)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s", heddle_last_error());
    for (int i = 0; array && i < n; i++)
        if (!heddle__expr_from_array(run, parts[i], v->at, &out[i])) return false;
    return true;
}

static bool not_a_target(struct run *run, size_t at)
{
    return heddle__expr_fail(run, HEDDLE_ESYNTAX, at,
                             "only a name, name[index] or several of them can be assigned to");
}

static bool parse_target(struct run *run, struct place *place)
{
    if (run->token.kind != TOKEN_NAME) return not_a_target(run, run->token.at);
    return heddle__expr_parse_place(run, place);
}

/* a, b[0] = value, also in brackets; the cursor is at the first, or behind it if it is given. */
static bool assign_several(struct run *run, size_t sign_at, size_t start, const struct place *first)
{
    struct place targets[MAX_TARGETS];
    struct value right, items[MAX_TARGETS];
    const bool brackets =
        !first && (run->token.kind == TOKEN_OPEN || run->token.kind == TOKEN_OPEN_INDEX);
    const enum token_kind close = run->token.kind == TOKEN_OPEN ? TOKEN_CLOSE : TOKEN_CLOSE_INDEX;
    int n = 0;
    if (brackets) heddle__expr_advance(run);
    if (first) {
        targets[n++] = *first;
        heddle__expr_advance(run); /* the comma */
    }
    while (run->token.kind == TOKEN_NAME) {
        if (n == MAX_TARGETS)
            return heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at, "more than %d names",
                                     MAX_TARGETS);
        if (!parse_target(run, &targets[n++])) return false;
        if (run->token.kind != TOKEN_COMMA) break;
        heddle__expr_advance(run);
    }
    if (brackets && run->token.kind == close) heddle__expr_advance(run);
    if (run->token.at != sign_at || run->token.kind != TOKEN_SET) return not_a_target(run, start);
    heddle__expr_advance(run);
    if (!heddle__expr_parse_list(run, &right) || !items_of(run, &right, n, items)) return false;
    for (int i = 0; i < n; i++)
        if (!heddle__expr_place_set(run, &targets[i], &items[i])) return false;
    run->last = right;
    return true;
}

/* ---- One target ----------------------------------------------------------------------------------- */

/* The new value of a target: of `op` and what was there before, if there is one. */
static bool new_value(struct run *run, enum token_kind op, size_t sign_at,
                      const struct value *before, struct value *out)
{
    struct value right;
    if (!heddle__expr_parse_list(run, &right)) return false;
    if (run->token.kind == TOKEN_SET)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at,
                                 "assign to one name in a statement");
    *out = right;
    return op == TOKEN_SET || heddle__expr_binary(run, op, sign_at, before, &right, out);
}

bool heddle__expr_parse_assignment(struct run *run, size_t sign_at)
{
    struct place t;
    struct value old = {.kind = VALUE_ABSENT}, right;
    const size_t start = run->token.at;
    if (run->token.kind == TOKEN_OPEN || run->token.kind == TOKEN_OPEN_INDEX)
        return assign_several(run, sign_at, start, NULL);
    if (!parse_target(run, &t)) return false;
    if (run->token.kind == TOKEN_COMMA) return assign_several(run, sign_at, start, &t);
    if (run->token.at != sign_at) return not_a_target(run, start);
    const enum token_kind op = heddle__assigned_operator(run->token.kind);
    heddle__expr_advance(run);
    if (op != TOKEN_SET && !heddle__expr_place_get(run, &t, &old)) return false;
    if (!new_value(run, op, sign_at, &old, &right) ||
        (op != TOKEN_SET && !heddle__expr_in_place(run, sign_at, &old, &right)))
        return false;
    return heddle__expr_place_set(run, &t, &right);
}

/* ---- Imports, so that pasted lines run -------------------------------------------------------------- */

/* Gives the value a name: after `as` at the cursor, or else `name` (NULL: none). */
static bool parse_alias(struct run *run, const struct token *name_of, struct value v)
{
    struct token name;
    if (heddle__expr_is_word(run, "as")) {
        heddle__expr_advance(run);
        if (run->token.kind != TOKEN_NAME) return heddle__expr_unexpected(run, "a name");
        name = run->token;
        heddle__expr_advance(run);
    } else if (name_of) {
        name = *name_of;
    } else {
        return true;
    }
    struct value own;
    if (heddle__expr_builtin(run->text + name.at, name.length, &own) && own.kind == v.kind &&
        own.kind == VALUE_MODULE && !v.module)
        return true; /* np is np */
    v.at = name.at;
    return heddle__expr_variable_set(run, run->text + name.at, name.length, v);
}

/* The name of a module: SciPy's linalg and fft are NumPy's here, as far as they go. */
static bool parse_module(struct run *run, struct value *out)
{
    const bool scipy = heddle__expr_is_word(run, "scipy");
    if (!scipy && !heddle__expr_is_word(run, "numpy") && !heddle__expr_is_word(run, "cupy"))
        return heddle__expr_unexpected(run, "numpy, scipy or cupy");
    *out = (struct value){.kind = VALUE_MODULE};
    heddle__expr_advance(run);
    while (run->token.kind == TOKEN_DOT) { /* numpy.lib.stride_tricks: its names are np's here */
        heddle__expr_advance(run);
        if (!heddle__expr_is_word(run, "lib") && !heddle__expr_is_word(run, "stride_tricks") &&
            (out->module || run->token.kind != TOKEN_NAME ||
             !heddle__expr_submodule(run->text + run->token.at, run->token.length, out)))
            return heddle__expr_unexpected(run, "fft, linalg, random or lib.stride_tricks");
        heddle__expr_advance(run);
    }
    return true;
}

bool heddle__expr_parse_import(struct run *run)
{
    const bool from = heddle__expr_is_word(run, "from");
    heddle__expr_advance(run);
    struct value module;
    if (!parse_module(run, &module)) return false;
    if (!from) return parse_alias(run, NULL, module);
    if (!heddle__expr_is_word(run, "import")) return heddle__expr_unexpected(run, "import");
    heddle__expr_advance(run);
    if (run->token.kind == TOKEN_MUL) {
        heddle__expr_advance(run);
        return true;
    }
    const bool brackets = run->token.kind == TOKEN_OPEN;
    if (brackets) heddle__expr_advance(run);
    for (;;) {
        const struct token name = run->token;
        const char *text = run->text + name.at;
        struct value v;
        if (name.kind != TOKEN_NAME) return heddle__expr_unexpected(run, "a name");
        if (!heddle__expr_of_module(run, module.module, name.at, text, name.length, &v))
            return false;
        heddle__expr_advance(run);
        /* What is np's has its name anyway; a variable would hide it from other lines. */
        const bool own = module.module || v.kind == VALUE_MODULE;
        if (!parse_alias(run, own ? &name : NULL, v)) return false;
        if (run->token.kind != TOKEN_COMMA) break;
        heddle__expr_advance(run);
    }
    return !brackets || heddle__expr_expect(run, TOKEN_CLOSE, "',' or ')'");
}
