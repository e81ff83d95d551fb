/* A random index of all kinds, and which elements it selects, found one by one. */
#ifndef HEDDLE_TESTS_FAMILIES_RANDOM_INDEX_H
#define HEDDLE_TESTS_FAMILIES_RANDOM_INDEX_H

#include "property/oracle_values.h"

enum { RANDOM_INDICES = 16 };

struct random_index {
    int n;
    struct heddle_index index[RANDOM_INDICES];
    int ndim; /* of what is selected */
    int64_t shape[HEDDLE_MAX_NDIM], size;
    int64_t *at;     /* the positions of these elements in C order; the caller's to free */
    bool mask_alone; /* a[mask] */
};

/* For an array of that shape. False: it would select too much, or have too many axes. */
bool random_index(struct random *r, int ndim, const int64_t *shape, struct random_index *out);

#endif
