/* Binomial numbers, for what is made of them. */
#ifndef HEDDLE_API_RANDOM_SEEDED_H
#define HEDDLE_API_RANDOM_SEEDED_H

#include "api/random/draws.h"

/* heddle_random_binomial under another name. */
heddle_array *heddle__binomial(const char *name, struct heddle_generator *rng, int ndim,
                               const int64_t *shape, heddle_array *n, heddle_array *p,
                               enum heddle_dtype dtype);

#endif
