/* Programs that a C compiler has made loops of give the bits of the interpreter: each operation of each dtype over lengths
 * around those of blocks and vectors, with numbers for all elements and without, over their own operands; boxes of larger
 * arrays; and random programs, with reductions and without. Arguments: number of random programs, of the first one. */
#include "boxed_rows.h"
#include "check.h"
#include "compiled_case.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"
#include "oracle.h"
#include "random_program.h"

#include <base/memory.h>
#include <pthread.h>
#include <stdlib.h>

static char masks[MOST];

static void give_hash(struct heddle_program *p)
{
    static uint64_t last;
    p->hash = ++last;
}

/* ---- Every operation --------------------------------------------------------------------------- */

/* Each operation of `ops` of x and y, of which `scalars` are one number for all elements: bit 0 x, bit 1 y. All are one program: an
 * operation alone is not compiled. */
static void make_case(struct case_ *c, const enum heddle_op *ops, int n_ops,
                      enum heddle_dtype dtype, unsigned scalars, int64_t n)
{
    const int64_t none[HEDDLE_MAX_NDIM] = {0};
    build_begin(&c->b, 1, 1, &n);
    const int x = build_load(&c->b, dtype, x_data, scalars & 1 ? none : NULL, 0);
    const int y = build_load(&c->b, dtype, y_data, scalars & 2 ? none : NULL, 0);
    const int mask = build_load(&c->b, HEDDLE_BOOL, masks, NULL, 0);
    c->n = 0;
    for (int k = 0; k < n_ops; k++) {
        const struct heddle_op_info *op = &heddle__ops[ops[k]];
        const enum heddle_dtype result = oracle_result(ops[k], dtype);
        const bool select = ops[k] == HEDDLE_OP_WHERE;
        const int v = build_instr(&c->b, (int)ops[k], dtype, result, select ? mask : x,
                                  select          ? x
                                  : op->arity > 1 ? y
                                                  : 0,
                                  select ? y : 0);
        add_result(c, v, result);
    }
}

/* The conversions to every dtype. */
static void make_casts(struct case_ *c, enum heddle_dtype dtype, int64_t n)
{
    build_begin(&c->b, 1, 1, &n);
    const int x = build_load(&c->b, dtype, x_data, NULL, 0);
    c->n = 0;
    for (int to = 1; to < HEDDLE_N_DTYPES; to++) {
        if (to == (int)dtype || heddle__is_half((enum heddle_dtype)to)) continue;
        const int v = build_instr(&c->b, HEDDLE_CODE_CAST, dtype, (enum heddle_dtype)to, x, 0, 0);
        add_result(c, v, (enum heddle_dtype)to);
    }
}

static const int64_t lengths[] = {0, 1, 2, 7, 31, 33, 1023, 1024, 1025, MOST - 1};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static void test_ops(const enum heddle_op *ops, int n_ops, enum heddle_dtype dtype,
                     unsigned scalars)
{
    struct case_ c;
    for (int l = 0; l < N_LENGTHS; l++) {
        make_case(&c, ops, n_ops, dtype, scalars, lengths[l]);
        test_case(&c, 1000000 + ((uint64_t)ops[0] * 16 + dtype) * 4 + scalars,
                  heddle__ops[ops[0]].name);
    }
}

static void fill(enum heddle_dtype dtype)
{
    for (int i = 0; i < MOST; i++) {
        oracle_set(dtype, x_data, i, oracle_value(dtype, (uint64_t)(i < 600 ? i / 24 : i)));
        oracle_set(dtype, y_data, i, oracle_value(dtype, (uint64_t)(i < 600 ? i % 24 : i * 7)));
        masks[i] = i % 3 == 0;
    }
}

/* Divisions and shifts by one number: each that is special, among them 0, 1, -1 and the ends of the range, those about the width,
 * and what it makes of all that is in x_data. */
static void test_by_one(enum heddle_dtype dtype)
{
    static const enum heddle_op ops[] = {HEDDLE_OP_FLOOR_DIVIDE, HEDDLE_OP_REMAINDER,
                                         HEDDLE_OP_FMOD, HEDDLE_OP_BITWISE_LEFT_SHIFT,
                                         HEDDLE_OP_BITWISE_RIGHT_SHIFT};
    if (!(heddle__kind_bit(dtype) & (HEDDLE_KIND_I | HEDDLE_KIND_U))) return;
    for (uint64_t k = 0; k < 48; k++) {
        oracle_set(dtype, y_data, 0, oracle_value(dtype, k));
        test_ops(ops, 5, dtype, 2);
    }
    for (int k = 0; k < 80; k++) {
        oracle_set(dtype, y_data, 0, (struct number){.i = k});
        test_ops(ops, 5, dtype, 2);
    }
}

