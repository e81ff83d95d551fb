/* DLPack's tensors made by hand: every layout in place or copied as the header says, each given back once; arrays as
 * tensors that hold what they show; what is refused; each allocation failing. */
#include "blocks_left.h"
#include "check.h"

#include "base/memory.h"

#include <heddle.h>
#include <stdlib.h>

/* ---- A producer ------------------------------------------------------------------------------------------ */

static double memory[64]; /* 0, 1, ... */
static int n_deleted;

struct producer {
    struct heddle_dl_versioned managed;
    int64_t shape[8], strides[8];
};

static void deleted(struct heddle_dl_versioned *self)
{
    struct producer *p = self->manager_ctx;
    memset(p, 0x5a, sizeof *p); /* who looks at it now sees nonsense */
    free(p);
    n_deleted++;
}

/* Elements of `memory` from `first` on. Strides NULL: C order without any. */
static struct heddle_dl_versioned *produce(int64_t first, int ndim, const int64_t *shape,
                                           const int64_t *strides)
{
    struct producer *p = calloc(1, sizeof *p);
    for (int d = 0; d < ndim; d++) {
        p->shape[d] = shape[d];
        p->strides[d] = strides ? strides[d] : 0;
    }
    p->managed = (struct heddle_dl_versioned){
        .major = 1,
        .minor = 1,
        .manager_ctx = p,
        .deleter = deleted,
        .tensor = {.data = memory,
                   .device = {HEDDLE_DL_CPU, 0},
                   .ndim = ndim,
                   .dtype = {HEDDLE_DL_FLOAT, 64, 1},
                   .shape = p->shape,
                   .strides = strides ? p->strides : NULL,
                   .byte_offset = (uint64_t)first * sizeof *memory},
    };
    return &p->managed;
}

/* ---- Import ------------------------------------------------------------------------------------------------ */

/* The element at a row-major number, by the definition of strides. */
static double element(int64_t number, int64_t first, int ndim, const int64_t *shape,
                      const int64_t *strides)
{
    for (int d = ndim - 1; d >= 0; d--) {
        first += number % shape[d] * strides[d];
        number /= shape[d];
    }
    return memory[first];
}

static const struct {
    bool in_place;
    int64_t first;
    int ndim;
    int64_t shape[4], strides[4];
} layouts[] = {
    {true, 0, 2, {3, 4}, {4, 1}},
    {true, 5, 2, {3, 4}, {4, 1}},
    {true, 3, 0, {0}, {0}},
    {true, 2, 2, {3, 4}, {1, 3}},            /* Fortran's order */
    {true, 0, 3, {2, 3, 4}, {4, 8, 1}},      /* axes in another order */
    {true, 23, 3, {2, 3, 4}, {-12, -4, -1}}, /* reversed */
    {true, 11, 2, {3, 4}, {4, -1}},          /* starts at the end of the first row, goes back */
    {true, 0, 1, {5}, {3}},                  /* a step */
    {true, 12, 1, {5}, {-3}},                /* backwards */
    {true, 0, 2, {3, 4}, {8, 1}},            /* every second row */
    {true, 0, 2, {3, 4}, {0, 1}},            /* broadcast */
    {true, 7, 3, {3, 1, 2}, {0, 99, 0}},     /* one element, and a stride that says nothing */
    {true, 0, 4, {2, 1, 3, 2}, {2, -7, 4, 1}},
    {false, 1, 2, {3, 3}, {4, 1}}, /* columns are left out */
    {false, 0, 2, {4, 2}, {1, 1}}, /* windows that overlap */
    {false, 0, 2, {3, 2}, {4, 2}},
};

