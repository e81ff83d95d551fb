/* Kernels with every operator and function of a kind of types, every statement, arguments of each kind: for the inputs
 * "T x, raw T y, T w" and the outputs "T z, raw T u, bool v". */
#ifndef HEDDLE_TESTS_KERNEL_TEXTS_H
#define HEDDLE_TESTS_KERNEL_TEXTS_H

#define LOOPS                                                                                      \
    "T a = x, b; const auto c = w; b += y[i + 1] * y[y.size() - 1];\n"                             \
    "for (int k = 0, m = 3; k < m && norm(a) < 4; k++, m--) { if (k == 1) continue; a = a * b; "   \
    "}\n"                                                                                          \
    "int turns = 0; do { b -= c; turns++; if (norm(b) > 9) break; else b += 1; } while (i < n && " \
    "turns < 5);\n"                                                                                \
    "while (i + y.shape()[0] < 0) ;\n"                                                             \
    "z = norm(a) != 0 ? a : -b / c; u[i] = y[2] + (T)1; v = (bool)i || !(i == 3);\n"

static const char integer_text[] =
    LOOPS "z = a % b | a / b & c ^ ~a << b >> c; z += min(a, b) - "
          "max(a, c) + abs(a) + sqrt(a) + pow(a, b);\n"
          "int8 d = a; uint16 e = d; z += d + e + (a < b) + (a <= b) + "
          "(a > b) + (a >= b) + 0xffu + 5ll + 1.5f;";

static const char floating_text[] = LOOPS
    "z = sqrt(a) + rsqrt(a) + cbrt(a) + exp(a) + exp2(a) + expm1(a) + log(a) + log1p(a) + log2(a) "
    "+ log10(a);\n"
    "z += pow(a, b) + hypot(a, b) + sin(a) + cos(a) + tan(a) + asin(a) + acos(a) + atan(a) + "
    "atan2(a, b);\n"
    "z += sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(a) + atanh(a) + erf(a) + erfc(a) + "
    "floor(a) + ceil(a);\n"
    "z += trunc(a) + round(a) + rint(a) + fmod(a, b) + fmax(a, b) + fmin(a, b) + copysign(a, b) + "
    "nextafter(a, b);\n"
    "z += fabs(a) + abs(a) + min(a, b) + max(a, b) + real(a) + imag(a) + norm(a) + conj(a) + "
    "INFINITY + NAN;\n"
    "z += isnan(a) + isinf(a) + isfinite(a) + signbit(a) + sinf(a) + (int)a + (uint8)b + (bool)a;";

static const char complex_text[] = LOOPS
    "z = sqrt(a) + exp(a) + log(a) + sin(a) + cos(a) + conj(a) * a.real() + real(b) + abs(a) + "
    "norm(a);\n"
    "z += (a == b) + (a != b) + isnan(a) + isinf(a) + isfinite(a) + (complex<double>)a + 2.5;";

#endif
