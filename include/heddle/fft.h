/* Fourier transforms.
 *
 * Along an axis of n elements x, element k of a transform is sum(x[j] * exp(-2j*pi*j*k/n)); an inverse one has the other
 * sign. The length is the axis's extent or, if one is given, the axis is cut off or filled up with zeros to it; any
 * length will do, and products of small primes are fastest. Other axes are batches.
 * .norm says which direction has the factor, as the standard does: backward (default): the inverse has 1/n; forward: the
 * transform has it; ortho: both have 1/sqrt(n).
 *
 * Dtype: float32 and complex64 of float32, complex64 and halves; float64 and complex128 of all others. Values are within
 * a few roundings times log2(n) of the exact ones. The last digits may differ between devices, and on GPUs between
 * partitions.
 * Errors: HEDDLE_EDTYPE complex numbers where real ones are transformed; HEDDLE_EAXIS out of range; HEDDLE_ESHAPE a
 * length below 1, or an axis without elements and no length given; HEDDLE_EARG an axis named twice.
 * Cost: 5 n log2(n) operations and one pass over memory for each axis; half of it for real numbers. What is cut along
 * the axes of the transform is brought into another partition between axes. */
#ifndef HEDDLE_FFT_H
#define HEDDLE_FFT_H

#include <heddle/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_fft_norm { HEDDLE_FFT_BACKWARD, HEDDLE_FFT_ORTHO, HEDDLE_FFT_FORWARD };

/* ---- Along one axis ------------------------------------------------------------------------------ */

struct heddle_fft_options {
    size_t size; /* call.h */
    int64_t n;   /* length of the transform; 0: the axis's extent */
    int axis;    /* default: the last */
    bool has_axis; /* whether it is given; set by the macros */
    enum heddle_fft_norm norm;
};

/** The transform; of real numbers, too. */
HEDDLE_API heddle_array *heddle_fft_fft_with(heddle_array *a, const struct heddle_fft_options *o);
/** Its inverse. */
HEDDLE_API heddle_array *heddle_fft_ifft_with(heddle_array *a, const struct heddle_fft_options *o);
/** The first n/2 + 1 elements of the transform of n real numbers; the others are the conjugates of these. */
HEDDLE_API heddle_array *heddle_fft_rfft_with(heddle_array *a, const struct heddle_fft_options *o);
/** The inverse of rfft: .n real numbers (default: 2 (m - 1) of m elements). The imaginary parts of the first element and,
 *  if n is even, of element n/2 have no influence. */
HEDDLE_API heddle_array *heddle_fft_irfft_with(heddle_array *a, const struct heddle_fft_options *o);
/** The transform, .n real numbers (default: 2 (m - 1) of m elements), of a signal of which the first half is given, as
 *  the other half is its conjugate. */
HEDDLE_API heddle_array *heddle_fft_hfft_with(heddle_array *a, const struct heddle_fft_options *o);
/** The inverse of hfft: the first n/2 + 1 elements. */
HEDDLE_API heddle_array *heddle_fft_ihfft_with(heddle_array *a, const struct heddle_fft_options *o);

#define heddle_fft_fft(...) HEDDLE_CALL1_AXIS(heddle_fft_fft_with, heddle_fft_options, __VA_ARGS__)
#define heddle_fft_ifft(...)                                                                       \
    HEDDLE_CALL1_AXIS(heddle_fft_ifft_with, heddle_fft_options, __VA_ARGS__)
#define heddle_fft_rfft(...)                                                                       \
    HEDDLE_CALL1_AXIS(heddle_fft_rfft_with, heddle_fft_options, __VA_ARGS__)
#define heddle_fft_irfft(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_fft_irfft_with, heddle_fft_options, __VA_ARGS__)
#define heddle_fft_hfft(...)                                                                       \
    HEDDLE_CALL1_AXIS(heddle_fft_hfft_with, heddle_fft_options, __VA_ARGS__)
#define heddle_fft_ihfft(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_fft_ihfft_with, heddle_fft_options, __VA_ARGS__)

/* ---- Along several axes -------------------------------------------------------------------------- */

