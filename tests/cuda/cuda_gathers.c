/* Elements by index: random boxes, strides of both signs, parts of the axis, all sizes of elements and
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

/* A box of up to four axes; the three arrays' strides over it, and how many elements each has. */
static void make_call(struct heddle_gather *g, int64_t elements[3])
{
    static const int64_t extents[] = {1, 2, 3, 8, 37, 256};
    static const uint8_t sizes[] = {1, 2, 4, 8, 16};
    const int64_t limit = below(4) == 0 ? 20000 : 500;
    memset(g, 0, sizeof *g);
    g->element_bytes = sizes[below(5)];
    g->index_bytes = below(2) ? 8 : 4;
    g->along = (uint8_t)below(2);
    g->ndim = (int32_t)below(5);
    g->n = below(3) ? 1 + below(50) : 1000;
    g->lo = below(2) ? 0 : below(g->n);
    g->hi = below(2) ? g->n : g->lo + below(g->n - g->lo + 1);
    g->axis_stride = below(9) - 4;
    g->in = 0, g->indices = 1, g->out = 2;
    struct span span[3] = {{0, 0}, {0, 0}, {0, 0}};
    const bool plain = below(2); /* axes that can be walked as one, but for a few */
    int64_t dense = 1 + below(2), size = 1;
    for (int d = g->ndim - 1; d >= 0; d--) {
        g->extent[d] = extents[below(6)];
        if (size * g->extent[d] > limit) g->extent[d] = 1;
        size *= g->extent[d];
        if (plain) {
            g->in_stride[d] = below(9) ? dense : 3;
            g->index_stride[d] = below(9) ? dense : 0;
            g->out_stride[d] = below(9) ? dense : -dense;
            dense = dense * g->extent[d] + (below(9) == 0);
        } else {
            g->in_stride[d] = below(21) - 10;
            g->index_stride[d] = below(3) ? below(2) * dense : below(11) - 5;
            g->out_stride[d] = below(4) ? dense : -dense;
            dense = dense * g->extent[d] + below(2);
        }
        span_add(&span[0], g->extent[d], g->in_stride[d]);
        span_add(&span[1], g->extent[d], g->index_stride[d]);
        span_add(&span[2], g->extent[d], g->out_stride[d]);
    }
    if (g->hi > g->lo) span_add(&span[0], g->hi - g->lo, g->axis_stride);
    g->in_offset = -span[0].least + below(3);
    g->index_offset = -span[1].least + below(3);
    g->out_offset = -span[2].least + below(3);
    const int64_t offsets[3] = {g->in_offset, g->index_offset, g->out_offset};
    for (int k = 0; k < 3; k++) elements[k] = span[k].most + offsets[k] + 1;
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

/* Returns how many indices are out of range. */
static int by_loop(const struct heddle_gather *g, const char *in, const char *indices, char *out)
{
    int64_t i[HEDDLE_MAX_NDIM] = {0};
    const size_t size = g->element_bytes;
    int n_bad = 0;
    for (;;) {
        int64_t at[3] = {g->in_offset, g->index_offset, g->out_offset};
        for (int d = 0; d < g->ndim; d++) {
            at[0] += i[d] * g->in_stride[d];
            at[1] += i[d] * g->index_stride[d];
            at[2] += i[d] * g->out_stride[d];
        }
        int64_t k = index_of(g, indices, at[1]);
        const bool bad = k < -g->n || k >= g->n;
        if (k < 0 && !bad) k += g->n;
        n_bad += bad;
        if (!bad && k >= g->lo && k < g->hi)
            memcpy(out + (size_t)at[2] * size,
                   in + (size_t)(at[0] + (k - g->lo) * g->axis_stride) * size, size);
        int d = g->ndim - 1;
        while (d >= 0 && ++i[d] == g->extent[d]) i[d--] = 0;
        if (d < 0) return n_bad;
    }
}

/* The report's words are device memory here. */
static void on_gpu(const struct heddle_gather *g, const char *const host[3], const size_t bytes[3],
                   char *out, int64_t report[HEDDLE_REPORT_WORDS])
{
    const size_t report_bytes = HEDDLE_REPORT_WORDS * sizeof *report;
    void *buffers[3];
    for (int k = 0; k < 3; k++) buffers[k] = families_to_gpu(host[k], bytes[k]);
    int64_t *words = families_to_gpu(report, report_bytes);
    struct heddle_kernel_context k = {
        .buffers = buffers, .stream = gpu_stream(), .report = {words, TAG}};
    CHECK(heddle__gather_cuda.run(g, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(out, buffers[2], bytes[2]);
    families_from_gpu(report, words, report_bytes);
    gpu_free_all();
}

static void test_gather(int number, bool with_bad)
{
    struct heddle_gather g;
    int64_t elements[3], report[HEDDLE_REPORT_WORDS] = {-1, -1, -1, -1};
    make_call(&g, elements);
    const size_t bytes[3] = {(size_t)elements[0] * g.element_bytes,
                             (size_t)elements[1] * g.index_bytes,
                             (size_t)elements[2] * g.element_bytes};
    char *data[3], *want = malloc(bytes[2]), *got = malloc(bytes[2]);
    for (int k = 0; k < 3; k++) {
        data[k] = malloc(bytes[k]);
        if (!data[k] || !want || !got) exit(1);
    }
    for (size_t i = 0; i < bytes[0]; i++) data[0][i] = (char)families_random();
    for (int64_t i = 0; i < elements[1]; i++) set_index(&g, data[1], i, below(2 * g.n) - g.n);
    const int64_t far = g.index_bytes == 8 ? INT64_MIN : INT32_MIN,
                  bad[4] = {g.n, -g.n - 1, far, -(far + 1)}, wrong = bad[below(4)];
    if (with_bad) set_index(&g, data[1], below(elements[1]), wrong);
    memset(data[2], UNTOUCHED, bytes[2]);
    memset(want, UNTOUCHED, bytes[2]);
    const int n_bad = by_loop(&g, data[0], data[1], want);
    on_gpu(&g, (const char *const *)data, bytes, got, report);
    CHECK(memcmp(got, want, bytes[2]) == 0, "case %d: %d axes (%lld %lld %lld %lld)", number,
          (int)g.ndim, (long long)g.extent[0], (long long)g.extent[1], (long long)g.extent[2],
          (long long)g.extent[3]);
    CHECK_EQ(report[0], n_bad ? TAG : -1);
    CHECK_EQ(report[1], n_bad ? wrong : -1);
    CHECK_EQ(report[2], n_bad ? g.n : -1);
    CHECK_EQ(report[3], n_bad ? g.along : -1);
    for (int k = 0; k < 3; k++) free(data[k]);
    free(want);
    free(got);
}

/* More elements than an int counts: all of them copies of three. */
static void test_many(void)
{
    const int64_t in[4] = {5, 6, 7, 8}, indices[3] = {3, 0, -2}, zeros[3] = {0, 0, 0};
    const struct heddle_gather g = {.element_bytes = 8,
                                    .index_bytes = 8,
                                    .ndim = 2,
                                    .extent = {3, INT64_C(1) << 30},
                                    .index_stride = {1, 0},
                                    .out_stride = {1, 0},
                                    .axis_stride = 1,
                                    .n = 4,
                                    .hi = 4,
                                    .in = 0,
                                    .indices = 1,
                                    .out = 2};
    const char *const host[3] = {(const char *)in, (const char *)indices, (const char *)zeros};
    int64_t got[3], report[HEDDLE_REPORT_WORDS] = {0};
    on_gpu(&g, host, (const size_t[3]){sizeof in, sizeof indices, sizeof zeros}, (char *)got,
           report);
    CHECK_EQ(got[0], 8);
    CHECK_EQ(got[1], 5);
    CHECK_EQ(got[2], 7);
    CHECK_EQ(report[0], 0);
}

void test_gathers(void)
{
    for (int k = 0; k < 600; k++) test_gather(k, k % 3 == 0);
    if (!HEDDLE_EMULATED) test_many();
}
