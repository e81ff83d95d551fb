/* Proves what the planner decides, with no device: the plans of named expressions are compared with
 * expected/NAME.txt. Usage: plans FOLDER [--update]. */
#include "check.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdlib.h>

static heddle_array *zeros_data(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t n = 16;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    void *data = calloc((size_t)n, 16);
    heddle_array *a =
        heddle_asarray(data, dtype, ndim, shape, .borrow = true, .deleter = free, .user = data);
    return a;
}

#define DATA(...) zeros_data(HEDDLE_FLOAT64, HEDDLE_SHAPE(__VA_ARGS__))

static heddle_array *fused_chain(void)
{
    heddle_array *x = DATA(1000), *y = DATA(1000);
    return heddle_exp(heddle_add(heddle_multiply(x, heddle_scalar(2.0)), heddle_sqrt(y)));
}

static heddle_array *equal_once(void)
{
    heddle_array *x = DATA(1000), *y = DATA(1000);
    return heddle_multiply(heddle_sin(heddle_add(x, y)), heddle_sin(heddle_add(y, x)));
}

/* Of no data: a part for each GPU, however many bytes the elements would have. */
static heddle_array *generated_sum(void)
{
    heddle_array *x = heddle_arange(heddle_scalar_int(1 << 28), NULL, NULL);
    return heddle_sum(heddle_sqrt(heddle_astype(x, HEDDLE_FLOAT64)));
}

static heddle_array *stencil_cut(void)
{
    heddle_array *u = DATA(90000, 4);
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2)));
    heddle_array *mid = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)));
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2)));
    return heddle_subtract(heddle_add(up, down), heddle_multiply(mid, heddle_scalar(2.0)));
}

static heddle_array *jacobi(void)
{
    heddle_array *u = DATA(64, 64);
    heddle_array *inner = heddle_multiply(
        heddle_scalar(0.5),
        heddle_add(heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1))),
                   heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)))));
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)), inner);
}

static heddle_array *norm_cut(void)
{
    return heddle_sqrt(heddle_sum(heddle_square(heddle_abs(DATA(500000)))));
}

static heddle_array *strided_sum(void)
{
    return heddle_sum(heddle_getitem(DATA(2000000), HEDDLE_INDEX(HEDDLE_SLICE_STEP(5, -1, 10))));
}

static heddle_array *sum_axis_cut(void)
{
    return heddle_sum(DATA(4096, 100), .axis = 0);
}

static heddle_array *two_reductions(void)
{
    heddle_array *x = DATA(1000, 8);
    return heddle_subtract(heddle_max(x, .axis = 1), heddle_min(x, .axis = 1));
}

static heddle_array *costly_broadcast(void)
{
    heddle_array *x = DATA(100, 1), *y = DATA(100, 500);
    return heddle_multiply(heddle_exp(x), y);
}

static heddle_array *shifted_costly(void)
{
    heddle_array *y = heddle_erfc(DATA(1000));
    return heddle_add(heddle_getitem(y, HEDDLE_INDEX(HEDDLE_FROM(1))),
                      heddle_getitem(y, HEDDLE_INDEX(HEDDLE_TO(-1))));
}

static heddle_array *shifted_cheap(void)
{
    heddle_array *y = heddle_multiply(DATA(1000), heddle_scalar(2.0));
    return heddle_add(heddle_getitem(y, HEDDLE_INDEX(HEDDLE_FROM(1))),
                      heddle_getitem(y, HEDDLE_INDEX(HEDDLE_TO(-1))));
}

/* The differences from the mean are computed in both readers; the mean, which is broadcast, once. */
static heddle_array *standardized(void)
{
    heddle_array *x = DATA(50, 8);
    heddle_array *d = heddle_subtract(x, heddle_mean(x, .axis = 0));
    return heddle_divide(d, heddle_sqrt(heddle_mean(heddle_multiply(d, d), .axis = 0)));
}

static heddle_array *transposed_product(void)
{
    heddle_array *a = DATA(60, 40), *b = DATA(60, 50);
    return heddle_matmul(heddle_matrix_transpose(a), heddle_multiply(b, heddle_scalar(2.0)));
}

static heddle_array *joined(void)
{
    heddle_array *a = DATA(10, 3), *b = zeros_data(HEDDLE_INT32, HEDDLE_SHAPE(5, 3));
    return heddle_concat(HEDDLE_ARRAYS(a, b, heddle_flip(a, .axis = 0)), 0);
}

