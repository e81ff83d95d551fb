/* The interpreter of kernels and what a C compiler makes of them give the same bits: every operator, function and
 * statement of every type, over random numbers, NaNs, infinities and the least and largest integers; in a part of a result,
 * with arguments that are cut like it, broadcast and raw. And what becomes of compilers that are not there. */
#include "base/memory.h"
#include "check.h"
#include "cpu/compiled/compiler.h"
#include "families/kernel/cpu_compile.h"
#include "families/kernel/cpu_interpret.h"
#include "kernel_texts.h"
#include "random_words.h"

#include <stdlib.h>

enum { ROWS = 20, COLUMNS = 30, FIRST = 3, LAST = 17, SIZE = (LAST - FIRST) * COLUMNS, RAW = 7 };

static struct kernel_tree tree;
static unsigned char node_types[KERNEL_MAX_NODES];

struct buffers {
    _Alignas(64) char x[SIZE * 16], y[RAW * 16], w[COLUMNS * 16], z[SIZE * 16],
        u[ROWS * COLUMNS * 16];
    bool v[SIZE];
};

static void draw(char *out, int n, enum heddle_dtype dtype)
{
    static const double special[] = {0,         -0.0, 1,    -1,           0.5,    INFINITY,
                                     -INFINITY, NAN,  1e30, 2147483647.0, -9.3e18};
    const size_t bytes = heddle_dtype_size(dtype);
    for (int k = 0; k < n; k++) {
        union heddle_scalar v = {.c128 = {(random_part() - 0.5) * 12, (random_part() - 0.5) * 3}};
        if (random_word() % 4 == 0) v.c128[0] = special[random_word() % 11];
        v = heddle__convert(v, HEDDLE_COMPLEX128, HEDDLE_COMPLEX128);
        const enum heddle_dtype from =
            heddle_dtype_kind(dtype) == 'C' ? HEDDLE_COMPLEX128 : HEDDLE_FLOAT64;
        v = heddle__convert(v, from, dtype);
        memcpy(out + (size_t)k * bytes, &v, bytes);
    }
}

static void fill_slots(const struct kernel_form *f, struct buffers *b, int64_t *s)
{
    const int64_t at[6] = {(int64_t)(intptr_t)b->x, (int64_t)(intptr_t)b->y,
                           (int64_t)(intptr_t)b->w, (int64_t)(intptr_t)b->z,
                           (int64_t)(intptr_t)b->u, (int64_t)(intptr_t)b->v};
    const int64_t axes[8] = {
        ROWS * COLUMNS, FIRST * COLUMNS, FIRST, LAST - FIRST, COLUMNS, 0, COLUMNS, 1};
    memcpy(s, axes, sizeof axes);
    for (int i = 0; i < 6; i++) s[heddle__kernel_slot(f, i)] = at[i];
    int64_t *const y = s + heddle__kernel_slot(f, 1), *const w = s + heddle__kernel_slot(f, 2),
                   *const u = s + heddle__kernel_slot(f, 4);
    y[1] = y[2] = RAW;
    w[1] = 0;
    w[2] = 1;
    u[1] = ROWS * COLUMNS;
    u[2] = ROWS;
    u[3] = COLUMNS;
}

static bool same_bits(const struct buffers *a, const struct buffers *b, size_t bytes)
{
    return !memcmp(a->z, b->z, SIZE * bytes) && !memcmp(a->u, b->u, ROWS * COLUMNS * bytes) &&
           !memcmp(a->v, b->v, sizeof a->v);
}

/* NaNs are equal to NaNs: which operand's bits they have is the compiler's choice. */
static void same_nans(struct buffers *b, enum heddle_dtype dtype)
{
    const enum heddle_dtype real = heddle__real_dtype(dtype);
    const int n = SIZE * (int)(heddle_dtype_size(dtype) / heddle_dtype_size(real));
    for (int k = 0; k < n && real == HEDDLE_FLOAT32; k++)
        if (isnan(((float *)b->z)[k])) ((float *)b->z)[k] = NAN;
    for (int k = 0; k < n && real == HEDDLE_FLOAT64; k++)
        if (isnan(((double *)b->z)[k])) ((double *)b->z)[k] = NAN;
}

