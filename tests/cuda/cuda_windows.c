/* Sums over windows: all dtypes, few results and many, stages of taps, rows that begin and end within a tile, windows that go on; against the oracle
 * of windows.h. Entry point: test_windows. */
#include "check.h"
#include "cuda/families.h"
#include "families/windows.h"

extern const struct heddle_cuda_kernel heddle__window_cuda;

enum { MOST = 70000, MOST_TAPS = 700, GUARD = 16 };

static unsigned char x[MOST * 16], taps[MOST_TAPS * 16], before[MOST * 16], y[MOST * 16];

static void test_window(struct heddle_window w)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)w.dtype;
    const size_t size = heddle_dtype_size(dtype), bytes = (size_t)w.n * size;
    w.x = 0, w.taps = 1, w.y = 2;
    w.x_offset = w.n_x % 3, w.y_offset = w.n % 2;
    windows_fill(dtype, x, w.x_offset + w.n_x);
    windows_fill(dtype, taps, w.m);
    windows_fill(dtype, before, w.n);
    const size_t offset = (size_t)w.y_offset * size;
    memset(y, 0x5a, offset + bytes + GUARD);
    memcpy(y + offset, before, bytes);
    void *buffers[3] = {families_to_gpu(x, (size_t)(w.x_offset + w.n_x) * size),
                        families_to_gpu(taps, (size_t)w.m * size),
                        families_to_gpu(y, offset + bytes + GUARD)};
    struct heddle_kernel_context k = {.buffers = buffers, .stream = gpu_stream()};
    CHECK(heddle__window_cuda.run(&w, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(y, buffers[2], offset + bytes + GUARD);
    gpu_free_all();
    windows_check(&w, x + (size_t)w.x_offset * size, taps, before, y + offset);
    bool touched = w.y_offset && y[0] != 0x5a;
    for (size_t i = 0; i < GUARD; i++) touched |= y[offset + bytes + i] != 0x5a;
    CHECK(!touched, "%s: bytes beside %lld results", heddle_dtype_name(dtype), (long long)w.n);
}

/* All windows that meet a row of n elements, or those from the second one on. */
static void test_row(enum heddle_dtype dtype, int64_t n, int64_t m, int way)
{
    struct heddle_window w = {.dtype = (uint8_t)dtype,
                              .turned = way % 2 != 0,
                              .adds = way % 3 == 0,
                              .n = n + m - 1,
                              .m = m,
                              .n_x = n,
                              .first = 1 - m};
    if (way % 5 == 4 && w.n > 1) w.first++, w.n--;
    if (w.n < MOST - 1) test_window(w);
}

void test_windows(void)
{
    static const int64_t rows[] = {1, 2, 255, 2400, 66000},
                         counts[] = {1, 2, 7, 8, 51, 256, 259, 700};
    for (int d = HEDDLE_BOOL; d <= HEDDLE_COMPLEX128; d++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)d;
        if (heddle_dtype_kind(dtype) == 'F' && heddle_dtype_size(dtype) < 4) continue;
        for (int r = 0; r < 5;
             r++) /* the longest one also with more results than have a thread each */
            for (int c = 0; c < 8; c++)
                if (r < 4 || c == 3 || c == 4) test_row(dtype, rows[r], counts[c], d + 5 * r + c);
    }
}
