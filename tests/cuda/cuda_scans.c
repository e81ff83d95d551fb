/* Scans of all dtypes, lanes and columns, around the borders of rows, warps, chunks and groups: whole, in
 * parts that follow each other, and in parts at the same time; sums and products that are exact, and extremes,
 * against loops, others for the bits of the CPU twin. Entry point: test_scans. */
#include "check.h"
#include "cuda/families.h"
#include "families/scan/kernel.h"
#include "families/scan/scan.h"
#include "kernels/oracle.h"

#include <math.h>
#include <stdlib.h>

extern const struct heddle_cpu_kernel heddle__scan_cpu;
extern const struct heddle_cuda_kernel heddle__scan_cuda;

enum way { AT_ONCE, ONE_AFTER_THE_OTHER, AT_THE_SAME_TIME, N_WAYS };
static const char *const operation_names[] = {"sums", "products", "maxima", "minima"};
static const char *const way_names[N_WAYS] = {"whole", "one after the other", "at the same time"};

struct scan_case {
    enum heddle_dtype dtype;
    enum heddle_scan_operation operation;
    bool columns, initial;
    int64_t outer, n, inner;
};

static size_t bytes_of(const struct scan_case *c, int64_t n)
{
    return (size_t)(c->outer * n * c->inner) * heddle_dtype_size(c->dtype);
}

/* Indices lo..hi-1 along the axis, of an array with n of them, to or from a piece of their own. */
static void copy_piece(const struct scan_case *c, char *all, int64_t n, char *piece, int64_t lo,
                       int64_t hi, bool to_piece)
{
    const size_t row = (size_t)c->inner * heddle_dtype_size(c->dtype),
                 bytes = (size_t)(hi - lo) * row;
    for (int64_t o = 0; o < c->outer; o++) {
        char *a = all + (size_t)(o * n + lo) * row, *p = piece + (size_t)o * bytes;
        memcpy(to_piece ? p : a, to_piece ? a : p, bytes);
    }
}

/* ---- on the device ------------------------------------------------------------------------------ */

static struct heddle_scan call_of(const struct scan_case *c, enum heddle_scan_phase phase,
                                  int64_t lo, int64_t hi)
{
    return (struct heddle_scan){
        .dtype = (uint8_t)c->dtype,
        .operation = (uint8_t)c->operation,
        .phase = (uint8_t)phase,
        .columns = c->columns,
        .initial = c->initial && lo == 0 && phase != HEDDLE_SCAN_TOTALS,
        .outer = c->outer,
        .n = hi - lo,
        .inner = c->inner,
        .first_chunk = lo / heddle__scan_chunk(c->columns),
        .n_chunks = heddle__scan_chunks(c->n, c->columns),
        .in = 0,
        .out = 1,
        .state_in = 2,
        .state_out = 3,
    };
}

static void run(const struct heddle_scan *s, void *in, void *out, void *state_in, void *state_out)
{
    void *buffers[4] = {in, out, state_in, state_out};
    const size_t bytes = heddle__scan_scratch(s, 0);
    struct heddle_kernel_context k = {
        .buffers = buffers, .scratch = gpu_alloc(bytes), .stream = gpu_stream()};
    gpu_check(cudaMemsetAsync(k.scratch, 0xa5, bytes, gpu_stream()), "fill");
    CHECK(heddle__scan_cuda.run(s, &k) == HEDDLE_OK, "%s", heddle_last_error());
}

/* The part lo..hi-1 of the result, from device memory, of a call that was made. */
static void take_result(const struct scan_case *c, const struct heddle_scan *s, const void *device,
                        int64_t lo, int64_t hi, char *out)
{
    const int64_t more = c->initial;
    char *piece = malloc(bytes_of(c, hi - lo + s->initial));
    if (!piece) exit(1);
    families_from_gpu(piece, device, bytes_of(c, hi - lo + s->initial));
    copy_piece(c, out, c->n + more, piece, lo + (s->initial ? 0 : more), hi + more, false);
    free(piece);
}

