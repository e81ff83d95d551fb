/* Maps whose operands lie along different axes, which blocks walk by tiles, or are interleaved, of which pieces are loaded and stored:
 * all dtypes, edges, permutations of up to four axes, steps, gaps, broadcasts, results that lie across or over an operand,
 * against plain loops. Entry point: test_tiles. */
#include "check.h"
#include "cuda/passes.h"
#include "cuda/source.h"
#include "cuda/walks.h"

#include <base/memory.h>

#include <stdlib.h>

enum { MAX_VIEWS = 22 };

/* As walk_of takes it; "=1": a result over operand 1; ">12": 2 elements after operand 1, in the same buffer. */
struct view {
    enum heddle_dtype dtype;
    const char *order;
};

static void set(enum heddle_dtype dtype, void *data, int64_t at, double value)
{
    const size_t size = heddle_dtype_size(dtype);
    const union heddle_scalar from = {.f64 = value},
                              to = heddle__convert(from, HEDDLE_FLOAT64, dtype);
    memcpy((char *)data + (size_t)at * size, &to, size);
}

static double get(enum heddle_dtype dtype, const void *data, int64_t at)
{
    const size_t size = heddle_dtype_size(dtype);
    union heddle_scalar v = {.c128 = {0, 0}};
    memcpy(&v, (const char *)data + (size_t)at * size, size);
    return heddle__convert(v, dtype, HEDDLE_FLOAT64).f64;
}

/* Small, so that sums of a few are exact in all dtypes. */
static double element(int operand, int64_t at)
{
    return (double)((uint64_t)(at + 1) * 2654435761u * (uint64_t)(operand + 1) >> 13 & 7);
}

/* The k-th operand's part in the sum; of bools, which differ or not. */
static double factor(enum heddle_dtype result, int k)
{
    return result == HEDDLE_BOOL ? k % 2 ? -1 : 1 : 1 + k % 4;
}

/* Result n is n + sum_k factor(k) * operand k, and with `indices` the sum of (1 + 2 axis) * index: of the loads first, of
 * views. `form`: which they must be walked by; HEDDLE_FORM_NONE: any. */
struct tile_case {
    const char *what;
    int form, ndim, n_loads, n_stores, indices;
    int64_t extent[4];
    struct view views[MAX_VIEWS];
};

/* The operand whose buffer is operand k's. */
static int buffer_of(const struct tile_case *c, int k)
{
    const char *const order = c->views[k].order;
    return order[0] == '=' || order[0] == '>' ? order[1] - '0' : k;
}

static double sum_at(const struct tile_case *c, const struct walk walks[], void *const in[],
                     const int64_t index[], enum heddle_dtype result)
{
    double sum = 0;
    for (int k = 0; k < c->n_loads; k++) {
        int64_t at = walks[k].offset;
        for (int d = 0; d < c->ndim; d++) at += index[d] * walks[k].stride[d];
        sum += factor(result, k) * get(c->views[k].dtype, in[k], at);
    }
    for (int d = 0; d < c->ndim && c->indices; d++) sum += (1 + 2 * d) * (double)(index[d] + d);
    return sum;
}

static void place_views(const struct tile_case *c, struct walk walks[])
{
    for (int k = 0; k < c->n_loads + c->n_stores; k++) {
        const char *const order = c->views[k].order;
        const int over = buffer_of(c, k);
        walks[k] = over < k ? walks[over] : walk_of(order, c->extent);
        if (order[0] == '>') walks[k].offset += order[2] - '0';
    }
}

