/* Programs on integers of one and two bytes in wider ones, once a C compiler has made loops of them, give the bits of the interpreter: random
 * ones, each with many numbers, of which some keep all values in 16 bits, some just miss, and some do not at all; and those whose values just fit.
 * Bounds hold all results of small integers. Argument: number of random programs. */
#include "check.h"
#include "compiled_case.h"
#include "cpu/bounds.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"
#include "cpu/compiled/plan.h"
#include "random_words.h"

#include <base/memory.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5, N_NUMBERS = 2, MOST_VALUES = 2 + N_NUMBERS + STEPS, TURNS = 40 };

static const enum heddle_op operations[] = {
    HEDDLE_OP_ADD,     HEDDLE_OP_ADD,          HEDDLE_OP_SUBTRACT,  HEDDLE_OP_MULTIPLY,
    HEDDLE_OP_SQUARE,  HEDDLE_OP_NEGATIVE,     HEDDLE_OP_ABS,       HEDDLE_OP_MAXIMUM,
    HEDDLE_OP_MINIMUM, HEDDLE_OP_FLOOR_DIVIDE, HEDDLE_OP_REMAINDER, HEDDLE_OP_BITWISE_RIGHT_SHIFT,
    HEDDLE_OP_WHERE,   HEDDLE_OP_BITWISE_AND,
};
static const enum heddle_op comparisons[] = {HEDDLE_OP_EQUAL,   HEDDLE_OP_NOT_EQUAL,
                                             HEDDLE_OP_LESS,    HEDDLE_OP_LESS_EQUAL,
                                             HEDDLE_OP_GREATER, HEDDLE_OP_GREATER_EQUAL};

/* What a program is but for its numbers: values are x, y, the numbers, and those of the steps. */
struct recipe {
    enum heddle_dtype x, y, wide;
    struct {
        enum heddle_op op, comparison;
        int operand[4]; /* the last two are those of WHERE's comparison */
    } step[STEPS];
};

static bool by_number(enum heddle_op op)
{
    return op == HEDDLE_OP_FLOOR_DIVIDE || op == HEDDLE_OP_REMAINDER ||
           op == HEDDLE_OP_BITWISE_RIGHT_SHIFT;
}

static struct recipe draw(void)
{
    static const enum heddle_dtype narrow[] = {HEDDLE_BOOL,  HEDDLE_INT8,  HEDDLE_UINT8,
                                               HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_UINT16};
    static const enum heddle_dtype wide[] = {HEDDLE_INT32, HEDDLE_UINT32, HEDDLE_INT64,
                                             HEDDLE_UINT64};
    struct recipe r = {narrow[word_below(6)], narrow[word_below(6)], wide[word_below(4)], {{0}}};
    for (int s = 0; s < STEPS; s++) {
        r.step[s].op = operations[word_below(sizeof operations / sizeof *operations)];
        r.step[s].comparison = comparisons[word_below(6)];
        for (int k = 0; k < 4; k++) /* mostly what the last steps made */
            r.step[s].operand[k] = (int)(word_below(2) ? word_below(2 + N_NUMBERS + s)
                                         : s > 0       ? 1 + N_NUMBERS + s
                                                       : word_below(2));
        if (by_number(r.step[s].op)) r.step[s].operand[1] = 2 + (int)word_below(N_NUMBERS);
    }
    return r;
}

/* Numbers about what 16 bits have room for, and any. */
static int64_t number(enum heddle_dtype dtype)
{
    static const int64_t borders[] = {
        0,     1,     -1,        2,         3,    9,    77,    127,   128,       -128,
        150,   255,   256,       257,       -255, -256, 32767, 32768, -32768,    -32769,
        65535, 65536, INT32_MAX, INT32_MIN, 16,   31,   32,    63,    INT64_MIN, 8};
    int64_t n = borders[word_below(sizeof borders / sizeof *borders)];
    if (word_below(3) == 0) n = word_below(300);
    if (word_below(8) == 0) n = (int64_t)random_word();
    return dtype == HEDDLE_INT32 ? (int32_t)n : dtype == HEDDLE_UINT32 ? (uint32_t)n : n;
}

static int load_as(struct build *b, enum heddle_dtype dtype, const char *data,
                   enum heddle_dtype wide)
{
    const int x = build_load(b, dtype, data, NULL, 0);
    return build_instr(b, HEDDLE_CODE_CAST, dtype, wide, x, 0, 0);
}

