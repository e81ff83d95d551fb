/* The modified Bessel function of the first kind of order 0. One text for C, for nvcc and, embedded, for NVRTC, as
 * log_add_exp.h. Entry points: hd_bessel_i0, and the coefficients for vectors.
 *
 * Up to 8 it is 1 + t q(t), t = x^2 / 4, as its series (DLMF 10.25.2), whose terms are all positive. Beyond, exp(-x) sqrt(x) I0(x)
 * is smooth in 1 / x (DLMF 10.40.1), and a polynomial in 16 / x - 1; these two pieces are Cephes' (S. Moshier, 1989), and
 * NumPy's. Both polynomials were interpolated at Chebyshev's points with 300 bits: they are within 2^-57 of I0. The second
 * one is exp(8) times that, so that exp(x - 8), whose argument is exact, overflows no earlier than I0. */
#ifndef HEDDLE_CODELETS_BESSEL_H
#define HEDDLE_CODELETS_BESSEL_H

/* Horner's steps, highest degree first. */
/* clang-format off */
#define HD_I0_NEAR(FIRST, NEXT) \
    FIRST(9.319037302519698e-25) NEXT(1.1142728859197163e-22) NEXT(2.6459481729049967e-20) \
    NEXT(4.3438583592285594e-18) NEXT(6.2782596125899935e-16) NEXT(7.593826261486644e-14) \
    NEXT(7.594076203674035e-12) NEXT(6.151186352073215e-10) NEXT(3.936759926835679e-08) \
    NEXT(1.9290123446808463e-06) NEXT(6.944444444616768e-05) NEXT(0.0017361111111093212) \
    NEXT(0.02777777777777875) NEXT(0.24999999999999978) NEXT(1.0)
#define HD_I0_FAR(FIRST, NEXT) \
    FIRST(-2.107220871671306e-07) NEXT(-5.7284365310934306e-08) NEXT(1.5447136402908632e-06) \
    NEXT(4.37373210570516e-07) NEXT(-5.302937961866474e-06) NEXT(-1.6580690447869544e-06) \
    NEXT(1.1569548829516595e-05) NEXT(4.4651198243829035e-06) NEXT(-1.8446958247449613e-05) \
    NEXT(-1.0390989806520248e-05) NEXT(2.2596321344491444e-05) NEXT(2.24782159075025e-05) \
    NEXT(-1.63016592452612e-05) NEXT(-3.99574822262355e-05) NEXT(-2.0061024842025802e-05) \
    NEXT(2.2516715252558654e-05) NEXT(6.422526940049253e-05) NEXT(0.00011722922712111929) \
    NEXT(0.00026447814967526547) NEXT(0.0008864171997553542) NEXT(0.0044232871978572745) \
    NEXT(0.03321691558081694) NEXT(0.4060543949232788) NEXT(10.017664276583613) \
    NEXT(1198.8712780306598)
/* clang-format on */

/* I0 is infinite from 713.99 on; exp(x - 8) is finite up to here, so that its product with a correction is no NaN. */
#define HD_I0_MOST 715.0

/* What x^2 loses by its rounding counts: I0 changes by up to x / 2 times as much. This is about I0'(t) / I0(t), within 13 %. */
#define HD_I0_SLOPE(FIRST, NEXT) FIRST(-0.000387065) NEXT(0.0131379) NEXT(-0.151591) NEXT(0.870229)

/* The last step for large x is exp(x - 8) r / sqrt(x), to which it adds what the root and the quotient lost. */
HD_SHARED double hd_bessel_i0(double x)
{
    const double size = fabs(x);
    double r, slope;
#define HD_I0_FIRST(c) r = c;
#define HD_I0_NEXT(c) r = HD_FUSED(r, t, c);
#define HD_I0_FIRST_SLOPE(c) slope = c;
#define HD_I0_NEXT_SLOPE(c) slope = HD_FUSED(slope, t, c);
    if (size <= 8) {
        const hd_dd square = hd_dd_of_product(size, size);
        const double t = square.high * 0.25;
        HD_I0_SLOPE(HD_I0_FIRST_SLOPE, HD_I0_NEXT_SLOPE)
        HD_I0_NEAR(HD_I0_FIRST, HD_I0_NEXT)
        return HD_FUSED(r, t, 1 + (r * t + 1) * (square.low * 0.25 * slope));
    }
    if (size > HD_I0_MOST) return exp(size);
    const double t = 16 / size - 1;
    HD_I0_FAR(HD_I0_FIRST, HD_I0_NEXT)
#undef HD_I0_FIRST
#undef HD_I0_NEXT
#undef HD_I0_FIRST_SLOPE
#undef HD_I0_NEXT_SLOPE
    const double e = exp(size - 8), root = sqrt(size), one_by = 1 / root, p = r * one_by;
    const double lost = HD_FUSED(-p, root, r) - 0.5 * p * one_by * HD_FUSED(-root, root, size);
    return HD_FUSED(e, p, e * (lost * one_by));
}

#endif
