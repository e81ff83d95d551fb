/* A reduction's map and operation inside a loop over the elements of a row's block (form.h, kernel_rows): the tree of a
 * kernel with raw inputs. The loop is a text; the expressions are copied into its two blocks, before the step. Entry points:
 * heddle__kernel_make_loop, heddle__kernel_loops. */
#include "kernel_text/reader.h"

#include <stdio.h>
#include <string.h>

/* x: the first input that is read by index. Its extents are the numbers of the rows. */
static const char loop_text[] =
    "const long length = x.shape()[0], size = x.shape()[1], step = x.shape()[2];"
    "const long blocks = length / size, number = i / step, block = number % blocks;"
    "const long begin = number / blocks * length + block * size;"
    "const long end = block == blocks - 1 ? (number / blocks + 1) * length : begin + size;"
    "long at = begin + i % step;"
    "{ at += step; }"
    "while (at < end) { at += step; }";

struct maker {
    struct kernel_reader reader;
    const struct kernel_tree *map;
    const struct kernel_reduction *texts;
    int x, at;                          /* symbols: the input that has the numbers; the place */
    int next[KERNEL_MAX_ACCUMULATORS];  /* that have the values of the element, */
    int after[KERNEL_MAX_ACCUMULATORS]; /* and what the operation gives */
};

/* ---- Nodes ----------------------------------------------------------------------------------------------- */

/* NULL of each of these: the tree has its error. */
static struct kernel_node *node_of(struct maker *m, enum kernel_kind kind, int symbol)
{
    struct kernel_node *const n = heddle__kernel_node(&m->reader, kind, 0);
    if (n) n->symbol = symbol;
    return n;
}

/* What a name of the map is in the loop. */
static struct kernel_node *name_in_map(struct maker *m, int symbol)
{
    const struct kernel_symbol *const s = &m->map->symbols[symbol];
    if (s->kind == KERNEL_INDEX) return node_of(m, KERNEL_SYMBOL, m->at);
    if (s->kind == KERNEL_SIZE) return node_of(m, KERNEL_EXTENT, m->x);
    if (!m->reader.tree->symbols[symbol].raw) return node_of(m, KERNEL_SYMBOL, symbol);
    struct kernel_node *const n = node_of(m, KERNEL_ELEMENT, symbol);
    if (n) n->b = node_of(m, KERNEL_SYMBOL, m->at);
    return n && n->b ? n : NULL;
}

/* What one of the operation's is: a0, a1, ..., b0, b1, ... */
static struct kernel_node *name_in_operation(struct maker *m, int symbol)
{
    const int n = m->texts->n;
    return node_of(m, KERNEL_SYMBOL,
                   symbol < n ? m->reader.tree->n_in + symbol : m->next[symbol - n]);
}

static struct kernel_node *copy(struct maker *m, const struct kernel_node *from, bool of_map)
{
    if (from->kind == KERNEL_SYMBOL)
        return of_map ? name_in_map(m, from->symbol) : name_in_operation(m, from->symbol);
    struct kernel_node *const n = node_of(m, (enum kernel_kind)from->kind, from->symbol);
    if (!n) return NULL;
    n->op = from->op;
    n->type = from->type;
    n->value = from->value;
    if (from->a && !(n->a = copy(m, from->a, of_map))) return NULL;
    if (from->b && !(n->b = copy(m, from->b, of_map))) return NULL;
    if (from->c && !(n->c = copy(m, from->c, of_map))) return NULL;
    return n;
}

static struct kernel_node *assign(struct maker *m, int symbol, struct kernel_node *value)
{
    struct kernel_node *const n = node_of(m, KERNEL_ASSIGN, -1);
    if (!n || !value || !(n->a = node_of(m, KERNEL_SYMBOL, symbol))) return NULL;
    n->b = value;
    return n;
}

/* Of a new name of accumulator k's type. */
static struct kernel_node *declare(struct maker *m, int k, int *symbol, struct kernel_node *value)
{
    *symbol = heddle__kernel_hidden(&m->reader, (kernel_type)(KERNEL_ACCUMULATOR + k));
    struct kernel_node *const n = node_of(m, KERNEL_DECLARE, *symbol);
    if (!n || !value || *symbol < 0) return NULL;
    n->a = value;
    return n;
}

/* ---- Statements ------------------------------------------------------------------------------------------ */

/* The value that a text of values gives for accumulator k. */
static const struct kernel_node *value_of(const struct kernel_tree *tree, int k)
{
    const struct kernel_node *n = tree->statements->a;
    while (k-- > 0) n = n->next;
    return n->b;
}

static bool put(struct kernel_node ***into, struct kernel_node *n)
{
    if (!n) return false;
    **into = n;
    *into = &n->next;
    return true;
}

