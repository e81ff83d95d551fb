/* Elements by a mask on a GPU: few and many true, all sizes of elements, rows, positions, tiles and their ends, against
 * loops; and with fewer places than the mask selects. Entry point: test_compacts. */
#include "check.h"
#include "cuda/families.h"
#include "families/compact/kernel.h"
#include "graph/family.h"

#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__compact_cuda;
extern const struct heddle_family_info heddle__compact_family;

enum { UNTOUCHED = 0x5a, BEYOND = 64 };

static int64_t below(int64_t n)
{
    return (int64_t)(families_random() >> 33) % n;
}

static void test_compact(int number)
{
    static const int64_t sizes[] = {1, 15, 16, 17, 4095, 4096, 4097, 70001};
    static const uint8_t bytes[] = {1, 2, 4, 8, 16};
    static const int64_t percents[] = {0, 1, 50, 99, 100};
    struct heddle_compact c = {.element_bytes = bytes[below(5)],
                               .positions = below(4) == 0,
                               .size = sizes[below(8)],
                               .row = below(3) ? 1 : 1 + below(5),
                               .first = below(2) ? (int64_t)below(1000) << 32 : 0,
                               .mask = 0,
                               .in = 1,
                               .out = 2};
    if (c.positions) c.element_bytes = 8, c.row = 1;
    const int64_t percent = percents[below(5)], shift = below(3) == 0; /* an odd address */
    const size_t row = (size_t)c.row * c.element_bytes, size = (size_t)c.size;
    uint8_t *mask = malloc(size + 1);
    char *in = malloc(size * row), *want = malloc(size * row + BEYOND),
         *got = malloc(size * row + BEYOND);
    if (!mask || !in || !want || !got) exit(1);
    for (size_t i = 0; i < size * row; i++) in[i] = (char)families_random();
    for (size_t i = 0; i < size; i++)
        mask[i + (size_t)shift] = below(100) < percent ? (uint8_t)(1 + below(2) * 254) : 0;
    mask[shift ? 0 : size] = 1;
    memset(want, UNTOUCHED, size * row + BEYOND);
    for (size_t i = 0; i < size; i++) c.n += mask[i + (size_t)shift] != 0;
    if (below(8) == 0) c.n /= 2;
    size_t at = 0;
    for (size_t i = 0; i < size && at < (size_t)c.n; i++) {
        if (!mask[i + (size_t)shift]) continue;
        const int64_t position = c.first + (int64_t)i;
        memcpy(want + at++ * row, c.positions ? (const char *)&position : in + i * row, row);
    }

    char *gpu_mask = families_to_gpu(mask, size + 1);
    memset(got, UNTOUCHED, size * row + BEYOND);
    void *buffers[3] = {gpu_mask + shift, families_to_gpu(in, size * row),
                        families_to_gpu(got, size * row + BEYOND)};
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .stream = gpu_stream(),
                                      .scratch =
                                          gpu_alloc(heddle__compact_family.scratch_bytes(&c, 0))};
    CHECK(heddle__compact_cuda.run(&c, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[2], size * row + BEYOND);
    gpu_free_all();
    CHECK(memcmp(got, want, size * row + BEYOND) == 0, "case %d: %lld of %lld, rows of %lld x %d",
          number, (long long)c.n, (long long)c.size, (long long)c.row, (int)c.element_bytes);
    free(mask);
    free(in);
    free(want);
    free(got);
}

void test_compacts(void)
{
    for (int k = 0; k < 100; k++) test_compact(k);
}