static void check_one(enum heddle_dtype dtype, const char *body, const char *compiler)
{
    static struct buffers one, other;
    static struct kernel_types types;
    int64_t slots[KERNEL_MAX_SLOTS];
    heddle__kernel_parse_with(&tree, preamble_text, "T x, raw T y, T w", "T z, raw T u, bool v",
                              body, "all");
    CHECK(tree.code == HEDDLE_OK, "%s", tree.message);
    types = (struct kernel_types){.nodes = node_types};
    types.letters['T'] = (unsigned char)dtype;
    CHECK_EQ(heddle__kernel_check(&tree, &types), HEDDLE_OK);
    struct heddle_kernel_program program = {
        .form = {.tree = &tree,
                 .types = &types,
                 .ndim = 2,
                 .mode = {KERNEL_ALIGNED, KERNEL_RAW, KERNEL_BROADCAST, KERNEL_ALIGNED, KERNEL_RAW,
                          KERNEL_ALIGNED},
                 .ndims = {2, 1, 1, 2, 2, 2}}};
    memset(&one, 0, sizeof one);
    draw(one.x, SIZE, dtype);
    draw(one.y, RAW, dtype);
    draw(one.w, COLUMNS, dtype);
    other = one;

    struct kernel_interpreter t;
    fill_slots(&program.form, &one, slots);
    CHECK(heddle__kernel_interpreter_open(&t, &program.form, slots));
    heddle__kernel_interpret(&t, 0, SIZE);
    heddle__kernel_interpreter_close(&t);

    setenv("HEDDLE_CC", compiler, 1);
    kernel_function *const function = heddle__kernel_compiled(&program, 1);
    CHECK(function != NULL, "%s does not compile", heddle_dtype_name(dtype));
    fill_slots(&program.form, &other, slots);
    if (function) function(slots, 0, 100);
    if (function) function(slots, 100, SIZE);
    CHECK(memcmp(one.z, one.x, sizeof one.z) != 0);
    same_nans(&one, dtype);
    same_nans(&other, dtype);
    CHECK(same_bits(&one, &other, heddle_dtype_size(dtype)), "%s: %s", compiler,
          heddle_dtype_name(dtype));
    heddle__kernel_free_tree(&tree);
}

/* Without a compiler, or with one that fails, kernels are interpreted; small work does not wait for one. */
static void check_none(void)
{
    static struct kernel_types types;
    static const char *const compilers[] = {"", "no-such-compiler", "false", "true"};
    heddle__kernel_parse(&tree, "T x", "T z", "z = x + 1", "plain");
    types = (struct kernel_types){.nodes = node_types};
    types.letters['T'] = HEDDLE_FLOAT32;
    CHECK_EQ(heddle__kernel_check(&tree, &types), HEDDLE_OK);
    for (int i = 0; i < 5; i++) {
        struct heddle_kernel_program program = {
            .form = {.tree = &tree, .types = &types, .ndim = 1, .ndims = {1, 1}}};
        if (i < 4)
            setenv("HEDDLE_CC", compilers[i], 1);
        else
            unsetenv("HEDDLE_CC");
        CHECK(heddle__kernel_compiled(&program, i < 4 ? 1e12 : 1000) == NULL);
        CHECK(heddle__kernel_compiled(&program, 1000) == NULL);
    }
    heddle__kernel_free_tree(&tree);
}

int main(void)
{
    static const char *const compilers[] = {"cc", "clang"};
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        static const char *const options[] = {NULL};
        setenv("HEDDLE_CC", compilers[i], 1);
        struct heddle__environment e = heddle__environment_now();
        char *const bytes = heddle__run_compilers(&e, "int x;", options, NULL, &size);
        heddle__free_pooled(e.names);
        if (!bytes) continue; /* it is not there */
        heddle__free(bytes);
        check_one(HEDDLE_FLOAT32, floating_text, compilers[i]);
        check_one(HEDDLE_FLOAT64, floating_text, compilers[i]);
        check_one(HEDDLE_INT32, integer_text, compilers[i]);
        check_one(HEDDLE_UINT64, integer_text, compilers[i]);
        check_one(HEDDLE_INT8, integer_text, compilers[i]);
        check_one(HEDDLE_COMPLEX64, complex_text, compilers[i]);
        check_one(HEDDLE_COMPLEX128, complex_text, compilers[i]);
    }
    check_none();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
