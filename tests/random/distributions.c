/* Statistics of each distribution beside its exact distribution function: Kolmogorov-Smirnov, chi-square, moments; of the
 * bits beneath them runs, serial correlation, birthday spacings, within a stream and across streams. Seeds are fixed, so
 * that a result is the same each time; limits are what one in some 10^5 right generators would not meet. */
#include "check_heddle.h"

#include <stdlib.h>

enum { N = 200000 };
static double sample[N], other[N];
static uint64_t words[N];

static void take(heddle_array *a)
{
    heddle_array *x = heddle_astype(a, HEDDLE_FLOAT64);
    CHECK_EQ(heddle_read(x, sample, sizeof sample), HEDDLE_OK);
    if (heddle_status_of(x) != HEDDLE_OK) fprintf(stderr, "%s\n", heddle_error(x));
}

/* ---- Distribution functions ---------------------------------------------------------------------------- */

/* The lower incomplete gamma function over gamma(a), by its series or its continued fraction. */
static double gamma_share(double a, double x)
{
    if (x <= 0) return 0;
    const double factor = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 3000 && term > sum * 1e-16; n++) sum += term *= x / (a + n);
        return sum * factor;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int n = 1; n < 3000; n++) {
        const double an = -n * (n - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return 1 - factor * h;
}

/* The incomplete beta function over beta(a, b), by its continued fraction (Lentz). */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1) return x >= 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_share(b, a, 1 - x);
    const double factor =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 3000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return factor * h;
}

static double share_of(char kind, double a, double b, double x)
{
    switch (kind) {
    case 'u': return x < a ? 0 : x > b ? 1 : (x - a) / (b - a);
    case 'n': return 0.5 * erfc((a - x) / (b * sqrt(2)));
    case 'l': return x <= 0 ? 0 : 0.5 * erfc((a - log(x)) / (b * sqrt(2)));
    case 'e': return -expm1(-x / a);
    case 'g': return gamma_share(a, x / b);
    default: return beta_share(a, b, x);
    }
}

/* ---- Tests of a sample --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov: the largest distance from the distribution function, times sqrt(n): 2.4 is reached by 2 in 10^5. */
static void continuous(const char *name, heddle_array *a, char kind, double p, double q)
{
    take(a);
    qsort(sample, N, sizeof *sample, by_size);
    double most = 0;
    for (int i = 0; i < N; i++) {
        const double share = share_of(kind, p, q, sample[i]);
        most = fmax(most, fmax(share - (double)i / N, (double)(i + 1) / N - share));
    }
    CHECK(most * sqrt(N) < 2.4, "%s: %g", name, most * sqrt(N));
}

/* Chi-square of counts beside expected ones, as a normal number (Wilson, Hilferty). */
static void chi_square(const char *name, int n, const double counts[], const double expected[])
{
    double sum = 0, count = 0, expect = 0;
    int bins = 0;
    for (int i = 0; i < n; i++) { /* bins of less than 10 join the next */
        count += counts[i];
        expect += expected[i];
        if (expect < 10 && i + 1 < n) continue;
        if (expect > 0) sum += (count - expect) * (count - expect) / expect;
        bins++;
        count = expect = 0;
    }
    const double k = bins - 1;
    const double z = (cbrt(sum / k) - (1 - 2 / (9 * k))) / sqrt(2 / (9 * k));
    CHECK(fabs(z) < 4.4, "%s: chi-square %g of %g", name, sum, k);
}

enum { MOST = 4096 };

/* Integers from `first` on, of which `log_share` has the logarithm of each one's probability. */
static void discrete(const char *name, heddle_array *a, char kind, double p, double q)
{
    static double counts[MOST], expected[MOST];
    double mean = kind == 'p' ? p : p * q, size = sqrt(kind == 'p' ? p : p * q * (1 - q));
    const double first = floor(fmax(0, mean - 12 * size - 30));
    memset(counts, 0, sizeof counts);
    take(a);
    for (int i = 0; i < N; i++) {
        const double at = sample[i] - first;
        CHECK(at >= 0 && at < MOST && at == floor(at), "%s: %g", name, sample[i]);
        if (at >= 0 && at < MOST) counts[(int)at]++;
    }
    for (int i = 0; i < MOST; i++) {
        const double k = first + i;
        const double share = kind == 'p' ? k * log(p) - p - lgamma(k + 1)
                             : k > p     ? -INFINITY
                                         : lgamma(p + 1) - lgamma(k + 1) - lgamma(p - k + 1) +
                                           k * log(q) + (p - k) * log1p(-q);
        expected[i] = N * exp(share);
    }
    chi_square(name, MOST, counts, expected);
}

/* ---- The battery --------------------------------------------------------------------------------------- */

#define SCALAR(x) heddle_scalar_float(x)

