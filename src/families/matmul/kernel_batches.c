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

/* Tensor cores load 16 bytes at a time, which addresses do not tell cuBLAS. */
static bool is_aligned(const struct heddle_matmul *mm)
{
    enum { ALIGNMENT = 16 };
    const int64_t size = mm->halves ? 2 : 4, c_size = mm->rounded ? 2 : 4;
    const int64_t of[] = {mm->a_offset, mm->a_row, mm->a_column, mm->a_batch, mm->a_outer,
                          mm->b_offset, mm->b_row, mm->b_column, mm->b_batch, mm->b_outer};
    const int64_t of_c[] = {mm->c_offset, mm->c_row, mm->c_batch, mm->c_outer};
    bool is = true;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        is = is && (of[i] == 1 || of[i] * size % ALIGNMENT == 0);
    for (size_t i = 0; i < sizeof of_c / sizeof *of_c; i++)
        is = is && of_c[i] * c_size % ALIGNMENT == 0;
    return is;
}

/* cuBLAS has no batches that go backwards: of halves it reads elsewhere. */
bool heddle__matmul_goes_back(const struct heddle_matmul *mm)
{
    return mm->a_batch < 0 || mm->b_batch < 0 || mm->c_batch < 0;
}

/* Addresses take a launch more. A call for an index of the shorter axis costs nothing if each takes the GPU longer than the host. */
bool heddle__matmul_takes_addresses(const struct heddle_matmul *mm)
{
    enum { FEW = 2, BYTES = 32 << 20, MULTIPLICATIONS = 1 << 28 }; /* of a call: about 10 us */
    const struct heddle_matmul batch = heddle__matmul_longer_axis(mm);
    const int64_t n_calls = batch.outer * (heddle__matmul_goes_back(&batch) ? batch.batch : 1);
    const double of_call = (double)batch.batch * (double)batch.outer / (double)n_calls;
    const char kind = heddle_dtype_kind((enum heddle_dtype)mm->dtype);
    const double m = (double)mm->m, n = (double)mm->n, k = (double)mm->k;
    const double size =
        (double)heddle_dtype_size((enum heddle_dtype)(mm->halves ? mm->halves : mm->dtype));
    if ((mm->halves || mm->tf32) && !is_aligned(mm)) return false;
    return (kind == 'F' || kind == 'C') && n_calls > FEW &&
           (m * n + m * k + k * n) * size * of_call < BYTES &&
           m * n * k * of_call < MULTIPLICATIONS;
}
