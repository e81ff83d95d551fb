/* What you learn: a Monte Carlo kernel over paths: each element walks a path of its own, with random numbers of its own,
 * until it ends or is knocked out at a barrier; the payoffs are averaged by what Heddle has. */
#include "common.h"

#include <heddle/single_source.h>

/* A call option that is worth nothing once the price was at the barrier. Numbers by xorshift, normal ones by Box and
 * Muller's method. */
HEDDLE_ELEMENTWISE(path,
                   (uint64_t seed, double strike, double barrier, double drift, double sigma,
                    int steps),
                   (double payoff), {
                       uint64_t state = (seed + 1) * 6364136223846793005u + 1442695040888963407u;
                       double price = 100;
                       bool knocked_out = false;
                       for (int k = 0; k < 8; k++) {
                           state ^= state << 13;
                           state ^= state >> 7;
                           state ^= state << 17;
                       }
                       for (int k = 0; k < steps && !knocked_out; k++) {
                           state ^= state << 13;
                           state ^= state >> 7;
                           state ^= state << 17;
                           const double u = ((double)(state >> 11) + 0.5) / 9007199254740992.0;
                           state ^= state << 13;
                           state ^= state >> 7;
                           state ^= state << 17;
                           const double v = (double)(state >> 11) / 9007199254740992.0;
                           price *=
                               exp(drift + sigma * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
                           knocked_out = price >= barrier;
                       }
                       payoff = knocked_out || price <= strike ? 0 : price - strike;
                   })

enum { PATHS = 40000, STEPS = 24 };
static const double strike = 105, rate = 0.03,
                    volatility = 0.25; /* of a year, which the paths take */

static void price(heddle_kernel *kernel, double barrier, double *mean, double *error)
{
    heddle_scope scope = heddle_scope_open();
    const double sigma = volatility / sqrt(STEPS);
    const double drift = rate / STEPS - sigma * sigma / 2;
    heddle_array *seeds =
        heddle_astype(heddle_arange(heddle_scalar(PATHS), NULL, NULL), HEDDLE_UINT64);
    heddle_array *payoffs = heddle_kernel_apply(
        kernel, HEDDLE_ARRAYS(seeds, heddle_scalar(strike), heddle_scalar(barrier),
                              heddle_scalar(drift), heddle_scalar(sigma), heddle_scalar(STEPS)));
    heddle_array *values = heddle_multiply(payoffs, heddle_scalar(exp(-rate)));
    *mean = HEDDLE_MUST_ITEM(heddle_mean(values));
    *error = HEDDLE_MUST_ITEM(heddle_std(values)) / sqrt(PATHS);
    heddle_scope_close(scope);
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

int main(void)
{
    double plain, barred, error, barred_error;
    heddle_kernel *kernel = path();
    price(kernel, 1e300, &plain, &error);
    price(kernel, 130, &barred, &barred_error);
    heddle_kernel_release(kernel);

    /* Black and Scholes's formula, for the option without a barrier. */
    const double d = (log(100 / strike) + rate + volatility * volatility / 2) / volatility;
    const double formula =
        100 * normal_below(d) - strike * exp(-rate) * normal_below(d - volatility);
    printf("without a barrier %.4f +- %.4f, by the formula %.4f; with one %.4f +- %.4f\n", plain,
           error, formula, barred, barred_error);
    expect_true("within four standard errors", fabs(plain - formula) < 4 * error);
    expect_true("a barrier costs most of it", barred > 0.05 * plain && barred < 0.4 * plain);
    return examples_failed();
}
