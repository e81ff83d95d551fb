/* f( ... ) in a text: the arguments, the call, and where its result goes if it has out= or changes its argument. Entry
 * point: heddle__expr_parse_call. */
#include "expr/value.h"

/* Whether the name at the cursor is that of an argument: name=value. */
static bool is_keyword_argument(const struct run *run)
{
    struct lexer ahead = run->lexer;
    struct token after;
    heddle__lex(&ahead, &after);
    return after.kind == TOKEN_SET;
}

/* out= and where=, with its name at the cursor: where the result goes. */
static bool parse_destination(struct run *run, const struct value *f, bool where,
                              struct destination *to)
{
    heddle__expr_advance(run);
    heddle__expr_advance(run);
    if (where) return heddle__expr_parse_expression(run, &to->where);
    to->at = run->token.at;
    if (!heddle__expr_parse_expression(run, &to->out)) return false;
    to->end = run->token.at;
    to->given = to->out.kind != VALUE_NONE;
    to->spreads = f->kind == VALUE_FUNCTION && heddle__expr_is_elementwise(f->function);
    return true;
}

/* An argument: puts a positional one on the stack, of a keyword one the value; names are in `keywords`. */
static bool parse_argument(struct run *run, const struct value *f, struct value *keywords,
                           int64_t *n, int64_t *n_keywords, struct destination *to)
{
    struct value arg;
    const struct token *t = &run->token;
    if (t->kind == TOKEN_MUL || t->kind == TOKEN_POW)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, t->at, "unpacking is not supported");
    if (t->kind == TOKEN_NAME && is_keyword_argument(run)) {
        const bool function = heddle__expr_is_function(f) && f->kind != VALUE_DEFINITION;
        const bool where = f->kind == VALUE_FUNCTION && heddle__expr_is_word(run, "where") &&
                           heddle__expr_is_elementwise(f->function);
        if (where || (function && heddle__expr_is_word(run, "out")))
            return parse_destination(run, f, where, to);
        if (*n_keywords == HEDDLE_EXPR_MAX_ARGS)
            return heddle__expr_fail(run, HEDDLE_EARG, t->at, "too many keyword arguments");
        keywords[(*n_keywords)++] = (struct value){
            .kind = VALUE_STRING, .at = t->at, .text = run->text + t->at, .length = t->length};
        heddle__expr_advance(run);
        heddle__expr_advance(run);
    } else if (*n_keywords) {
        return heddle__expr_unexpected(run, "a keyword argument (positional ones come first)");
    } else {
        ++*n;
    }
    return heddle__expr_parse_expression(run, &arg) && heddle__expr_push(run, arg);
}

bool heddle__expr_parse_call(struct run *run, size_t start, struct value *f)
{
    const size_t at = run->token.at;
    const int64_t base = run->n_stack;
    struct value keywords[HEDDLE_EXPR_MAX_ARGS], out;
    struct destination to = {.given = false};
    int64_t n = 0, n_keywords = 0;
    if (!heddle__expr_enter(run, at)) return false;
    heddle__expr_advance(run);
    const size_t first_at = run->token.at;
    size_t first_end = first_at;
    while (run->token.kind != TOKEN_CLOSE) {
        const bool first = run->token.at == first_at;
        if (!parse_argument(run, f, keywords, &n, &n_keywords, &to)) return false;
        if (first) first_end = run->token.at;
        if (run->token.kind == TOKEN_CLOSE) break;
        if (!heddle__expr_expect(run, TOKEN_COMMA, "',' or ')'")) return false;
    }
    heddle__expr_advance(run);
    run->depth--;
    const struct value *args = run->stack ? run->stack + base : NULL;
    if (!heddle__expr_call(run, f, at, args, n, keywords, n_keywords, &out)) return false;
    run->n_stack = base;
    if ((to.given || to.where.kind != VALUE_ABSENT) && !heddle__expr_put_out(run, at, &to, &out))
        return false;
    if (heddle__expr_changes_argument(f)) {
        const bool method = f->kind == VALUE_METHOD;
        if (!method && n == 0)
            return heddle__expr_fail(run, HEDDLE_EARG, first_at,
                                     "what changes is the first "
                                     "argument, without a name");
        if (!heddle__expr_change(run, method ? start : first_at, method ? f->at : first_end, &out))
            return false;
        run->changed = out;
        out = (struct value){.kind = VALUE_NONE, .identity = 1, .at = at};
    }
    *f = out;
    return true;
}
