/* What the files share that record a kernel's text as operations. */
#ifndef HEDDLE_API_STRAIGHT_H
#define HEDDLE_API_STRAIGHT_H

#include "api/kernels/kernels.h"

/* What a name or an expression is while the text is followed: an array of the value's type, or a number that is known,
 * as a loop's counter is. */
struct kernel_value {
    heddle_array *array; /* NULL: `number` */
    union heddle_scalar number;
};

struct straight {
    const struct heddle__kernel_call *call;
    struct kernel_value *names; /* of each cell of the symbols */
    struct heddle_arena arena;
    const struct kernel_helper *helper; /* the function whose body it is, or NULL */
    heddle_array *index;                /* heddle__kernel_places, once i was asked for */
    int loops;                          /* around, and functions */
    int n_steps;                        /* recorded inside loops */
    int n_rounds;                       /* of loops */
    bool crooked;                       /* the text is no straight line */
    bool no_memory;
};

/* The value of a name, or of a local array's first element. */
static inline struct kernel_value *heddle__straight_name(const struct straight *s, int symbol)
{
    return s->names + s->call->tree->symbols[symbol].cell;
}
/* That of an element whose index is known; NULL: it is not, or the array has none. *known: which of them. */
struct kernel_value *heddle__straight_element(struct straight *s, const struct kernel_node *n,
                                              bool *known);
/* Follows the body of a function of the preamble, whose arguments are in its names. */
void heddle__straight_helper(struct straight *s, const struct kernel_helper *h);

/* The value of an expression, in its type. */
struct kernel_value heddle__straight_value(struct straight *s, const struct kernel_node *n);
/* From one type to another. */
struct kernel_value heddle__straight_cast(struct kernel_value v, enum heddle_dtype from,
                                          enum heddle_dtype to);
/* As an array of the type. */
heddle_array *heddle__straight_array(struct kernel_value v, enum heddle_dtype dtype);
static inline enum heddle_dtype heddle__straight_type(const struct straight *s,
                                                      const struct kernel_node *n)
{
    return (enum heddle_dtype)s->call->types.nodes[n->number];
}

/* op of two operands of one type as C does it. */
heddle_array *heddle__straight_operation(enum kernel_operator op, enum heddle_dtype dtype,
                                         heddle_array *a, heddle_array *b);
/* A function of arguments of one type; `dtype` is that of the result. */
heddle_array *heddle__straight_function(enum kernel_function f, enum heddle_dtype in,
                                        heddle_array *a, heddle_array *b);
/* op of known numbers of one type, of which `b` may not count. False: it is left to the operations. */
bool heddle__straight_fold(enum kernel_operator op, enum heddle_dtype dtype, union heddle_scalar a,
                           union heddle_scalar b, union heddle_scalar *out);

#endif
