/* Retold kernels: special functions, activations, windows, colours. */
#include "retold.h"

static const double pi = 3.141592653589793238;

ORACLE(squared_diff)
{
    EACH OUT(0) = pow(IN(0) - IN(1), 2);
}
ORACLE(mixed)
{
    EACH OUT(0) = IN(0) / 4 + IN(1);
}
ORACLE(axpy)
{
    EACH OUT(0) = fma(IN(0), IN(1), IN(2));
}
ORACLE(clipped)
{
    EACH
    {
        OUT(0) = IN(0) < IN(1) ? IN(1) : IN(0) > IN(2) ? IN(2) : IN(0);
        OUT_WHOLE(0) = (int64_t)OUT(0);
    }
}
ORACLE(lerp)
{
    EACH OUT(0) = (1 - IN(2)) * IN(0) + IN(2) * IN(1);
}
ORACLE(leaky)
{
    EACH OUT(0) = IN(0) * (IN(0) < 0 ? IN(1) : 1);
}
ORACLE(expit)
{
    EACH OUT(0) = 1 / (1 + exp(-IN(0)));
}
ORACLE(logit)
{
    EACH OUT(0) = -log(1 / IN(0) - 1);
}
ORACLE(softplus)
{
    EACH OUT(0) = IN(0) > 40 ? IN(0) : log(1 + exp(IN(0)));
}
ORACLE(gelu)
{
    EACH OUT(0) = IN(0) * (1 - 0.5 * erfc(IN(0) / sqrt(2)));
}
ORACLE(xlogy)
{
    EACH OUT(0) = IN(0) == 0 ? 0 : IN(0) * log(IN(1));
}
ORACLE(entr)
{
    EACH OUT(0) = IN(0) < 0 ? -INFINITY : IN(0) == 0 ? 0 : IN(0) * log(1 / IN(0));
}
ORACLE(kl_div)
{
    EACH OUT(0) = IN(0) * (log(IN(0)) - log(IN(1))) + (IN(1) - IN(0));
}
ORACLE(huber)
{
    EACH OUT(0) = fabs(IN(1)) < IN(0) ? IN(1) * IN(1) / 2 : IN(0) * fabs(IN(1)) - IN(0) * IN(0) / 2;
}
ORACLE(pseudo_huber)
{
    EACH OUT(0) = IN(0) * IN(0) * (hypot(1, IN(1) / IN(0)) - 1);
}
ORACLE(sinc)
{
    EACH OUT(0) = IN(0) == 0 ? 1 : sin(IN(0) * pi) / (IN(0) * pi);
}
ORACLE(exprel)
{
    EACH OUT(0) = fabs(IN(0)) < 1e-14 ? 1 : expm1(IN(0)) / IN(0);
}
ORACLE(boxcox)
{
    EACH OUT(0) = IN(1) == 0 ? log(IN(0)) : (pow(IN(0), IN(1)) - 1) / IN(1);
}
ORACLE(ndtr)
{
    EACH OUT(0) = (1 + erf(IN(0) / sqrt(2))) / 2;
}

/* psi by its series at a place that is far enough, and the recurrence down from it. */
ORACLE(digamma)
{
    EACH
    {
        long double x = (long double)IN(0), sum = 0;
        while (x < 30) sum -= 1 / x++;
        const long double y = 1 / (x * x);
        sum += logl(x) - 0.5L / x - y / 12 + y * y / 120 - y * y * y / 252 + y * y * y * y / 240;
        OUT(0) = (double)sum;
    }
}

ORACLE(hann)
{
    EACH OUT(0) = pow(sin(pi * (double)i / (double)(s->n - 1)), 2);
}
ORACLE(bartlett)
{
    const double half = (double)(s->n - 1) / 2;
    EACH OUT(0) = 1 - fabs((double)i - half) / half;
}
ORACLE(blackman)
{
    EACH
    {
        const double c = cos(2 * pi * (double)i / (double)(s->n - 1));
        OUT(0) = 0.42 - 0.5 * c + 0.08 * (2 * c * c - 1);
    }
}

ORACLE(linear_light)
{
    EACH OUT(0) = IN(0) > 0.04045 ? pow((IN(0) + 0.055) / 1.055, 2.4) : IN(0) / 12.92;
}

