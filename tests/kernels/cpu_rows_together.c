/* Loops that take several rows at once, where loads are other loads' rows further down, give the bits of the interpreter: random
 * windows over arrays of each kind of dtype, in either direction, with steps, beside other loads, over 1 to many rows; and boxes
 * of one launch whose loads lie otherwise than those of the box that was decoded. Argument: number of random windows. */
#include "build.h"
#include "check.h"
#include "cpu/boxes.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"
#include "oracle.h"
#include "random_words.h"

#include <stdlib.h>

enum { MARGIN = 8, MOST_STORES = 4 };

/* A window over x, of H rows of W elements with a margin around, beside another array. */
struct window {
    struct build b;
    enum heddle_dtype dtype, kept; /* of x, and of what is computed */
    int64_t pitch, step, from;     /* elements of x */
    bool back;
    char *x, *other, *out[MOST_STORES], *want[MOST_STORES];
    size_t out_bytes[MOST_STORES];
    int n_out, own; /* the first operand that is x's */
};

static char *filled(enum heddle_dtype dtype, int64_t n, uint64_t seed)
{
    char *const data = malloc((size_t)n * heddle_dtype_size(dtype));
    if (!data) exit(1);
    for (int64_t i = 0; i < n; i++)
        oracle_set(dtype, data, i, oracle_value(dtype, 600 + seed + (uint64_t)(i * 7919 % 5003)));
    return data;
}

static int in_kept(struct window *w, int v)
{
    return w->dtype == w->kept ? v
                               : build_instr(&w->b, HEDDLE_CODE_CAST, w->dtype, w->kept, v, 0, 0);
}

/* x, so many rows down and elements along. */
static int at(struct window *w, int down, int along)
{
    struct build *const b = &w->b;
    const int64_t extent = b->launch.geometry.extent[b->launch.geometry.ndim - 2];
    const int last = b->launch.geometry.ndim - 1;
    const int v = build_load(b, w->dtype, w->x, NULL, 0), o = b->program.n_operands - 1;
    if (w->own < 0) w->own = o;
    b->buffer[o] = (uint32_t)w->own;
    int64_t *const stride = b->access[o].stride;
    stride[last] = w->step;
    stride[last - 1] = w->back ? -w->pitch : w->pitch;
    if (last == 2) stride[0] = w->pitch * (extent + 2 * MARGIN);
    b->access[o].offset =
        w->from + (w->back ? extent - 1 : 0) * w->pitch + down * w->pitch + along * w->step;
    return in_kept(w, v);
}

static const enum heddle_op combined[] = {HEDDLE_OP_ADD, HEDDLE_OP_SUBTRACT, HEDDLE_OP_MAXIMUM,
                                          HEDDLE_OP_MULTIPLY, HEDDLE_OP_MINIMUM};

static int combine(struct window *w, int op, int x, int y)
{
    return build_op(&w->b, combined[op], w->kept, x, y);
}

static void put_out(struct window *w, int v, enum heddle_dtype dtype)
{
    const struct heddle_geometry *g = &w->b.launch.geometry;
    int64_t n = 1;
    for (int d = 0; d < g->ndim; d++) n *= g->extent[d];
    const int k = w->n_out++;
    w->out_bytes[k] = (size_t)n * heddle_dtype_size(dtype);
    w->out[k] = calloc(w->out_bytes[k] + 1, 1);
    w->want[k] = calloc(w->out_bytes[k] + 1, 1);
    if (!w->out[k] || !w->want[k]) exit(1);
    build_store(&w->b, v, dtype, w->out[k], NULL, 0);
}

