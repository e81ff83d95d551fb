/* The choice of instruction set: which of the compiled block functions this machine runs.
 * Entry points: heddle__cpu_blocks, heddle__cpu_isa. */
#include "cpu/blocks.h"
#include "kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BASELINE, AVX2, AVX512 };

#define DECLARE(isa)                                                                               \
    extern const struct heddle__block_moves heddle__block_moves_##isa;                             \
    extern const struct heddle__block_narrow heddle__block_narrow_##isa;                           \
    extern const struct heddle__block_packed heddle__block_packed_##isa;                           \
    extern const struct heddle__block_windows heddle__block_windows_##isa;                         \
    extern const heddle__block_pairs heddle__block_pairs_##isa;                                    \
    extern const struct heddle__block_elementary heddle__block_elementary_##isa;                   \
    extern const struct heddle__block_halves heddle__block_halves_##isa;                           \
    extern const struct heddle__block_draws heddle__block_draws_##isa;
DECLARE(baseline)
DECLARE(avx2)
DECLARE(avx512)
#define HEDDLE_DTYPE(ID, ...)                                                                      \
    extern const struct heddle__block_type heddle__block_##ID##_baseline,                          \
        heddle__block_##ID##_avx2, heddle__block_##ID##_avx512;
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
/* Of complex numbers there is none. */
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) HALVING_##kind(ID)
#define HALVING_B HALVING
#define HALVING_I HALVING
#define HALVING_U HALVING
#define HALVING_F HALVING
#define HALVING_C(ID)
#define HALVING(ID)                                                                                \
    extern const struct heddle__block_halving heddle__halving_##ID##_baseline,                     \
        heddle__halving_##ID##_avx2, heddle__halving_##ID##_avx512;
#include <heddle/dtypes.def>
#undef HALVING

static struct heddle__blocks chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int best_level(void)
{
    int level = BASELINE;
#if HEDDLE_CPU_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        level = AVX2;
    if (level == AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        level = AVX512;
    const char *wish = getenv("HEDDLE_CPU_ISA");
    if (wish && !strcmp(wish, "baseline")) level = BASELINE;
    if (wish && !strcmp(wish, "avx2") && level > AVX2) level = AVX2;
#endif
    return level;
}

#if HEDDLE_CPU_X86
static void put_elementary(const struct heddle__block_elementary *e)
{
    static const uint8_t real[2] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64};
    static const uint8_t complex[2] = {HEDDLE_COMPLEX64, HEDDLE_COMPLEX128};
    for (int t = 0; t < 2; t++) {
        for (int op = 0; op < HEDDLE_N_OPS; op++) {
            const struct heddle__block_op r = {.vector = e->real[t][op],
                                               .y_scalar = e->y_scalar[t][op]};
            const struct heddle__block_op c = {.vector = e->complex_[t][op]};
            if (r.vector) chosen.types[real[t]].ops[op] = r;
            if (c.vector) chosen.types[complex[t]].ops[op] = c;
        }
    }
}

static void put_draws(const struct heddle__block_draws *d)
{
    for (int op = 0; op < HEDDLE_N_OPS; op++)
        if (d->key_scalar[op]) chosen.types[HEDDLE_INT64].ops[op].y_scalar = d->key_scalar[op];
}
#endif

static void put_halves(const struct heddle__block_halves *h)
{
    static const uint8_t half[2] = {HEDDLE_FLOAT16, HEDDLE_BFLOAT16};
    for (int t = 0; t < 2; t++) {
        chosen.types[half[t]].casts[HEDDLE_FLOAT32] = h->to_float[t];
        chosen.types[HEDDLE_FLOAT32].casts[half[t]] = h->of_float[t];
        chosen.types[HEDDLE_FLOAT64].casts[half[t]] = h->of_double[t];
        memcpy(chosen.types[half[t]].ops, h->ops[t], sizeof h->ops[t]);
    }
}

#if HEDDLE_CPU_X86
static void put_halving(int level)
{
#define HALVING(ID)                                                                                \
    chosen.halving[HEDDLE_##ID] = level == AVX512 ? &heddle__halving_##ID##_avx512                 \
                                  : level == AVX2 ? &heddle__halving_##ID##_avx2                   \
                                                  : &heddle__halving_##ID##_baseline;
#include <heddle/dtypes.def>
#undef HALVING
}
#endif
#undef HEDDLE_DTYPE

#define TYPE_OF(ID, isa) chosen.types[HEDDLE_##ID] = heddle__block_##ID##_##isa;

static void choose(void)
{
    const int level = best_level();
#if HEDDLE_CPU_X86
    put_halving(level);
#endif
    switch (level) {
#if HEDDLE_CPU_X86
    case AVX512:
        chosen.isa = "avx512";
        chosen.moves = heddle__block_moves_avx512;
        chosen.narrow = heddle__block_narrow_avx512;
        chosen.packed = heddle__block_packed_avx512;
        chosen.windows = heddle__block_windows_avx512;
        chosen.pairs = &heddle__block_pairs_avx512;
#define HEDDLE_DTYPE(ID, ...) TYPE_OF(ID, avx512)
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
        put_elementary(&heddle__block_elementary_avx512);
        put_draws(&heddle__block_draws_avx512);
        put_halves(&heddle__block_halves_avx512);
        break;
    case AVX2:
        chosen.isa = "avx2";
        chosen.moves = heddle__block_moves_avx2;
        chosen.narrow = heddle__block_narrow_avx2;
        chosen.packed = heddle__block_packed_avx2;
        chosen.windows = heddle__block_windows_avx2;
        chosen.pairs = &heddle__block_pairs_avx2;
#define HEDDLE_DTYPE(ID, ...) TYPE_OF(ID, avx2)
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
        put_elementary(&heddle__block_elementary_avx2);
        put_draws(&heddle__block_draws_avx2);
        put_halves(&heddle__block_halves_avx2);
        break;
#endif
    default:
        chosen.isa = "baseline";
        chosen.moves = heddle__block_moves_baseline;
        chosen.narrow = heddle__block_narrow_baseline;
        chosen.packed = heddle__block_packed_baseline;
        chosen.windows = heddle__block_windows_baseline;
        chosen.pairs = &heddle__block_pairs_baseline;
#define HEDDLE_DTYPE(ID, ...) TYPE_OF(ID, baseline)
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
#if HEDDLE_CPU_X86
        put_elementary(&heddle__block_elementary_baseline);
        put_draws(&heddle__block_draws_baseline);
#endif
        put_halves(&heddle__block_halves_baseline);
        break;
    }
}

const struct heddle__blocks *heddle__cpu_blocks(void)
{
    pthread_once(&once, choose);
    return &chosen;
}

const char *heddle__cpu_isa(void)
{
    return heddle__cpu_blocks()->isa;
}
