/* exp, exp2, log, log1p and tanh that a C compiler has made part of a loop give the bits of the block functions: of ordinary numbers, of
 * any bits, at the borders of what is ordinary, and of strips some of which have something that is not; and so does what is one number
 * for a row, though it is stored for each element. Arguments: share, from 0, and number of shares, of the functions. */
#include "check.h"
#include "compiled_case.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"
#include "cpu/compiled/plan.h"
#include "random_words.h"

#include <base/memory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum heddle_op functions[] = {HEDDLE_OP_EXP, HEDDLE_OP_EXP2, HEDDLE_OP_LOG,
                                           HEDDLE_OP_LOG1P, HEDDLE_OP_TANH};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions, TURNS = 30 };

/* Where the functions change how they are computed. */
static double border(enum heddle_dtype dtype)
{
    static const double of[] = {
        0,        -0.0,      1,        -1,        87,        88.7,       88.8,       -87,    -87.4,
        -103.9,   -104,      -150,     125,       128,       -126,       -149,       -150.5, 708,
        709.7,    709.8,     -708,     -745,      -746,      1021,       1024,       -1022,  -1074,
        -1076,    0x1p-126,  0x1p-149, 0x1p-1022, 0x1p-1074, 0x1p-60,    0x1p-30,    10,     9.01,
        INFINITY, -INFINITY, NAN,      1e300,     -1e300,    0.70710678, 1.41421356, 120,    -120,
        160,      760,       -1100,    3e38};
    const double x = of[word_below(sizeof of / sizeof *of)];
    if (dtype == HEDDLE_FLOAT32)
        return word_below(2) ? (double)(float)x
                             : (double)nextafterf((float)x, word_below(2) ? 1e9F : -1e9F);
    return word_below(2) ? x : nextafter(x, word_below(2) ? 1e9 : -1e9);
}

static void put(enum heddle_dtype dtype, char *data, int i, double x)
{
    const float f = (float)x;
    if (dtype == HEDDLE_FLOAT32)
        memcpy(data + 4 * (size_t)i, &f, sizeof f);
    else
        memcpy(data + 8 * (size_t)i, &x, sizeof x);
}

/* Turn 0: ordinary numbers; 1: borders; 2: any bits; 3: ordinary ones but for the last strips. */
static void fill(enum heddle_dtype dtype, char *data, int turn)
{
    for (int i = 0; i < MOST; i++) {
        const uint64_t bits = random_word();
        if (turn % 4 == 1 || (turn % 4 == 3 && i > 600 && word_below(40) == 0))
            put(dtype, data, i, border(dtype));
        else if (turn % 4 == 2)
            memcpy(data + heddle_dtype_size(dtype) * (size_t)i, &bits, heddle_dtype_size(dtype));
        else
            put(dtype, data, i, turn % 8 < 4 ? random_part() * 0.9 : random_part() * 20 + 0x1p-9);
    }
}

/* y + f(x) * x of each function f, or that of what another one gave; all are results, too. */
static void make_case(struct case_ *c, enum heddle_dtype dtype, int first, int second, int64_t n)
{
    build_begin(&c->b, 1, 1, &n);
    c->n = 0;
    const int x = build_load(&c->b, dtype, x_data, NULL, 0),
              y = build_load(&c->b, dtype, y_data, NULL, 0);
    int f = build_op(&c->b, functions[first], dtype, x, 0);
    add_result(c, f, dtype);
    if (second >= 0) f = build_op(&c->b, functions[second], dtype, f, 0);
    const int product = build_op(&c->b, HEDDLE_OP_MULTIPLY, dtype, f, x);
    add_result(c, build_op(&c->b, HEDDLE_OP_ADD, dtype, y, product), dtype);
}

/* x - m[:, None], or its exponential, where m[:, None] is a result, too, or not. */
static void test_rows(uint64_t hash, int turn, enum heddle_dtype dtype, int64_t columns,
                      bool stored, bool exponential)
{
    const int64_t extent[2] = {MOST / columns, columns}, across[2] = {1, 0};
    struct case_ c;
    build_begin(&c.b, 2, 2, extent);
    c.n = 0;
    const int x = build_load(&c.b, dtype, x_data, NULL, 0),
              m = build_load(&c.b, dtype, y_data, across, 0);
    int v = build_op(&c.b, HEDDLE_OP_SUBTRACT, dtype, x, m);
    if (exponential) v = build_op(&c.b, HEDDLE_OP_EXP, dtype, v, 0);
    if (stored) add_result(&c, m, dtype);
    add_result(&c, build_op(&c.b, HEDDLE_OP_ADD, dtype, v, m), dtype);
    fill(dtype, x_data, turn);
    fill(dtype, y_data, 0);
    test_case(&c, hash, "rows");
}

/* Whether loops of that instruction set have the function. */
static void test_choice(enum heddle_dtype dtype, int function, enum heddle__level level,
                        const char *text)
{
    struct case_ c;
    make_case(&c, dtype, function, -1, 100);
    const struct heddle_program *p = &c.b.program;
    struct heddle__section section = {.program = p, .end = p->n_instrs};
    for (int i = 0; i < p->n_instrs; i++) section.moving[i / 64] |= UINT64_C(1) << i % 64;
    static struct heddle__plan plan;
    heddle__plan_runs(&plan, &section, level);
    char *const source = heddle__plan_source(&plan, &section);
    CHECK(source && !strstr(source, "vf exp") == !text && (!text || strstr(source, text)), "%s",
          text ? text : "none");
    heddle__free(source);
    drop_case(&c);
}

int main(int argc, char **argv)
{
    const int share = argc > 2 ? atoi(argv[1]) : 0, n_shares = argc > 2 ? atoi(argv[2]) : 1;
    heddle__object_folder = NULL; /* nothing is on disk */
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    uint64_t hash = 1;
    for (int dtype = HEDDLE_FLOAT32; dtype <= HEDDLE_FLOAT64; dtype++)
        for (int first = 0; first < N_FUNCTIONS; first++)
            for (int second = -1; second < N_FUNCTIONS; second += 1 + first, hash++)
                for (int turn = 0; turn < TURNS && (int)hash % n_shares == share; turn++) {
                    struct case_ c;
                    fill((enum heddle_dtype)dtype, x_data, turn);
                    fill((enum heddle_dtype)dtype, y_data, 0);
                    make_case(&c, (enum heddle_dtype)dtype, first, second,
                              turn % 3 ? MOST - 1 : 1 + word_below(70));
                    test_case(&c, hash, heddle__ops[functions[first]].name);
                }
    static const int64_t columns[] = {15, 16, 59, 137, 255, 256, 300, 549};
    for (int k = 0; k < 8; k++)
        for (int kind = 0; kind < 8; kind++) /* the kind is the program */
            test_rows(hash + (uint64_t)kind, k + kind, kind & 4 ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64,
                      columns[k], kind & 1, kind & 2);
    CHECK(heddle__forms_counters().ready > 10);
    CHECK_EQ(heddle__forms_counters().failed, 0);
    test_choice(HEDDLE_FLOAT32, 0, HEDDLE__AVX2, "exp_of_f(x, true)");
    test_choice(HEDDLE_FLOAT32, 0, HEDDLE__BASELINE, NULL);
    test_choice(HEDDLE_FLOAT64, 2, HEDDLE__AVX512, "log_of_d(x, true)");
    test_choice(HEDDLE_FLOAT64, 2, HEDDLE__AVX2, "log_of_d(x, true)");
    test_choice(HEDDLE_FLOAT64, 4, HEDDLE__AVX512, NULL);
    return check_done();
}
