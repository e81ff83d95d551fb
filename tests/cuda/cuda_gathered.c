/* Reductions over rows of tables at indices, of which a thread may have several neighbours, against plain loops, bit for bit: rows whose
 * pieces are aligned and others, one and two tables, factors that neighbours share and others, all sizes of elements. An index that
 * is out of range is reported, and counts as 0. Where the kernels are emulated, what lies behind each array is not there.
 * Entry point: test_gathered. */
#include "check.h"
#include "cuda/layout.h"
#include "cuda/passes.h"

#include <stdlib.h>
#include <sys/mman.h>

extern const struct heddle_cuda_kernel heddle__checked_cuda;

enum { TAG = 77, FUNCTION = 2, PAGE = 4096, INDICES = 0, MOST = 6 };

enum factor { NONE, SHARED, OWN, DIVISOR, TABLE }; /* DIVISOR: shared, too */

/* table[index[r, t], first + k] times a factor, of `rows` x `width` results from `n` elements each. */
struct gathered {
    int dtype, index; /* enum heddle_dtype */
    int64_t rows, width, n, table_rows, pitch, first;
    enum factor factor;
    int op;   /* enum heddle_reduction */
    int step; /* of the table from column to column */
    int together;
    int along; /* instead: columns `first` to first + along - 1 of one row of the table are reduced for each result; n and width are 1, and
                  `together` is how many threads have a row */
};

struct arrays {
    char *host[MOST], *device[MOST];
    size_t bytes[MOST];
    int n;
};

static size_t rounded(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void add(struct arrays *a, int64_t n, enum heddle_dtype d)
{
    a->bytes[a->n] = (size_t)n * heddle_dtype_size(d);
    a->host[a->n] = calloc(1, a->bytes[a->n]);
    if (!a->host[a->n++]) exit(1);
}

/* Device memory of the arrays; emulated: each ends where no memory is. */
static void to_device(struct arrays *a)
{
    for (int k = 0; k < a->n; k++) {
        if (!HEDDLE_EMULATED) {
            a->device[k] = gpu_alloc(a->bytes[k]);
            gpu_check(cudaMemcpyAsync(a->device[k], a->host[k], a->bytes[k], cudaMemcpyHostToDevice,
                                      gpu_stream()),
                      "to the device");
            continue;
        }
        const size_t room = rounded(a->bytes[k]);
        char *p =
            mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + room, PAGE, PROT_NONE)) exit(1);
        a->device[k] = p + room - a->bytes[k];
        memcpy(a->device[k], a->host[k], a->bytes[k]);
    }
}

static void from_device(struct arrays *a)
{
    for (int k = 0; k < a->n; k++) {
        if (!HEDDLE_EMULATED) {
            gpu_check(cudaMemcpyAsync(a->host[k], a->device[k], a->bytes[k], cudaMemcpyDeviceToHost,
                                      gpu_stream()),
                      "from the device");
            continue;
        }
        memcpy(a->host[k], a->device[k], a->bytes[k]);
        munmap(a->device[k] + a->bytes[k] - rounded(a->bytes[k]), rounded(a->bytes[k]) + PAGE);
    }
    gpu_free_all();
}

/* Numbers of which a few, multiplied by others and summed, are exact in float16 and fit uint8; of wide floating dtypes sums round. */
static double number(enum heddle_dtype d, int k, int64_t i)
{
    const int x = (int)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % 4 + (k > 1);
    return d == HEDDLE_FLOAT32 || d == HEDDLE_FLOAT64 ? (x + 1) / 7.0 - (k > 1 ? 0 : 0.3) : x;
}

static void set(enum heddle_dtype d, char *data, int64_t i, double x)
{
    const union heddle_scalar from = {.f64 = x}, to = heddle__convert(from, HEDDLE_FLOAT64, d);
    memcpy(data + (size_t)i * heddle_dtype_size(d), &to, heddle_dtype_size(d));
}

static double get(enum heddle_dtype d, const char *data, int64_t i)
{
    union heddle_scalar x = {0};
    memcpy(&x, data + (size_t)i * heddle_dtype_size(d), heddle_dtype_size(d));
    return heddle__convert(x, d, HEDDLE_FLOAT64).f64;
}

static double rounded_to(enum heddle_dtype d, double x)
{
    return d == HEDDLE_FLOAT32 ? (double)(float)x : x;
}

static int64_t index_at(const struct gathered *g, const struct arrays *a, int64_t i)
{
    const int64_t k = (int64_t)get(g->index, a->host[INDICES], i);
    const int64_t at = k < 0 ? k + g->table_rows : k;
    return at >= 0 && at < g->table_rows ? at : 0;
}