/* `numbers`: NULL: any. */
static void make_case(struct case_ *c, const struct recipe *r, int64_t n, const int64_t *numbers)
{
    build_begin(&c->b, 1, 1, &n);
    c->n = 0;
    int value[MOST_VALUES], n_values = 0;
    value[n_values++] = load_as(&c->b, r->x, x_data, r->wide);
    value[n_values++] = load_as(&c->b, r->y, y_data, r->wide);
    for (int k = 0; k < N_NUMBERS; k++) {
        const int64_t i = numbers ? numbers[k] : number(r->wide);
        union heddle_scalar v = {.i64 = i};
        if (r->wide == HEDDLE_UINT32 || r->wide == HEDDLE_UINT64) v.u64 = (uint64_t)i;
        value[n_values++] = build_constant(&c->b, r->wide, v);
    }
    for (int s = 0; s < STEPS; s++) {
        const enum heddle_op op = r->step[s].op;
        const int *operand = r->step[s].operand;
        const int x = value[operand[0]], y = value[operand[1]];
        int made;
        if (op == HEDDLE_OP_WHERE) {
            const int mask = build_instr(&c->b, (int)r->step[s].comparison, r->wide, HEDDLE_BOOL,
                                         value[operand[2]], value[operand[3]], 0);
            made = build_instr(&c->b, (int)op, r->wide, r->wide, mask, x, y);
        } else {
            made = build_instr(&c->b, (int)op, r->wide, r->wide, x,
                               heddle__ops[op].arity > 1 ? y : 0, 0);
        }
        value[n_values++] = made;
    }
    const int last = value[n_values - 1];
    add_result(c, last, r->wide);
    add_result(c, build_instr(&c->b, HEDDLE_CODE_CAST, r->wide, r->x, last, 0, 0), r->x);
    add_result(c, build_instr(&c->b, HEDDLE_CODE_CAST, r->wide, HEDDLE_FLOAT32, last, 0, 0),
               HEDDLE_FLOAT32);
}

static void fill(char *data, enum heddle_dtype dtype)
{
    for (int i = 0; i < MOST; i++)
        if (dtype == HEDDLE_BOOL)
            data[i] = (char)(random_word() & 1);
        else
            oracle_set(dtype, data, i, oracle_value(dtype, random_word() & (i & 1 ? 31 : 1023)));
}

/* ---- At the border --------------------------------------------------------------------------------- */

/* (x op1 n0) op2 n1, and then three more operations that change nothing. */
static struct recipe two_steps(enum heddle_dtype x, enum heddle_op op1, enum heddle_op op2)
{
    enum { FIRST = 2 + N_NUMBERS };
    struct recipe r = {x, x, HEDDLE_INT32, {{op1, HEDDLE_OP_EQUAL, {0, 2, 0, 0}}}};
    r.step[1].op = op2;
    r.step[1].operand[0] = FIRST;
    r.step[1].operand[1] = 3;
    for (int s = 2; s < STEPS; s++) {
        r.step[s].op = HEDDLE_OP_MAXIMUM;
        r.step[s].operand[0] = r.step[s].operand[1] = FIRST + s - 1;
    }
    return r;
}

static void test_border(uint64_t hash, enum heddle_dtype x, enum heddle_op op1, int64_t n0,
                        enum heddle_op op2, int64_t n1)
{
    const int64_t numbers[N_NUMBERS] = {n0, n1};
    const struct recipe r = two_steps(x, op1, op2);
    for (int i = 0; i < MOST; i++)
        oracle_set(x, x_data, i,
                   (struct number){.i = x == HEDDLE_UINT8   ? i & 255
                                        : x == HEDDLE_INT8  ? (i & 255) - 128
                                        : x == HEDDLE_INT16 ? (i % 2 ? -32768 : 32767) +
                                                                  (i % 2 ? 1 : -1) * (i / 2 % 200)
                                                            : i * 60});
    memcpy(y_data, x_data, sizeof y_data);
    struct case_ c;
    make_case(&c, &r, MOST - 1, numbers);
    test_case(&c, hash, "border");
}

static void test_borders(void)
{
    const enum heddle_dtype B = HEDDLE_UINT8, S = HEDDLE_INT8, W = HEDDLE_INT16;
    const struct {
        enum heddle_dtype x;
        enum heddle_op op1, op2;
        int64_t n0, last; /* the last number with which all fit */
        int step;
    } borders[] = {
        {B, HEDDLE_OP_MULTIPLY, HEDDLE_OP_ADD, 257, 0, 1},   /* 65535 */
        {B, HEDDLE_OP_MULTIPLY, HEDDLE_OP_ADD, 256, 255, 1}, /* 65535 */
        {B, HEDDLE_OP_MULTIPLY, HEDDLE_OP_SUBTRACT, 128, 32768, 1},
        {S, HEDDLE_OP_MULTIPLY, HEDDLE_OP_SUBTRACT, 256, 0, 1},    /* -32768 */
        {S, HEDDLE_OP_MULTIPLY, HEDDLE_OP_ADD, 256, 255, 1},       /* 127 * 256 + 255 */
        {S, HEDDLE_OP_MULTIPLY, HEDDLE_OP_SUBTRACT, -256, -1, -1}, /* 32768 */
        {W, HEDDLE_OP_SUBTRACT, HEDDLE_OP_ADD, 0, 0, 1},
        {W, HEDDLE_OP_SUBTRACT, HEDDLE_OP_SUBTRACT, 0, 0, 1},
        {W, HEDDLE_OP_ADD, HEDDLE_OP_FLOOR_DIVIDE, 0, -1, 1}, /* 32768 by -1 */
    };
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++)
        for (int beyond = -2; beyond <= 3; beyond++)
            test_border(100000 + k, borders[k].x, borders[k].op1, borders[k].n0, borders[k].op2,
                        borders[k].last + beyond * borders[k].step);
}

