/* Proves what the planner decides, with no device: the plans of named expressions are compared with
 * expected/NAME.txt. Usage: plans FOLDER [--update]. */
#include "check.h"
#include "machine/machine.h"
#include "cases_of_points.h"
#include "cases_of_rows.h"
#include "cases_of_shifts.h"
#include "planned.h"

#include <heddle.h>
#include <stdlib.h>

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

/* The transposed operand is copied first: its lines would be read again for each of their elements. */
static heddle_array *sum_across(void)
{
    return heddle_sum(heddle_multiply(DATA(1024, 1024), heddle_matrix_transpose(DATA(1024, 1024))));
}

/* Softmax: one task, whose launches are over the same rows. */
static heddle_array *softmax(void)
{
    heddle_array *x = DATA(2048, 300);
    heddle_array *m = heddle_max(x, .axis = 1, .keepdims = true);
    heddle_array *e = heddle_exp(heddle_subtract(x, m));
    return heddle_divide(e, heddle_sum(e, .axis = 1, .keepdims = true));
}

/* Two passes over the same rows are one task, though the order of stages has another sum between them. */
static heddle_array *rows_beside(void)
{
    heddle_array *x = DATA(20000, 100);
    heddle_array *m = heddle_max(x, .axis = 1, .keepdims = true);
    heddle_array *s = heddle_sum(heddle_exp(heddle_subtract(x, m)), .axis = 1);
    heddle_array *first = heddle_getitem(x, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(3)));
    return heddle_subtract(heddle_mean(heddle_log(s)), heddle_mean(first));
}

/* The norm's root is over the rows alone, with an axis of extent 1. */
static heddle_array *unit_rows(void)
{
    heddle_array *x = DATA(200000, 3);
    return heddle_divide(
        x, heddle_sqrt(heddle_sum(heddle_multiply(x, x), .axis = 1, .keepdims = true)));
}

/* At two GPUs by rows, as many rows at each. */
static heddle_array *over_two(heddle_array *a)
{
    const heddle_place places[] = {heddle_gpu(0), heddle_gpu(1)};
    return heddle_distribute(a, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS, 2},
                                                              .n_places = 2,
                                                              .places = places});
}

static heddle_array *transposed_product(void)
{
    heddle_array *a = DATA(60, 40), *b = DATA(60, 50);
    return heddle_matmul(heddle_matrix_transpose(a), heddle_multiply(b, heddle_scalar(2.0)));
}

/* One task, whose product is made in the place of the result. */
static heddle_array *product_map(void)
{
    heddle_array *h = heddle_matmul(DATA(400, 30), DATA(30, 200));
    return heddle_add(heddle_maximum(h, heddle_scalar(0.0)), DATA(200));
}

/* The product has a place of its own: the result has another dtype. */
static heddle_array *product_less(void)
{
    heddle_array *h = heddle_matmul(DATA(400, 30), DATA(30, 200));
    return heddle_less(h, DATA(400, 200));
}

/* Each GPU multiplies its rows; one adds what both have made. */
static heddle_array *product_sum(void)
{
    heddle_array *x = over_two(zeros_data(HEDDLE_FLOAT16, HEDDLE_SHAPE(4000, 20)));
    return heddle_matmul(heddle_matrix_transpose(x), x);
}

/* One GPU has the vector: it cuts out what the other one needs. */
static heddle_array *product_sum_apart(void)
{
    heddle_array *x = over_two(DATA(4000, 20)), *v = heddle_to(DATA(4000), heddle_gpu(1));
    return heddle_matmul(heddle_matrix_transpose(x), v);
}

/* The maximum is no part of the partial products' calls. */
static heddle_array *product_sum_map(void)
{
    heddle_array *x = over_two(DATA(8000, 200));
    return heddle_maximum(heddle_matmul(heddle_matrix_transpose(x), x), heddle_scalar(3.0));
}

static heddle_array *joined(void)
{
    heddle_array *a = DATA(10, 3), *b = zeros_data(HEDDLE_INT32, HEDDLE_SHAPE(5, 3));
    return heddle_concat(HEDDLE_ARRAYS(a, b, heddle_flip(a, .axis = 0)), 0);
}

static heddle_array *placed_in_order(void)
{
    const heddle_place places[] = {heddle_gpu(0), heddle_gpu(1), heddle_gpu(2), heddle_gpu(3)};
    return heddle_distribute(
        DATA(8, 6), &(struct heddle_distribution){.cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 4},
                                                  .n_places = 4,
                                                  .places = places});
}

