/* Arrays in parts, and places: what is in one piece is shared, what is not is copied in C order, also to a place that
 * is asked for; tensors outlive their arrays. */
#include "check_heddle.h"

#include <heddle.h>
#include <unistd.h>

enum { ROWS = 30, COLUMNS = 7, N = ROWS * COLUMNS };

static heddle_array *numbers(void)
{
    return heddle_reshape(heddle_arange(heddle_scalar(N), NULL, NULL), HEDDLE_SHAPE(ROWS, COLUMNS));
}

static void check_tensor(struct heddle_dl_versioned *t, uint64_t flags)
{
    const int64_t *data = t->tensor.data;
    int64_t wrong = 0;
    for (int64_t i = 0; i < N; i++) wrong += data[i] != 3 * i;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(t->flags, flags);
    CHECK_EQ(t->tensor.strides[0], COLUMNS);
    t->deleter(t);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_dl_versioned *parts = NULL, *whole = NULL, *there = NULL, *none = NULL;
    int64_t n = 0;
    heddle_array *a = heddle_multiply(numbers(), heddle_scalar(3)); /* in parts */
    CHECK_EQ(heddle_count_parts(a, &n), HEDDLE_OK);
    CHECK(n > 1, "%lld parts", (long long)n);
    CHECK_EQ(heddle_to_dlpack(a, &none, .copy = HEDDLE_COPY_NEVER), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "parts");
    CHECK(!none);
    CHECK_EQ(heddle_to_dlpack(a, &parts), HEDDLE_OK);
    heddle_array *b = heddle_to(a, heddle_cpu(1)); /* in one */
    CHECK_EQ(heddle_to_dlpack(b, &whole, .copy = HEDDLE_COPY_NEVER), HEDDLE_OK);
    CHECK_EQ(heddle_to_dlpack(a, &there, .place = heddle_cpu(0)), HEDDLE_OK);
    CHECK_EQ(heddle_to_dlpack(a, &none, .place = heddle_cpu(99)), HEDDLE_ENODEVICE);
    struct heddle_dl_device device;
    CHECK_EQ(heddle_dlpack_device(a, &device), HEDDLE_OK);
    CHECK_EQ(device.type, HEDDLE_DL_CPU);

    /* a round trip of what another array computed, distributed on the way in */
    struct heddle_dl_versioned *t = NULL;
    CHECK_EQ(heddle_to_dlpack(b, &t), HEDDLE_OK);
    heddle_array *back = heddle_from_dlpack(t, .place = heddle_cpu(1));
    heddle_array *same = heddle_all(heddle_equal(back, a));
    bool equal = false;
    CHECK_EQ(heddle_item_bool(same, &equal), HEDDLE_OK);
    CHECK(equal);
    heddle_scope_close(scope);

    check_tensor(parts, HEDDLE_DL_IS_COPIED);
    check_tensor(whole, HEDDLE_DL_READ_ONLY);
    check_tensor(there, HEDDLE_DL_IS_COPIED);
    /* what `back` had is given back once StarPU has let go of it */
    int n_tries = 0;
    while (heddle_shutdown() != HEDDLE_OK && n_tries < 5000) {
        usleep(1000);
        n_tries++;
    }
    CHECK(n_tries < 5000, "%s", heddle_last_error());
    return check_done();
}
