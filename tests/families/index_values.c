/* Indices of all kinds at random: what they read and write, against positions found one by one, on every way to run a plan; views
 * of all kinds are indexed, too. */
#include "check_heddle.h"
#include "families/random_index.h"
#include "property/random_machine.h"

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

/* ---- Lines: indices that are sums of numbers along axes ------------------------------------------- */

/* Axis d of the array is read at first[d] and by[d][i] times index i of the result. */
struct line {
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM], first[4], by[4][HEDDLE_MAX_NDIM];
};

static void check_line(int number, const char *what, heddle_array *v, const struct line *line,
                       int ndim, const int64_t *shape)
{
    static double got[1 << 16];
    int64_t size = 1, wrong = 0;
    for (int d = 0; d < line->ndim; d++) size *= line->shape[d];
    if (size > 1 << 16) return;
    CHECK(heddle_read(v, got, size * 8) == HEDDLE_OK, "case %d: %s", number, heddle_error(v));
    for (int64_t i = 0; i < size; i++) {
        int64_t at[HEDDLE_MAX_NDIM], rest = i, from = 0;
        for (int d = line->ndim - 1; d >= 0; d--) {
            at[d] = rest % line->shape[d];
            rest /= line->shape[d];
        }
        for (int d = 0; d < ndim; d++) {
            from = from * shape[d] + line->first[d];
            for (int k = 0; k < line->ndim; k++) from += line->by[d][k] * at[k];
        }
        wrong += got[i] != (double)from;
    }
    CHECK(wrong == 0, "case %d, %s: %lld of %lld elements", number, what, (long long)wrong,
          (long long)size);
}

/* Windows along axes in any order, now and then along one twice. */
static void test_windows(int number)
{
    int64_t shape[4], size, window[4];
    int ndim, axes[4];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(&ndim, shape, &size);
    if (distributed) a = random_distribution(a, false);
    const int n = 1 + (int)random_below(&r, ndim), start = (int)random_below(&r, ndim),
              way = random_below(&r, 2) ? ndim - 1 : 1;
    struct line line = {.ndim = ndim + n};
    memcpy(line.shape, shape, sizeof shape);
    for (int d = 0; d < ndim; d++) line.by[d][d] = 1;
    for (int i = 0; i < n; i++) {
        axes[i] = random_below(&r, 8) ? (start + i * way) % ndim : start;
        int64_t *left = &line.shape[axes[i]];
        window[i] = 1 + random_below(&r, *left < 5 ? *left : 5);
        *left -= window[i] - 1;
        line.shape[ndim + i] = window[i];
        line.by[axes[i]][ndim + i] = 1;
    }
    check_line(number, "windows", heddle_sliding_window_view(a, n, window, axes), &line, ndim,
               shape);
    heddle_scope_close(scope);
}

/* `count` of 0, 1, ... from one on, by steps. */
static heddle_array *every(int64_t from, int64_t step, int64_t count)
{
    const int64_t last = from + (count - 1) * step, least = step < 0 ? last : from;
    heddle_array *all = heddle_arange(heddle_scalar((step < 0 ? from : last) + 1), NULL, NULL);
    const int64_t by = step < 0 ? -step : step;
    heddle_array *some = heddle_getitem(
        all, HEDDLE_INDEX(HEDDLE_SLICE_STEP(least, (step < 0 ? from : last) + 1, by)));
    return step < 0 ? heddle_flip(some) : some;
}

/* Along one axis, by the sum of two slices of what arange makes; or by one that goes too far. */
static void test_sums(int number)
{
    int64_t shape[4], size, count[2], least = 0, most = 0;
    int ndim;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(&ndim, shape, &size);
    if (distributed) a = random_distribution(a, false);
    const int axis = (int)random_below(&r, ndim);
    const int64_t n = shape[axis], steps[2] = {random_below(&r, 2) ? 2 : -1 - random_below(&r, 3),
                                               1 + random_below(&r, 3)};
    for (int i = 0; i < 2; i++) { /* as many as fit, at most */
        const int64_t by = steps[i] < 0 ? -steps[i] : steps[i], fit = (n - 1 - (most - least)) / by;
        count[i] = 1 + random_below(&r, (fit < 8 ? fit : 8) + 1);
        const int64_t along = steps[i] * (count[i] - 1);
        least += along < 0 ? along : 0;
        most += along > 0 ? along : 0;
    }
    const bool too_far = random_below(&r, 8) == 0;
    const int64_t first = too_far ? n - most : random_below(&r, n - (most - least)) - least;
    struct line line = {.ndim = ndim + 1};
    for (int d = 0; d < ndim; d++) {
        line.shape[d < axis ? d : d + 1] = shape[d];
        line.by[d][d < axis ? d : d + 1] = d != axis;
    }
    line.first[axis] = first;
    for (int i = 0; i < 2; i++) {
        line.shape[axis + i] = count[i];
        line.by[axis][axis + i] = steps[i];
    }
    heddle_array *index = heddle_add(heddle_expand_dims(every(first, steps[0], count[0]), 1),
                                     every(0, steps[1], count[1]));
    heddle_array *v = heddle_take(a, index, .axis = axis);
    if (too_far)
        CHECK_EQ(heddle_wait(v), HEDDLE_EINDEX);
    else
        check_line(number, "sums", v, &line, ndim, shape);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int cases = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 600);
    for (size_t way = 0; way < N_RANDOM_WAYS; way++) {
        distributed = random_machine(way);
        for (int i = 0; i < cases; i++) {
            test_read(i);
            test_write(i);
            test_windows(i);
            test_sums(i);
        }
    }
    check_nothing_left();
    return check_done();
}
