/* Proves that updates in place cannot be seen: random programs of updates, views and sums, whose older
 * values are kept or released at random, evaluated at random, against plain arrays; and that an update
 * of what nobody holds is made in place. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 48, COLUMNS = 20, N = ROWS * COLUMNS, HELD = 6 };

static uint64_t state;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

struct value {
    heddle_array *a; /* our own reference */
    double x[N];
};

static void check_value(const struct value *v, int step)
{
    static double got[N];
    CHECK(heddle_read(v->a, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(v->a));
    CHECK(memcmp(got, v->x, sizeof got) == 0, "step %d: other values", step);
}

/* A random slice of an axis: lo, lo + step, ... count of them. */
struct slice {
    int64_t lo, step, count;
};

static struct slice random_slice(int64_t extent)
{
    struct slice s = {.lo = below(extent), .step = 1 + (below(4) == 0) * below(3)};
    s.count = 1 + below((extent - s.lo - 1) / s.step + 1);
    return s;
}

static heddle_place teams[2];
static bool distributes;

static heddle_array *fresh(const double *x)
{
    struct heddle_distribution d = {.n_places = 2, .places = teams};
    d.cut[below(2)].kind = HEDDLE_CUT_PARTS;
    return heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS),
                          .distribution = distributes && below(2) ? &d : NULL);
}

/* `v` with a box of it set, to a number, or to the same box of `of` plus one. */
static void update(struct value *v, const struct value *of)
{
    const struct slice r = random_slice(ROWS), c = random_slice(COLUMNS);
    const struct heddle_index box[] = {
        HEDDLE_SLICE_STEP(r.lo, r.lo + (r.count - 1) * r.step + 1, r.step),
        HEDDLE_SLICE_STEP(c.lo, c.lo + (c.count - 1) * c.step + 1, c.step),
    };
    const double number = (double)below(1000);
    static double from[N];
    memcpy(from, of ? of->x : v->x, sizeof from);
    heddle_scope scope = heddle_scope_open();
    heddle_array *to = heddle_scalar(number);
    if (of) to = heddle_add(heddle_getitem(of->a, 2, box), heddle_scalar(1.0));
    heddle_array *next = heddle_keep(heddle_set_item(v->a, 2, box, to));
    heddle_scope_close(scope);
    heddle_release(v->a);
    v->a = next;
    for (int64_t i = 0; i < r.count; i++)
        for (int64_t j = 0; j < c.count; j++) {
            const int64_t at = (r.lo + i * r.step) * COLUMNS + c.lo + j * c.step;
            v->x[at] = of ? from[at] + 1 : number;
        }
}

static void run(uint64_t seed)
{
    static struct value held[HELD];
    state = seed;
    for (int k = 0; k < HELD; k++) {
        for (int i = 0; i < N; i++) held[k].x[i] = (double)below(100);
        held[k].a = fresh(held[k].x);
    }
    for (int step = 0; step < 60; step++) {
        struct value *v = &held[below(HELD)];
        switch (below(8)) {
        case 0: { /* another name for it */
            struct value *w = &held[below(HELD)];
            if (w == v) break;
            heddle_release(w->a);
            *w = *v;
            heddle_keep(w->a);
            break;
        }
        case 1: { /* a value that its evaluation makes beside others */
            heddle_scope scope = heddle_scope_open();
            heddle_array *twice = heddle_add(v->a, v->a);
            heddle_array *sum = heddle_keep(heddle_sum(twice));
            heddle_scope_close(scope);
            if (below(2)) CHECK_EQ(heddle_eval(sum), HEDDLE_OK); /* perhaps still running */
            update(v, NULL);
            if (below(2)) CHECK_EQ(heddle_eval(v->a), HEDDLE_OK);
            double got = 0;
            CHECK_EQ(heddle_read(sum, &got, sizeof got), HEDDLE_OK);
            heddle_release(sum);
            break;
        }
        case 2: update(v, &held[below(HELD)]); break; /* perhaps of itself */
        case 3: {
            heddle_array *all[HELD];
            for (int k = 0; k < HELD; k++) all[k] = held[k].a;
            CHECK_EQ(heddle_eval_all(1 + (int)below(HELD), all), HEDDLE_OK);
            break;
        }
        case 4: check_value(v, step); break;
        case 5: CHECK_EQ(heddle_eval(v->a), HEDDLE_OK); break;
        default: update(v, NULL); break;
        }
    }
    for (int k = 0; k < HELD; k++) {
        check_value(&held[k], 1000);
        heddle_release(held[k].a);
    }
}

