/* Results that two axes number, for a BLAS that knows one. Entry points: kernel.h. */
#include "families/matmul/kernel.h"

struct heddle_matmul heddle__matmul_longer_axis(const struct heddle_matmul *mm)
{
    struct heddle_matmul to = *mm;
    if (mm->outer <= mm->batch) return to;
    to.batch = mm->outer;
    to.a_batch = mm->a_outer;
    to.b_batch = mm->b_outer;
    to.c_batch = mm->c_outer;
    to.outer = mm->batch;
    to.a_outer = mm->a_batch;
    to.b_outer = mm->b_batch;
    to.c_outer = mm->c_batch;
    return to;
}

/* Addresses take a launch more. A call for an index of the shorter axis costs nothing if each takes the GPU longer than the host. */
bool heddle__matmul_takes_addresses(const struct heddle_matmul *mm)
{
    enum { FEW = 2, BYTES = 32 << 20, MULTIPLICATIONS = 1 << 28 }; /* of a call: about 10 us */
    const struct heddle_matmul batch = heddle__matmul_longer_axis(mm);
    const char kind = heddle_dtype_kind((enum heddle_dtype)mm->dtype);
    const double m = (double)mm->m, n = (double)mm->n, k = (double)mm->k;
    const double size =
        (double)heddle_dtype_size((enum heddle_dtype)(mm->halves ? mm->halves : mm->dtype));
    return (kind == 'F' || kind == 'C') && batch.outer > FEW &&
           (m * n + m * k + k * n) * size * (double)batch.batch < BYTES &&
           m * n * k * (double)batch.batch < MULTIPLICATIONS;
}
