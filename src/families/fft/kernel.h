/* The arguments of a call that transforms, and what is computed. */
#ifndef HEDDLE_FAMILIES_FFT_KERNEL_H
#define HEDDLE_FAMILIES_FFT_KERNEL_H

#include <heddle/array.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Along an axis of n elements x, element k of the result is
 *   C2C  the sum over j of x[j] exp(-2 pi i j k / n), or, for the inverse, exp(+2 pi i j k / n)
 *   R2C  the same of n real numbers, for k <= n / 2: the rest are the conjugates of these
 *   C2R  the inverse of R2C: n real numbers of n / 2 + 1 complex ones; the imaginary parts of the first and,
 *        if n is even, of the last have no influence
 * times a factor, which the last axis has for all. C2C goes along several axes, from the last to the first; the
 * others along one. */
enum heddle_fft_kind { HEDDLE_FFT_C2C, HEDDLE_FFT_R2C, HEDDLE_FFT_C2R };

/* Operand and result are in C order, one after the other. On CPUs the bits follow from these fields and the
 * instruction set, but not from the extents of the axes along which nothing is transformed. */
struct heddle_fft {
    double factor;
    uint8_t dtype;   /* of the real and imaginary parts: float32, float64 */
    uint8_t kind;    /* enum heddle_fft_kind */
    uint8_t inverse; /* C2C */
    uint8_t axes;    /* bit d: along axis d */
    uint8_t
        alone; /* bit d: the value has few lines along axis d, so that vectors are used inside of them */
    int32_t ndim;
    int64_t shape[HEDDLE_MAX_NDIM]; /* of the operand */
    int64_t n;                      /* R2C, C2R: how many real numbers a line has */
    uint32_t in, out;               /* buffers */
};

/* The scratch of a call on a CPU team, as memory that is mapped anew costs more than a long transform: what DUCC needs for lengths
 * without large prime factors. 0: little. */
size_t heddle__fft_room_bytes(const struct heddle_fft *f, int n_threads);

/* ---- On GPUs (kernel_scratch.c) ----------------------------------------------------------------------- */

enum { HEDDLE_FFT_AXES_AT_ONCE = 3 };
/* How many neighbours of the axes `left`, which are some, are transformed at once: the last ones; sets the last. */
int heddle__fft_next_axes(const struct heddle_fft *f, unsigned left, int *last);
/* Whether the lines along the `n_axes` axes up to `last`, which lie element by element, are brought side by side first. */
bool heddle__fft_brings_together(const struct heddle_fft *f, int n_axes, int last);
/* The scratch of a call: a copy of the operand of R2C and of C2R, and of the result of C2R, for cuFFT takes not all
 * addresses; then lines that are brought together and, unless they stay complex, their transforms; then what cuFFT works in. */
int64_t heddle__fft_copy_bytes(const struct heddle_fft *f);
int64_t heddle__fft_lines_bytes(const struct heddle_fft *f);
int64_t heddle__fft_work_bytes(const struct heddle_fft *f);

#endif