/* The prefixes of all chunks, in device memory: totals of the parts, put together, combined. */
static void *prefixes(const struct scan_case *c, int n_parts, const int64_t bound[],
                      void *const in[])
{
    const int64_t n_chunks = heddle__scan_chunks(c->n, c->columns);
    char *all = calloc(1, bytes_of(c, n_chunks)), *piece = calloc(1, bytes_of(c, n_chunks));
    if (!all || !piece) exit(1);
    for (int k = 0; k < n_parts; k++) {
        const struct heddle_scan s = call_of(c, HEDDLE_SCAN_TOTALS, bound[k], bound[k + 1]);
        const int64_t first = heddle__scan_chunks(bound[k], c->columns),
                      end = heddle__scan_chunks(bound[k + 1], c->columns);
        void *out = families_to_gpu(piece, bytes_of(c, end - first));
        run(&s, in[k], out, NULL, NULL);
        families_from_gpu(piece, out, bytes_of(c, end - first));
        copy_piece(c, all, n_chunks, piece, first, end, false);
    }
    void *device = families_to_gpu(all, bytes_of(c, n_chunks));
    struct heddle_scan s = call_of(c, HEDDLE_SCAN_COMBINE, 0, n_chunks);
    s.initial = 0;
    run(&s, NULL, device, NULL, NULL);
    free(all);
    free(piece);
    return device;
}

/* The scan of `in` in up to three parts. */
static void on_gpu(const struct scan_case *c, enum way way, char *in, char *out)
{
    const int64_t chunk = heddle__scan_chunk(c->columns),
                  n_chunks = heddle__scan_chunks(c->n, c->columns);
    const int n_parts = way == AT_ONCE || n_chunks < 3 ? 1 : 3;
    int64_t bound[4] = {0, c->n, c->n, c->n};
    void *device[3], *result[3], *state = NULL, *combined = NULL;
    if (n_parts == 3) bound[1] = n_chunks / 3 * chunk, bound[2] = (n_chunks - 1) * chunk;
    char *piece = malloc(bytes_of(c, c->n));
    if (!piece) exit(1);
    for (int k = 0; k < n_parts; k++) {
        copy_piece(c, in, c->n, piece, bound[k], bound[k + 1], true);
        device[k] = families_to_gpu(piece, bytes_of(c, bound[k + 1] - bound[k]));
        result[k] = gpu_alloc(bytes_of(c, bound[k + 1] - bound[k] + 1));
    }
    free(piece);
    if (way == AT_THE_SAME_TIME) combined = prefixes(c, n_parts, bound, device);
    for (int k = 0; k < n_parts; k++) {
        const enum heddle_scan_phase phase =
            way == AT_THE_SAME_TIME ? HEDDLE_SCAN_APPLY : HEDDLE_SCAN_WHOLE;
        struct heddle_scan s = call_of(c, phase, bound[k], bound[k + 1]);
        void *from = combined ? combined : state;
        s.has_in = from != NULL;
        s.has_out = !combined && k + 1 < n_parts;
        state = s.has_out ? gpu_alloc(bytes_of(c, heddle__scan_state(c->columns))) : NULL;
        run(&s, device[k], result[k], from, state);
        take_result(c, &s, result[k], bound[k], bound[k + 1], out);
    }
    gpu_free_all();
}

/* ---- what it must be ---------------------------------------------------------------------------- */

