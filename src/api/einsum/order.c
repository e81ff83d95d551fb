/* The order of einsum's steps: of few operands the one with the least products, found over all subsets; of more a
 * greedy one, which takes the pair whose result is smallest beside what it replaces.
 * Entry point: heddle__einsum_order. */
#include "api/einsum/einsum.h"
#include "base/error.h"

#include <math.h>

enum { ALL_ORDERS = 8 }; /* so many operands have 6561 pairs of subsets */

static double size_of(const struct heddle_einsum *e, uint64_t labels)
{
    double size = 1;
    for (int l = 0; l < HEDDLE_EINSUM_LABELS; l++)
        if (labels & UINT64_C(1) << l) size *= (double)e->extent[l];
    return size;
}

/* What a step costs: its products, and its elements, written and read again. */
static double cost_of(const struct heddle_einsum *e, uint64_t a, uint64_t b, uint64_t result)
{
    if (__builtin_popcountll(result) > HEDDLE_MAX_NDIM) return INFINITY;
    return size_of(e, a | b) + 2 * size_of(e, result);
}

static uint64_t labels_of(const struct heddle_einsum *e, int i)
{
    return heddle__einsum_labels(e->term[i].n, e->term[i].label);
}

/* ---- All orders ----------------------------------------------------------------------------------- */

struct best {
    double cost;
    uint64_t labels; /* of the result */
    uint32_t half;   /* the subset that is contracted with the rest */
};

/* The steps that make the subset; gives the number of its term. */
static int8_t take_steps(struct heddle_einsum *e, const struct best *best, uint32_t subset, int *n)
{
    if ((subset & (subset - 1)) == 0) return (int8_t)__builtin_ctz(subset);
    const uint32_t half = best[subset].half;
    const int8_t a = take_steps(e, best, half, n), b = take_steps(e, best, subset & ~half, n);
    e->step[*n] = (struct heddle_einsum_step){a, b};
    return (int8_t)(e->n + (*n)++);
}

static enum heddle_status best_order(struct heddle_einsum *e)
{
    struct best best[1 << ALL_ORDERS];
    const uint32_t all = (1u << e->n) - 1;
    uint64_t joined[1 << ALL_ORDERS] = {0}; /* the labels of the operands of a subset */
    for (uint32_t s = 1; s <= all; s++)
        joined[s] = joined[s & (s - 1)] | labels_of(e, __builtin_ctz(s));
    const uint64_t out = heddle__einsum_labels(e->n_out, e->out);
    for (uint32_t s = 1; s <= all; s++) {
        best[s] = (struct best){.cost = INFINITY, .labels = joined[s] & (out | joined[all & ~s])};
        if ((s & (s - 1)) == 0) best[s].cost = 0;
        /* each pair once: the half with the lowest operand is the first */
        for (uint32_t half = (s - 1) & s; half; half = (half - 1) & s) {
            const struct best *a = &best[half], *b = &best[s & ~half];
            if (!(half & s & -s) || a->cost + b->cost >= best[s].cost) continue;
            const double cost =
                a->cost + b->cost + cost_of(e, a->labels, b->labels, best[s].labels);
            if (cost >= best[s].cost) continue;
            best[s].cost = cost;
            best[s].half = half;
        }
    }
    HEDDLE_REQUIRE(isfinite(best[all].cost), HEDDLE_ESHAPE,
                   "heddle_einsum: each order makes an array of more than %d axes",
                   HEDDLE_MAX_NDIM);
    int n = 0;
    take_steps(e, best, all, &n);
    return HEDDLE_OK;
}

/* ---- Greedy --------------------------------------------------------------------------------------- */

static enum heddle_status greedy_order(struct heddle_einsum *e)
{
    int8_t term[HEDDLE_EINSUM_MAX_TERMS];
    uint64_t labels[HEDDLE_EINSUM_MAX_TERMS];
    for (int i = 0; i < e->n; i++) {
        term[i] = (int8_t)i;
        labels[i] = labels_of(e, i);
    }
    for (int step = 0, left = e->n; left > 1; step++, left--) {
        double least = INFINITY;
        int a = -1, b = -1;
        uint64_t result = 0;
        for (int i = 0; i < left; i++)
            for (int k = i + 1; k < left; k++) {
                uint64_t keep = heddle__einsum_labels(e->n_out, e->out);
                for (int o = 0; o < left; o++)
                    if (o != i && o != k) keep |= labels[o];
                keep &= labels[i] | labels[k];
                if (__builtin_popcountll(keep) > HEDDLE_MAX_NDIM) continue;
                const double grows =
                    size_of(e, keep) - size_of(e, labels[i]) - size_of(e, labels[k]);
                if (a >= 0 && grows >= least) continue;
                least = grows;
                a = i;
                b = k;
                result = keep;
            }
        HEDDLE_REQUIRE(a >= 0, HEDDLE_ESHAPE,
                       "heddle_einsum: a step makes an array of more than %d axes",
                       HEDDLE_MAX_NDIM);
        e->step[step] = (struct heddle_einsum_step){term[a], term[b]};
        term[a] = (int8_t)(e->n + step);
        labels[a] = result;
        term[b] = term[left - 1];
        labels[b] = labels[left - 1];
    }
    return HEDDLE_OK;
}

enum heddle_status heddle__einsum_order(struct heddle_einsum *e)
{
    return e->n <= ALL_ORDERS ? best_order(e) : greedy_order(e);
}
