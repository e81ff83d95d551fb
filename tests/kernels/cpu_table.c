/* Maps of one array of bytes, of which there are enough for a table: against the same program on each byte, as few are computed
 * without one. All dtypes of bytes and results, strides, gaps, in place, several results, threads, constants that change. */
#include "build.h"
#include "check.h"

#include <base/memory.h>
#include <stdlib.h>

enum { ROWS = 67, COLS = 301, ELEMENTS = ROWS * COLS, STEP = 3, ROOM = STEP * ROWS * (COLS + 9) };

struct layout {
    const char *name;
    int64_t in[2], out[2]; /* strides */
};

static const struct layout layouts[] = {
    {"dense", {COLS, 1}, {COLS, 1}},
    {"gaps", {COLS + 5, 1}, {COLS, 1}},
    {"gaps of both", {COLS + 5, 1}, {COLS + 7, 1}},
    {"steps", {COLS * STEP, STEP}, {COLS, 1}},
    {"transposed", {1, ROWS}, {COLS, 1}},
    {"result transposed", {COLS, 1}, {1, ROWS}},
    {"one row", {0, 1}, {COLS, 1}},
};

static _Alignas(16) unsigned char bytes[ROOM], saved[ROOM];
static _Alignas(16) char result[2][16 * ROOM], expected[2][16 * 256];

/* exp(scalar * x / constant) of the bytes, in two dtypes. */
static void make(struct build *b, enum heddle_dtype from, const enum heddle_dtype to[2],
                 const int64_t extent[2], const float *scalar, const struct layout *l, void *out[2])
{
    static const int64_t none[2] = {0, 0};
    build_begin(b, 2, 2, extent);
    const int x = build_instr(b, HEDDLE_CODE_CAST, from, HEDDLE_FLOAT32,
                              build_load(b, from, bytes, l->in, 0), 0, 0);
    const int s = build_load(b, HEDDLE_FLOAT32, scalar, none, 0);
    const int c = build_constant(b, HEDDLE_FLOAT32, (union heddle_scalar){.f32 = 40});
    const int p = build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, x, s);
    const int q = build_op(b, HEDDLE_OP_DIVIDE, HEDDLE_FLOAT32, p, c);
    const int y = build_op(b, HEDDLE_OP_EXP, HEDDLE_FLOAT32, q, 0);
    const int z = build_op(b, HEDDLE_OP_EXP, HEDDLE_FLOAT32,
                           build_op(b, HEDDLE_OP_SQRT, HEDDLE_FLOAT32, y, 0), 0);
    const int value[2] = {z, y};
    for (int k = 0; k < 2; k++) {
        if (to[k] == HEDDLE_DTYPE_NONE) continue;
        const int v = to[k] == HEDDLE_FLOAT32
                          ? value[k]
                          : build_instr(b, HEDDLE_CODE_CAST, HEDDLE_FLOAT32, to[k], value[k], 0, 0);
        build_store(b, v, to[k], out[k], l->out, 0);
    }
}

static void check_result(enum heddle_dtype from, const enum heddle_dtype to[2],
                         const struct layout *l, void *const out[2], const char *what)
{
    for (int k = 0; k < 2; k++) {
        if (to[k] == HEDDLE_DTYPE_NONE) continue;
        const size_t size = heddle_dtype_size(to[k]);
        int n_bad = 0;
        for (int64_t i = 0; i < ELEMENTS; i++) {
            const int64_t row = i / COLS, col = i % COLS;
            const int byte = saved[row * l->in[0] + col * l->in[1]];
            const char *is = (char *)out[k] + (size_t)(row * l->out[0] + col * l->out[1]) * size;
            n_bad += memcmp(is, expected[k] + (size_t)byte * size, size) != 0;
        }
        CHECK(n_bad == 0, "%s to %s, %s, %s: %d elements", heddle_dtype_name(from),
              heddle_dtype_name(to[k]), l->name, what, n_bad);
    }
}

/* What each byte gives. */
static void expect(enum heddle_dtype from, const enum heddle_dtype to[2], const float *scalar,
                   union heddle_scalar constant)
{
    static const struct layout plain = {"", {256, 1}, {256, 1}};
    void *out[2] = {expected[0], expected[1]};
    const int64_t extent[2] = {1, 256};
    struct build b;
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)(from == HEDDLE_BOOL ? i % 2 : i);
    make(&b, from, to, extent, scalar, &plain, out);
    b.constants[0] = constant;
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    memcpy(bytes, saved, sizeof bytes);
}

