/* Proves that calls over parts give each launch what the header says, for n arrays that are read and several results: halos
 * along several axes, extents in proportion, broadcast and whole arrays; and that calls from several threads, whose kernels
 * are released while they are pending, are in order. */
#include "check_heddle.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static heddle_array *counting(int64_t n)
{
    return heddle_arange(heddle_scalar((double)n), NULL, NULL);
}

/* ---- Halos -------------------------------------------------------------------------------------------- */

enum { ROWS = 23, COLUMNS = 31, BEFORE = 1, AFTER = 2 };

/* The sum of x[i - before .. i + after][j - before .. j + after], as far as these are. */
static enum heddle_status window(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_extents *in = &l->arguments[0].extents, *own = &l->arguments[1].extents;
    const int64_t before = *(const int64_t *)l->arguments[2].data,
                  after = *(const int64_t *)l->arguments[3].data;
    const double *x = l->arguments[0].data;
    double *y = l->arguments[1].data;
    for (int64_t i = 0; i < own->shape[0]; i++)
        for (int64_t j = 0; j < own->shape[1]; j++, y++) {
            const int64_t r = i + in->before[0], c = j + in->before[1];
            if (in->lo[0] + r != own->lo[0] + i || in->lo[1] + c != own->lo[1] + j)
                return HEDDLE_EINTERNAL;
            *y = 0;
            for (int64_t k = r < before ? 0 : r - before; k <= r + after && k < in->shape[0]; k++)
                for (int64_t m = c < before ? 0 : c - before; m <= c + after && m < in->shape[1];
                     m++)
                    *y += x[k * in->shape[1] + m];
        }
    return HEDDLE_OK;
}

static double window_of(int64_t i, int64_t j, int64_t before, int64_t after)
{
    double sum = 0;
    for (int64_t k = i - before; k <= i + after; k++)
        for (int64_t m = j - before; m <= j + after; m++)
            if (k >= 0 && k < ROWS && m >= 0 && m < COLUMNS) sum += (double)(k * COLUMNS + m);
    return sum;
}

static void test_halos(void)
{
    const struct heddle_distribution plain = {
        .cut = {{HEDDLE_CUT_PARTS, 3, NULL}, {HEDDLE_CUT_PARTS, 4, NULL}}};
    struct heddle_distribution wide = plain;
    wide.overlap[0] = wide.overlap[1] = (struct heddle_overlap){BEFORE, AFTER};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(window);
    for (int kind = 0; kind < 3; kind++) { /* uncut, the distribution's overlap, the call's halo */
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = heddle_reshape(counting(ROWS * COLUMNS), HEDDLE_SHAPE(ROWS, COLUMNS)), *y;
        const int64_t after = kind == 1 ? AFTER : BEFORE;
        if (kind > 0) x = heddle_distribute(x, kind == 1 ? &wide : &plain);
        struct heddle_raw_call_options o = {.size = sizeof o, .over_parts = true};
        if (kind == 2) o.halo = HEDDLE_LENGTHS(BEFORE, BEFORE);
        const struct heddle_raw_argument arguments[] = {
            heddle_raw_read(x), heddle_raw_write(&y, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS)),
            heddle_raw_i64(BEFORE), heddle_raw_i64(after)};
        double got[ROWS][COLUMNS];
        CHECK_EQ(heddle_raw_call_with(k, 4, arguments, &o), HEDDLE_OK);
        CHECK(heddle_read(y, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(y));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) CHECK_NUM(got[i][j], window_of(i, j, BEFORE, after));
        heddle_scope_close(scope);
    }
    heddle_raw_kernel_release(k);
}

/* ---- Proportions ---------------------------------------------------------------------------------------- */

enum { LENGTH = 240, WIDTH = 5, MOST_PARTS = 8 };

struct seen {
    atomic_llong first; /* elements of x before which a part begins: all together */
    atomic_int calls, odd;
};

