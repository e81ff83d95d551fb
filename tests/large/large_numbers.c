/* Numbers of 4 and 8 bytes, 2^31 of them and more: products, factors, transforms, sorts. */
#include "large.h"

#define X large_x
enum { WIDTH = 1024 };
#define POWER (INT64_C(1) << 31) /* what a GPU transforms: other lengths would take 200 GB there */
#define LINES (COUNT / WIDTH)    /* 2,097,160 */
static const double pi = 3.14159265358979323846;

static double affine(int64_t i)
{
    return 2 * (double)X(i) + 1;
}
static double twos(int64_t i)
{
    return (double)(X(i) * X(i));
}
static double by_vector(int64_t i) /* rows of WIDTH by 0, 1, 2, 0, 1, 2 ... */
{
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++) sum += (double)(X(i * WIDTH + c) * (c % 3));
    return sum;
}
static double by_matrix(int64_t i) /* by 8 columns; of column j: (c + j) % 3 */
{
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++) sum += (double)(X(i / 8 * WIDTH + c) * ((c + i % 8) % 3));
    return sum;
}
static double down(int64_t i) /* a vector of r % 3 by the columns */
{
    double sum = 0;
    for (int64_t r = 0; r < LINES; r++) sum += (double)(X(r * WIDTH + i) * (r % 3));
    return sum;
}
static double gram(int64_t i)
{
    const int64_t a = i / WIDTH, b = i % WIDTH;
    double sum = 0;
    for (int64_t r = 0; r < LINES; r++) sum += (double)(X(r * WIDTH + a) * X(r * WIDTH + b));
    return sum;
}
static double determinant(int64_t i)
{
    const int64_t k = 4 * i;
    return (double)((X(k) + 300) * (X(k + 3) + 300) - X(k + 1) * X(k + 2));
}
static double squared(int64_t i) /* of the 2 x 2 matrices: times themselves */
{
    const int64_t k = i / 4 * 4, r = i / 2 % 2, c = i % 2;
    return (double)(X(k + 2 * r) * X(k + c) + X(k + 2 * r + 1) * X(k + 2 + c));
}
static double inverse(int64_t i)
{
    const int64_t k = i / 4, at = i % 4;
    const double d = determinant(k);
    const double v = (double)X(4 * k + (at == 0 ? 3 : at == 3 ? 0 : at));
    return (at == 0 || at == 3 ? v + 300 : -v) / d;
}
static double line_transform(int64_t i) /* real part of the transform of a line */
{
    const int64_t line = i / WIDTH, k = i % WIDTH;
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++)
        sum += (double)X(line * WIDTH + c) * cos(2 * pi * (double)(k * c % WIDTH) / WIDTH);
    return sum;
}
static double half_transform(int64_t i)
{
    return line_transform(i / 512 * WIDTH + i % 512);
}
static double wave(int64_t i) /* of 1 at 5, over POWER elements */
{
    return cos(2 * pi * (double)(i * 5 % POWER) / (double)POWER);
}
static double in_order(int64_t i)
{
    for (int64_t v = 0; v < PERIOD; v++) {
        const int64_t n = COUNT / PERIOD + (v < COUNT % PERIOD);
        if (i < n) return (double)v;
        i -= n;
    }
    return NAN;
}
static double order(int64_t i)
{
    for (int64_t v = 0; v < PERIOD; v++) {
        const int64_t n = COUNT / PERIOD + (v < COUNT % PERIOD);
        if (i < n) return (double)(v + PERIOD * i);
        i -= n;
    }
    return NAN;
}
static int64_t sum_below(int64_t n) /* of the first n elements of x */
{
    const int64_t r = n % PERIOD;
    return n / PERIOD * (PERIOD * (PERIOD - 1) / 2) + r * (r - 1) / 2;
}
static double running(int64_t i) /* modulo 2^32, as int32 */
{
    return (double)(int32_t)(uint32_t)sum_below(i + 1);
}
static double smooth(int64_t i)
{
    return (double)(X(i) + 2 * X(i + 1) + X(i + 2));
}
static double parts(int64_t i)
{
    return 3 * (double)X(i);
}
static double lookup(int64_t i)
{
    return 10 * (double)X(i);
}
static double weights(int64_t i)
{
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++) sum += exp((double)(X(i / WIDTH * WIDTH + c) - 250) / 16);
    return exp((double)(X(i) - 250) / 16) / sum;
}
static double joined(int64_t i)
{
    return (double)X(i % WIDTH + i / (2 * WIDTH) * WIDTH) * (i / WIDTH % 2 ? 2 : 1);
}
static double total(int64_t i)
{
    return i ? NAN : (double)sum_below(COUNT);
}
static double far(int64_t i)
{
    return i ? NAN : 2147483700.0;
}
static double norm(int64_t i)
{
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++) sum += twos(i * WIDTH + c);
    return sqrt(sum);
}

