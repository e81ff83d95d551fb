/* Reductions of few elements beside elementwise work, which computes them itself: whole numbers, whose sums and
 * products are exact, against loops over all indices. Random shapes, axes, orders of axes, steps and readers, up to more elements than are unrolled.
 * And stacks of stacks and of what is rolled, and constants that are equal in one evaluation and differ in the next one of the same structure. Skipped (77) where
 * the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "random_words.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NDIM = 4, MOST = 4096, ROUNDS = 300 };

enum operation { SUM, PROD, MAX, MIN, ANY, ALL, N_OPERATIONS };
static const char *const operation_names[] = {"sum", "prod", "max", "min", "any", "all"};

enum element { PLAIN, SCALED, WEIGHTED, SQUARED, N_ELEMENTS };
static const char *const element_texts[] = {"v", "v * 2 - 1", "v * w", "(v - 1) ** 2"};

/* What reads the reduction r, beside v and another array z of its shape. */
enum reader { NOBODY, MAPPED, TWICE, BOTH, STACKED, SPREAD, REDUCED, N_READERS };

struct instance {
    int ndim;
    int64_t shape[MOST_NDIM]; /* of v */
    int order[MOST_NDIM];     /* v's axis d is x's axis order[d] */
    bool backwards;           /* v's last axis is x's from its end on */
    unsigned axes;            /* that are reduced */
    enum operation operation;
    enum element element;
    enum reader reader;
};

/* Element `index` of v. */
static double element_of(const struct instance *c, const double *x, const double *w,
                         const int64_t *index)
{
    int64_t at = 0, extent[MOST_NDIM], place[MOST_NDIM];
    for (int d = 0; d < c->ndim; d++) {
        extent[c->order[d]] = c->shape[d];
        place[c->order[d]] =
            d == c->ndim - 1 && c->backwards ? c->shape[d] - 1 - index[d] : index[d];
    }
    for (int d = 0; d < c->ndim; d++) at = at * extent[d] + place[d];
    const double v = x[at];
    switch (c->element) {
    case SCALED: return v * 2 - 1;
    case WEIGHTED: return v * w[index[c->ndim - 1]];
    case SQUARED: return (v - 1) * (v - 1);
    case PLAIN:
    case N_ELEMENTS: break;
    }
    return v;
}

static double combined(enum operation operation, double a, double b)
{
    switch (operation) {
    case SUM: return a + b;
    case PROD: return a * b;
    case MAX: return a > b ? a : b;
    case MIN: return a < b ? a : b;
    case ANY: return a != 0 || b != 0;
    case ALL: return a != 0 && b != 0;
    case N_OPERATIONS: break;
    }
    return 0;
}

/* Counts up an index along the axes of `mask`, the last one first. False: it was the last. */
static bool next_index(const struct instance *c, unsigned mask, int64_t *index)
{
    for (int d = c->ndim - 1; d >= 0; d--) {
        if (!(mask >> d & 1)) continue;
        if (++index[d] < c->shape[d]) return true;
        index[d] = 0;
    }
    return false;
}

static int64_t size_along(const struct instance *c, unsigned mask)
{
    int64_t n = 1;
    for (int d = 0; d < c->ndim; d++)
        if (mask >> d & 1) n *= c->shape[d];
    return n;
}

/* The reduction's results, in C order. */
static void reduce(const struct instance *c, const double *x, const double *w, double *r)
{
    const unsigned all = (1u << c->ndim) - 1;
    int64_t index[MOST_NDIM] = {0}, n = 0;
    do {
        bool first = true;
        double total = 0;
        do {
            double e = element_of(c, x, w, index);
            if (c->operation == ANY || c->operation == ALL) e = e > 2;
            total = first ? e : combined(c->operation, total, e);
            first = false;
        } while (next_index(c, c->axes, index));
        r[n++] = total;
    } while (next_index(c, all & ~c->axes, index));
}

