/* Proves that updates in place cannot be seen: random programs of updates, views and sums, whose older
 * values are kept or released at random, evaluated at random, against plain arrays; and that updates
 * of what nobody holds are made in place, also of what they read, and several in one evaluation. */
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

static struct heddle_index index_of(struct slice s)
{
    return (struct heddle_index)HEDDLE_SLICE_STEP(s.lo, s.lo + (s.count - 1) * s.step + 1, s.step);
}

/* As many indices of the same step, somewhere; the same ones half of the times. */
static struct slice moved(struct slice s, int64_t extent)
{
    if (below(2)) s.lo = below(extent - (s.count - 1) * s.step);
    return s;
}

/* `v` with a box of it set, to a number, or to a box of `of` plus one; `of` may be v. */
static void update(struct value *v, const struct value *of)
{
    const struct slice r = random_slice(ROWS), c = random_slice(COLUMNS);
    const struct slice from_r = moved(r, ROWS), from_c = moved(c, COLUMNS);
    const struct heddle_index box[] = {index_of(r), index_of(c)};
    const struct heddle_index from_box[] = {index_of(from_r), index_of(from_c)};
    const double number = (double)below(1000);
    static double from[N];
    memcpy(from, of ? of->x : v->x, sizeof from);
    heddle_scope scope = heddle_scope_open();
    heddle_array *to = heddle_scalar(number);
    if (of) to = heddle_getitem(of->a, 2, from_box);
    if (of && below(2)) to = heddle_add(to, heddle_scalar(0.0)); /* a view, or computed */
    heddle_array *next = heddle_keep(heddle_set_item(v->a, 2, box, to));
    heddle_scope_close(scope);
    heddle_release(v->a);
    v->a = next;
    for (int64_t i = 0; i < r.count; i++)
        for (int64_t j = 0; j < c.count; j++) {
            const int64_t at = (r.lo + i * r.step) * COLUMNS + c.lo + j * c.step;
            v->x[at] =
                of ? from[(from_r.lo + i * r.step) * COLUMNS + from_c.lo + j * c.step] : number;
        }
}

/* `v`, or v + 1 that its evaluation computes, with some rows set, or added, by an array of indices: to a number, or to rows of `of`,
 * which may be v. Perhaps what it was is summed up in the same evaluation, before or after. */
static void update_rows(struct value *v, const struct value *of)
{
    enum { MOST = 6 };
    const int64_t m = 1 + below(MOST), computes = below(2), adds = below(2), sums = below(3);
    const double number = (double)below(1000);
    int64_t to_rows[MOST], from_rows[MOST];
    static double from[N];
    double total = 0, got = 0;
    if (of) memcpy(from, of->x, sizeof from);
    for (int64_t k = 0; k < m; k++) {
        to_rows[k] = below(ROWS);
        from_rows[k] = below(ROWS);
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *base = computes ? heddle_add(v->a, heddle_scalar(1.0)) : v->a;
    heddle_array *by = heddle_asarray(to_rows, HEDDLE_INT64, HEDDLE_SHAPE(m));
    heddle_array *values = heddle_scalar(number);
    if (of)
        values = heddle_take(of == v ? base : of->a,
                             heddle_asarray(from_rows, HEDDLE_INT64, HEDDLE_SHAPE(m)), .axis = 0);
    const struct heddle_index index[] = {HEDDLE_BY(by)};
    heddle_array *sum = heddle_keep(heddle_sum(base));
    heddle_array *next = heddle_keep(adds ? heddle_add_at(base, 1, index, values)
                                          : heddle_set_item(base, 1, index, values));
    heddle_scope_close(scope);
    heddle_release(v->a);
    v->a = next;
    if (sums) {
        heddle_array *both[] = {sums == 1 ? sum : next, sums == 1 ? next : sum};
        CHECK_EQ(heddle_eval_all(2, both), HEDDLE_OK);
    }
    for (int64_t i = 0; i < N; i++) total += v->x[i] += (double)computes;
    if (of == v) memcpy(from, v->x, sizeof from);
    if (sums) {
        CHECK_EQ(heddle_read(sum, &got, sizeof got), HEDDLE_OK);
        CHECK_NUM(got, total);
    }
    heddle_release(sum);
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            double *x = &v->x[to_rows[k] * COLUMNS + j];
            *x = (adds ? *x : 0) + (of ? from[from_rows[k] * COLUMNS + j] : number);
        }
}