/* Lengths, as a value: heddle_fft_fftn(a, .s = HEDDLE_LENGTHS(64, 64)). Zeroed: none are given. */
struct heddle_lengths {
    int count;                   /* 0: not given */
    int64_t at[HEDDLE_MAX_NDIM]; /* the first `count` are meant; -1: the axis's extent */
};
#ifndef __cplusplus
#define HEDDLE_LENGTHS(...)                                                                        \
    ((struct heddle_lengths){                                                                      \
        .count = (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                  \
        .at = {__VA_ARGS__}})
#else
#define HEDDLE_LENGTHS(...) heddle_lengths_of_(__VA_ARGS__)
#endif

struct heddle_fftn_options {
    size_t size;             /* call.h */
    struct heddle_lengths s; /* of the transforms along `axes`, one for each */
    struct heddle_axes axes; /* default: the last as many as `s` has, else all; of fft2 and its like the last two */
    enum heddle_fft_norm norm;
};

/** fft along several axes. */
HEDDLE_API heddle_array *heddle_fft_fftn_with(heddle_array *a, const struct heddle_fftn_options *o);
/** ifft along several axes. */
HEDDLE_API heddle_array *heddle_fft_ifftn_with(heddle_array *a,
                                               const struct heddle_fftn_options *o);
/** rfft along the last of the axes, then fft along the others. */
HEDDLE_API heddle_array *heddle_fft_rfftn_with(heddle_array *a,
                                               const struct heddle_fftn_options *o);
/** ifft along the axes but the last, then irfft along that. */
HEDDLE_API heddle_array *heddle_fft_irfftn_with(heddle_array *a,
                                                const struct heddle_fftn_options *o);
/* The same along two axes (NumPy names). */
HEDDLE_API heddle_array *heddle_fft_fft2_with(heddle_array *a, const struct heddle_fftn_options *o);
HEDDLE_API heddle_array *heddle_fft_ifft2_with(heddle_array *a,
                                               const struct heddle_fftn_options *o);
HEDDLE_API heddle_array *heddle_fft_rfft2_with(heddle_array *a,
                                               const struct heddle_fftn_options *o);
HEDDLE_API heddle_array *heddle_fft_irfft2_with(heddle_array *a,
                                                const struct heddle_fftn_options *o);

#define heddle_fft_fftn(...) HEDDLE_CALL1(heddle_fft_fftn_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_ifftn(...) HEDDLE_CALL1(heddle_fft_ifftn_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_rfftn(...) HEDDLE_CALL1(heddle_fft_rfftn_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_irfftn(...)                                                                     \
    HEDDLE_CALL1(heddle_fft_irfftn_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_fft2(...) HEDDLE_CALL1(heddle_fft_fft2_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_ifft2(...) HEDDLE_CALL1(heddle_fft_ifft2_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_rfft2(...) HEDDLE_CALL1(heddle_fft_rfft2_with, heddle_fftn_options, __VA_ARGS__)
#define heddle_fft_irfft2(...)                                                                     \
    HEDDLE_CALL1(heddle_fft_irfft2_with, heddle_fftn_options, __VA_ARGS__)

/* ---- Frequencies --------------------------------------------------------------------------------- */

struct heddle_fftfreq_options {
    size_t size;             /* call.h */
    double d;                /* distance between samples; 0: 1 */
    enum heddle_dtype dtype; /* default float64 */
    const struct heddle_distribution *distribution; /* where its parts live; NULL: Heddle decides */
};

/** The frequencies of the elements of fft: 0, 1, ..., then the negative ones up to -1, over n d. Errors: HEDDLE_ESHAPE
 *  n below 1; HEDDLE_EDTYPE not a real floating one. */
HEDDLE_API heddle_array *heddle_fft_fftfreq_with(int64_t n, const struct heddle_fftfreq_options *o);
/** Those of rfft: 0, 1, ..., n/2, over n d. */
HEDDLE_API heddle_array *heddle_fft_rfftfreq_with(int64_t n,
                                                  const struct heddle_fftfreq_options *o);

struct heddle_fftshift_options {
    size_t size;             /* call.h */
    struct heddle_axes axes; /* default: all */
};

/** Frequency 0 moved from the first place to the middle of each axis; any dtype. */
HEDDLE_API heddle_array *heddle_fft_fftshift_with(heddle_array *a,
                                                  const struct heddle_fftshift_options *o);
/** And back. */
HEDDLE_API heddle_array *heddle_fft_ifftshift_with(heddle_array *a,
                                                   const struct heddle_fftshift_options *o);

#define heddle_fft_fftfreq(...)                                                                    \
    HEDDLE_CALL1(heddle_fft_fftfreq_with, heddle_fftfreq_options, __VA_ARGS__)
#define heddle_fft_rfftfreq(...)                                                                   \
    HEDDLE_CALL1(heddle_fft_rfftfreq_with, heddle_fftfreq_options, __VA_ARGS__)
#define heddle_fft_fftshift(...)                                                                   \
    HEDDLE_CALL1(heddle_fft_fftshift_with, heddle_fftshift_options, __VA_ARGS__)
#define heddle_fft_ifftshift(...)                                                                  \
    HEDDLE_CALL1(heddle_fft_ifftshift_with, heddle_fftshift_options, __VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */

template <class... Lengths> constexpr heddle_lengths heddle_lengths_of_(Lengths... lengths)
{
    static_assert(sizeof...(lengths) <= HEDDLE_MAX_NDIM, "more axes than an array can have");
    return {static_cast<int>(sizeof...(lengths)), {static_cast<int64_t>(lengths)...}};
}
#endif

#endif
