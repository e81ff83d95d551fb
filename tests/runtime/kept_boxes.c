/* Boxes that GPUs keep of each other's arrays (src/direct/kept_boxes.c), without a GPU: memory that is put back is counted here. */
#include "check.h"

#include "direct/kept_boxes.h"
#include "starpu/gpu_blocks.h"

#include <string.h>

enum { MEMORY = 16000, SHARE = MEMORY / 16, MOST = 16 };

static const struct heddle_worker
    first = {.number = 1, .is_gpu = true, .team = 0, .memory_bytes = MEMORY},
    second = {.number = 2, .is_gpu = true, .team = 1, .memory_bytes = MEMORY};
static char blocks[MOST];
static int n_put[MOST];

void heddle__gpu_block_put(const struct heddle_worker *worker, void *at, int64_t size_bytes)
{
    CHECK(worker == &first || worker == &second, "no GPU's");
    CHECK(size_bytes > 0, "%lld bytes", (long long)size_bytes);
    n_put[(char *)at - blocks]++;
}

/* How often blocks 0..n-1 were put back, as a number of n digits. */
static int64_t were_put(int n)
{
    int64_t digits = 0;
    for (int i = 0; i < n; i++) digits = digits * 10 + n_put[i];
    return digits;
}

static void test_find(struct heddle_storage *a, struct heddle_storage *b)
{
    const struct heddle_box left = {{0, 0}, {4, 2}}, right = {{0, 2}, {4, 4}},
                            corner = {{0, 0}, {2, 2}};
    CHECK(heddle__kept_box(a, 0, &left, &first) == NULL, "nothing is kept yet");
    CHECK(heddle__keep_box(a, 0, &left, &first, &blocks[0], 100), "there is room");
    CHECK(heddle__keep_box(a, 0, &right, &first, &blocks[1], 100), "there is room");
    CHECK(heddle__keep_box(a, 1, &left, &first, &blocks[2], 100), "there is room");
    CHECK(heddle__keep_box(a, 0, &left, &second, &blocks[3], 100), "there is room");
    CHECK(heddle__keep_box(b, 0, &left, &first, &blocks[4], 100), "there is room");
    CHECK(heddle__kept_box(a, 0, &left, &first) == &blocks[0], "another one");
    CHECK(heddle__kept_box(a, 0, &right, &first) == &blocks[1], "of another box");
    CHECK(heddle__kept_box(a, 1, &left, &first) == &blocks[2], "of another part");
    CHECK(heddle__kept_box(a, 0, &left, &second) == &blocks[3], "on another GPU");
    CHECK(heddle__kept_box(b, 0, &left, &first) == &blocks[4], "of another array");
    CHECK(heddle__kept_box(b, 0, &right, &first) == NULL, "of another array");
    CHECK(heddle__kept_box(a, 0, &corner, &first) == NULL, "of a larger box");
    heddle__kept_drop(a);
    CHECK_EQ(were_put(5), 11110);
    CHECK(a->kept_boxes == NULL && heddle__kept_box(a, 0, &left, &first) == NULL, "it is dropped");
    CHECK(heddle__kept_box(b, 0, &left, &first) == &blocks[4], "another array's is not");
    heddle__kept_drop(a);
    heddle__kept_drop(NULL);
    CHECK_EQ(were_put(5), 11111);
    CHECK(b->kept_boxes == NULL, "all are dropped");
}

/* The longest unused of the same GPU go first, and no more than must. */
static void test_room(struct heddle_storage *a, struct heddle_storage *b)
{
    const struct heddle_box box = {{0, 0}, {4, 4}};
    memset(n_put, 0, sizeof n_put);
    CHECK(heddle__kept_room(&first, SHARE) && !heddle__kept_room(&first, SHARE + 1), "its share");
    CHECK(!heddle__keep_box(a, 0, &box, &first, &blocks[0], SHARE + 1), "more than its share");
    CHECK(heddle__keep_box(a, 0, &box, &second, &blocks[0], SHARE), "all of its share");
    CHECK(heddle__keep_box(a, 0, &box, &first, &blocks[1], SHARE / 2), "half");
    CHECK(heddle__keep_box(b, 0, &box, &first, &blocks[2], SHARE / 4), "a quarter");
    CHECK(heddle__keep_box(b, 1, &box, &first, &blocks[3], SHARE / 4), "the last quarter");
    CHECK(heddle__kept_box(a, 0, &box, &first) == &blocks[1], "used again");
    CHECK(heddle__keep_box(b, 2, &box, &first, &blocks[4], SHARE / 4), "another quarter");
    CHECK_EQ(were_put(5), 100);
    CHECK(heddle__keep_box(b, 3, &box, &first, &blocks[5], SHARE), "all of it");
    CHECK_EQ(were_put(6), 11110);
    CHECK(heddle__kept_box(a, 0, &box, &second) == &blocks[0], "another GPU's stays");
    CHECK(heddle__kept_box(b, 3, &box, &first) == &blocks[5], "the last one stays");
    heddle__kept_drop(b);
    heddle__kept_drop(NULL);
    CHECK_EQ(were_put(6), 111111);
}

int main(void)
{
    const int64_t shape[2] = {4, 4};
    struct heddle_grid *grid = heddle__grid_one(2, shape);
    struct heddle_storage a = {.grid = grid}, b = {.grid = grid};
    test_find(&a, &b);
    test_room(&a, &b);
    heddle__grid_release(grid);
    return check_done();
}
