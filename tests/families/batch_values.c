/* Proves products of matrices whose results several axes number: operands with their axes in any order, of which one number, two or more stand
 * for the results, with steps, negative ones too, with one matrix for many results, small matrices and larger ones, of each dtype class, with
 * elementwise work behind. HEDDLE_TEST_GRAPH prints each case. Elements are small whole numbers, so that sums are exact whatever their order. On every way to run a plan. */
#include "check_heddle.h"
#include "property/random_machine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 18, BATCHES = 4, AXES = BATCHES + 2 };

static struct random r = {1};
static bool distributed; /* of this way */

static int64_t between(int64_t least, int64_t most)
{
    return least + (int64_t)random_below(&r, most - least + 1);
}

/* An operand: element at index i[0..n-1] of the view is data[first + sum(i * stride)]. */
struct operand {
    heddle_array *view;
    int64_t first, stride[AXES];
    double data[MOST];
};

/* False: it would be too large. */
static bool make(struct operand *x, int n, const int64_t *extent, enum heddle_dtype dtype)
{
    int order[AXES]; /* the view's axis that the stored axis is */
    int64_t shape[AXES], step[AXES], size = 1;
    struct heddle_index items[AXES];
    for (int d = 0; d < n; d++) order[d] = d;
    if (random_below(&r, 4) > 0) /* else as they are */
        for (int d = n - 1; d > 0; d--) {
            const int e = (int)random_below(&r, d + 1), swapped = order[d];
            order[d] = order[e];
            order[e] = swapped;
        }
    for (int d = 0; d < n; d++) {
        const bool steps = random_below(&r, 8) == 0;
        step[order[d]] = steps ? between(-2, 2) : 1;
        if (step[order[d]] == 0) step[order[d]] = -1;
        const int64_t s = step[order[d]];
        shape[d] = extent[order[d]] * (s < 0 ? -s : s);
        size *= shape[d];
        if (size > MOST) return false;
    }
    const int64_t most = dtype == HEDDLE_BFLOAT16 ? 1 : 3; /* it has 8 digits */
    for (int64_t i = 0; i < size; i++) x->data[i] = (double)between(-most, most);
    heddle_array *a = heddle_asarray(x->data, HEDDLE_FLOAT64, n, shape);
    if (distributed && random_below(&r, 2)) a = random_distribution(a, false);
    a = heddle_astype(a, dtype);
    if (random_below(&r, 2)) CHECK(heddle_wait(a) == HEDDLE_OK, "%s", heddle_error(a));
    int axes[AXES];
    for (int d = 0; d < n; d++) axes[order[d]] = d;
    x->first = 0;
    for (int64_t d = n - 1, along = 1; d >= 0; along *= shape[d--]) {
        const int v = order[d];
        x->stride[v] = step[v] * along;
        if (step[v] < 0) x->first += (shape[d] - 1) * along;
    }
    for (int v = 0; v < n; v++)
        items[v] = (struct heddle_index){.kind = HEDDLE_INDEX_SLICE, .step = step[v]};
    x->view = heddle_getitem(heddle_permute_dims(a, n, axes), n, items);
    return true;
}

static void print_case(int number, size_t way, enum heddle_dtype dtype, int n,
                       int64_t extent[2][AXES], const struct operand *a, const struct operand *b)
{
    fprintf(stderr, "case %d of way %zu, %s:", number, way, heddle_dtype_name(dtype));
    for (int i = 0; i < 2; i++) {
        const struct operand *x = i == 0 ? a : b;
        fprintf(stderr, "%s from %lld", i == 0 ? "" : " @", (long long)x->first);
        for (int d = 0; d < n; d++)
            fprintf(stderr, " %lld by %lld%s", (long long)extent[i][d], (long long)x->stride[d],
                    d < n - 1 ? "," : "");
    }
    fprintf(stderr, "\n");
}