static void test_operations(enum heddle_dtype dtype, unsigned scalars)
{
    enum heddle_op ops[CHUNK];
    int n = 0;
    fill(dtype);
    for (int op = 1; op < HEDDLE_N_OPS; op++) {
        if (!oracle_has((enum heddle_op)op) || heddle__ops[op].flops > 6 ||
            !(heddle__ops[op].accepts & heddle__kind_bit(dtype)))
            continue;
        ops[n++] = (enum heddle_op)op;
        if (n < CHUNK) continue;
        test_ops(ops, n, dtype, scalars);
        n = 0;
    }
    if (n > 0) test_ops(ops, n, dtype, scalars);
    struct case_ c;
    for (int l = 0; l < N_LENGTHS; l++) {
        make_casts(&c, dtype, lengths[l]);
        test_case(&c, 2000000 + dtype, "cast");
    }
    test_by_one(dtype);
}

/* ---- Several runs ------------------------------------------------------------------------------ */

/* Sines and cosines lie between runs: what they and a later run read keeps its register, and what replaces x in its own memory
 * waits until x was read. */
static void make_across(struct case_ *c, int64_t n)
{
    const enum heddle_dtype dtype = HEDDLE_FLOAT64;
    build_begin(&c->b, 1, 1, &n);
    c->n = 0;
    const int x = build_load(&c->b, dtype, x_data, NULL, 0), one = build_f64(&c->b, 1);
    const int sine = build_op(&c->b, HEDDLE_OP_SIN, dtype, x, 0);
    const int first = build_op(&c->b, HEDDLE_OP_MULTIPLY, dtype,
                               build_op(&c->b, HEDDLE_OP_ADD, dtype, sine, one), x);
    const int cosine = build_op(&c->b, HEDDLE_OP_COS, dtype, first, 0);
    const int sum = build_op(&c->b, HEDDLE_OP_ADD, dtype, cosine, sine);
    add_result(c, build_op(&c->b, HEDDLE_OP_MULTIPLY, dtype, sum, x), dtype);
    add_result(c, first, dtype);
    memcpy(c->out[1], x_data, sizeof x_data);
    c->b.buffer[0] = c->b.buffer[c->b.program.n_operands - 1];
}

/* A loop that converts to narrower integers is done again where one does not fit, for which what it reads must still be there. */
static void make_narrow(struct case_ *c, enum heddle_dtype dtype, int64_t n)
{
    build_begin(&c->b, 1, 1, &n);
    c->n = 0;
    const int x = build_load(&c->b, dtype, x_data, NULL, 0);
    add_result(c, build_op(&c->b, HEDDLE_OP_ADD, dtype, x, x), dtype);
    add_result(c, build_instr(&c->b, HEDDLE_CODE_CAST, dtype, HEDDLE_INT16, x, 0, 0), HEDDLE_INT16);
    memcpy(c->out[0], x_data, sizeof x_data);
    c->b.buffer[0] = c->b.buffer[c->b.program.n_operands - 2];
}

static int build_i32(struct build *b, int32_t v)
{
    return build_constant(b, HEDDLE_INT32, (union heddle_scalar){.i32 = v});
}

/* A shift by one constant of what has 16 bits without sign, and of what has a sign. */
static void make_shifts(struct case_ *c, int64_t n)
{
    const enum heddle_dtype dtype = HEDDLE_INT32;
    build_begin(&c->b, 1, 1, &n);
    c->n = 0;
    const int x = build_load(&c->b, HEDDLE_UINT8, x_data, NULL, 0);
    const int wide = build_instr(&c->b, HEDDLE_CODE_CAST, HEDDLE_UINT8, dtype, x, 0, 0);
    const int by = build_i32(&c->b, 3), factors[2] = {200, -100};
    for (int k = 0; k < 2; k++) {
        const int product =
            build_op(&c->b, HEDDLE_OP_MULTIPLY, dtype, wide, build_i32(&c->b, factors[k]));
        add_result(c, build_op(&c->b, HEDDLE_OP_BITWISE_RIGHT_SHIFT, dtype, product, by), dtype);
    }
}