/* One step, and no array but the operand and the result. */
static heddle_array *joined_tail(void)
{
    heddle_array *u = DATA(1000);
    heddle_array *next =
        heddle_concat(HEDDLE_ARRAYS(heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(1))),
                                    heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(1)))),
                      0);
    return heddle_subtract(next, u);
}

static heddle_array *periodic_of(int64_t n)
{
    heddle_array *u = over_two(DATA(n, n - 16));
    heddle_array *x = heddle_add(heddle_roll(u, 1, .axis = 0), heddle_roll(u, -1, .axis = 0));
    heddle_array *y = heddle_add(heddle_roll(u, 1, .axis = 1), heddle_roll(u, -1, .axis = 1));
    return heddle_subtract(heddle_add(x, y), heddle_multiply(u, heddle_scalar(4.0)));
}

/* Four assembled arrays, nine boxes, cut and placed as the operand, with halos: a row is one, whatever boxes read it. */
static heddle_array *periodic(void)
{
    return periodic_of(64);
}

/* Both GPUs begin with what they have, before one of them goes on with halos. */
static heddle_array *periodic_large(void)
{
    return periodic_of(600);
}

/* Of three assembled arrays two are not stored: with the third there would be more calls than bytes are worth. */
static heddle_array *periodic_small(void)
{
    heddle_array *u = DATA(6, 5, 4);
    return heddle_add(heddle_add(heddle_roll(u, 1, .axis = 0), heddle_roll(u, 1, .axis = 1)),
                      heddle_roll(u, 1, .axis = 2));
}

/* Two results of other dtypes than the assembled array's, which is one in another. */
static heddle_array *nested_tail(void)
{
    heddle_array *u = DATA(10, 4), *v = DATA(7, 4);
    heddle_array *rows = heddle_concat(HEDDLE_ARRAYS(u, heddle_add(v, heddle_scalar(1.0))), 0);
    heddle_array *all = heddle_concat(HEDDLE_ARRAYS(rows, DATA(17, 2)), 1);
    heddle_array *less = heddle_less(all, heddle_scalar(2.0));
    return heddle_matmul(heddle_astype(less, HEDDLE_FLOAT32),
                         heddle_matrix_transpose(heddle_astype(all, HEDDLE_FLOAT32)));
}

/* Nothing else says where the result is than the array that is not stored. */
static heddle_array *rolled_in_place(void)
{
    return heddle_negative(heddle_roll(placed_in_order(), -2, .axis = 0));
}

/* Stored as the user asks. */
static heddle_array *joined_placed(void)
{
    const heddle_place places[] = {heddle_gpu(0), heddle_gpu(1)};
    heddle_array *all = heddle_concat(HEDDLE_ARRAYS(DATA(10), DATA(20)), 0);
    all = heddle_distribute(
        all, &(struct heddle_distribution){
                 .cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 2}, .n_places = 2, .places = places});
    return heddle_negative(all);
}

/* Neighbours of one place become one part. */
static heddle_array *joined_at_places(void)
{
    heddle_array *here = heddle_to(DATA(10), heddle_gpu(1)),
                 *there = heddle_to(DATA(10), heddle_gpu(0));
    heddle_array *rows[] = {heddle_exp(here), heddle_sqrt(here), there, here};
    return heddle_stack(4, rows, 0);
}

/* What is set and, around it, what is not. */
static heddle_array *set_tail(void)
{
    heddle_array *u = DATA(64, 64), *v = DATA(62, 62);
    heddle_array *set =
        heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)), v);
    return heddle_multiply(set, heddle_scalar(2.0));
}

/* Walls set one after the other, each in the array of the one before; of the base, the outside of what is set first. */
static heddle_array *walls(void)
{
    heddle_array *p = DATA(64, 64), *v = DATA(62, 62);
    const int64_t last = 63;
    p = heddle_set_item(p, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                        heddle_multiply(v, heddle_scalar(2.0)));
    p = heddle_set_item(p, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(last)),
                        heddle_getitem(p, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(last - 1))));
    p = heddle_set_item(p, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(0)),
                        heddle_getitem(p, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(1))));
    return heddle_set_item(p, HEDDLE_INDEX(HEDDLE_AT(last)), heddle_scalar(0.0));
}

