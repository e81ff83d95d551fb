/* Elements written by position on a GPU: all dtypes, rows, parts of an array, duplicates, positions that stand for indices
 * out of range; sums of what rounds in the order of the updates. Against loops. Entry point: test_scatters. */
#include "check.h"
#include "cuda/families.h"
#include "families/scatter/kernel.h"
#include "graph/family.h"

#include <heddle/dtype.h>
#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__scatter_cuda;
extern const struct heddle_family_info heddle__scatter_family;

enum { TAG = 78, UNTOUCHED = 0x33 };

static int64_t below(int64_t n)
{
    return (int64_t)(families_random() >> 33) % n;
}

/* A part of an array of up to three axes before those of a row. */
static void make_call(struct heddle_scatter *s)
{
    static const int64_t extents[] = {1, 2, 3, 9, 40}, rows[] = {1, 1, 1, 2, 7},
                         counts[] = {1, 100, 257, 3000};
    memset(s, 0, sizeof *s);
    s->dtype = (uint8_t)(HEDDLE_BOOL + below(HEDDLE_COMPLEX128 - HEDDLE_BOOL + 1));
    s->element_bytes = (uint8_t)heddle_dtype_size((enum heddle_dtype)s->dtype);
    s->add = (uint8_t)below(2);
    s->name = (uint8_t)below(3);
    s->n = counts[below(4)];
    s->row = rows[below(5)];
    s->n_axes = 1 + (int32_t)below(3);
    s->n_rows = 1;
    for (int d = 0; d < s->n_axes; d++) {
        const int64_t extent = s->extent[d] = s->shape[d] = extents[below(5)];
        s->lo[d] = below(2) ? 0 : below(extent);
        s->hi[d] = below(2) ? extent : s->lo[d] + 1 + below(extent - s->lo[d]);
        s->n_rows *= s->hi[d] - s->lo[d];
    }
    s->in = 0, s->positions = 1, s->values = 2, s->out = 3;
}

#define ADD(type) *(type *)to = (type)(*(type *)to + *(const type *)from)

static void add(enum heddle_dtype dtype, void *to, const void *from)
{
    switch (dtype) {
    case HEDDLE_BOOL: *(uint8_t *)to |= *(const uint8_t *)from; break;
    case HEDDLE_INT8:
    case HEDDLE_UINT8: ADD(uint8_t); break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: ADD(uint16_t); break;
    case HEDDLE_INT32:
    case HEDDLE_UINT32: ADD(uint32_t); break;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: ADD(uint64_t); break;
    case HEDDLE_FLOAT32: ADD(float); break;
    case HEDDLE_FLOAT64: ADD(double); break;
    case HEDDLE_COMPLEX64: ADD(float _Complex); break;
    default: ADD(double _Complex); break;
    }
}

static void random_values(enum heddle_dtype dtype, char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (char)(dtype == HEDDLE_BOOL ? below(2) : below(256));
    if (dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64)
        for (size_t i = 0; i < bytes / 4; i++) ((float *)(void *)to)[i] = (float)below(1000) / 7;
    if (dtype == HEDDLE_FLOAT64 || dtype == HEDDLE_COMPLEX128)
        for (size_t i = 0; i < bytes / 8; i++) ((double *)(void *)to)[i] = (double)below(1000) / 7;
}

/* What the call must make of `to`, which is the part already. */
static void by_loop(const struct heddle_scatter *s, const int64_t *positions, const char *values,
                    char *to)
{
    const size_t size = s->element_bytes;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t rest = positions[i], at[HEDDLE_MAX_NDIM], row = 0;
        bool here = rest >= 0;
        for (int d = s->n_axes - 1; d >= 0 && here; rest /= s->extent[d--])
            at[d] = rest % s->extent[d];
        for (int d = 0; d < s->n_axes && here; d++) {
            here = at[d] >= s->lo[d] && at[d] < s->hi[d];
            row = row * (s->hi[d] - s->lo[d]) + at[d] - s->lo[d];
        }
        for (int64_t k = 0; k < s->row && here; k++) {
            char *element = to + (size_t)(row * s->row + k) * size;
            const char *value = values + (size_t)(i * s->row + k) * size;
            if (s->add)
                add((enum heddle_dtype)s->dtype, element, value);
            else
                memcpy(element, value, size);
        }
    }
}

static void test_scatter(int number, bool with_bad)
{
    struct heddle_scatter s;
    make_call(&s);
    const size_t bytes = (size_t)(s.n_rows * s.row) * s.element_bytes,
                 value_bytes = (size_t)(s.n * s.row) * s.element_bytes;
    char *in = malloc(bytes), *out = malloc(bytes), *values = malloc(value_bytes);
    int64_t *positions = malloc((size_t)s.n * 8), total = 1;
    if (!in || !out || !values || !positions) exit(1);
    for (int d = 0; d < s.n_axes; d++) total *= s.extent[d];
    for (int64_t i = 0; i < s.n; i++) positions[i] = below(below(2) ? total : (total + 3) / 4);
    const int axis = (int)below(s.n_axes);
    const int64_t wrong = (int64_t[]){-7, 40, HEDDLE_SCATTER_FAR, -HEDDLE_SCATTER_FAR}[below(4)];
    if (with_bad) positions[below(s.n)] = HEDDLE_SCATTER_BAD(axis) + wrong;
    random_values((enum heddle_dtype)s.dtype, in, bytes);
    random_values((enum heddle_dtype)s.dtype, values, value_bytes);
    memset(out, UNTOUCHED, bytes);

    int64_t report[HEDDLE_REPORT_WORDS] = {-1, -1, -1, -1};
    void *buffers[4] = {families_to_gpu(in, bytes), families_to_gpu(positions, (size_t)s.n * 8),
                        families_to_gpu(values, value_bytes), families_to_gpu(out, bytes)};
    int64_t *words = families_to_gpu(report, sizeof report);
    struct heddle_kernel_context k = {
        .buffers = buffers,
        .stream = gpu_stream(),
        .scratch = gpu_alloc(heddle__scatter_family.scratch_bytes(&s, 0) + 1),
        .report = {words, TAG}};
    CHECK(heddle__scatter_cuda.run(&s, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(out, buffers[3], bytes);
    families_from_gpu(report, words, sizeof report);
    gpu_free_all();
    by_loop(&s, positions, values, in);
    CHECK(memcmp(in, out, bytes) == 0, "case %d: %s %s, %lld updates of rows of %lld", number,
          s.add ? "add" : "set", heddle_dtype_name((enum heddle_dtype)s.dtype), (long long)s.n,
          (long long)s.row);
    CHECK_EQ(report[0], with_bad ? TAG : -1);
    CHECK_EQ(report[1], with_bad ? wrong : -1);
    CHECK_EQ(report[2], with_bad ? s.shape[axis] : -1);
    CHECK_EQ(report[3], with_bad ? s.name : -1);
    free(in);
    free(out);
    free(values);
    free(positions);
}

void test_scatters(void)
{
    for (int k = 0; k < 200; k++) test_scatter(k, k % 4 == 0);
}
