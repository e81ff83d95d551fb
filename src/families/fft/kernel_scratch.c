/* What a transform needs besides its operand and result. Entry points: kernel.h. */
#include "families/fft/kernel.h"

#include <heddle/dtype.h>
#include <stdbool.h>

enum { ALIGNED = 256, LEAST = 4 << 20 };
static const int64_t enough = (int64_t)1 << 29; /* for many transforms at a time */

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

int heddle__fft_next_axes(const struct heddle_fft *f, unsigned left, int *last)
{
    int n = 0;
    *last = f->ndim - 1;
    while (!(left >> *last & 1)) --*last;
    while (n < HEDDLE_FFT_AXES_AT_ONCE && n <= *last && left >> (*last - n) & 1) n++;
    return n;
}

/* The larger one of operand and result, as complex numbers. */
static int64_t size_of(const struct heddle_fft *f)
{
    int64_t size = 1;
    for (int d = 0; d < f->ndim; d++) {
        int64_t extent = f->shape[d];
        if (f->axes >> d & 1 && f->kind != HEDDLE_FFT_C2C) extent = f->n / 2 + 1;
        size *= extent;
    }
    return size;
}

int64_t heddle__fft_copy_bytes(const struct heddle_fft *f)
{
    const int64_t number = f->dtype == HEDDLE_FLOAT64 ? 16 : 8;
    const int64_t copies = f->kind == HEDDLE_FFT_C2C ? 0 : f->kind == HEDDLE_FFT_R2C ? 1 : 2;
    return copies * aligned(size_of(f) * number);
}

/* cuFFT's layout has no third axis, so that what is on both sides of the lines is a call each; it goes over long lines several times,
 * each time with strides. On an H200 4096 x 2 float64 1024 times took 87 times as long as together, 512 x 4096 x 8 24 times; lines of
 * 4096 to 65536 1.5 to 3 times. Shorter ones, and few, take longer together. */
bool heddle__fft_brings_together(const struct heddle_fft *f, int n_axes, int last)
{
    enum { MOST_CALLS = 4, LEAST_LINES = 16, LEAST_SIZE = 1 << 19 };
    static const int64_t most = (int64_t)1 << 28; /* or the scratch would be more than some GB */
    const bool is_complex = f->kind == HEDDLE_FFT_C2C;
    const int64_t size = size_of(f), n = is_complex ? f->shape[last] : f->n;
    const int64_t is_long = is_complex ? 4097 : f->dtype == HEDDLE_FLOAT64 ? 1024 : 1025;
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < f->ndim; d++)
        if (d > last)
            inner *= f->shape[d];
        else if (d <= last - n_axes)
            outer *= f->shape[d];
    if (inner == 1 || size > most) return false;
    const int64_t calls = is_complex && inner < outer ? inner : outer;
    if (calls > MOST_CALLS) return true;
    return size >= LEAST_SIZE && (n_axes > 1 || (inner >= LEAST_LINES && n >= is_long));
}

int64_t heddle__fft_lines_bytes(const struct heddle_fft *f)
{
    const int64_t number = f->dtype == HEDDLE_FLOAT64 ? 16 : 8;
    bool some = false;
    for (unsigned left = f->axes; left != 0;) {
        int last;
        const int n_axes = heddle__fft_next_axes(f, left, &last);
        for (int i = 0; i < n_axes; i++) left &= ~(1u << (last - i));
        some = some || heddle__fft_brings_together(f, n_axes, last);
    }
    return some ? (f->kind == HEDDLE_FFT_C2C ? 1 : 2) * aligned(size_of(f) * number) : 0;
}

/* cuFFT wants as much as a transform has, and for lengths with large primes several times that; with less than all of
 * it fewer transforms are done at a time. */
int64_t heddle__fft_work_bytes(const struct heddle_fft *f)
{
    const int64_t number = f->dtype == HEDDLE_FLOAT64 ? 16 : 8;
    int64_t most = 0;
    for (unsigned left = f->axes; left != 0;) {
        int last;
        const int n_axes = heddle__fft_next_axes(f, left, &last);
        int64_t one = number;
        int smooth = 1;
        for (int i = 0; i < n_axes; i++) {
            const int64_t n = f->kind == HEDDLE_FFT_C2C ? f->shape[last - i] : f->n;
            int64_t rest = n;
            for (int prime = 2; prime <= 7; prime++)
                while (rest % prime == 0 && rest > 1) rest /= prime;
            smooth &= rest == 1;
            one *= n;
            left &= ~(1u << (last - i));
        }
        one *= smooth ? 2 : 10;
        if (f->kind != HEDDLE_FFT_C2C) one *= 2; /* two at a time: cuda.c */
        if (one > most) most = one;
    }
    int64_t all = 2 * size_of(f) * number;
    if (all > enough) all = enough;
    return aligned((all > most ? all : most) + LEAST);
}

size_t heddle__fft_room_bytes(const struct heddle_fft *f, int n_threads)
{
    enum { LEAST_ROOM = 1 << 17, MORE = 512, LONG = 1 << 16 };
    const bool is_complex = f->kind == HEDDLE_FFT_C2C;
    const int64_t number = (f->dtype == HEDDLE_FLOAT64 ? 8 : 4) * (is_complex ? 2 : 1);
    int64_t most = 0, size = 1;
    for (int d = 0; d < f->ndim; d++) size *= f->shape[d];
    for (int d = 0; d < f->ndim; d++) {
        if (!(f->axes >> d & 1) || size == 0) continue;
        /* lines and what is behind them: by themselves, eight at a time if they do not lie in rows; or in the lanes of vectors, and
         * sixteen at a time */
        const int64_t n = is_complex ? f->shape[d] : f->n, n_lines = size / f->shape[d];
        const bool by_itself = f->alone >> d & 1 || n > LONG, rows = d == f->ndim - 1;
        const int64_t lines = by_itself ? (rows ? 5 : 12) : (rows ? 24 : 32);
        const int64_t room = lines * (n + MORE) * number,
                      bundles = rows ? n_lines : (n_lines + 3) / 4;
        int64_t rooms = n_threads;
        if (bundles < rooms) rooms = by_itself ? 1 : bundles + 1;
        if (room >= LEAST_ROOM && room * rooms > most) most = room * rooms;
    }
    return (size_t)most;
}
