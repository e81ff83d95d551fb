/* Reductions whose operands lie across, which threads read by strips or by runs, or are the same for neighbours, which a block reduces
 * or a warp reduces together: the bits of the CPU kernels for all dtypes and reductions, strips of chunks and of rows, edges, broadcasts, gaps, more
 * chunks than one, partials. Entry point: test_strips. */
#include "check.h"
#include "cuda/passes.h"
#include "cuda/layout.h"
#include "cuda/walks.h"
#include "kernels/test_team.h"

#include <stdlib.h>

enum { MAX_LOADS = 4 };
enum reads {
    LINES,
    CHUNKS,
    ROWS,
    RUNS,
    TOGETHER,
    PAIRS
}; /* LINES: as operands that lie along are read */

/* The reduction of a product, or of what it is with the indices added. */
struct strip_case {
    enum reads reads;
    int ndim, n_kept;
    int64_t extent[4];
    const char *order[MAX_LOADS];
    int sequential, indices,
        quotient;   /* quotient: of float32, divided by each operand, not multiplied */
    int split_axis; /* with split_rows > 0: chunks that reduce_tree.h has for more elements only */
    int64_t split_rows;
};

static double value(int k, int64_t i)
{
    const uint64_t bits = (uint64_t)(i + 7) * 0x9e3779b97f4a7c15u * (uint64_t)(2 * k + 1);
    return (double)(int64_t)(bits >> 54) / 7 - 60; /* sums of these depend on their order */
}

/* Of products of floating numbers, which are so near to 1 that none overflows: the sign of a NaN is not the same everywhere. */
static bool is_near_one(enum heddle_dtype d, enum heddle_reduction op)
{
    return op == HEDDLE_REDUCE_PROD && (heddle_dtype_kind(d) == 'F' || heddle_dtype_kind(d) == 'C');
}

static void *filled(enum heddle_dtype d, bool near_one, int k, int64_t n)
{
    const size_t size = heddle_dtype_size(d);
    char *data = malloc((size_t)n * size);
    if (!data) exit(1);
    for (int64_t i = 0; i < n; i++) {
        const union heddle_scalar from = {.f64 = d == HEDDLE_BOOL ? i % 97 != 3
                                                 : near_one       ? 1 + value(k, i) * 1e-6
                                                                  : value(k, i)},
                                  to = heddle__convert(from, HEDDLE_FLOAT64, d);
        memcpy(data + (size_t)i * size, &to, size);
    }
    return data;
}

static int build_case(const struct strip_case *c, enum heddle_dtype d, enum heddle_reduction op,
                      struct build *b, int64_t n_elements[])
{
    int64_t dense[HEDDLE_MAX_NDIM] = {0}, next = 1;
    int n = 0, v = -1;
    for (int a = c->n_kept - 1; a >= 0; a--) {
        dense[a] = next;
        next *= c->extent[a];
    }
    build_begin(b, c->n_kept, c->ndim, c->extent);
    for (; n < MAX_LOADS && c->order[n]; n++) {
        const struct walk w = walk_of(c->order[n], c->extent);
        const int x = build_load(b, d, NULL, w.stride, w.offset);
        n_elements[n] = w.n;
        const bool divides = c->quotient && d == HEDDLE_FLOAT32;
        v = n == 0 ? x : build_op(b, divides ? HEDDLE_OP_DIVIDE : HEDDLE_OP_MULTIPLY, d, v, x);
    }
    for (int a = 0; a < c->ndim && c->indices && !is_near_one(d, op); a++) {
        if (a <= c->n_kept) { /* other reduced axes are never cut */
            b->launch.geometry.origin[a] = 5 + a;
            b->launch.geometry.whole[a] += 9;
        }
        v = build_op(b, HEDDLE_OP_ADD, d, v, build_cast(b, HEDDLE_INT64, d, build_index(b, a)));
    }
    build_reduce(b, op, d, v);
    build_store(b, build_reduced(b, 0), (enum heddle_dtype)b->program.reductions[0].result, NULL,
                dense, 0);
    build_seal(b, c->sequential);
    if (c->split_rows > 0) {
        struct heddle_geometry *g = &b->launch.geometry;
        g->split_axis = c->split_axis;
        g->split_rows = c->split_rows;
        g->n_chunks = (g->extent[g->split_axis] + g->split_rows - 1) / g->split_rows;
        for (int a = g->n_kept; a < g->split_axis; a++) g->n_chunks *= g->extent[a];
    }
    n_elements[n] = next + 4; /* the last ones are nobody's to write */
    return n;
}

