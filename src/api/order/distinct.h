/* Distinct elements, for functions of sets. */
#ifndef HEDDLE_API_ORDER_DISTINCT_H
#define HEDDLE_API_ORDER_DISTINCT_H

#include "graph/node.h"

/* Elements in order, their positions before, if these are asked for, and which are the first of their kind. */
struct heddle__runs {
    heddle_array *sorted, *order, *is_first;
};

/* The runs of the rows of a matrix; not evaluated. */
void heddle__row_runs(heddle_array *rows, struct heddle__runs *r);

/* The distinct elements of x in order, all NaNs as one. The innermost scope's, or in error. It evaluates x. */
heddle_array *heddle__distinct(const char *name, heddle_array *x);

#endif
