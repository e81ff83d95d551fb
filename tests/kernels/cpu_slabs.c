/* Reductions over an axis that few kept elements follow (cpu/reduce/reduce_slabs.c): rows of 2 to 33 elements, 1 to 70 of them and more
 * than a chunk has, in one slab and many, that lie side by side, with gaps, backwards or in one place; as they are, and with operations
 * before, of which some are of other arrays, which are reduced alone, too; whole, by
 * several threads, and box by box; against the reference one element at a time, bit for bit. Behind all memory there is none, so that
 * who reads or writes too much stops. Arguments: share, from 0, and number of shares, of the lengths of rows. */
#include "check.h"
#include "oracle.h"
#include "random_program.h"

#include <base/memory.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NDIM = 4, N_KEPT = 3, X = 0, Y = 1 }; /* kept [2][slabs][m], reduced [rows]; operands */

enum layout { DENSE, GAPS, BACKWARDS, SAME, N_LAYOUTS };
enum before { NOTHING, SQUARE, BY_SLAB, BY_ROW, BY_COLUMN, BY_ONE, N_BEFORES };

struct shape {
    int64_t slabs, rows, m;
    enum layout layout;
    enum before before;
    enum heddle_dtype dtype;
    int op; /* the first of two */
};

/* ---- Memory that ends where no more is --------------------------------------------------------------------- */

static size_t pages_of(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static void *room(struct random_program *r, int o, int64_t elements)
{
    const struct heddle_program *p = &r->build.program;
    const size_t bytes =
                     (size_t)elements * heddle_dtype_size((enum heddle_dtype)p->operand_dtype[o]),
                 pages = pages_of(bytes);
    char *all =
        mmap(NULL, pages + pages_of(1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + pages, pages_of(1), PROT_NONE)) exit(1);
    r->bytes[o] = bytes;
    return r->data[o] = r->build.buffers[o] = all + pages - bytes;
}

static void drop_rooms(struct random_program *r)
{
    for (int o = 0; o < r->build.program.n_operands; o++) {
        const size_t pages = pages_of(r->bytes[o]);
        munmap((char *)r->data[o] + r->bytes[o] - pages, pages + pages_of(1));
    }
}

/* Numbers that sums round, in all digits; few of them special. */
static void fill(struct random_program *r, int o, enum heddle_dtype dtype, int64_t n)
{
    void *data = room(r, o, n);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t u = (uint64_t)(i + 7 + 1000 * o) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        struct number v = {(__int128)(u >> 9), 0.75L + (long double)(u % 999983) / 2000003, 0};
        if (u % 3 == 0) v.re = -v.re;
        if (u % 997 == 0) v = oracle_value(dtype, u % ORACLE_SPECIAL);
        if (dtype == HEDDLE_BOOL) v.i = u % 29 == 0;
        oracle_set(dtype, data, i, v);
    }
}

/* ---- Programs ------------------------------------------------------------------------------------------------ */

static const enum heddle_reduction ops[] = {HEDDLE_REDUCE_SUM,    HEDDLE_REDUCE_MAX,
                                            HEDDLE_REDUCE_PROD,   HEDDLE_REDUCE_MIN,
                                            HEDDLE_REDUCE_NANMAX, HEDDLE_REDUCE_NANMIN},
                                   of_bools[] = {HEDDLE_REDUCE_ANY, HEDDLE_REDUCE_ALL};

