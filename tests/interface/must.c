/* Proves that the macros of heddle/must.h go on, or say where and why and end the program with 1. */
#include "check_heddle.h"

#include <heddle/must.h>
#include <sys/wait.h>
#include <unistd.h>

static void pass(void)
{
    heddle_array *two = heddle_scalar(2.0);
    HEDDLE_MUST(heddle_wait(two));
    CHECK_NUM(HEDDLE_MUST_ITEM(two), 2);
    heddle_release(two);
}

static void status(void)
{
    HEDDLE_MUST(heddle_save(heddle_scalar(1.0), "nowhere/a.npy"));
}

static void item(void)
{
    (void)HEDDLE_MUST_ITEM(heddle_ones(HEDDLE_SHAPE(3)));
}

static void print(void)
{
    HEDDLE_MUST_PRINT(heddle_load("no-such-file.npy"));
}

/* The program ends with 1 and says `where`, `why` and the code. */
static void check_ends(void (*call)(void), const char *what, const char *why, const char *code)
{
    char text[2000] = "";
    int ends[2], how = 0;
    CHECK_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        call();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got;
         n < sizeof text - 1 && (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    CHECK_EQ(waitpid(child, &how, 0), child);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 1, "%d", how);
    CHECK_HAS(text, "must.c:");
    CHECK_HAS(text, what);
    CHECK_HAS(text, why);
    CHECK_HAS(text, code);
}

int main(void)
{
    pass();
    check_ends(status, "heddle_save(heddle_scalar(1.0), \"nowhere/a.npy\")", "No such file",
               "HEDDLE_EIO");
    check_ends(item, "heddle_ones", "3", "HEDDLE_ESHAPE");
    check_ends(print, "no-such-file.npy", "No such file", "HEDDLE_EIO");
    return check_done();
}
