/* Fourier transforms: np.fft. */
#include "expr/functions/functions.h"

static const char *const norms[] = {"backward", "ortho", "forward"};

static bool to_norm(struct run *run, const struct value *v, enum heddle_fft_norm *norm)
{
    int word = HEDDLE_FFT_BACKWARD;
    if (heddle__expr_given(v) && !heddle__expr_to_word(run, v, "norm is", 3, norms, &word))
        return false;
    *norm = (enum heddle_fft_norm)word;
    return true;
}

/* (a, n, axis, norm). 0 is the option's default, so that it must be refused here. */
CALL(call_along_one)
{
    heddle_array *a;
    struct heddle_fft_options o = {.size = sizeof o};
    const bool has_n = heddle__expr_given(&args[1]);
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        (has_n && !heddle__expr_to_int(run, &args[1], "n", &o.n)) ||
        !heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis) ||
        !to_norm(run, &args[3], &o.norm))
        return false;
    if (has_n && o.n == 0) o.n = -1;
    return heddle__expr_from_array(run, f->fft(a, &o), at, out);
}

/* The options `s` and `axes`. */
static bool to_axes(struct run *run, const struct value *s, const struct value *axes,
                    struct heddle_fftn_options *o)
{
    int n;
    if (!heddle__expr_to_axes(run, axes, o->axes.at, &n)) return false;
    if (heddle__expr_given(axes)) o->axes.count = n > 0 ? n : -1;
    return !heddle__expr_given(s) ||
           heddle__expr_to_ints(run, s, "s", HEDDLE_MAX_NDIM, o->s.at, &o->s.count);
}

/* (a, s, axes, norm) */
CALL(call_along_several)
{
    heddle_array *a;
    struct heddle_fftn_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) && to_axes(run, &args[1], &args[2], &o) &&
           to_norm(run, &args[3], &o.norm) && heddle__expr_from_array(run, f->fftn(a, &o), at, out);
}

/* (n, d) */
CALL(call_frequencies)
{
    int64_t n;
    struct heddle_fftfreq_options o = {.size = sizeof o};
    return heddle__expr_to_int(run, &args[0], "n", &n) &&
           heddle__expr_to_nonzero(run, &args[1], "d", &o.d) &&
           (!heddle__expr_given(&args[2]) || heddle__expr_to_dtype(run, &args[2], &o.dtype)) &&
           heddle__expr_from_array(run, f->fftfreq(n, &o), at, out);
}

/* (x, axes) */
CALL(call_shift)
{
    heddle_array *a;
    struct heddle_fftshift_options o = {.size = sizeof o};
    int n;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], o.axes.at, &n))
        return false;
    if (heddle__expr_given(&args[1])) o.axes.count = n > 0 ? n : -1;
    return heddle__expr_from_array(run, f->fftshift(a, &o), at, out);
}

#define ALONG_ONE(name)                                                                            \
    {                                                                                              \
        "fft." #name, "a/x n= axis= norm=", call_along_one,                                        \
        {                                                                                          \
            .fft = heddle_fft_##name##_with                                                        \
        }                                                                                          \
    }
#define ALONG_SEVERAL(name)                                                                        \
    {                                                                                              \
        "fft." #name, "a/x s= axes= norm=", call_along_several,                                    \
        {                                                                                          \
            .fftn = heddle_fft_##name##_with                                                       \
        }                                                                                          \
    }

static const struct function rows[] = {
    ALONG_ONE(fft),
    ALONG_SEVERAL(fft2),
    {"fft.fftfreq", "n d= | dtype=", call_frequencies, {.fftfreq = heddle_fft_fftfreq_with}},
    ALONG_SEVERAL(fftn),
    {"fft.fftshift", "x axes=", call_shift, {.fftshift = heddle_fft_fftshift_with}},
    ALONG_ONE(hfft),
    ALONG_ONE(ifft),
    ALONG_SEVERAL(ifft2),
    ALONG_SEVERAL(ifftn),
    {"fft.ifftshift", "x axes=", call_shift, {.fftshift = heddle_fft_ifftshift_with}},
    ALONG_ONE(ihfft),
    ALONG_ONE(irfft),
    ALONG_SEVERAL(irfft2),
    ALONG_SEVERAL(irfftn),
    ALONG_ONE(rfft),
    ALONG_SEVERAL(rfft2),
    {"fft.rfftfreq", "n d= | dtype=", call_frequencies, {.fftfreq = heddle_fft_rfftfreq_with}},
    ALONG_SEVERAL(rfftn),
};

TABLE(fourier);