static void check_continuous(struct heddle_generator *rng)
{
    continuous("uniform", heddle_random_uniform(rng, HEDDLE_SHAPE(N)), 'u', 0, 1);
    continuous("uniform32", heddle_random_uniform(rng, HEDDLE_SHAPE(N), .dtype = HEDDLE_FLOAT32),
               'u', 0, 1);
    continuous("uniform of ends",
               heddle_random_uniform(rng, HEDDLE_SHAPE(N), .low = SCALAR(-3), .high = SCALAR(7)),
               'u', -3, 7);
    continuous("normal", heddle_random_standard_normal(rng, HEDDLE_SHAPE(N)), 'n', 0, 1);
    continuous("normal32",
               heddle_random_normal(rng, HEDDLE_SHAPE(N), .dtype = HEDDLE_FLOAT32, .loc = SCALAR(5),
                                    .scale = SCALAR(0.5)),
               'n', 5, 0.5);
    continuous(
        "lognormal",
        heddle_random_lognormal(rng, HEDDLE_SHAPE(N), .loc = SCALAR(0.5), .scale = SCALAR(0.7)),
        'l', 0.5, 0.7);
    continuous("exponential", heddle_random_exponential(rng, HEDDLE_SHAPE(N), .scale = SCALAR(3)),
               'e', 3, 0);
    static const double shapes[] = {0.1, 0.9, 1, 1.5, 12, 1000};
    for (int i = 0; i < 6; i++)
        continuous("gamma",
                   heddle_random_gamma(rng, HEDDLE_SHAPE(N), SCALAR(shapes[i]), .scale = SCALAR(2)),
                   'g', shapes[i], 2);
    static const double ab[][2] = {{0.5, 0.5}, {1, 3}, {2, 5}, {40, 0.7}};
    for (int i = 0; i < 4; i++)
        continuous("beta",
                   heddle_random_beta(rng, HEDDLE_SHAPE(N), SCALAR(ab[i][0]), SCALAR(ab[i][1])),
                   'b', ab[i][0], ab[i][1]);
}

static void check_discrete(struct heddle_generator *rng)
{
    static const double means[] = {0.05, 1, 9.99, 10, 35, 1000};
    for (int i = 0; i < 6; i++)
        discrete("poisson", heddle_random_poisson(rng, HEDDLE_SHAPE(N), SCALAR(means[i])), 'p',
                 means[i], 0);
    static const double np[][2] = {{1, 0.3},    {12, 0.5},     {40, 0.99},
                                   {100, 0.45}, {5000, 0.002}, {3000, 0.7}};
    for (int i = 0; i < 6; i++)
        discrete("binomial",
                 heddle_random_binomial(rng, HEDDLE_SHAPE(N), SCALAR(np[i][0]), SCALAR(np[i][1])),
                 'b', np[i][0], np[i][1]);
    /* integers: a range that divides nothing, and one beyond half of 2^64, where a shift alone is biased by a third */
    static double counts[97], expected[97];
    memset(counts, 0, sizeof counts);
    take(heddle_random_integers(rng, HEDDLE_SHAPE(N), heddle_scalar_int(-40),
                                heddle_scalar_int(57)));
    for (int i = 0; i < 97; i++) expected[i] = N / 97.0;
    for (int i = 0; i < N; i++) counts[(int)(sample[i] + 40)]++;
    chi_square("integers", 97, counts, expected);
    memset(counts, 0, sizeof counts);
    take(heddle_random_integers(rng, HEDDLE_SHAPE(N), heddle_scalar_int(-(INT64_C(3) << 61)),
                                heddle_scalar_int(INT64_C(3) << 61)));
    for (int i = 0; i < N; i++) counts[(int)((sample[i] / 0x1p62 + 1.5) * 32)]++;
    for (int i = 0; i < 97; i++) expected[i] = i < 96 ? N / 96.0 : 0;
    chi_square("wide integers", 97, counts, expected);
}

static void check_multinomial(struct heddle_generator *rng)
{
    static const double p[4] = {0.1, 0.4, 0.0, 0.5};
    enum { ROWS = N / 4 };
    heddle_array *a = heddle_random_multinomial(rng, HEDDLE_SHAPE(ROWS), heddle_scalar_int(20),
                                                heddle_asarray(p, HEDDLE_FLOAT64, HEDDLE_SHAPE(4)));
    take(a);
    double sums[4] = {0};
    for (int i = 0; i < ROWS; i++) {
        double all = 0;
        for (int k = 0; k < 4; k++) sums[k] += sample[4 * i + k], all += sample[4 * i + k];
        CHECK(all == 20, "row %d has %g", i, all);
    }
    for (int k = 0; k < 4; k++) {
        const double size = sqrt(20.0 * ROWS * p[k] * (1 - p[k]));
        CHECK(fabs(sums[k] - 20.0 * ROWS * p[k]) <= 4.4 * size, "category %d: %g", k, sums[k]);
    }
}

/* ---- Words --------------------------------------------------------------------------------------------- */

static double correlation(const double *x, const double *y, int n)
{
    double xy = 0;
    for (int i = 0; i < n; i++) xy += (x[i] - 0.5) * (y[i] - 0.5);
    return xy * 12 / sqrt(n);
}