static void test_across(void)
{
    for (int l = 0; l < N_LENGTHS; l++) {
        struct case_ c;
        fill(HEDDLE_FLOAT64);
        make_across(&c, lengths[l]);
        test_case(&c, 4000000, "across");
        make_narrow(&c, HEDDLE_FLOAT64, lengths[l]);
        test_case(&c, 4000001, "narrow");
        fill(HEDDLE_FLOAT32);
        make_narrow(&c, HEDDLE_FLOAT32, lengths[l]);
        test_case(&c, 4000002, "narrow");
        fill(HEDDLE_UINT8);
        make_shifts(&c, lengths[l]);
        test_case(&c, 4000003, "shifts");
    }
}

/* ---- Rows -------------------------------------------------------------------------------------- */

enum rows_kind {
    STRIDED = 1,  /* a load and a store with steps along the row */
    ROW_ONE = 2,  /* a load of one number for a row */
    ROW_SAME = 4, /* a load of the same row for all */
    AMID = 8,     /* a sine lies between two runs and reads, another one writes what runs compute */
    TWICE = 16,   /* a value has two stores */
    OVER = 32,    /* one store replaces a load of the last run, ... */
    EARLY = 64,   /* ... and one is computed before the last run reads what it replaces */
    COPIED = 128, /* a load is stored */
    APART = 256,  /* rows lie far from each other */
    REDUCED = 512, /* rows are reduced, of loads that move along all axes, or some */
    STEPS =
        1024 /* loads with several steps along the row, and from its end to its begin, of which one is stored, too */
};

static void make_rows(struct rows *t, unsigned kinds, enum heddle_dtype dtype, int ndim,
                      const int64_t *extent)
{
    build_begin(&t->b, ndim, ndim, extent);
    t->dtype = dtype;
    t->apart = kinds & APART ? 64 : 0;
    const int x = load_box(t, 1, 2, false), y = load_box(t, 1, 5, false);
    const int back = load_box(t, 1, 1, true), dense = load_box(t, 1, 0, false);
    int v = op_of(t, HEDDLE_OP_SUBTRACT, op_of(t, HEDDLE_OP_MULTIPLY, x, y), back), last = x;
    if (kinds & STRIDED) {
        v = op_of(t, HEDDLE_OP_ADD, v, load_box(t, 2, 3, false));
        store_box(t, v, 2, 1, false);
    }
    if (kinds & STEPS) {
        const int64_t steps[] = {3, 16, 17, 1};
        for (int k = 0; k < 4; k++) {
            const int stepped = load_box(t, steps[k], k % 2 * 5, false);
            struct heddle_access *const access = &t->b.access[t->b.program.n_operands - 1];
            if (steps[k] == 1) {
                access->offset += extent[ndim - 1] - 1;
                access->stride[ndim - 1] = -1;
            }
            v = op_of(t, HEDDLE_OP_ADD, v, stepped);
            if (k == 0) store_box(t, stepped, 1, 2, false);
        }
    }
    if (kinds & ROW_ONE) {
        v = op_of(t, HEDDLE_OP_ADD, v, load_box(t, 1, 1, false));
        t->b.access[t->b.program.n_operands - 1].stride[ndim - 1] = 0;
    }
    if (kinds & ROW_SAME) {
        v = op_of(t, HEDDLE_OP_MULTIPLY, v, load_box(t, 1, 0, false));
        t->b.access[t->b.program.n_operands - 1].stride[ndim - 2] = 0;
    }
    if (kinds & EARLY) store_over(t, op_of(t, HEDDLE_OP_ADD, v, dense), y);
    if (kinds & OVER) last = load_box(t, 1, 4, true);
    if (kinds & AMID) {
        const int sine = op_of(t, HEDDLE_OP_SIN, v, 0);
        store_box(t, sine, 1, 3, false);
        v = op_of(t, HEDDLE_OP_ADD, op_of(t, HEDDLE_OP_MULTIPLY, sine, y), v);
        store_box(t, op_of(t, HEDDLE_OP_COS, x, 0), 1, 1, true);
    }
    store_box(t, v, 1, 2, false);
    if (kinds & TWICE) store_box(t, v, 1, 3, true);
    const int sum = op_of(t, HEDDLE_OP_ADD, v, dense);
    store_box(t, sum, 1, 6, true);
    v = op_of(t, HEDDLE_OP_SUBTRACT, sum, last);
    if (kinds & OVER)
        store_over(t, v, last);
    else
        store_box(t, v, 1, 0, false);
    if (kinds & COPIED) store_box(t, back, 1, 2, false);
}

