/* Pointers with strides: memory of the caller's read in place or copied, and written back at any strides, with what lies
 * between left as it was. Also over tasks and parts. What is refused; that each deleter is called once; streams where
 * there are none. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

static double memory[64]; /* 0, 1, ... */
static _Atomic int n_deleted;

static void deleted(void *user)
{
    CHECK(user == memory, "another user");
    n_deleted++;
}

/* Tasks let go of memory a little after the last release. */
static int deleted_in_time(int expected)
{
    for (int i = 0; i < 5000 && n_deleted < expected; i++) usleep(1000);
    return n_deleted;
}

static const struct {
    int64_t first, shape[3], strides[3];
} layouts[] = {
    {0, {2, 3, 4}, {12, 4, 1}},     {5, {2, 3, 4}, {12, 4, 1}}, {0, {2, 3, 4}, {1, 2, 6}},
    {63, {4, 4, 4}, {-16, -4, -1}}, {1, {2, 2, 3}, {20, 7, 2}}, {20, {3, 2, 2}, {-5, 1, 13}},
    {7, {1, 1, 1}, {3, 0, -9}},
};

static int64_t place_of(int64_t number, size_t layout)
{
    int64_t at = layouts[layout].first;
    for (int d = 2; d >= 0; d--) {
        at += number % layouts[layout].shape[d] * layouts[layout].strides[d];
        number /= layouts[layout].shape[d];
    }
    return at;
}

static void in_and_out(size_t k, enum heddle_copy copy)
{
    const int before = n_deleted;
    heddle_array *a = heddle_from_pointer(memory + layouts[k].first, HEDDLE_FLOAT64, 3,
                                          layouts[k].shape, .strides = layouts[k].strides,
                                          .copy = copy, .deleter = deleted, .user = memory);
    heddle_array *twice = heddle_add(a, a);
    const int64_t n = heddle_size(a);
    double to[64], c_order[64];
    for (int i = 0; i < 64; i++) to[i] = -1;
    CHECK(heddle_to_pointer(twice, to + layouts[k].first, .strides = layouts[k].strides) ==
              HEDDLE_OK,
          "layout %zu: %s", k, heddle_last_error());
    CHECK_EQ(heddle_to_pointer(twice, c_order), HEDDLE_OK);
    int64_t n_written = 0;
    for (int i = 0; i < 64; i++) n_written += to[i] != -1;
    CHECK_EQ(n_written, n);
    for (int64_t i = 0; i < n; i++) {
        CHECK_NUM(c_order[i], 2.0 * (double)place_of(i, k));
        CHECK_NUM(to[place_of(i, k)], c_order[i]);
    }
    heddle_release(twice);
    heddle_release(a);
    CHECK_EQ(deleted_in_time(before + 1), before + 1);
}

static void in_place(void)
{
    const int64_t shape[2] = {3, 4}, fortran[2] = {1, 3};
    heddle_array *a = heddle_from_pointer(memory, HEDDLE_FLOAT64, 2, shape, .strides = fortran,
                                          .copy = HEDDLE_COPY_NEVER);
    memory[4] = 400; /* nobody may do so: it shows what is shared */
    heddle_array *one = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_AT(1)));
    double value = 0;
    CHECK_EQ(heddle_item_double(one, &value), HEDDLE_OK);
    memory[4] = 4;
    CHECK_NUM(value, 400);
    heddle_release(one);
    heddle_release(a);
}

static void refuse(heddle_array *a, enum heddle_status status, const char *text, int expected)
{
    check_error(a, status, text);
    CHECK_EQ(n_deleted, expected);
    heddle_release(a);
}

static void refusals(void)
{
    const int64_t shape[2] = {2, 3}, gaps[2] = {8, 2}, zero[2] = {0, 1};
    const int n = n_deleted;
    refuse(heddle_from_pointer(memory, HEDDLE_FLOAT64, 2, shape, .strides = gaps,
                               .copy = HEDDLE_COPY_NEVER, .deleter = deleted, .user = memory),
           HEDDLE_EARG, "heddle_from_pointer: strides", n + 1);
    refuse(heddle_from_pointer(NULL, HEDDLE_FLOAT64, 2, shape, .deleter = deleted, .user = memory),
           HEDDLE_EARG, "data is NULL", n + 2);
    refuse(heddle_from_pointer(memory, (enum heddle_dtype)99, 2, shape, .deleter = deleted,
                               .user = memory),
           HEDDLE_EDTYPE, "heddle_from_pointer", n + 3);
    refuse(
        heddle_from_pointer(memory, HEDDLE_FLOAT64, 9, shape, .deleter = deleted, .user = memory),
        HEDDLE_ESHAPE, "heddle_from_pointer", n + 4);
    refuse(heddle_from_pointer(memory, HEDDLE_FLOAT64, 2, shape, .place = heddle_gpu(77),
                               .deleter = deleted, .user = memory),
           HEDDLE_ENODEVICE, "gpu:77", n + 5);
    heddle_array *a = heddle_from_pointer(memory, HEDDLE_FLOAT64, 2, shape);
    double to[6];
    CHECK_EQ(heddle_to_pointer(NULL, to), HEDDLE_EARG);
    CHECK_EQ(heddle_to_pointer(a, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_to_pointer(a, to, .strides = zero), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "stride 0 of axis 0");
    CHECK_EQ(heddle_to_pointer(a, to, .place = heddle_gpu(77)), HEDDLE_ENODEVICE);
    heddle_array *wrong = heddle_sum(a, .axis = 5);
    CHECK_EQ(heddle_to_pointer(wrong, to), HEDDLE_EAXIS);
    CHECK_HAS(heddle_last_error(), "axis 5");
    heddle_release(wrong);
    void *stream = memory;
    CHECK_EQ(heddle_stream(heddle_cpu(0), &stream), HEDDLE_EARG);
    CHECK_EQ(heddle_stream(heddle_gpu(77), &stream), HEDDLE_ENODEVICE);
    CHECK_EQ(heddle_stream(heddle_gpu(0), NULL), HEDDLE_EARG);
    CHECK(stream == memory, "a stream on failure");
    heddle_release(a);
}

int main(void)
{
    for (int i = 0; i < 64; i++) memory[i] = i;
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        in_and_out(k, HEDDLE_COPY_IF_NEEDED);
        in_and_out(k, HEDDLE_COPY_ALWAYS);
    }
    in_place();
    refusals();
    check_nothing_left();
    return check_done();
}
