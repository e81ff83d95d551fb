/* Elementwise calls by row of ops.def; the public functions are one line each over them. */
#ifndef HEDDLE_API_ELEMENTWISE_H
#define HEDDLE_API_ELEMENTWISE_H

#include "graph/make.h"

#include <heddle/elementwise.h>

/* The dtype that the operands of an operation are converted to; fails for dtypes without a rule and
 * scalars out of its range. */
enum heddle_status heddle__operand_dtype(enum heddle_op op, int n, heddle_array *const x[],
                                         enum heddle_dtype *dtype);
heddle_array *heddle__unary(enum heddle_op op, heddle_array *x);
heddle_array *heddle__binary(enum heddle_op op, heddle_array *a, heddle_array *b);

#endif
