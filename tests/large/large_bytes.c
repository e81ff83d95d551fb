/* One axis of 2^32 bytes and more. */
#include "large.h"

#define X large_x
static double byte(int64_t v)
{
    return (double)(v & 255);
}
static int64_t of_value(int64_t v) /* how many elements of x are v */
{
    return N / PERIOD + (v < N % PERIOD);
}
static int64_t prefix(int64_t n) /* the sum of the first n elements */
{
    const int64_t r = n % PERIOD;
    return n / PERIOD * (PERIOD * (PERIOD - 1) / 2) + r * (r - 1) / 2;
}
static int64_t sorted(int64_t i,
                      int64_t *place) /* the element i of sorted x, and where in x it stands */
{
    int64_t v = 0;
    for (; i >= of_value(v); v++) i -= of_value(v);
    *place = v + PERIOD * i;
    return v;
}

static double add(int64_t i)
{
    return byte(X(i) + 1);
}
static double flip(int64_t i)
{
    return byte(X(N - 1 - i) + 1);
}
static double differences(int64_t i)
{
    return byte(X(i + 1) - X(i));
}
static double third(int64_t i)
{
    return byte(2 * X(3 * i));
}
static double rolled(int64_t i)
{
    return byte(X((i + N - 3000000007) % N) + X(i));
}
static double joined(int64_t i)
{
    return byte(X((i + 7) % N));
}
static double chosen(int64_t i)
{
    return X(i) > 100 ? byte(X(i)) : 0;
}
static double half(int64_t i)
{
    return (double)X(i) * 0.5;
}
static double at(int64_t i)
{
    return byte(X(i * INT64_C(4000000007) % N));
}
static double put(int64_t i)
{
    return i % 1000003 == 0 ? 255 : byte(X(i));
}
static double from_end(int64_t i)
{
    return byte(X(N - 5 * (i + 1)));
}
static double total(int64_t i)
{
    return i == 0 ? (double)prefix(N) : NAN;
}
static double most(int64_t i)
{
    return i == 0 ? 250 : NAN;
}
static double sevens(int64_t i)
{
    return i == 0 ? (double)of_value(7) : NAN;
}
static double place(int64_t i)
{
    return i == 0 ? 4298000000.0 : NAN;
}
static double average(int64_t i)
{
    return i == 0 ? (double)prefix(N) / (double)N : NAN;
}
static double yes(int64_t i)
{
    return i == 0 ? 1 : NAN;
}
static double sums(int64_t i)
{
    return (double)prefix(i + 1);
}
static double bytes_summed(int64_t i)
{
    return byte(prefix(i + 1));
}
static double all_of_it(int64_t i)
{
    return i < N ? byte(prefix(N)) : NAN;
}
static double ends(int64_t i)
{
    return (double)(250 + PERIOD * i);
}
static double two_values(int64_t i)
{
    return i % 2 ? 250 : 249;
}
static double threes(int64_t i)
{
    return (double)(3 + PERIOD * i);
}
static double in_order(int64_t i)
{
    int64_t place;
    return (double)sorted(i, &place);
}
static double order(int64_t i)
{
    int64_t place;
    sorted(i, &place);
    return (double)place;
}
static double counts(int64_t i)
{
    return (double)of_value(i);
}
static double values(int64_t i)
{
    return (double)i;
}
static double middle(int64_t i)
{
    return i == 0 ? 125 : NAN;
}
static double begins(int64_t i)
{
    return (double)i * 17200000;
}
static double twice(int64_t i)
{
    return byte(X(i / 2));
}
static double tiled(int64_t i)
{
    return byte(X(i % COLS));
}
static double padded(int64_t i)
{
    return i == 0 || i == N + 1 ? 9 : byte(X(i - 1));
}
static double paired(int64_t i)
{
    return byte(X(i / 2) + i % 2);
}
static double one_of(int64_t i)
{
    return X(i) == 3 || X(i) == 5;
}
static double bins(int64_t i)
{
    return (double)(X(i) >= 10) + (double)(X(i) >= 200);
}
static double window(int64_t i)
{
    return byte(X(i) + X(i + 1) + X(i + 2));
}
static double cut(int64_t i)
{
    return byte(X(i + INT64_C(4294967290)));
}

