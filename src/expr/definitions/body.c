/* Functions of the text's called: their names are a table of their own, and the body is parsed, and so recorded, with it.
 * In functions by element both branches of an `if` are, and what they make is chosen by `where`. Entry points:
 * heddle__expr_call_definition, heddle__expr_by_element. */
#include "expr/definitions/definitions.h"

#include "base/memory.h"

#include <string.h>

/* What follows a range of the text: another one, and what follows that. */
struct rest {
    size_t begin, end;
    const struct rest *next;
};

/* The statements of a range of the text; what they return, if they do. */
struct body {
    const struct definition *of;
    const struct rest *rest;
    bool returned;
    struct value value;
};

static bool run_body(struct run *run, size_t begin, size_t end, struct body *body);

/* ---- Tables of names ------------------------------------------------------------------------------------ */

struct names {
    struct variable *variables;
    int64_t n, capacity;
};

static struct names names_of(const struct run *run)
{
    return (struct names){run->variables, run->n_variables, run->variable_capacity};
}

static void use_names(struct run *run, struct names names)
{
    run->variables = names.variables;
    run->n_variables = names.n;
    run->variable_capacity = names.capacity;
}

static bool copy_names(struct run *run, struct names from, struct names *to)
{
    *to = from;
    to->variables = heddle__calloc((size_t)from.capacity + 1, sizeof *to->variables);
    if (!to->variables) return heddle__expr_no_memory(run);
    if (from.capacity)
        memcpy(to->variables, from.variables, (size_t)from.capacity * sizeof *to->variables);
    return true;
}

/* ---- Choices by element -------------------------------------------------------------------------------- */

/* where(condition, yes, no); of tuples item by item. */
static bool choose(struct run *run, const struct value *condition, const struct value *yes,
                   const struct value *no, struct value *out)
{
    struct value where;
    if (!heddle__expr_is_list(yes) || !heddle__expr_is_list(no) || yes->n != no->n) {
        const struct value args[3] = {*condition, *yes, *no};
        return heddle__expr_builtin("where", 5, &where) &&
               heddle__expr_call(run, &where, condition->at, args, 3, NULL, 0, out);
    }
    const int64_t base = run->n_stack;
    for (int64_t i = 0; i < yes->n; i++)
        if (!choose(run, condition, &yes->items[i], &no->items[i], out) ||
            !heddle__expr_push(run, *out))
            return false;
    return heddle__expr_take(run, base, yes->kind, condition->at, out);
}

/* The names after both branches, into those that are used, of `no`: what only one branch has is gone. */
static bool merge(struct run *run, const struct value *condition, struct names yes)
{
    const struct names no = names_of(run);
    for (int64_t i = 0; i < no.capacity; i++) {
        struct variable *const v = &no.variables[i];
        if (!v->name || v->value.kind == VALUE_ABSENT) continue;
        use_names(run, yes);
        const struct value *const other = heddle__expr_local(run, v->name, v->length);
        use_names(run, no);
        if (!other)
            v->value.kind = VALUE_ABSENT;
        else if (!heddle__expr_is(other, &v->value) &&
                 !choose(run, condition, other, &v->value, &v->value))
            return false;
    }
    return true;
}

/* ---- if, elif, else ---------------------------------------------------------------------------------------- */

/* An `if` with all that belongs to it, in bytes of the text. No else: it is empty. */
struct clauses {
    size_t begin, end, else_begin, else_end;
};

/* Past a clause whose ':' is the next outside of brackets; *begin: after it. */
static bool skip_clause(struct run *run, struct lexer from, int column, size_t *begin, size_t *end)
{
    struct token t;
    do {
        heddle__lex(&from, &t);
        if (t.kind == TOKEN_END || t.kind == TOKEN_ERROR || t.kind == TOKEN_NEWLINE) {
            run->token = t;
            return heddle__expr_unexpected(run, "':'");
        }
    } while (t.kind != TOKEN_COLON || from.depth > 0);
    *begin = from.at;
    return heddle__expr_block_end(run, from, column, end);
}

/* The cursor is on the ':' of the `if`, whose line is indented by `column`. An elif is an else that begins with an if. */
static bool find_clauses(struct run *run, int column, size_t end, struct clauses *c)
{
    c->begin = run->lexer.at;
    if (!heddle__expr_block_end(run, run->lexer, column, &c->end)) return false;
    c->else_begin = c->else_end = c->end;
    for (bool last = false; !last;) {
        struct lexer next = {.text = run->text, .at = c->else_end};
        struct token t;
        do heddle__lex(&next, &t);
        while (t.kind == TOKEN_NEWLINE);
        const size_t n = t.length;
        const char *const word = run->text + t.at;
        const bool is_elif = n == 4 && !memcmp(word, "elif", 4);
        last = n == 4 && !memcmp(word, "else", 4);
        if (t.at >= end || (!is_elif && !last) || heddle__expr_column(run, t.at) != column)
            return true;
        size_t begin = t.at;
        const bool first = c->else_begin == c->end;
        if (!skip_clause(run, next, column, &begin, &c->else_end)) return false;
        if (first) c->else_begin = is_elif ? t.at : begin;
    }
    return true;
}