static void make(struct random_program *r, const struct shape *s)
{
    const int64_t extent[NDIM] = {2, s->slabs, s->m, s->rows};
    const int64_t slab = (s->rows + (s->layout == GAPS ? 3 : 0)) * s->m;
    const int64_t step = s->layout == SAME ? 0 : s->layout == BACKWARDS ? -slab : slab;
    const int64_t apart = slab * s->slabs;
    const int64_t x[HEDDLE_MAX_NDIM] = {apart, step, 1, s->m};
    const int64_t y[N_BEFORES][HEDDLE_MAX_NDIM] = {[BY_SLAB] = {s->slabs * s->m, s->m, 1, 0},
                                                   [BY_ROW] = {0, 0, 0, 1},
                                                   [BY_COLUMN] = {0, 0, 1, 0},
                                                   [BY_ONE] = {0}};
    const int64_t n_y[N_BEFORES] = {
        [BY_SLAB] = 2 * s->slabs * s->m, [BY_ROW] = s->rows, [BY_COLUMN] = s->m, [BY_ONE] = 1};
    const bool is_bool = s->dtype == HEDDLE_BOOL;
    memset(r, 0, sizeof *r);
    build_begin(&r->build, N_KEPT, NDIM, extent);
    int v[2];
    v[0] = build_load(&r->build, s->dtype, NULL, x, s->layout == BACKWARDS ? apart - slab : 0);
    v[1] = v[0];
    if (s->before >= BY_SLAB) {
        v[1] = build_load(&r->build, s->dtype, NULL, y[s->before], 0);
        v[0] = build_op(&r->build, is_bool ? HEDDLE_OP_LOGICAL_XOR : HEDDLE_OP_SUBTRACT, s->dtype,
                        v[0], v[1]);
    } else if (s->before == SQUARE) {
        v[0] = build_op(&r->build, is_bool ? HEDDLE_OP_LOGICAL_AND : HEDDLE_OP_MULTIPLY, s->dtype,
                        v[0], v[0]);
    }
    for (int k = 0; k < 2; k++)
        build_reduce(&r->build, is_bool ? of_bools[k] : ops[(s->op + k) % 6], s->dtype, v[k]);
    for (int k = 0; k < 2; k++)
        build_store(&r->build, build_reduced(&r->build, k), s->dtype, NULL, y[BY_SLAB], 0);
    r->build.program.sequential = true;
    heddle__reduce_chunks(&r->build.launch.geometry, true);
    fill(r, X, s->dtype, 2 * apart - (s->layout == GAPS ? 3 * s->m : 0));
    if (s->before >= BY_SLAB) fill(r, Y, s->dtype, n_y[s->before]);
    for (int o = r->build.program.n_operands - 2; o < r->build.program.n_operands; o++)
        room(r, o, 2 * s->slabs * s->m);
}

/* In two boxes, which cut the slabs. */
static enum heddle_status run_boxes(struct build *b, const struct shape *s)
{
    enum heddle_status status = HEDDLE_OK;
    for (int part = 0; part < 2 && status == HEDDLE_OK; part++) {
        const int64_t cut = s->slabs / 3, lo[NDIM] = {0, part * cut, 0, 0};
        const int64_t size[NDIM] = {2, part ? s->slabs - cut : cut, s->m, s->rows};
        struct heddle_access access[HEDDLE_MAX_OPERANDS];
        const struct heddle_launch box = heddle__launch_box(&b->launch, lo, size, access);
        status = heddle__cpu_program(&box, b->buffers, b->constants, test_team(2));
    }
    return status;
}

static void test(const struct shape *s)
{
    struct random_program r;
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    make(&r, s);
    random_save(&r, input);
    random_reference(&r);
    random_save(&r, want);
    static const int threads[] = {1, 2, 16, 0};
    for (int t = 0; t < 4; t++) {
        random_restore(&r, input);
        CHECK_EQ(threads[t] ? build_run(&r.build, threads[t]) : run_boxes(&r.build, s), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0,
              "%s, %lld slabs of %lld x %lld, layout %d, before %d, op %d, %d threads: operand %d",
              heddle_dtype_name(s->dtype), (long long)s->slabs, (long long)s->rows, (long long)s->m,
              s->layout, s->before, s->op, threads[t], o);
    }
    random_drop(&r, input);
    random_drop(&r, want);
    drop_rooms(&r);
}

int main(int argc, char **argv)
{
    const int64_t share = argc > 2 ? strtoll(argv[1], NULL, 10) : 0,
                  n_shares = argc > 2 ? strtoll(argv[2], NULL, 10) : 1;
    static const enum heddle_dtype dtypes[] = {HEDDLE_BOOL,   HEDDLE_INT8,   HEDDLE_UINT16,
                                               HEDDLE_INT32,  HEDDLE_UINT64, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    static const int64_t longer[] = {256, 257, 300, 515};
    for (int64_t m = 2 + share; m <= 33; m += n_shares)
        for (int64_t t = 0; t < (int64_t)(sizeof dtypes / sizeof *dtypes); t++)
            for (int64_t k = 0; k < 5; k++) { /* all with all others, sooner or later */
                const int64_t number = (m * 7 + t) * 5 + k;
                const struct shape s = {.slabs = k == 4 ? 40 : 1 + number * 7 % 9,
                                        .rows = k == 0 ? longer[(m + t) % 4] : 1 + number * 11 % 70,
                                        .m = m,
                                        .layout = (enum layout)((k + m) % N_LAYOUTS),
                                        .before = (enum before)((k + t + m / 4) % N_BEFORES),
                                        .dtype = dtypes[t],
                                        .op = (int)((m + k) % 6)};
                test(&s);
            }
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