/* Result of row r, column k. */
static double by_loop(const struct gathered *g, const struct arrays *a, int64_t r, int64_t k)
{
    double result = 0, best = 0;
    for (int64_t t = 0; t < g->n; t++) {
        const int64_t row = index_at(g, a, r * g->n + t),
                      at = row * g->pitch + (g->first + k) * g->step;
        double x = get(g->dtype, a->host[1], at);
        if (g->factor == SHARED) x *= get(g->dtype, a->host[2], r * g->n + t);
        if (g->factor == DIVISOR) x /= get(g->dtype, a->host[2], r * g->n + t);
        if (g->factor == OWN) x *= get(g->dtype, a->host[2], (r * g->n + t) * g->width + k);
        if (g->factor == TABLE) x *= get(g->dtype, a->host[2], at);
        x = rounded_to(g->dtype, x);
        if (g->op == HEDDLE_REDUCE_SUM) result = t ? rounded_to(g->dtype, result + x) : x;
        if (g->op == HEDDLE_REDUCE_MAX && (t == 0 || x > result)) result = x;
        if (g->op != HEDDLE_REDUCE_ARGMAX) continue;
        if (t == 0 || x > best) best = x, result = (double)t;
    }
    return result;
}

/* Result of row r, `along` its elements: halves of a tree, the first with the next half's first. */
static double by_tree(const struct gathered *g, const struct arrays *a, int64_t r)
{
    enum { MOST_ALONG = 512 };
    double x[MOST_ALONG];
    int64_t at[MOST_ALONG], half = 1;
    const int64_t row = index_at(g, a, r);
    for (int64_t t = 0; t < g->along; t++) {
        const int64_t place = row * g->pitch + (g->first + t) * g->step;
        x[t] = get(g->dtype, a->host[1], place);
        if (g->factor == TABLE) x[t] *= get(g->dtype, a->host[2], place);
        if (g->factor == OWN) x[t] *= get(g->dtype, a->host[2], r * g->along + t);
        x[t] = rounded_to(g->dtype, x[t]);
        at[t] = t;
    }
    while (2 * half < g->along) half *= 2;
    for (; half > 0; half /= 2)
        for (int64_t t = 0; t < half && t + half < g->along; t++) {
            const bool is_more =
                x[t + half] > x[t] || (x[t + half] == x[t] && at[t + half] < at[t]);
            if (g->op == HEDDLE_REDUCE_SUM)
                x[t] = rounded_to(g->dtype, x[t] + x[t + half]);
            else if (is_more)
                x[t] = x[t + half], at[t] = at[t + half];
        }
    return g->op == HEDDLE_REDUCE_ARGMAX ? (double)at[0] : x[0];
}

static int scaled(struct build *b, int x, int64_t by)
{
    if (by == 1) return x;
    const int k = build_constant(b, HEDDLE_INT64, (union heddle_scalar){.i64 = by});
    return build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_INT64, x, k);
}

static int result_of(const struct gathered *g)
{
    return g->op == HEDDLE_REDUCE_ARGMAX ? HEDDLE_INT64 : g->dtype;
}

static void build_gathered(struct build *b, const struct gathered *g, int near)
{
    const int64_t extent[3] = {g->rows, g->width, g->n}, shared[HEDDLE_MAX_NDIM] = {g->n, 0, 1},
                  own[HEDDLE_MAX_NDIM] = {g->n * g->width, 1, g->width},
                  out[HEDDLE_MAX_NDIM] = {g->width, 1};
    const int64_t rows[2] = {g->rows, g->along}, one[HEDDLE_MAX_NDIM] = {1},
                  each[HEDDLE_MAX_NDIM] = {g->along, 1};
    if (g->along)
        build_begin(b, 1, 2, rows);
    else
        build_begin(b, 2, 3, extent);
    b->launch.geometry.origin[1] = g->first;
    const int index = build_load(b, g->index, NULL, g->along ? one : shared, 0);
    const int row =
        scaled(b, build_checked(b, g->index, index, g->table_rows, FUNCTION, near), g->pitch);
    const int place =
        build_op(b, HEDDLE_OP_ADD, HEDDLE_INT64, row, scaled(b, build_index(b, 1), g->step));
    int x = build_at(b, g->dtype, place, near);
    if (g->factor != NONE) {
        const int y = g->factor == TABLE ? build_at(b, g->dtype, place, near)
                                         : build_load(b, g->dtype, NULL,
                                                      g->factor != OWN ? shared
                                                      : g->along       ? each
                                                                       : own,
                                                      0);
        x = build_op(b, g->factor == DIVISOR ? HEDDLE_OP_DIVIDE : HEDDLE_OP_MULTIPLY, g->dtype, x,
                     y);
    }
    const int in = g->dtype == HEDDLE_FLOAT16 ? HEDDLE_FLOAT32 : g->dtype;
    if (in != g->dtype) x = build_cast(b, g->dtype, in, x);
    x = build_reduced(b, build_reduce(b, g->op, in, x));
    if (in != g->dtype) x = build_cast(b, in, g->dtype, x);
    build_store(b, x, result_of(g), NULL, g->along ? one : out, 0);
    build_seal(b, g->along == 0);
}