static void test_one(int number, size_t way)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32,  HEDDLE_FLOAT64,   HEDDLE_FLOAT16,
                                               HEDDLE_BFLOAT16, HEDDLE_COMPLEX64, HEDDLE_COMPLEX128,
                                               HEDDLE_INT32,    HEDDLE_INT64};
    static const int64_t small[] = {1, 2, 3, 5, 8, 12}, large[] = {1, 7, 16, 17, 33, 40};
    static struct operand a, b;
    static double got[MOST], want[MOST];
    const int nb = (int)between(1, BATCHES), n = nb + 2;
    const enum heddle_dtype dtype = dtypes[random_below(&r, 8)];
    const int64_t *const extents = random_below(&r, 2) ? small : large;
    int64_t shape[AXES + 1], of[2][AXES], n_results = 1;
    for (int d = 0; d < nb; d++) {
        const int which = (int)random_below(&r, 8); /* 0, 1: an operand has one index */
        shape[d] = between(1, random_below(&r, 6) ? 4 : 12);
        of[0][d] = which == 0 ? 1 : shape[d];
        of[1][d] = which == 1 ? 1 : shape[d];
        n_results *= shape[d];
    }
    const int64_t m = extents[random_below(&r, 6)], k = extents[random_below(&r, 6)],
                  columns = extents[random_below(&r, 6)];
    of[0][nb] = m;
    of[0][nb + 1] = of[1][nb] = k;
    of[1][nb + 1] = columns;
    if (n_results * m * columns > MOST) return;
    heddle_scope scope = heddle_scope_open();
    if (make(&a, n, of[0], dtype) && make(&b, n, of[1], dtype)) {
        heddle_array *c = heddle_matmul(a.view, b.view);
        const bool more = random_below(&r, 3) == 0;
        if (more) c = heddle_add(heddle_multiply(c, heddle_scalar(2)), heddle_scalar(1));
        for (int64_t t = 0; t < n_results; t++) {
            int64_t at_a = a.first, at_b = b.first;
            for (int64_t d = nb - 1, rest = t; d >= 0; rest /= shape[d--]) {
                at_a += of[0][d] == 1 ? 0 : rest % shape[d] * a.stride[d];
                at_b += of[1][d] == 1 ? 0 : rest % shape[d] * b.stride[d];
            }
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < columns; j++) {
                    double sum = 0;
                    for (int64_t l = 0; l < k; l++)
                        sum += a.data[at_a + i * a.stride[nb] + l * a.stride[nb + 1]] *
                               b.data[at_b + l * b.stride[nb] + j * b.stride[nb + 1]];
                    want[(t * m + i) * columns + j] = more ? 2 * sum + 1 : sum;
                }
        }
        const int64_t size = n_results * m * columns;
        if (getenv("HEDDLE_TEST_GRAPH")) print_case(number, way, dtype, n, of, &a, &b);
        heddle_array *read = heddle_astype(
            dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128 ? heddle_real(c) : c,
            HEDDLE_FLOAT64);
        int64_t wrong = 0;
        CHECK(heddle_size(read) == size &&
                  heddle_read(read, got, size * (int64_t)sizeof *got) == HEDDLE_OK,
              "case %d: %s", number, heddle_error(read));
        for (int64_t i = 0; i < size; i++) wrong += !(got[i] == want[i]);
        CHECK(
            wrong == 0,
            "case %d of way %zu, %s, %d axes, %lld x %lld x %lld: %lld elements of %lld are wrong",
            number, way, heddle_dtype_name(dtype), n, (long long)m, (long long)columns,
            (long long)k, (long long)wrong, (long long)size);
    }
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int cases = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 150), no = check_devices_named();
    if (no) return no;
    for (size_t way = 0; way < N_RANDOM_WAYS; way++) {
        distributed = random_machine(way);
        for (int i = 0; i < cases; i++) test_one(i, way);
    }
    check_nothing_left();
    return check_done();
}
