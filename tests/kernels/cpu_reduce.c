/* Reductions: random programs against the tree of reduce_tree.h done one element at a time, bit for
 * bit, on random values and, row by row of reductions.def, on special ones: whole, in one thread and two, and as partials of several boxes that are then combined; sums
 * also against long double. Arguments: number of programs; share, from 0, and number of
 * shares. */
#include "check.h"
#include "random_program.h"
#include "special_lines.h"

#include <base/memory.h>
#include <stdlib.h>

/* Box number `part` of `n_parts` that cut the first reduced axis that can be cut, at chunk
 * boundaries; where its chunks begin. False: there is none. */
static bool take_box(struct heddle_geometry *g, const struct heddle_geometry *whole, int n_parts,
                     int part, int64_t *first_chunk, int sequential)
{
    *g = *whole;
    int axis = whole->split_axis;
    for (int d = whole->n_kept; d < whole->split_axis; d++)
        if (whole->extent[d] > 1) axis = d;
    if (axis > whole->split_axis) return false;
    const int64_t unit = axis == whole->split_axis ? whole->split_rows : 1;
    const int64_t n_units = (whole->extent[axis] + unit - 1) / unit;
    if (n_units < n_parts) return false;
    for (int d = whole->n_kept; d < axis; d++)
        if (whole->extent[d] != 1) return false; /* chunks of a box would not be in one row */
    const int64_t from = n_units * part / n_parts * unit;
    int64_t to = n_units * (part + 1) / n_parts * unit;
    if (to > whole->extent[axis]) to = whole->extent[axis];
    g->origin[axis] = from;
    g->extent[axis] = to - from;
    heddle__reduce_chunks(g, sequential);
    *first_chunk = n_units * part / n_parts * (whole->n_chunks / n_units);
    return true;
}

/* PARTIAL of each box, into the places of COMBINE's buffer; then COMBINE. */
static void test_partials(struct random_program *r, void **input, void **want, uint64_t seed)
{
    struct build *b = &r->build;
    const struct heddle_program *p = &b->program;
    const struct heddle_geometry whole = b->launch.geometry;
    const int64_t kept = heddle__kept_size(&whole);
    const int n_parts = 1 + (int)random_below(r, 3);
    struct heddle_access saved[HEDDLE_MAX_OPERANDS];
    memcpy(saved, b->access, sizeof saved);
    char *all[HEDDLE_MAX_REDUCTIONS], *box[HEDDLE_MAX_REDUCTIONS];
    for (int k = 0; k < p->n_reductions; k++) {
        const size_t bytes =
            (size_t)(kept * whole.n_chunks) * heddle__partial_size(&p->reductions[k]);
        all[k] = calloc(1, bytes);
        box[k] = calloc(1, bytes);
        b->buffer[p->n_operands + k] = (uint32_t)(p->n_operands + k);
    }
    random_restore(r, input);
    bool done = true;
    for (int part = 0; part < n_parts && done; part++) {
        int64_t first = 0;
        done = take_box(&b->launch.geometry, &whole, n_parts, part, &first, p->sequential);
        if (!done) break;
        struct heddle_geometry *g = &b->launch.geometry;
        for (int o = 0; o < p->n_operands; o++)
            for (int d = g->n_kept; d < g->ndim; d++)
                b->access[o].offset = saved[o].offset + g->origin[d] * saved[o].stride[d];
        for (int o = 0; o < p->n_operands; o++) {
            b->access[o].offset = saved[o].offset;
            for (int d = g->n_kept; d < g->ndim; d++)
                b->access[o].offset += (g->origin[d] - whole.origin[d]) * saved[o].stride[d];
        }
        g->phase = HEDDLE_PHASE_PARTIAL;
        for (int k = 0; k < p->n_reductions; k++) b->buffers[p->n_operands + k] = box[k];
        CHECK_EQ(build_run(b, 1 + part % 2), HEDDLE_OK);
        for (int k = 0; k < p->n_reductions; k++) {
            const size_t size = heddle__partial_size(&p->reductions[k]);
            for (int64_t j = 0; j < kept; j++)
                memcpy(all[k] + (size_t)(j * whole.n_chunks + first) * size,
                       box[k] + (size_t)(j * g->n_chunks) * size, (size_t)g->n_chunks * size);
        }
    }
    memcpy(b->access, saved, sizeof saved);
    b->launch.geometry = whole;
    if (done) {
        b->launch.geometry.phase = HEDDLE_PHASE_COMBINE;
        for (int k = 0; k < p->n_reductions; k++) b->buffers[p->n_operands + k] = all[k];
        CHECK_EQ(build_run(b, 2), HEDDLE_OK);
        const int o = random_differs(r, want);
        CHECK(o < 0, "seed %llu, %d parts: operand %d", (unsigned long long)seed, n_parts, o);
        b->launch.geometry = whole;
    }
    for (int k = 0; k < p->n_reductions; k++) free(all[k]), free(box[k]);
}