static void text_of(const struct instance *c, char *text, size_t room)
{
    char order[32] = "", axes[32] = "", *at = order;
    for (int d = 0; d < c->ndim; d++) at += sprintf(at, "%d,", c->order[d]);
    at = axes;
    for (int d = 0; d < c->ndim; d++)
        if (c->axes >> d & 1) at += sprintf(at, "%d,", d);
    const bool truth = c->operation == ANY || c->operation == ALL;
    static const char *const readers[] = {
        "r + 0",
        "r * 3 - z",
        "r * z + r",
        "stack((r + 0, r * 2 - z))", /* asked for and read */
        "stack((z, r, r + z))",
        "sum(u + k)",
        "sum(r - z) + max(r)",
    };
    snprintf(text, room,
             "v = permute_dims(x, (%s))[..., ::%d]; u = %s; r = astype(%s(u%s, axis=(%s)), "
             "float64); k = astype(%s(u%s, axis=(%s), keepdims=True), float64); y = %s",
             order, c->backwards ? -1 : 1, element_texts[c->element], operation_names[c->operation],
             truth ? " > 2" : "", axes, operation_names[c->operation], truth ? " > 2" : "", axes,
             readers[c->reader]);
}

static void check_results(const struct instance *c, const char *text, const double *x,
                          const double *w, const double *z, const double *got)
{
    static double r[MOST];
    const int64_t n = size_along(c, ((1u << c->ndim) - 1) & ~c->axes);
    double total = 0, most = 0;
    reduce(c, x, w, r);
    for (int64_t i = 0; i < n; i++) {
        total += r[i] - z[i];
        most = i == 0 || r[i] > most ? r[i] : most;
        double want[3] = {r[i], 0, 0};
        int parts = 1;
        if (c->reader == MAPPED) want[0] = r[i] * 3 - z[i];
        if (c->reader == TWICE) want[0] = r[i] * z[i] + r[i];
        if (c->reader == BOTH) want[1] = r[i] * 2 - z[i], parts = 2;
        if (c->reader == STACKED) want[0] = z[i], want[1] = r[i], want[2] = r[i] + z[i], parts = 3;
        for (int k = 0; k < parts && c->reader < SPREAD; k++)
            CHECK(got[k * n + i] == want[k], "%s: %lld of part %d: %g, not %g", text, (long long)i,
                  k, got[k * n + i], want[k]);
    }
    if (c->reader == REDUCED)
        CHECK(got[0] == total + most, "%s: %g, not %g", text, got[0], total + most);
    if (c->reader != SPREAD) return;
    const int64_t size = size_along(c, (1u << c->ndim) - 1);
    int64_t index[MOST_NDIM] = {0};
    total = 0;
    for (int64_t i = 0; i < n; i++) total += r[i] * (double)size / (double)n;
    do total += element_of(c, x, w, index);
    while (next_index(c, (1u << c->ndim) - 1, index));
    CHECK(got[0] == total, "%s: %g, not %g", text, got[0], total);
}

static void check_instance(const struct instance *c)
{
    static double x[MOST], w[MOST], z[MOST], got[3 * MOST];
    int64_t shape[MOST_NDIM], kept[MOST_NDIM];
    int n_kept = 0;
    for (int d = 0; d < c->ndim; d++) {
        shape[c->order[d]] = c->shape[d];
        if (!(c->axes >> d & 1)) kept[n_kept++] = c->shape[d];
    }
    for (int i = 0; i < MOST; i++) {
        x[i] = (double)(random_word() % 7) - 2;
        w[i] = (double)(random_word() % 3) - 1;
        z[i] = (double)(random_word() % 11) - 5;
    }
    char text[512];
    text_of(c, text, sizeof text);
    const int64_t n = size_along(c, ((1u << c->ndim) - 1) & ~c->axes);
    const int64_t parts = c->reader == BOTH ? 2 : c->reader == STACKED ? 3 : 1;
    const int64_t results = c->reader >= SPREAD ? 1 : n * parts;
    heddle_scope scope = heddle_scope_open();
    const struct heddle_binding all[] = {
        {"x", heddle_asarray(x, HEDDLE_FLOAT64, c->ndim, shape)},
        {"w", heddle_asarray(w, HEDDLE_FLOAT64, 1, &c->shape[c->ndim - 1])},
        {"z", heddle_asarray(z, HEDDLE_FLOAT64, n_kept, kept)}};
    const enum heddle_status status =
        heddle_read(heddle_expr(text, 3, all), got, results * (int64_t)sizeof *got);
    CHECK(status == HEDDLE_OK, "%s: %s", text, heddle_last_error());
    if (status == HEDDLE_OK) check_results(c, text, x, w, z, got);
    heddle_scope_close(scope);
}

