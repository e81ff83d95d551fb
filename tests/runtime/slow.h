/* Arrays of n doubles that are not known before they are computed, and such that take their time. Each is
 * owned by the caller. */
#ifndef HEDDLE_TESTS_SLOW_H
#define HEDDLE_TESTS_SLOW_H

#include <heddle.h>
#include <string.h>
#include <time.h>

/* Every element is `value`. */
static inline heddle_array *computed(int64_t n, double value)
{
    heddle_array *ones = heddle_ones(1, &n), *by = heddle_scalar(value);
    heddle_array *a = heddle_multiply(ones, by);
    heddle_release(ones);
    heddle_release(by);
    return a;
}

/* A copy, made after as many milliseconds as the int at `user`. */
static inline enum heddle_status copy_slowly(const struct heddle_part_view *in, void *out,
                                             void *user)
{
    const int ms = *(const int *)user;
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
    memcpy(out, in->data, (size_t)in->shape[0] * sizeof(double));
    return HEDDLE_OK;
}

/* `a` of float64, ms milliseconds later; at `ms` as long as it is not done. */
static inline heddle_array *slowed(heddle_array *a, int *ms)
{
    return heddle_map_parts(a, HEDDLE_FLOAT64, copy_slowly, .user = ms);
}

#endif
