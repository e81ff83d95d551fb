/* Elements by index: random boxes, strides of both signs, one and several arrays of indices, parts of the axes, all sizes of elements and
 * indices, against loops; what is out of range is reported, and the rest is there. Entry point:
 * test_gathers. */
#include "check.h"
#include "cuda/families.h"
#include "families/gather/kernel.h"

#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__gather_cuda;

enum { TAG = 77, UNTOUCHED = 0xa5 };

/* The least and the largest of a sum of index * stride. */
struct span {
    int64_t least, most;
};

static void span_add(struct span *s, int64_t extent, int64_t stride)
{
    *(stride < 0 ? &s->least : &s->most) += (extent - 1) * stride;
}

static int64_t below(int64_t n)
{
    return (int64_t)(families_random() >> 33) % n;
}

/* What a call reads and writes: in, out, and the arrays of indices. */
enum { IN, OUT, INDICES, MOST = INDICES + HEDDLE_MAX_NDIM };

/* A box of up to four axes, and how many elements each array has. */
static void make_call(struct heddle_gather *g, int64_t elements[MOST])
{
    static const int64_t extents[] = {1, 2, 3, 8, 37, 256};
    static const uint8_t sizes[] = {1, 2, 4, 8, 16};
    static const uint8_t counts[] = {1, 1, 2, 2, 3, 8};
    const int64_t limit = below(4) == 0 ? 20000 : 500;
    memset(g, 0, sizeof *g);
    g->element_bytes = sizes[below(5)];
    g->index_bytes = below(2) ? 8 : 4;
    g->name = (uint8_t)below(3);
    g->n_by = counts[below(6)];
    g->ndim = (int32_t)below(5);
    g->in = IN, g->out = OUT;
    struct span span[MOST];
    memset(span, 0, sizeof span);
    const bool plain = below(2); /* axes that can be walked as one, but for a few */
    const int64_t run =
        below(3) ? 1 : 2 << below(4); /* elements that lie together, and never apart */
    int64_t dense = run > 1 ? 1 : 1 + below(2), size = 1;
    for (int d = g->ndim - 1; d >= 0; d--) {
        if (run > 1 && d == g->ndim - 1) {
            g->extent[d] = size = dense = run * (1 + below(3));
            g->in_stride[d] = g->out_stride[d] = 1;
            span_add(&span[IN], dense, 1);
            span_add(&span[OUT], dense, 1);
            continue;
        }
        g->extent[d] = extents[below(6)];
        if (size * g->extent[d] > limit) g->extent[d] = 1;
        size *= g->extent[d];
        g->in_stride[d] = !plain ? (below(21) - 10) * run : below(9) ? dense : 3 * run;
        g->out_stride[d] = plain ? (below(9) ? dense : -dense) : below(4) ? dense : -dense;
        for (int b = 0; b < g->n_by; b++)
            g->by[b].stride[d] = plain      ? (below(9) ? dense : 0)
                                 : below(3) ? below(2) * dense
                                            : below(11) - 5;
        dense = dense * g->extent[d] + (plain ? below(9) == 0 : below(2)) * run;
        span_add(&span[IN], g->extent[d], g->in_stride[d]);
        span_add(&span[OUT], g->extent[d], g->out_stride[d]);
        for (int b = 0; b < g->n_by; b++)
            span_add(&span[INDICES + b], g->extent[d], g->by[b].stride[d]);
    }
    for (int b = 0; b < g->n_by; b++) {
        struct heddle_gather_by *by = &g->by[b];
        by->buffer = (uint32_t)(INDICES + b);
        by->n = g->n_by > 1 || below(3) ? 1 + below(50) : 1000;
        by->step = below(2) ? 1 : below(7) - 3;
        by->first = by->step < 0 ? (1 - by->n) * by->step + below(3) : below(3);
        const int64_t extent = by->first + (by->n - 1) * (by->step > 0 ? by->step : 0) + 1;
        by->lo = below(2) ? 0 : below(extent);
        by->hi = below(2) ? extent : by->lo + below(extent - by->lo + 1);
        by->in_stride = (below(9) - 4) * run;
        if (by->hi > by->lo) span_add(&span[IN], by->hi - by->lo, by->in_stride);
        by->offset = -span[INDICES + b].least + below(3);
        elements[INDICES + b] = span[INDICES + b].most + by->offset + 1;
    }
    const int64_t askew = run > 1 && below(4) == 0; /* runs begin at odd places */
    g->in_offset = -span[IN].least + below(3) * run + askew;
    g->out_offset = -span[OUT].least + below(3) * run;
    elements[IN] = span[IN].most + g->in_offset + 1;
    elements[OUT] = span[OUT].most + g->out_offset + 1;
}

static void set_index(const struct heddle_gather *g, char *indices, int64_t i, int64_t value)
{
    if (g->index_bytes == 8)
        ((int64_t *)(void *)indices)[i] = value;
    else
        ((int32_t *)(void *)indices)[i] = (int32_t)value;
}

static int64_t index_of(const struct heddle_gather *g, const char *indices, int64_t i)
{
    return g->index_bytes == 8 ? ((const int64_t *)(const void *)indices)[i]
                               : ((const int32_t *)(const void *)indices)[i];
}