#define F "f = astype(x[:2147491840], float32); "
#define LINE F "g = reshape(f, (-1, 1024)); "
#define PAIRS F "p = reshape(f, (-1, 2, 2)); "

const struct large_case large_numbers[] = {
    {F "f * 2 + 1", COUNT, 22, affine, 0, 0},
    {F "f**2", COUNT, 22, twos, 0, 0},
    {"d = astype(x[:2147491840], float64); d * 2 + 1", COUNT, 40, affine, 0, 0},
    {"z = astype(x[:2147491840], complex64); real(z * (2 + 1j)) + 1", COUNT, 40, affine, 0, 0},
    {F "sum(f)", 1, 14, total, 1e-5, 0},
    {F "sum(f, dtype=float64)", 1, 14, total, 0, 0},
    {F "f[2147483700] = 300; argmax(f)", 1, 22, far, 0, 0},
    {LINE "g @ astype(arange(1024) % 3, float32)", LINES, 14, by_vector, 0, 0},
    {LINE "g @ astype((arange(1024)[:, None] + arange(8)) % 3, float32)", 8 * LINES, 14, by_matrix,
     0, 0},
    {LINE "astype(arange(2097160) % 3, float64) @ astype(g, float64)", WIDTH, 40, down, 0, 0},
    {"g = reshape(astype(x[:2147491840], float64), (-1, 1024)); g.T @ g", WIDTH *WIDTH, 40, gram, 0,
     0},
    {LINE "linalg.norm(g, axis=1)", LINES, 14, norm, 1e-6, 0},
    {LINE "e = exp((g - max(g, axis=1, keepdims=True)) / 16); e / sum(e, axis=1, keepdims=True)",
     COUNT, 32, weights, 1e-5, 0},
    {LINE "stack((g, 2 * g), axis=1)", 2 * COUNT, 40, joined, 0, 0},
    {PAIRS "linalg.det(p + 300 * eye(2, dtype=float32))", COUNT / 4, 32, determinant, 1e-5, 0},
    {PAIRS "linalg.inv(p + 300 * eye(2, dtype=float32))", COUNT, 42, inverse, 0, 1e-8},
    {PAIRS "p @ p", COUNT, 32, squared, 0, 0},
    {LINE "real(fft.fft(g, axis=1))", COUNT, 60, line_transform, 0, 0.2},
    {LINE "real(fft.rfft(g, axis=1))[:, :512]", COUNT / 2, 60, half_transform, 0, 0.2},
    {"real(fft.fft(astype(arange(2147483648) == 5, complex64)))", POWER, 90, wave, 0, 1e-4},
    {"fft.irfft(fft.rfft(astype(x[:2147483648], float32))) * 3", POWER, 90, parts, 0, 1e-2},
    {F "sort(f)", COUNT, 40, in_order, 0, 0},
    {F "argsort(f, stable=True)", COUNT, 80, order, 0, 0},
    {"cumulative_sum(astype(x[:2147491840], int32), dtype=int32)", COUNT, 22, running, 0, 0},
    {F "convolve(f, array([1, 2, 1], dtype=float32), 'valid')", COUNT - 2, 22, smooth, 0, 0},
    {F "f[2:] + 2 * f[1:-1] + f[:-2]", COUNT - 2, 22, smooth, 0, 0},
    {F "interp(f, arange(251, dtype=float32), 10 * arange(251, dtype=float32))", COUNT, 40, lookup,
     0, 0},
    {"take(10 * arange(251, dtype=float32), astype(x[:2147491840], int64))", COUNT, 40, lookup, 0,
     0},
    {"(10 * arange(251, dtype=float32))[x[:2147491840]]", COUNT, 22, lookup, 0, 0},
    {NULL, 0, 0, NULL, 0, 0},
};