/* Sums of small whole numbers, and products of units, are exact whatever the order. */
static struct number exact_value(const struct scan_case *c)
{
    const uint64_t u = families_random() >> 40;
    const char kind = heddle_dtype_kind(c->dtype);
    struct number v = {(__int128)(u % 7) - 3, (long double)(u % 7) - 3,
                       (long double)(u / 7 % 5) - 2};
    if (c->operation >=
        HEDDLE_SCAN_MAXIMUM) { /* few records, of both signs; borders; now and then NaN */
        const long double x = (long double)(u % 1000003) - 500000;
        return (struct number){kind == 'U' ? (__int128)(u << 40 | u << 8)
                                           : (__int128)(u % 1000003) - 500000,
                               kind == 'F' && u % 9973 == 0 ? NAN : x, 0};
    }
    if (c->operation == HEDDLE_SCAN_ADD) return v;
    if (kind == 'I') return (struct number){(__int128)(u % 5) * 2 - 3, 0, 0}; /* wraps */
    const long double sign = u & 1 ? -1 : 1;
    return kind == 'C' && (u & 2) ? (struct number){0, 0, sign} : (struct number){0, sign, 0};
}

static struct number combined_value(const struct scan_case *c, struct number x, struct number y)
{
    if (c->operation >= HEDDLE_SCAN_MAXIMUM) {
        const bool is_maximum = c->operation == HEDDLE_SCAN_MAXIMUM;
        if (isnan(x.re)) return x;
        if (isnan(y.re)) return y;
        return is_maximum == (x.i > y.i || (x.i == y.i && x.re >= y.re)) ? x : y;
    }
    if (c->operation == HEDDLE_SCAN_ADD)
        return (struct number){x.i + y.i, x.re + y.re, x.im + y.im};
    return (struct number){(__int128)((uint64_t)x.i * (uint64_t)y.i), x.re * y.re - x.im * y.im,
                           x.re * y.im + x.im * y.re};
}

static void by_loop(const struct scan_case *c, const char *in, char *out)
{
    for (int64_t o = 0; o < c->outer; o++)
        for (int64_t i = 0; i < c->inner; i++) {
            const bool multiply = c->operation == HEDDLE_SCAN_MULTIPLY,
                       is_extreme = c->operation >= HEDDLE_SCAN_MAXIMUM;
            struct number total = {multiply, multiply, 0};
            const int64_t from = o * c->n * c->inner + i,
                          to = o * (c->n + c->initial) * c->inner + i;
            if (c->initial) oracle_set(c->dtype, out, to, total);
            for (int64_t k = 0; k < c->n; k++) {
                const int64_t at = to + (k + c->initial) * c->inner;
                const struct number x = oracle_get(c->dtype, in, from + k * c->inner);
                oracle_set(c->dtype, out, at,
                           is_extreme && k == 0 ? x : combined_value(c, total, x));
                total = oracle_get(c->dtype, out, at);
            }
        }
}

static void by_cpu(const struct scan_case *c, char *in, char *out)
{
    const struct heddle_scan s = call_of(c, HEDDLE_SCAN_WHOLE, 0, c->n);
    void *buffers[4] = {in, out, NULL, NULL};
    struct heddle_kernel_context k = {.buffers = buffers};
    CHECK_EQ(heddle__scan_cpu.run(&s, &k), HEDDLE_OK);
}

/* Exact values may have zeros of either sign, by the order of products. */
static bool is_same(const struct scan_case *c, const char *got, const char *want, int64_t i,
                    bool exact)
{
    if (!exact) return oracle_same(c->dtype, got, i, want, i);
    const struct number a = oracle_get(c->dtype, got, i), b = oracle_get(c->dtype, want, i);
    return a.i == b.i && (a.re == b.re || (isnan(a.re) && isnan(b.re))) && a.im == b.im;
}

