/* Distinct elements, for functions of sets. */
#ifndef HEDDLE_API_ORDER_DISTINCT_H
#define HEDDLE_API_ORDER_DISTINCT_H

#include "graph/node.h"

/* The distinct elements of x in order, all NaNs as one. The innermost scope's, or in error. It evaluates x. */
heddle_array *heddle__distinct(const char *name, heddle_array *x);

#endif
