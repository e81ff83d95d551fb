/* Reductions from text beside plain loops over the elements in C order: axes, extents around the factors of the rounds;
 * operations that are not commutative; several accumulators; the same bits over any partition. */
#include "reduction_forms.h"

/* ---- Affine maps: associative, not commutative, exact ------------------------------------------------------ */

enum { MOST = 100003 };
static int64_t x[MOST], y[MOST], p[MOST], q[MOST], places[MOST];

static int64_t wrapped(enum heddle_dtype dtype, uint64_t v)
{
    switch (dtype) {
    case HEDDLE_INT8: return (int8_t)v;
    case HEDDLE_INT16: return (int16_t)v;
    case HEDDLE_INT32: return (int32_t)v;
    case HEDDLE_UINT8: return (uint8_t)v;
    case HEDDLE_UINT16: return (uint16_t)v;
    case HEDDLE_UINT32: return (uint32_t)v;
    default: return (int64_t)v;
    }
}

/* b(a(t)) of the maps a(t) = x t + y: the first element is applied first. */
static void check_affine(enum heddle_dtype dtype, const struct form *f, bool view)
{
    heddle_scope scope = heddle_scope_open();
    const enum heddle_dtype wide = heddle_dtype_size(dtype) < 4 ? HEDDLE_INT32 : dtype;
    const int64_t size = size_of(f, false);
    for (int64_t i = 0; i < size; i++) {
        x[i] = wrapped(dtype, random_word() | 1);
        y[i] = wrapped(dtype, random_word());
    }
    heddle_array *in[2];
    in[0] = heddle_astype(heddle_asarray(x, HEDDLE_INT64, f->ndim, f->shape), dtype);
    in[1] = heddle_astype(heddle_asarray(y, HEDDLE_INT64, f->ndim, f->shape), dtype);
    if (view && f->ndim > 0) /* the same elements, in memory the other way round */
        for (int k = 0; k < 2; k++) {
            const int order[] = {f->ndim - 1, 1, 0};
            in[k] =
                heddle_flip(heddle_permute_dims(in[k], f->ndim, f->ndim == 2 ? order + 1 : order));
            CHECK_EQ(heddle_eval(in[k]), HEDDLE_OK);
            in[k] =
                heddle_flip(heddle_permute_dims(in[k], f->ndim, f->ndim == 2 ? order + 1 : order));
        }
    char out[60];
    snprintf(out, sizeof out, "%s p, %s q", heddle_dtype_name(wide), heddle_dtype_name(wide));
    heddle_kernel *const k =
        heddle_kernel_reduction("T x, T y", out, "x, y", "a0 * b0, a1 * b0 + b1", "p = a0; q = a1",
                                .identity = "1, 0", .name = "affine");
    CHECK_STR(heddle_kernel_error(k), "");
    results(k, 2, in, f, 2, HEDDLE_INT64, (void *[]){p, q});
    for (int64_t r = 0; r < size_of(f, true); r++) {
        const int64_t n = places_of(f, r, places);
        uint64_t a = 1, b = 0;
        for (int64_t j = 0; j < n; j++) {
            a *= (uint64_t)x[places[j]];
            b = b * (uint64_t)x[places[j]] + (uint64_t)y[places[j]];
        }
        CHECK(p[r] == wrapped(wide, a) && q[r] == wrapped(wide, b),
              "%s, mask %u of (%lld, %lld, %lld), %lld: %lld, %lld", heddle_dtype_name(dtype),
              f->mask, (long long)f->shape[0], (long long)f->shape[1], (long long)f->shape[2],
              (long long)r, (long long)p[r], (long long)q[r]);
    }
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

static void check_forms(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT8,   HEDDLE_UINT8, HEDDLE_INT16,
                                               HEDDLE_INT32,  HEDDLE_INT64, HEDDLE_UINT16,
                                               HEDDLE_UINT32, HEDDLE_UINT64};
    static const int64_t extents[] = {0,   1,    2,    3,    4,    5,    6,    7,   8,   9,   10,
                                      15,  16,   17,   24,   25,   26,   35,   36,  37,  63,  64,
                                      65,  120,  124,  125,  126,  215,  216,  217, 511, 512, 513,
                                      625, 1000, 1023, 1024, 1025, 4095, 4096, 4097};
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        const int64_t n = extents[e];
        for (unsigned mask = 0; mask < 2; mask++)
            check_affine(dtypes[e % 8], &(struct form){1, {n}, mask}, e % 3 == 0);
        if (n > 700) continue;
        for (unsigned mask = 1; mask < 4; mask++) {
            check_affine(dtypes[(e + mask) % 8], &(struct form){2, {n, 3}, mask}, false);
            check_affine(dtypes[(e + mask) % 8], &(struct form){2, {3, n}, mask}, e % 3 == 0);
        }
        if (n > 70) continue;
        for (unsigned mask = 0; mask < 8; mask++)
            check_affine(dtypes[(e + mask) % 8], &(struct form){3, {4, n, 5}, mask}, e % 2);
    }
    for (int d = 0; d < 8; d++) {
        check_affine(dtypes[d], &(struct form){1, {100}, 1}, true);
        check_affine(dtypes[d], &(struct form){.ndim = 0}, false);
    }
    check_affine(HEDDLE_INT32, &(struct form){1, {MOST}, 1}, false);
    check_affine(HEDDLE_INT32, &(struct form){2, {1, MOST}, 3}, false);
}

