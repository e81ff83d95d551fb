/* def name(a, b=1): and its decorators: what the name stands for, and where the body is. Entry points:
 * heddle__expr_parse_definition, heddle__expr_block_end. */
#include "expr/definitions/definitions.h"

#include <stdint.h>
#include <string.h>

int heddle__expr_column(const struct run *run, size_t at)
{
    size_t begin = at;
    while (begin > 0 && run->text[begin - 1] != '\n') begin--;
    const size_t n = strspn(run->text + begin, " \t");
    return n == at - begin ? (int)n : -1;
}

/* The indentation of the first line from p on that has something; -1: there is none. */
static int indentation(const char *p)
{
    for (;;) {
        const size_t n = strspn(p, " \t");
        const char *const at = p + n + strspn(p + n, "\r");
        if (!*at) return -1;
        if (*at != '\n' && *at != '#') return (int)n;
        p = at + strcspn(at, "\n");
        p += *p == '\n';
    }
}

bool heddle__expr_block_end(struct run *run, struct lexer after, int column, size_t *end)
{
    struct token t;
    bool in_line = true;
    size_t begin = SIZE_MAX; /* of what is in the block */
    for (bool first = true;; first = false) {
        heddle__lex(&after, &t);
        *end = t.at;
        if (t.kind == TOKEN_END) break;
        if (begin == SIZE_MAX && t.kind != TOKEN_NEWLINE) begin = t.at;
        if (t.kind == TOKEN_ERROR) {
            run->token = t;
            return heddle__expr_unexpected(run, "a statement");
        }
        if (t.kind != TOKEN_NEWLINE || run->text[t.at] != '\n') continue;
        if (first)
            in_line = false;
        else if (in_line)
            return true;
        if (indentation(run->text + t.at + 1) > column) continue;
        if (!first) return true;
        break;
    }
    return (t.kind == TOKEN_END && t.at > begin) ||
           heddle__expr_fail(run, HEDDLE_ESYNTAX, t.at, "expected an indented block after ':'");
}

/* ---- Parameters ---------------------------------------------------------------------------------------- */

static bool parse_parameter(struct run *run, struct definition *d)
{
    if (run->token.kind != TOKEN_NAME) return heddle__expr_unexpected(run, "a parameter's name");
    if (d->n == HEDDLE_EXPR_MAX_PARAMETERS)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at, "more than %d parameters",
                                 (int)HEDDLE_EXPR_MAX_PARAMETERS);
    struct parameter *const p = &d->parameters[d->n];
    *p = (struct parameter){.name = run->text + run->token.at, .length = run->token.length};
    for (int i = 0; i < d->n; i++)
        if (d->parameters[i].length == p->length &&
            !memcmp(d->parameters[i].name, p->name, p->length))
            return heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at,
                                     "two parameters of one name");
    heddle__expr_advance(run);
    if (run->token.kind == TOKEN_SET) {
        heddle__expr_advance(run);
        if (!heddle__expr_parse_expression(run, &p->value)) return false;
    } else if (d->n && d->parameters[d->n - 1].value.kind != VALUE_ABSENT) {
        return heddle__expr_unexpected(run, "'=' as the parameter before it has");
    }
    d->n++;
    return true;
}

static bool parse_parameters(struct run *run, struct definition *d)
{
    if (!heddle__expr_expect(run, TOKEN_OPEN, "'(' after the name of a function")) return false;
    while (run->token.kind != TOKEN_CLOSE) {
        if (!parse_parameter(run, d)) return false;
        if (run->token.kind == TOKEN_CLOSE) break;
        if (!heddle__expr_expect(run, TOKEN_COMMA, "',' or ')'")) return false;
    }
    heddle__expr_advance(run);
    return run->token.kind == TOKEN_COLON || heddle__expr_unexpected(run, "':'");
}

/* ---- Decorators ---------------------------------------------------------------------------------------- */

/* @fuse says nothing here, as all fuses; @vectorize that the function is one of elements. With a module before, and
 * arguments after it, which say nothing. */
static bool parse_decorator(struct run *run, bool *by_element)
{
    struct value ignored;
    heddle__expr_advance(run);
    while (run->token.kind == TOKEN_NAME && !heddle__expr_is_word(run, "fuse") &&
           !heddle__expr_is_word(run, "vectorize")) {
        if (!heddle__expr_builtin(run->text + run->token.at, run->token.length, &ignored) ||
            ignored.kind != VALUE_MODULE)
            break;
        heddle__expr_advance(run);
        if (!heddle__expr_expect(run, TOKEN_DOT, "'.' after a module")) return false;
    }
    *by_element |= heddle__expr_is_word(run, "vectorize");
    if (!heddle__expr_is_word(run, "vectorize") && !heddle__expr_is_word(run, "fuse"))
        return heddle__expr_unexpected(run, "fuse or vectorize after '@'");
    heddle__expr_advance(run);
    if (run->token.kind == TOKEN_OPEN) {
        heddle__expr_advance(run);
        while (run->token.kind == TOKEN_NAME) {
            heddle__expr_advance(run);
            if (!heddle__expr_expect(run, TOKEN_SET, "'=' after a name") ||
                !heddle__expr_parse_expression(run, &ignored))
                return false;
            if (run->token.kind == TOKEN_COMMA) heddle__expr_advance(run);
        }
        if (!heddle__expr_expect(run, TOKEN_CLOSE, "')'")) return false;
    }
    if (run->token.kind != TOKEN_NEWLINE)
        return heddle__expr_unexpected(run, "the end of the line");
    while (run->token.kind == TOKEN_NEWLINE) heddle__expr_advance(run);
    return true;
}

bool heddle__expr_parse_definition(struct run *run)
{
    struct definition *const d = heddle__arena_alloc(&run->arena, sizeof *d);
    if (!d) return heddle__expr_no_memory(run);
    while (run->token.kind == TOKEN_MATMUL)
        if (!parse_decorator(run, &d->by_element)) return false;
    if (!heddle__expr_is_word(run, "def")) return heddle__expr_unexpected(run, "def");
    const size_t at = run->token.at;
    const int column = heddle__expr_column(run, at);
    if (column < 0 || run->globals)
        return heddle__expr_fail(run, HEDDLE_ESYNTAX, at,
                                 run->globals ? "a function is not defined inside of another"
                                              : "def begins a line");
    heddle__expr_advance(run);
    if (run->token.kind != TOKEN_NAME)
        return heddle__expr_unexpected(run, "the name of a function");
    d->name = run->text + run->token.at;
    d->length = run->token.length;
    heddle__expr_advance(run);
    if (!parse_parameters(run, d)) return false;
    d->begin = run->lexer.at;
    if (!heddle__expr_block_end(run, run->lexer, column, &d->end)) return false;
    run->lexer.at = d->end;
    heddle__expr_advance(run);
    struct value v = {.kind = VALUE_DEFINITION, .at = at};
    v.definition = d;
    return heddle__expr_variable_set(run, d->name, d->length, v);
}