/* Stored: each operand would be read by every other element, once for each input. */
static heddle_array *interleaved(void)
{
    heddle_array *u = DATA(100000), *a = heddle_stack(HEDDLE_ARRAYS(u, u, u, u), 1);
    return heddle_add(heddle_multiply(a, DATA(100000, 4)), DATA(100000, 4));
}

/* Stored: a reduction reads it, too. */
static heddle_array *joined_twice(void)
{
    heddle_array *a = DATA(1000), *all = heddle_concat(HEDDLE_ARRAYS(a, DATA(500)), 0);
    return heddle_subtract(all, heddle_sum(all));
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
    {"edges", edges, {0}},
    {"picked_sum", picked_sum, {0}},
    {"rows_by_index", rows_by_index, {0}},
    {"taken_twice", taken_twice, {0}},
    {"picked_of_rows", picked_of_rows, {0}},
    {"forces", forces, {0}},
    {"nearest", nearest, {0}},
    {"nearest_of_both", nearest_of_both, {0}},
    {"nearest_costly", nearest_costly, {0}},
    {"costly_broadcast", costly_broadcast, {0}},
    {"product_of_broadcasts", product_of_broadcasts, {0}},
    {"shifted_costly", shifted_costly, {0}},
    {"box_filter", box_filter, {0}},
    {"stacked_bytes", stacked_bytes, {0}},
    {"turned_halves", turned_halves, {0}},
    {"wrapped_neighbours", wrapped_neighbours, {0}},
    {"shifted_cheap", shifted_cheap, {0}},
    {"standardized", standardized, {0}},
    {"masked_mean", masked_mean, {0}},
    {"sum_across", sum_across, {0}},
    {"softmax", softmax, {0}},
    {"rows_beside", rows_beside, {0}},
    {"scan_work", scan_work, {0}},
    {"scan_columns", scan_columns, {.partition = "1"}},
    {"scan_chain", scan_chain, {0}},
    {"scan_middle", scan_middle, {0}},
    {"scan_read_twice", scan_read_twice, {0}},
    {"group_norm", group_norm, {.partition = "1"}},
    {"softmax_cut", softmax, {.partition = "3"}},
    {"unit_rows", unit_rows, {0}},
    {"transposed_product", transposed_product, {.partition = "2"}},
    {"product_map", product_map, {.partition = "1"}},
    {"product_less", product_less, {.partition = "1"}},
    {"product_sum", product_sum, {0}},
    {"product_sum_apart", product_sum_apart, {0}},
    {"product_sum_map", product_sum_map, {0}},
    {"joined", joined, {0}},
    {"joined_tail", joined_tail, {0}},
    {"periodic", periodic, {0}},
    {"periodic_large", periodic_large, {0}},
    {"periodic_small", periodic_small, {0}},
    {"nested_tail", nested_tail, {0}},
    {"rolled_in_place", rolled_in_place, {0}},
    {"joined_placed", joined_placed, {0}},
    {"joined_at_places", joined_at_places, {0}},
    {"set_tail", set_tail, {.partition = "2x2"}},
    {"walls", walls, {.inline_bytes = 1 << 20}},
    {"interleaved", interleaved, {0}},
    {"joined_twice", joined_twice, {0}},
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

/* An assembled array that is asked for is stored, and what follows it reads it. */
static void test_asked(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = 1 << 20}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *rolled = heddle_roll(DATA(1000), 1, .axis = 0);
    heddle_array *const both[] = {rolled, heddle_negative(rolled)};
    struct heddle_walk walk = {0};
    CHECK_EQ(heddle__walk(&walk, 2, both), HEDDLE_OK);
    struct heddle_plan *plan = heddle__plan_make(&walk, heddle__policy());
    CHECK(plan != NULL, "%s", heddle_last_error());
    if (plan) {
        CHECK_EQ(plan->n_steps, 2);
        CHECK_STR(plan->steps[0].name, "assemble");
        CHECK_STR(plan->steps[1].name, "negative");
        heddle__plan_release(plan);
    }
    heddle__walk_free(&walk);
    heddle_scope_close(scope);
}

/* A plan without memory for all of it is none, and leaves nothing. */
static void test_no_memory(heddle_array *(*make)(void))
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    check_plan_without_memory(make());
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
    test_asked();
    test_no_memory(periodic);
    test_no_memory(nested_tail);
    test_no_memory(product_sum_apart);
    return check_done();
}
