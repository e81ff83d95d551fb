/* Runs a C compiler: a source to the bytes of a shared object, within a time limit, in a folder of its own. Nothing of it
 * reaches the program's output, and it holds none of the program's files. Entry points: compiler.h. */
#include "cpu/compiled/compiler.h"

#include "base/find_program.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cpu/compiled/compilers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum {
    PATH_ROOM = 512,
    LIMIT_S = 20,
    STEP_MS = 4,
    MOST_BYTES = 1 << 26,
    OWN_OPTIONS = 9,
    MORE_OPTIONS = 8
};

/* ---- The environment ------------------------------------------------------------------------------------- */

struct heddle__environment heddle__environment_now(void)
{
    struct heddle__environment e = {0};
    size_t n = 0, bytes = 0;
    for (; environ && environ[n]; n++) bytes += strlen(environ[n]) + 1;
    e.names = heddle__alloc_pooled((n + 1) * sizeof *e.names + bytes);
    if (!e.names) return e;
    char *at = (char *)(e.names + n + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t size = strlen(environ[i]) + 1;
        e.names[i] = memcpy(at, environ[i], size);
        at += size;
    }
    e.names[n] = NULL;
    return e;
}

const char *heddle__environment_get(const struct heddle__environment *e, const char *name)
{
    const size_t n = strlen(name);
    for (char **at = e->names; at && *at; at++)
        if (!strncmp(*at, name, n) && (*at)[n] == '=') return *at + n + 1;
    return NULL;
}

/* ---- One compiler ---------------------------------------------------------------------------------------- */

struct place {
    char folder[PATH_ROOM], source[PATH_ROOM + 16], object[PATH_ROOM + 16];
};

static bool make_place(struct place *p, const struct heddle__environment *e)
{
    const char *const parent = heddle__environment_get(e, "TMPDIR");
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
    const bool written = heddle__write_all(file, source, strlen(source));
    return close(file) == 0 && written;
}

/* Waits for the compiler, or ends it and what it started. A program that ignores SIGCHLD has its children reaped for it. */
static bool wait_for(pid_t compiler, const atomic_bool *stop)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    int status = 0;
    for (int ms = 0; ms < LIMIT_S * 1000 && !(stop && atomic_load(stop)); ms += STEP_MS) {
        const pid_t ended = waitpid(compiler, &status, WNOHANG);
        if (ended == compiler) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return errno == ECHILD;
        nanosleep(&step, NULL);
    }
    kill(-compiler, SIGKILL);
    while (waitpid(compiler, &status, 0) < 0 && errno == EINTR) {
    }
    return false;
}

static bool add_files(posix_spawn_file_actions_t *files)
{
    bool added = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                 posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                 posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0) == 0;
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    added = added && posix_spawn_file_actions_addclosefrom_np(files, 3) == 0;
#endif
    return added;
}

/* A group of its own, so that it can be ended with what it starts; signals as they are by default. */
static bool set_group(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigemptyset(&none);
    return posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) ==
               0;
}

static bool spawn(pid_t *process, const char *path, const char *const *arguments, char **names)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    const bool begun = posix_spawnattr_init(&attributes) == 0;
    const bool started = begun && add_files(&files) && set_group(&attributes) &&
                         posix_spawn(process, path, &files, &attributes,
                                     (char *const *)(uintptr_t)arguments, names) == 0;
    if (begun) posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return started;
}

static bool compile(const char *compiler, const struct heddle__environment *e,
                    const struct place *p, const char *const *options, const atomic_bool *stop)
{
    /* -O3 as our own loops; no fused multiply-adds, so that the bits are the interpreter's */
    const char *arguments[OWN_OPTIONS + MORE_OPTIONS + 5] = {
        compiler, "-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
        "-fPIC",  "-shared",    "-w"};
    char path[4096];
    pid_t process = 0;
    int n = OWN_OPTIONS;
    while (*options) arguments[n++] = *options++;
    arguments[n++] = "-o";
    arguments[n++] = p->object;
    arguments[n++] = p->source;
    arguments[n] = "-lm";
    return heddle__find_program(compiler, heddle__environment_get(e, "PATH"), path, sizeof path) &&
           spawn(&process, path, arguments, e->names) && wait_for(process, stop);
}

static char *run_compiler(const char *compiler, const struct heddle__environment *e,
                          const char *source, const char *const *options, const atomic_bool *stop,
                          size_t *size)
{
    struct place place;
    if (!make_place(&place, e)) return NULL;
    char *const bytes =
        write_source(place.source, source) && compile(compiler, e, &place, options, stop)
            ? heddle__read_all(place.object, MOST_BYTES, size)
            : NULL;
    remove_place(&place);
    return bytes;
}

/* ---- Whichever there is ---------------------------------------------------------------------------------- */

char *heddle__run_compilers(const struct heddle__environment *e, const char *source,
                            const char *const *options, const atomic_bool *stop, size_t *size)
{
    static const char *const usual[] = {HEDDLE_C_COMPILERS};
    const char *const asked = heddle__environment_get(e, "HEDDLE_CC");
    if (!e->names) return NULL;
    if (asked) return *asked ? run_compiler(asked, e, source, options, stop, size) : NULL;
    char *bytes = NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !bytes; i++)
        bytes = run_compiler(usual[i], e, source, options, stop, size);
    return bytes;
}
