/* The CUDA sources of kernels compile: every operator and function of every type, every statement, arguments of each kind.
 * NVRTC needs no GPU. */
#include "base/memory.h"
#include "check.h"
#include "cuda/compile.h"
#include "kernel_text/form.h"

#include <stdlib.h>

#define LOOPS                                                                                      \
    "T a = x, b; const auto c = w; b += y[i + 1] * y[y.size() - 1];\n"                             \
    "for (int k = 0, m = 3; k < m && norm(a) < 4; k++, m--) { if (k == 1) continue; a = a * b; "   \
    "}\n"                                                                                          \
    "do { b -= c; if (norm(b) > 9) break; else b += 1; } while (i < n);\n"                         \
    "while (i + y.shape()[0] < 0) ;\n"                                                             \
    "z = norm(a) != 0 ? a : -b / c; u[i] = u[0] + (T)1; v = (bool)i || !(i == 3);\n"

static const char integers[] = LOOPS "z = a % b | a / b & c ^ ~a << b >> c; z += min(a, b) - "
                                     "max(a, c) + abs(a) + sqrt(a) + pow(a, b);\n"
                                     "int8 d = a; uint16 e = d; z += d + e + (a < b) + (a <= b) + "
                                     "(a > b) + (a >= b) + 0xffu + 5ll + 1.5f;";

static const char floating[] = LOOPS
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

static const char complex[] = LOOPS
    "z = sqrt(a) + exp(a) + log(a) + sin(a) + cos(a) + conj(a) * a.real() + real(b) + abs(a) + "
    "norm(a);\n"
    "z += (a == b) + (a != b) + isnan(a) + isinf(a) + isfinite(a) + (complex<double>)a + 2.5;";

static void check_one(enum heddle_dtype dtype, const char *body, int arch)
{
    static struct kernel_tree tree;
    static struct kernel_types types;
    heddle__kernel_parse(&tree, "T x, raw T y, T w", "T z, raw T u, bool v", body, "all");
    CHECK(tree.code == HEDDLE_OK, "%s", tree.message);
    if (tree.code != HEDDLE_OK) return;
    types = (struct kernel_types){.nodes = malloc((size_t)tree.n_nodes + 1)};
    types.letters['T'] = (unsigned char)dtype;
    const enum heddle_status checked = heddle__kernel_check(&tree, &types);
    CHECK(checked == HEDDLE_OK, "%s", heddle_last_error());
    const struct kernel_form form = {.tree = &tree,
                                     .types = &types,
                                     .ndim = 2,
                                     .mode = {KERNEL_ALIGNED, KERNEL_RAW, KERNEL_BROADCAST,
                                              KERNEL_ALIGNED, KERNEL_RAW, KERNEL_ALIGNED},
                                     .ndims = {2, 1, 1, 2, 2, 2}};
    char *const source = heddle__kernel_source(&form, true), *cubin = NULL;
    size_t size = 0;
    const enum heddle_status status = heddle__compile(source, arch, &cubin, &size);
    CHECK(status == HEDDLE_OK, "%s\n%s", heddle_last_error(), source);
    heddle__free(cubin);
    heddle__free(source);
    free(types.nodes);
    heddle__kernel_free_tree(&tree);
}

int main(void)
{
    check_one(HEDDLE_FLOAT32, floating, 90);
    check_one(HEDDLE_FLOAT64, floating, 75);
    check_one(HEDDLE_INT32, integers, 90);
    check_one(HEDDLE_UINT64, integers, 90);
    check_one(HEDDLE_UINT8, integers, 90);
    check_one(HEDDLE_COMPLEX64, complex, 90);
    check_one(HEDDLE_COMPLEX128, complex, 90);
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
