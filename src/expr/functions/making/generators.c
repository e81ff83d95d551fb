/* np.random: generators, and the functions that draw from one: as methods of a generator, or from the run's own, which
 * np.random.seed sets. The numbers are Heddle's. */
#include "expr/functions/functions.h"

#include <heddle/random.h>

/* Of the method that is called, else the run's own. */
static struct heddle_generator *generator(struct run *run)
{
    return run->generator ? run->generator : &run->random;
}

struct size {
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
};

static bool to_size(struct run *run, const struct value *v, struct size *size)
{
    size->ndim = 0;
    return !heddle__expr_given(v) || heddle__expr_to_shape(run, v, size->shape, &size->ndim);
}

static bool to_dtype(struct run *run, const struct value *v, enum heddle_dtype *dtype)
{
    return !heddle__expr_given(v) || heddle__expr_to_dtype(run, v, dtype);
}

/* Two parameters, then a size. */
static bool to_parameters(struct run *run, const struct value *args, heddle_array **first,
                          heddle_array **second, struct size *size)
{
    return heddle__expr_to_optional_array(run, &args[0], false, first) &&
           heddle__expr_to_optional_array(run, &args[1], false, second) &&
           to_size(run, &args[2], size);
}

/* ---- Generators ---------------------------------------------------------------------------------------- */

/* The same numbers each time without a seed, too. */
static bool to_seed(struct run *run, const struct value *v, uint64_t *seed)
{
    int64_t number = 0;
    if (heddle__expr_given(v) && !heddle__expr_to_int(run, v, "a seed", &number)) return false;
    if (number < 0) return heddle__expr_fail(run, HEDDLE_EARG, v->at, "a seed is not negative");
    *seed = (uint64_t)number;
    return true;
}

CALL(call_default_rng)
{
    (void)f;
    uint64_t seed = 0;
    if (args[0].kind == VALUE_GENERATOR) {
        *out = args[0];
        return true;
    }
    if (!to_seed(run, &args[0], &seed)) return false;
    struct heddle_generator *rng = heddle__arena_alloc(&run->arena, sizeof *rng);
    if (!rng) return heddle__expr_no_memory(run);
    *rng = heddle_rng(seed);
    *out = (struct value){.kind = VALUE_GENERATOR, .at = at};
    out->generator = rng;
    return true;
}

CALL(call_seed)
{
    (void)f;
    uint64_t seed = 0;
    if (!to_seed(run, &args[0], &seed)) return false;
    run->random = heddle_rng(seed);
    *out = (struct value){.kind = VALUE_NONE, .at = at};
    return true;
}

/* ---- Floating numbers ---------------------------------------------------------------------------------- */

CALL(call_random)
{
    (void)f;
    struct size size;
    struct heddle_random_uniform_options o = {.size = sizeof o};
    return to_size(run, &args[0], &size) && to_dtype(run, &args[1], &o.dtype) &&
           heddle__expr_from_array(
               run, heddle_random_uniform_with(generator(run), size.ndim, size.shape, &o), at, out);
}

CALL(call_standard_normal)
{
    (void)f;
    struct size size;
    struct heddle_random_options o = {.size = sizeof o};
    return to_size(run, &args[0], &size) && to_dtype(run, &args[1], &o.dtype) &&
           heddle__expr_from_array(
               run, heddle_random_standard_normal_with(generator(run), size.ndim, size.shape, &o),
               at, out);
}

CALL(call_uniform)
{
    (void)f;
    struct size size;
    struct heddle_random_uniform_options o = {.size = sizeof o};
    return to_parameters(run, args, &o.low, &o.high, &size) &&
           heddle__expr_from_array(
               run, heddle_random_uniform_with(generator(run), size.ndim, size.shape, &o), at, out);
}

CALL(call_normal)
{
    struct size size;
    struct heddle_random_normal_options o = {.size = sizeof o};
    return to_parameters(run, args, &o.loc, &o.scale, &size) &&
           heddle__expr_from_array(run, f->draw_normal(generator(run), size.ndim, size.shape, &o),
                                   at, out);
}

