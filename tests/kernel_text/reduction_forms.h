/* Shapes whose axes are reduced, for tests of reductions from text: the elements of each result by plain loops. */
#ifndef HEDDLE_TESTS_REDUCTION_FORMS_H
#define HEDDLE_TESTS_REDUCTION_FORMS_H

#include "check_heddle.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

/* A shape, and which of its axes are reduced: bits of a mask. */
struct form {
    int ndim;
    int64_t shape[3];
    unsigned mask;
};

static inline int64_t size_of(const struct form *f, bool kept)
{
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++)
        if (!kept || !(f->mask >> d & 1)) n *= f->shape[d];
    return n;
}

/* The places of the elements of result r, in C order; how many there are. */
static inline int64_t places_of(const struct form *f, int64_t r, int64_t *places)
{
    int64_t n = 0;
    for (int64_t i = 0, size = size_of(f, false); i < size; i++) {
        int64_t rest = i, result = 0, stride = 1;
        for (int d = f->ndim - 1; d >= 0; d--) {
            const int64_t k = rest % f->shape[d];
            rest /= f->shape[d];
            if (f->mask >> d & 1) continue;
            result += k * stride;
            stride *= f->shape[d];
        }
        if (result == r) places[n++] = i;
    }
    return n;
}

static inline struct heddle_axes axes_of(const struct form *f)
{
    struct heddle_axes axes = {.count = 0};
    for (int d = 0; d < f->ndim; d++)
        if (f->mask >> d & 1) axes.at[axes.count++] = d % 2 ? d - f->ndim : d;
    if (axes.count == 0) axes.count = -1;
    return axes;
}

/* All results of a kernel as float64 or int64, which hold them. */
static inline void results(heddle_kernel *k, int n_in, heddle_array *const in[],
                           const struct form *f, int n_out, enum heddle_dtype as,
                           void *const into[])
{
    heddle_array *out[4] = {NULL, NULL, NULL, NULL};
    const bool keepdims = random_word() % 2;
    CHECK(heddle_kernel_reduce_call(k, n_in, in, n_out, out, .axes = axes_of(f),
                                    .keepdims = keepdims) == HEDDLE_OK,
          "%s", heddle_last_error());
    for (int j = 0; j < n_out && out[j]; j++) {
        heddle_array *const r = heddle_astype(out[j], as);
        int at = 0;
        for (int d = 0; d < f->ndim; d++)
            if (keepdims || !(f->mask >> d & 1))
                CHECK_EQ(heddle_shape(out[j])[at++], f->mask >> d & 1 ? 1 : f->shape[d]);
        CHECK_EQ(heddle_ndim(out[j]), at);
        CHECK(heddle_read(r, into[j], heddle_nbytes(r)) == HEDDLE_OK, "%s", heddle_error(r));
    }
}

#endif
