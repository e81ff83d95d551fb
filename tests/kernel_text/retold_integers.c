/* Retold kernels: integers and bits, loops that data end, random numbers. */
#include "retold.h"

ORACLE(population)
{
    EACH OUT_WHOLE(0) = __builtin_popcountll((uint64_t)IN_WHOLE(0));
}
ORACLE(common_divisor)
{
    EACH
    {
        int64_t d = IN_WHOLE(0) < IN_WHOLE(1) ? IN_WHOLE(0) : IN_WHOLE(1);
        while (d > 1 && (IN_WHOLE(0) % d || IN_WHOLE(1) % d)) d--;
        OUT_WHOLE(0) = d > 0 ? d : IN_WHOLE(0) + IN_WHOLE(1);
    }
}
static int64_t collatz_from(int64_t x)
{
    return x == 1 ? 0 : 1 + collatz_from(x & 1 ? 3 * x + 1 : x >> 1);
}
ORACLE(collatz)
{
    EACH OUT_WHOLE(0) = collatz_from(IN_WHOLE(0));
}
ORACLE(power_modulo)
{
    EACH
    {
        uint64_t r = 1 % (uint64_t)IN_WHOLE(2);
        for (int64_t k = 0; k < IN_WHOLE(1); k++)
            r = r * (uint64_t)IN_WHOLE(0) % (uint64_t)IN_WHOLE(2);
        OUT_WHOLE(0) = (int64_t)r;
    }
}
ORACLE(reversed_bits)
{
    EACH
    {
        uint32_t r = 0;
        for (int k = 0; k < 32; k++) r |= (uint32_t)(IN_WHOLE(0) >> k & 1) << (31 - k);
        OUT_WHOLE(0) = r;
    }
}
ORACLE(prime)
{
    EACH
    {
        int divisors = 0;
        for (int64_t k = 1; k <= IN_WHOLE(0); k++) divisors += IN_WHOLE(0) % k == 0;
        OUT_WHOLE(0) = divisors == 2;
    }
}
ORACLE(mixed_bits)
{
    EACH
    {
        uint64_t h = (uint64_t)IN_WHOLE(0);
        h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
        h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
        OUT_WHOLE(0) = (int64_t)(h ^ h >> 33);
    }
}
ORACLE(root)
{
    EACH OUT(0) = sqrt(IN(0));
}
ORACLE(escape)
{
    EACH
    {
        double x = 0, y = 0;
        int64_t turns = 0;
        for (; turns < 60; turns++) {
            const double xx = x * x, yy = y * y, xy = x * y;
            if (xx + yy > 4) break;
            x = xx - yy + IN(0);
            y = 2 * xy + IN(1);
        }
        OUT_WHOLE(0) = turns;
    }
}
ORACLE(quarter_circle)
{
    EACH
    {
        uint32_t w = (uint32_t)IN_WHOLE(0);
        int64_t inside = 0;
        for (int k = 0; k < 1000; k++) {
            double at[2];
            for (int d = 0; d < 2; d++) {
                w = w * 1664525u + 1013904223u;
                at[d] = (double)(w >> 8) / 0x1p24;
            }
            inside += at[0] * at[0] + at[1] * at[1] < 1;
        }
        OUT_WHOLE(0) = inside;
    }
}
ORACLE(quantised)
{
    EACH
    {
        const double q = nearbyint(IN(0) / 0.0625);
        OUT_WHOLE(0) = q < -128 ? -128 : q > 127 ? 127 : (int64_t)q;
    }
}
ORACLE(halves_swapped)
{
    EACH
    {
        const uint32_t x = (uint32_t)IN_WHOLE(0);
        OUT_WHOLE(0) =
            x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | (int64_t)(x & 0xff) << 24;
    }
}

