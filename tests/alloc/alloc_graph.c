/* A program that makes each kind of node, with its k-th allocation failing, for every k, once and
 * from then on. Each run must end, either with all arrays good or with HEDDLE_ENOMEM, and leave
 * nothing behind. */
#include "graph/meaning.h"

#include "array/parts.h"
#include "base/memory.h"
#include "graph/print.h"

#include "check.h"

#include <heddle.h>

static int n_deleted;

static void deleted(void *user)
{
    (void)user;
    n_deleted++;
}

static enum heddle_status nothing(const struct heddle_part_view *in, void *out, void *user)
{
    (void)in, (void)out, (void)user;
    return HEDDLE_OK;
}

static enum heddle_status raw_nothing(const struct heddle_raw_launch *launch)
{
    (void)launch;
    return HEDDLE_OK;
}

/* A kernel with two results and a value. */
static enum heddle_status call_raw(heddle_array *a, heddle_array *results[2])
{
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(raw_nothing, .deleter = deleted);
    if (!k) return HEDDLE_ENOMEM;
    const enum heddle_status status = heddle_raw_call(
        k, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(a), heddle_raw_i32(1),
                                heddle_raw_write(&results[0], HEDDLE_INT8, HEDDLE_SHAPE(3)),
                                heddle_raw_update(a, &results[1])));
    heddle_raw_kernel_release(k);
    return status;
}

/* The first error of the program, HEDDLE_OK if there is none. */
static enum heddle_status program(void)
{
    static const double x[12] = {1, 2, 3};
    static const unsigned char odd[12] = {0, 9};
    enum heddle_status first = HEDDLE_OK;
    heddle_scope scope = heddle_scope_open(), inner = heddle_scope_open();
    heddle_array *a =
        heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(3, 4), .borrow = true, .deleter = deleted);
    heddle_array *b = heddle_asarray(x, HEDDLE_INT64, HEDDLE_SHAPE(4), .deleter = deleted);
    heddle_array *c =
        heddle_asarray(odd, HEDDLE_BOOL, HEDDLE_SHAPE(3, 4), .borrow = true, .deleter = deleted);
    const struct heddle_distribution rows = {.cut[0] = {HEDDLE_CUT_PARTS, 2, NULL},
                                             .overlap[0] = {1, 1}};
    heddle_array *made[] = {
        a,
        b,
        c,
        heddle_add(a, b), /* view, cast, map */
        heddle_multiply(heddle_matrix_transpose(heddle_flip(a)), heddle_scalar(2)),
        heddle_where(c, b, heddle_scalar_complex(0, 1)),
        heddle_clip(a, heddle_scalar(0), heddle_scalar(1)),
        heddle_mean(b, .keepdims = true),
        heddle_count_nonzero(a, .axis = 0),
        heddle_argmax(a, .axis = 1, .keepdims = true),
        heddle_reshape(heddle_matrix_transpose(a), HEDDLE_SHAPE(2, -1)),
        heddle_broadcast_to(b, HEDDLE_SHAPE(2, 2, 4)),
        heddle_expand_dims(a, 0),
        heddle_concat(HEDDLE_ARRAYS(a, c, a, a, a), 0),
        heddle_concat_flat(HEDDLE_ARRAYS(a, b)),
        heddle_stack(HEDDLE_ARRAYS(b, b), 1),
        heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(-1), HEDDLE_AT(1))),
        heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_STEP(-2)), heddle_scalar(1)),
        heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(b), HEDDLE_BY(heddle_astype(b, HEDDLE_INT8)))),
        heddle_set_item(a, HEDDLE_INDEX(HEDDLE_FROM(1), HEDDLE_BY(b)), heddle_scalar(1)),
        heddle_set_item(a, HEDDLE_INDEX(HEDDLE_BY(c)), heddle_scalar(1)),
        heddle_add_at(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_BY(b)), heddle_scalar(1)),
        heddle_put_along_axis(a, heddle_expand_dims(b, 0), heddle_scalar(1), .axis = 0),
        heddle_matmul(a, heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0)))),
        heddle_matmul(heddle_matrix_transpose(a), c),
        heddle_full(HEDDLE_SHAPE(2, 2), heddle_sum(a)),
        heddle_arange(heddle_scalar(0.5), heddle_scalar(9), heddle_scalar(2)),
        heddle_linspace(heddle_scalar(0.5), heddle_scalar(9), 5, .dtype = HEDDLE_INT8),
        heddle_eye(3, 4, .k = 1),
        heddle_zeros_like(a),
        heddle_map_parts(a, HEDDLE_INT8, nothing, .deleter = deleted),
        heddle_distribute(a, &rows),
    };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (first == HEDDLE_OK) first = heddle_status_of(made[i]);
    heddle_array *raw[2] = {NULL, NULL};
    const enum heddle_status called = call_raw(a, raw);
    if (first == HEDDLE_OK) first = called;

    /* an error of another kind may be lost to lack of memory, but not become none */
    heddle_array *bad = heddle_sum(heddle_add(a, heddle_zeros(HEDDLE_SHAPE(5))));
    CHECK(heddle_status_of(bad) == HEDDLE_ESHAPE || heddle_status_of(bad) == HEDDLE_ENOMEM);
    if (first == HEDDLE_OK && heddle_status_of(bad) == HEDDLE_ENOMEM) first = HEDDLE_ENOMEM;

    char *text = NULL;
    if (heddle__graph_text(made[5], true, &text) == HEDDLE_OK)
        heddle__free(text);
    else if (first == HEDDLE_OK)
        first = HEDDLE_ENOMEM;

    if (!scope || !inner) first = HEDDLE_ENOMEM; /* then some arrays are ours */
    if (!scope && !inner)
        for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) heddle_release(made[i]);
    for (int i = 0; i < 2 && !scope && !inner; i++) heddle_release(raw[i]);
    heddle_scope_close(inner ? inner : scope);
    heddle_scope_close(scope);
    return first;
}

static void fail_at(int64_t k, int sticky, bool *done)
{
    n_deleted = 0;
    const int64_t calls = heddle__alloc_calls();
    heddle__alloc_fail_at(k, sticky);
    const enum heddle_status status = program();
    heddle__alloc_fail_at(0, 0);
    *done = heddle__alloc_calls() - calls < k;
    CHECK(status == (*done ? HEDDLE_OK : HEDDLE_ENOMEM), "allocation %lld: status %d", (long long)k,
          (int)status);
    CHECK(n_deleted == 5, "allocation %lld: %d deleters", (long long)k, n_deleted);
    CHECK(heddle__nodes_live() == 0, "allocation %lld: %lld nodes", (long long)k,
          (long long)heddle__nodes_live());
    CHECK(heddle__alloc_live() == 0, "allocation %lld: %lld blocks", (long long)k,
          (long long)heddle__alloc_live());
    CHECK_EQ(heddle__storage_bytes_live(), 0);
}

int main(void)
{
    heddle__node_pooling(false);
    for (int sticky = 0; sticky < 2; sticky++) {
        bool done = false;
        int64_t k = 1;
        for (; !done && k < 10000; k++) fail_at(k, sticky, &done);
        CHECK(done);
        fprintf(stderr, "%lld allocations\n", (long long)k - 2);
    }
    return check_done();
}
