/* Retold kernels with functions of a preamble, local arrays, switches and places along axes. */
#include "retold.h"

#define RAW(k) s->in[k].re

ORACLE(smoothed)
{
    EACH
    {
        const double t = fmin(fmax((IN(0) + 1) / 3, 0), 1);
        OUT(0) = t * t * 3 - 2 * t * t * t;
    }
}

/* The logistic equation by the classical method of Runge and Kutta, 8 steps of 1/8. */
ORACLE(logistic)
{
    EACH
    {
        long double y = (long double)IN(0), k[5] = {0};
        for (int step = 0; step < 8; step++) {
            for (int stage = 1; stage <= 4; stage++) {
                const long double at = y + k[stage - 1] *
                                               (stage == 1   ? 0
                                                : stage == 4 ? 1
                                                             : 0.5L) /
                                               8;
                k[stage] = at - at * at;
            }
            y += (k[1] + 2 * k[2] + 2 * k[3] + k[4]) / 48;
            k[0] = 0;
        }
        OUT(0) = (double)y;
    }
}
ORACLE(bell_integral)
{
    EACH OUT(0) = sqrt(atan(1)) * erf(IN(0)); /* of exp(-t t) from 0 on: sqrt(pi) / 2 erf(x) */
}
ORACLE(from_hue)
{
    EACH
    {
        static const int shift[3] = {5, 3, 1};
        for (int c = 0; c < 3; c++) {
            const double k = fmod(shift[c] + IN(0) * 6, 6);
            s->out[c].re[i] = IN(2) - IN(2) * IN(1) * fmax(0, fmin(fmin(k, 4 - k), 1));
        }
    }
}
ORACLE(median)
{
    EACH
    {
        const int64_t r = i / s->columns, c = i % s->columns;
        for (int64_t k = 0; k < 9; k++) { /* the one that has four on each side */
            int64_t below = 0, same = 0;
            double own = 0;
            for (int64_t m = -1; m < 9; m++) {
                const int64_t j = m < 0 ? k : m;
                const int64_t rr = r + j / 3 - 1, cc = c + j % 3 - 1;
                const double x = rr < 0 || cc < 0 || rr >= s->rows || cc >= s->columns
                                     ? 0
                                     : RAW(0)[rr * s->columns + cc];
                if (m < 0) own = x;
                below += m >= 0 && x < own;
                same += m >= 0 && x == own;
            }
            if (below <= 4 && below + same > 4) OUT(0) = own;
        }
    }
}
ORACLE(middle)
{
    EACH OUT(0) =
        IN(0) + IN(1) + IN(2) - fmax(IN(0), fmax(IN(1), IN(2))) - fmin(IN(0), fmin(IN(1), IN(2)));
}
ORACLE(transposed)
{
    EACH OUT(0) = RAW(0)[i % s->columns * s->rows + i / s->columns];
}
ORACLE(checkers)
{
    EACH OUT_WHOLE(0) = (i / s->columns + i % s->columns) % 2 * 10 + i / s->columns;
}
ORACLE(polar)
{
    EACH
    {
        s->out[0].re[i] = IN(0) * cos(IN(1));
        s->out[0].im[i] = IN(0) * sin(IN(1));
    }
}
ORACLE(rounding_error)
{
    EACH OUT(0) = IN(0) * IN(1) - (double)(float)(IN(0) * IN(1)); /* exact: 48 digits */
}
ORACLE(log_gamma)
{
    EACH OUT(0) = lgamma(IN(0));
}
ORACLE(digit)
{
    EACH OUT_WHOLE(0) = "0123456789abcdef"[IN_WHOLE(0)];
}
ORACLE(month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    EACH
    {
        const int64_t y = IN_WHOLE(0);
        const bool leap = y % 400 == 0 || (y % 100 != 0 && y % 4 == 0);
        OUT_WHOLE(0) = lengths[IN_WHOLE(1) - 1] + (IN_WHOLE(1) == 2 && leap);
    }
}
ORACLE(modes)
{
    EACH OUT_WHOLE(0) = (IN_WHOLE(0) / 64 % 8 == 7) * 100 + (IN_WHOLE(0) % 8 >= 4);
}