/* All that follows, up to a return. */
static bool run_rest(struct run *run, const struct rest *rest, struct body *body)
{
    for (; rest && !body->returned; rest = rest->next) {
        body->rest = rest->next;
        if (!run_body(run, rest->begin, rest->end, body)) return false;
    }
    return true;
}

/* Both branches; where one returns, what follows belongs to the other. */
static bool run_both(struct run *run, const struct value *condition, const struct clauses *c,
                     const struct rest *rest, struct body *body)
{
    struct body yes = {.of = body->of, .rest = rest}, no = yes;
    const struct names own = names_of(run);
    struct names before;
    if (!copy_names(run, own, &before)) return false;
    bool good = run_body(run, c->begin, c->end, &yes);
    struct names after = names_of(run);
    use_names(run, before);
    good = good && run_body(run, c->else_begin, c->else_end, &no);
    if (good && yes.returned && !no.returned) {
        good = run_rest(run, rest, &no);
    } else if (good && no.returned && !yes.returned) {
        const struct names other = names_of(run);
        use_names(run, after);
        good = run_rest(run, rest, &yes);
        after = names_of(run);
        use_names(run, other);
    }
    if (good && yes.returned != no.returned)
        good = heddle__expr_fail(run, HEDDLE_EARG, condition->at,
                                 "where one branch returns a value, the other has to");
    else if (good && yes.returned)
        good = choose(run, condition, &yes.value, &no.value, &body->value);
    else if (good)
        good = merge(run, condition, after);
    body->returned = yes.returned;
    heddle__free(after.variables);
    return good;
}

/* `if` or `elif` at the cursor, and what belongs to it. */
static bool run_if(struct run *run, size_t end, struct body *body)
{
    struct clauses c;
    struct value condition;
    const size_t at = run->token.at;
    const int column = heddle__expr_column(run, at);
    if (column < 0) return heddle__expr_fail(run, HEDDLE_ESYNTAX, at, "if begins a line");
    if (!heddle__expr_enter(run, at)) return false;
    heddle__expr_advance(run);
    if (!heddle__expr_parse_expression(run, &condition)) return false;
    if (run->token.kind != TOKEN_COLON) return heddle__expr_unexpected(run, "':'");
    if (!find_clauses(run, column, end, &c)) return false;
    const struct rest rest = {c.else_end, end, body->rest};
    if (condition.kind == VALUE_ARRAY && body->of->by_element) {
        if (!run_both(run, &condition, &c, &rest, body)) return false;
    } else {
        if (condition.kind == VALUE_ARRAY && heddle_ndim(condition.array) > 0)
            return heddle__expr_fail(run, HEDDLE_EARG, condition.at,
                                     "the truth of an array is ambiguous; functions of vectorize "
                                     "choose by element, and where(condition, a, b)");
        if (condition.kind == VALUE_ARRAY &&
            !heddle__expr_item(run, condition.array, condition.at, &condition))
            return false;
        const bool holds = heddle__expr_truth(&condition);
        body->rest = &rest;
        const bool good =
            run_body(run, holds ? c.begin : c.else_begin, holds ? c.end : c.else_end, body);
        body->rest = rest.next;
        if (!good) return false;
    }
    run->depth--;
    run->lexer = (struct lexer){.text = run->text, .at = c.else_end};
    heddle__expr_advance(run);
    return true;
}

/* ---- Bodies ---------------------------------------------------------------------------------------------- */

static bool run_return(struct run *run, struct body *body)
{
    body->returned = true;
    body->value = (struct value){.kind = VALUE_NONE, .at = run->token.at};
    heddle__expr_advance(run);
    return run->token.kind == TOKEN_NEWLINE || run->token.kind == TOKEN_END ||
           heddle__expr_parse_list(run, &body->value);
}

