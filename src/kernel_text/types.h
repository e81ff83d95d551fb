/* What a tree's types are for certain arguments: by C's rules, of which each value has one. */
#ifndef HEDDLE_KERNEL_TEXT_TYPES_H
#define HEDDLE_KERNEL_TEXT_TYPES_H

#include "kernel_text/tree.h"

struct kernel_types {
    unsigned char letters[128];                /* the dtype of each letter; 0: not known */
    unsigned char symbols[KERNEL_MAX_SYMBOLS]; /* what is computed in: no halves */
    unsigned char *nodes;                      /* of values, by the node's number */
};

/* The dtype that a type is; HEDDLE_DTYPE_NONE: its letter is not known. */
enum heddle_dtype heddle__kernel_dtype(const struct kernel_types *types, kernel_type type);

/* Fills `symbols` and `nodes`, which has tree->n_nodes. The letters are known. HEDDLE_EDTYPE: the text does with the
 * types what C does not. */
enum heddle_status heddle__kernel_check(const struct kernel_tree *tree, struct kernel_types *types);

/* C's conversions: of an operand alone, and of two. */
enum heddle_dtype heddle__c_promoted(enum heddle_dtype dtype);
enum heddle_dtype heddle__c_common(enum heddle_dtype a, enum heddle_dtype b);

/* Sets this thread's error, at a byte of the operation's text; returns the code. */
enum heddle_status heddle__kernel_fail_at(const struct kernel_tree *tree, enum heddle_status code,
                                          size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the tree has a loop of the caller's, and it takes the parameters in the types that they are computed in. */
bool heddle__kernel_loop_fits(const struct kernel_tree *tree, const struct kernel_types *types);

#endif
