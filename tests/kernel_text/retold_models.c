/* Retold kernels: finance, physics, statistics, complex numbers. */
#include "retold.h"

#include <complex.h>

static double _Complex complex_in(const struct retold_set *s, int k, int64_t i)
{
    return s->in[k].re[i] + s->in[k].im[i] * (double _Complex)I;
}
static void complex_out(const struct retold_set *s, int k, int64_t i, double _Complex z)
{
    s->out[k].re[i] = creal(z);
    s->out[k].im[i] = cimag(z);
}

static double below(double x)
{
    return erfc(-x * sqrt(0.5)) / 2;
}
/* Price, strike, time; rate 0.02, volatility 0.3. */
ORACLE(options)
{
    EACH
    {
        const double spread = 0.3 * sqrt(IN(2)), paid = IN(1) * exp(-0.02 * IN(2));
        const double up = log(IN(0) / paid) / spread + spread / 2;
        OUT(0) = IN(0) * below(up) - paid * below(up - spread);
        OUT(1) = OUT(0) - IN(0) + paid;
    }
}
ORACLE(triad)
{
    EACH OUT(0) = IN(0) + 3 * IN(1);
}
ORACLE(density)
{
    EACH
    {
        double sum = 0;
        for (int64_t k = 0; k < s->in[1].size; k++)
            sum += s->in[3].re[k] / s->in[2].re[k] / sqrt(8 * atan(1)) *
                   exp(-pow((IN(0) - s->in[1].re[k]) / s->in[2].re[k], 2) / 2);
        OUT(0) = log(sum);
    }
}
ORACLE(lennard_jones)
{
    EACH
    {
        const double s6 = pow(IN(0), -6);
        OUT(0) = IN(0) < 2.5 ? 4 * (s6 * s6 - s6) : 0;
        OUT(1) = IN(0) < 2.5 ? 24 * (2 * s6 * s6 - s6) / IN(0) : 0;
    }
}
ORACLE(on_earth)
{
    EACH
    {
        const double degree = atan(1) / 45, a = IN(0) * degree, b = IN(2) * degree,
                     c = (IN(1) - IN(3)) * degree;
        const double x = cos(b) * sin(c), y = cos(a) * sin(b) - sin(a) * cos(b) * cos(c);
        OUT(0) = 6371 * atan2(hypot(x, y), sin(a) * sin(b) + cos(a) * cos(b) * cos(c));
    }
}
ORACLE(product)
{
    EACH complex_out(s, 0, i, complex_in(s, 0, i) * complex_in(s, 1, i));
}
ORACLE(julia)
{
    EACH
    {
        double _Complex z = complex_in(s, 0, i);
        int64_t turns = 0;
        while (turns < 30 && creal(z) * creal(z) + cimag(z) * cimag(z) < 16) {
            const double x = creal(z), y = cimag(z);
            z = (x * x - y * y - 0.75) + (x * y + x * y + 0.125) * (double _Complex)I;
            turns++;
        }
        OUT_WHOLE(0) = turns;
    }
}

const struct retold retold_models[] = {
    {"black_scholes",
     "T price, T strike, T years, T rate, T sigma",
     "T call, T put",
     "const double root = sigma * sqrt((double)years);\n"
     "const double d1 = (log((double)price / strike) + (rate + 0.5 * sigma * sigma) * years) / "
     "root, d2 = d1 - root;\n"
     "const double n1 = 0.5 * erfc(-d1 * 0.70710678118654757), n2 = 0.5 * erfc(-d2 * "
     "0.70710678118654757);\n"
     "const double paid = strike * exp(-(double)rate * years);\n"
     "call = price * n1 - paid * n2; put = paid * (1 - n2) - price * (1 - n1);",
     "fd",
     {{'T', 10, 50, 0, 0},
      {'T', 10, 50, 0, 0},
      {'T', 0.25, 5, 0, 0},
      {'T', 0.02, 0.02, 0, RETOLD_NUMBER},
      {'T', 0.3, 0.3, 0, RETOLD_NUMBER}},
     options,
     64,
     50,
     0,
     0,
     NULL},
    {"stream_triad",
     "T b, T c, T s",
     "T a",
     "a = b + s * c",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}, {'T', 3, 3, 0, RETOLD_NUMBER}},
     triad,
     2,
     12,
     0,
     0,
     NULL},
    {"mixture",
     "T x, raw T mean, raw T spread, raw T weight",
     "T z",
     "double sum = 0;\n"
     "for (int k = 0; k < mean.size(); k++) {\n"
     "    const double t = ((double)x - mean[k]) / spread[k];\n"
     "    sum += weight[k] * exp(-0.5 * t * t) / (spread[k] * 2.5066282746310002);\n"
     "}\n"
     "z = log(sum);",
     "fd",
     {{'T', -2, 2, 0, 0}, {'T', -2, 2, 5, 0}, {'T', 0.5, 2, 5, 0}, {'T', 0.1, 1, 5, 0}},
     density,
     32,
     1,
     9,
     14,
     NULL},
    {"lennard_jones",
     "T r",
     "T energy, T force",
     "if (r >= 2.5f) { energy = 0; force = 0; } else {\n"
     "    const double w = 1 / ((double)r * r), w3 = w * w * w;\n"
     "    energy = 4 * w3 * (w3 - 1); force = 24 * w3 * (2 * w3 - 1) / r;\n"
     "}",
     "fd",
     {{'T', 0.9, 4, 0, 0}},
     lennard_jones,
     32,
     4,
     0,
     0,
     NULL},
    {"haversine",
     "T lat1, T lon1, T lat2, T lon2",
     "T km",
     "const double to = M_PI / 180, a = sin((lat2 - lat1) * to / 2), b = sin((lon2 - lon1) * to / "
     "2);\n"
     "km = 2 * 6371 * asin(sqrt(a * a + cos(lat1 * to) * cos(lat2 * to) * b * b));",
     "d",
     {{'T', -80, 80, 0, 0}, {'T', -80, 80, 0, 0}, {'T', -80, 80, 0, 0}, {'T', -80, 80, 0, 0}},
     on_earth,
     64,
     20000,
     0,
     0,
     NULL},
    {"complex_product",
     "T x, T y",
     "T z",
     "z = x * y",
     "FD",
     {{'T', -2, 2, 0, 0}, {'T', -2, 2, 0, 0}},
     product,
     2,
     8,
     0,
     0,
     NULL},
    {"julia",
     "complex128 z0",
     "int32 turns",
     "complex<double> z = z0, c = complex<double>(-0.75, 0.125); while (turns < 30 && norm(z) < "
     "16) { z = z * z + c; turns++; }",
     "D",
     {{'D', -1.5, 1.5, 0, 0}},
     julia,
     0,
     0,
     0,
     0,
     NULL},
    {0}};