static void test(uint64_t seed, int64_t max_elements, bool sequential)
{
    struct random_program r;
    const struct random_options options = {.seed = seed,
                                           .max_elements = max_elements,
                                           .n_instrs = 8,
                                           .reduce = true,
                                           .sequential = sequential};
    random_make(&r, &options);
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    random_save(&r, input);
    random_reference(&r);
    random_save(&r, want);
    const int threads[] = {1, 2, 16}, n_teams = seed % 8 ? 2 : 3; /* many cut where few do not */
    for (int t = 0; t < n_teams; t++) {
        const int n_threads = threads[t];
        random_restore(&r, input);
        CHECK_EQ(build_run(&r.build, n_threads), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "seed %llu, sequential %d, %d threads: operand %d", (unsigned long long)seed,
              sequential, n_threads, o);
    }
    test_partials(&r, input, want, seed);
    random_drop(&r, input);
    random_drop(&r, want);
    random_free(&r);
}

static long long row_failed[HEDDLE_N_REDUCTIONS][HEDDLE_N_DTYPES];

static void print_rows(void)
{
    for (int op = 0; op < HEDDLE_N_REDUCTIONS; op++)
        for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
            CHECK_ROW(row_failed[op][d], "%s of %s", heddle__reductions[op].name,
                      heddle_dtype_name((enum heddle_dtype)d));
}

/* Each row of reductions.def, for each dtype that it accepts, on special values; long lines, which take
 * a while, of a few dtypes. Operand 0 is the lines, operand 1 + k is reduction k's result. */
static void test_lines(int64_t n, bool sequential)
{
    for (int d = 1; d<HEDDLE_N_COMPUTED; d += n> 10000 ? 4 : 1)
        for (int from = 0; from < HEDDLE_N_REDUCTIONS; from += LINES_TOGETHER) {
            struct random_program r;
            if (lines_make(&r, (enum heddle_dtype)d, from, n, sequential) == 0) continue;
            void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
            random_save(&r, input);
            random_reference(&r);
            random_save(&r, want);
            for (int n_threads = 1; n_threads <= 2; n_threads++) {
                random_restore(&r, input);
                CHECK_EQ(build_run(&r.build, n_threads), HEDDLE_OK);
                CHECK(random_differs(&r, want) != 0, "the lines changed");
                for (int k = 0; k < r.build.program.n_reductions; k++) {
                    const int op = r.build.program.reductions[k].op;
                    const bool same = random_differs_from(&r, want, 1 + k) != 1 + k;
                    CHECK(same, "%s of %s, lines of %lld, sequential %d",
                          heddle__reductions[op].name, heddle_dtype_name((enum heddle_dtype)d),
                          (long long)n, sequential);
                    row_failed[op][d] += !same;
                }
            }
            random_drop(&r, input);
            random_drop(&r, want);
            random_free(&r);
        }
}