ORACLE(halvings)
{
    EACH
    {
        const int64_t x = IN_WHOLE(0);
        int64_t k = 0;
        while (x > 0 && x >> (k + 1)) k++;
        OUT_WHOLE(0) = x > 0 ? k + (k > 3) * 100 : -1;
    }
}

const struct retold retold_programs[] = {
    {"smoothstep",
     "T x",
     "T z",
     "z = smooth((x - lo()) / (hi() - lo()))",
     "fd",
     {{'T', -3, 4, 0, 0}},
     smoothed,
     8,
     1,
     0,
     0,
     "__device__ T lo() { return -1; }\n"
     "__device__ T hi() { return 2; }\n"
     "__device__ inline T smooth(T t)\n"
     "{\n"
     "    if (t <= 0) return 0;\n"
     "    if (t >= 1) return 1;\n"
     "    return t * t * (3 - 2 * t);\n"
     "}"},
    {"runge_kutta",
     "T start",
     "T y",
     "double at = start; for (int k = 0; k < 8; k++) at = step(at, 0.125); y = at;",
     "fd",
     {{'T', 0.1, 0.9, 0, 0}},
     logistic,
     8,
     1,
     0,
     0,
     "double slope(double y) { return y * (1 - y); }\n"
     "double step(double y, double h)\n"
     "{\n"
     "    const double a = slope(y), b = slope(y + a * h / 2), c = slope(y + b * h / 2), d = "
     "slope(y + c * h);\n"
     "    return y + h / 6 * (a + 2 * b + 2 * c + d);\n"
     "}"},
    {"simpson",
     "float64 x",
     "float64 z",
     "const double h = x / 64; double sum = bell(0) + bell(x);\n"
     "for (int k = 1; k < 64; k++) sum += bell(k * h) * (k % 2 ? 4 : 2);\n"
     "z = sum * h / 3;",
     "d",
     {{'d', 0, 1, 0, 0}},
     bell_integral,
     4e8,
     1,
     0,
     0, /* 1e-7: the method's own error */
     "double bell(double t) { return exp(-t * t); }"},
    {"hsv_to_rgb",
     "T h, T s, T v",
     "T r, T g, T b",
     "const int sector = (int)floor(h * 6); const T f = h * 6 - sector, p = v * (1 - s), q = v * "
     "(1 - s * f), t = v * (1 - s * (1 - f));\n"
     "switch (sector % 6) {\n"
     "case 0: r = v; g = t; b = p; break;\n"
     "case 1: r = q; g = v; b = p; break;\n"
     "case 2: r = p; g = v; b = t; break;\n"
     "case 3: r = p; g = q; b = v; break;\n"
     "case 4: r = t; g = p; b = v; break;\n"
     "default: r = v; g = p; b = q;\n"
     "}",
     "fd",
     {{'T', 0, 0.999, 0, 0}, {'T', 0, 1, 0, 0}, {'T', 0, 1, 0, 0}},
     from_hue,
     16,
     1,
     0,
     0,
     NULL},
    {"median_filter",
     "raw T x",
     "T z",
     "T near[9]; const int r = _ind.get()[0], c = _ind.get()[1];\n"
     "for (int k = 0; k < 9; k++) {\n"
     "    const int at[2] = {r + k / 3 - 1, c + k % 3 - 1};\n"
     "    near[k] = x[at];\n"
     "}\n"
     "for (int k = 1; k < 9; k++) {\n"
     "    const T own = near[k]; int m = k;\n"
     "    for (; m > 0 && near[m - 1] > own; m--) near[m] = near[m - 1];\n"
     "    near[m] = own;\n"
     "}\n"
     "z = near[4];",
     "fd",
     {{'T', -4, 4, -1, 0}},
     median,
     0,
     0,
     12,
     10,
     NULL},
    {"middle_of_three",
     "T x, T y, T w",
     "T z",
     "T v[3] = {x, y, w};\n"
     "for (int k = 0; k < 3; k++) { const int a = k == 1, b = a + 1; if (v[a] > v[b]) { const T t "
     "= v[a]; v[a] = v[b]; v[b] = t; } }\n"
     "z = v[1];",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}},
     middle,
     4,
     8,
     0,
     0,
     NULL},
    {"transpose",
     "raw T x",
     "T z",
     "const ptrdiff_t at[] = {_ind.get()[1], _ind.get()[0]}; z = x[at];",
     "fd",
     {{'T', -4, 4, -1, 0}},
     transposed,
     0,
     0,
     12,
     12,
     NULL},
    {"checkers",
     "",
     "int32 z",
     "z = (_ind.get()[0] + _ind.get()[1]) % 2 * 10 + _ind.get()[0]",
     "i",
     {{0}},
     checkers,
     0,
     0,
     9,
     14,
     NULL},
    {"polar",
     "T r, T phi",
     "complex<T> z",
     "z = complex<T>(r * cos(phi), r * sin(phi))",
     "fd",
     {{'T', 0, 4, 0, 0}, {'T', -3, 3, 0, 0}},
     polar,
     4,
     4,
     0,
     0,
     NULL},
    {"rounding_error",
     "float32 x, float32 y",
     "float32 z",
     "const float p = x * y; z = fmaf(x, y, -p)",
     "f",
     {{'f', -4, 4, 0, 0}, {'f', -4, 4, 0, 0}},
     rounding_error,
     0,
     0,
     0,
     0,
     NULL},
    {"log_gamma",
     "T x",
     "T z",
     "const double c[9] = {0.99999999999980993, 676.5203681218851, -1259.1392167224028, "
     "771.32342877765313,\n"
     "                     -176.61502916214059, 12.507343278686905, -0.13857109526572012, "
     "9.9843695780195716e-6,\n"
     "                     1.5056327351493116e-7};\n"
     "const double y = x - 1.0, t = y + 7.5; double sum = c[0];\n"
     "for (int k = 1; k < 9; k++) sum += c[k] / (y + k);\n"
     "z = 0.91893853320467274 + (y + 0.5) * log(t) - t + log(sum);",
     "fd",
     {{'T', 0.5, 20, 0, 0}},
     log_gamma,
     32,
     8,
     0,
     0,
     NULL},
    {"hex_digit",
     "uint8 x",
     "uint8 z",
     "z = x < 10 ? '0' + x : 'a' + (x - 10)",
     "b",
     {{'b', 0, 15.9, 0, 0}},
     digit,
     0,
     0,
     0,
     0,
     NULL},
    {"days_in_month",
     "int32 year, int32 month",
     "int32 days",
     "days = length(year, month)",
     "i",
     {{'i', 1890, 2110, 0, 0}, {'i', 1, 12.9, 0, 0}},
     month,
     0,
     0,
     0,
     0,
     "static bool is_leap(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }\n"
     "int length(int y, int m)\n"
     "{\n"
     "    switch (m) {\n"
     "    case 2: return is_leap(y) ? 29 : 28;\n"
     "    case 4: case 6: case 9: case 11: return 30;\n"
     "    default: return 31;\n"
     "    }\n"
     "}"},
    {"file_modes",
     "int32 mode",
     "int32 z",
     "z = ((mode & 0700) == 0700) * 0b1100100 + ((mode & 04) != 0)",
     "i",
     {{'i', 0, 511, 0, 0}},
     modes,
     0,
     0,
     0,
     0,
     NULL},
    /* of 0 and less the function would not return, but they do not call it */
    {"halvings",
     "int32 x",
     "int32 z",
     "z = x > 0 ? halvings(x) : -1; if (x > 0 && halvings(x) > 3) z += 100;",
     "i",
     {{'i', -50, 500, 0, 0}},
     halvings,
     0,
     0,
     0,
     0,
     "int halvings(int v) { int k = 0; while (v != 1) { v /= 2; k++; } return k; }"},
    {0}};
