/* What the oracle's operations are made of. */
#ifndef HEDDLE_TESTS_ORACLE_VALUES_H
#define HEDDLE_TESTS_ORACLE_VALUES_H

#include "property/oracle.h"

/* Without an array yet, its elements unset. */
struct value value_new(enum heddle_dtype dtype, int ndim, const int64_t *shape);
/* `v` is made from `from`: no more exact than that. */
void value_inherit(struct value *v, const struct value *from);
double value_largest(const struct value *a); /* of the magnitudes */

enum heddle_dtype random_dtype(struct random *r);
double value_round(enum heddle_dtype dtype, double x);
double value_epsilon(enum heddle_dtype dtype);
bool value_is_float(enum heddle_dtype dtype);

struct value value_leaf(struct random *r, bool large);
struct value value_range(struct random *r);
bool value_can_cast(const struct value *a, enum heddle_dtype dtype);
struct value value_cast(const struct value *a, enum heddle_dtype dtype);

/* False: the shapes do not go together. */
bool value_broadcast_shape(const struct value *a, const struct value *b, int *ndim, int64_t *shape);
/* Element `i`, C order, of `v` broadcast to a shape. */
double value_broadcast_at(const struct value *v, int ndim, const int64_t *shape, int64_t i);

#endif
