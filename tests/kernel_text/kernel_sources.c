/* The CUDA sources of kernels compile: every operator and function of every type, every statement, arguments of each kind.
 * NVRTC needs no GPU. */
#include "base/memory.h"
#include "check.h"
#include "cuda/compile.h"
#include "kernel_text/form.h"
#include "kernel_texts.h"

#include <stdlib.h>

static void check_one(enum heddle_dtype dtype, const char *body, int arch)
{
    static struct kernel_tree tree;
    static struct kernel_types types;
    heddle__kernel_parse_with(&tree, preamble_text, "T x, raw T y, T w", "T z, raw T u, bool v",
                              body, "all");
    CHECK(tree.code == HEDDLE_OK, "%s", tree.message);
    if (tree.code != HEDDLE_OK) return;
    types = (struct kernel_types){.nodes = malloc((size_t)tree.n_nodes + 1)};
    types.letters['T'] = (unsigned char)dtype;
    const enum heddle_status checked = heddle__kernel_check(&tree, &types);
    CHECK(checked == HEDDLE_OK, "%s", heddle_last_error());
    const struct kernel_form form = {.tree = &tree,
                                     .types = &types,
                                     .ndim = 2,
                                     .mode = {KERNEL_ALIGNED, KERNEL_RAW, KERNEL_BROADCAST,
                                              KERNEL_ALIGNED, KERNEL_RAW, KERNEL_ALIGNED},
                                     .ndims = {2, 1, 1, 2, 2, 2}};
    char *const source = heddle__kernel_source(&form, true), *cubin = NULL;
    size_t size = 0;
    const enum heddle_status status = heddle__compile(source, arch, &cubin, &size);
    CHECK(status == HEDDLE_OK, "%s\n%s", heddle_last_error(), source);
    heddle__free(cubin);
    heddle__free(source);
    free(types.nodes);
    heddle__kernel_free_tree(&tree);
}

/* The loop of a reduction's first round. */
static void check_loop(enum heddle_dtype dtype)
{
    static struct kernel_tree map, tree;
    static struct kernel_reduction texts;
    static struct kernel_types types;
    heddle__kernel_parse_reduction(&map, &texts, "T x, T y, T z", "T v, int64 at",
                                   "x * z + y, i + n", "a0 + b0, b0 == a0 ? b1 : a1",
                                   "v = a0; at = a1", NULL, "T, int64", "loop");
    CHECK(map.code == HEDDLE_OK, "%s", map.message);
    CHECK(heddle__kernel_make_loop(&tree, &map, &texts, 4), "%s", tree.message);
    types = (struct kernel_types){.nodes = malloc((size_t)tree.n_nodes + 1)};
    types.letters['T'] = types.letters[KERNEL_ACCUMULATOR & 127] = (unsigned char)dtype;
    types.letters[(KERNEL_ACCUMULATOR + 1) & 127] = HEDDLE_INT64;
    CHECK(heddle__kernel_check(&tree, &types) == HEDDLE_OK, "%s", heddle_last_error());
    const struct kernel_form form = {
        .tree = &tree,
        .types = &types,
        .ndim = 2,
        .mode = {KERNEL_ROWS, KERNEL_ROWS, KERNEL_BROADCAST, KERNEL_ALIGNED, KERNEL_ALIGNED},
        .ndims = {KERNEL_ROWS_NUMBERS, KERNEL_ROWS_NUMBERS, 0, 2, 2}};
    char *const source = heddle__kernel_source(&form, true), *cubin = NULL;
    size_t size = 0;
    CHECK(heddle__compile(source, 90, &cubin, &size) == HEDDLE_OK, "%s\n%s", heddle_last_error(),
          source);
    heddle__free(cubin);
    heddle__free(source);
    free(types.nodes);
    heddle__kernel_free_tree(&tree);
    heddle__kernel_free_tree(&map);
    heddle__kernel_free_reduction(&texts);
}

int main(void)
{
    check_loop(HEDDLE_FLOAT32);
    check_loop(HEDDLE_COMPLEX64);
    check_loop(HEDDLE_INT32);
    check_one(HEDDLE_FLOAT32, floating_text, 90);
    check_one(HEDDLE_FLOAT64, floating_text, 75);
    check_one(HEDDLE_INT32, integer_text, 90);
    check_one(HEDDLE_UINT64, integer_text, 90);
    check_one(HEDDLE_UINT8, integer_text, 90);
    check_one(HEDDLE_COMPLEX64, complex_text, 90);
    check_one(HEDDLE_COMPLEX128, complex_text, 90);
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
