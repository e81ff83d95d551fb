/* What you learn: random numbers that are made where they are used. Pi from points in a square, and options priced by
 * averages: a million paths, of which none is stored. */
#include "common.h"

enum { SAMPLES = 1000000 };

/* Points in the unit square; the share of them within the circle is pi / 4. */
static double pi_by_points(struct heddle_generator *rng)
{
    heddle_array *x = heddle_random_uniform(rng, HEDDLE_SHAPE(SAMPLES)),
                 *y = heddle_random_uniform(rng, HEDDLE_SHAPE(SAMPLES));
    heddle_array *inside =
        heddle_less(heddle_add(heddle_square(x), heddle_square(y)), heddle_scalar(1.0));
    return 4 * HEDDLE_MUST_ITEM(heddle_mean(heddle_astype(inside, HEDDLE_FLOAT64)));
}

static const double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1.5;

/* The right to buy at the strike: the price by Black and Scholes. */
static double call_by_formula(void)
{
    const double spread = volatility * sqrt(years);
    const double d = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread;
    return spot * erfc(-d / sqrt(2)) / 2 -
           strike * exp(-rate * years) * erfc(-(d - spread) / sqrt(2)) / 2;
}

/* The discounted mean of what the right is worth at the end, and the standard error of that. */
static void call_by_paths(struct heddle_generator *rng, double *price, double *error)
{
    heddle_array *z = heddle_random_standard_normal(rng, HEDDLE_SHAPE(SAMPLES));
    const double drift = (rate - volatility * volatility / 2) * years;
    heddle_array *growth = heddle_add(heddle_scalar(drift),
                                      heddle_multiply(heddle_scalar(volatility * sqrt(years)), z));
    heddle_array *end = heddle_multiply(heddle_scalar(spot), heddle_exp(growth));
    heddle_array *worth = heddle_multiply(
        heddle_scalar(exp(-rate * years)),
        heddle_maximum(heddle_subtract(end, heddle_scalar(strike)), heddle_scalar(0.0)));
    *price = HEDDLE_MUST_ITEM(heddle_mean(worth));
    *error = HEDDLE_MUST_ITEM(heddle_std(worth)) / sqrt(SAMPLES);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(2026);

    const double pi = pi_by_points(&rng);
    printf("pi is about %.5f\n", pi);
    expect_true("within four standard errors",
                fabs(pi - 3.141592653589793) < 4 * 1.642 / sqrt(SAMPLES));

    double price, error;
    call_by_paths(&rng, &price, &error);
    printf("the option costs %.4f +- %.4f, by the formula %.4f\n", price, error, call_by_formula());
    expect_true("within four standard errors", fabs(price - call_by_formula()) < 4 * error);
    expect_true("the error is small", error < 0.03);

    /* The numbers depend on seed, stream and place alone: the same again, on any machine. */
    struct heddle_generator again = heddle_rng(2026);
    EXPECT("pi again", pi_by_points(&again), pi);
    heddle_scope_close(scope);
    return examples_failed();
}
