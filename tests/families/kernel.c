/* Kernels from text that are no straight line: rounds of a loop that data end, elements of a raw row by index, an argument
 * that is broadcast. */
#include "families/cases.h"

#include <math.h>
#include <stdlib.h>

static const char text[] = "float64 s = fabs(float64(x));\n"
                           "int rounds = 0;\n"
                           "while (s >= least) {\n"
                           "    s = s / 2;\n"
                           "    if (rounds == 30) break;\n"
                           "    rounds++;\n"
                           "}\n"
                           "z = row[(i + rounds) % row.size()];\n";

bool kernel_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->size == 0 || a->size > 300000 || heddle_dtype_kind(a->dtype) == 'C') return false;
    if (!a->exact) return false;
    const int64_t n = 1 + random_below(r, 9);
    const double least = 0.5 + (double)random_below(r, 3);
    double *row = malloc((size_t)n * sizeof *row); /* elements of a */
    for (int64_t k = 0; k < n; k++) row[k] = a->data[random_below(r, a->size)];
    heddle_array *const in[3] = {
        a->array, heddle_astype(heddle_asarray(row, HEDDLE_FLOAT64, 1, &n), a->dtype),
        heddle_full(HEDDLE_SHAPE(1), heddle_scalar_float(least))};
    *out = value_new(a->dtype, a->ndim, a->shape);
    out->exact = true;
    for (int64_t i = 0; i < a->size; i++) {
        double s = fabs(a->data[i]);
        int rounds = 0;
        while (s >= least) {
            s /= 2;
            if (rounds == 30) break;
            rounds++;
        }
        out->data[i] = row[(i + rounds) % n];
    }
    heddle_kernel *const k =
        heddle_kernel_elementwise("T x, raw T row, float64 least", "T z", text, "rounds");
    out->array = heddle_kernel_apply(k, 3, in);
    heddle_kernel_release(k);
    free(row);
    return true;
}