/* Returns how many elements have an index that is out of range. */
static int by_loop(const struct heddle_gather *g, char *const data[MOST], char *out)
{
    int64_t i[HEDDLE_MAX_NDIM] = {0};
    const size_t size = g->element_bytes;
    int n_bad = 0;
    for (;;) {
        int64_t in = g->in_offset, to = g->out_offset;
        bool bad = false, here = true;
        for (int d = 0; d < g->ndim; d++) {
            in += i[d] * g->in_stride[d];
            to += i[d] * g->out_stride[d];
        }
        for (int b = 0; b < g->n_by; b++) {
            const struct heddle_gather_by *by = &g->by[b];
            int64_t at = by->offset;
            for (int d = 0; d < g->ndim; d++) at += i[d] * by->stride[d];
            int64_t k = index_of(g, data[INDICES + b], at);
            bad |= k < -by->n || k >= by->n;
            if (bad) break;
            const int64_t j = by->first + (k < 0 ? k + by->n : k) * by->step;
            here &= j >= by->lo && j < by->hi;
            in += (j - by->lo) * by->in_stride;
        }
        n_bad += bad;
        if (!bad && here) memcpy(out + (size_t)to * size, data[IN] + (size_t)in * size, size);
        int d = g->ndim - 1;
        while (d >= 0 && ++i[d] == g->extent[d]) i[d--] = 0;
        if (d < 0) return n_bad;
    }
}

/* The report's words are device memory here. */
static void on_gpu(const struct heddle_gather *g, char *const host[MOST], const size_t bytes[MOST],
                   char *out, int64_t report[HEDDLE_REPORT_WORDS])
{
    const size_t report_bytes = HEDDLE_REPORT_WORDS * sizeof *report;
    void *buffers[MOST];
    for (int k = 0; k < INDICES + g->n_by; k++) buffers[k] = families_to_gpu(host[k], bytes[k]);
    int64_t *words = families_to_gpu(report, report_bytes);
    struct heddle_kernel_context k = {
        .buffers = buffers, .stream = gpu_stream(), .report = {words, TAG}};
    CHECK(heddle__gather_cuda.run(g, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(out, buffers[OUT], bytes[OUT]);
    families_from_gpu(report, words, report_bytes);
    gpu_free_all();
}

static void test_gather(int number, bool with_bad)
{
    struct heddle_gather g;
    int64_t elements[MOST], report[HEDDLE_REPORT_WORDS] = {-1, -1, -1, -1};
    make_call(&g, elements);
    size_t bytes[MOST];
    char *data[MOST];
    const int n_arrays = INDICES + g.n_by;
    for (int k = 0; k < n_arrays; k++) {
        bytes[k] = (size_t)elements[k] * (k < INDICES ? g.element_bytes : g.index_bytes);
        data[k] = malloc(bytes[k]);
        if (!data[k]) exit(1);
    }
    char *want = malloc(bytes[OUT]), *got = malloc(bytes[OUT]);
    if (!want || !got) exit(1);
    for (size_t i = 0; i < bytes[IN]; i++) data[IN][i] = (char)families_random();
    for (int b = 0; b < g.n_by; b++)
        for (int64_t i = 0; i < elements[INDICES + b]; i++)
            set_index(&g, data[INDICES + b], i, below(2 * g.by[b].n) - g.by[b].n);
    const int b = (int)below(g.n_by);
    const int64_t n = g.by[b].n, far = g.index_bytes == 8 ? INT64_MIN : INT32_MIN,
                  bad[4] = {n, -n - 1, far, -(far + 1)}, wrong = bad[below(4)];
    if (with_bad) set_index(&g, data[INDICES + b], below(elements[INDICES + b]), wrong);
    memset(data[OUT], UNTOUCHED, bytes[OUT]);
    memset(want, UNTOUCHED, bytes[OUT]);
    const int n_bad = by_loop(&g, data, want);
    on_gpu(&g, data, bytes, got, report);
    CHECK(memcmp(got, want, bytes[OUT]) == 0, "case %d: %d axes (%lld %lld %lld %lld), %d arrays",
          number, (int)g.ndim, (long long)g.extent[0], (long long)g.extent[1],
          (long long)g.extent[2], (long long)g.extent[3], g.n_by);
    CHECK_EQ(report[0], n_bad ? TAG : -1);
    CHECK_EQ(report[1], n_bad ? wrong : -1);
    CHECK_EQ(report[2], n_bad ? n : -1);
    CHECK_EQ(report[3], n_bad ? g.name : -1);
    for (int k = 0; k < n_arrays; k++) free(data[k]);
    free(want);
    free(got);
}

/* More elements than an int counts: all of them copies of three. */
static void test_many(void)
{
    int64_t in[4] = {5, 6, 7, 8}, indices[3] = {3, 0, -2}, zeros[3] = {0, 0, 0};
    const struct heddle_gather g = {
        .element_bytes = 8,
        .index_bytes = 8,
        .n_by = 1,
        .ndim = 2,
        .extent = {3, INT64_C(1) << 30},
        .out_stride = {1, 0},
        .by[0] = {.stride = {1, 0}, .n = 4, .step = 1, .hi = 4, .in_stride = 1, .buffer = INDICES},
        .in = IN,
        .out = OUT};
    char *const host[MOST] = {(char *)in, (char *)zeros, (char *)indices};
    int64_t got[3], report[HEDDLE_REPORT_WORDS] = {0};
    on_gpu(&g, host, (const size_t[MOST]){sizeof in, sizeof zeros, sizeof indices}, (char *)got,
           report);
    CHECK_EQ(got[0], 8);
    CHECK_EQ(got[1], 5);
    CHECK_EQ(got[2], 7);
    CHECK_EQ(report[0], 0);
}

void test_gathers(void)
{
    for (int k = 0; k < 900; k++) test_gather(k, k % 3 == 0);
    if (!HEDDLE_EMULATED) test_many();
}
