/* Operations on float16 and bfloat16, alone and one after the other: against float64, rounded here by the spacing of the numbers around a
 * result. All halves meet random ones, arrays, themselves and one number for all, on either side, in place, and for lengths about those
 * of vectors and blocks. */
#include "build.h"
#include "check.h"
#include "random_words.h"

#include <base/memory.h>
#include <math.h>
#include <stdlib.h>

enum { ALL = 1 << 16, MOST = ALL };

static uint16_t x[MOST], y[MOST], out[MOST + 1];

struct half {
    enum heddle_dtype dtype;
    int fraction, least; /* bits of the fraction; exponent of the smallest normal number */
    double most;
};
static const struct half halves[] = {{HEDDLE_FLOAT16, 10, -14, 65504},
                                     {HEDDLE_BFLOAT16, 7, -126, 0x1.fep127}};

static double value_of(const struct half *h, uint16_t bits)
{
    const int exponent = (bits & 0x7fff) >> h->fraction, places = (1 << h->fraction) - 1,
              special = (1 << (15 - h->fraction)) - 1;
    const double sign = bits & 0x8000 ? -1 : 1, fraction = ldexp(bits & places, -h->fraction);
    if (exponent == special) return bits & places ? NAN : sign * INFINITY;
    return sign *
           (exponent ? ldexp(1 + fraction, exponent + h->least - 1) : ldexp(fraction, h->least));
}

/* To nearest, ties to even. */
static double rounded(const struct half *h, double v)
{
    if (v == 0 || !isfinite(v)) return v;
    const int exponent = ilogb(v) > h->least ? ilogb(v) : h->least;
    const double r = ldexp(nearbyint(ldexp(v, h->fraction - exponent)), exponent - h->fraction);
    return fabs(r) > h->most ? copysign(INFINITY, v) : r;
}

static double result_of(enum heddle_op op, double a, double b)
{
    switch (op) {
    case HEDDLE_OP_ADD: return a + b;
    case HEDDLE_OP_SUBTRACT: return a - b;
    case HEDDLE_OP_MULTIPLY: return a * b;
    case HEDDLE_OP_DIVIDE: return a / b;
    case HEDDLE_OP_MAXIMUM: return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case HEDDLE_OP_MINIMUM: return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    case HEDDLE_OP_SQUARE: return a * a;
    case HEDDLE_OP_RECIPROCAL: return 1 / a;
    case HEDDLE_OP_SQRT: return sqrt(a);
    case HEDDLE_OP_NEGATIVE: return -a;
    default: return fabs(a);
    }
}

enum form { ARRAYS, ITSELF, NUMBER_AFTER, NUMBER_BEFORE, N_FORMS };

struct instance {
    const struct half *half;
    enum heddle_op op;
    enum form form;
    bool twice, in_place; /* twice: of the result and y again */
    int n;
    float number;
};

static int from_half(struct build *b, enum heddle_dtype dtype, int value)
{
    return build_instr(b, HEDDLE_CODE_CAST, dtype, HEDDLE_FLOAT32, value, 0, 0);
}

static int operation(struct build *b, const struct instance *c, int left, int right)
{
    const int r = build_op(b, c->op, HEDDLE_FLOAT32, left, right);
    return build_instr(b, HEDDLE_CODE_CAST, HEDDLE_FLOAT32, c->half->dtype, r, 0, 0);
}