CALL(call_exponential)
{
    (void)f;
    struct size size;
    struct heddle_random_exponential_options o = {.size = sizeof o};
    return heddle__expr_to_optional_array(run, &args[0], false, &o.scale) &&
           to_size(run, &args[1], &size) &&
           heddle__expr_from_array(
               run, heddle_random_exponential_with(generator(run), size.ndim, size.shape, &o), at,
               out);
}

CALL(call_standard_exponential)
{
    (void)f;
    struct size size;
    struct heddle_random_exponential_options o = {.size = sizeof o};
    return to_size(run, &args[0], &size) && to_dtype(run, &args[1], &o.dtype) &&
           heddle__expr_from_array(
               run, heddle_random_exponential_with(generator(run), size.ndim, size.shape, &o), at,
               out);
}

CALL(call_gamma)
{
    (void)f;
    struct size size;
    heddle_array *k = NULL;
    struct heddle_random_gamma_options o = {.size = sizeof o};
    return to_parameters(run, args, &k, &o.scale, &size) &&
           heddle__expr_from_array(
               run, heddle_random_gamma_with(generator(run), size.ndim, size.shape, k, &o), at,
               out);
}

CALL(call_standard_gamma)
{
    (void)f;
    struct size size;
    heddle_array *k = NULL;
    struct heddle_random_gamma_options o = {.size = sizeof o};
    return heddle__expr_to_optional_array(run, &args[0], false, &k) &&
           to_size(run, &args[1], &size) && to_dtype(run, &args[2], &o.dtype) &&
           heddle__expr_from_array(
               run, heddle_random_gamma_with(generator(run), size.ndim, size.shape, k, &o), at,
               out);
}

/* Of two parameters: beta, binomial, multinomial. */
CALL(call_by_two)
{
    struct size size;
    heddle_array *first = NULL, *second = NULL;
    struct heddle_random_options o = {.size = sizeof o};
    return to_parameters(run, args, &first, &second, &size) &&
           heddle__expr_from_array(
               run, f->draw_by_two(generator(run), size.ndim, size.shape, first, second, &o), at,
               out);
}

/* ---- Integers ------------------------------------------------------------------------------------------ */

CALL(call_poisson)
{
    (void)f;
    struct size size;
    struct heddle_random_options o = {.size = sizeof o};
    heddle_array *lam = NULL;
    return heddle__expr_to_optional_array(run, &args[0], false, &lam) &&
           to_size(run, &args[1], &size) &&
           heddle__expr_from_array(
               run, heddle_random_poisson_with(generator(run), size.ndim, size.shape, lam, &o), at,
               out);
}

/* integers(high) and integers(low, high); randint has no endpoint=. */
CALL(call_integers)
{
    (void)f;
    struct size size;
    heddle_array *low = NULL, *high = NULL;
    struct heddle_random_integers_options o = {.size = sizeof o};
    if (!to_parameters(run, args, &low, &high, &size) || !to_dtype(run, &args[3], &o.dtype) ||
        (args[4].kind != VALUE_ABSENT &&
         !heddle__expr_to_bool(run, &args[4], "endpoint", &o.endpoint)))
        return false;
    if (!high) {
        high = low;
        low = NULL;
    }
    return heddle__expr_from_array(
        run, heddle_random_integers_with(generator(run), size.ndim, size.shape, low, high, &o), at,
        out);
}

/* ---- Order --------------------------------------------------------------------------------------------- */

/* An array, or 0, 1, ... below an integer. */
static bool to_elements(struct run *run, const struct value *v, heddle_array **a)
{
    if (v->kind == VALUE_INT)
        *a = heddle_arange(heddle_scalar_int(v->integer), NULL, NULL);
    else if (!heddle__expr_to_array(run, v, true, a))
        return false;
    struct value made;
    return heddle__expr_from_array(run, *a, v->at, &made);
}