/* Combines the sum with a number for each row, the same row for all, and indices. */
static void put_others(struct window *w, int *sum)
{
    struct build *const b = &w->b;
    const int last = b->launch.geometry.ndim - 1;
    for (int k = word_below(3) ? 2 : 0; k < 2; k++) {
        const int v = in_kept(w, build_load(b, w->dtype, w->other, NULL, 3 + k));
        b->access[b->program.n_operands - 1].stride[last - k] = 0;
        *sum = combine(w, 3 * k, *sum, v);
        if (k == 0) *sum = combine(w, 1, *sum, combine(w, 0, v, v));
    }
    for (int k = word_below(3) ? 2 : 0; k < 2; k++) {
        const int i = build_instr(b, HEDDLE_CODE_INDEX, HEDDLE_INT64, HEDDLE_INT64, last - k, 0, 0);
        b->program.index_axes |= (uint16_t)(1U << (last - k));
        const int v = w->kept == HEDDLE_INT64
                          ? i
                          : build_instr(b, HEDDLE_CODE_CAST, HEDDLE_INT64, w->kept, i, 0, 0);
        *sum = combine(w, k, *sum, v);
    }
}

/* Along each row first, the same for each; then over the rows. */
static void put_window(struct window *w)
{
    const int rows = 2 + (int)word_below(3), columns = 1 + (int)word_below(4);
    const int down = (int)word_below(4) - 2, ops = (int)word_below(4);
    const int op = (int)word_below(5), spread = 1 + (int)word_below(2);
    int sum = -1, row = -1;
    for (int r = 0; r < rows; r++) {
        row = -1;
        for (int c = 0; c < columns; c++) {
            int v = at(w, down + r * spread, c - 1);
            if (c % 2 && ops & 1) v = combine(w, 3, v, v);
            row = row < 0 ? v : combine(w, op, row, v);
        }
        sum = sum < 0 ? row : combine(w, ops & 2 ? 0 : 4, sum, row);
    }
    if (w->kept == HEDDLE_INT64) /* what they round to differs */
        for (int k = 0; k < 2; k++) {
            const enum heddle_dtype to = k ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
            put_out(w, build_instr(&w->b, HEDDLE_CODE_CAST, w->kept, to, sum, 0, 0), to);
        }
    if (ops == 1) { /* rows of x, too, but not one after the other */
        const int v = at(w, 0, 0), o = w->b.program.n_operands - 1;
        w->b.access[o].stride[w->b.launch.geometry.ndim - 2] /= 2;
        sum = combine(w, 1, sum, v);
    }
    if (ops == 3) {
        const int64_t *const extent = w->b.launch.geometry.extent;
        const int n = w->b.launch.geometry.ndim;
        const int64_t gap = extent[n - 1] + 5;
        const int64_t stride[3] = {n == 3 ? gap * extent[1] : gap, n == 3 ? gap : 1, 1};
        const int v = build_load(&w->b, w->dtype, w->other, stride, 2);
        sum = combine(w, 1, sum, in_kept(w, v));
    }
    put_others(w, &sum);
    if (word_below(2)) put_out(w, build_op(&w->b, HEDDLE_OP_LESS, w->kept, sum, row), HEDDLE_BOOL);
    if (w->kept == HEDDLE_INT32 && w->dtype == HEDDLE_UINT8) { /* in 16 bits, if they fit */
        const union heddle_scalar nine = {.i64 = 9};
        sum = build_op(&w->b, HEDDLE_OP_FLOOR_DIVIDE, w->kept, sum,
                       build_constant(&w->b, w->kept, nine));
        put_out(w, build_instr(&w->b, HEDDLE_CODE_CAST, w->kept, w->dtype, sum, 0, 0), w->dtype);
    } else {
        put_out(w, sum, w->kept);
    }
}

static void make(struct window *w, int ndim, const int64_t *extent)
{
    static const enum heddle_dtype dtypes[][2] = {
        {HEDDLE_FLOAT64, HEDDLE_FLOAT64}, {HEDDLE_FLOAT32, HEDDLE_FLOAT32},
        {HEDDLE_UINT8, HEDDLE_UINT8},     {HEDDLE_UINT8, HEDDLE_FLOAT32},
        {HEDDLE_UINT8, HEDDLE_INT32},     {HEDDLE_INT16, HEDDLE_INT64},
        {HEDDLE_INT64, HEDDLE_INT64},     {HEDDLE_UINT16, HEDDLE_UINT32}};
    const uint64_t kind = (uint64_t)word_below(8);
    *w = (struct window){.dtype = dtypes[kind][0], .kept = dtypes[kind][1], .own = -1};
    build_begin(&w->b, ndim, ndim, extent);
    w->step = word_below(5) ? 1 : 2;
    w->back = word_below(4) == 0;
    w->pitch = extent[ndim - 1] * w->step +
               250; /* the border below which rows are not told apart is 240 */
    w->from = MARGIN * w->pitch + MARGIN;
    const int64_t planes = ndim == 3 ? extent[0] : 1;
    const int64_t rows = (extent[ndim - 2] + 2 * MARGIN) * planes;
    w->x = filled(w->dtype, (rows + 1) * w->pitch, kind);
    w->other = filled(w->dtype, planes * extent[ndim - 2] * (extent[ndim - 1] + 5) + 8, kind + 50);
    put_window(w);
}

