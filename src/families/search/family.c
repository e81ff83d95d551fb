/* What the core knows of searching. */
#include "base/hash.h"
#include "base/text.h"
#include "families/search/search.h"

/* Halvings that find one of n + 1 places. */
static int halvings(int64_t n)
{
    int steps = 1;
    for (; n > 1; n -= n / 2) steps++;
    return steps;
}

/* Each halving reads an element, which is seldom in the nearest cache. */
static double work(const heddle_array *node)
{
    return (double)node->in[0]->size + 8 * (double)node->size * (1 + halvings(node->in[0]->size));
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    static const char *const names[] = {" left", " right", " member", " line"};
    const struct heddle_search_params *params = heddle__params_of(node);
    heddle__text_put(text, "%s", names[params->what]);
}

/* A halving of a long row takes longer than one of a short row. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_search *s = arguments;
    return heddle__hash_word((uint64_t)s->dtype | (uint64_t)s->what << 8, (uint64_t)halvings(s->n));
}

const struct heddle_family_info heddle__search_family = {
    .name = "search",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_search_params),
    .work = work,
    .print = print,
    .cut = heddle__search_cut,
    .id = HEDDLE_FAMILY_SEARCH,
    .cost_key = cost_key,
};
