/* One pass of a transform on the CPU: all lines along one axis. What C knows of DUCC (cpu_ducc.cpp). */
#ifndef HEDDLE_FAMILIES_FFT_CPU_LINES_H
#define HEDDLE_FAMILIES_FFT_CPU_LINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HEDDLE_FFT_DIMS = 8 };

struct heddle_fft_lines {
    int kind; /* enum heddle_fft_kind */
    int inverse;
    int alone;                     /* there are few lines, each of which is transformed by itself */
    double factor;                 /* that the results are multiplied by */
    int64_t n;                     /* of the complex or real numbers that are transformed */
    int64_t in_stride, out_stride; /* along the axis; all strides are in elements */
    int64_t lines;
    int ndim; /* the other axes: the first one is the innermost */
    int64_t extent[HEDDLE_FFT_DIMS], in_step[HEDDLE_FFT_DIMS], out_step[HEDDLE_FFT_DIMS];
    const void *in;
    void *out; /* may be `in`, for C2C */
};

/* Who works: threads that take bundles of lines, or share what is inside of a line. */
struct heddle_fft_crew {
    int n_threads;
    void *team;
    /* Calls work(argument, t) on at most n_threads threads at once, and returns when all are done. */
    void (*run)(void *team, int n_threads, void (*work)(void *argument, int thread),
                void *argument);
};
/* Bundles *from..*to-1 are the caller's; 0: none is left. */
typedef int heddle_fft_take(void *taker, int64_t *from, int64_t *to);

/* What is compiled for each instruction set and float type. Plans can be used by several threads at once. */
struct heddle_fft_engine {
    void *(*make)(int is_real, int64_t n, int by_itself); /* NULL: memory is gone */
    void (*destroy)(int is_real, void *plan);
    int (*bundle)(const struct heddle_fft_lines *lines); /* how many lines are in a bundle */
    int (*by_itself)(const struct heddle_fft_lines
                         *lines); /* whether vectors are inside of lines: plans differ */
    size_t (*room_bytes)(const struct heddle_fft_lines *lines,
                         const void *plan); /* of each thread */
    /* Transforms the bundles that it takes; `crew`, NULL: one thread, shares what is inside of lines. Works in `lent`, which is
     * aligned for vectors, or, NULL, in memory of its own. 0: memory is gone. */
    int (*work)(const struct heddle_fft_lines *lines, const void *plan,
                const struct heddle_fft_crew *crew, heddle_fft_take *take, void *taker, void *lent);
};
extern const struct heddle_fft_engine heddle__fft_float_baseline, heddle__fft_double_baseline,
    heddle__fft_float_avx2, heddle__fft_double_avx2;

#ifdef __cplusplus
}
#endif

#endif