static struct instance random_instance(void)
{
    struct instance c = {.ndim = 2 + (int)(random_word() % 3)};
    int64_t size = 1, reduced = 1;
    for (int d = 0; d < c.ndim; d++) c.order[d] = d;
    for (int d = c.ndim - 1; d > 0 && random_word() % 2; d--) {
        const int other = (int)(random_word() % (unsigned)(d + 1)), kept = c.order[d];
        c.order[d] = c.order[other];
        c.order[other] = kept;
    }
    do c.axes = (unsigned)(random_word() % (1u << c.ndim));
    while (c.axes == 0 || c.axes == (1u << c.ndim) - 1);
    for (int d = 0; d < c.ndim; d++) {
        const bool is_reduced = c.axes >> d & 1;
        const int64_t room = is_reduced ? 8 / reduced : MOST / 16 / size;
        c.shape[d] = 1 + (int64_t)(random_word() % (uint64_t)(room > 0 ? room : 1));
        *(is_reduced ? &reduced : &size) *= c.shape[d];
    }
    c.backwards = random_word() % 3 == 0;
    c.operation = (enum operation)(random_word() % N_OPERATIONS);
    c.element = (enum element)(random_word() % N_ELEMENTS);
    c.reader = (enum reader)(random_word() % N_READERS);
    return c;
}

/* Stacks of stacks of an array and what is computed of it, along any axes. */
static void check_stacks(int outer, int inner)
{
    enum { ROWS = 5, COLUMNS = 7, N = ROWS * COLUMNS };
    double x[N], got[4 * N];
    int64_t index[4], extent[4];
    for (int i = 0; i < N; i++) x[i] = (double)(random_word() % 100);
    char text[160];
    snprintf(text, sizeof text,
             "stack((stack((x, x + 1), axis=%d), stack((x * 2, x - 3), axis=%d)), axis=%d)", inner,
             inner, outer);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    CHECK_EQ(heddle_read(heddle_expr(text, HEDDLE_BIND("x", a)), got, sizeof got), HEDDLE_OK);
    const int within = inner + (inner >= outer); /* the inner stacks' axis */
    for (int d = 0, next = 0; d < 4; d++)
        extent[d] = d == outer || d == within ? 2 : next++ == 0 ? ROWS : COLUMNS;
    for (int at = 0; at < 4 * N; at++) {
        int rest = at, place = 0;
        for (int d = 3; d >= 0; d--) {
            index[d] = rest % (int)extent[d];
            rest /= (int)extent[d];
        }
        for (int d = 0; d < 4; d++)
            if (d != outer && d != within) place = place * (int)extent[d] + (int)index[d];
        const double of = x[place];
        const double want = index[outer] == 0    ? of + (double)index[within]
                            : index[within] == 0 ? of * 2
                                                 : of - 3;
        CHECK(got[at] == want, "%s: at %d %g, not %g", text, at, got[at], want);
    }
    heddle_scope_close(scope);
}

/* Stacks, along `axis`, of work on inner planes of what is rolled: computed where the pieces of that land, which have an axis less. */
static void check_rolled(int axis)
{
    enum { PLANES = 3, ROWS = 40, COLUMNS = 50, N = PLANES * ROWS * COLUMNS };
    enum { INNER = ROWS - 3, WITHIN = 2 * PLANES * INNER * COLUMNS };
    static double x[N], got[WITHIN];
    for (int i = 0; i < N; i++) x[i] = (double)(random_word() % 1000);
    char text[256];
    snprintf(text, sizeof text,
             "a = roll(x, 1, axis=1)[:, 2:-1]; b = roll(x, -2, axis=2)[:, 2:-1]; "
             "c = concat((x[1:], x[:1]), axis=0)[:, 2:-1]; "
             "stack((a + b - 2 * x[:, 2:-1], c * 2 + b), axis=%d)",
             axis);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(PLANES, ROWS, COLUMNS));
    CHECK_EQ(heddle_read(heddle_expr(text, HEDDLE_BIND("x", a)), got, sizeof got), HEDDLE_OK);
    int64_t bad = 0, extent[4];
    for (int d = 0, next = 0; d < 4; d++)
        extent[d] = d == axis ? 2 : (const int64_t[]){PLANES, INNER, COLUMNS}[next++];
    for (int64_t at = 0; at < WITHIN; at++) {
        int64_t rest = at, index[4], own[3];
        for (int d = 3; d >= 0; d--) {
            index[d] = rest % extent[d];
            rest /= extent[d];
        }
        for (int d = 0, next = 0; d < 4; d++)
            if (d != axis) own[next++] = index[d];
        own[1] += 2;
#define X(p, r, c) x[((p) % PLANES * ROWS + (r) % ROWS) * COLUMNS + (c) % COLUMNS]
        const double one = X(own[0], own[1] - 1, own[2]), two = X(own[0], own[1], own[2] + 2);
        const double want = index[axis] == 0 ? one + two - 2 * X(own[0], own[1], own[2])
                                             : X(own[0] + 1, own[1], own[2]) * 2 + two;
#undef X
        bad += got[at] != want;
    }
    CHECK(bad == 0, "%s: %lld differ", text, (long long)bad);
    heddle_scope_close(scope);
}

