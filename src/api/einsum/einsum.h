/* einsum: subscripts are parsed to terms, an order of steps is chosen by cost, and each step contracts two terms.
 * Entry point: heddle_einsum. */
#ifndef HEDDLE_API_EINSUM_EINSUM_H
#define HEDDLE_API_EINSUM_EINSUM_H

#include "graph/infer.h"

enum {
    HEDDLE_EINSUM_MAX_TERMS = 32,
    HEDDLE_EINSUM_ELLIPSIS =
        52, /* the labels of the axes of "...", after 'A' to 'Z' and 'a' to 'z' */
    HEDDLE_EINSUM_LABELS = HEDDLE_EINSUM_ELLIPSIS + HEDDLE_MAX_NDIM,
};

/* An array with a label for each axis. */
struct heddle_einsum_term {
    heddle_array *array;
    int n;
    int8_t label[HEDDLE_MAX_NDIM];
};

/* Two terms that a step contracts, by their numbers: operands first, then the results of steps. */
struct heddle_einsum_step {
    int8_t a, b;
};

struct heddle_einsum {
    int n;
    struct heddle_einsum_term
        term[2 * HEDDLE_EINSUM_MAX_TERMS]; /* operands, then results of steps */
    int n_out;
    int8_t out[HEDDLE_MAX_NDIM];
    int64_t extent[HEDDLE_EINSUM_LABELS]; /* 0 of labels that are nowhere */
    enum heddle_dtype dtype;
    struct heddle_einsum_step step[HEDDLE_EINSUM_MAX_TERMS];
};

/* Reads the subscripts: terms, output and extents. HEDDLE_EARG, HEDDLE_ESHAPE. */
enum heddle_status heddle__einsum_parse(struct heddle_einsum *e, const char *text, int n,
                                        heddle_array *const arrays[]);

/* Chooses the n - 1 steps. HEDDLE_ESHAPE: each order has an intermediate array of too many axes. */
enum heddle_status heddle__einsum_order(struct heddle_einsum *e);

/* The term without repeated labels and without those that are not in `keep`, which are summed. */
struct heddle_einsum_term heddle__einsum_reduce(const struct heddle_einsum *e,
                                                const struct heddle_einsum_term *t, uint64_t keep);
/* The product of two terms without repeated labels, summed over the labels that are not in `keep`. */
struct heddle_einsum_term heddle__einsum_contract(const struct heddle_einsum *e,
                                                  const struct heddle_einsum_term *a,
                                                  const struct heddle_einsum_term *b,
                                                  uint64_t keep);
/* The term's elements with axes as `labels` say; where the term has no such label it is broadcast. */
heddle_array *heddle__einsum_arranged(const struct heddle_einsum *e,
                                      const struct heddle_einsum_term *t, int n,
                                      const int8_t *labels);

static inline uint64_t heddle__einsum_labels(int n, const int8_t *labels)
{
    uint64_t mask = 0;
    for (int i = 0; i < n; i++) mask |= UINT64_C(1) << labels[i];
    return mask;
}

#endif