static void build_case(const struct tile_case *c, const struct walk walks[], struct build *b)
{
    build_begin(b, c->ndim, c->ndim, c->extent);
    int loads[MAX_VIEWS];
    for (int k = 0; k < c->n_loads; k++)
        loads[k] =
            build_cast(b, c->views[k].dtype, HEDDLE_FLOAT32,
                       build_load(b, c->views[k].dtype, NULL, walks[k].stride, walks[k].offset));
    for (int n = 0; n < c->n_stores; n++) {
        const struct view *v = &c->views[c->n_loads + n];
        const struct walk *w = &walks[c->n_loads + n];
        int sum = build_number(b, HEDDLE_FLOAT32, n);
        for (int k = 0; k < c->n_loads; k++) {
            const int by = build_number(b, HEDDLE_FLOAT32, factor(v->dtype, k));
            const int term = build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, loads[k], by);
            sum = build_op(b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, sum, term);
        }
        for (int d = 0; d < c->ndim && c->indices; d++) {
            const int by = build_number(b, HEDDLE_FLOAT32, 1 + 2 * d);
            const int at = build_cast(b, HEDDLE_INT64, HEDDLE_FLOAT32, build_index(b, d));
            const int term = build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, at, by);
            sum = build_op(b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, sum, term);
        }
        build_store(b, build_cast(b, HEDDLE_FLOAT32, v->dtype, sum), v->dtype, NULL, w->stride,
                    w->offset);
    }
    for (int k = 0; k < c->n_loads + c->n_stores; k++) b->buffer[k] = (uint32_t)buffer_of(c, k);
    for (int d = 0; d < c->ndim; d++) b->launch.geometry.origin[d] = d;
    build_seal(b, 0);
}

/* The form; of tiles: how many elements lie together, unless `vector` is 0; that no more is turned over than has to be, and
 * that what threads access at once is aligned. */
static void check_layout(const struct tile_case *c, const struct walk walks[],
                         const struct build *b, int vector)
{
    struct heddle_cuda_layout l;
    size_t along = 0, across = 0;
    heddle__cuda_layout(&b->launch, NULL, &l);
    CHECK(c->form == HEDDLE_FORM_NONE || c->form == l.class.form, "%s, %s: form %d", c->what,
          heddle_dtype_name(c->views[0].dtype), l.class.form);
    if (l.class.form != HEDDLE_FORM_TILES) return;
    for (int k = 0; k < c->n_loads + c->n_stores; k++) {
        const size_t size = heddle_dtype_size(c->views[k].dtype);
        const int64_t run = (int64_t)size * l.class.vector, unit = run < 16 ? run : 16;
        int is_aligned = walks[k].offset * (int64_t)size % unit == 0;
        if (l.class.walk[k] == HEDDLE_WALK_UNIT) along += size;
        if (l.class.walk[k] == HEDDLE_WALK_ACROSS) across += size;
        for (int d = 0; d < l.class.n_kept; d++)
            is_aligned &= l.stride[k][d] == 1 || l.stride[k][d] * (int64_t)size % unit == 0;
        CHECK(is_aligned || l.class.vector == 1, "%s: operand %d by %d", c->what, k,
              l.class.vector);
    }
    CHECK(across > 0 && across <= along, "%s: %zu bytes across, %zu along", c->what, across, along);
    CHECK(!vector || vector == l.class.vector, "%s, %s: vectors of %d", c->what,
          heddle_dtype_name(c->views[0].dtype), l.class.vector);
}

