/* Elementwise calls by row of ops.def; the public functions are one line each over them. */
#ifndef HEDDLE_API_ELEMENTWISE_H
#define HEDDLE_API_ELEMENTWISE_H

#include "graph/make.h"

#include <heddle/elementwise.h>

heddle_array *heddle__unary(enum heddle_op op, heddle_array *x);
heddle_array *heddle__binary(enum heddle_op op, heddle_array *a, heddle_array *b);

#endif
