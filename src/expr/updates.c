/* Statements that change a variable by a call, as NumPy's do: add.at(a, i, v), subtract.at(a, i, v) and
 * put_along_axis(a, i, v, axis). The variable gets a new value. Entry point: heddle__expr_parse_update. */
#include "expr/value.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/scatter.h>

/* Whether the cursor is at `axis=`, and not at a variable of that name. */
static bool at_axis(struct run *run)
{
    struct lexer ahead = run->lexer;
    struct token after;
    heddle__lex(&ahead, &after);
    return run->token.kind == TOKEN_NAME && heddle__expr_is_word(run, "axis") &&
           after.kind == TOKEN_SET;
}

/* Puts what stands in brackets after `at` on the stack; *n items. */
static bool parse_arguments(struct run *run, bool takes_axis, int64_t *base, int64_t *n)
{
    *base = run->n_stack;
    while (run->token.kind == TOKEN_COMMA) {
        heddle__expr_advance(run);
        if (run->token.kind == TOKEN_CLOSE) break;
        struct value v;
        if (takes_axis && run->n_stack - *base == 2 && at_axis(run)) {
            heddle__expr_advance(run);
            heddle__expr_advance(run);
        }
        if (!heddle__expr_parse_expression(run, &v) || !heddle__expr_push(run, v)) return false;
    }
    *n = run->n_stack - *base;
    return heddle__expr_expect(run, TOKEN_CLOSE, "',' or ')'");
}

/* Of one axis, or of all elements if it is None. */
static bool put(struct run *run, const struct value *args, size_t at, heddle_array *a,
                struct value *out)
{
    heddle_array *indices, *values;
    int64_t axis = 0;
    const bool flat = args[2].kind == VALUE_NONE;
    struct heddle_take_options o = {.size = sizeof o, .has_axis = true};
    if (!heddle__expr_to_array(run, &args[0], true, &indices) ||
        !heddle__expr_to_array(run, &args[1], false, &values) ||
        (!flat && !heddle__expr_to_int(run, &args[2], "the axis", &axis)))
        return false;
    o.axis = axis < -HEDDLE_MAX_NDIM || axis > HEDDLE_MAX_NDIM ? HEDDLE_MAX_NDIM : (int)axis;
    heddle_array *x = flat ? heddle_reshape(a, 1, (const int64_t[]){-1}) : a;
    heddle_array *r = heddle_put_along_axis_with(x, indices, values, &o);
    return heddle__expr_from_array(run, heddle_reshape(r, heddle_ndim(a), heddle_shape(a)), at,
                                   out);
}

static bool add(struct run *run, const struct value *args, size_t at, heddle_array *a,
                bool subtracts, struct value *out)
{
    struct subscript s[HEDDLE_EXPR_MAX_INDEX] = {{.value = args[0]}};
    struct heddle_index index[HEDDLE_EXPR_MAX_INDEX];
    heddle_array *value;
    int64_t n = 1;
    if (args[0].kind == VALUE_TUPLE) { /* an index of several axes */
        n = args[0].n;
        if (n > HEDDLE_EXPR_MAX_INDEX)
            return heddle__expr_fail(run, HEDDLE_EINDEX, args[0].at, "more than %d indices",
                                     HEDDLE_EXPR_MAX_INDEX);
        for (int64_t i = 0; i < n; i++) s[i] = (struct subscript){.value = args[0].items[i]};
    }
    if (!heddle__expr_to_indices(run, s, (int)n, index) ||
        !heddle__expr_to_array(run, &args[1], false, &value))
        return false;
    if (subtracts) value = heddle_negative(value);
    return heddle__expr_from_array(run, heddle_add_at(a, (int)n, index, value), at, out);
}

bool heddle__expr_parse_update(struct run *run, enum heddle_update kind, size_t open_at)
{
    static const char *const names[] = {"", "add.at", "subtract.at", "put_along_axis"};
    const size_t at = run->token.at;
    while (run->token.at != open_at) heddle__expr_advance(run);
    heddle__expr_advance(run);
    const struct token name = run->token;
    if (name.kind != TOKEN_NAME) return heddle__expr_unexpected(run, "the name of a variable");
    heddle__expr_advance(run);
    const struct value *v = heddle__expr_variable_get(run, run->text + name.at, name.length);
    if (!v) return heddle__expr_unknown_name(run, "", name.at, name.length, true);
    if (v->kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, name.at, "items of %s cannot be assigned",
                                 heddle__expr_value_name(v));
    heddle_array *a = v->array;
    int64_t base, n;
    if (!parse_arguments(run, kind == HEDDLE_UPDATE_PUT, &base, &n)) return false;
    const struct value *args = run->stack + base;
    const int64_t wants = kind == HEDDLE_UPDATE_PUT ? 3 : 2;
    if (n != wants)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s() takes %lld arguments, not %lld",
                                 names[kind], (long long)wants + 1, (long long)n + 1);
    struct value result;
    if (!(kind == HEDDLE_UPDATE_PUT
              ? put(run, args, at, a, &result)
              : add(run, args, at, a, kind == HEDDLE_UPDATE_SUBTRACT, &result)))
        return false;
    run->n_stack = base;
    run->last = result;
    return heddle__expr_variable_set(run, run->text + name.at, name.length, result);
}