/* Two values, each updated by what the other one was, evaluated together. */
static void swap_rows(struct value *v, struct value *w)
{
    const int64_t row = below(ROWS);
    heddle_scope scope = heddle_scope_open();
    heddle_array *of_v = heddle_getitem(v->a, HEDDLE_INDEX(HEDDLE_AT(row)));
    heddle_array *of_w = heddle_getitem(w->a, HEDDLE_INDEX(HEDDLE_AT(row)));
    heddle_array *both[] = {heddle_keep(heddle_set_item(v->a, HEDDLE_INDEX(HEDDLE_AT(row)), of_w)),
                            heddle_keep(heddle_set_item(w->a, HEDDLE_INDEX(HEDDLE_AT(row)), of_v))};
    heddle_scope_close(scope);
    heddle_release(v->a);
    heddle_release(w->a);
    CHECK_EQ(heddle_eval_all(2, both), HEDDLE_OK);
    v->a = both[0];
    w->a = both[1];
    for (int64_t j = row * COLUMNS; j < (row + 1) * COLUMNS; j++) {
        const double x = v->x[j];
        v->x[j] = w->x[j];
        w->x[j] = x;
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
        switch (below(12)) {
        case 8: {
            struct value *w = &held[below(HELD)];
            if (w != v) swap_rows(v, w);
            break;
        }
        case 9:
        case 10:
            update_rows(v, below(2) ? &held[below(HELD)] : NULL);
            break; /* perhaps of itself */
        case 0: {  /* another name for it */
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

static const void *address_of(heddle_array *a)
{
    struct heddle_part_view view;
    CHECK_EQ(heddle_part_acquire(a, 0, HEDDLE_ANYWHERE, &view), HEDDLE_OK);
    const void *data = view.data;
    heddle_part_release(&view);
    return data;
}

/* Two arrays, each updated of itself and of the other, in boxes that leave their borders, stay where they are. */
static void test_several_in_place(void)
{
    enum { LARGE = 1 << 19, STEPS = 10 };
    static double got[2][LARGE], x[2][LARGE];
    const void *address[2] = {NULL, NULL};
    struct heddle_binding now[2] = {{"a", NULL}, {"b", NULL}};
    CHECK_EQ(heddle_expr_run("a = zeros(2**19) + 1; b = zeros(2**19) + 2", 0, NULL, 2, now),
             HEDDLE_OK);
    for (int i = 0; i < LARGE; i++) x[0][i] = 1, x[1][i] = 2;
    for (int t = 0; t < STEPS; t++) {
        struct heddle_binding next[2] = {{"a", NULL}, {"b", NULL}};
        CHECK_EQ(heddle_expr_run("b[1:-1] += a[1:-1] + a[2:]; b[0] = b[1]\n"
                                 "a[1:-1] = 0.5 * (b[:-2] + b[2:]); a[-1] = a[-2]",
                                 2, now, 2, next),
                 HEDDLE_OK);
        heddle_array *both[2] = {next[0].array, next[1].array};
        for (int i = 0; i < 2; i++) {
            heddle_release(now[i].array);
            now[i] = next[i];
        }
        CHECK_EQ(heddle_eval_all(2, both), HEDDLE_OK);
        for (int i = 0; i < 2;
             i++) { /* the first ones may be copied: the caller's thread made them */
            const void *at = address_of(both[i]);
            CHECK(t < 2 || at == address[i], "step %d: array %d is copied", t, i);
            address[i] = at;
        }
        for (int i = 1; i < LARGE - 1; i++) x[1][i] += x[0][i] + x[0][i + 1];
        x[1][0] = x[1][1];
        for (int i = 1; i < LARGE - 1; i++) x[0][i] = 0.5 * (x[1][i - 1] + x[1][i + 1]);
        x[0][LARGE - 1] = x[0][LARGE - 2];
    }
    for (int k = 0; k < 2; k++) {
        CHECK_EQ(heddle_read(now[k].array, got[k], sizeof got[k]), HEDDLE_OK);
        CHECK(!memcmp(got[k], x[k], sizeof got[k]), "array %d", k);
        heddle_release(now[k].array);
    }
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
    const int programs = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 60);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        CHECK_EQ(heddle_configure(&ways[w].config), HEDDLE_OK);
        int n_cpus = 0, n_gpus = 0;
        CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
        for (int i = 0; i < 2; i++) teams[i] = heddle_cpu(i % n_cpus);
        distributes = ways[w].distributes;
        for (int i = 0; i < programs; i++) run((uint64_t)(1000 * w) + (uint64_t)i);
        test_in_place(&ways[w].config);
        if (!ways[w].config.partition) test_several_in_place();
        check_nothing_left();
    }
    return check_done();
}
