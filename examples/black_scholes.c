/* The demonstration: prices ten million option contracts from .npy files, call and put, with the
 * Black-Scholes formula as one expression text; checks the prices; says where it ran and how close
 * to the machine's limit.
 *
 *     heddle_demo [--n CONTRACTS] [--dir FOLDER]      default: 10000000, $TMPDIR/heddle-demo */
#include "common.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double rate = 0.02, volatility = 0.3;

/* Two results; what they share (logarithm, square root, discount) is computed once. */
static const char formula[] = "s = v * sqrt(T)\n"
                              "d1 = (log(S / K) + (r + v**2 / 2) * T) / s\n"
                              "d2 = d1 - s\n"
                              "discounted = K * exp(-r * T)\n"
                              "h = 1 / sqrt(2)\n"
                              "call = (S * erfc(-d1 * h) - discounted * erfc(-d2 * h)) / 2\n"
                              "put = (discounted * erfc(d2 * h) - S * erfc(d1 * h)) / 2";

struct market {
    heddle_array *S, *K, *T; /* spot, strike, years to expiry */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- input ------------------------------------------------------------------------------------ */

static void generate(const char *path, int64_t n, double low, double high, uint64_t seed)
{
    double *values = malloc((size_t)n * sizeof *values);
    if (!values) {
        fprintf(stderr, "no memory for %lld contracts\n", (long long)n);
        exit(1);
    }
    for (int64_t i = 0; i < n; i++) { /* splitmix64: a function of seed and index */
        uint64_t x = seed + 0x9e3779b97f4a7c15U * (uint64_t)(i + 1);
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        values[i] = low + (high - low) * ((double)((x ^ x >> 31) >> 11) * 0x1p-53);
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(n), .borrow = true,
                                     .deleter = free, .user = values);
    HEDDLE_MUST(heddle_save(a, path));
    heddle_scope_close(scope);
}

/* The array of an input file, which is written first if it is not there. */
static heddle_array *input(const char *folder, const char *name, int64_t n, double low, double high,
                           uint64_t seed)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%lld.npy", folder, name, (long long)n);
    heddle_array *a = heddle_load(path);
    const int there =
        heddle_status_of(a) == HEDDLE_OK && heddle_ndim(a) == 1 && heddle_size(a) == n;
    printf("  %s %s\n", there ? "found  " : "writing", path);
    if (there) return a;
    generate(path, n, low, high, seed);
    a = heddle_load(path);
    HEDDLE_MUST(heddle_status_of(a));
    return a;
}

/* ---- pricing ---------------------------------------------------------------------------------- */

/* Records the formula and computes both results; seconds taken. */
static double price(struct market m, heddle_array **call, heddle_array **put)
{
    struct heddle_binding out[] = {{"call", NULL}, {"put", NULL}};
    const double start = seconds();
    HEDDLE_MUST(heddle_expr_run(formula,
                                HEDDLE_BIND_ALL({"S", m.S}, {"K", m.K}, {"T", m.T},
                                                {"r", heddle_scalar(rate)},
                                                {"v", heddle_scalar(volatility)}),
                                2, out));
    HEDDLE_MUST(heddle_eval_all(2, (heddle_array *[]){out[0].array, out[1].array}));
    HEDDLE_MUST(heddle_wait(out[0].array));
    HEDDLE_MUST(heddle_wait(out[1].array));
    *call = out[0].array;
    *put = out[1].array;
    return seconds() - start;
}

/* C - P = S - K exp(-r T) must hold for every contract. */
static void check_parity(struct market m, heddle_array *call, heddle_array *put)
{
    heddle_array *worst =
        heddle_expr("max(abs((C - P) - (S - K * exp(-r * T))))",
                    HEDDLE_BIND_ALL({"C", call}, {"P", put}, {"S", m.S}, {"K", m.K}, {"T", m.T},
                                    {"r", heddle_scalar(rate)}));
    double error = NAN;
    HEDDLE_MUST(heddle_read(worst, &error, sizeof error));
    printf("put-call parity: largest error %.2e\n", error);
    expect_true("parity holds to 1e-11", error <= 1e-11);
}

