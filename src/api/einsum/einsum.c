/* Sums of products by subscripts. Entry point: heddle_einsum. */
#include "api/einsum/einsum.h"

#include "api/compose/compose.h"

#include <heddle/linalg.h>

/* What the output and the terms other than a and b need. */
static uint64_t needed(const struct heddle_einsum *e, int n_terms, const bool *gone, int a, int b)
{
    uint64_t keep = heddle__einsum_labels(e->n_out, e->out);
    for (int i = 0; i < n_terms; i++)
        if (!gone[i] && i != a && i != b)
            keep |= heddle__einsum_labels(e->term[i].n, e->term[i].label);
    return keep;
}

/* Whether the last axis of the output is the term's: a product by matmul has the axes of its second operand there. */
static bool ends_output(const struct heddle_einsum *e, const struct heddle_einsum_term *t)
{
    if (e->n_out == 0) return false;
    return heddle__einsum_labels(t->n, t->label) >> e->out[e->n_out - 1] & 1;
}

/* The terms to the result; in a scope of its own. */
static heddle_array *contract(struct heddle_einsum *e)
{
    bool gone[2 * HEDDLE_EINSUM_MAX_TERMS] = {false};
    const int last = 2 * e->n - 2;
    for (int i = 0; i < e->n; i++) {
        e->term[i].array = heddle_astype(e->term[i].array, e->dtype);
        e->term[i] = heddle__einsum_reduce(e, &e->term[i], needed(e, e->n, gone, i, i));
    }
    if (heddle__einsum_order(e) != HEDDLE_OK) return heddle__error_last();
    for (int s = 0; s < e->n - 1; s++) {
        int a = e->step[s].a, b = e->step[s].b;
        const int r = e->n + s;
        if (s == e->n - 2 && ends_output(e, &e->term[a])) a = b, b = e->step[s].a;
        e->term[r] = heddle__einsum_contract(e, &e->term[a], &e->term[b], needed(e, r, gone, a, b));
        gone[a] = gone[b] = true;
        if (heddle_status_of(e->term[r].array) != HEDDLE_OK) return e->term[r].array;
    }
    return heddle__einsum_arranged(e, &e->term[last], e->n_out, e->out);
}

heddle_array *heddle_einsum(const char *subscripts, int n, heddle_array *const arrays[])
{
    /* check */
    heddle_array *const bad = heddle__bad_list("einsum", n, arrays);
    if (bad) return bad;
    if (!subscripts) return heddle__error_array(HEDDLE_EARG, "heddle_einsum: no subscripts");
    if (n > HEDDLE_EINSUM_MAX_TERMS)
        return heddle__error_array(HEDDLE_EARG, "heddle_einsum: %d arrays, more than %d", n,
                                   HEDDLE_EINSUM_MAX_TERMS);
    struct heddle_einsum e = {.dtype = heddle__promote(n, arrays)};
    if (heddle__einsum_parse(&e, subscripts, n, arrays) != HEDDLE_OK) return heddle__error_last();

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, contract(&e));
}