ORACLE(hue)
{
    EACH
    {
        const double c[3] = {IN(0), IN(1), IN(2)};
        int top = 0;
        for (int k = 1; k < 3; k++)
            if (c[k] > c[top]) top = k;
        const double least = fmin(c[0], fmin(c[1], c[2])), range = c[top] - least;
        const double turn = range == 0 ? 0 : (c[(top + 1) % 3] - c[(top + 2) % 3]) / range / 6;
        const double h = turn + top / 3.0;
        OUT(0) = range == 0 ? 0 : h < 0 ? h + 1 : h;
        OUT(1) = c[top] == 0 ? 0 : range / c[top];
        OUT(2) = c[top];
    }
}

const struct retold retold_functions[] = {
    {"squared_diff",
     "T x, T y",
     "T z",
     "z = (x - y) * (x - y)",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}},
     squared_diff,
     3,
     0,
     0,
     0,
     NULL},
    {"mixed",
     "float32 x, float64 y",
     "float64 z",
     "z = x * 0.25f + y",
     "d",
     {{'f', -4, 4, 0, 0}, {'d', -4, 4, 0, 0}},
     mixed,
     2,
     1,
     0,
     0,
     NULL},
    {"axpy",
     "T a, T x, T y",
     "T z",
     "z = a * x + y",
     "fd",
     {{'T', 2, 3, 0, RETOLD_NUMBER}, {'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}},
     axpy,
     2,
     10,
     0,
     0,
     NULL},
    {"clip",
     "T x, T lo, T hi",
     "T z",
     "z = min(max(x, lo), hi)",
     "fdil",
     {{'T', -9, 9, 0, 0}, {'T', -5, 0, 0, 0}, {'T', 1, 5, 0, 0}},
     clipped,
     0,
     0,
     0,
     0,
     NULL},
    {"lerp",
     "T a, T b, T t",
     "T z",
     "z = a + t * (b - a)",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}, {'T', 0, 1, 0, 0}},
     lerp,
     3,
     8,
     0,
     0,
     NULL},
    {"leaky_relu",
     "T x, T slope",
     "T z",
     "z = x > 0 ? x : slope * x",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', 0, 1, 0, 0}},
     leaky,
     1,
     0,
     0,
     0,
     NULL},
    {"expit",
     "T x",
     "T z",
     "if (x >= 0) { z = 1 / (1 + exp(-x)); } else { T e = exp(x); z = e / (1 + e); }",
     "fd",
     {{'T', -30, 30, 0, 0}},
     expit,
     8,
     0,
     0,
     0,
     NULL},
    {"logit",
     "T p",
     "T z",
     "z = log(p / (1 - p))",
     "fd",
     {{'T', 0.01, 0.99, 0, 0}},
     logit,
     8,
     4,
     0,
     0,
     NULL},
    {"softplus",
     "T x",
     "T z",
     "z = max(x, (T)0) + log1p(exp(-fabs(x)))",
     "fd",
     {{'T', -30, 30, 0, 0}},
     softplus,
     8,
     1,
     0,
     0,
     NULL},
    {"gelu",
     "T x",
     "T z",
     "z = 0.5 * x * (1 + erf(x / sqrt(2.0)))",
     "fd",
     {{'T', -3, 3, 0, 0}},
     gelu,
     8,
     1,
     0,
     0,
     NULL},
    {"xlogy",
     "T x, T y",
     "T z",
     "if (x == 0 && !isnan(y)) z = 0; else z = x * log(y);",
     "fd",
     {{'T', 0, 3, 0, 0}, {'T', 0.5, 9, 0, 0}},
     xlogy,
     4,
     1,
     0,
     0,
     NULL},
    {"entr",
     "T x",
     "T z",
     "z = x > 0 ? -x * log(x) : x == 0 ? 0 : -INFINITY;",
     "fd",
     {{'T', -1, 2, 0, 0}},
     entr,
     4,
     1,
     0,
     0,
     NULL},
    {"kl_div",
     "T x, T y",
     "T z",
     "if (isnan(x) || isnan(y)) z = NAN;\n"
     "else if (x > 0 && y > 0) z = x * log(x / y) - x + y;\n"
     "else if (x == 0 && y >= 0) z = y;\n"
     "else z = INFINITY;",
     "fd",
     {{'T', 0.1, 3, 0, 0}, {'T', 0.1, 3, 0, 0}},
     kl_div,
     4,
     9,
     0,
     0,
     NULL},
    {"huber",
     "T delta, T r",
     "T z",
     "const T a = fabs(r); z = delta < 0 ? INFINITY : a <= delta ? T(0.5) * r * r : delta * (a - "
     "T(0.5) * delta)",
     "fd",
     {{'T', 0.5, 3, 0, 0}, {'T', -4, 4, 0, 0}},
     huber,
     4,
     4,
     0,
     0,
     NULL},
    {"pseudo_huber",
     "T delta, T r",
     "T z",
     "const T u = delta, v = r / delta; z = u * u * (sqrt(1 + v * v) - 1)",
     "fd",
     {{'T', 0.5, 3, 0, 0}, {'T', -4, 4, 0, 0}},
     pseudo_huber,
     4,
     20,
     0,
     0,
     NULL},
    {"sinc",
     "T x",
     "T z",
     "if (x == 0) { z = 1; } else { const double y = x * M_PI; z = sin(y) / y; }",
     "fd",
     {{'T', -4, 4, 0, 0}},
     sinc,
     8,
     1,
     0,
     0,
     NULL},
    {"exprel",
     "T x",
     "T z",
     "z = x == 0 ? (T)1 : expm1(x) / x",
     "fd",
     {{'T', -4, 4, 0, 0}},
     exprel,
     4,
     0,
     0,
     0,
     NULL},
    {"boxcox",
     "T x, T lmbda",
     "T z",
     "z = fabs(lmbda) < 1e-19 ? log(x) : expm1(lmbda * log(x)) / lmbda",
     "fd",
     {{'T', 0.2, 4, 0, 0}, {'T', 0.5, 2, 0, 0}},
     boxcox,
     8,
     8,
     0,
     0,
     NULL},
    {"ndtr",
     "T x",
     "T z",
     "z = 0.5 * erfc(-x / 1.4142135623730951)",
     "fd",
     {{'T', -3, 3, 0, 0}},
     ndtr,
     8,
     1,
     0,
     0,
     NULL},
    {"digamma",
     "T x",
     "T z",
     "double y = x, sum = 0;\n"
     "while (y < 20) { sum -= 1 / y; y += 1; }\n"
     "const double w = 1 / (y * y);\n"
     "z = sum + log(y) - 0.5 / y - w * (1.0 / 12 - w * (1.0 / 120 - w * (1.0 / 252 - w * (1.0 / "
     "240 - w / 132))));",
     "fd",
     {{'T', 0.3, 20, 0, 0}},
     digamma,
     32,
     1,
     0,
     0,
     NULL},
    {"hann",
     "",
     "float64 w",
     "w = 0.5 - 0.5 * cos(2 * M_PI * i / (n - 1))",
     "d",
     {{0}},
     hann,
     8,
     1,
     1,
     51,
     NULL},
    {"bartlett",
     "",
     "float64 w",
     "const double at = (double)i / (n - 1); w = at < 0.5 ? 2 * at : 2 - 2 * at",
     "d",
     {{0}},
     bartlett,
     8,
     1,
     1,
     51,
     NULL},
    {"blackman",
     "",
     "float32 w",
     "const double t = 2 * M_PI * i / (n - 1); w = 0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t)",
     "d",
     {{0}},
     blackman,
     2,
     1,
     1,
     64,
     NULL},
    {"linear_light",
     "T v",
     "T z",
     "z = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)",
     "fd",
     {{'T', 0, 1, 0, 0}},
     linear_light,
     8,
     1,
     0,
     0,
     NULL},
    {"rgb_to_hsv",
     "T r, T g, T b",
     "T h, T s, T v",
     "v = max(r, max(g, b)); const T range = v - min(r, min(g, b));\n"
     "if (range > 0) {\n"
     "    if (v == r) h = (g - b) / range; else if (v == g) h = 2 + (b - r) / range; else h = 4 + "
     "(r - g) / range;\n"
     "    if (h < 0) h += 6;\n"
     "    h /= 6; s = range / v;\n"
     "}",
     "fd",
     {{'T', 0.1, 1, 0, 0}, {'T', 0.1, 1, 0, 0}, {'T', 0.1, 1, 0, 0}},
     hue,
     8,
     1,
     0,
     0,
     NULL},
    {0}};