/* A thousand updates of one element cost a thousand elements, not arrays. */
static void test_in_place(const struct heddle_config *config)
{
    enum { LARGE = 1 << 20 };
    struct heddle_statistics s;
    heddle_scope scope = heddle_scope_open();
    struct heddle_distribution d = {.n_places = 2, .places = teams};
    d.cut[0].kind = HEDDLE_CUT_PARTS;
    heddle_array *zeros =
        heddle_zeros(HEDDLE_SHAPE(LARGE), .distribution = distributes ? &d : NULL);
    heddle_array *u = heddle_keep(heddle_add(zeros, heddle_scalar(0.0)));
    heddle_scope_close(scope);
    CHECK_EQ(heddle_wait(u), HEDDLE_OK);
    for (int k = 0; k < 100; k++) {
        scope = heddle_scope_open();
        heddle_array *next = heddle_keep(
            heddle_set_item(u, HEDDLE_INDEX(HEDDLE_AT(k * 1000)), heddle_scalar((double)k)));
        heddle_scope_close(scope);
        heddle_release(u);
        u = next;
        CHECK_EQ(heddle_eval(u), HEDDLE_OK);
        if (k == 0) { /* it copies if the caller's thread made the array, and tasks update it */
            CHECK_EQ(heddle_wait(u), HEDDLE_OK);
            for (int ms = 0; ms < 2000; ms++) { /* what it was copied from goes soon */
                heddle_statistics_get(&s);
                if (s.bytes_live < 2 * LARGE * (int64_t)sizeof(double)) break;
                usleep(1000);
            }
            continue;
        }
        heddle_statistics_get(&s);
        CHECK(config->partition || s.bytes_live < 2 * LARGE * (int64_t)sizeof(double), "%lld bytes",
              (long long)s.bytes_live);
    }
    scope = heddle_scope_open();
    double sum = 0;
    CHECK_EQ(heddle_read(heddle_sum(u), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, 4950);
    heddle_scope_close(scope);
    heddle_release(u);
}

int main(int argc, char **argv)
{
    static const struct {
        struct heddle_config config;
        bool distributes;
    } ways[] = {
        {.config = {.devices = "cpu", .cpu_workers = 2}},
        {.config = {.devices = "cpu", .cpu_workers = 2, .inline_bytes = -1}},
        {.config = {.devices = "cpu", .cpu_workers = 2, .inline_bytes = -1, .partition = "3x2"}},
        {.config = {.devices = "cpu", .cpu_workers = 2, .inline_bytes = -1}, .distributes = true},
        {.config = {.devices = "cpu", .cpu_workers = 2}, .distributes = true},
    };
    const int programs = argc > 1 ? atoi(argv[1]) : 60;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        CHECK_EQ(heddle_configure(&ways[w].config), HEDDLE_OK);
        int n_cpus = 0, n_gpus = 0;
        CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
        for (int i = 0; i < 2; i++) teams[i] = heddle_cpu(i % n_cpus);
        distributes = ways[w].distributes;
        for (int i = 0; i < programs; i++) run((uint64_t)(1000 * w) + (uint64_t)i);
        test_in_place(&ways[w].config);
        check_nothing_left();
    }
    return check_done();
}