const struct retold retold_integers[] = {
    {"popcount",
     "T x",
     "int32 z",
     "T rest = x; while (rest != 0) { rest &= rest - 1; z++; }",
     "iLIb",
     {{'T', 0, 2e9, 0, 0}},
     population,
     0,
     0,
     0,
     0,
     NULL},
    {"gcd",
     "T x, T y",
     "T z",
     "T a = x, b = y; while (b != 0) { const T rest = a % b; a = b; b = rest; } z = a;",
     "ilI",
     {{'T', 0, 900, 0, 0}, {'T', 0, 900, 0, 0}},
     common_divisor,
     0,
     0,
     0,
     0,
     NULL},
    {"collatz",
     "int64 x",
     "int32 z",
     "int64 at = x; for (; at != 1; ++z) at = at % 2 ? 3 * at + 1 : at / 2;",
     "l",
     {{'l', 1, 900, 0, 0}},
     collatz,
     0,
     0,
     0,
     0,
     NULL},
    {"power_modulo",
     "uint64 x, uint32 e, uint64 m",
     "uint64 z",
     "uint64_t base = x % m; z = 1 % m;\n"
     "for (unsigned int k = e; k > 0; k >>= 1) { if (k & 1) z = z * base % m; base = base * base % "
     "m; }",
     "L",
     {{'L', 0, 1e6, 0, 0}, {'I', 0, 300, 0, 0}, {'L', 1, 1e6, 0, 0}},
     power_modulo,
     0,
     0,
     0,
     0,
     NULL},
    {"bit_reversal",
     "uint32 x",
     "uint32 z",
     "uint32_t v = x;\n"
     "v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;\n"
     "v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;\n"
     "v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;\n"
     "v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8; z = v >> 16 | v << 16;",
     "I",
     {{'I', 0, 4e9, 0, 0}},
     reversed_bits,
     0,
     0,
     0,
     0,
     NULL},
    {"is_prime",
     "int32 x",
     "bool z",
     "z = x > 1; for (int d = 2; d * d <= x; d++) if (x % d == 0) { z = false; break; }",
     "i",
     {{'i', 0, 2000, 0, 0}},
     prime,
     0,
     0,
     0,
     0,
     NULL},
    {"mix64",
     "uint64 x",
     "uint64 z",
     "z = x; z ^= z >> 33; z *= 0xff51afd7ed558ccdull; z ^= z >> 33; z *= 0xc4ceb9fe1a85ec53ull; z "
     "^= z >> 33;",
     "L",
     {{'L', 0, 1e15, 0, 0}},
     mixed_bits,
     0,
     0,
     0,
     0,
     NULL},
    {"newton_root",
     "T x",
     "T z",
     "T g = x > 1 ? x : (T)1; T last = 0;\n"
     "do { last = g; g = (g + x / g) / 2; } while (g < last); z = x == 0 ? x : last;",
     "fd",
     {{'T', 0, 50, 0, 0}},
     root,
     2,
     0.1,
     0,
     0,
     NULL},
    {"mandelbrot",
     "float64 re, float64 im",
     "int32 turns",
     "double x = 0, y = 0;\n"
     "while (turns < 60 && x * x + y * y <= 4) { const double t = x * x - y * y + re; y = 2 * (x * "
     "y) + im; x = t; turns++; }",
     "d",
     {{'d', -2, 1, 0, 0}, {'d', -1, 1, 0, 0}},
     escape,
     0,
     0,
     0,
     0,
     NULL},
    {"monte_carlo_pi",
     "uint32 seed",
     "int32 inside",
     "unsigned w = seed;\n"
     "for (int k = 0; k < 1000; k++) {\n"
     "    w = w * 1664525u + 1013904223u; const double a = (w >> 8) * (1.0 / 16777216);\n"
     "    w = w * 1664525u + 1013904223u; const double b = (w >> 8) * (1.0 / 16777216);\n"
     "    if (a * a + b * b < 1) inside += 1;\n"
     "}",
     "I",
     {{'I', 0, 4e9, 0, 0}},
     quarter_circle,
     0,
     0,
     0,
     0,
     NULL},
    {"quantise",
     "float32 x, float32 step",
     "int8 q",
     "q = (int8)fmaxf(-128, fminf(127, rintf(x / step)))",
     "f",
     {{'f', -10, 10, 0, 0}, {'f', 0.0625, 0.0625, 0, RETOLD_NUMBER}},
     quantised,
     0,
     0,
     0,
     0,
     NULL},
    {"byte_swap",
     "uint32 x",
     "uint32 z",
     "for (int k = 0; k < 4; k++) z |= (x >> 8 * k & 0xff) << 8 * (3 - k);",
     "I",
     {{'I', 0, 4e9, 0, 0}},
     halves_swapped,
     0,
     0,
     0,
     0,
     NULL},
    {0}};
