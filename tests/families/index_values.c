/* Indices of all kinds at random: what they read and write, against positions found one by one, on every way to run a plan; views
 * of all kinds are indexed, too. */
#include "check_heddle.h"
#include "families/random_index.h"
#include "machine/machine.h"
#include "property/random_distribution.h"

#include <stdlib.h>

enum { MOST = 4000 };

static struct random r = {1};

/* Numbers 0, 1, ..., as an array, a view of one, or an expression; *size of them. */
static heddle_array *numbers(int *ndim, int64_t shape[4], int64_t *size)
{
    static const int64_t extents[] = {1, 2, 3, 5, 9, 40};
    *ndim = 1 + (int)random_below(&r, 4);
    *size = 1;
    for (int d = 0; d < *ndim; d++) {
        shape[d] = extents[random_below(&r, *ndim > 2 ? 4 : 6)];
        *size *= shape[d];
    }
    /* twice as large along an axis, and back; every second is a number that is wrong */
    static double data[2 * MOST];
    const int axis = (int)random_below(&r, *ndim), kind = (int)random_below(&r, 5);
    if (kind == 0) {
        for (int64_t i = 0; i < *size; i++) data[i] = (double)i;
        return heddle_asarray(data, HEDDLE_FLOAT64, *ndim, shape);
    }
    if (kind == 1)
        return heddle_reshape(heddle_arange(heddle_scalar((double)*size), NULL, NULL), *ndim,
                              shape);
    int64_t doubled[4], inner = 1;
    memcpy(doubled, shape, sizeof doubled);
    doubled[axis] *= 2;
    for (int d = axis + 1; d < *ndim; d++) inner *= shape[d];
    for (int64_t i = 0; i < 2 * *size; i++) {
        const int64_t k = i / inner % doubled[axis], outer = i / inner / doubled[axis],
                      n = shape[axis];
        const int64_t at = kind == 2 ? k - 1 : kind == 3 ? n - 1 - k / 2 : k / 2;
        const bool is = kind == 2 ? k >= 1 && k <= n : k % 2 == (kind == 3);
        data[i] = is ? (double)((outer * n + at) * inner + i % inner) : -1;
    }
    struct heddle_index index[4] = {HEDDLE_ALL, HEDDLE_ALL, HEDDLE_ALL, HEDDLE_ALL};
    index[axis] = kind == 2   ? (struct heddle_index)HEDDLE_SLICE(1, shape[axis] + 1)
                  : kind == 3 ? (struct heddle_index)HEDDLE_STEP(-2)
                              : (struct heddle_index)HEDDLE_STEP(2);
    return heddle_getitem(heddle_asarray(data, HEDDLE_FLOAT64, *ndim, doubled), *ndim, index);
}

static void check_shape(int number, const heddle_array *got, const struct random_index *x)
{
    bool same = heddle_ndim(got) == x->ndim;
    for (int d = 0; d < x->ndim && same; d++) same = heddle_shape(got)[d] == x->shape[d];
    CHECK(same, "case %d: %d axes, not %d, of %lld", number, heddle_ndim(got), x->ndim,
          (long long)x->shape[0]);
}

static bool distributed; /* of this way */

/* The same array and the same index, in parts all over the machine. */
static void spread(heddle_array **a, struct random_index *x)
{
    if (!distributed) return;
    *a = random_distribution(*a, false);
    for (int i = 0; i < x->n; i++)
        if (x->index[i].kind == HEDDLE_INDEX_ARRAY && random_below(&r, 2))
            x->index[i].by = random_distribution(x->index[i].by, false);
}

static void test_read(int number)
{
    static double got[1 << 16];
    int64_t shape[4], size, wrong = 0;
    int ndim;
    struct random_index x;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(&ndim, shape, &size);
    if (random_index(&r, ndim, shape, &x)) {
        spread(&a, &x);
        heddle_array *v = heddle_getitem(a, x.n, x.index);
        check_shape(number, v, &x);
        CHECK(heddle_read(v, got, x.size * 8) == HEDDLE_OK, "case %d: %s", number, heddle_error(v));
        for (int64_t i = 0; i < x.size; i++) wrong += got[i] != (double)x.at[i];
        CHECK(wrong == 0, "case %d: %lld of %lld elements", number, (long long)wrong,
              (long long)x.size);
        free(x.at);
    }
    heddle_scope_close(scope);
}

/* Sets or adds what rounds: the order of additions is that of the indices. */
static void test_write(int number)
{
    static double got[MOST], want[MOST], values[1 << 16];
    int64_t shape[4], size, wrong = 0;
    int ndim;
    struct random_index x;
    const bool add = random_below(&r, 2);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(&ndim, shape, &size);
    if (random_index(&r, ndim, shape, &x)) {
        spread(&a, &x);
        /* a value for each element, or for each along the last axes */
        int drop = random_below(&r, 2) ? 0 : (int)random_below(&r, x.ndim + 1);
        int64_t n = 1;
        for (int d = drop; d < x.ndim; d++) n *= x.shape[d];
        for (int64_t i = 0; i < n; i++) values[i] = (double)random_below(&r, 1000) / 7;
        heddle_array *v = heddle_asarray(values, HEDDLE_FLOAT64, x.ndim - drop, x.shape + drop);
        if (distributed) v = random_distribution(v, false);
        for (int64_t i = 0; i < size; i++) want[i] = (double)i;
        for (int64_t i = 0; i < x.size; i++)
            want[x.at[i]] = (add ? want[x.at[i]] : 0) + values[i % n];
        heddle_array *w = (add ? heddle_add_at : heddle_set_item)(a, x.n, x.index, v);
        CHECK(heddle_read(w, got, size * 8) == HEDDLE_OK, "case %d: %s", number, heddle_error(w));
        for (int64_t i = 0; i < size; i++) wrong += got[i] != want[i];
        CHECK(wrong == 0, "case %d, %s: %lld of %lld elements", number, add ? "add" : "set",
              (long long)wrong, (long long)size);
        free(x.at);
    }
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    static const struct {
        struct heddle_config config;
        bool distributed;
    } ways[] = {
        {{.inline_bytes = (int64_t)1 << 40}, false},
        {{.inline_bytes = -1, .partition = "3"}, false},
        {{.inline_bytes = -1, .partition = "2x3"}, false},
        {{.inline_bytes = -1, .cpu_workers = 3}, true},
        {{.inline_bytes = 1}, false}, /* on GPUs directly */
    };
    const int cases = argc > 1 ? atoi(argv[1]) : 300;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(machine_configure(&ways[w].config), HEDDLE_OK);
        distributed = ways[w].distributed;
        if (distributed) random_places_find();
        random_distribution_seed(w);
        for (int i = 0; i < cases; i++) {
            test_read(i);
            test_write(i);
        }
    }
    check_nothing_left();
    return check_done();
}