const struct large_case large_bytes[] = {
    {"x + 1", N, 9, add, 0, 0},
    {"x[::-1] + 1", N, 9, flip, 0, 0},
    {"x[1:] - x[:-1]", N - 1, 9, differences, 0, 0},
    {"diff(x)", N - 1, 9, differences, 0, 0},
    {"x[::3] * 2", N / 3, 9, third, 0, 0},
    {"roll(x, 3000000007) + x", N, 9, rolled, 0, 0},
    {"concat((x[7:], x[:7]))", N, 9, joined, 0, 0},
    {"where(x > 100, x, 0)", N, 9, chosen, 0, 0},
    {"astype(x, float32) * 0.5", N, 23, half, 0, 0},
    {"x[arange(1000000) * 4000000007 % n]", 1000000, 6, at, 0, 0},
    {"take(x, arange(600000000) * 4000000007 % n)", 600000000, 14, at, 0, 0},
    {"x[arange(0, n, 1000003)] = 255; x", N, 9, put, 0, 0},
    {"x[::1000003] = 255; x", N, 9, put, 0, 0},
    {"put(x, arange(0, n, 1000003), 255); x", N, 9, put, 0, 0},
    {"x[-5::-5]", N / 5, 6, from_end, 0, 0},
    {"x[4294967290:]", N - INT64_C(4294967290), 5, cut, 0, 0},
    {"sum(x)", 1, 5, total, 0, 0},
    {"sum(x, dtype=float64)", 1, 5, total, 0, 0},
    {"sum(astype(x, float32))", 1, 5, total, 1e-5, 0},
    {"max(x)", 1, 5, most, 0, 0},
    {"count_nonzero(x == 7)", 1, 5, sevens, 0, 0},
    {"argmax(where(arange(n) == 4298000000, 255, x))", 1, 5, place, 0, 0},
    {"x[4298000000] = 255; argmax(x)", 1, 9, place, 0, 0},
    {"x[4298000000] = 255; argmin(~x)", 1, 9, place, 0, 0},
    {"x[4298000000] = 255; nonzero(x == 255)[0]", 1, 9, place, 0, 0},
    {"mean(x)", 1, 5, average, 1e-14, 0},
    {"x[4298000000] = 255; any(x == 255)", 1, 9, yes, 0, 0},
    {"cumulative_sum(x)", N, 40, sums, 0, 0},
    {"cumulative_sum(x, dtype=uint8)", N, 9, bytes_summed, 0, 0},
    {"cumulative_sum(x[::-1], dtype=uint8)[::-1] - x + cumulative_sum(x, dtype=uint8)", N, 14,
     all_of_it, 0, 0},
    {"nonzero(x == 250)[0]", N / PERIOD, 6, ends, 0, 0},
    {"x[x > 248]", 2 * (N / PERIOD), 6, two_values, 0, 0},
    {"arange(n)[x == 3]", N / PERIOD + 1, 80, threes, 0, 0},
    {"sort(x)", N, 20, in_order, 0, 0},
    {"argsort(x, stable=True)", N, 110, order, 0, 0},
    {"bincount(x)", PERIOD, 5, counts, 0, 0},
    {"histogram(x, bins=251, range=(0, 251))[0]", PERIOD, 5, counts, 0, 0},
    {"unique_values(x)", PERIOD, 20, values, 0, 0},
    {"unique_counts(x)[1]", PERIOD, 20, counts, 0, 0},
    {"median(x)", 1, 20, middle, 0, 0},
    {"searchsorted(astype(arange(n) // 17200000, uint8), arange(250, dtype=uint8))", 250, 9, begins,
     0, 0},
    {"repeat(x[:2200000000], 2)", INT64_C(4400000000), 9, twice, 0, 0},
    {"tile(x[:cols], rows)", N, 9, tiled, 0, 0},
    {"pad(x, 1, constant_values=9)", N + 2, 9, padded, 0, 0},
    {"stack((x, x + 1), axis=1)", 2 * N, 14, paired, 0, 0},
    {"isin(x, [3, 5])", N, 9, one_of, 0, 0},
    {"digitize(x, [10, 200])", N, 40, bins, 0, 0},
    {"convolve(x, ones(3, dtype=uint8), 'valid')", N - 2, 9, window, 0, 0},
    {"sum(sliding_window_view(x, 3), axis=1, dtype=uint8)", N - 2, 9, window, 0, 0},
    {NULL, 0, 0, NULL, 0, 0},
};