static void check_class(const struct strip_case *c, const struct build *b, const char *what)
{
    struct heddle_cuda_layout l;
    heddle__cuda_layout(&b->launch, NULL, &l);
    const enum reads reads = l.class.form == HEDDLE_FORM_PAIRS ? PAIRS
                             : l.class.together > 0            ? TOGETHER
                             : l.class.columns > 0             ? ROWS
                             : l.class.side > 0                ? CHUNKS
                             : l.class.vector > 1              ? RUNS
                                                               : LINES;
    CHECK(reads == c->reads, "%s is read by %d, not %d", what, (int)reads, (int)c->reads);
    CHECK(c->order[1][0] != '@' || l.class.vector == 1, "%s begins askew", what);
}

/* WHOLE, then PARTIAL where partials have no gaps. */
static void run_case(const struct strip_case *c, enum heddle_dtype d, enum heddle_reduction op,
                     int check)
{
    struct build b;
    int64_t n_elements[MAX_LOADS + 1];
    void *host[MAX_LOADS + 2], *want[MAX_LOADS + 2];
    size_t bytes[MAX_LOADS + 2];
    char what[128];
    const int n = build_case(c, d, op, &b, n_elements);
    const struct heddle_reduce_instr *r = &b.program.reductions[0];
    snprintf(what, sizeof what, "%s of %s, %lld x %lld x %lld, %s", heddle__reductions[op].name,
             heddle_dtype_name(d), (long long)c->extent[0], (long long)c->extent[1],
             (long long)c->extent[2], c->order[1]);
    if (check) check_class(c, &b, what);
    for (int k = 0; k < n; k++) {
        bytes[k] = (size_t)n_elements[k] * heddle_dtype_size(d);
        host[k] = want[k] = filled(d, c->quotient || is_near_one(d, op), k, n_elements[k]);
    }
    bytes[n] = (size_t)n_elements[n] * heddle_dtype_size((enum heddle_dtype)r->result);
    bytes[n + 1] = (size_t)(n_elements[n] * b.launch.geometry.n_chunks) * heddle__partial_size(r);
    for (int partial = 0; partial < (heddle__is_arg(r) ? 1 : 2); partial++) {
        const int out = n + partial;
        b.launch.geometry.phase = partial ? HEDDLE_PHASE_PARTIAL : HEDDLE_PHASE_WHOLE;
        for (int k = n; k < n + 2; k++) {
            host[k] = calloc(bytes[k], 1);
            want[k] = calloc(bytes[k], 1);
        }
        if (pass != PREPARED)
            CHECK_EQ(heddle__cpu_program(&b.launch, want, b.constants, test_team(2)), HEDDLE_OK);
        if (pass_run(&b, host, bytes, n + 1 + partial, what))
            CHECK(memcmp(host[out], want[out], bytes[out]) == 0, "%s, %s: %s differ", what,
                  pass_names[pass], partial ? "partials" : "results");
        for (int k = n; k < n + 2; k++) {
            free(host[k]);
            free(want[k]);
        }
    }
    for (int k = 0; k < n; k++) free(host[k]);
}