static void make_reduced(struct rows *t, enum heddle_dtype dtype, int ndim, const int64_t *extent)
{
    const int last = ndim - 1;
    build_begin(&t->b, last, ndim, extent);
    t->dtype = dtype;
    const int x = load_box(t, 1, 2, false), back = load_box(t, 1, 0, true),
              same = load_box(t, 1, 0, false), one = load_box(t, 1, 1, false);
    t->b.access[2].stride[last - 1] = 0;
    t->b.access[3].stride[last] = 0;
    const int v = op_of(t, HEDDLE_OP_SUBTRACT, op_of(t, HEDDLE_OP_MULTIPLY, x, same), back);
    const int up = op_of(t, HEDDLE_OP_ADD, v, one), down = op_of(t, HEDDLE_OP_ADD, v, same);
    build_reduce(&t->b, HEDDLE_REDUCE_MAX, dtype, up);
    build_reduce(&t->b, HEDDLE_REDUCE_MIN, dtype, down);
    heddle__reduce_chunks(&t->b.launch.geometry, 0);
    for (int r = 0; r < 2; r++) {
        store_box(t, build_reduced(&t->b, r), 1, 1 + r, r);
        t->b.access[4 + r].stride[last] = 0;
    }
}

static void test_rows(unsigned kinds, enum heddle_dtype dtype, int ndim, const int64_t *extent)
{
    struct rows t;
    if (kinds & REDUCED)
        make_reduced(&t, dtype, ndim, extent);
    else
        make_rows(&t, kinds, dtype, ndim, extent);
    const int n = t.b.program.n_operands;
    for (int o = 0; o < n; o++) {
        t.before[o] = malloc(t.bytes[o] + 1);
        t.want[o] = malloc(t.bytes[o] + 1);
        if (!t.before[o] || !t.want[o]) exit(1);
        memcpy(t.before[o], t.b.buffers[o], t.bytes[o]);
    }
    CHECK_EQ(build_run(&t.b, 1), HEDDLE_OK);
    for (int o = 0; o < n; o++) memcpy(t.want[o], t.b.buffers[o], t.bytes[o]);
    t.b.program.hash = 5000000 + kinds * 32 + dtype;
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        for (int o = 0; o < n; o++) memcpy(t.b.buffers[o], t.before[o], t.bytes[o]);
        CHECK_EQ(build_run(&t.b, n_threads), HEDDLE_OK);
        for (int o = 0; o < n; o++)
            CHECK(!memcmp(t.want[o], t.b.buffers[o], t.bytes[o]),
                  "kinds %u, %s, %lld rows of %lld: operand %d", kinds, heddle_dtype_name(dtype),
                  (long long)extent[ndim - 2], (long long)extent[ndim - 1], o);
    }
    for (int o = 0; o < n; o++) {
        if (t.bytes[o] > 0) free(t.b.buffers[o]);
        free(t.before[o]);
        free(t.want[o]);
    }
}

static void test_all_rows(bool all)
{
    /* the last ones are so many elements that blocks become large */
    static const int64_t flat[][2] = {{1, 59},  {7, 1},    {67, 15},   {67, 16},
                                      {67, 17}, {61, 59},  {3, 1023},  {5, 1025},
                                      {9, 255}, {11, 401}, {300, 1025}},
                         deep[][3] = {{3, 7, 1},   {5, 19, 15}, {4, 21, 16}, {2, 67, 59},
                                      {3, 5, 600}, {1, 40, 33}, {9, 7, 17},  {37, 91, 79}},
                         columns[][3] = {{1, 1, 1},   {1, 2, 1},  {1, 61, 1},   {1, 2049, 1},
                                         {3, 300, 1}, {2, 30, 1}, {2, 1100, 1}, {2, 67, 2}};
    static const unsigned kinds[] = {0,
                                     OVER,
                                     STRIDED,
                                     ROW_ONE,
                                     TWICE,
                                     ROW_SAME | OVER,
                                     COPIED | EARLY,
                                     AMID,
                                     AMID | EARLY | OVER,
                                     REDUCED,
                                     REDUCED | 1,
                                     255,
                                     STEPS,
                                     STEPS | STRIDED | OVER};
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_UINT8, HEDDLE_FLOAT32,
                                               HEDDLE_INT64};
    for (int k = 0; k < 14; k++) {
        if (!all && k % 3) continue;
        const enum heddle_dtype dtype = kinds[k] & AMID ? dtypes[k % 2 * 2] : dtypes[k % 4];
        for (int s = 0; s < 11; s++) test_rows(kinds[k], dtype, 2, flat[s]);
        for (int s = 0; s < 8; s++) test_rows(kinds[k], dtype, 3, deep[s]);
        for (int s = 0; s < 8; s++) test_rows(kinds[k] | APART, dtype, 3, columns[s]);
    }
}

