/* Threads with small stacks: calls work, or are HEDDLE_ENOMEM with a text that names the stack; none is a signal. */
#include "check.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

static void check(enum heddle_status status, const char *what)
{
    CHECK(status == HEDDLE_OK || (status == HEDDLE_ENOMEM && strstr(heddle_last_error(), "stack")),
          "%s: %d %s", what, (int)status, heddle_last_error());
}

static void *use(void *unused)
{
    (void)unused;
    int n = 0;
    double value = 0;
    check(heddle_devices(0, NULL, &n), "devices");
    check(heddle_start(), "start");
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(300, 300));
    heddle_array *s = heddle_sum(heddle_matmul(a, a));
    const enum heddle_status status = heddle_read(s, &value, sizeof value);
    check(status, "read");
    CHECK(status != HEDDLE_OK || value == 300.0 * 300 * 300);
    check(heddle_save(heddle_exp(a), "small_stack.npy"), "save");
    check(heddle_eval(heddle_expr("sum(a[::2] + 1)", HEDDLE_BIND("a", a))), "expr");
    heddle_scope_close(scope);
    struct heddle_statistics statistics;
    heddle_statistics_get(&statistics);
    return NULL;
}

int main(void)
{
    static const size_t kb[] = {32, 40, 48, 56, 64, 96, 128, 256, 512, 1024};
    for (size_t i = 0; i < sizeof kb / sizeof *kb; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, kb[i] << 10);
        const int error = pthread_create(&thread, &attributes, use, NULL);
        CHECK(error == 0 && pthread_join(thread, NULL) == 0, "%zu KB", kb[i]);
        pthread_attr_destroy(&attributes);
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    remove("small_stack.npy");
    return check_done();
}