static const struct strip_case cases[] = {
    /* strips along a kept axis */
    {CHUNKS, 2, 1, {40, 2100}, {"01", "10"}, .indices = 0},
    {CHUNKS, 2, 1, {43, 1025}, {"01", "10"}, .indices = 1},
    {CHUNKS, 2, 1, {16, 257}, {"01", "10"}, .indices = 0},
    {CHUNKS, 2, 1, {17, 1024}, {"01", "@1+0", "1", "0"}, .indices = 0},
    {CHUNKS, 2, 1, {24, 3000}, {"0+1", "-10", ""}, .indices = 0},
    {CHUNKS, 2, 1, {18, 5000}, {"01", "10"}, .split_axis = 1, .split_rows = 2048},
    {CHUNKS, 2, 1, {18, 4100}, {"01", "10"}, .indices = 1, .split_axis = 1, .split_rows = 1024},
    {CHUNKS, 3, 2, {20, 3, 600}, {"012", "210"}, .indices = 1},
    {CHUNKS, 3, 2, {3, 20, 600}, {"012", "021"}, .indices = 0},
    {CHUNKS, 3, 1, {20, 33, 50}, {"012", "210"}, .indices = 0},
    {CHUNKS, 3, 1, {3, 20, 700}, {"012", "021"}, .indices = 1, .split_axis = 1, .split_rows = 1},
    {CHUNKS, 3, 0, {20, 2, 700}, {"012", "120"}, .indices = 1, .split_axis = 1, .split_rows = 1},
    {CHUNKS, 4, 1, {2, 17, 2, 700}, {"0123", "0231"}, .split_axis = 2, .split_rows = 1},
    /* of the rows of a chunk */
    {ROWS, 2, 0, {64, 1024}, {"01", "10"}, .indices = 0},
    {ROWS, 2, 0, {45, 1024}, {"01", "10"}, .indices = 1},
    {ROWS, 2, 0, {20, 2048}, {"01", "@1+0", "1", "0"}, .indices = 0},
    {ROWS, 2, 0, {41, 512}, {"01", "10"}, .split_axis = 0, .split_rows = 8},
    {ROWS, 2, 0, {24, 768}, {"01", "10"}, .indices = 0},
    {ROWS, 2, 0, {19, 2560}, {"01", "10"}, .split_axis = 0, .split_rows = 16},
    {ROWS, 2, 0, {17, 256}, {"01", "10"}, .indices = 0},
    {ROWS, 3, 1, {3, 35, 512}, {"012", "021"}, .indices = 1},
    {ROWS, 3, 0, {3, 32, 512}, {"012", "021"}, .indices = 1},
    {ROWS, 3, 0, {40, 2, 256}, {"012", "120"}, .split_axis = 0, .split_rows = 16},
    /* along the rows of a thread */
    {RUNS, 2, 1, {40, 2000}, {"10", "01"}, .sequential = 1},
    {RUNS, 2, 1, {33, 1005}, {"10", "0+1"}, .sequential = 1},
    {RUNS, 3, 1, {33, 5, 48}, {"120", "012"}, .sequential = 1},
    {RUNS, 2, 1, {500, 16}, {"01", "0"}, .indices = 0},
    /* neighbours together */
    {TOGETHER, 2, 1, {4096, 1025}, {"1", "0"}, .indices = 0},
    {TOGETHER, 2, 1, {4099, 2100}, {"1", "-0", "@1"}, .indices = 1},
    {TOGETHER, 2, 1, {4098, 3000}, {"1", "0"}, .quotient = 1},
    {TOGETHER, 3, 2, {3, 1367, 1030}, {"02", "01", "-2"}, .indices = 1},
    {TOGETHER, 3, 1, {4097, 30, 40}, {"12", "0:"}, .indices = 1},
    {TOGETHER, 3, 1, {4097, 30, 40}, {"21", "", "0", "1"}, .quotient = 1},
    /* pairs */
    {PAIRS, 3, 2, {259, 257, 64}, {"02", "12"}, .indices = 0},
    {PAIRS, 3, 2, {403, 170, 17}, {"02", "12"}, .indices = 1},
    {PAIRS, 3, 2, {730, 731, 31}, {"02", "-12", "0", "01"}, .indices = 0},
    {PAIRS, 3, 2, {259, 329, 100}, {"@02", "1-2", "2", "1"}, .indices = 1},
    {PAIRS, 3, 2, {71, 941, 1000}, {"02", "12"}, .indices = 0},
    {PAIRS, 3, 2, {33, 16103, 40}, {"02", "12", "10"}, .quotient = 1},
    {PAIRS, 3, 2, {259, 257, 129}, {"20", "21"}, .indices = 1},
    {PAIRS, 4, 2, {257, 259, 5, 8}, {"032", "123"}, .indices = 1},
    {PAIRS, 4, 3, {2, 170, 241, 33}, {"013", "023", ""}, .indices = 1},
    {PAIRS, 3, 2, {330, 300, 48}, {"12", "2"}, .indices = 0},
    {PAIRS, 2, 1, {66001, 65}, {"1", "0"}, .indices = 1},
    {PAIRS, 2, 1, {65800, 33}, {"1", "-0", ""}, .quotient = 1},
    {PAIRS, 2, 1, {65537, 1024}, {"-1", "0"}, .indices = 0},
    {PAIRS, 2, 1, {530001, 20}, {"1", "0"}, .indices = 1},
    {PAIRS, 3, 2, {730, 731, 8}, {"02", "12"}, .indices = 0},
    {PAIRS, 3, 2, {730, 731, 3}, {"02", "-12", "0", "01"}, .indices = 1},
    {PAIRS, 3, 2, {301, 329, 16}, {"@02", "1-2", "2", "1"}, .indices = 1},
    {PAIRS, 3, 2, {330, 300, 2}, {"02", "12"}, .quotient = 1},
    {PAIRS, 3, 2, {730, 731, 13}, {"20", "21"}, .sequential = 1},
    {PAIRS, 4, 2, {257, 259, 3, 5}, {"032", "123"}, .indices = 1},
    {PAIRS, 4, 3, {2, 170, 241, 7}, {"013", "023", ""}, .indices = 1},
    {PAIRS, 2, 1, {66001, 9}, {"1", "0"}, .indices = 1},
    /* neither */
    {RUNS, 3, 2, {730, 731, 8}, {"012", "12"}, .indices = 0},
    {RUNS, 2, 1, {66001, 3}, {"01", "1"}, .indices = 0},
    {RUNS, 3, 2, {100, 200, 64}, {"02", "12"}, .indices = 0},
    /* rows that several kept elements read: few threads, with up to 16 lanes each */
    {RUNS, 3, 2, {37, 4, 32}, {"02", "12"}, .indices = 0},
    {RUNS, 3, 2, {37, 5, 64}, {"02", "12"}, .indices = 1},
    {RUNS, 3, 2, {41, 3, 100}, {"02", "12"}, .indices = 0},
    {RUNS, 3, 2, {19, 7, 128}, {"02", "12"}, .indices = 1},
    {RUNS, 3, 2, {19, 2, 240}, {"02", "012"}, .indices = 0},
    {RUNS, 3, 2, {259, 257, 64}, {"012", "12"}, .indices = 0},
    {LINES, 2, 1, {66001, 65}, {"01", "1"}, .indices = 0},
    {LINES, 2, 1, {4096, 1030}, {"1", "01"}, .indices = 0},
    {LINES, 2, 1, {4092, 1030}, {"1", "0"}, .indices = 0},
    {LINES, 2, 1, {40, 200}, {"01", "10"}, .indices = 0},
    {LINES, 2, 0, {40, 1000}, {"01", "10"}, .indices = 0},
    {LINES, 2, 1, {15, 1000}, {"01", "10"}, .indices = 0},
    {RUNS, 2, 1, {40, 1000}, {"01", "01"}, .indices = 0},
    {LINES, 2, 1, {33, 1001}, {"10", "01"}, .sequential = 1},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static int accepts(enum heddle_reduction op, enum heddle_dtype d)
{
    return (heddle__reductions[op].accepts & heddle__kind_bit(d)) != 0;
}

/* Blocks that load four small elements at once; rows that begin askew, or whose length is no multiple of four, go by single ones. */
static void test_quads(void)
{
    static const struct {
        struct strip_case c;
        int quads;
    } rows[] = {
        {{LINES, 2, 1, {5, 4096}, {"01", "0"}, .indices = 0}, 1},
        {{LINES, 2, 1, {7, 1028}, {"01", "1"}, .indices = 0}, 1},
        {{LINES, 2, 1, {3, 8004}, {"01", ""}, .indices = 1}, 1},
        {{LINES, 2, 1, {3, 70004}, {"01", ""}, .indices = 1}, 0}, /* several blocks share these */
        {{LINES, 2, 1, {5, 4095}, {"01", "0"}, .indices = 0}, 0},
        {{LINES, 2, 1, {5, 4096}, {"@01", "0"}, .indices = 0}, 0},
        {{LINES, 1, 0, {30000}, {"0", ""}, .split_axis = 0, .split_rows = 4096}, 1},
        {{LINES, 1, 0, {30001}, {"0", ""}, .split_axis = 0, .split_rows = 4096}, 1},
        {{LINES, 3, 1, {3, 50, 44}, {"01+2", "0"}, .indices = 1}, 0},
        {{LINES, 3, 1, {3, 50, 48}, {"021", "0"}, .indices = 0}, 0},
    };
    static const enum heddle_dtype small[] = {HEDDLE_INT8, HEDDLE_UINT8, HEDDLE_INT16,
                                              HEDDLE_UINT16};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int d = 0; d < 4; d++)
            for (int op = 0; op < HEDDLE_N_REDUCTIONS; op++) {
                struct build b;
                struct heddle_cuda_layout l;
                int64_t n_elements[MAX_LOADS + 1];
                if (!accepts((enum heddle_reduction)op, small[d]) ||
                    (op + d + (int)i) % (HEDDLE_EMULATED ? 4 : 2) != 0)
                    continue;
                build_case(&rows[i].c, small[d], (enum heddle_reduction)op, &b, n_elements);
                heddle__cuda_layout(&b.launch, NULL, &l);
                CHECK((l.class.form == HEDDLE_FORM_BLOCK && l.class.vector == HEDDLE_CUDA_QUAD) ==
                          (rows[i].quads != 0),
                      "row %zu", i);
                run_case(&rows[i].c, small[d], (enum heddle_reduction)op, 0);
            }
}

