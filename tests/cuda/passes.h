/* The passes of cuda_kernels: each case is interpreted, then prepared (compiled on the library's
 * threads, all at once), then run compiled. */
#ifndef HEDDLE_TESTS_CUDA_PASSES_H
#define HEDDLE_TESTS_CUDA_PASSES_H

#include "cuda/gpu.h"

enum pass { INTERPRETED, PREPARED, COMPILED, N_PASSES };
extern enum pass pass;
extern const char *const pass_names[N_PASSES];

/* Runs or prepares a launch; whether there are results to be checked. */
int pass_run(const struct build *b, void *const host[], const size_t bytes[], int n_buffers,
             const char *what);

/* Element i of the operands of a kind. */
typedef void operands_fn(int kind, int64_t i, void *x, void *y);
/* Sums, the greatest and the least of x / y and of the root of |x|, over rows that a thread, a warp or a block has, against the CPU
 * twin, bit for bit. Of float32 or float64; cuda_quick.c has it. */
void test_quotient_reductions(enum heddle_dtype dtype, operands_fn *operands, int kind,
                              const char *kind_name);

void test_divisors(void);
void test_gathered(void);
void test_quick(void);
void test_quick_doubles(void);
void test_any_order(void);
void test_reductions(void);
void test_rows(void);
void test_scan_work(void);
void test_short_rows(void);
void test_special(void);
void test_strips(void);
void test_tables(void);
void test_tiles(void);
void test_matmul(void);
void test_epilogues(void);

#endif