static void check_layout(size_t i, enum heddle_copy copy)
{
    const int ndim = layouts[i].ndim;
    const int64_t *shape = layouts[i].shape, *strides = layouts[i].strides;
    const bool in_place = layouts[i].in_place && copy != HEDDLE_COPY_ALWAYS;
    const int before = n_deleted;
    heddle_array *a =
        heddle_from_dlpack(produce(layouts[i].first, ndim, shape, strides), .copy = copy);
    if (!layouts[i].in_place && copy == HEDDLE_COPY_NEVER) {
        CHECK_EQ(heddle_status_of(a), HEDDLE_EARG);
        CHECK_HAS(heddle_error(a), "HEDDLE_COPY_NEVER");
        heddle_release(a);
        CHECK_EQ(n_deleted, before + 1);
        return;
    }
    CHECK(heddle_status_of(a) == HEDDLE_OK, "layout %zu: %s", i, heddle_error(a));
    CHECK_EQ(n_deleted, before + !in_place);
    CHECK_EQ(heddle_ndim(a), ndim);
    double values[24] = {0};
    memory[layouts[i].first] += 100; /* nobody may do so: it shows what is shared */
    CHECK_EQ(heddle_read(a, values, heddle_nbytes(a)), HEDDLE_OK);
    memory[layouts[i].first] -= 100;
    for (int64_t n = 0; n < heddle_size(a); n++) {
        const double expected = element(n, layouts[i].first, ndim, shape, strides);
        const bool shows = in_place && expected == memory[layouts[i].first];
        CHECK(values[n] == expected + (shows ? 100 : 0), "layout %zu, element %lld is %g", i,
              (long long)n, values[n]);
    }
    heddle_release(a);
    CHECK_EQ(n_deleted, before + 1);
}

static void layouts_in_and_out_of_place(void)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        check_layout(i, HEDDLE_COPY_IF_NEEDED);
        check_layout(i, HEDDLE_COPY_ALWAYS);
        check_layout(i, HEDDLE_COPY_NEVER);
    }
    /* no strides, no elements, an address between elements */
    heddle_array *a = heddle_from_dlpack(produce(1, 1, (const int64_t[]){3}, NULL));
    double values[3];
    CHECK_EQ(heddle_read(a, values, sizeof values), HEDDLE_OK);
    CHECK_NUM(values[2], 3);
    heddle_release(a);
    struct heddle_dl_versioned *t = produce(0, 2, (const int64_t[]){3, 0}, NULL);
    t->tensor.data = NULL;
    a = heddle_from_dlpack(t, .copy = HEDDLE_COPY_NEVER);
    CHECK_EQ(heddle_shape(a)[0], 3);
    CHECK_EQ(heddle_size(a), 0);
    heddle_release(a);
    char bytes[4 * sizeof(double)];
    memcpy(bytes + 3, memory, 3 * sizeof(double));
    for (int copy = HEDDLE_COPY_IF_NEEDED; copy <= HEDDLE_COPY_NEVER; copy++) {
        t = produce(0, 1, (const int64_t[]){3}, NULL);
        t->tensor.data = bytes;
        t->tensor.byte_offset = 3;
        a = heddle_from_dlpack(t, .copy = (enum heddle_copy)copy);
        CHECK_EQ(heddle_status_of(a), copy == HEDDLE_COPY_NEVER ? HEDDLE_EARG : HEDDLE_OK);
        if (copy != HEDDLE_COPY_NEVER) CHECK_EQ(heddle_read(a, values, sizeof values), HEDDLE_OK);
        if (copy != HEDDLE_COPY_NEVER) CHECK_NUM(values[1], 1);
        heddle_release(a);
    }
}

/* A tensor that is refused, and given back. */
#define REFUSED(change, status, text)                                                              \
    do {                                                                                           \
        struct heddle_dl_versioned *t = produce(0, 2, (const int64_t[]){2, 3}, NULL);              \
        change;                                                                                    \
        const int before = n_deleted;                                                              \
        heddle_array *r = heddle_from_dlpack(t, .copy = copy);                                     \
        CHECK_EQ(heddle_status_of(r), status);                                                     \
        CHECK_HAS(heddle_error(r), text);                                                          \
        CHECK_EQ(n_deleted, before + 1);                                                           \
        heddle_release(r);                                                                         \
    } while (0)

