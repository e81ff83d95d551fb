/* The node of a transform. Entry point: heddle__fft. */
#include "families/fft/fft.h"

heddle_array *heddle__fft(heddle_array *a, enum heddle_fft_kind kind, unsigned axes, bool inverse,
                          int64_t n, double factor)
{
    const bool is_double = heddle_dtype_size((enum heddle_dtype)a->dtype) >=
                           (kind == HEDDLE_FFT_R2C ? sizeof(double) : 2 * sizeof(double));
    const enum heddle_dtype real = is_double ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
    const enum heddle_dtype complex = is_double ? HEDDLE_COMPLEX128 : HEDDLE_COMPLEX64;
    const struct heddle_fft_params params = {
        .factor = factor, .n = n, .kind = (int32_t)kind, .axes = (int32_t)axes, .inverse = inverse};
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++)
        shape[d] = axes >> d & 1 ? heddle__fft_extent((int)kind, a->shape[d], n) : a->shape[d];
    return heddle__make_operation(&heddle__fft_family, kind == HEDDLE_FFT_C2R ? real : complex,
                                  a->ndim, shape, 1, &a, &params, NULL);
}
