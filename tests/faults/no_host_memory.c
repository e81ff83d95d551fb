/* Proves that an evaluation whose buffers StarPU gets no memory for ends, with HEDDLE_ENOMEM for the arrays
 * that need them, and that the next one works. The allocator is diverted by the linker. */
#include "array/large_buffers.h"
#include "check_heddle.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 1 << 18, PARTS = 8 };

static atomic_int
    fail_at; /* counts buffers down; the one that gets it to 0 and all after it fail */
static pthread_t test_thread;

void *__real_heddle__large_buffer_get(size_t size_bytes, bool pinned);
void *__wrap_heddle__large_buffer_get(size_t size_bytes, bool pinned);
void *__wrap_heddle__large_buffer_get(size_t size_bytes, bool pinned)
{
    if (!pthread_equal(pthread_self(), test_thread) && atomic_load(&fail_at) > 0 &&
        (atomic_load(&fail_at) == 1 || atomic_fetch_sub(&fail_at, 1) == 1))
        return NULL;
    return __real_heddle__large_buffer_get(size_bytes, pinned);
}

static heddle_array *numbers(void)
{
    return heddle_arange(heddle_scalar(0.0), heddle_scalar((double)N), heddle_scalar(1.0));
}

/* Returns the status of a sum over temporaries in parts; checks its value. */
static enum heddle_status try_once(void)
{
    heddle_scope scope = heddle_scope_open();
    double total = -1;
    heddle_array *a = heddle_sqrt(numbers()), *kept = heddle_keep(heddle_multiply(a, a));
    heddle_array *sum =
        heddle_sum(heddle_matmul(heddle_reshape(kept, HEDDLE_SHAPE(512, 512)),
                                 heddle_reshape(heddle_negative(a), HEDDLE_SHAPE(512, 512))));
    const enum heddle_status status = heddle_read(sum, &total, sizeof total);
    if (status == HEDDLE_OK)
        CHECK(total < 0);
    else
        CHECK_HAS(heddle_error(sum), "memory");
    heddle_release(kept);
    heddle_scope_close(scope);
    return status;
}

int main(void)
{
    test_thread = pthread_self();
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "cpu", .inline_bytes = -1, .part_bytes = N * 8 / PARTS}),
             HEDDLE_OK);
    CHECK_EQ(try_once(), HEDDLE_OK);
    int k = 0, n_failed = 0;
    for (enum heddle_status status = HEDDLE_ENOMEM; status != HEDDLE_OK && k < 500;) {
        atomic_store(&fail_at, ++k);
        status = try_once();
        CHECK(status == HEDDLE_OK || status == HEDDLE_ENOMEM, "%s", heddle_status_name(status));
        n_failed += status != HEDDLE_OK;
        atomic_store(&fail_at, 0);
        CHECK_EQ(try_once(), HEDDLE_OK);
    }
    CHECK(n_failed > PARTS && k < 500, "%d of %d failed", n_failed, k);
    atomic_store(&fail_at, 1); /* shut-down with an error in the air */
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_exp(numbers());
    heddle_eval(a);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_wait(a), HEDDLE_ENOMEM);
    atomic_store(&fail_at, 0);
    heddle_scope_close(scope);
    CHECK_EQ(try_once(), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