/* ---- Several accumulators ------------------------------------------------------------------------------ */

/* The first of the least, and of the greatest, with its place. */
static void check_places(const struct form *f, bool commutative)
{
    static double values[MOST], least[MOST], at[MOST];
    heddle_scope scope = heddle_scope_open();
    for (int64_t i = 0; i < size_of(f, false); i++) values[i] = (double)(random_word() % 50);
    heddle_array *const a =
        heddle_astype(heddle_asarray(values, HEDDLE_FLOAT64, f->ndim, f->shape), HEDDLE_FLOAT32);
    for (int greatest = 0; greatest < 2; greatest++) {
        heddle_kernel *const k = heddle_kernel_reduction(
            "T x", "T v, int64 at", greatest ? "-x, i" : "x, i",
            "min(a0, b0), b0 < a0 || (b0 == a0 && b1 < a1) ? b1 : a1", "v = a0; at = a1",
            .identity = "INFINITY, -1", .commutative = commutative);
        results(k, 1, &a, f, 2, HEDDLE_FLOAT64, (void *[]){least, at});
        for (int64_t r = 0; r < size_of(f, true); r++) {
            const int64_t n = places_of(f, r, places);
            double best = (double)INFINITY, place = -1;
            for (int64_t j = 0; j < n; j++) {
                const double v = greatest ? -values[places[j]] : values[places[j]];
                if (v < best) place = (double)places[j];
                if (v < best) best = v;
            }
            CHECK_NUM(least[r], best);
            CHECK_NUM(at[r], place);
        }
        heddle_kernel_release(k);
    }
    heddle_scope_close(scope);
}