/* Accumulators, which are the outputs, begin as the values of the first element. */
static bool first_element(struct maker *m, struct kernel_node **into)
{
    struct kernel_node *const step = *into;
    for (int k = 0; k < m->texts->n; k++)
        if (!put(&into, assign(m, m->reader.tree->n_in + k, copy(m, value_of(m->map, k), true))))
            return false;
    *into = step;
    return true;
}

/* All of them change at once: but for the last one, what they become is kept till all is known. */
static bool next_element(struct maker *m, struct kernel_node **into)
{
    const int n = m->texts->n, out = m->reader.tree->n_in;
    struct kernel_node *const step = *into;
    for (int k = 0; k < n; k++)
        if (!put(&into, declare(m, k, &m->next[k], copy(m, value_of(m->map, k), true))))
            return false;
    for (int k = 0; k < n; k++) {
        struct kernel_node *const value = copy(m, value_of(&m->texts->reduce, k), false);
        if (!put(&into, k < n - 1 ? declare(m, k, &m->after[k], value) : assign(m, out + k, value)))
            return false;
    }
    for (int k = 0; k < n - 1; k++)
        if (!put(&into, assign(m, out + k, node_of(m, KERNEL_SYMBOL, m->after[k])))) return false;
    *into = step;
    return true;
}

/* ---- Trees ----------------------------------------------------------------------------------------------- */

static bool is_expression(const struct kernel_node *n)
{
    if (!n) return true;
    const bool fits = n->kind == KERNEL_NUMBER || n->kind == KERNEL_SYMBOL ||
                      (n->kind >= KERNEL_UNARY && n->kind <= KERNEL_CALL);
    return fits && is_expression(n->a) && is_expression(n->b) && is_expression(n->c);
}

bool heddle__kernel_loops(const struct kernel_tree *map)
{
    for (const struct kernel_node *n = map->statements->a; n; n = n->next)
        if (!is_expression(n->b)) return false;
    return true;
}

/* The parameters: inputs as the map has them, accumulators as outputs. */
static bool add_parameters(struct maker *m, unsigned scalars)
{
    struct kernel_tree *const tree = m->reader.tree;
    m->x = -1;
    for (int i = 0; i < m->map->n_in + m->texts->n; i++) {
        const bool input = i < m->map->n_in;
        const kernel_type type =
            input ? m->map->symbols[i].type : (kernel_type)(KERNEL_ACCUMULATOR + i - m->map->n_in);
        if (heddle__kernel_hidden(&m->reader, type) < 0) return false;
        struct kernel_symbol *const s = &tree->symbols[i];
        s->kind = input ? KERNEL_INPUT : KERNEL_OUTPUT;
        s->constant = input;
        s->raw = input && !(scalars >> i & 1);
        if (!s->raw || m->x >= 0) continue;
        m->x = i;
        s->name = "x";
        s->length = 1;
    }
    tree->n_in = m->map->n_in;
    tree->n_out = m->texts->n;
    return true;
}

/* Both texts, which tell what it costs from others. */
static const char *both_texts(struct kernel_tree *tree, const char *map, const char *reduce)
{
    const size_t room = strlen(map) + strlen(reduce) + 3;
    char *const text = heddle__arena_alloc(&tree->arena, room);
    if (text) snprintf(text, room, "%s; %s", map, reduce);
    return text;
}

static struct kernel_node *block_in(struct kernel_node *list, enum kernel_kind kind)
{
    while (list && list->kind != kind) list = list->next;
    return list;
}

bool heddle__kernel_make_loop(struct kernel_tree *tree, const struct kernel_tree *map,
                              const struct kernel_reduction *texts, unsigned scalars)
{
    *tree = (struct kernel_tree){.name = map->name, .what = "reduction", .in = "", .out = ""};
    memcpy(tree->letters, map->letters, sizeof tree->letters);
    struct maker m = {.reader = {.tree = tree, .text = loop_text, .what = tree->what},
                      .map = map,
                      .texts = texts};
    tree->preamble = "";
    tree->body = both_texts(tree, map->body, texts->reduce.body);
    if (!tree->body || !add_parameters(&m, scalars) || !heddle__kernel_add_names(&m.reader, true))
        return false;
    m.reader.blocks = 1;
    heddle__kernel_lex(&m.reader);
    tree->statements = heddle__kernel_statements(&m.reader);
    if (tree->code != HEDDLE_OK || !tree->statements) return false;
    const int declared =
        tree->n_in + tree->n_out + 2; /* the first name of the text, after i and n */
    m.at = declared + 8;
    struct kernel_node *const first = block_in(tree->statements->a, KERNEL_BLOCK),
                              *const loop = block_in(tree->statements->a, KERNEL_LOOP);
    tree->lanes = (struct kernel_lanes){first, loop, m.at, declared + 7, declared + 2, m.x};
    return first_element(&m, &first->a) && next_element(&m, &loop->b->a);
}