static void test_sum(int64_t n)
{
    double *x = malloc((size_t)n * sizeof *x), out[4];
    long double exact = 0;
    for (int64_t i = 0; i < n; i++) x[i] = 1.0 / (double)(i % 1000 + 1), exact += (long double)x[i];
    x[n / 2] = 5;
    exact += 5 - (long double)(1.0 / (double)(n / 2 % 1000 + 1));
    struct build b;
    build_begin(&b, 0, 1, &n);
    const int v = build_load(&b, HEDDLE_FLOAT64, x, NULL, 0);
    const int sum = build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_FLOAT64, v);
    const int at = build_reduce(&b, HEDDLE_REDUCE_ARGMAX, HEDDLE_FLOAT64, v);
    heddle__reduce_chunks(&b.launch.geometry, 0);
    int64_t where = 0;
    build_store(&b, build_reduced(&b, sum), HEDDLE_FLOAT64, out, (int64_t[]){0}, 0);
    build_store(&b, build_reduced(&b, at), HEDDLE_INT64, &where, (int64_t[]){0}, 0);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        CHECK_EQ(build_run(&b, n_threads), HEDDLE_OK);
        CHECK(fabsl((long double)out[0] - exact) < 1e-14L * exact, "%.17g", out[0]);
        CHECK_EQ(where, n / 2);
    }
    free(x);
}

/* No elements: the identity; and minus zero stays. */
static void test_edges(void)
{
    const int64_t extent[2] = {3, 0};
    double out[3] = {7, 7, 7}, zeros[5] = {-0.0, -0.0, -0.0, -0.0, -0.0};
    int64_t counts[3] = {7, 7, 7};
    struct build b;
    build_begin(&b, 1, 2, extent);
    const int s = build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_INT64,
                               build_load(&b, HEDDLE_INT64, counts, NULL, 0));
    const int m = build_reduce(&b, HEDDLE_REDUCE_PROD, HEDDLE_FLOAT64,
                               build_load(&b, HEDDLE_FLOAT64, out, NULL, 0));
    heddle__reduce_chunks(&b.launch.geometry, 0);
    build_store(&b, build_reduced(&b, s), HEDDLE_INT64, counts, (int64_t[]){1, 0}, 0);
    build_store(&b, build_reduced(&b, m), HEDDLE_FLOAT64, out, (int64_t[]){1, 0}, 0);
    CHECK_EQ(build_run(&b, 2), HEDDLE_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(counts[i], 0);
        CHECK_NUM(out[i], 1);
    }
    const int64_t n = 5;
    build_begin(&b, 0, 1, &n);
    const int z = build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_FLOAT64,
                               build_load(&b, HEDDLE_FLOAT64, zeros, NULL, 0));
    heddle__reduce_chunks(&b.launch.geometry, 0);
    build_store(&b, build_reduced(&b, z), HEDDLE_FLOAT64, out, (int64_t[]){0}, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    CHECK(out[0] == 0 && signbit(out[0]));
}

/* Memory that is gone is an error, and nothing is lost. */
static void test_no_memory(void)
{
    const int64_t n = 200000;
    double *x = calloc((size_t)n, sizeof *x), out = 7;
    struct build b;
    build_begin(&b, 0, 1, &n);
    const int s = build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_FLOAT64,
                               build_load(&b, HEDDLE_FLOAT64, x, NULL, 0));
    heddle__reduce_chunks(&b.launch.geometry, 0);
    build_store(&b, build_reduced(&b, s), HEDDLE_FLOAT64, &out, (int64_t[]){0}, 0);
    heddle__alloc_fail_at(1, 1);
    CHECK_EQ(build_run(&b, 2), HEDDLE_ENOMEM);
    heddle__alloc_fail_at(0, 0);
    CHECK_NUM(out, 7);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    free(x);
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 800;
    const uint64_t share = argc > 3 ? strtoull(argv[2], NULL, 10) : 0,
                   n_shares = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    test_edges();
    test_no_memory();
    /* of those by halves: each number of quarters of a half, whole vectors and parts of one */
    static const int64_t lengths[] = {1,   2,   3,   16,  17,  33,  64,   100,  257,
                                      300, 400, 513, 700, 800, 999, 1024, 1025, 3000};
    for (uint64_t k = share; k < 2 * sizeof lengths / sizeof *lengths; k += n_shares)
        test_lines(lengths[k / 2], k % 2);
    if (share == 0) test_lines(70000, false);
    print_rows();
    test_sum(5);
    test_sum(1000);
    test_sum(1000003);
    for (uint64_t seed = 1 + share; seed <= n; seed += n_shares) test(seed, 4000, seed % 2);
    for (uint64_t seed = n + 1 + share; seed <= n + n / 20; seed += n_shares)
        test(seed, 300000, seed % 2);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