/* Count, mean and sum of squared differences, combined as T. Chan and others do (1979). */
static void check_variance(const struct form *f)
{
    static double values[MOST], mean[MOST], variance[MOST];
    heddle_scope scope = heddle_scope_open();
    for (int64_t i = 0; i < size_of(f, false); i++) values[i] = 1e6 + random_part();
    heddle_array *const a = heddle_asarray(values, HEDDLE_FLOAT64, f->ndim, f->shape);
    heddle_kernel *const k =
        heddle_kernel_reduction("T x", "T mean, T variance", "1.0, x, T(0)",
                                "a0 + b0, a1 + (b1 - a1) * (b0 / (a0 + b0)),"
                                "a2 + b2 + (b1 - a1) * (b1 - a1) * (a0 * b0 / (a0 + b0))",
                                "mean = a1; variance = a2 / a0");
    CHECK_STR(heddle_kernel_error(k), "");
    results(k, 1, &a, f, 2, HEDDLE_FLOAT64, (void *[]){mean, variance});
    for (int64_t r = 0; r < size_of(f, true); r++) {
        const int64_t n = places_of(f, r, places);
        long double sum = 0, squares = 0;
        for (int64_t j = 0; j < n; j++) sum += (long double)values[places[j]];
        const long double middle = sum / (long double)n;
        for (int64_t j = 0; j < n; j++) {
            const long double d = (long double)values[places[j]] - middle;
            squares += d * d;
        }
        CHECK(fabs(mean[r] - (double)middle) < 1e-8, "mean %.17g, not %.17g", mean[r],
              (double)middle);
        CHECK(fabs(variance[r] - (double)(squares / (long double)n)) < 1e-10,
              "variance %.17g, not %.17g", variance[r], (double)(squares / (long double)n));
    }
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* Products of 2 x 2 matrices, modulo 2^32; the last value that is not 0. */
static void check_order(int64_t n)
{
    static uint32_t m[4][MOST];
    heddle_scope scope = heddle_scope_open();
    heddle_array *in[4];
    const struct form f = {1, {n}, 1};
    for (int j = 0; j < 4; j++) {
        for (int64_t i = 0; i < n; i++) m[j][i] = (uint32_t)random_word();
        in[j] = heddle_asarray(m[j], HEDDLE_UINT32, HEDDLE_SHAPE(n));
    }
    heddle_kernel *k = heddle_kernel_reduction(
        "T p, T q, T r, T s", "T w, T x, T y, T z", "p, q, r, s",
        "a0 * b0 + a1 * b2, a0 * b1 + a1 * b3, a2 * b0 + a3 * b2, a2 * b1 + a3 * b3",
        "w = a0; x = a1; y = a2; z = a3");
    uint32_t right[4] = {1, 0, 0, 1};
    int64_t found[4] = {0};
    results(k, 4, in, &f, 4, HEDDLE_INT64, (void *[]){found, found + 1, found + 2, found + 3});
    for (int64_t i = 0; i < n; i++)
        for (int row = 0; row < 2; row++) {
            const uint32_t a = right[2 * row], b = right[2 * row + 1];
            right[2 * row] = a * m[0][i] + b * m[2][i];
            right[2 * row + 1] = a * m[1][i] + b * m[3][i];
        }
    for (int j = 0; j < 4; j++) CHECK_EQ(found[j], right[j]);
    heddle_kernel_release(k);

    uint32_t last = 0;
    for (int64_t i = 0; i < n; i++) {
        m[0][i] = i < n - 20 && random_word() % 7 == 0 ? (uint32_t)i + 1 : 0;
        if (m[0][i]) last = m[0][i];
    }
    heddle_array *const a = heddle_asarray(m[0], HEDDLE_UINT32, HEDDLE_SHAPE(n));
    k = heddle_kernel_reduction("T x", "T y", "x", "b != 0 ? b : a", "y = a0");
    results(k, 1, &a, &f, 1, HEDDLE_INT64, (void *[]){found});
    CHECK_EQ(found[0], last);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* ---- Bits ------------------------------------------------------------------------------------------------ */

/* Rounded sums over axes: the same bits however the argument is cut, and in each way that the test is run. */
static void check_bits(void)
{
    enum { ROWS = 203, COLUMNS = 517 };
    static float values[ROWS * COLUMNS], right[ROWS * COLUMNS], found[ROWS * COLUMNS];
    uint64_t hash = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)(random_part() - 0.25);
    for (int mask = 1; mask < 8; mask++) { /* bit 2: as if it were commutative */
        if (!(mask & 3)) continue;
        heddle_scope scope = heddle_scope_open();
        heddle_array *const a = heddle_asarray(values, HEDDLE_FLOAT32, HEDDLE_SHAPE(ROWS, COLUMNS));
        heddle_kernel *const k = heddle_kernel_reduction("T x", "T y", "x * x", "a + b * 1.0f",
                                                         "y = a", .commutative = mask > 3);
        const struct form f = {2, {ROWS, COLUMNS}, (unsigned)mask & 3};
        for (int round = 0; round < 50; round++) {
            struct heddle_distribution cut = {.size = sizeof cut};
            for (int d = 0; d < 2; d++)
                cut.cut[d] = (struct heddle_cut){.kind = HEDDLE_CUT_PARTS,
                                                 .n = 1 + (int64_t)(random_word() % 6)};
            if (round >= CHECK_CASES(50))
                continue; /* drawn all the same: the next ones are alike */
            heddle_array *const in = round == 0 ? a : heddle_distribute(a, &cut);
            heddle_array *const r = heddle_kernel_reduce(k, HEDDLE_ARRAYS(in), .axes = axes_of(&f));
            const int64_t bytes = heddle_nbytes(r);
            CHECK_EQ(heddle_read(r, round == 0 ? right : found, bytes), HEDDLE_OK);
            CHECK(round == 0 || !memcmp(right, found, (size_t)bytes), "mask %d, round %d", mask,
                  round);
        }
        for (int64_t i = 0; i < size_of(&f, true); i++) {
            uint32_t word;
            memcpy(&word, &right[i], sizeof word);
            hash = (hash ^ word) * UINT64_C(0x100000001b3);
        }
        heddle_kernel_release(k);
        heddle_scope_close(scope);
    }
    /* what the rounds gave when this test was written: inline, in tasks, on GPUs */
    CHECK(hash == UINT64_C(0xf4d44608a2f3e045), "hash 0x%llx", (unsigned long long)hash);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    check_bits(); /* first: of numbers that all ways draw alike */
    check_forms();
    for (int commutative = 0; commutative < 2; commutative++) {
        check_places(&(struct form){1, {0}, 1}, commutative);
        check_places(&(struct form){1, {4097}, 1}, commutative);
        check_places(&(struct form){1, {MOST}, 1}, commutative);
        check_places(&(struct form){2, {37, 41}, 1}, commutative);
        check_places(&(struct form){2, {37, 41}, 2}, commutative);
        check_places(&(struct form){3, {11, 8, 41}, 5}, commutative);
    }
    check_variance(&(struct form){1, {10007}, 1});
    check_variance(&(struct form){2, {60, 50}, 1});
    check_variance(&(struct form){2, {60, 50}, 2});
    for (int64_t n = 40; n < 100000; n = n * 3 + 1) check_order(n);
    check_nothing_left();
    return check_done();
}