/* ---- Random programs --------------------------------------------------------------------------- */

static void test_random(uint64_t seed)
{
    struct random_program r;
    const struct random_options options = {.seed = seed,
                                           .max_elements = 6000,
                                           .n_instrs = 10 + (int)(seed % 60),
                                           .reduce = seed % 3 == 0,
                                           .sequential = seed % 2 == 0,
                                           .alias = seed % 4 == 1};
    random_make(&r, &options);
    if (seed % 5 == 0) r.build.launch.geometry.whole[0] = INT64_C(1) << 40;
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    random_save(&r, input);
    CHECK_EQ(build_run(&r.build, 1), HEDDLE_OK);
    random_save(&r, want);
    give_hash(&r.build.program);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        random_restore(&r, input);
        CHECK_EQ(build_run(&r.build, n_threads), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "seed %llu, %d threads: operand %d", (unsigned long long)seed, n_threads, o);
    }
    random_drop(&r, input);
    random_drop(&r, want);
    random_free(&r);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

enum { THREADS = 4, FORMS = 3, ROUNDS = 3000 };

/* Runs forms that all threads run, and remembers them, until they are compiled under it and some time after. */
static void *run_forms(void *counter)
{
    static double in[MOST];
    static double outs[THREADS][FORMS][MOST];
    double(*out)[MOST] = outs[atomic_fetch_add((atomic_int *)counter, 1)];
    struct build b[FORMS];
    struct heddle_cpu_memo *memo[FORMS] = {NULL};
    const int64_t n = MOST;
    intptr_t wrong = 0;
    for (int f = 0; f < FORMS; f++) {
        build_begin(&b[f], 1, 1, &n);
        int v = build_load(&b[f], HEDDLE_FLOAT64, in, NULL, 0);
        for (int k = 0; k < 2 + f; k++)
            v = build_op(&b[f], HEDDLE_OP_ADD, HEDDLE_FLOAT64, v, build_f64(&b[f], 1));
        build_store(&b[f], v, HEDDLE_FLOAT64, out[f], NULL, 0);
        b[f].program.hash = 3000000 + (uint64_t)f;
    }
    for (int round = 0; round < ROUNDS; round++) {
        const int f = round % FORMS;
        out[f][round % MOST] = 0;
        wrong +=
            (round % 2 ? build_run(&b[f], 1) : build_run_again(&b[f], 1, &memo[f])) != HEDDLE_OK;
        wrong += out[f][round % MOST] != 2 + f;
        if (round == ROUNDS / 2) heddle__forms_wait();
    }
    for (int f = 0; f < FORMS; f++) heddle__free(memo[f]);
    return (void *)wrong;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    atomic_int counter = 0;
    const int64_t ready = heddle__forms_counters().ready;
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, run_forms, &counter), 0);
    for (int t = 0; t < THREADS; t++) {
        void *wrong = NULL;
        CHECK_EQ(pthread_join(threads[t], &wrong), 0);
        CHECK(wrong == NULL, "thread %d: %d runs are wrong", t, (int)(intptr_t)wrong);
    }
    heddle__forms_wait();
    CHECK_EQ(heddle__forms_counters().ready - ready, FORMS);
}

/* Every operation, loops across, rows, `n` random programs from number `first` on. */
static inline void test_values(uint64_t n, uint64_t first)
{
    const bool all = n >= 20;
    for (int dtype = 1; dtype < HEDDLE_N_DTYPES; dtype++) {
        if (heddle__is_half((enum heddle_dtype)dtype) || dtype % 3 >= CHECK_SOME(3, 2)) continue;
        test_operations((enum heddle_dtype)dtype, all ? (unsigned)dtype % 3 : 2);
    }
    test_across();
    test_all_rows(all);
    for (uint64_t seed = first; seed < first + n; seed++) test_random(seed);
    CHECK(heddle__forms_counters().ready >= 30);
}

int main(int argc, char **argv)
{
    heddle__object_folder = NULL; /* nothing is on disk */
    heddle__forms_allow(true);
    heddle__forms_hurry(false);
    test_threads();
    heddle__forms_hurry(true);
#ifndef __SANITIZE_THREAD__ /* by one thread: no races */
    test_values(argc > 1 ? strtoull(argv[1], NULL, 10) : CHECK_SOME(50, 20),
                argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
#endif
    CHECK_EQ(heddle__forms_counters().failed, 0);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