static void check_words(struct heddle_generator *rng)
{
    take(heddle_random_uniform(rng, HEDDLE_SHAPE(N)));
    static const int lags[] = {1, 2, 3, 4, 8, 256, 1024};
    for (int i = 0; i < 7; i++) {
        const double z = correlation(sample, sample + lags[i], N - lags[i]);
        CHECK(fabs(z) < 4.4, "lag %d: %g", lags[i], z);
    }
    memcpy(other, sample, sizeof other);
    for (int stream = 0; stream < 8;
         stream++) { /* beside the streams that follow, and another seed */
        struct heddle_generator next = stream < 7 ? *rng : heddle_rng(rng->seed + 1);
        take(heddle_random_uniform(&next, HEDDLE_SHAPE(N)));
        const double z = correlation(sample, other, N);
        CHECK(fabs(z) < 4.4, "stream %d: %g", stream, z);
        rng->stream++;
    }
    int runs = 1; /* above and below the median */
    for (int i = 1; i < N; i++) runs += (other[i] > 0.5) != (other[i - 1] > 0.5);
    CHECK(fabs(runs - N / 2.0) / sqrt(N / 4.0) < 4.4, "%d runs", runs);

    /* each bit of a word is set in half of them */
    CHECK_EQ(heddle_read(heddle_random_bits(rng, HEDDLE_SHAPE(N)), words, sizeof words), HEDDLE_OK);
    for (int b = 0; b < 64; b++) {
        int set = 0;
        for (int i = 0; i < N; i++) set += (int)(words[i] >> b & 1);
        CHECK(fabs(set - N / 2.0) / sqrt(N / 4.0) < 4.6, "bit %d: %d", b, set);
    }
}

/* Marsaglia's birthday spacings: of 4096 birthdays in a year of 2^32 days, equal distances between neighbours are Poisson
 * with mean 4; over 40 years, of both halves of the words, 320 are expected. */
static void check_birthdays(void)
{
    enum { BIRTHDAYS = 4096, YEARS = 40 };
    int equal = 0;
    for (int year = 0; year < YEARS; year++) {
        for (int half = 0; half < 2; half++) {
            double *const d = sample;
            const int from = (year * BIRTHDAYS) % (N - BIRTHDAYS);
            for (int i = 0; i < BIRTHDAYS; i++)
                d[i] = (double)(uint32_t)(words[from + i] >> 32 * half);
            qsort(d, BIRTHDAYS, sizeof *d, by_size);
            for (int i = 0; i + 1 < BIRTHDAYS; i++) d[i] = d[i + 1] - d[i];
            qsort(d, BIRTHDAYS - 1, sizeof *d, by_size);
            for (int i = 0; i + 2 < BIRTHDAYS; i++) equal += d[i] == d[i + 1];
        }
    }
    CHECK(fabs(equal - 320.0) < 4.4 * sqrt(320), "%d equal spacings", equal);
}

/* ---- Orders and choices -------------------------------------------------------------------------------- */

static void check_orders(struct heddle_generator *rng)
{
    double counts[24] = {0}, expected[24]; /* of 24 orders of four, many times */
    enum { TIMES = 4800 };
    heddle_scope scope = heddle_scope_open();
    for (int t = 0; t < TIMES; t++) {
        int64_t p[4];
        heddle_array *range = heddle_arange(heddle_scalar_int(4), NULL, NULL);
        CHECK_EQ(heddle_read(heddle_random_permutation(rng, range), p, sizeof p), HEDDLE_OK);
        int number = 0;
        for (int i = 0; i < 3; i++) {
            int below = 0;
            for (int j = i + 1; j < 4; j++) below += p[j] < p[i];
            number = number * (4 - i) + below;
        }
        counts[number]++;
    }
    for (int i = 0; i < 24; i++) expected[i] = TIMES / 24.0;
    chi_square("orders", 24, counts, expected);
    heddle_scope_close(scope);

    static const double p[5] = {1, 0, 2, 3, 4};
    heddle_array *weights = heddle_asarray(p, HEDDLE_FLOAT64, HEDDLE_SHAPE(5));
    heddle_array *range = heddle_arange(heddle_scalar_int(5), NULL, NULL);
    take(heddle_random_choice(rng, HEDDLE_SHAPE(N), range, .p = weights));
    double chosen[5] = {0}, wanted[5];
    for (int i = 0; i < N; i++) chosen[(int)sample[i]]++;
    for (int i = 0; i < 5; i++) wanted[i] = N * p[i] / 10;
    CHECK(chosen[1] == 0, "%g", chosen[1]);
    chi_square("choice", 5, chosen, wanted);

    heddle_array *few = heddle_random_choice(rng, HEDDLE_SHAPE(N / 2),
                                             heddle_arange(heddle_scalar_int(N), NULL, NULL),
                                             .without_replacement = true);
    CHECK_EQ(heddle_read(heddle_astype(few, HEDDLE_FLOAT64), sample, N / 2 * 8), HEDDLE_OK);
    qsort(sample, N / 2, sizeof *sample, by_size);
    for (int i = 0; i + 1 < N / 2; i++) CHECK(sample[i] < sample[i + 1], "%g twice", sample[i]);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(7);
    check_continuous(&rng);
    check_discrete(&rng);
    check_multinomial(&rng);
    check_words(&rng);
    check_birthdays();
    check_orders(&rng);
    heddle_scope_close(scope);
    return check_done();
}
