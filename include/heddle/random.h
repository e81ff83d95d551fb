/* Random numbers. A generator is a seed and the number of its next stream; each call that draws takes one stream, and
 * element i of its result (in C order) depends on the seed, the stream and i alone: the same bits on CPUs and GPUs,
 * under any partition, in any order of evaluation. Lazy: the numbers are made where they are used, so that
 * mean(f(x)) of a random x stores none. Names are NumPy's (numpy.random.Generator); the numbers are Heddle's own
 * (Philox4x32-10, docs/decisions/0040).
 *
 * Shapes: HEDDLE_SHAPE(3, 4), or HEDDLE_NO_SHAPE for the shape that the parameters broadcast to. Parameters are arrays
 * or scalars (heddle_scalar) that broadcast to the shape. One that is a constant is checked at the call; elements of
 * others are not looked at: where there is no such distribution the result is nan, or 0 of an integer dtype.
 *
 * Errors of all: HEDDLE_EARG (NULL generator, a parameter without a distribution), HEDDLE_ESHAPE, HEDDLE_EDTYPE (complex
 * parameters; a dtype that the function does not give). */
#ifndef HEDDLE_RANDOM_H
#define HEDDLE_RANDOM_H

#include <heddle/array.h>
#include <heddle/call.h>
#include <heddle/create.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value: a copy draws the same numbers again. Not for two threads at once; give each its own seed or copy, with
 * another `stream`. */
struct heddle_generator {
    uint64_t seed;
    uint64_t stream; /* of the next draw; each draw adds 1, some 2 or more */
};

/** A generator at its first stream. */
HEDDLE_API struct heddle_generator heddle_rng(uint64_t seed);

/* ---- Floating numbers ------------------------------------------------------------------------------ */

struct heddle_random_options {
    size_t size;             /* call.h */
    enum heddle_dtype dtype; /* of floating numbers float64 (default), float32 or a half */
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

struct heddle_random_uniform_options {
    size_t size;         /* call.h */
    heddle_array *low;   /* default 0 */
    heddle_array *high;  /* default 1 */
    enum heddle_dtype dtype;
    const struct heddle_distribution *distribution;
};

/** Evenly distributed in [low, high): 53 random bits, of float32 24. NumPy's random, uniform. Cost: some 15 operations. */
HEDDLE_API heddle_array *heddle_random_uniform_with(struct heddle_generator *rng, int ndim,
                                                    const int64_t *shape,
                                                    const struct heddle_random_uniform_options *o);

struct heddle_random_normal_options {
    size_t size;         /* call.h */
    heddle_array *loc;   /* default 0 */
    heddle_array *scale; /* default 1; not negative */
    enum heddle_dtype dtype;
    const struct heddle_distribution *distribution;
};

/** Of the normal distribution with mean .loc and standard deviation .scale, up to 8.6 of them away from it. */
HEDDLE_API heddle_array *heddle_random_normal_with(struct heddle_generator *rng, int ndim,
                                                   const int64_t *shape,
                                                   const struct heddle_random_normal_options *o);
/** The same with mean 0 and standard deviation 1. */
HEDDLE_API heddle_array *
heddle_random_standard_normal_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                                   const struct heddle_random_options *o);
/** exp(normal): .loc and .scale are NumPy's mean and sigma. */
HEDDLE_API heddle_array *heddle_random_lognormal_with(struct heddle_generator *rng, int ndim,
                                                      const int64_t *shape,
                                                      const struct heddle_random_normal_options *o);

struct heddle_random_exponential_options {
    size_t size;         /* call.h */
    heddle_array *scale; /* the mean, default 1; not negative */
    enum heddle_dtype dtype;
    const struct heddle_distribution *distribution;
};

/** Of the exponential distribution. */
HEDDLE_API heddle_array *
heddle_random_exponential_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                               const struct heddle_random_exponential_options *o);

struct heddle_random_gamma_options {
    size_t size;         /* call.h */
    heddle_array *scale; /* default 1; not negative */
    enum heddle_dtype dtype;
    const struct heddle_distribution *distribution;
};

/** Of the gamma distribution of shape `k`, which is not negative. Cost: some 150 operations, more for k < 1. */
HEDDLE_API heddle_array *heddle_random_gamma_with(struct heddle_generator *rng, int ndim,
                                                  const int64_t *shape, heddle_array *k,
                                                  const struct heddle_random_gamma_options *o);

/** Of the beta distribution of `a` and `b`, which are not negative: two gammas, so two streams, and a third one for parameters so small that it is 0 or 1. */
HEDDLE_API heddle_array *heddle_random_beta_with(struct heddle_generator *rng, int ndim,
                                                 const int64_t *shape, heddle_array *a,
                                                 heddle_array *b,
                                                 const struct heddle_random_options *o);

/* ---- Integers -------------------------------------------------------------------------------------- */

struct heddle_random_integers_options {
    size_t size;             /* call.h */
    bool endpoint;           /* high is one of them */
    enum heddle_dtype dtype; /* int64 (default), another integer dtype or bool, which must have all values */
    const struct heddle_distribution *distribution;
};

/** Each integer in [low, high) equally likely; `low` NULL: 0. Constants whose range is empty are HEDDLE_EARG, beyond the
 *  dtype HEDDLE_ERANGE. */