static void run(const struct instance *c, uint16_t *to)
{
    struct build b;
    const int64_t extent[1] = {c->n};
    const enum heddle_dtype dtype = c->half->dtype;
    build_begin(&b, 1, 1, extent);
    const int one = build_constant(&b, HEDDLE_FLOAT32, (union heddle_scalar){.f32 = c->number});
    const int a = from_half(&b, dtype, build_load(&b, dtype, x, NULL, 0));
    const int second = c->form == ARRAYS   ? from_half(&b, dtype, build_load(&b, dtype, y, NULL, 0))
                       : c->form == ITSELF ? a
                                           : one;
    int r = c->form == NUMBER_BEFORE ? operation(&b, c, second, a) : operation(&b, c, a, second);
    if (c->twice) {
        r = from_half(&b, dtype, r);
        r = c->form == NUMBER_BEFORE ? operation(&b, c, second, r) : operation(&b, c, r, second);
    }
    build_store(&b, r, dtype, to, NULL, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
}

static double expected(const struct instance *c, double a, double b)
{
    const double second = c->form == ARRAYS ? b : c->form == ITSELF ? a : (double)c->number;
    double r = a;
    for (int turn = 0; turn < (c->twice ? 2 : 1); turn++)
        r = rounded(c->half, c->form == NUMBER_BEFORE ? result_of(c->op, second, r)
                                                      : result_of(c->op, r, second));
    return r;
}

static void check_instance(const struct instance *c)
{
    static uint16_t before[MOST];
    memcpy(before, x, sizeof before);
    uint16_t *const to = c->in_place ? x : out;
    if (!c->in_place) out[c->n] = 0x1234;
    run(c, to);
    int n_bad = 0, first = -1;
    const bool either_zero = c->op == HEDDLE_OP_MAXIMUM || c->op == HEDDLE_OP_MINIMUM;
    for (int i = 0; i < c->n; i++) {
        const double want = expected(c, value_of(c->half, before[i]), value_of(c->half, y[i])),
                     is = value_of(c->half, to[i]);
        const bool good =
            isnan(want) ? isnan(is) : is == want && (either_zero || !signbit(is) == !signbit(want));
        if (!good && n_bad++ == 0) first = i;
    }
    CHECK(n_bad == 0,
          "%s of %s, form %d%s%s, %d elements: %d are wrong, the first at %d: %g, %g to %g",
          heddle__ops[c->op].name, heddle_dtype_name(c->half->dtype), c->form,
          c->twice ? ", twice" : "", c->in_place ? ", in place" : "", c->n, n_bad, first,
          value_of(c->half, before[first < 0 ? 0 : first]),
          value_of(c->half, y[first < 0 ? 0 : first]),
          value_of(c->half, to[first < 0 ? 0 : first]));
    CHECK(c->in_place || out[c->n] == 0x1234, "it writes beyond the end");
    memcpy(x, before, sizeof before);
}

int main(void)
{
    static const enum heddle_op ops[] = {
        HEDDLE_OP_ADD,     HEDDLE_OP_SUBTRACT, HEDDLE_OP_MULTIPLY, HEDDLE_OP_DIVIDE,
        HEDDLE_OP_MAXIMUM, HEDDLE_OP_MINIMUM,  HEDDLE_OP_SQUARE,   HEDDLE_OP_RECIPROCAL,
        HEDDLE_OP_SQRT,    HEDDLE_OP_NEGATIVE, HEDDLE_OP_ABS};
    static const int lengths[] = {1, 7, 8, 15, 16, 17, 33, 1023, 1024, 1025};
    static const float numbers[] = {0, 1, -0.5f, 3, 1000, 0x1p-20f, -INFINITY, NAN};
    for (int i = 0; i < ALL; i++) {
        x[i] = (uint16_t)i;
        y[i] = (uint16_t)random_word();
    }
    for (int h = 0; h < 2; h++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (int form = 0; form < N_FORMS; form++) {
                if (heddle__ops[ops[o]].arity == 1 && form > 0) continue;
                for (int turn = 0; turn < 4; turn++) {
                    struct instance c = {.half = &halves[h],
                                         .op = ops[o],
                                         .form = (enum form)form,
                                         .twice = turn & 1,
                                         .in_place = turn & 2,
                                         .n = ALL,
                                         .number = numbers[word_below(8)]};
                    check_instance(&c);
                    c.n = lengths[word_below(10)];
                    c.number = numbers[word_below(8)];
                    check_instance(&c);
                }
            }
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