static void refusals(void)
{
    enum heddle_copy copy = (enum heddle_copy)3;
    REFUSED((void)0, HEDDLE_EARG, "heddle_from_dlpack: .copy is 3");
    copy = HEDDLE_COPY_IF_NEEDED;
    REFUSED(t->major = 2, HEDDLE_EUNSUPPORTED, "DLPack 2.1");
    REFUSED(t->tensor.dtype.lanes = 4, HEDDLE_EDTYPE, "code 2, 64 bits, 4 lanes");
    REFUSED(t->tensor.dtype.bits = 16, HEDDLE_EDTYPE, "16 bits");
    REFUSED(t->tensor.device.type = 10, HEDDLE_EUNSUPPORTED, "device type 10");
    REFUSED(t->tensor.data = NULL, HEDDLE_EARG, "data is NULL");
    REFUSED(t->tensor.shape[0] = -1, HEDDLE_ESHAPE, "heddle_from_dlpack");
    REFUSED(t->tensor.ndim = 9, HEDDLE_ESHAPE, "heddle_from_dlpack");
    REFUSED((t->tensor.device.type = HEDDLE_DL_CUDA, t->tensor.device.id = -3), HEDDLE_ENODEVICE,
            "no GPU -3");
    heddle_array *a = heddle_from_dlpack(NULL);
    CHECK_EQ(heddle_status_of(a), HEDDLE_EARG);
    heddle_release(a);
    a = heddle_from_dlpack_unversioned(NULL);
    CHECK_EQ(heddle_status_of(a), HEDDLE_EARG);
    heddle_release(a);
    struct heddle_dl_versioned *out = NULL;
    CHECK_EQ(heddle_to_dlpack(NULL, &out), HEDDLE_EARG);
    struct heddle_dlpack_options larger[2] = {{.size = sizeof larger}, {.size = 1}};
    a = heddle_scalar_int(1);
    CHECK_EQ(heddle_to_dlpack_with(a, &out, larger), HEDDLE_EARG);
    CHECK_EQ(heddle_to_dlpack(a, &out, .copy = (enum heddle_copy) - 1), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "heddle_to_dlpack: .copy is -1");
    CHECK_EQ(heddle_to_dlpack(a, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_dlpack_device(a, NULL), HEDDLE_EARG);
    CHECK(!out);
    heddle_release(a);
    heddle_array *one = heddle_scalar_int(1);
    a = heddle_sum(one, .axis = 5);
    CHECK_EQ(heddle_to_dlpack(a, &out), HEDDLE_EAXIS);
    CHECK_HAS(heddle_last_error(), "axis 5");
    heddle_release(a);
    heddle_release(one);
}

/* ---- Export -------------------------------------------------------------------------------------------------- */

static void exports(void)
{
    /* shared with the array, which may go before */
    struct heddle_dl_versioned *t = NULL, *again = NULL, *copy = NULL;
    heddle_array *m = heddle_asarray(memory, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    heddle_array *a = heddle_add(m, m);
    CHECK_EQ(heddle_to_dlpack(a, &t, .copy = HEDDLE_COPY_NEVER), HEDDLE_OK);
    CHECK_EQ(heddle_to_dlpack(a, &again), HEDDLE_OK);
    CHECK_EQ(heddle_to_dlpack(a, &copy, .copy = HEDDLE_COPY_ALWAYS), HEDDLE_OK);
    CHECK(t->tensor.data == again->tensor.data && t->tensor.data != copy->tensor.data);
    CHECK_EQ(t->flags, HEDDLE_DL_READ_ONLY);
    CHECK_EQ(copy->flags, HEDDLE_DL_IS_COPIED);
    CHECK_EQ(t->major, 1);
    CHECK_EQ(t->tensor.ndim, 2);
    CHECK_EQ(t->tensor.shape[1], 3);
    CHECK_EQ(t->tensor.strides[0], 3);
    CHECK_EQ(t->tensor.device.type, HEDDLE_DL_CPU);
    CHECK_EQ(t->tensor.dtype.bits, 64);
    ((double *)copy->tensor.data)[1] = -1;            /* its own */
    heddle_array *u = heddle_set_item(a, 0, NULL, m); /* not in place: the tensor still shows `a` */
    heddle_release(a);
    CHECK_EQ(heddle_eval(u), HEDDLE_OK);
    CHECK_NUM(((const double *)t->tensor.data)[1], 2);
    CHECK_NUM(((const double *)t->tensor.data)[5], 10);
    heddle_release(u);
    heddle_release(m);
    t->deleter(t);
    CHECK_NUM(((const double *)again->tensor.data)[5], 10);
    again->deleter(again);
    copy->deleter(copy);

    /* each dtype there and back, in place, by both versions */
    m = heddle_asarray(memory, HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    for (int d = HEDDLE_DTYPE_NONE + 1; d < HEDDLE_N_DTYPES; d++) {
        heddle_array *x = heddle_astype(m, (enum heddle_dtype)d);
        struct heddle_dl_unversioned *old = NULL;
        CHECK_EQ(heddle_to_dlpack(x, &t), HEDDLE_OK);
        CHECK_EQ(heddle_to_dlpack_unversioned(x, &old), HEDDLE_OK);
        CHECK(t->tensor.data == old->tensor.data);
        heddle_array *back[2] = {heddle_from_dlpack(t, .copy = HEDDLE_COPY_NEVER),
                                 heddle_from_dlpack_unversioned(old)};
        heddle_release(x);
        for (int i = 0; i < 2; i++) {
            double values[8];
            CHECK_EQ(heddle_dtype_of(back[i]), d);
            CHECK_EQ(heddle_read_as(back[i], HEDDLE_COMPLEX128, values, sizeof values), HEDDLE_OK);
            for (int n = 0; n < 4; n++) CHECK_NUM(values[2 * n], d == HEDDLE_BOOL ? n != 0 : n);
            heddle_release(back[i]);
        }
    }
    heddle_release(m);

    /* nothing, and one */
    a = heddle_zeros(HEDDLE_SHAPE(2, 0));
    CHECK_EQ(heddle_to_dlpack(a, &t), HEDDLE_OK);
    CHECK_EQ(t->tensor.shape[1], 0);
    heddle_release(a);
    t->deleter(t);
    a = heddle_scalar_float(2.5);
    struct heddle_dl_device device;
    CHECK_EQ(heddle_dlpack_device(a, &device), HEDDLE_OK);
    CHECK_EQ(device.type, HEDDLE_DL_CPU);
    CHECK_EQ(heddle_to_dlpack(a, &t), HEDDLE_OK);
    heddle_release(a);
    CHECK_NUM(*(const double *)t->tensor.data, 2.5);
    t->deleter(t);
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

static enum heddle_status round_trip(enum heddle_copy copy, bool gaps)
{
    const int64_t shape[2] = {3, 3}, strides[2] = {4, 1}, order[2] = {1, 3};
    struct heddle_dl_versioned *t = NULL;
    heddle_array *a =
        heddle_from_dlpack(produce(1, 2, shape, gaps ? strides : order), .copy = copy);
    enum heddle_status status = heddle_to_dlpack(a, &t, .copy = copy);
    heddle_release(a);
    if (status == HEDDLE_OK) t->deleter(t);
    return status;
}

static void failing_allocations(void)
{
    for (int way = 0; way < 3; way++) {
        enum heddle_status status = HEDDLE_ENOMEM;
        for (int k = 1; status != HEDDLE_OK && k < 200; k++) {
            const int before = n_deleted;
            heddle__alloc_fail_at(k, 0);
            status = round_trip(way ? HEDDLE_COPY_IF_NEEDED : HEDDLE_COPY_ALWAYS, way == 2);
            heddle__alloc_fail_at(0, 0);
            CHECK(status == HEDDLE_OK || status == HEDDLE_ENOMEM, "allocation %d: %d", k, status);
            CHECK_EQ(n_deleted, before + 1);
        }
        CHECK_EQ(status, HEDDLE_OK);
    }
}

int main(void)
{
    for (int i = 0; i < 64; i++) memory[i] = i;
    layouts_in_and_out_of_place();
    refusals();
    exports();
    CHECK_EQ(blocks_left(), 0);
    failing_allocations();
    CHECK_EQ(blocks_left(), 0);
    return check_done();
}
