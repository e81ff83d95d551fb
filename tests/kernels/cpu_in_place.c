/* Reductions of values alone that lie in runs: memory in three axes, of which some are reduced, permuted, with gaps, backwards,
 * the same again along an axis; one reduction and several of an operand, against the reference one element at a time, bit for
 * bit, with one thread and two. Arguments: share, from 0, and number of shares, of the shapes. */
#include "check.h"
#include "oracle.h"
#include "random_program.h"

#include <base/memory.h>
#include <stdlib.h>

enum { N_AXES = 3 };

/* Axes in the order of memory; which are reduced; elements between rows; axis that goes backwards, or along which all are the
 * same, or -1. */
struct shape {
    int64_t extent[N_AXES];
    int reduced, gap, backwards, same;
};

static const struct shape shapes[] = {
    /* outer axes: chunks, parts of passes, columns beyond whole vectors, tiles */
    {{1, 2, 40}, 2, 0, -1, -1},
    {{1, 3, 4000}, 2, 0, -1, -1},
    {{1, 6, 131}, 2, 0, -1, -1},
    {{1, 259, 64}, 2, 0, -1, -1},
    {{1, 700, 70}, 2, 3, -1, -1},
    {{1, 515, 1100}, 2, 0, -1, -1},
    {{1, 300, 150}, 2, 0, 1, -1},
    {{1, 300, 333}, 2, 5, -1, 1},
    {{1, 9, 128}, 2, 64, -1, -1},
    /* the middle one, and it with the outer one */
    {{5, 40, 64}, 2, 0, -1, -1},
    {{7, 300, 40}, 2, 2, 0, -1},
    {{40, 30, 33}, 3, 0, -1, -1},
    {{3, 300, 140}, 3, 1, 1, -1},
    {{300, 3, 150}, 1, 0, -1, -1},
    {{11, 70, 130}, 1, 7, 0, -1},
    {{20, 17, 129}, 1, 0, -1, 0},
    /* the outer one with the inner one: lanes again after some runs */
    {{70, 9, 64}, 5, 0, -1, -1},
    {{9, 5, 512}, 5, 0, -1, -1},
    {{1100, 3, 128}, 5, 0, 0, -1},
    {{130, 4, 32}, 5, 3, -1, -1},
    {{40, 4, 256}, 5, 0, -1, 0},
    {{65, 4, 100}, 5, 0, -1, -1},
    {{33, 2, 1024}, 5, 0, -1, -1},
    {{40, 5, 64}, 6, 8, -1, -1}, /* inner two, whose rows have gaps */
    {{3, 60, 128}, 6, 8, 1, -1},
    {{2, 1, 3000}, 4, 0, -1, -1},
};

static const struct {
    enum heddle_dtype dtype;
    int n;
    enum heddle_reduction op[3];
    bool squares; /* then values are in blocks */
} kinds[] = {
    {HEDDLE_FLOAT64, 1, {HEDDLE_REDUCE_SUM}, false},
    {HEDDLE_FLOAT64, 2, {HEDDLE_REDUCE_MAX, HEDDLE_REDUCE_MIN}, false},
    {HEDDLE_FLOAT32, 3, {HEDDLE_REDUCE_ARGMIN, HEDDLE_REDUCE_SUM, HEDDLE_REDUCE_NANMAX}, false},
    {HEDDLE_FLOAT32, 1, {HEDDLE_REDUCE_ARGMAX}, false},
    {HEDDLE_INT8, 1, {HEDDLE_REDUCE_MIN}, false},
    {HEDDLE_INT16, 2, {HEDDLE_REDUCE_ARGMAX, HEDDLE_REDUCE_SUM}, false},
    {HEDDLE_COMPLEX128, 2, {HEDDLE_REDUCE_SUM, HEDDLE_REDUCE_PROD}, false},
    {HEDDLE_BOOL, 2, {HEDDLE_REDUCE_ANY, HEDDLE_REDUCE_ALL}, false},
    {HEDDLE_FLOAT64, 2, {HEDDLE_REDUCE_SUM, HEDDLE_REDUCE_ARGMAX}, true},
};

