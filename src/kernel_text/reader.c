/* Steps of the parser: tokens taken, errors, nodes, symbols. Entry points: reader.h. */
#include "kernel_text/reader.h"

#include "base/text_point.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool heddle__kernel_fail(struct kernel_reader *r, enum heddle_status code, size_t at,
                         const char *format, ...)
{
    struct kernel_tree *const tree = r->tree;
    if (tree->code != HEDDLE_OK) return false;
    char detail[200];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    tree->code = code;
    const struct heddle_text_point p = heddle__text_point(r->text, at);
    snprintf(tree->message, sizeof tree->message, "kernel '%.40s', %s, line %zu, column %zu: %s%s",
             tree->name, r->what, p.line, p.column, detail, p.shown);
    return false;
}

bool heddle__kernel_unexpected(struct kernel_reader *r, const char *wanted)
{
    if (r->token.kind == TOKEN_END)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "expected %s, found the end",
                                   wanted);
    return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "expected %s, found '%.*s'", wanted,
                               KERNEL_SPELLED(r));
}

bool heddle__kernel_take(struct kernel_reader *r, unsigned sign)
{
    if (r->token.kind != TOKEN_SIGN || r->token.sign != sign) return false;
    heddle__kernel_lex(r);
    return true;
}

bool heddle__kernel_expect(struct kernel_reader *r, unsigned sign, const char *where)
{
    if (heddle__kernel_take(r, sign)) return true;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "'%c' %s", (char)sign, where);
    return heddle__kernel_unexpected(r, wanted);
}

bool heddle__kernel_is_word(const struct kernel_reader *r, const char *word)
{
    return r->token.kind == TOKEN_NAME && (size_t)r->token.length == strlen(word) &&
           !memcmp(r->text + r->token.at, word, strlen(word));
}

bool heddle__kernel_take_word(struct kernel_reader *r, const char *word)
{
    if (!heddle__kernel_is_word(r, word)) return false;
    heddle__kernel_lex(r);
    return true;
}

bool heddle__kernel_enter(struct kernel_reader *r)
{
    return ++r->depth <= KERNEL_MAX_DEPTH ||
           heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "nested deeper than %d",
                               (int)KERNEL_MAX_DEPTH);
}

static void no_memory(struct kernel_reader *r)
{
    if (r->tree->code != HEDDLE_OK) return;
    r->tree->code = HEDDLE_ENOMEM;
    snprintf(r->tree->message, sizeof r->tree->message, "out of memory");
}

struct kernel_node *heddle__kernel_node(struct kernel_reader *r, enum kernel_kind kind, size_t at)
{
    if (r->tree->n_nodes == KERNEL_MAX_NODES) {
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "more than %d operations",
                            (int)KERNEL_MAX_NODES);
        return NULL;
    }
    struct kernel_node *node = heddle__arena_alloc(&r->tree->arena, sizeof *node);
    if (!node) {
        no_memory(r);
        return NULL;
    }
    node->kind = (unsigned char)kind;
    node->at = at + r->shift;
    node->symbol = -1;
    node->number = r->tree->n_nodes++;
    return node;
}

int heddle__kernel_find(const struct kernel_reader *r)
{
    const struct kernel_tree *const tree = r->tree;
    for (int i = tree->n_symbols - 1; i >= 0; i--) {
        const struct kernel_symbol *const s = &tree->symbols[i];
        if (s->depth >= 0 && (s->length == r->token.length || (s->brief && r->token.length == 1)) &&
            !memcmp(s->name, r->text + r->token.at, (size_t)r->token.length))
            return i;
    }
    return -1;
}

int heddle__kernel_symbol(struct kernel_reader *r, enum kernel_symbol_kind kind, kernel_type type)
{
    struct kernel_tree *const tree = r->tree;
    const int before = heddle__kernel_find(r);
    if (before >= 0 && tree->symbols[before].depth == r->blocks) {
        heddle__kernel_fail(r, HEDDLE_ENAME, r->token.at, "'%.*s' is there already",
                            KERNEL_SPELLED(r));
        return -1;
    }
    const int symbol = heddle__kernel_hidden(r, type);
    if (symbol < 0) return -1;
    tree->symbols[symbol].name = r->text + r->token.at;
    tree->symbols[symbol].length = r->token.length;
    tree->symbols[symbol].kind = kind;
    return symbol;
}

int heddle__kernel_hidden(struct kernel_reader *r, kernel_type type)
{
    struct kernel_tree *const tree = r->tree;
    if (tree->n_symbols == KERNEL_MAX_SYMBOLS || tree->n_cells == KERNEL_MAX_CELLS) {
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "more than %d names",
                            (int)KERNEL_MAX_SYMBOLS);
        return -1;
    }
    tree->symbols[tree->n_symbols] = (struct kernel_symbol){.name = "",
                                                            .kind = KERNEL_LOCAL,
                                                            .type = type,
                                                            .cell = tree->n_cells++,
                                                            .depth = r->blocks};
    return tree->n_symbols++;
}

bool heddle__kernel_extend(struct kernel_reader *r, int symbol, int extent)
{
    struct kernel_tree *const tree = r->tree;
    if (tree->n_cells + extent - 1 > KERNEL_MAX_CELLS)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                                   "the arrays of the text have more than %d elements",
                                   (int)KERNEL_MAX_CELLS);
    tree->symbols[symbol].extent = extent;
    tree->n_cells += extent - 1; /* it is the newest */
    return true;
}
