/* The memory that is lent to transforms on CPUs is enough for what DUCC needs, but for lengths with large prime factors, and those of
 * 65537 to 131072 without AVX2: these get memory of their own. */
#include "check.h"
#include "families/fft/cpu_plans.h"
#include "families/fft/kernel.h"

#include <stdbool.h>

#if HEDDLE_FFT_AVX2
static const struct heddle_fft_engine *const engines[] = {&heddle__fft_float_avx2,
                                                          &heddle__fft_double_avx2};
static const int64_t most_side_by_side = 1 << 16;
#else
static const struct heddle_fft_engine *const engines[] = {&heddle__fft_float_baseline,
                                                          &heddle__fft_double_baseline};
static const int64_t most_side_by_side = 1 << 17;
#endif

static void check_room(int e, int kind, int64_t n, bool rows, bool alone, int64_t others,
                       int n_threads)
{
    const int axis = rows ? 1 : 0;
    if (!alone && n > 1 << 16 && n <= most_side_by_side) return;
    struct heddle_fft f = {.dtype = e % 2 ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32,
                           .kind = (uint8_t)kind,
                           .axes = (uint8_t)(1 << axis),
                           .alone = (uint8_t)(alone << axis),
                           .ndim = 2,
                           .n = n};
    f.shape[axis] = kind == HEDDLE_FFT_C2R ? n / 2 + 1 : n;
    f.shape[1 - axis] = others;
    const struct heddle_fft_lines l = {.kind = kind,
                                       .alone = alone,
                                       .n = n,
                                       .in_stride = rows ? 1 : others,
                                       .out_stride = rows ? 1 : others,
                                       .lines = others};
    const struct heddle_fft_engine *engine = engines[e];
    struct heddle_fft_plan *plan =
        heddle__fft_plan_take(engine, kind != HEDDLE_FFT_C2C, n, engine->by_itself(&l));
    if (!plan) return;
    const size_t lent = heddle__fft_room_bytes(&f, n_threads),
                 room = engine->room_bytes(&l, heddle__fft_plan_of(plan));
    const int64_t bundle = engine->bundle(&l), n_bundles = (others + bundle - 1) / bundle;
    const size_t rooms = n_bundles >= n_threads  ? (size_t)n_threads
                         : engine->by_itself(&l) ? 1
                                                 : (size_t)n_bundles;
    CHECK(room < 1 << 17 || lent >= rooms * room,
          "engine %d, kind %d, %lld lines of %lld, rows %d, alone %d, %d threads: %zu of %zu", e,
          kind, (long long)others, (long long)n, rows, alone, n_threads, lent, rooms * room);
    CHECK(lent <= ((size_t)1 << 22) * (size_t)n_threads + 40 * room * (size_t)n_threads);
    heddle__fft_plan_give_back(plan);
}

int main(void)
{
    static const int64_t lengths[] = {1,     2,     30,    1000,   4096,    10000,  16807,  40000,
                                      65520, 65536, 65600, 100000, 1 << 17, 177147, 1 << 20};
    static const int64_t others[] = {1, 2, 7, 16, 33, 300};
    static const int threads[] = {1, 2, 16};
    for (int e = 0; e < (int)(sizeof engines / sizeof *engines); e++)
        for (int kind = 0; kind < 3; kind++)
            for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
                for (int way = 0; way < 4; way++)
                    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
                        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                            check_room(e, kind, lengths[n], way & 1, way & 2, others[o],
                                       threads[t]);
    return check_done();
}
