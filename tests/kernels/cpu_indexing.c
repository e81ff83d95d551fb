/* The CPU kernels that select by a mask and write by position give the same bits for any number of threads: sums of what
 * rounds in the order of the updates, the last update of each row, elements in their order. */
#include "check.h"
#include "families/compact/kernel.h"
#include "families/scatter/kernel.h"
#include "graph/family.h"
#include "kernels.h"
#include "test_team.h"

#include <heddle/dtype.h>
#include <stdlib.h>
#include <string.h>

extern const struct heddle_cpu_kernel heddle__scatter_cpu, heddle__compact_cpu;
extern const struct heddle_family_info heddle__scatter_family, heddle__compact_family;

enum { ROWS = 700, ROW = 2, UPDATES = 30011, MASK = 100003 };

static void test_scatter(bool add, int n_threads)
{
    static double in[ROWS * ROW], want[ROWS * ROW], got[ROWS * ROW], values[UPDATES * ROW];
    static int64_t positions[UPDATES];
    /* rows 100.. of an array of 3 x 400, which is cut along both axes */
    const struct heddle_scatter s = {.dtype = HEDDLE_FLOAT64,
                                     .element_bytes = 8,
                                     .add = add,
                                     .n = UPDATES,
                                     .row = ROW,
                                     .per_update = ROW,
                                     .per_element = 1,
                                     .n_axes = 2,
                                     .extent = {3, 400},
                                     .lo = {1, 50},
                                     .hi = {3, 400},
                                     .n_rows = ROWS,
                                     .shape = {3, 400},
                                     .in = 0,
                                     .positions = 1,
                                     .values = 2,
                                     .out = 3};
    for (int i = 0; i < ROWS * ROW; i++) want[i] = in[i] = i / 3.0;
    for (int i = 0; i < UPDATES * ROW; i++) values[i] = i * 7919 % 1000 / 7.0;
    for (int i = 0; i < UPDATES; i++) {
        const int64_t at = positions[i] = (int64_t)i * 7907 % 1200, row = at / 400 - 1,
                      column = at % 400 - 50;
        for (int k = 0; k < ROW && row >= 0 && column >= 0; k++) {
            double *to = &want[(row * 350 + column) * ROW + k];
            *to = (add ? *to : 0) + values[i * ROW + k];
        }
    }
    void *buffers[4] = {in, positions, values, got};
    void *scratch = malloc(heddle__scatter_family.scratch_bytes(&s, n_threads) + 1);
    if (!scratch) exit(1);
    struct heddle_kernel_context k = {
        .buffers = buffers, .team = test_team(n_threads), .scratch = scratch};
    CHECK(heddle__scatter_cpu.run(&s, &k) == HEDDLE_OK, "%s", heddle_last_error());
    free(scratch);
    CHECK(memcmp(got, want, sizeof want) == 0, "%s, %d threads", add ? "add" : "set", n_threads);
}

static void test_compact(int n_threads)
{
    static uint8_t mask[MASK];
    static int64_t in[MASK], want[MASK], got[MASK + 1];
    struct heddle_compact c = {
        .element_bytes = 8, .size = MASK, .row = 1, .mask = 0, .in = 1, .out = 2};
    for (int i = 0; i < MASK; i++) {
        mask[i] = i % 1000 < 300 || i % 3 == 0;
        in[i] = i * 5;
        if (mask[i]) want[c.n++] = in[i];
    }
    got[c.n] = -1;
    void *buffers[3] = {mask, in, got};
    void *scratch = malloc(heddle__compact_family.scratch_bytes(&c, n_threads));
    struct heddle_kernel_context k = {
        .buffers = buffers, .team = test_team(n_threads), .scratch = scratch};
    CHECK_EQ(heddle__compact_cpu.run(&c, &k), HEDDLE_OK);
    CHECK(memcmp(got, want, (size_t)c.n * 8) == 0, "%d threads", n_threads);
    CHECK_EQ(got[c.n], -1);
    free(scratch);
}

int main(void)
{
    for (int n_threads = 1; n_threads < 9; n_threads++) {
        test_scatter(true, n_threads);
        test_scatter(false, n_threads);
        test_compact(n_threads);
    }
    test_teams_close();
    return check_done();
}