CALL(call_permutation)
{
    (void)f;
    heddle_array *a;
    bool given = false;
    struct heddle_random_order_options o = {.size = sizeof o};
    return to_elements(run, &args[0], &a) && heddle__expr_to_axis(run, &args[1], &o.axis, &given) &&
           heddle__expr_from_array(run, heddle_random_permutation_with(generator(run), a, &o), at,
                                   out);
}

HEADING(heddle__expr_call_shuffle)
{
    if (args[0].kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "%s() changes an array, not %s",
                                 f->name, heddle__expr_value_name(&args[0]));
    return call_permutation(run, f, at, args, out);
}

/* choice(a, size=None, replace=True, p=None, axis=0, shuffle=True) */
CALL(call_choice)
{
    (void)f;
    struct size size;
    heddle_array *a;
    bool replace = true, given = false;
    struct heddle_random_choice_options o = {.size = sizeof o};
    if (!to_elements(run, &args[0], &a) || !to_size(run, &args[1], &size) ||
        (args[2].kind != VALUE_ABSENT &&
         !heddle__expr_to_bool(run, &args[2], "replace", &replace)) ||
        !heddle__expr_to_optional_array(run, &args[3], true, &o.p) ||
        !heddle__expr_to_axis(run, &args[4], &o.axis, &given))
        return false;
    o.without_replacement = !replace;
    return heddle__expr_from_array(
        run, heddle_random_choice_with(generator(run), size.ndim, size.shape, a, &o), at, out);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

#define WITH(name, parameters, function, member, value)                                            \
    {                                                                                              \
        name, parameters, function,                                                                \
        {                                                                                          \
            .member = value                                                                        \
        }                                                                                          \
    }
#define ROW(name, parameters, function) WITH(name, parameters, function, number, 0)
#define BOTH_WITH(name, parameters, function, member, value)                                       \
    WITH("Generator." name, parameters, function, member, value),                                  \
        WITH("random." name, parameters, function, member, value)
#define BOTH(name, parameters, function) BOTH_WITH(name, parameters, function, number, 0)

static const struct function rows[] = {
    ROW("random.default_rng", "seed=", call_default_rng),
    ROW("random.RandomState", "seed=", call_default_rng),
    ROW("random.seed", "seed=", call_seed),
    BOTH("random", "size= dtype=", call_random),
    ROW("random.random_sample", "size= dtype=", call_random),
    ROW("random.ranf", "size= dtype=", call_random),
    ROW("random.sample", "size= dtype=", call_random),
    ROW("random.rand", "+d0= dtype=", call_random),
    ROW("random.randn", "+d0= dtype=", call_standard_normal),
    BOTH("standard_normal", "size= dtype=", call_standard_normal),
    BOTH("uniform", "low= high= size=", call_uniform),
    BOTH_WITH("normal", "loc= scale= size=", call_normal, draw_normal, heddle_random_normal_with),
    BOTH_WITH("lognormal", "mean= sigma= size=", call_normal, draw_normal,
              heddle_random_lognormal_with),
    BOTH("exponential", "scale= size=", call_exponential),
    BOTH("standard_exponential", "size= dtype=", call_standard_exponential),
    BOTH("gamma", "shape scale= size=", call_gamma),
    BOTH("standard_gamma", "shape size= dtype=", call_standard_gamma),
    BOTH_WITH("beta", "a b size=", call_by_two, draw_by_two, heddle_random_beta_with),
    BOTH("poisson", "lam= size=", call_poisson),
    BOTH_WITH("binomial", "n p size=", call_by_two, draw_by_two, heddle_random_binomial_with),
    BOTH_WITH("multinomial", "n pvals size=", call_by_two, draw_by_two,
              heddle_random_multinomial_with),
    ROW("Generator.integers", "low high= size= dtype= endpoint=", call_integers),
    ROW("random.randint", "low high= size= dtype= endpoint=", call_integers),
    BOTH("choice", "a size= replace= p= axis= shuffle=", call_choice),
    BOTH("permutation", "x axis=", call_permutation),
};

TABLE(generators);