static void drop(struct window *w)
{
    for (int k = 0; k < w->n_out; k++) {
        free(w->out[k]);
        free(w->want[k]);
    }
    free(w->x);
    free(w->other);
}

static void keep_wanted(struct window *w)
{
    for (int k = 0; k < w->n_out; k++) {
        memcpy(w->want[k], w->out[k], w->out_bytes[k]);
        memset(w->out[k], 0x55, w->out_bytes[k]);
    }
}

static void check_wanted(const struct window *w, uint64_t seed, const char *what)
{
    const struct heddle_geometry *g = &w->b.launch.geometry;
    for (int k = 0; k < w->n_out; k++)
        CHECK(!memcmp(w->want[k], w->out[k], w->out_bytes[k]),
              "%s, seed %llu, %s in %s, %lld rows of %lld: result %d", what,
              (unsigned long long)seed, heddle_dtype_name(w->dtype), heddle_dtype_name(w->kept),
              (long long)g->extent[g->ndim - 2], (long long)g->extent[g->ndim - 1], k);
}

/* Whether the compiled loop of the launch takes rows together. */
static bool is_together(const struct window *w, int64_t block)
{
    struct heddle__walk walk;
    struct heddle__code code;
    static struct heddle__code_room room;
    heddle__walk_begin(&walk);
    heddle__walk_add(&walk, &w->b.launch, UINT32_MAX, 0, w->b.launch.geometry.ndim);
    heddle__walk_shape(&walk, 0, block);
    heddle__decode(&code, &room, &walk, &w->b.launch, w->b.buffers, w->b.program.n_instrs, false);
    return code.together;
}

static bool test_window(uint64_t seed)
{
    static const int64_t flat[][2] = {{1, 40},  {2, 64},   {3, 17},     {4, 300},  {5, 16},
                                      {13, 33}, {61, 127}, {300, 1025}, {67, 5000}};
    static const int64_t deep[][3] = {{3, 5, 64}, {4, 21, 200}, {1, 9, 33}};
    struct window w;
    const int64_t s = word_below(12);
    make(&w, s < 9 ? 2 : 3, s < 9 ? flat[s] : deep[s - 9]);
    CHECK_EQ(build_run(&w.b, 1), HEDDLE_OK); /* has no hash: it is interpreted */
    keep_wanted(&w);
    w.b.program.hash = 6000000 + seed;
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        CHECK_EQ(build_run(&w.b, n_threads), HEDDLE_OK);
        check_wanted(&w, seed, "window");
    }
    const struct heddle_geometry *g = &w.b.launch.geometry;
    const bool together = is_together(&w, 4 * g->extent[g->ndim - 1] + 1024);
    drop(&w);
    return together;
}