HEDDLE_API heddle_array *
heddle_random_integers_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                            heddle_array *low, heddle_array *high,
                            const struct heddle_random_integers_options *o);

/** 64 random bits for each element: uint64, or another integer dtype of the low ones. */
HEDDLE_API heddle_array *heddle_random_bits_with(struct heddle_generator *rng, int ndim,
                                                 const int64_t *shape,
                                                 const struct heddle_random_options *o);

/** How many events happen where `lam` are expected, in [0, 1e18); NULL: 1. int64, or another integer dtype or a floating one. */
HEDDLE_API heddle_array *heddle_random_poisson_with(struct heddle_generator *rng, int ndim,
                                                    const int64_t *shape, heddle_array *lam,
                                                    const struct heddle_random_options *o);
/** How many of `n` trials succeed, n in [0, 1e18), each with probability `p`. dtype: as poisson's. */
HEDDLE_API heddle_array *heddle_random_binomial_with(struct heddle_generator *rng, int ndim,
                                                     const int64_t *shape, heddle_array *n,
                                                     heddle_array *p,
                                                     const struct heddle_random_options *o);
/** How many of `n` trials fall into each category of `p`, which has one axis of at most 256, and whose last takes the
 *  rest: (shape..., categories). `n` is 0-d or broadcasts to the shape. dtype: as poisson's. Cost: a stream for each
 *  category. */
HEDDLE_API heddle_array *heddle_random_multinomial_with(struct heddle_generator *rng, int ndim,
                                                        const int64_t *shape, heddle_array *n,
                                                        heddle_array *p,
                                                        const struct heddle_random_options *o);

/* ---- Order ----------------------------------------------------------------------------------------- */

struct heddle_random_order_options {
    size_t size; /* call.h */
    int axis;    /* default 0 */
};

/** The elements of `a`, along .axis as whole slices, in random order; all orders are equally likely. NumPy's permutation,
 *  of an integer n that of heddle_arange; and shuffle, which changes its argument there. Cost: a sort of 64-bit keys.
 *  Errors: HEDDLE_ESHAPE (no axes), HEDDLE_EAXIS. */
HEDDLE_API heddle_array *heddle_random_permutation_with(struct heddle_generator *rng, heddle_array *a,
                                                        const struct heddle_random_order_options *o);

struct heddle_random_choice_options {
    size_t size;              /* call.h */
    heddle_array *p;          /* of each to be chosen: one axis; need not add up to 1. NULL: all alike */
    bool without_replacement; /* each at most once */
    int axis;                 /* default 0 */
};

/** `shape` choices of the elements of `a` along .axis, which `shape` stands in place of. Cost: a gather; with .p a
 *  cumulative sum and a search, without replacement a sort. Errors: HEDDLE_ESHAPE (no axes, more than there are
 *  without replacement, .p of another length), HEDDLE_EAXIS. */
HEDDLE_API heddle_array *heddle_random_choice_with(struct heddle_generator *rng, int ndim,
                                                   const int64_t *shape, heddle_array *a,
                                                   const struct heddle_random_choice_options *o);

#define heddle_random_gamma(...)                                                                   \
    HEDDLE_CALL4(heddle_random_gamma_with, heddle_random_gamma_options, __VA_ARGS__)
#define heddle_random_beta(...)                                                                    \
    HEDDLE_CALL5(heddle_random_beta_with, heddle_random_options, __VA_ARGS__)
#define heddle_random_poisson(...)                                                                 \
    HEDDLE_CALL4(heddle_random_poisson_with, heddle_random_options, __VA_ARGS__)
#define heddle_random_binomial(...)                                                                \
    HEDDLE_CALL5(heddle_random_binomial_with, heddle_random_options, __VA_ARGS__)
#define heddle_random_multinomial(...)                                                             \
    HEDDLE_CALL5(heddle_random_multinomial_with, heddle_random_options, __VA_ARGS__)
#define heddle_random_permutation(...)                                                             \
    HEDDLE_CALL2(heddle_random_permutation_with, heddle_random_order_options, __VA_ARGS__)
#define heddle_random_choice(...)                                                                  \
    HEDDLE_CALL4(heddle_random_choice_with, heddle_random_choice_options, __VA_ARGS__)
#define heddle_random_uniform(...)                                                                 \
    HEDDLE_CALL3(heddle_random_uniform_with, heddle_random_uniform_options, __VA_ARGS__)
#define heddle_random_normal(...)                                                                  \
    HEDDLE_CALL3(heddle_random_normal_with, heddle_random_normal_options, __VA_ARGS__)
#define heddle_random_standard_normal(...)                                                         \
    HEDDLE_CALL3(heddle_random_standard_normal_with, heddle_random_options, __VA_ARGS__)
#define heddle_random_lognormal(...)                                                               \
    HEDDLE_CALL3(heddle_random_lognormal_with, heddle_random_normal_options, __VA_ARGS__)
#define heddle_random_exponential(...)                                                             \
    HEDDLE_CALL3(heddle_random_exponential_with, heddle_random_exponential_options, __VA_ARGS__)
#define heddle_random_integers(...)                                                                \
    HEDDLE_CALL5(heddle_random_integers_with, heddle_random_integers_options, __VA_ARGS__)
#define heddle_random_bits(...)                                                                    \
    HEDDLE_CALL3(heddle_random_bits_with, heddle_random_options, __VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
