/* What you learn: a function that the library has not is a line of text, which fuses with what stands around it. */
#include "common.h"

#include <complex.h>

/* The Newton steps of a square root: a loop whose bounds are literals. */
static const char newton[] = "T r = x > 1 ? x : 1;\n"
                             "for (int k = 0; k < 12; k++) r = (r + x / r) / 2;\n"
                             "root = r;\n"
                             "if (x < 0) root = NAN;";

/* Escape counts: data end the loop. */
static const char mandelbrot[] = "complex128 z = 0;\n"
                                 "while (norm(z) <= 4 && count < 200) {\n"
                                 "    z = z * z + c;\n"
                                 "    count++;\n"
                                 "}\n";

static int escapes(double _Complex c)
{
    double _Complex z = 0;
    int n = 0;
    for (; creal(z) * creal(z) + cimag(z) * cimag(z) <= 4 && n < 200; n++) z = z * z + c;
    return n;
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_arange(heddle_scalar(6.0), NULL, NULL);
    heddle_array *y = heddle_scalar(2.5);

    heddle_kernel *difference =
        heddle_kernel_elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    heddle_array *z = heddle_kernel_apply(difference, HEDDLE_ARRAYS(x, y));
    EXPECT("the sum of squared differences", value_at(heddle_sum(z), 0), 17.5);

    /* the same of another type: T is what the arguments are */
    heddle_array *small = heddle_astype(x, HEDDLE_INT8);
    heddle_array *of_int8 = heddle_kernel_apply(difference, HEDDLE_ARRAYS(small, small));
    EXPECT("its dtype", heddle_dtype_of(of_int8), HEDDLE_INT8);
    heddle_kernel_release(difference);

    /* two results */
    heddle_kernel *polar = heddle_kernel_elementwise("T x, T y", "T r, T angle",
                                                     "r = hypot(x, y); angle = atan2(y, x)", NULL);
    heddle_array *out[2];
    HEDDLE_MUST(heddle_kernel_call(polar, HEDDLE_ARRAYS(x, heddle_flip(x)), 2, out));
    EXPECT("radius", value_at(out[0], 0), 5);
    EXPECT("angle", value_at(out[1], 0), atan2(5, 0));
    heddle_kernel_release(polar);

    heddle_kernel *root = heddle_kernel_elementwise("T x", "T root", newton, "newton");
    EXPECT("the root of 5", value_at(heddle_kernel_apply(root, HEDDLE_ARRAYS(x)), 5), sqrt(5));
    heddle_kernel_release(root);

    heddle_kernel *escape =
        heddle_kernel_elementwise("complex128 c", "int32 count", mandelbrot, NULL);
    const double _Complex points[3] = {-0.75 + 0.1 * I, 0.25 + 0.55 * I, 1};
    heddle_array *c = heddle_asarray(points, HEDDLE_COMPLEX128, HEDDLE_SHAPE(3));
    heddle_array *counts = heddle_kernel_apply(escape, HEDDLE_ARRAYS(c));
    for (int i = 0; i < 3; i++) EXPECT("escapes after", value_at(counts, i), escapes(points[i]));
    heddle_kernel_release(escape);

    /* neighbours by index; what is beyond the ends is 0 */
    heddle_kernel *three =
        heddle_kernel_elementwise("raw T x", "T z", "z = x[i - 1] + x[i] + x[i + 1]", "three");
    heddle_array *sums = heddle_kernel_apply(three, HEDDLE_ARRAYS(x), .shape = HEDDLE_LENGTHS(6));
    EXPECT("three neighbours", value_at(sums, 3), 2 + 3 + 4);
    EXPECT("at the end", value_at(sums, 5), 4 + 5);
    heddle_kernel_release(three);

    /* functions that the operation calls */
    heddle_kernel *smooth = heddle_kernel_with_preamble(
        "T step(T t) { if (t <= 0) return 0; if (t >= 1) return 1; return t * t * (3 - 2 * t); }",
        "T x", "T z", "z = step((x + 1) / 2)", "smooth");
    heddle_array *steps = heddle_kernel_apply(smooth, HEDDLE_ARRAYS(heddle_subtract(x, y)));
    EXPECT("a smooth step", value_at(steps, 2), 0.25 * 0.25 * 2.5);
    heddle_kernel_release(smooth);

    /* a reduction: what becomes of each element, of two values, and of the last one */
    heddle_array *table = heddle_reshape(x, HEDDLE_SHAPE(2, 3));
    heddle_kernel *norm = heddle_kernel_reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)",
                                                  .identity = "0", .name = "l2norm");
    heddle_array *norms = heddle_kernel_reduce(norm, HEDDLE_ARRAYS(table), .axis = 1);
    EXPECT("the norm of the first row", value_at(norms, 0), sqrt(5));
    EXPECT("the norm of the second row", value_at(norms, 1), sqrt(50));
    heddle_kernel_release(norm);

    /* one of pairs: the least value, and the first place that has it */
    heddle_kernel *least = heddle_kernel_reduction(
        "T x, T y", "T value, int64 place", "abs(x - y), i",
        "min(a0, b0), b0 < a0 || (b0 == a0 && b1 < a1) ? b1 : a1", "value = a0; place = a1",
        .identity = "INFINITY, -1", .commutative = true);
    HEDDLE_MUST(heddle_kernel_reduce_call(least, HEDDLE_ARRAYS(x, y), 2, out));
    EXPECT("the least difference", value_at(out[0], 0), 0.5);
    EXPECT("its place", value_at(out[1], 0), 2);
    heddle_kernel_release(least);

    /* what is wrong is known at once, with its place */
    heddle_kernel *wrong = heddle_kernel_elementwise("T x", "T z", "z = x +", "wrong");
    EXPECT("a text that does not parse", heddle_kernel_status(wrong), HEDDLE_ESYNTAX);
    printf("%s\n", heddle_kernel_error(wrong));
    heddle_kernel_release(wrong);
    heddle_scope_close(scope);
    return examples_failed();
}