/* x[n, w], half[n / 2, 1], row[w], all[n]: sums of 4 rows, 3 of each row, and the whole of `all` in each. */
static enum heddle_status rates(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *v = l->arguments;
    const double *x = v[0].data, *half = v[1].data, *row = v[2].data, *all = v[3].data;
    double *sums = v[4].data;
    float *fine = v[5].data;
    struct seen *seen = l->user;
    const int64_t n = v[0].extents.shape[0], first = v[0].extents.lo[0];
    atomic_fetch_add(&seen->calls, 1);
    if (first % 4 != 0 || v[1].extents.shape[0] * 2 != n || v[1].extents.lo[0] * 2 != first ||
        v[2].extents.shape[0] != WIDTH || v[3].extents.shape[0] != LENGTH ||
        v[3].extents.lo[0] != 0 || v[4].extents.shape[0] * 4 != n ||
        v[4].extents.lo[0] * 4 != first || v[5].extents.shape[0] != n * 3 ||
        v[5].extents.lo[0] != first * 3)
        atomic_fetch_add(&seen->odd, 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < WIDTH; j++) {
            const double term = x[i * WIDTH + j] * row[j] + half[i / 2];
            double *sum = &sums[i / 4 * WIDTH + j];
            *sum = i % 4 == 0 ? term + all[LENGTH - 1] : *sum + term;
            for (int k = 0; k < 3; k++)
                fine[(3 * i + k) * WIDTH + j] = (float)(x[i * WIDTH + j] + k);
        }
    return HEDDLE_OK;
}

static void test_proportions(void)
{
    static const int64_t sizes[] = {5, 70, 1, 100, 64};
    const struct heddle_distribution odd = {
        .cut = {{HEDDLE_CUT_SIZES, 5, sizes}, {HEDDLE_CUT_PARTS, 2, NULL}}};
    struct seen seen = {.calls = 0};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(rates, .user = &seen);
    for (int cut = 0; cut < 2; cut++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = heddle_reshape(counting(LENGTH * WIDTH), HEDDLE_SHAPE(LENGTH, WIDTH));
        heddle_array *half = heddle_reshape(counting(LENGTH / 2), HEDDLE_SHAPE(LENGTH / 2, 1)),
                     *row = counting(WIDTH), *all = counting(LENGTH), *sums, *fine;
        if (cut) x = heddle_distribute(x, &odd);
        atomic_store(&seen.calls, 0);
        CHECK_EQ(heddle_raw_call(
                     k,
                     HEDDLE_RAW_ARGUMENTS(
                         heddle_raw_read(x), heddle_raw_read(half), heddle_raw_read(row),
                         heddle_raw_whole(all),
                         heddle_raw_write(&sums, HEDDLE_FLOAT64, HEDDLE_SHAPE(LENGTH / 4, WIDTH)),
                         heddle_raw_write(&fine, HEDDLE_FLOAT32, HEDDLE_SHAPE(LENGTH * 3, WIDTH))),
                     .over_parts = true, .uncut = 2),
                 HEDDLE_OK);
        static double s[LENGTH / 4][WIDTH];
        static float f[LENGTH * 3][WIDTH];
        CHECK(heddle_read(sums, s, sizeof s) == HEDDLE_OK, "%s", heddle_error(sums));
        CHECK(heddle_read(fine, f, sizeof f) == HEDDLE_OK, "%s", heddle_error(fine));
        for (int i = 0; i < LENGTH / 4; i++)
            for (int j = 0; j < WIDTH; j++) {
                double want = LENGTH - 1;
                for (int r = 4 * i; r < 4 * i + 4; r++) {
                    const int pair = r / 2;
                    want += (r * WIDTH + j) * j + pair;
                }
                CHECK_NUM(s[i][j], want);
            }
        for (int i = 0; i < 3 * LENGTH; i++)
            for (int j = 0; j < WIDTH; j++) {
                const int row_of_x = i / 3;
                CHECK_NUM(f[i][j], row_of_x * WIDTH + j + i % 3);
            }
        CHECK_EQ(atomic_load(&seen.odd), 0);
        CHECK(!cut || atomic_load(&seen.calls) >= 3, "%d parts", atomic_load(&seen.calls));
        heddle_scope_close(scope);
    }
    heddle_raw_kernel_release(k);
}

