/* Proves that windows which only elementwise work and reductions read, and which are seen where their array is, have the values and the bits of
 * windows that are stored first: sums, maxima, products, several readers, views of windows, windows of what is computed, cut or updated in
 * place. Through StarPU, and on an invented machine. */
#include "check_heddle.h"
#include "property/random_machine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 6000 };

static struct random r = {1};
static bool distributed; /* of this way */
static double data[MOST];

/* An array of one or two axes: data, or an expression. */
static heddle_array *array_of(int ndim, const int64_t *shape, int kind)
{
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, ndim, shape);
    if (distributed && kind % 2) a = random_distribution(a, false);
    return kind >= 2 ? heddle_multiply(a, heddle_scalar(0.7)) : a;
}

static heddle_array *reduced(heddle_array *w, int what, int axis)
{
    switch (what) {
    case 0: return heddle_sum(w, .axis = axis);
    case 1: return heddle_max(w, .axis = axis);
    case 2: return heddle_mean(heddle_multiply(w, w), .axis = axis);
    case 3: return heddle_subtract(heddle_max(w, .axis = axis), heddle_min(w, .axis = axis));
    case 4: return heddle_argmax(w, .axis = axis);
    default: return heddle_add(w, heddle_scalar(1));
    }
}

/* Kept and reduced axes of a slice of the windows, or all of them. */
static heddle_array *seen_by(heddle_array *w, int what, int axis, int view)
{
    const int last = heddle_ndim(w) - 1;
    if (view == 1) w = heddle_flip(w, .axis = last);
    const int to = 0;
    if (view == 2) w = heddle_moveaxis(w, 1, &last, &to);
    if (view == 3) w = heddle_getitem(w, HEDDLE_INDEX(HEDDLE_STEP(2), HEDDLE_ELLIPSIS));
    return reduced(w, what, axis);
}

static void compare(int number, heddle_array *seen, heddle_array *stored)
{
    CHECK(heddle_eval(seen) == HEDDLE_OK, "case %d: %s", number, heddle_error(seen));
    CHECK(heddle_eval(stored) == HEDDLE_OK, "case %d: %s", number, heddle_error(stored));
    const int64_t bytes = heddle_size(stored) * (int64_t)heddle_dtype_size(heddle_dtype_of(stored));
    CHECK_EQ(heddle_size(seen), heddle_size(stored));
    char *a = malloc((size_t)bytes), *b = malloc((size_t)bytes);
    CHECK_EQ(heddle_read(seen, a, bytes), HEDDLE_OK);
    CHECK_EQ(heddle_read(stored, b, bytes), HEDDLE_OK);
    CHECK(memcmp(a, b, (size_t)bytes) == 0, "case %d: other bits", number);
    free(a);
    free(b);
}

static void test_windows(int number)
{
    heddle_scope scope = heddle_scope_open();
    const int ndim = 1 + (int)random_below(&r, 2), kind = (int)random_below(&r, 4),
              n = 1 + (int)random_below(&r, ndim), first = (int)random_below(&r, ndim - n + 1),
              what = (int)random_below(&r, 6), view = (int)random_below(&r, 4);
    int64_t shape[2], window[2];
    int axes[2];
    for (int d = 0; d < ndim; d++)
        shape[d] = ndim == 1 ? 1 + random_below(&r, MOST) : 1 + random_below(&r, 70);
    for (int i = 0; i < n; i++) {
        axes[i] = first + i;
        const int64_t most = shape[first + i] < (n == 2 ? 6 : 70) ? shape[first + i]
                             : n == 2                             ? 6
                                                                  : 70;
        window[i] = 1 + random_below(&r, most);
    }
    const int axis = (int)random_below(&r, ndim + n);
    heddle_array *results[2];
    for (int stored = 0; stored < 2; stored++) {
        heddle_array *w = heddle_sliding_window_view(array_of(ndim, shape, kind), n, window, axes);
        if (stored) CHECK(heddle_eval(w) == HEDDLE_OK, "case %d: %s", number, heddle_error(w));
        results[stored] = seen_by(w, what, axis, view);
        if (random_below(&r, 1000) == 0 && !stored) heddle_eval(w); /* stored all the same */
    }
    compare(number, results[0], results[1]);
    heddle_scope_close(scope);
}

/* What is seen is not overwritten before it is read, by an update of the array or of the windows. */
static void test_update(int number)
{
    enum { N = 300, M = 7 };
    const int64_t half = N / 2, two[2] = {2, N};
    double rows[2][N - M + 1], parts[2][N];
    const int64_t m = M;
    const int axis = 0, kind = (int)random_below(&r, 4);
    for (int stored = 0; stored < 2; stored++) {
        heddle_scope scope = heddle_scope_open();
        /* an array that an update may overwrite, windows of it that are read late, and an update that comes before that */
        heddle_array *const halves[2] = {array_of(1, &half, kind), array_of(1, &half, 2)};
        heddle_array *a = heddle_sum(array_of(2, two, kind), .axis = 0);
        heddle_array *w = heddle_sliding_window_view(a, 1, &m, &axis);
        if (stored) heddle_eval(w);
        heddle_array *late = heddle_scalar(0.1), *soon = NULL;
        for (int k = 0; k < 8; k++) { /* each sum waits for the one before */
            late = heddle_mean(heddle_multiply(halves[1], heddle_add(late, halves[1])));
            if (k == 4) soon = late;
        }
        heddle_array *u = heddle_set_item(a, HEDDLE_INDEX(HEDDLE_SLICE(10, 200)), soon);
        heddle_array *v = heddle_set_item(w, HEDDLE_INDEX(HEDDLE_SLICE(3, 50)), heddle_scalar(9));
        heddle_array *x =
            heddle_add(heddle_sum(heddle_multiply(w, late), .axis = 1), heddle_sum(u));
        heddle_array *y = number % 20
                              ? heddle_multiply(u, heddle_scalar(2))
                              : heddle_add(u, heddle_sum(v)); /* who else reads w stores it */
        CHECK(heddle_read(x, rows[stored], sizeof rows[0]) == HEDDLE_OK, "%s", heddle_error(x));
        CHECK(heddle_read(y, parts[stored], sizeof parts[0]) == HEDDLE_OK, "%s", heddle_error(y));
        heddle_scope_close(scope);
    }
    CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0, "case %d: other sums", number);
    CHECK(memcmp(parts[0], parts[1], sizeof parts[0]) == 0, "case %d: another update", number);
}

int main(int argc, char **argv)
{
    const int cases = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 200);
    for (int i = 0; i < MOST; i++) data[i] = random_unit(&r) - 0.5;
    for (size_t way = 0; way < N_RANDOM_WAYS; way++) {
        distributed = random_machine(way);
        for (int i = 0; i < cases; i++) {
            test_windows(i);
            if (i % 10 == 0) test_update(i);
        }
    }
    check_nothing_left();
    return check_done();
}