/* ---- The choice ------------------------------------------------------------------------------------ */

/* Whether the program has a loop of small integers that has `text`, or (NULL) none. */
static void test_choice(enum heddle_dtype x, enum heddle_op op1, enum heddle_op op2,
                        const char *text)
{
    const struct recipe r = two_steps(x, op1, op2);
    struct case_ c;
    make_case(&c, &r, 100, NULL);
    const struct heddle_program *p = &c.b.program;
    struct heddle__section section = {.program = p, .end = p->n_instrs};
    for (int i = 0; i < p->n_instrs; i++)
        if (p->instrs[i].code != HEDDLE_CODE_CONSTANT)
            section.moving[i / 64] |= UINT64_C(1) << i % 64;
    static struct heddle__plan plan;
    heddle__plan_runs(&plan, &section, HEDDLE__AVX512);
    char *const source = heddle__plan_source(&plan, &section);
    const char *const loop = strstr(source, "if (small) {");
    CHECK(text ? loop && strstr(loop, text) : !loop, "%s, %s and %s: %s", heddle_dtype_name(x),
          heddle__ops[op1].name, heddle__ops[op2].name, text ? text : "no loop");
    heddle__free(source);
    drop_case(&c);
}

static void test_choices(void)
{
    test_choice(HEDDLE_UINT8, HEDDLE_OP_MULTIPLY, HEDDLE_OP_ADD, " uint16_t v");
    test_choice(HEDDLE_UINT8, HEDDLE_OP_SUBTRACT, HEDDLE_OP_FLOOR_DIVIDE, " int16_t v");
    test_choice(HEDDLE_UINT8, HEDDLE_OP_SUBTRACT, HEDDLE_OP_ABS, "hd_int16_abs(x)");
    test_choice(HEDDLE_INT8, HEDDLE_OP_ADD, HEDDLE_OP_ADD, " int16_t v");
    test_choice(HEDDLE_UINT32, HEDDLE_OP_ADD, HEDDLE_OP_ADD, NULL);
    test_choice(HEDDLE_FLOAT32, HEDDLE_OP_ADD, HEDDLE_OP_ADD, NULL);
}

/* ---- Bounds ---------------------------------------------------------------------------------------- */

static int floor_quotient(int x, int y)
{
    return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int remainder_of(int x, int y)
{
    return y == 0 ? 0 : x - y * floor_quotient(x, y);
}

static void holds(const char *name, struct bounds b, int result, int x, int y)
{
    CHECK(b.lo <= result && result <= b.hi, "%s of %d and %d is %d, not from %g to %g", name, x, y,
          result, b.lo, b.hi);
}

/* All results of x and y, which are in these bounds. */
static void test_results(struct bounds a, struct bounds b)
{
    for (int x = (int)a.lo; x <= (int)a.hi; x++)
        for (int y = (int)b.lo; y <= (int)b.hi; y++) {
            holds("add", bounds_add(a, b), x + y, x, y);
            holds("subtract", bounds_subtract(a, b), x - y, x, y);
            holds("multiply", bounds_multiply(a, b), x * y, x, y);
            holds("maximum", bounds_maximum(a, b), x > y ? x : y, x, y);
            holds("minimum", bounds_minimum(a, b), x < y ? x : y, x, y);
            holds("either", bounds_both(a, b), x, x, y);
            holds("either", bounds_both(a, b), y, x, y);
            holds("floor_divide", bounds_floor_divide(a, b), floor_quotient(x, y), x, y);
            holds("remainder", bounds_remainder(a, b), remainder_of(x, y), x, y);
            holds("negative", bounds_negative(a), -x, x, y);
            holds("abs", bounds_abs(a), abs(x), x, y);
            holds("square", bounds_square(a), x * x, x, y);
            if (y >= 0) holds("shift", bounds_bitwise_right_shift(a, b), x >> y, x, y);
        }
}

static void test_bounds(void)
{
    enum { END = 5 };
    for (int a = -END; a <= END; a++)
        for (int b = a; b <= END; b++)
            for (int c = -END; c <= END; c++)
                for (int d = c; d <= END; d++)
                    test_results((struct bounds){a, b}, (struct bounds){c, d});
}

int main(int argc, char **argv)
{
    const int programs = argc > 1 ? atoi(argv[1]) : 60;
    heddle__object_folder = NULL; /* nothing is on disk */
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    for (int i = 0; i < programs; i++) {
        const struct recipe r = draw();
        fill(x_data, r.x);
        fill(y_data, r.y);
        for (int turn = 0; turn < TURNS; turn++) {
            struct case_ c;
            make_case(&c, &r, turn % 4 ? 1 + word_below(200) : MOST - 1, NULL);
            test_case(&c, 1 + (uint64_t)i, "narrow");
        }
    }
    test_borders();
    test_choices();
    test_bounds();
    CHECK(heddle__forms_counters().ready >= programs / 2);
    CHECK_EQ(heddle__forms_counters().failed, 0);
    return check_done();
}