/* The first contracts again, by the C library. */
static void check_sample(struct market m, heddle_array *call)
{
    enum { SAMPLE = 1000 };
    static double v[4][SAMPLE];
    heddle_array *const all[] = {m.S, m.K, m.T, call};
    const int64_t n = heddle_size(call) < SAMPLE ? heddle_size(call) : SAMPLE;
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        heddle_array *first = heddle_getitem(all[k], HEDDLE_INDEX(HEDDLE_TO(n)));
        HEDDLE_MUST(heddle_read(first, v[k], n * (int64_t)sizeof(double)));
    }
    printf("    spot   strike   years     call\n");
    for (int64_t i = 0; i < n; i++) {
        const double S = v[0][i], K = v[1][i], T = v[2][i], s = volatility * sqrt(T);
        const double d1 = (log(S / K) + (rate + volatility * volatility / 2) * T) / s, d2 = d1 - s;
        const double c =
            (S * erfc(-d1 * sqrt(0.5)) - K * exp(-rate * T) * erfc(-d2 * sqrt(0.5))) / 2;
        worst = fmax(worst, fabs(c - v[3][i]));
        if (i < 3) printf("%8.3f %8.3f %7.3f %8.4f\n", S, K, T, v[3][i]);
    }
    printf("first %lld contracts by the C library: largest difference %.2e\n", (long long)n, worst);
    expect_true("prices agree to 1e-11", worst <= 1e-11);
}

/* ---- report ----------------------------------------------------------------------------------- */

static void report(int64_t n, double took, const struct heddle_statistics *s)
{
    struct heddle_device devices[32];
    int n_devices = 0;
    double limit = 0;
    const int on_gpu = s->gpu_tasks > 0, on_cpu = s->cpu_tasks > 0 || s->inline_programs > 0;
    HEDDLE_MUST(heddle_devices(32, devices, &n_devices));
    printf("devices:\n");
    for (int i = 0; i < n_devices && i < 32; i++) {
        const struct heddle_device *d = &devices[i];
        const int gpu = !strncmp(d->name, "gpu", 3), ran = d->used && (gpu ? on_gpu : on_cpu);
        printf("  %-6s %s, %.0f GB/s%s%s%s\n", d->name, d->model, d->bandwidth / 1e9,
               ran ? ", ran" : "", d->used ? "" : ", not used: ", d->used ? "" : d->why_not);
        if (ran) limit += d->bandwidth;
    }
    printf("one pricing: %lld CPU tasks, %lld GPU tasks, %lld programs on the caller's thread\n",
           (long long)s->cpu_tasks, (long long)s->gpu_tasks, (long long)s->inline_programs);
    const double bytes = 5.0 * (double)n * sizeof(double); /* three read, two written */
    printf("throughput: %.1f million contracts/s (two prices each), %.1f GB/s\n",
           (double)n / took / 1e6, bytes / took / 1e9);
    if (limit > 0)
        printf("memory limit of what ran: %.1f GB/s; reached %.0f %% of it\n", limit / 1e9,
               100 * bytes / took / limit);
    else
        printf("memory limit of what ran: not measured yet\n");
}

int main(int argc, char **argv)
{
    enum { RUNS = 7 };
    int64_t n = 10000000;
    char folder[2048];
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/heddle-demo", tmp && *tmp ? tmp : "/tmp");
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--n") && atoll(argv[i + 1]) > 0) {
            n = atoll(argv[i + 1]);
        } else if (i + 1 < argc && !strcmp(argv[i], "--dir")) {
            snprintf(folder, sizeof folder, "%s", argv[i + 1]);
        } else {
            fprintf(stderr, "usage: heddle_demo [--n CONTRACTS] [--dir FOLDER]\n");
            return 2;
        }
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        perror(folder);
        return 1;
    }

    heddle_scope scope = heddle_scope_open();
    printf("%lld option contracts\n", (long long)n);
    const struct market m = {.S = input(folder, "S", n, 10, 110, 1),
                             .K = input(folder, "K", n, 10, 110, 2),
                             .T = input(folder, "T", n, 0.1, 2.1, 3)};
    printf("%s\n", formula);

    heddle_array *call, *put;
    struct heddle_statistics statistics;
    double best = INFINITY;
    printf("first pricing (start of the runtime, files, transfers): %.3f s\n",
           price(m, &call, &put));
    for (int run = 0; run < RUNS; run++) {
        heddle_scope inner = heddle_scope_open();
        heddle_array *again[2];
        heddle_statistics_reset();
        best = fmin(best, price(m, &again[0], &again[1]));
        heddle_statistics_get(&statistics);
        heddle_scope_close(inner);
    }
    printf("best of %d more: %.3f s\n", RUNS, best);

    check_parity(m, call, put);
    check_sample(m, call);
    report(n, best, &statistics);
    heddle_scope_close(scope);
    return examples_failed();
}
