/* What integers are at most and at least, for sources of programs: bounds of results, of those of operands, by interval arithmetic. Bounds
 * that matter are whole numbers below 2^53, which doubles have exactly. */
#ifndef HEDDLE_CODELETS_CPU_BOUNDS_H
#define HEDDLE_CODELETS_CPU_BOUNDS_H

struct bounds {
    double lo, hi;
};

static inline _Bool bounds_fit(struct bounds x, double lo, double hi)
{
    return x.lo >= lo && x.hi <= hi;
}

static inline double bounds_least(double x, double y)
{
    return x < y ? x : y;
}

static inline double bounds_most(double x, double y)
{
    return x > y ? x : y;
}

/* Those of x and of y. */
static inline struct bounds bounds_both(struct bounds x, struct bounds y)
{
    return (struct bounds){bounds_least(x.lo, y.lo), bounds_most(x.hi, y.hi)};
}

static inline struct bounds bounds_add(struct bounds x, struct bounds y)
{
    return (struct bounds){x.lo + y.lo, x.hi + y.hi};
}

static inline struct bounds bounds_subtract(struct bounds x, struct bounds y)
{
    return (struct bounds){x.lo - y.hi, x.hi - y.lo};
}

static inline struct bounds bounds_multiply(struct bounds x, struct bounds y)
{
    const struct bounds low = {x.lo * y.lo, x.lo * y.hi}, high = {x.hi * y.lo, x.hi * y.hi};
    return (struct bounds){
        bounds_least(bounds_least(low.lo, low.hi), bounds_least(high.lo, high.hi)),
        bounds_most(bounds_most(low.lo, low.hi), bounds_most(high.lo, high.hi))};
}

static inline struct bounds bounds_negative(struct bounds x)
{
    return (struct bounds){-x.hi, -x.lo};
}

static inline struct bounds bounds_abs(struct bounds x)
{
    return (struct bounds){0, bounds_most(x.hi, -x.lo)};
}

static inline struct bounds bounds_square(struct bounds x)
{
    const struct bounds size = bounds_abs(x);
    return bounds_multiply(size, size);
}

static inline struct bounds bounds_maximum(struct bounds x, struct bounds y)
{
    return (struct bounds){bounds_most(x.lo, y.lo), bounds_most(x.hi, y.hi)};
}

static inline struct bounds bounds_minimum(struct bounds x, struct bounds y)
{
    return (struct bounds){bounds_least(x.lo, y.lo), bounds_least(x.hi, y.hi)};
}

/* Towards zero by any count, and to -1. */
static inline struct bounds bounds_bitwise_right_shift(struct bounds x, struct bounds y)
{
    (void)y;
    return (struct bounds){bounds_least(x.lo, 0), bounds_most(x.hi, 0)};
}

/* No quotient is further from zero than x, by divisors that are not less than 0; by others, none than |x|. */
static inline struct bounds bounds_floor_divide(struct bounds x, struct bounds y)
{
    if (y.lo < 0) x = bounds_both(x, bounds_negative(x));
    return bounds_bitwise_right_shift(x, y);
}

/* As near to zero as the divisor, whose sign it has; 0 by 0. */
static inline struct bounds bounds_remainder(struct bounds x, struct bounds y)
{
    return bounds_bitwise_right_shift(y, x);
}

#endif