static bool run_body(struct run *run, size_t begin, size_t end, struct body *body)
{
    run->lexer = (struct lexer){.text = run->text, .at = begin};
    for (;;) {
        const struct lexer before = run->lexer;
        const bool is_first = before.at == begin;
        heddle__expr_advance(run);
        if (run->token.kind == TOKEN_END || run->token.at >= end) return true;
        if (run->token.kind == TOKEN_NEWLINE) continue;
        const bool word = run->token.kind == TOKEN_KEYWORD;
        bool good = true;
        if (word && heddle__expr_is_word(run, "return"))
            good = run_return(run, body);
        else if (word && (heddle__expr_is_word(run, "if") ||
                          (is_first && heddle__expr_is_word(run, "elif"))))
            good = run_if(run, end, body);
        else if (word && heddle__expr_is_word(run, "pass"))
            heddle__expr_advance(run);
        else
            good = heddle__expr_parse_statement(run, before);
        if (!good) return false;
        if (body->returned) return true;
        if (run->token.kind == TOKEN_END || run->token.at >= end) return true;
        if (run->token.kind != TOKEN_NEWLINE)
            return heddle__expr_unexpected(run, "an operator or the end of the statement");
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------------ */

#define NAME_OF(d) (d)->length > 40 ? 40 : (int)(d)->length, (d)->name

/* The argument of each parameter. */
static bool bind(struct run *run, const struct definition *d, size_t at, const struct value *args,
                 int64_t n, const struct value *keywords, int64_t n_keywords, struct value *out)
{
    if (n > d->n)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%.*s() takes %d arguments, not %lld",
                                 NAME_OF(d), d->n, (long long)n);
    for (int i = 0; i < d->n; i++) out[i] = (struct value){.kind = VALUE_ABSENT};
    for (int64_t i = 0; i < n; i++) out[i] = args[i];
    for (int64_t k = 0; k < n_keywords; k++) {
        int i = 0;
        while (i < d->n &&
               (d->parameters[i].length != keywords[k].length ||
                memcmp(d->parameters[i].name, keywords[k].text, keywords[k].length) != 0))
            i++;
        if (i == d->n || out[i].kind != VALUE_ABSENT)
            return heddle__expr_fail(
                run, HEDDLE_EARG, keywords[k].at,
                i == d->n ? "%.*s() has no argument '%.*s'" : "%.*s() is given '%.*s' twice",
                NAME_OF(d), keywords[k].length > 40 ? 40 : (int)keywords[k].length,
                keywords[k].text);
        out[i] = args[n + k];
    }
    for (int i = 0; i < d->n; i++) {
        if (out[i].kind == VALUE_ABSENT) out[i] = d->parameters[i].value;
        if (out[i].kind == VALUE_ABSENT)
            return heddle__expr_fail(run, HEDDLE_EARG, at, "%.*s() needs its argument '%.*s'",
                                     NAME_OF(d), NAME_OF(&d->parameters[i]));
    }
    return true;
}

/* With `values` as the arguments, in a table of names of its own. */
static bool run_call(struct run *run, const struct definition *d, const struct value *values,
                     struct value *out)
{
    struct body body = {.of = d};
    use_names(run, (struct names){.n = 0});
    bool good = true;
    for (int i = 0; i < d->n && good; i++)
        good = heddle__expr_variable_set(run, d->parameters[i].name, d->parameters[i].length,
                                         values[i]);
    good = good && run_body(run, d->begin, d->end, &body);
    heddle__free(run->variables);
    *out = body.returned ? body.value : (struct value){.kind = VALUE_NONE};
    return good;
}

bool heddle__expr_call_definition(struct run *run, const struct value *f, size_t at,
                                  const struct value *args, int64_t n, const struct value *keywords,
                                  int64_t n_keywords, struct value *out)
{
    const struct definition *const d = f->definition;
    struct value values[HEDDLE_EXPR_MAX_PARAMETERS];
    if (!bind(run, d, at, args, n, keywords, n_keywords, values) || !heddle__expr_enter(run, at))
        return false;
    const struct names own = names_of(run);
    const struct lexer lexer = run->lexer;
    const struct token token = run->token;
    const struct value last = run->last;
    const struct variable *const globals = run->globals;
    const int64_t capacity = run->global_capacity;
    if (!globals) { /* names of the text can be read, not assigned to */
        run->globals = own.variables;
        run->global_capacity = own.capacity;
    }
    const bool good = run_call(run, d, values, out);
    use_names(run, own);
    run->globals = globals;
    run->global_capacity = capacity;
    run->lexer = lexer;
    run->token = token;
    run->last = last;
    run->depth--;
    out->at = at;
    return good;
}

bool heddle__expr_by_element(struct run *run, const struct value *f, struct value *out)
{
    *out = *f;
    if (f->kind != VALUE_DEFINITION) return true;
    struct definition *const d = heddle__arena_alloc(&run->arena, sizeof *d);
    if (!d) return heddle__expr_no_memory(run);
    *d = *f->definition;
    d->by_element = true;
    out->definition = d;
    return true;
}
