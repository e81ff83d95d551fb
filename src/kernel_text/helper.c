/* Functions of a kernel's preamble: C functions of numbers, with the types of the kernel. Entry points:
 * heddle__kernel_helpers, heddle__kernel_find_helper. */
#include "kernel_text/reader.h"

#include <string.h>

int heddle__kernel_find_helper(const struct kernel_reader *r)
{
    for (int i = 0; i < r->tree->n_helpers; i++) {
        const struct kernel_helper *const h = &r->tree->helpers[i];
        if (h->length == r->token.length &&
            !memcmp(h->name, r->text + r->token.at, (size_t)h->length))
            return i;
    }
    return -1;
}

/* __device__, inline and their like say nothing here. */
static void skip_specifiers(struct kernel_reader *r)
{
    static const char *const words[] = {"__device__", "__host__", "__forceinline__", "__noinline__",
                                        "static",     "inline",   "constexpr"};
    for (size_t i = 0; i < sizeof words / sizeof *words;)
        i = heddle__kernel_take_word(r, words[i]) ? 0 : i + 1;
}

static bool parameters(struct kernel_reader *r, struct kernel_helper *h)
{
    h->first = r->tree->n_symbols;
    if (!heddle__kernel_expect(r, SIGN1('('), "after the name of a function")) return false;
    if (heddle__kernel_take(r, SIGN1(')'))) return true;
    if (heddle__kernel_take_word(r, "void"))
        return heddle__kernel_expect(r, SIGN1(')'), "after void");
    do {
        kernel_type type;
        if (!heddle__kernel_take_type(r, false, &type)) return false;
        if (type == HEDDLE_DTYPE_NONE)
            return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                                       "a parameter's type is not auto");
        if (r->token.kind != TOKEN_NAME)
            return heddle__kernel_unexpected(r, "a parameter's name (functions take numbers)");
        if (h->n++ == KERNEL_MAX_ARGUMENTS)
            return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "more than %d parameters",
                                       (int)KERNEL_MAX_ARGUMENTS);
        if (heddle__kernel_symbol(r, KERNEL_LOCAL, type) < 0) return false;
        heddle__kernel_lex(r);
    } while (heddle__kernel_take(r, SIGN1(',')));
    return heddle__kernel_expect(r, SIGN1(')'), "after the parameters");
}

static bool helper(struct kernel_reader *r)
{
    struct kernel_tree *const tree = r->tree;
    struct kernel_helper h = {.n = 0};
    skip_specifiers(r);
    if (heddle__kernel_is_word(r, "void"))
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "a function returns a number");
    if (!heddle__kernel_take_type(r, false, &h.type)) return false;
    skip_specifiers(r);
    if (h.type == HEDDLE_DTYPE_NONE || r->token.kind != TOKEN_NAME)
        return heddle__kernel_unexpected(r, "a type and the name of a function");
    if (heddle__kernel_find_helper(r) >= 0)
        return heddle__kernel_fail(r, HEDDLE_ENAME, r->token.at, "'%.*s' is there already",
                                   KERNEL_SPELLED(r));
    if (tree->n_helpers == KERNEL_MAX_HELPERS)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "more than %d functions",
                                   (int)KERNEL_MAX_HELPERS);
    h.name = r->text + r->token.at;
    h.length = r->token.length;
    heddle__kernel_lex(r);
    if (!parameters(r, &h) || (h.result = heddle__kernel_hidden(r, h.type)) < 0 ||
        !heddle__kernel_expect(r, SIGN1('{'), "before the body of a function"))
        return false;
    r->helper = &h;
    h.body = heddle__kernel_block(r);
    r->helper = NULL;
    for (int i = h.first; i < tree->n_symbols; i++) tree->symbols[i].depth = -1;
    if (h.body) tree->helpers[tree->n_helpers++] = h;
    return h.body;
}

bool heddle__kernel_helpers(struct kernel_reader *r)
{
    heddle__kernel_lex(r);
    while (r->token.kind != TOKEN_END) {
        if (heddle__kernel_take(r, SIGN1(';'))) continue;
        if (!helper(r)) return false;
    }
    return true;
}