static void test(enum heddle_dtype from, const enum heddle_dtype to[2], const struct layout *l,
                 bool in_place)
{
    static const int64_t extent[2] = {ROWS, COLS};
    float scalar = -0.37F;
    struct build b;
    for (int i = 0; i < ROOM; i++)
        saved[i] = (unsigned char)((from == HEDDLE_BOOL ? i % 3 == 0 : i * 151 + i / 97));
    void *out[2] = {in_place ? (void *)bytes : result[0], result[1]};
    make(&b, from, to, extent, &scalar, l, out);
    struct heddle_cpu_memo *memo = NULL;
    for (int run = 0; run < 4; run++) { /* what is remembered serves with other values */
        scalar = run < 2 ? 0.37F : 0.11F;
        b.constants[0].f32 = run % 2 ? 41 : 40;
        expect(from, to, &scalar, b.constants[0]);
        memset(result, 0xa5, sizeof result);
        CHECK_EQ(run == 0 ? build_run(&b, 2) : build_run_again(&b, 1 + run % 2, &memo), HEDDLE_OK);
        check_result(from, to, l, out, in_place ? "in place" : "apart");
        const char *behind =
            &result[1][(size_t)(l->out[0] * (ROWS - 1) + l->out[1] * (COLS - 1) + 1) *
                       heddle_dtype_size(to[1] ? to[1] : HEDDLE_BOOL)];
        CHECK(to[1] == HEDDLE_DTYPE_NONE || (unsigned char)*behind == 0xa5, "%s: past the end",
              l->name);
    }
    heddle__free(memo);
}

enum other { OTHER_BYTES, OTHER_OF_ROW, OTHER_INDEX, N_OTHERS };

/* exp(x / constant) and something else that is not the same for all elements, over some of the rows. */
static void run_with(enum other other, int64_t row, int64_t n_rows, double *out)
{
    static const int64_t by_row[2] = {1, 0};
    const int64_t extent[2] = {n_rows, COLS};
    struct build b;
    build_begin(&b, 2, 2, extent);
    b.launch.geometry.origin[0] = row;
    b.program.index_axes = other == OTHER_INDEX;
    const int x = build_load(&b, HEDDLE_UINT8, saved + row * COLS, NULL, 0);
    const enum heddle_dtype dtype = other == OTHER_INDEX ? HEDDLE_INT64 : HEDDLE_UINT8;
    const int w = other == OTHER_INDEX   ? build_instr(&b, HEDDLE_CODE_INDEX, dtype, dtype, 0, 0, 0)
                  : other == OTHER_BYTES ? build_load(&b, dtype, saved + 5000 + row * COLS, NULL, 0)
                                         : build_load(&b, dtype, saved + row, by_row, 0);
    const int wide = build_instr(&b, HEDDLE_CODE_CAST, HEDDLE_UINT8, HEDDLE_FLOAT64, x, 0, 0);
    const int e =
        build_op(&b, HEDDLE_OP_EXP, HEDDLE_FLOAT64,
                 build_op(&b, HEDDLE_OP_DIVIDE, HEDDLE_FLOAT64, wide, build_f64(&b, 40)), 0);
    const int v = build_instr(&b, HEDDLE_CODE_CAST, dtype, HEDDLE_FLOAT64, w, 0, 0);
    build_store(&b, build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT64, e, v), HEDDLE_FLOAT64, out, NULL,
                0);
    CHECK_EQ(build_run(&b, 2), HEDDLE_OK);
}

/* What depends on more than a byte: all rows at once as row by row. */
static void test_others(void)
{
    static double all[ELEMENTS], rows[ELEMENTS];
    for (int other = 0; other < N_OTHERS; other++) {
        run_with((enum other)other, 0, ROWS, all);
        for (int r = 0; r < ROWS; r++) run_with((enum other)other, r, 1, rows + r * COLS);
        CHECK(!memcmp(all, rows, sizeof all), "other %d", other);
    }
}

int main(void)
{
    static const enum heddle_dtype from[] = {HEDDLE_UINT8, HEDDLE_INT8, HEDDLE_BOOL};
    static const enum heddle_dtype to[][2] = {
        {HEDDLE_UINT8, HEDDLE_DTYPE_NONE}, {HEDDLE_FLOAT32, HEDDLE_BOOL},
        {HEDDLE_INT16, HEDDLE_COMPLEX128}, {HEDDLE_INT64, HEDDLE_FLOAT64},
        {HEDDLE_INT8, HEDDLE_FLOAT16},
    };
    for (size_t f = 0; f < sizeof from / sizeof *from; f++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
                test(from[f], to[t], &layouts[l], false);
    for (size_t f = 0; f < sizeof from / sizeof *from; f++) test(from[f], to[0], &layouts[0], true);
    test_others();
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