static void test_scan(const struct scan_case *c, enum way way, bool exact)
{
    const int64_t size = c->outer * (c->n + c->initial) * c->inner;
    char *in = malloc(bytes_of(c, c->n) + 1), *got = calloc((size_t)size, 16),
         *want = calloc((size_t)size, 16);
    if (!in || !got || !want) exit(1);
    for (int64_t i = 0; i < c->outer * c->n * c->inner; i++) {
        const struct number rough = {0, 0.8L + ldexpl((long double)(families_random() >> 11), -54),
                                     ldexpl((long double)(families_random() >> 11), -57)};
        oracle_set(c->dtype, in, i, exact ? exact_value(c) : rough);
    }
    if (exact)
        by_loop(c, in, want);
    else
        by_cpu(c, in, want);
    on_gpu(c, way, in, got);
    int64_t n_bad = 0, first = -1;
    for (int64_t i = 0; i < size; i++)
        if (!is_same(c, got, want, i, exact) && n_bad++ == 0) first = i;
    CHECK(n_bad == 0, "%s of %s (%lld, %lld, %lld), %s%s, %s: %lld of %lld, the first is %lld",
          operation_names[c->operation], heddle_dtype_name(c->dtype), (long long)c->outer,
          (long long)c->n, (long long)c->inner, c->columns ? "columns" : "lanes",
          c->initial ? ", initial" : "", way_names[way], (long long)n_bad, (long long)size,
          (long long)first);
    free(in);
    free(got);
    free(want);
}

void test_scans(void)
{
    static const int64_t lanes[] = {1,   3,    4,    5,    127,  128,  129,   511,   512,
                                    513, 2000, 4095, 4096, 4097, 8192, 12290, 32768, 4096 * 33 + 9},
                         columns[] = {1, 2, 63, 64, 65, 128, 200, 64 * 32, 64 * 33 + 1};
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT32,   HEDDLE_INT64,     HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64, HEDDLE_COMPLEX64, HEDDLE_COMPLEX128},
                                   ordered[] = {HEDDLE_INT32,  HEDDLE_INT64,   HEDDLE_UINT32,
                                                HEDDLE_UINT64, HEDDLE_FLOAT32, HEDDLE_FLOAT64};
    for (int t = 0; t < 36; t++) {
        struct scan_case c = {.dtype = dtypes[t / 4 % 6],
                              .operation = (enum heddle_scan_operation)(t & 1),
                              .initial = t & 2,
                              .inner = 1};
        if (t >= 24) {
            c.dtype = ordered[(t - 24) / 2];
            c.operation = t & 1 ? HEDDLE_SCAN_MAXIMUM : HEDDLE_SCAN_MINIMUM;
            c.initial = false;
        }
        const bool whole_number =
            heddle_dtype_kind(c.dtype) == 'I' || heddle_dtype_kind(c.dtype) == 'U';
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
            c.n = lanes[k];
            c.outer = k % 3 == 0 ? 1 : k % 3 == 1 ? 3 : c.n > 600 ? 2 : 11;
            for (int way = 0; way < N_WAYS; way++) {
                if (way && heddle__scan_chunks(c.n, false) < 3) break;
                test_scan(&c, (enum way)way, true);
                if (!whole_number && !c.initial) test_scan(&c, (enum way)way, false);
            }
        }
        c.columns = true;
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            c.n = columns[k];
            c.outer = 1 + (int64_t)k % 3;
            c.inner = k % 2 ? 3 : 37;
            for (int way = 0; way < N_WAYS; way++) {
                if (way && heddle__scan_chunks(c.n, true) < 3) break;
                test_scan(&c, (enum way)way, true);
                if (!whole_number && !c.initial) test_scan(&c, (enum way)way, false);
            }
        }
    }
    /* three levels of groups */
    struct scan_case deep = {.dtype = HEDDLE_INT32, .outer = 1, .n = 4096 * 1026 + 5, .inner = 1};
    for (int way = 0; way < N_WAYS; way++) test_scan(&deep, (enum way)way, true);
    deep = (struct scan_case){
        .dtype = HEDDLE_INT64, .columns = true, .outer = 1, .n = 64 * 1026 + 5, .inner = 2};
    for (int way = 0; way < N_WAYS; way++) test_scan(&deep, (enum way)way, true);
    deep = (struct scan_case){
        .dtype = HEDDLE_FLOAT32, .columns = true, .outer = 2, .n = 64 * 1090 + 5, .inner = 5};
    for (int way = 0; way < N_WAYS; way++) test_scan(&deep, (enum way)way, false);
}
