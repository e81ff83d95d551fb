/* What kernels take beside their operands: partials of reductions over what is broadcast, of which there are far more
 * than elements in memory, take a few MB, and the values are right wherever boxes of them begin. */
#include "check_heddle.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { PLANES = 3, ROWS = 5120, COLUMNS = 40000 }; /* 20 chunks of rows: 2.4 million partials */
#define MB 1024                                    /* of kB, as the system counts peaks */

static long peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

static heddle_array *range(int64_t n)
{
    return heddle_arange(heddle_scalar_int(0), heddle_scalar_int(n), NULL);
}

int main(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu"}), HEDDLE_OK);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    const heddle_scope scope = heddle_scope_open();
    static int64_t plane[PLANES] = {1, 2, 3}, sum[PLANES][COLUMNS], at[PLANES][COLUMNS];
    static int64_t spot[ROWS];
    spot[ROWS - 7] = 1;
    memset(sum, 1, sizeof sum); /* its pages */
    memset(at, 1, sizeof at);

    /* plane + column, and 1 more in one row */
    heddle_array *planes = heddle_asarray(plane, HEDDLE_INT64, HEDDLE_SHAPE(PLANES, 1, 1));
    heddle_array *spots = heddle_asarray(spot, HEDDLE_INT64, HEDDLE_SHAPE(1, ROWS, 1));
    heddle_array *a = heddle_add(heddle_add(planes, spots), range(COLUMNS));
    const long before = peak();
    CHECK_EQ(heddle_read(heddle_sum(a, .axis = 1), sum, sizeof sum), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_argmax(a, .axis = 1), at, sizeof at), HEDDLE_OK);
    int n_wrong = 0;
    for (int p = 0; p < PLANES; p++)
        for (int64_t c = 0; c < COLUMNS; c++)
            n_wrong += sum[p][c] != ROWS * (plane[p] + c) + 1 || at[p][c] != ROWS - 7;
    CHECK_EQ(n_wrong, 0);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
    CHECK(peak() - before < 24 * MB, "%ld kB more", peak() - before); /* of partials 19 and 38 MB */
#endif
    heddle_scope_close(scope);
    check_nothing_left();
    return check_done();
}