static void *room(struct random_program *r, int o, int64_t elements)
{
    const struct heddle_program *p = &r->build.program;
    r->bytes[o] = (size_t)elements * heddle_dtype_size((enum heddle_dtype)p->operand_dtype[o]);
    r->data[o] = calloc(1, r->bytes[o]);
    if (!r->data[o]) exit(1);
    return r->build.buffers[o] = r->data[o];
}

/* The launch over kept axes, then reduced ones, each in the order of memory. */
static void make(struct random_program *r, const struct shape *s, int kind, bool sequential)
{
    const enum heddle_dtype dtype = kinds[kind].dtype;
    int64_t extent[N_AXES], stride[HEDDLE_MAX_NDIM] = {0}, out[HEDDLE_MAX_NDIM] = {0};
    int64_t next = 1, by[N_AXES], offset = 0, n_kept = 1;
    int n = 0, kept = 0;
    memset(r, 0, sizeof *r);
    for (int d = N_AXES - 1; d >= 0; d--) {
        by[d] = d == s->same ? 0 : d == s->backwards ? -next : next;
        if (d == s->backwards) offset = next * (s->extent[d] - 1);
        next = next * s->extent[d] + (d == N_AXES - 1 ? s->gap : 0);
    }
    for (int reduced = 0; reduced < 2; reduced++)
        for (int d = 0; d < N_AXES; d++) {
            if ((s->reduced >> d & 1) != reduced) continue;
            extent[n] = s->extent[d];
            stride[n++] = by[d];
            kept += !reduced;
        }
    for (int d = kept - 1; d >= 0; d--) {
        out[d] = n_kept;
        n_kept *= extent[d];
    }
    build_begin(&r->build, kept, N_AXES, extent);
    struct heddle_program *p = &r->build.program;
    int x = build_load(&r->build, dtype, NULL, stride, offset);
    if (kinds[kind].squares) x = build_op(&r->build, HEDDLE_OP_MULTIPLY, dtype, x, x);
    for (int k = 0; k < kinds[kind].n; k++) build_reduce(&r->build, kinds[kind].op[k], dtype, x);
    for (int k = 0; k < p->n_reductions; k++)
        build_store(&r->build, build_reduced(&r->build, k),
                    (enum heddle_dtype)p->reductions[k].result, NULL, out, 0);
    p->sequential = sequential;
    heddle__reduce_chunks(&r->build.launch.geometry, sequential);
    void *data = room(r, 0, next);
    for (int64_t i = 0; i < next; i++) {
        /* numbers that sums round; few of them special */
        const uint64_t u = (uint64_t)(i + 7) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        struct number v = {(__int128)(u >> 9), 0.75L + (long double)(u % 999983) / 2000003, 0.5L};
        if (u % 3 == 0) v.re = -v.re;
        if (u % 4099 == 0) v = oracle_value(dtype, u % ORACLE_SPECIAL);
        oracle_set(dtype, data, i, v);
    }
    for (int o = 1; o < p->n_operands; o++) room(r, o, n_kept);
}

static void test(int shape, int kind, bool sequential)
{
    struct random_program r;
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    make(&r, &shapes[shape], kind, sequential);
    random_save(&r, input);
    random_reference(&r);
    random_save(&r, want);
    static const int threads[] = {1, 2, 16};
    for (int t = 0; t < 3; t++) {
        const int n_threads = threads[t];
        random_restore(&r, input);
        CHECK_EQ(build_run(&r.build, n_threads), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "shape %d, kind %d, sequential %d, %d threads: operand %d", shape, kind,
              sequential, n_threads, o);
    }
    random_drop(&r, input);
    random_drop(&r, want);
    random_free(&r);
}

int main(int argc, char **argv)
{
    const size_t share = argc > 2 ? strtoull(argv[1], NULL, 10) : 0,
                 n_shares = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (size_t s = share; s < sizeof shapes / sizeof *shapes; s += n_shares)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int sequential = 0; sequential < 2; sequential++) test((int)s, (int)k, sequential);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
