/* What the functions of random.h share: checks, and draws by the random rows of ops.def. */
#ifndef HEDDLE_API_RANDOM_DRAWS_H
#define HEDDLE_API_RANDOM_DRAWS_H

#include "graph/make.h"

#include <heddle/random.h>

enum { HEDDLE_DRAWS_MAX_PARAMETERS = 4 };

/* One call of a function that draws. */
struct heddle__draws {
    const char *name; /* without "heddle_" */
    struct heddle_generator *rng;
    int ndim;
    const int64_t *shape;
    enum heddle_dtype dtype; /* NONE: float64 */
    int n;
    struct heddle__parameter {
        heddle_array *array; /* NULL: the default */
        const char *name;
        double least; /* constants are not below it */
        bool required;
    } parameters[HEDDLE_DRAWS_MAX_PARAMETERS];
    struct heddle_shape result;
};

/* Checks all of it, sets `result` and a dtype that is not given. NULL, or an array in error. */
heddle_array *heddle__draws_check(struct heddle__draws *d);
/* The next stream through a row of ops.def, in the result's shape: an array of the innermost scope. */
heddle_array *heddle__draw(struct heddle__draws *d, enum heddle_op op);
/* Parameter i in the dtype; NULL if it is not given. */
heddle_array *heddle__draws_parameter(const struct heddle__draws *d, int i);
/* The number that a constant is; false: it is none. */
bool heddle__constant_value(const heddle_array *a, double *out);

#endif