/* A result that lacks an axis: that axis is whole. */
static enum heddle_status total(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_extents *e = &l->arguments[0].extents;
    const double *x = l->arguments[0].data;
    double *y = l->arguments[1].data;
    for (int64_t j = 0; j < e->shape[1]; j++) {
        y[j] = 0;
        for (int64_t i = 0; i < e->shape[0]; i++) y[j] += x[i * e->shape[1] + j];
    }
    return HEDDLE_OK;
}

static void test_missing_axis(void)
{
    const struct heddle_distribution cut = {
        .cut = {{HEDDLE_CUT_PARTS, 3, NULL}, {HEDDLE_CUT_PARTS, 4, NULL}}};
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(total);
    heddle_array *x = heddle_reshape(counting(ROWS * COLUMNS), HEDDLE_SHAPE(ROWS, COLUMNS)), *y;
    CHECK_EQ(heddle_raw_call(
                 k,
                 HEDDLE_RAW_ARGUMENTS(heddle_raw_read(heddle_distribute(x, &cut)),
                                      heddle_raw_write(&y, HEDDLE_FLOAT64, HEDDLE_SHAPE(COLUMNS))),
                 .over_parts = true),
             HEDDLE_OK);
    double got[COLUMNS];
    CHECK(heddle_read(y, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(y));
    for (int j = 0; j < COLUMNS; j++)
        CHECK_NUM(got[j], ROWS * j + COLUMNS * ROWS * (ROWS - 1) / 2.0);
    int64_t parts = 0;
    CHECK_EQ(heddle_count_parts(y, &parts), HEDDLE_OK);
    CHECK_EQ(parts, 4);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* ---- Load ------------------------------------------------------------------------------------------------ */

enum { THREADS = 3, STEPS = 60, SIZE = 64 };

/* x = 2 x + step, slowly now and then. */
static enum heddle_status advance(const struct heddle_raw_launch *l)
{
    double *x = l->arguments[0].data;
    const int32_t step = *(const int32_t *)l->arguments[1].data;
    if (step % 8 == 0) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    for (int64_t i = 0; i < l->arguments[0].bytes / 8; i++) x[i] = (2 * x[i] + step) / 2;
    return HEDDLE_OK;
}

static atomic_int n_deleted;

static void deleted(void *user)
{
    (void)user;
    atomic_fetch_add(&n_deleted, 1);
}

static void *chain(void *unused)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_own(counting(SIZE));
    heddle_scope_close(scope);
    for (int step = 0; step < STEPS; step++) {
        heddle_raw_kernel *k = heddle_raw_kernel_from_functions(advance, .deleter = deleted);
        heddle_array *y;
        CHECK_EQ(
            heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &y), heddle_raw_i32(step)),
                            .over_parts = step % 2 == 1),
            HEDDLE_OK);
        heddle_raw_kernel_release(k);
        heddle_release(x);
        x = y;
        if (step % 5 != 4) CHECK_EQ(heddle_eval(x), HEDDLE_OK);
    }
    double got[SIZE];
    CHECK(heddle_read(x, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(x));
    for (int i = 0; i < SIZE; i++) CHECK_NUM(got[i], i + STEPS * (STEPS - 1) / 4.0);
    heddle_release(x);
    return unused;
}

int main(void)
{
    test_halos();
    test_proportions();
    test_missing_axis();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, chain, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    check_nothing_left();
    CHECK_EQ(atomic_load(&n_deleted), THREADS * STEPS);
    return check_done();
}
