/* Proves that a process whose plans were small before its first one on a GPU ends as it should: Heddle was asked then to
 * see to its end, before the driver of the GPU was. The test is main's return: if the driver went first, StarPU aborts. */
#include "check_heddle.h"

#include <heddle.h>

enum { PLANS = 200, FEW = 30000, N = 1 << 24 };

static double sum_of(int64_t n)
{
    double sum = -1;
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_arange(heddle_scalar_int(0), heddle_scalar_int(n), NULL);
    CHECK_EQ(heddle_read(heddle_sum(heddle_multiply(x, heddle_scalar(2.0))), &sum, sizeof sum),
             HEDDLE_OK);
    heddle_scope_close(scope);
    return sum;
}

int main(void)
{
    for (int i = 0; i < PLANS; i++) CHECK_NUM(sum_of(FEW), (double)FEW * (FEW - 1));
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "gpu:0"}), HEDDLE_OK);
    const int no = check_started();
    if (no) return no;
    struct heddle_statistics s;
    heddle_statistics_reset();
    CHECK_NUM(sum_of(N), (double)N * (N - 1));
    heddle_statistics_get(&s);
    CHECK(s.gpu_tasks > 0, "no GPU computed");
    return check_done();
}