static struct arrays arrays_of(const struct gathered *g)
{
    struct arrays a = {.n = 0};
    const int64_t width = g->along ? g->along : g->width,
                  columns = g->step > 1 ? (g->first + width - 1) * g->step + 1 : g->pitch,
                  table = (g->table_rows - 1) * g->pitch + columns,
                  factors = g->factor == TABLE ? table
                            : g->factor == OWN ? g->rows * g->n * width
                                               : g->rows * g->n;
    add(&a, g->rows * g->n, g->index);
    add(&a, table, g->dtype);
    if (g->factor != NONE) add(&a, factors, g->dtype);
    for (int64_t i = 0; i < table; i++) set(g->dtype, a.host[1], i, number(g->dtype, 1, i));
    for (int64_t i = 0; i < factors && g->factor != NONE; i++)
        set(g->dtype, a.host[2], i, number(g->dtype, 2, i));
    for (int64_t i = 0; i < g->rows * g->n; i++)
        set(g->index, a.host[INDICES], i,
            (double)((int64_t)((uint64_t)i * 7919 % (uint64_t)(2 * g->table_rows)) -
                     g->table_rows));
    add(&a, g->rows * g->width, result_of(g));
    return a;
}

/* wrong: a bad index of one of the last row's elements; 0: there is none. */
static void test_case(const struct gathered *g, int near, int64_t wrong)
{
    struct build b;
    int64_t report[HEDDLE_REPORT_WORDS] = {-1, -1, -1, -1}, n_bad = 0;
    struct heddle_cuda_layout layout;
    build_gathered(&b, g, near);
    heddle__cuda_layout(&b.launch, NULL, &layout);
    if (g->along)
        CHECK(layout.class.form == HEDDLE_FORM_RUNS && layout.class.threads == g->together,
              "rows of %lld %s: form %d, %d threads", (long long)g->along,
              heddle_dtype_name(g->dtype), layout.class.form, layout.class.threads);
    else
        CHECK(layout.class.form == HEDDLE_FORM_THREAD && layout.class.together == g->together,
              "%lld columns of %s: form %d, %d together", (long long)g->width,
              heddle_dtype_name(g->dtype), layout.class.form, layout.class.together);
    if (pass == PREPARED) {
        heddle__cuda_prepare(&b.launch);
        return;
    }
    struct arrays a = arrays_of(g);
    const int out = a.n - 1;
    if (wrong) set(g->index, a.host[INDICES], g->rows * g->n - 1, (double)wrong);
    to_device(&a);
    int64_t *words = gpu_alloc(sizeof report);
    gpu_check(cudaMemcpyAsync(words, report, sizeof report, cudaMemcpyHostToDevice, gpu_stream()),
              "the report");
    void *scratch = gpu_alloc(heddle__launch_gpu_scratch_bytes(&b.launch));
    struct heddle_kernel_context k = {.scratch = scratch,
                                      .buffers = (void *const *)a.device,
                                      .constants = b.constants,
                                      .stream = gpu_stream(),
                                      .report = {words, TAG}};
    CHECK(heddle__checked_cuda.run(&b.launch, &k) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_EQ(k.interpreted, pass != COMPILED);
    gpu_check(cudaMemcpyAsync(report, words, sizeof report, cudaMemcpyDeviceToHost, gpu_stream()),
              "the report");
    from_device(&a);
    for (int64_t r = 0; r < g->rows; r++)
        for (int64_t c = 0; c < g->width; c++)
            n_bad += get(result_of(g), a.host[out], r * g->width + c) !=
                     (g->along ? by_tree(g, &a, r) : by_loop(g, &a, r, c));
    CHECK(n_bad == 0, "%lld of %lld x %lld from %lld %s at %s, factor %d, reduction %d, %s",
          (long long)n_bad, (long long)g->rows, (long long)g->width, (long long)g->n,
          heddle_dtype_name(g->dtype), heddle_dtype_name(g->index), g->factor, g->op,
          pass_names[pass]);
    CHECK_EQ(report[0], wrong ? TAG : -1);
    CHECK_EQ(report[1], wrong ? wrong : -1);
    CHECK_EQ(report[2], wrong ? g->table_rows : -1);
    CHECK_EQ(report[3], wrong ? FUNCTION : -1);
    for (int i = 0; i < a.n; i++) free(a.host[i]);
}

void test_gathered(void)
{
    enum { F4 = HEDDLE_FLOAT32, F8 = HEDDLE_FLOAT64, F2 = HEDDLE_FLOAT16, I4 = HEDDLE_INT32 };
    enum { I8 = HEDDLE_INT64, U1 = HEDDLE_UINT8 };
    enum { SUM = HEDDLE_REDUCE_SUM, MAX = HEDDLE_REDUCE_MAX, ARGMAX = HEDDLE_REDUCE_ARGMAX };
    static const struct gathered cases[] = {
        {F4, I8, 1024, 32, 8, 100, 32, 0, NONE, SUM, 1, 4, 0},
        {F4, I4, 1029, 32, 1, 7, 32, 0, NONE, SUM, 1, 4, 0},
        {F4, I8, 1024, 32, 21, 50, 35, 3, NONE, SUM, 1, 4,
         0},                                                 /* no piece is aligned but by chance */
        {F4, I8, 550, 30, 5, 33, 30, 0, NONE, MAX, 1, 2, 0}, /* half as many */
        {F4, I8, 550, 31, 5, 33, 31, 0, NONE, SUM, 1, 0, 0}, /* as each of them alone */
        {F4, I8, 550, 32, 3, 64, 1, 0, NONE, SUM, 64, 0, 0}, /* across the table */
        {F4, I8, 40, 32, 3, 10, 32, 0, NONE, SUM, 1, 0, 0},  /* too few */
        {F2, I8, 16, 32, 20000, 10, 32, 0, NONE, MAX, 1, 4, 0}, /* in chunks */
        {F4, I4, 20, 30, 30003, 10, 30, 0, NONE, MAX, 1, 2, 0},
        {F8, I8, 520, 32, 9, 11, 32, 0, SHARED, SUM, 1, 2, 0},
        {F4, I8, 8192, 4, 13, 11, 4, 0, OWN, SUM, 1, 4, 0},
        {F4, I8, 8192, 4, 6, 11, 4, 0, DIVISOR, SUM, 1, 4, 0}, /* may be quick */
        {F4, I4, 2050, 16, 10, 20, 17, 1, TABLE, MAX, 1, 4, 0},
        {F2, I8, 512, 64, 10, 20, 64, 0, NONE, SUM, 1, 4, 0},
        {U1, I4, 512, 64, 10, 21, 64, 0, NONE, SUM, 1, 4, 0},
        {F4, I8, 512, 64, 10, 20, 64, 0, NONE, ARGMAX, 1, 4, 0},
        /* along the table's rows */
        {F4, I8, 1000, 1, 1, 100, 64, 0, NONE, SUM, 1, 8, 64},
        {F4, I4, 301, 1, 1, 50, 33, 3, NONE, SUM, 1, 4, 30}, /* rows begin anywhere */
        {F4, I8, 77, 1, 1, 50, 100, 0, NONE, SUM, 1, 16, 100},
        {F8, I8, 78, 1, 1, 50, 100, 0, TABLE, SUM, 1, 16, 65},
        {F8, I8, 33, 1, 1, 9, 300, 7, OWN, SUM, 1, 32, 257},
        {F4, I8, 9, 1, 1, 9, 512, 0, OWN, SUM, 1, 32, 512},
        {F4, I4, 40, 1, 1, 9, 1, 0, NONE, SUM, 50, 8, 40}, /* across the table */
        {F4, I8, 100, 1, 1, 30, 200, 0, NONE, ARGMAX, 1, 32, 200},
        {F8, I4, 100, 1, 1, 30, 70, 0, NONE, MAX, 1, 16, 70},
        {F2, I8, 100, 1, 1, 30, 48, 0, NONE, SUM, 1, 8, 48},
        {U1, I4, 65, 1, 1, 30, 128, 0, NONE, SUM, 1, 16, 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].table_rows;
        test_case(&cases[i], 1, 0);
        test_case(&cases[i], i % 2, i % 4 < 2 ? n : -n - 1);
    }
    /* what 32 bits take for a good one */
    test_case(&cases[0], 1, (INT64_C(1) << 32) + 1);
    test_case(&cases[0], 1, -(INT64_C(1) << 40) - 1);
}