static void run_case(const struct tile_case *c, int vector)
{
    const int n_views = c->n_loads + c->n_stores;
    struct walk walks[MAX_VIEWS];
    void *host[MAX_VIEWS], *want[MAX_VIEWS];
    size_t bytes[MAX_VIEWS];
    int64_t index[HEDDLE_MAX_NDIM] = {0}, total = 1;
    struct build b;
    for (int d = 0; d < c->ndim; d++) total *= c->extent[d];
    place_views(c, walks);
    for (int k = 0; k < n_views; k++) {
        const struct view *v = &c->views[k];
        const int over = buffer_of(c, k);
        const size_t size = heddle_dtype_size(v->dtype);
        bytes[k] = over < k ? 0 : (size_t)walks[k].n * size;
        host[k] = over < k ? host[over] : malloc(bytes[k]);
        want[k] = over < k ? want[over] : malloc(bytes[k]);
        for (int64_t i = 0; over == k && i < walks[k].n; i++)
            set(v->dtype, host[k], i, element(k, i));
        if (over == k) memcpy(want[k], host[k], bytes[k]);
    }
    build_case(c, walks, &b);
    check_layout(c, walks, &b, vector);
    for (int64_t i = 0; i < total && pass != PREPARED; i++) {
        int64_t rest = i;
        for (int d = c->ndim - 1; d >= 0; d--) {
            index[d] = rest % c->extent[d];
            rest /= c->extent[d];
        }
        for (int n = c->n_loads; n < n_views; n++) {
            int64_t at = walks[n].offset;
            for (int d = 0; d < c->ndim; d++) at += index[d] * walks[n].stride[d];
            set(c->views[n].dtype, want[n], at,
                n - c->n_loads + sum_at(c, walks, host, index, c->views[n].dtype));
        }
    }
    if (pass_run(&b, host, bytes, n_views, c->what))
        for (int k = 0; k < n_views; k++)
            CHECK(bytes[k] == 0 || memcmp(host[k], want[k], bytes[k]) == 0,
                  "%s, %lld x %lld (x %lld x %lld) of %s, %s: operand %d differs", c->what,
                  (long long)c->extent[0], (long long)c->extent[1], (long long)c->extent[2],
                  (long long)c->extent[3], heddle_dtype_name(c->views[0].dtype), pass_names[pass],
                  k);
    for (int k = 0; k < n_views; k++) {
        if (bytes[k] == 0) continue;
        free(host[k]);
        free(want[k]);
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const enum heddle_dtype f32 = HEDDLE_FLOAT32, f64 = HEDDLE_FLOAT64, c128 = HEDDLE_COMPLEX128,
                               u8 = HEDDLE_UINT8;

/* a + 2 b.T, of r x c elements. */
static void test_sum(enum heddle_dtype d, int64_t r, int64_t c, int vector)
{
    struct tile_case sum = {
        "a sum", HEDDLE_FORM_NONE, 2, 2, 1, 0, {r, c}, {{d, "01"}, {d, "10"}, {d, "01"}}};
    const int64_t narrow = r < c ? r : c, wide = r < c ? c : r;
    if (narrow > 8 || (narrow == 8 && wide > 16)) sum.form = HEDDLE_FORM_TILES;
    run_case(&sum, vector);
}

static void test_extents(void)
{
    static const int64_t extents[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
    enum { N_EXTENTS = sizeof extents / sizeof *extents };
    const enum heddle_dtype dtypes[] = {u8, f32, c128};
    for (int d = 1; d < HEDDLE_N_DTYPES; d++) {
        const int widest = 16 / (int)heddle_dtype_size((enum heddle_dtype)d);
        test_sum((enum heddle_dtype)d, 128, 192, widest); /* full tiles */
        test_sum((enum heddle_dtype)d, 96, 80, widest);   /* edges */
        test_sum((enum heddle_dtype)d, 67, 131, 1);       /* nothing is aligned */
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N_EXTENTS; i++)
            for (int j = 0; j < N_EXTENTS; j++) test_sum(dtypes[k], extents[i], extents[j], 0);
    test_sum(f32, 1200, 70, 0); /* bands, of which one is shorter */
    test_sum(f32, 70, 1200, 0);
    test_sum(f32, 8, 1000, 0); /* narrow ones, beside each other */
    test_sum(f64, 1000, 9, 0);
    test_sum(u8, 2112, 64, 0); /* bands of full tiles, of which one is shorter */
}

/* More than fits into shared memory, along either axis. */
static void test_many(void)
{
    struct tile_case c = {"too many", HEDDLE_FORM_ROWS, 2, 21, 1, 0, {32, 48}, {{c128, "01"}}};
    for (int k = 0; k < MAX_VIEWS; k++) c.views[k] = (struct view){c128, k < 11 ? "10" : "01"};
    run_case(&c, 0);
}

/* How many pieces hold the elements that interleaved operands take or give; and that no piece may be loaded whose end nobody takes, as it may
 * be beyond the buffer's: only where an element follows. */
static void check_pieces(const struct tile_case *c, int expected)
{
    struct walk walks[MAX_VIEWS];
    struct heddle_cuda_layout l;
    struct build b;
    int n = 0, has_tail = 0;
    place_views(c, walks);
    build_case(c, walks, &b);
    heddle__cuda_layout(&b.launch, NULL, &l);
    for (int k = 0; k < c->n_loads + c->n_stores; k++) {
        int64_t last = 0;
        if (l.class.walk[k] != HEDDLE_WALK_COMB || l.class.comb[k].first != k) continue;
        for (int other = 0; other < c->n_loads + c->n_stores; other++)
            if (l.class.walk[other] == HEDDLE_WALK_COMB && l.class.comb[other].first == k &&
                walks[other].offset - walks[k].offset > last)
                last = walks[other].offset - walks[k].offset;
        has_tail |= last + 1 < walks[k].stride[c->ndim - 1];
        n++;
    }
    CHECK(n == expected, "%s: %d pieces", c->what, n);
    char *source = heddle__cuda_class_source(&b.program, &l.class);
    CHECK(source && (strstr(source, "room[U - 1] > V") != NULL) == has_tail, "%s", c->what);
    heddle__free(source);
}

#define INTERLEAVED(what, n_loads, n_stores, indices, ...)                                         \
    {                                                                                              \
        what, 0, 2, n_loads, n_stores, indices, {0},                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Interleaved operands: what lies together is loaded, or stored, once. */
static void test_combs(void)
{
    enum { N = 12 };
    static const int64_t extents[N][2] = {{1, 1},    {1, 3},    {1, 1000},
                                          {1, 4096}, {40, 640}, {40, 130}};
    const struct tile_case cases[] = {
        INTERLEAVED("3 of 3", 3, 1, 0, {u8, "01*"}, {u8, ">01"}, {u8, ">02"}, {f32, "01"}),
        INTERLEAVED("in another order", 3, 1, 1, {u8, "01*"}, {u8, ">02"}, {u8, ">01"}, {u8, "01"}),
        INTERLEAVED("2 of 3", 2, 1, 0, {u8, "01*"}, {u8, ">01"}, {u8, "01"}),
        INTERLEAVED("the last of 3", 3, 1, 0, {u8, "@@01*"}, {u8, "01"}, {u8, "1"}, {u8, "01"}),
        INTERLEAVED("rows with gaps", 3, 1, 0, {u8, "0++++1*"}, {u8, ">01"}, {u8, ">02"},
                    {f32, "01"}),
        INTERLEAVED("begin askew", 3, 1, 0, {u8, "@01*"}, {u8, ">01"}, {u8, ">02"}, {f32, "01"}),
        INTERLEAVED("2 of 2, and another", 3, 1, 1, {f32, "01:"}, {f32, ">01"}, {f32, "01:"},
                    {f32, "01"}),
        INTERLEAVED("beyond a step", 3, 1, 0, {f32, "01::"}, {f32, ">03"}, {f32, ">04"},
                    {f32, "01"}),
        INTERLEAVED("3 of 3 doubles", 3, 1, 0, {f64, "01*"}, {f64, ">01"}, {f64, ">02"},
                    {f64, "01"}),
        INTERLEAVED("a stored step", 2, 1, 0, {u8, "01:"}, {u8, ">01"}, {u8, "01:"}),
        INTERLEAVED("over one of them", 2, 1, 0, {u8, "01:"}, {u8, ">01"}, {u8, "=0"}),
        INTERLEAVED("2 of 2 stored", 1, 2, 1, {f64, "01"}, {f64, "01:"}, {f64, ">11"}),
        INTERLEAVED("3 of 3 stored, in another order", 1, 3, 1, {u8, "01"}, {u8, "01*"},
                    {u8, ">12"}, {u8, ">11"}),
        INTERLEAVED("4 of 4 stored, 2 of 2 loaded", 2, 4, 0, {f32, "01:"}, {f32, ">01"},
                    {f32, "01::"}, {f32, ">21"}, {f32, ">22"}, {f32, ">23"}),
        INTERLEAVED("8 of 8 stored", 1, 8, 0, {f64, "1"}, {f64, "01:::"}, {f64, ">11"},
                    {f64, ">12"}, {f64, ">13"}, {f64, ">14"}, {f64, ">15"}, {f64, ">16"},
                    {f64, ">17"}),
        INTERLEAVED("4 of 4 doubles stored", 1, 4, 0, {f64, "01"}, {f64, "01::"}, {f64, ">11"},
                    {f64, ">12"}, {f64, ">13"}),
        INTERLEAVED("3 of 3 doubles stored", 1, 3, 0, {f64, "01"}, {f64, "01*"}, {f64, ">11"},
                    {f64, ">12"}),
        INTERLEAVED("4 of 4 bytes stored", 1, 4, 0, {f32, "01"}, {u8, "01::"}, {u8, ">11"},
                    {u8, ">12"}, {u8, ">13"}),
        INTERLEAVED("rows with gaps stored", 1, 3, 0, {f32, "01"}, {f32, "0++++1*"}, {f32, ">11"},
                    {f32, ">12"}),
        INTERLEAVED("stored askew", 1, 3, 0, {f32, "01"}, {u8, "@01*"}, {u8, ">11"}, {u8, ">12"}),
        INTERLEAVED("2 of 3 stored", 1, 2, 0, {u8, "01"}, {u8, "01*"}, {u8, ">12"}),
        INTERLEAVED("2 of 2 stored, one twice", 1, 3, 0, {u8, "01"}, {u8, "01*"}, {u8, ">12"},
                    {u8, ">12"}),
    };
    static const int pieces[] = {
        1, 1, 1, 1, 1, 0, 2, 0, 1, 0, 0,  /* loaded for an element of 40 x 640, */
        1, 1, 2, 1, 1, 1, 1, 1, 1, 0, 0}; /* or stored */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < N && extents[i][0]; i++) {
            struct tile_case c = cases[k];
            memcpy(c.extent, extents[i], sizeof extents[i]);
            run_case(&c, 0);
            if (extents[i][1] == 640) check_pieces(&c, pieces[k]);
        }
}

void test_tiles(void)
{
    const int tiles = HEDDLE_FORM_TILES, flat = HEDDLE_FORM_FLAT;
    const struct tile_case cases[] = {
        {"a copy", tiles, 2, 1, 1, 0, {100, 130}, {{f32, "10"}, {f32, "01"}}},
        {"a result across", tiles, 2, 2, 1, 1, {96, 128}, {{f32, "01"}, {f32, "01"}, {f32, "10"}}},
        {"results along and across",
         tiles,
         2,
         1,
         2,
         1,
         {70, 99},
         {{f64, "01"}, {f32, "01"}, {u8, "10"}}},
        {"all but the result across",
         tiles,
         2,
         2,
         1,
         0,
         {70, 64},
         {{f32, "10"}, {f32, "10"}, {f32, "01"}}},
        {"all across", flat, 2, 2, 1, 1, {70, 64}, {{f32, "10"}, {f32, "10"}, {f32, "10"}}},
        {"over an operand", tiles, 2, 2, 1, 0, {130, 96}, {{f32, "01"}, {f32, "10"}, {f32, "=0"}}},
        {"over an operand across",
         tiles,
         2,
         2,
         1,
         0,
         {130, 96},
         {{f32, "01"}, {f32, "10"}, {f32, "=1"}}},
        {"over both",
         tiles,
         2,
         2,
         2,
         0,
         {65, 96},
         {{f32, "01"}, {f32, "10"}, {f32, "=0"}, {f32, "=1"}}},
        {"broadcasts",
         tiles,
         2,
         4,
         1,
         1,
         {96, 80},
         {{f32, "10"}, {f32, "0"}, {f32, "1"}, {f32, ""}, {f32, "01"}}},
        {"a step",
         tiles,
         2,
         3,
         1,
         0,
         {96, 80},
         {{f32, "10"}, {f32, "01:"}, {f32, "10:"}, {f32, "01"}}},
        {"backwards",
         tiles,
         2,
         3,
         1,
         1,
         {96, 80},
         {{f32, "-10"}, {f32, "1-0"}, {f32, "-01"}, {f32, "01"}}},
        {"gaps", tiles, 2, 2, 1, 0, {96, 80}, {{f32, "@1+0"}, {f32, "0+1"}, {f32, "01"}}},
        {"begins askew", tiles, 2, 2, 1, 0, {96, 80}, {{u8, "@10"}, {u8, "01"}, {u8, "01"}}},
        {"a stored gap", tiles, 2, 2, 1, 0, {65, 80}, {{u8, "10"}, {u8, "01"}, {u8, "@0+1"}}},
        {"mixed widths",
         tiles,
         2,
         3,
         1,
         1,
         {70, 90},
         {{u8, "10"}, {f64, "10"}, {f32, "01"}, {f32, "01"}}},
        {"three wide ones",
         tiles,
         2,
         3,
         1,
         0,
         {70, 90},
         {{c128, "10"}, {c128, "10"}, {c128, "10"}, {c128, "01"}}},
        {"three of floats",
         tiles,
         2,
         3,
         1,
         0,
         {64, 132},
         {{f32, "10"}, {f32, "10"}, {f32, "10"}, {f32, "01"}}},
        {"axes 2 1 0", tiles, 3, 1, 1, 0, {20, 30, 40}, {{f32, "210"}, {f32, "012"}}},
        {"axes 0 2 1", tiles, 3, 2, 1, 1, {5, 40, 72}, {{f32, "021"}, {f32, "012"}, {f32, "012"}}},
        {"axes 2 0 1", tiles, 3, 2, 1, 0, {20, 30, 40}, {{u8, "201"}, {u8, "012"}, {u8, "012"}}},
        {"axes 1 0 2", flat, 3, 2, 1, 0, {20, 30, 40}, {{f32, "102"}, {f32, "012"}, {f32, "012"}}},
        {"a short axis", flat, 3, 1, 1, 0, {5, 40, 3}, {{f32, "021"}, {f32, "012"}}},
        {"two permutations",
         tiles,
         3,
         3,
         1,
         1,
         {20, 33, 40},
         {{f32, "210"}, {f32, "021"}, {f32, "012"}, {f32, "012"}}},
        {"a result of axes 2 1 0", tiles, 3, 1, 1, 1, {20, 33, 40}, {{f32, "012"}, {f32, "210"}}},
        {"axes 3 2 1 0",
         tiles,
         4,
         2,
         1,
         1,
         {17, 5, 3, 40},
         {{f32, "3210"}, {f32, "0123"}, {f32, "0123"}}},
        {"axes 1 3 0 2", tiles, 4, 1, 1, 1, {6, 3, 40, 70}, {{f64, "1302"}, {f64, "0-123"}}},
        {"axes 0 3 -2 1, gaps",
         tiles,
         4,
         2,
         1,
         1,
         {3, 20, 4, 50},
         {{f32, "03+-21"}, {f32, "01+23"}, {f32, "0+123"}}},
    };
    test_extents();
    test_combs();
    test_many();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i], 0);
}