/* A stack of what has been computed and set in a box, along `axis`: pieces begin within the base. */
static void check_set(int axis)
{
    enum { ROWS = 6, COLUMNS = 8, N = ROWS * COLUMNS };
    double x[N], got[2 * N];
    for (int i = 0; i < N; i++) x[i] = (double)(random_word() % 100);
    char text[128];
    snprintf(text, sizeof text, "b = x * 2; b[1:4, 2:7] = x[1:4, 2:7] - 5; stack((b, x), axis=%d)",
             axis);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    CHECK_EQ(heddle_read(heddle_expr(text, HEDDLE_BIND("x", a)), got, sizeof got), HEDDLE_OK);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                const double of = x[i * COLUMNS + j];
                const double want = k == 1                               ? of
                                    : i >= 1 && i < 4 && j >= 2 && j < 7 ? of - 5
                                                                         : of * 2;
                const int at = axis == 0   ? (k * ROWS + i) * COLUMNS + j
                               : axis == 1 ? (i * 2 + k) * COLUMNS + j
                                           : (i * COLUMNS + j) * 2 + k;
                CHECK(got[at] == want, "%s: at %d, %d of %d %g, not %g", text, i, j, k, got[at],
                      want);
            }
    heddle_scope_close(scope);
}

/* The same structure with other constants, equal ones and others. */
static void check_constants(void)
{
    enum { N = 3000, MANY = 80 };
    static double x[N], got[N];
    for (int i = 0; i < N; i++) x[i] = i;
    for (int round = 0; round < 8; round++) {
        const int bits[3] = {round & 1, round >> 1 & 1, round >> 2};
        const double c[3] = {1.0 + bits[0], 1.0 + bits[1], 1.0 + bits[2]};
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
        heddle_array *y = heddle_multiply(a, heddle_scalar(c[0]));
        y = heddle_subtract(y, heddle_multiply(a, heddle_scalar(c[1])));
        y = heddle_add(y, heddle_multiply(a, heddle_scalar(c[2])));
        for (int k = 0; k < MANY; k++)
            y = heddle_add(y, heddle_scalar(k % 70)); /* more than are compared */
        CHECK_EQ(heddle_read(y, got, sizeof got), HEDDLE_OK);
        double more = 0;
        for (int k = 0; k < MANY; k++) more += k % 70;
        for (int i = 0; i < N; i++)
            CHECK(got[i] == i * (c[0] - c[1] + c[2]) + more, "constants %g, %g, %g: at %d %g", c[0],
                  c[1], c[2], i, got[i]);
        heddle_scope_close(scope);
    }
    /* constants whose first bytes are equal */
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
    const char *const text =
        "maximum(astype(x % 5, int8), 2) + maximum(astype(x, int64), 258) + 0.0";
    CHECK_EQ(heddle_read(heddle_expr(text, HEDDLE_BIND("x", a)), got, sizeof got), HEDDLE_OK);
    for (int i = 0; i < N; i++)
        CHECK(got[i] == (i % 5 > 2 ? i % 5 : 2) + (i > 258 ? i : 258), "%s: at %d %g", text, i,
              got[i]);
    heddle_scope_close(scope);
}

static int rounds = ROUNDS;

static void test(void)
{
    for (int i = 0; i < rounds; i++) {
        const struct instance c = random_instance();
        check_instance(&c);
    }
    for (int outer = 0; outer < 4; outer++)
        for (int inner = 0; inner < 3; inner++) check_stacks(outer, inner);
    for (int axis = 0; axis < 4; axis++) check_rolled(axis);
    for (int axis = 0; axis < 3; axis++) check_set(axis);
    check_constants();
}

int main(int argc, char **argv)
{
    if (argc > 1) rounds = atoi(argv[1]);
    return check_each_way(test);
}
