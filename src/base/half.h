/* float16 and bfloat16 as their 16 bits: exact to float, and rounded to nearest, ties to even, from float and double.
 * NaN stays NaN. One text for C, for nvcc and, embedded, for NVRTC, where HEDDLE_HALF_FUNCTION is a device function's.
 * float16 rounds by the addition of what makes the last place that of the result (the known way to do it without
 * branches: F. Giesen, 2012). Entry points: hd_<type>_to_float, hd_<type>_of_float, hd_<type>_of_double. */
#ifndef HEDDLE_BASE_HALF_H
#define HEDDLE_BASE_HALF_H

#ifndef HEDDLE_HALF_FUNCTION
#define HEDDLE_HALF_FUNCTION static inline
#endif

union hd_float_bits {
    float value;
    unsigned bits;
};

HEDDLE_HALF_FUNCTION float hd_float_of_bits(unsigned bits)
{
    union hd_float_bits u;
    u.bits = bits;
    return u.value;
}

HEDDLE_HALF_FUNCTION unsigned hd_bits_of_float(float x)
{
    union hd_float_bits u;
    u.value = x;
    return u.bits;
}

HEDDLE_HALF_FUNCTION float hd_float16_to_float(unsigned short half)
{
    const unsigned sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    const unsigned normal = (magnitude << 13) + ((127u - 15u) << 23);
    const unsigned special = (magnitude << 13) + ((255u - 31u) << 23); /* inf, NaN */
    const unsigned small = hd_bits_of_float((float)(int)magnitude * 0x1p-24f);
    const unsigned bits = magnitude >= 0x7c00u ? special : magnitude < 0x0400u ? small : normal;
    return hd_float_of_bits(sign | bits);
}

HEDDLE_HALF_FUNCTION unsigned short hd_float16_of_float(float x)
{
    const unsigned all = hd_bits_of_float(x), sign = (all >> 16) & 0x8000u, u = all & 0x7fffffffu;
    const unsigned normal = (u - ((127u - 15u) << 23) + 0xfffu + ((u >> 13) & 1u)) >> 13;
    const unsigned small = hd_bits_of_float(hd_float_of_bits(u) + 0.5f) - 0x3f000000u;
    const unsigned nan = 0x7e00u | ((u >> 13) & 0x3ffu);
    const unsigned half = u > 0x7f800000u    ? nan
                          : u >= 0x47800000u ? 0x7c00u /* 65536 and more */
                          : u < 0x38800000u  ? small   /* below 2^-14 */
                                             : normal;
    return (unsigned short)(sign | half);
}

HEDDLE_HALF_FUNCTION float hd_bfloat16_to_float(unsigned short half)
{
    return hd_float_of_bits((unsigned)half << 16);
}

HEDDLE_HALF_FUNCTION unsigned short hd_bfloat16_of_float(float x)
{
    const unsigned u = hd_bits_of_float(x);
    const unsigned rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
}

/* Rounded to odd: what is rounded once more, to fewer bits, is as if it had been rounded once. */
HEDDLE_HALF_FUNCTION float hd_float_to_odd(double x)
{
    const float near = (float)x;
    const double back = (double)near;
    const unsigned away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    const unsigned bits = (hd_bits_of_float(near) - away) | 1u;
    return back == x || x != x ? near : hd_float_of_bits(bits);
}

HEDDLE_HALF_FUNCTION unsigned short hd_float16_of_double(double x)
{
    return hd_float16_of_float(hd_float_to_odd(x));
}

HEDDLE_HALF_FUNCTION unsigned short hd_bfloat16_of_double(double x)
{
    return hd_bfloat16_of_float(hd_float_to_odd(x));
}

#endif
