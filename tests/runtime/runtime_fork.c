/* Proves that in a child of fork() of a started runtime work fails with a code and does not hang,
 * that the parent is not disturbed, and that a child forked before the start can start its own. */
#include "check.h"

#include <heddle.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100000 };
static const int64_t shape[] = {N};

static int compute(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(1, shape), *s = heddle_sum(heddle_add(a, a));
    double sum = 0;
    const enum heddle_status status = heddle_read(s, &sum, sizeof sum);
    heddle_scope_close(scope);
    return status != HEDDLE_OK ? (int)status : sum == 2.0 * N ? 0 : -1;
}

/* Exit code of a child that runs `body`; -2 when it hangs. */
static int in_child(int (*body)(void))
{
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        const int result = body();
        exit(result == 0 ? 0 : result == HEDDLE_EDEVICE ? 40 : 1); /* runs exit handlers */
    }
    int state = 0;
    waitpid(pid, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -2;
}

int main(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .inline_bytes = -1}),
             HEDDLE_OK);
    CHECK_EQ(in_child(compute), 0);
    CHECK_EQ(compute(), 0);
    CHECK_EQ(in_child(compute), 40);
    CHECK_EQ(compute(), 0);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(in_child(compute), 0);
    return check_done();
}
