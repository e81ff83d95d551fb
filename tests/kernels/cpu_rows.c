/* Chains of launches over the same rows on CPUs, on one and several threads, for the bits of the launches one by one;
 * and what is no chain. */
#include "check.h"
#include "kernels/row_chains.h"

#include <stdlib.h>

static void run(struct chain *c, int n_threads, const char *what)
{
    void *got[BUFFERS], *want[BUFFERS];
    chain_buffers(c, got, want);
    struct heddle_kernel_context k = {
        .buffers = got, .constants = c->constants, .team = test_team(n_threads)};
    CHECK_EQ(heddle__program_cpu.run(&c->stage[0].launch, &k), HEDDLE_OK);
    chain_compare(c, got, want, what, n_threads > 1 ? "three threads" : "one thread");
}

typedef struct chain new_fn(int64_t rows0, int64_t rows1, int64_t length, int64_t step,
                            int64_t gap);

/* Many rows are cut into pieces; the rows of the second axis fit into one, or do not. Where addresses are checked each chain
 * goes by one thread or by three, in another shape the other way. */
static void test_shape(new_fn *new, enum heddle_dtype d, int64_t rows0, int64_t rows1,
                       int64_t length, int64_t step, int64_t gap)
{
    static int n_shapes;
    n_shapes++;
    for (int kind = 0; kind < CHAINS; kind++)
        for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
            if (CHECK_SOME(false, (n_shapes + kind + n_threads / 2) % 2)) continue;
            struct chain c = new (rows0, rows1, length, step, gap);
            if (!is_chain_of(&c, kind)) continue;
            make_chain(&c, kind, d);
            run(&c, n_threads, chain_names[kind]);
        }
}

/* What is no chain: an array that is read elsewhere than where it is stored, two boxes, a reduction in chunks. */
static void test_no_chains(void)
{
    struct heddle_rows rows;
    struct chain c = new_chain(3, 5, 40, 1, 0);
    make_chain(&c, 1, HEDDLE_FLOAT32);
    CHECK(heddle__rows_of(&c.stage[0].launch, &rows), "a chain");
    c.stage[2].access[0].offset = 1;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "read elsewhere");
    c.stage[2].access[0].offset = 0;
    c.stage[2].launch.geometry.extent[1] = 4;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "two boxes");
    c.stage[2].launch.geometry.extent[1] = 5;
    c.stage[2].launch.geometry.n_chunks = 2;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "chunks");
    c = new_columns(3, 5, 40, 1, 0);
    make_chain(&c, 1, HEDDLE_FLOAT32);
    CHECK(heddle__rows_of(&c.stage[0].launch, &rows), "a chain of columns");
    c.stage[2].program.sequential = 0;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "two orders");
}

int main(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_UINT8};
    for (int i = 0; i < 3; i++) {
        test_shape(new_chain, dtypes[i], 1, 9000, 40, 1, 0);
        test_shape(new_chain, dtypes[i], 3, 5000, 21, 1, 3);
        test_shape(new_chain, dtypes[i], 700, 7, 100, 2, 0);
        test_shape(new_chain, dtypes[i], 3000, 1, 129, -1, 1);
        test_shape(new_chain, dtypes[i], 5, 3, 60000, 1, 0); /* a row is more than a cache has */
        test_shape(new_chain, dtypes[i], 1, 1, 1000, 1, 0);
        test_shape(new_columns, dtypes[i], 3, 3000, 40, 1, 0);
        test_shape(new_columns, dtypes[i], 1, 2000, 256, 1, 3);
        test_shape(new_columns, dtypes[i], 700, 7, 100, -1, 1);
        test_shape(new_columns, dtypes[i], 2000, 1, 16, 1, 0);
        test_shape(new_columns, dtypes[i], 40, 40, 40, 2,
                   0); /* which axis is which is not seen by extents */
    }
    /* so much memory that pieces fetch the next ones, of rows that are one run, and that lie across */
    test_shape(new_chain, HEDDLE_FLOAT32, 3, 2000, 400, 1, 0);
    test_shape(new_columns, HEDDLE_FLOAT32, 3, 3000, 256, 1, 0);
    test_no_chains();
    return check_done();
}