/* Sums over pairs of what fits in few bytes, as wider numbers, against a loop: counts, and the largest or least value each time. */
static void test_small(void)
{
    enum { N_ROWS = 257, N_COLUMNS = 259, CASES = 12 };
    static const struct {
        enum heddle_dtype from, to;
        int64_t n;
        bool counts;
    } c[CASES] = {
        {HEDDLE_INT8, HEDDLE_INT64, 33, true},       {HEDDLE_UINT8, HEDDLE_INT32, 20, true},
        {HEDDLE_FLOAT32, HEDDLE_FLOAT32, 130, true}, {HEDDLE_FLOAT64, HEDDLE_FLOAT64, 9, true},
        {HEDDLE_INT16, HEDDLE_UINT64, 1024, true},   {HEDDLE_UINT16, HEDDLE_INT64, 1024, false},
        {HEDDLE_UINT16, HEDDLE_UINT64, 700, false},  {HEDDLE_INT16, HEDDLE_INT32, 1024, false},
        {HEDDLE_INT16, HEDDLE_UINT64, 65, false},    {HEDDLE_INT8, HEDDLE_UINT32, 40, false},
        {HEDDLE_UINT8, HEDDLE_UINT64, 1000, false},  {HEDDLE_INT8, HEDDLE_INT64, 17, false},
    };
    for (int i = 0; i < CASES; i++) {
        const int64_t n = c[i].n, extent[3] = {N_ROWS, N_COLUMNS, n}, dense[3] = {N_COLUMNS, 1, 0};
        const int64_t by_row[3] = {n, 0, 1}, by_column[3] = {0, n, 1};
        const size_t from = heddle_dtype_size(c[i].from), to = heddle_dtype_size(c[i].to);
        struct build b;
        build_begin(&b, 2, 3, extent);
        const int x = build_load(&b, c[i].from, NULL, by_row, 0),
                  y = build_load(&b, c[i].from, NULL, by_column, 0);
        const int v =
            build_op(&b, c[i].counts ? HEDDLE_OP_LESS_EQUAL : HEDDLE_OP_MAXIMUM, c[i].from, x, y);
        build_reduce(&b, HEDDLE_REDUCE_SUM, c[i].to,
                     build_cast(&b, c[i].counts ? HEDDLE_BOOL : c[i].from, c[i].to, v));
        build_store(&b, build_reduced(&b, 0), c[i].to, NULL, dense, 0);
        build_seal(&b, 0);
        const size_t bytes[3] = {N_ROWS * (size_t)n * from, N_COLUMNS * (size_t)n * from,
                                 N_ROWS * N_COLUMNS * to};
        void *host[3] = {calloc(bytes[0], 1), calloc(bytes[1], 1), calloc(bytes[2], 1)};
        const bool is_signed = heddle_dtype_kind(c[i].from) != 'U';
        const int bits = 8 * (int)from;
        const double most = c[i].counts ? 3 : (double)((INT64_C(1) << (bits - is_signed)) - 1),
                     least = is_signed && !c[i].counts ? -most - 1 : 0;
        for (int k = 0; k < 2; k++)
            for (int64_t at = 0; at < (k ? N_COLUMNS : N_ROWS) * n; at++) {
                /* of few rows and columns all are least, of others most are the most */
                const union heddle_scalar number = {.f64 = at / n % 5 == 2         ? least
                                                           : at * (k + 3) % 11 < 7 ? most
                                                                                   : least + 1};
                const union heddle_scalar as = heddle__convert(number, HEDDLE_FLOAT64, c[i].from);
                memcpy((char *)host[k] + (size_t)at * from, &as, from);
            }
        if (pass_run(&b, host, bytes, 3, "sums of small numbers"))
            for (int64_t at = 0; at < N_ROWS * N_COLUMNS; at++) {
                double sum = 0; /* exact */
                for (int64_t j = 0; j < n; j++) {
                    double a[2];
                    for (int k = 0; k < 2; k++) {
                        const int64_t of = (k ? at % N_COLUMNS : at / N_COLUMNS) * n + j;
                        union heddle_scalar as = {.u64 = 0};
                        memcpy(&as, (char *)host[k] + (size_t)of * from, from);
                        a[k] = heddle__convert(as, c[i].from, HEDDLE_FLOAT64).f64;
                    }
                    sum += c[i].counts ? a[0] <= a[1] : a[0] > a[1] ? a[0] : a[1];
                }
                const union heddle_scalar whole = {.i64 = (int64_t)sum};
                const union heddle_scalar want = heddle__convert(whole, HEDDLE_INT64, c[i].to);
                if (memcmp((char *)host[2] + (size_t)at * to, &want, to) == 0) continue;
                CHECK(0, "%s: case %d, element %lld", pass_names[pass], i, (long long)at);
                break;
            }
        for (int k = 0; k < 3; k++) free(host[k]);
    }
}

void test_strips(void)
{
    test_quads();
    test_small();
    for (int i = 0; i < N_CASES; i++) run_case(&cases[i], HEDDLE_FLOAT32, HEDDLE_REDUCE_SUM, 1);
    for (int i = 0; i < N_CASES; i++)
        for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
            for (int op = 0; op < HEDDLE_N_REDUCTIONS; op++) {
                /* some of all: each is a kernel to compile */
                if ((i * 7 + d * 5 + op) % (HEDDLE_EMULATED ? 101 : 11) != 0) continue;
                if (d == HEDDLE_BOOL || !accepts((enum heddle_reduction)op, (enum heddle_dtype)d))
                    continue;
                run_case(&cases[i], (enum heddle_dtype)d, (enum heddle_reduction)op, 0);
            }
}