static heddle_array *reshaped(void)
{
    heddle_array *a = heddle_negative(DATA(12, 5));
    return heddle_add(heddle_reshape(a, HEDDLE_SHAPE(60)),
                      heddle_arange(heddle_scalar(60), NULL, NULL));
}

static heddle_array *long_chain(void)
{
    heddle_array *a = DATA(100);
    for (int i = 0; i < 300; i++) a = heddle_add(a, heddle_scalar(1.0));
    return a;
}

static heddle_array *constants_only(void)
{
    return heddle_add(heddle_ones(HEDDLE_SHAPE(4, 5)), heddle_eye(4, 5));
}

static heddle_array *placed_in_order(void)
{
    const heddle_place places[] = {heddle_gpu(0), heddle_gpu(1), heddle_gpu(2), heddle_gpu(3)};
    return heddle_distribute(
        DATA(8, 6), &(struct heddle_distribution){.cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 4},
                                                  .n_places = 4,
                                                  .places = places});
}

static heddle_array *placed(void)
{
    return heddle_exp(placed_in_order());
}

static heddle_array *placed_in_runs(void)
{
    const heddle_place places[] = {heddle_gpu(1), heddle_gpu(1), heddle_gpu(1), heddle_cpu(0)};
    heddle_array *moved = heddle_distribute(
        placed_in_order(),
        &(struct heddle_distribution){
            .cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 4}, .n_places = 4, .places = places});
    return heddle_sum(moved, .axis = 1);
}

static const struct {
    const char *name;
    heddle_array *(*make)(void);
    struct heddle_config config;
} cases[] = {
    {"fused_chain", fused_chain, {.inline_bytes = 1 << 20}},
    {"unfused_chain", fused_chain, {.no_fusion = true}},
    {"equal_once", equal_once, {0}},
    {"generated_sum", generated_sum, {.part_bytes = 1 << 20}},
    {"stencil_cut", stencil_cut, {.part_bytes = 1 << 20}},
    {"jacobi", jacobi, {.partition = "2x2"}},
    {"norm_cut", norm_cut, {.part_bytes = 1 << 20}},
    {"strided_sum", strided_sum, {.part_bytes = 1 << 20}},
    {"sum_axis_cut", sum_axis_cut, {.part_bytes = 1 << 20}},
    {"two_reductions", two_reductions, {0}},
    {"costly_broadcast", costly_broadcast, {0}},
    {"shifted_costly", shifted_costly, {0}},
    {"shifted_cheap", shifted_cheap, {0}},
    {"standardized", standardized, {0}},
    {"transposed_product", transposed_product, {.partition = "2"}},
    {"joined", joined, {0}},
    {"reshaped", reshaped, {.partition = "3"}},
    {"long_chain", long_chain, {0}},
    {"constants_only", constants_only, {0}},
    {"placed", placed, {0}},
    {"placed_in_runs", placed_in_runs, {0}},
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 20);
    const size_t n = fread(text, 1, (1 << 20) - 1, file);
    text[n] = 0;
    fclose(file);
    return text;
}

/* A plan of tasks that runs here, since nothing drives devices, needs no runtime to be explained. */
static void test_run_here(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_sum(heddle_linspace(heddle_scalar(0), heddle_scalar(1), 1000));
    char *plan = NULL, *run = NULL;
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    CHECK(heddle_explain(a, HEDDLE_EXPLAIN_RUN, &run) == HEDDLE_OK, "%s", heddle_last_error());
    if (plan && run) CHECK_HAS(run, plan);
    heddle_free(plan);
    heddle_free(run);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "expected";
    const int update = argc > 2 && strcmp(argv[2], "--update") == 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_EQ(machine_configure(&cases[i].config), HEDDLE_OK);
        heddle_scope scope = heddle_scope_open();
        char *text = NULL, path[512];
        snprintf(path, sizeof path, "%s/%s.txt", folder, cases[i].name);
        CHECK_EQ(heddle_explain(cases[i].make(), HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
        if (update && text) {
            FILE *file = fopen(path, "wb");
            if (file) {
                fputs(text, file);
                fclose(file);
            }
        }
        char *expected = read_file(path);
        CHECK(expected != NULL, "no %s: run with --update and read it", path);
        if (expected && text) CHECK_STR(text, expected);
        free(expected);
        heddle_free(text);
        heddle_scope_close(scope);
        heddle_shutdown();
    }
    test_run_here();
    return check_done();
}
