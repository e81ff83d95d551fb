/* The texts of a kernel to its tree: the parameters, then the operation. Entry points: heddle__kernel_parse,
 * heddle__kernel_free_tree. */
#include "kernel_text/reader.h"

#include <stdio.h>
#include <string.h>

static bool parameter(struct kernel_reader *r, enum kernel_symbol_kind kind)
{
    kernel_type type;
    const bool raw = heddle__kernel_take_word(r, "raw");
    if (!heddle__kernel_take_type(r, true, &type)) return false;
    if (type == HEDDLE_DTYPE_NONE)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                                   "a parameter's type is not auto");
    if (r->token.kind != TOKEN_NAME) return heddle__kernel_unexpected(r, "a parameter's name");
    if (r->text[r->token.at] == '_' || heddle__kernel_is_word(r, "i") ||
        heddle__kernel_is_word(r, "n"))
        return heddle__kernel_fail(r, HEDDLE_ENAME, r->token.at,
                                   "'%.*s' cannot be a parameter: i, n and what begins with _ are "
                                   "the kernel's",
                                   KERNEL_SPELLED(r));
    if (r->tree->n_symbols == KERNEL_MAX_PARAMETERS)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at, "more than %d parameters",
                                   (int)KERNEL_MAX_PARAMETERS);
    const int symbol = heddle__kernel_symbol(r, kind, type);
    if (symbol < 0) return false;
    if (heddle__kernel_is_letter(type)) r->tree->letters[type & 127] = true;
    r->tree->symbols[symbol].raw = raw;
    r->tree->symbols[symbol].constant = kind == KERNEL_INPUT;
    heddle__kernel_lex(r);
    return true;
}

bool heddle__kernel_parameters(struct kernel_reader *r, enum kernel_symbol_kind kind, int *n)
{
    heddle__kernel_lex(r);
    if (r->token.kind == TOKEN_END) return true;
    do {
        if (!parameter(r, kind)) return false;
        ++*n;
    } while (heddle__kernel_take(r, SIGN1(',')));
    return r->token.kind == TOKEN_END ||
           heddle__kernel_unexpected(r, "',' or the end after a parameter");
}

bool heddle__kernel_add_names(struct kernel_reader *r, bool known)
{
    static const char names[] = "in";
    for (int k = 0; k < 2; k++) {
        struct kernel_reader at = *r;
        at.text = names + k;
        at.token = (struct kernel_token){.kind = TOKEN_NAME, .length = known};
        const int symbol =
            heddle__kernel_symbol(&at, k == 0 ? KERNEL_INDEX : KERNEL_SIZE, HEDDLE_INT64);
        if (symbol < 0) return false;
        r->tree->symbols[symbol].constant = true;
        if (!known) r->tree->symbols[symbol].depth = -1;
    }
    return true;
}

const char *heddle__kernel_copy(struct kernel_tree *tree, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *const to = heddle__arena_alloc(&tree->arena, n);
    if (to) return memcpy(to, text, n);
    tree->code = HEDDLE_ENOMEM;
    snprintf(tree->message, sizeof tree->message, "out of memory");
    return NULL;
}

static bool copy_texts(struct kernel_tree *tree, const char *preamble, const char *in,
                       const char *out, const char *body, const char *name)
{
    tree->name = heddle__kernel_copy(tree, name ? name : "kernel");
    tree->in = heddle__kernel_copy(tree, in);
    tree->out = heddle__kernel_copy(tree, out);
    tree->body = heddle__kernel_copy(tree, body);
    tree->preamble = heddle__kernel_copy(tree, preamble ? preamble : "");
    return tree->code == HEDDLE_OK;
}

/* In a function of the preamble there is nothing of the kernel's but its types. */
static bool parse_preamble(struct kernel_tree *tree)
{
    const int n = tree->n_symbols;
    struct kernel_reader r = {.tree = tree,
                              .text = tree->preamble,
                              .what = "preamble",
                              .blocks = 1,
                              .shift = strlen(tree->body) + 1};
    for (int i = 0; i < n; i++) tree->symbols[i].depth = -1;
    const bool good = heddle__kernel_helpers(&r);
    for (int i = 0; i < n; i++) tree->symbols[i].depth = 0;
    return good;
}

void heddle__kernel_parse(struct kernel_tree *tree, const char *in, const char *out,
                          const char *body, const char *name)
{
    heddle__kernel_parse_with(tree, NULL, in, out, body, name);
}

void heddle__kernel_parse_with(struct kernel_tree *tree, const char *preamble, const char *in,
                               const char *out, const char *body, const char *name)
{
    *tree = (struct kernel_tree){.code = HEDDLE_OK, .what = "operation"};
    if (!in || !out || !body) {
        tree->code = HEDDLE_EARG;
        snprintf(tree->message, sizeof tree->message, "kernel '%.40s': the %s are NULL",
                 name ? name : "kernel",
                 !in    ? "inputs"
                 : !out ? "outputs"
                        : "operations");
        return;
    }
    if (!copy_texts(tree, preamble, in, out, body, name)) return;
    struct kernel_reader r = {.tree = tree, .text = tree->in, .what = "inputs"};
    if (!heddle__kernel_parameters(&r, KERNEL_INPUT, &tree->n_in)) return;
    r = (struct kernel_reader){.tree = tree, .text = tree->out, .what = "outputs"};
    if (!heddle__kernel_parameters(&r, KERNEL_OUTPUT, &tree->n_out)) return;
    if (!tree->n_out) {
        heddle__kernel_unexpected(&r, "a parameter: a kernel has an output");
        return;
    }
    r = (struct kernel_reader){.tree = tree, .text = tree->body, .what = tree->what};
    if (!heddle__kernel_add_names(&r, true) || !parse_preamble(tree)) return;
    r.blocks = 1;
    heddle__kernel_lex(&r);
    tree->statements = heddle__kernel_statements(&r);
}

void heddle__kernel_free_tree(struct kernel_tree *tree)
{
    void *const programs = atomic_load(&tree->programs);
    if (programs) atomic_load (&tree->free_programs)(programs);
    heddle__arena_free(&tree->arena);
    *tree = (struct kernel_tree){.code = HEDDLE_OK};
}
