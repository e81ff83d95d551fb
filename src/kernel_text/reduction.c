/* The texts of a reduction to its trees. Entry points: heddle__kernel_parse_reduction, heddle__kernel_free_reduction. */
#include "kernel_text/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------------------- */

/* Accumulators as parameters of a tree: inputs a0, a1, ... (of one alone also a), or b; outputs have no names. */
static bool add_accumulators(struct kernel_tree *tree, enum kernel_symbol_kind kind, char letter,
                             int n)
{
    static const char names[] = "a0a1a2a3a4a5a6a7b0b1b2b3b4b5b6b7";
    const bool input = kind == KERNEL_INPUT;
    for (int k = 0; k < n; k++) {
        struct kernel_reader at = {.tree = tree, .what = tree->what};
        at.text = names + 2 * k + (letter == 'b' ? 2 * KERNEL_MAX_ACCUMULATORS : 0) + !input;
        at.token = (struct kernel_token){.kind = TOKEN_NAME, .length = input ? 2 : 1};
        const int symbol = heddle__kernel_symbol(&at, kind, (kernel_type)(KERNEL_ACCUMULATOR + k));
        if (symbol < 0) return false;
        tree->symbols[symbol].constant = true;
        tree->symbols[symbol].brief = input && n == 1;
    }
    *(input ? &tree->n_in : &tree->n_out) += n;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------------------- */

/* How many values a text has, with commas between them. */
static int count_values(struct kernel_tree *tree, const char *text)
{
    int n = 1, depth = 0;
    struct kernel_reader r = {.tree = tree, .text = text, .what = tree->what};
    for (heddle__kernel_lex(&r); r.token.kind != TOKEN_END && tree->code == HEDDLE_OK;
         heddle__kernel_lex(&r)) {
        if (r.token.kind != TOKEN_SIGN) continue;
        depth += r.token.sign == SIGN1('(') || r.token.sign == SIGN1('[');
        depth -= r.token.sign == SIGN1(')') || r.token.sign == SIGN1(']');
        n += depth == 0 && r.token.sign == SIGN1(',');
    }
    return n;
}

/* output k = the next expression */
static struct kernel_node *assignment(struct kernel_reader *r, int k)
{
    struct kernel_node *const n = heddle__kernel_node(r, KERNEL_ASSIGN, r->token.at);
    struct kernel_node *const to = heddle__kernel_node(r, KERNEL_SYMBOL, r->token.at);
    if (!n || !to) return NULL;
    to->symbol = r->tree->n_in + k;
    n->a = to;
    n->b = heddle__kernel_expression(r);
    return n->b ? n : NULL;
}

/* The body: a value for each output. */
static void parse_values(struct kernel_tree *tree, bool names)
{
    struct kernel_reader r = {.tree = tree, .text = tree->body, .what = tree->what};
    if (!heddle__kernel_add_names(&r, names)) return;
    r.blocks = 1;
    heddle__kernel_lex(&r);
    tree->statements = heddle__kernel_node(&r, KERNEL_BLOCK, 0);
    if (!tree->statements) return;
    struct kernel_node **into = &tree->statements->a;
    for (int k = 0; k < tree->n_out; k++) {
        char where[60];
        snprintf(where, sizeof where, "and value %d of %d", k + 1, tree->n_out);
        if (k > 0 && !heddle__kernel_expect(&r, SIGN1(','), where)) return;
        if (!(*into = assignment(&r, k))) return;
        into = &(*into)->next;
    }
    if (r.token.kind != TOKEN_END) heddle__kernel_unexpected(&r, "the end of the values");
}

static void parse_statements(struct kernel_tree *tree)
{
    struct kernel_reader r = {.tree = tree, .text = tree->body, .what = tree->what};
    if (!heddle__kernel_add_names(&r, false)) return;
    r.blocks = 1;
    heddle__kernel_lex(&r);
    tree->statements = heddle__kernel_statements(&r);
}

/* The types of accumulators, with commas between them, which may be letters of the map's parameters. */
static void parse_types(struct kernel_tree *map, struct kernel_reduction *r, const char *text)
{
    struct kernel_reader at = {.tree = map, .text = text, .what = "types of accumulators"};
    heddle__kernel_lex(&at);
    for (int k = 0; k < r->n; k++) {
        const size_t begin = at.token.at;
        if (k > 0 && !heddle__kernel_expect(&at, SIGN1(','), "and a type for each accumulator"))
            return;
        if (!heddle__kernel_take_type(&at, false, &r->types[k])) return;
        if (r->types[k] == HEDDLE_DTYPE_NONE)
            heddle__kernel_fail(&at, HEDDLE_ESYNTAX, begin, "an accumulator's type is not auto");
    }
    if (at.token.kind != TOKEN_END)
        heddle__kernel_unexpected(&at, "the end, as there is no further accumulator");
}

/* ---- Trees ------------------------------------------------------------------------------------------------- */

/* A tree of the kernel of `map`, which knows the letters that `map` does. */
static bool begin_tree(struct kernel_tree *tree, const struct kernel_tree *map, const char *what,
                       const char *body)
{
    *tree = (struct kernel_tree){.code = HEDDLE_OK, .name = map->name, .what = what};
    memcpy(tree->letters, map->letters, sizeof tree->letters);
    tree->in = tree->out = "";
    tree->body = heddle__kernel_copy(tree, body);
    return tree->body != NULL;
}

static bool begin_map(struct kernel_tree *map, const char *in, const char *text, const char *name)
{
    map->name = heddle__kernel_copy(map, name ? name : "reduction");
    map->in = heddle__kernel_copy(map, in);
    map->out = "";
    map->body = heddle__kernel_copy(map, text);
    if (map->code != HEDDLE_OK) return false;
    struct kernel_reader r = {.tree = map, .text = map->in, .what = "inputs"};
    return heddle__kernel_parameters(&r, KERNEL_INPUT, &map->n_in);
}

/* n: how many elements became one, an input after the accumulators. */
static bool add_count(struct kernel_tree *tree)
{
    struct kernel_reader at = {.tree = tree, .text = "n", .what = tree->what};
    at.token = (struct kernel_token){.kind = TOKEN_NAME, .length = 1};
    const int symbol = heddle__kernel_symbol(&at, KERNEL_INPUT, HEDDLE_INT64);
    if (symbol < 0) return false;
    tree->symbols[symbol].constant = true;
    tree->n_in++;
    return true;
}

/* The tree of the post-map up to its outputs. */
static bool begin_post(struct kernel_tree *post, const struct kernel_tree *map, const char *out,
                       const char *text, int n)
{
    if (!begin_tree(post, map, "post-map", text) || !(post->out = heddle__kernel_copy(post, out)) ||
        !add_accumulators(post, KERNEL_INPUT, 'a', n) || !add_count(post))
        return false;
    struct kernel_reader r = {.tree = post, .text = post->out, .what = "outputs"};
    if (!heddle__kernel_parameters(&r, KERNEL_OUTPUT, &post->n_out)) return false;
    if (!post->n_out) return heddle__kernel_unexpected(&r, "a parameter: a kernel has an output");
    for (int i = post->n_in; i < post->n_in + post->n_out; i++)
        if (post->symbols[i].raw)
            return heddle__kernel_fail(&r, HEDDLE_ESYNTAX, 0, "outputs of a reduction are not raw");
    return true;
}

/* Whether a tree is good; the first error becomes that of the kernel. */
static bool good(struct kernel_tree *map, const struct kernel_tree *tree)
{
    if (map->code == HEDDLE_OK && tree->code != HEDDLE_OK) {
        map->code = tree->code;
        memcpy(map->message, tree->message, sizeof map->message);
    }
    return map->code == HEDDLE_OK;
}

static bool parse_reduce(struct kernel_tree *map, struct kernel_reduction *r, const char *text)
{
    struct kernel_tree *const tree = &r->reduce;
    if (begin_tree(tree, map, "reduction", text) &&
        add_accumulators(tree, KERNEL_INPUT, 'a', r->n) &&
        add_accumulators(tree, KERNEL_INPUT, 'b', r->n) &&
        add_accumulators(tree, KERNEL_OUTPUT, 0, r->n))
        parse_values(tree, false);
    return good(map, tree);
}

static bool parse_identity(struct kernel_tree *map, struct kernel_reduction *r, const char *text)
{
    struct kernel_tree *const tree = &r->identity;
    r->has_identity = text && *text;
    if (r->has_identity && begin_tree(tree, map, "identity", text) &&
        add_accumulators(tree, KERNEL_OUTPUT, 0, r->n))
        parse_values(tree, false);
    return good(map, tree);
}

static const char *missing(const char *in, const char *out, const char *map, const char *reduce,
                           const char *post)
{
    return !in       ? "inputs"
           : !out    ? "outputs"
           : !map    ? "map"
           : !reduce ? "reduction"
           : !post   ? "post-map"
                     : NULL;
}

void heddle__kernel_parse_reduction(struct kernel_tree *map, struct kernel_reduction *r,
                                    const char *in, const char *out, const char *map_text,
                                    const char *reduce, const char *post, const char *identity,
                                    const char *types, const char *name)
{
    *map = (struct kernel_tree){.code = HEDDLE_OK, .what = "map"};
    const char *const none = missing(in, out, map_text, reduce, post);
    if (none) {
        map->code = HEDDLE_EARG;
        snprintf(map->message, sizeof map->message, "kernel '%.40s': its %s is NULL",
                 name ? name : "reduction", none);
        return;
    }

    /* parameters */
    if (!begin_map(map, in, map_text, name)) return;
    r->n = count_values(map, map->body);
    if (r->n > KERNEL_MAX_ACCUMULATORS) {
        map->code = HEDDLE_EUNSUPPORTED;
        snprintf(map->message, sizeof map->message, "kernel '%.40s', map: %d values, more than %d",
                 map->name, r->n, (int)KERNEL_MAX_ACCUMULATORS);
    }
    if (map->code != HEDDLE_OK || !add_accumulators(map, KERNEL_OUTPUT, 0, r->n)) return;
    begin_post(&r->post, map, out, post, r->n);
    if (!good(map, &r->post)) return;
    memcpy(map->letters, r->post.letters, sizeof map->letters);

    /* what is computed with them */
    parse_values(map, true);
    if (map->code == HEDDLE_OK && types && *types) parse_types(map, r, types);
    if (map->code != HEDDLE_OK || !parse_reduce(map, r, reduce)) return;
    parse_statements(&r->post);
    if (good(map, &r->post)) parse_identity(map, r, identity);
}

void heddle__kernel_free_reduction(struct kernel_reduction *r)
{
    heddle__kernel_free_tree(&r->reduce);
    heddle__kernel_free_tree(&r->post);
    heddle__kernel_free_tree(&r->identity);
}
