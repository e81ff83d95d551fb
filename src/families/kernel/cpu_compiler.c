/* Runs a C compiler: a source to the bytes of a shared object, within a time limit, in a folder of its own. Nothing of it
 * reaches the program's output. Entry point: heddle__kernel_run_compiler. */
#include "families/kernel/cpu_compile.h"

#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATH_ROOM = 512, LIMIT_S = 20, STEP_MS = 4, MOST_BYTES = 1 << 26 };

struct place {
    char folder[PATH_ROOM], source[PATH_ROOM + 16], object[PATH_ROOM + 16];
};

static bool make_place(struct place *p)
{
    const char *const parent = getenv("TMPDIR");
    const int n = snprintf(p->folder, sizeof p->folder, "%s/heddle-XXXXXX",
                           parent && *parent ? parent : "/tmp");
    if (n < 0 || n >= (int)sizeof p->folder || !mkdtemp(p->folder)) return false;
    snprintf(p->source, sizeof p->source, "%s/kernel.c", p->folder);
    snprintf(p->object, sizeof p->object, "%s/kernel.so", p->folder);
    return true;
}

static void remove_place(const struct place *p)
{
    unlink(p->source);
    unlink(p->object);
    rmdir(p->folder);
}

static bool write_source(const char *path, const char *source)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const char *const texts[] = {heddle__kernel_operations, source};
    bool written = true;
    for (int i = 0; i < 2 && written; i++)
        written = heddle__write_all(file, texts[i], strlen(texts[i]));
    return close(file) == 0 && written;
}

/* Waits for the compiler, or ends it. A program that ignores SIGCHLD has its children reaped for it. */
static bool wait_for(pid_t compiler)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    int status = 0;
    for (int ms = 0; ms < LIMIT_S * 1000; ms += STEP_MS) {
        const pid_t ended = waitpid(compiler, &status, WNOHANG);
        if (ended == compiler) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return errno == ECHILD;
        nanosleep(&step, NULL);
    }
    kill(compiler, SIGKILL);
    while (waitpid(compiler, &status, 0) < 0 && errno == EINTR) {
    }
    return false;
}

static bool compile(const char *compiler, const struct place *p)
{
    /* -O3 as our own loops; no fused multiply-adds, so that the bits are the interpreter's */
    const char *const arguments[] = {compiler,
                                     "-std=gnu11",
                                     "-O3",
                                     "-march=native",
                                     "-ffp-contract=off",
                                     "-fno-math-errno",
                                     "-fno-trapping-math",
                                     "-fPIC",
                                     "-shared",
                                     "-w",
                                     "-o",
                                     p->object,
                                     p->source,
                                     "-lm",
                                     NULL};
    posix_spawn_file_actions_t files;
    pid_t process = 0;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    const bool quiet = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                       posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                       posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) == 0;
    const bool started = quiet && posix_spawnp(&process, compiler, &files, NULL,
                                               (char *const *)(uintptr_t)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    return started && wait_for(process);
}

char *heddle__kernel_run_compiler(const char *compiler, const char *source, size_t *size)
{
    struct place place;
    if (!make_place(&place)) return NULL;
    char *const bytes = write_source(place.source, source) && compile(compiler, &place)
                            ? heddle__read_all(place.object, MOST_BYTES, size)
                            : NULL;
    remove_place(&place);
    return bytes;
}