/* The 3x3 sum of rows, whose first box has its rows one after the other; in the second one they are two apart. */
static void test_boxes(void)
{
    enum { ROWS = 16, COLUMNS = 200 };
    const int64_t extent[2] = {ROWS, COLUMNS};
    struct window w = {.dtype = HEDDLE_FLOAT64, .kept = HEDDLE_FLOAT64, .own = -1, .step = 1};
    build_begin(&w.b, 2, 2, extent);
    w.pitch = COLUMNS + 250;
    w.from = MARGIN * w.pitch + MARGIN;
    w.x = filled(w.dtype, (ROWS + 2 * MARGIN + 1) * w.pitch, 3);
    int sum = -1;
    for (int r = 0; r < 3; r++) {
        int row = at(&w, r, 0);
        for (int c = 1; c < 3; c++) row = combine(&w, 0, row, at(&w, r, c));
        sum = sum < 0 ? row : combine(&w, 0, sum, row);
    }
    put_out(&w, sum, w.kept);
    struct heddle_access first[HEDDLE_MAX_OPERANDS];
    memcpy(first, w.b.access, sizeof first);
    for (int k = 3; k < 9; k++) w.b.access[k].offset += (k / 3) * w.pitch;
    CHECK_EQ(build_run(&w.b, 1), HEDDLE_OK);
    keep_wanted(&w);
    struct heddle_access second[HEDDLE_MAX_OPERANDS];
    memcpy(second, w.b.access, sizeof second);
    memcpy(w.b.access, first, sizeof first);
    w.b.program.hash = 7000000;
    CHECK_EQ(build_run(&w.b, 1), HEDDLE_OK); /* compiles it */
    CHECK(is_together(&w, 4096));
    struct heddle__boxes *const boxes = aligned_alloc(64, heddle__boxes_bytes());
    if (!boxes) exit(1);
    heddle__boxes_begin(boxes, &w.b.launch, w.b.buffers, w.b.constants, NULL);
    memcpy(w.b.access, second, sizeof second);
    CHECK_EQ(heddle__boxes_run(boxes, &w.b.launch, w.b.buffers, w.b.constants), HEDDLE_OK);
    check_wanted(&w, 0, "boxes");
    free(boxes);
    drop(&w);
}

/* How far rows may be from each other, in rows of `pitch` and elements, so that 8 bits hold it. */
static void test_borders(void)
{
    enum { DOWN = HEDDLE_MOST_DOWN, ALONG = HEDDLE_MOST_ALONG, LEAST = 4 * ALONG };
    static const struct {
        int64_t pitch, down, along;
        bool are;
    } cases[] = {{LEAST, DOWN, ALONG, true},
                 {LEAST, -DOWN, -ALONG, true},
                 {-LEAST, DOWN, -ALONG, true},
                 {-LEAST, -DOWN, ALONG, true},
                 {LEAST, DOWN + 1, 0, false},
                 {-LEAST, -DOWN - 1, 0, false},
                 {LEAST, 0, ALONG + 1, false},
                 {-LEAST, 2, -ALONG - 1, false},
                 {LEAST - 1, 1, 0, false},
                 {1 - LEAST, 1, 0, false},
                 {1000, 256, 0, false},
                 {1000, -256, 1, false},
                 {1000, 1, 256, false},
                 {INT64_C(1) << 40, DOWN, -ALONG, true},
                 {INT64_C(1) << 40, 1, 257, false}};
    static double data[4];
    const int64_t extent[2] = {4, 64};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct build b;
        struct heddle__walk walk;
        int8_t down = 0, along = 0;
        build_begin(&b, 2, 2, extent);
        for (int o = 0; o < 2; o++)
            build_load(&b, HEDDLE_FLOAT64, data, (const int64_t[]){cases[k].pitch, 1},
                       o * (cases[k].down * cases[k].pitch + cases[k].along));
        b.buffer[1] = 0;
        heddle__walk_begin(&walk);
        heddle__walk_add(&walk, &b.launch, UINT32_MAX, 0, 2);
        const bool are = heddle__walk_shift(&walk, &b.launch, 0, 1, &down, &along);
        CHECK(are == cases[k].are && (!are || (down == cases[k].down && along == cases[k].along)),
              "case %d: %d, %d rows down, %d along", (int)k, are, down, along);
    }
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 120;
    heddle__object_folder = NULL; /* nothing is on disk */
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    uint64_t several = 0;
    for (uint64_t seed = 0; seed < n; seed++) several += test_window(seed);
    CHECK(several >= n / 10, "%llu of %llu take rows together", (unsigned long long)several,
          (unsigned long long)n);
    test_boxes();
    test_borders();
    CHECK_EQ(heddle__forms_counters().failed, 0);
    test_teams_close();
    return check_done();
}
