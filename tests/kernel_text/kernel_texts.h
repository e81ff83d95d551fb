/* Kernels with every operator and function of a kind of types, every statement, arguments of each kind: for the inputs
 * "T x, raw T y, T w" and the outputs "T z, raw T u, bool v"; and a preamble. */
#ifndef HEDDLE_TESTS_KERNEL_TEXTS_H
#define HEDDLE_TESTS_KERNEL_TEXTS_H

/* What the functions below compute is kept small, for types of 8 bits. */
static const char preamble_text[] =
    "__device__ inline T half_of(T v) { return v / 2; }\n"
    "int turns_of(const T v, int most)\n"
    "{\n"
    "    int k = 0; T w = v;\n"
    "    while (k < most) { w = half_of(w); if (norm(w) < 1) break; if (k == 7) return k + 40; "
    "k++; }\n"
    "    if (k == 0) return -1;\n"
    "    else if (k > 5) return k;\n"
    "    { T shelf[2] = {v}; shelf[k & 1] = w; if (norm(shelf[0]) > 3) return k + 10; }\n"
    "    for (int m = 0; m < 3; m++) { if (m == k) return 20; }\n"
    "}\n"
    "double constant() { return 0.25; }";

#define EXTRAS                                                                                     \
    "T shelf[5] = {a, b, x}, other[3]; int axes[] = {2, 1}, moved[2]; moved[0] = _ind.get()[0]; "  \
    "moved[1] = _ind.get()[1];\n"                                                                  \
    "for (int k = 0; k < 4; k++) { shelf[k + 1] += shelf[k]; other[(k + i) % 4] = shelf[k]; }\n"   \
    "z += shelf[turns % 5] + other[turns - 3] + other[(i & 7) - 2] + y[axes] + y[moved] + "        \
    "y[_ind.get()];\n"                                                                             \
    "u[moved] = a; if (i % 2) u[_ind.get()] = (T)_ind.get()[i % 4];\n"                             \
    "switch (turns + i % 3) { case 0: case 1: z += 1; break; case 2: z -= 1; break;\n"             \
    "    case 03: { z = z + z; } break; case 4: for (;;) { break; } break; default: z = -z; }\n"   \
    "int found = turns_of(a, 9) + (i % 2 && turns_of(b, i % 5) > 3 ? turns_of(half_of(x), 11) : "  \
    "2);\n"                                                                                        \
    "z += (T)found + half_of(half_of(x)) * constant() + 0b101 + 017 + 'a' + '\\n';\n"

#define LOOPS                                                                                      \
    "T a = x, b; const auto c = w; b += y[i + 1] * y[y.size() - 1];\n"                             \
    "for (int k = 0, m = 3; k < m && norm(a) < 4; k++, m--) { if (k == 1) continue; a = a * b; "   \
    "}\n"                                                                                          \
    "int turns = 0; do { b -= c; turns++; if (norm(b) > 9) break; else b += 1; } while (i < n && " \
    "turns < 5);\n"                                                                                \
    "while (i + y.shape()[0] < 0) ;\n"                                                             \
    "z = norm(a) != 0 ? a : -b / c; u[i] = y[2] + (T)1; v = (bool)i || !(i == 3);\n"

static const char integer_text[] =
    LOOPS EXTRAS "z = a % b | a / b & c ^ ~a << b >> c; z += min(a, b) - "
                 "max(a, c) + abs(a) + sqrt(a) + pow(a, b);\n"
                 "int8 d = a; uint16 e = d; z += d + e + (a < b) + (a <= b) + "
                 "(a > b) + (a >= b) + 0xffu + 5ll + 1.5f;";

static const char floating_text[] = LOOPS EXTRAS
    "z += fma(a, b, c) + fmaf(a, b, c) + real(complex<T>(a, b) * complex<double>(b, c));\n"
    "z += sqrt(a) + rsqrt(a) + cbrt(a) + exp(a) + exp2(a) + expm1(a) + log(a) + log1p(a) + log2(a) "
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

static const char complex_text[] = LOOPS EXTRAS
    "z += T(a.real(), 2) + complex<float>(1, b.imag());\n"
    "z += sqrt(a) + exp(a) + log(a) + sin(a) + cos(a) + conj(a) * a.real() + real(b) + abs(a) + "
    "norm(a);\n"
    "z += (a == b) + (a != b) + isnan(a) + isinf(a) + isfinite(a) + (complex<double>)a + 2.5;";

#endif
