/* Runs a program's cases on an invented machine: writes the machine's files to a folder of its own,
 * starts the program for each case with an environment that names them, and takes the folder away.
 *
 *     simulated PROGRAM MACHINE [WORKLOAD]      runs PROGRAM MACHINE 0 [WORKLOAD], 1, ... */
#include "machine.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void set_environment(const char *folder, const struct machine *m)
{
    setenv("STARPU_HOME", folder, 1);
    setenv("STARPU_PERF_MODEL_DIR", folder, 1);
    setenv("STARPU_HOSTNAME", m->name, 1);
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_CUDA_PIPELINE", "4", 1);            /* as src/starpu/environment.c, ... */
    setenv("STARPU_SCHED_BETA", "0", 1);               /* ... this too */
    setenv("STARPU_SIMGRID_CUDA_MALLOC_COST", "0", 1); /* buffers are recycled */
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_SCHED");
}

/* The exit code of one case. */
static int run(const char *program, const char *machine, int number, const char *workload)
{
    enum { NO_SUCH_CASE = 99 };
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    const pid_t child = fork();
    if (child == 0) { /* SimGrid takes its option away */
        execl(program, program, machine, text, "--log=root.thres:warning", workload, (char *)NULL);
        perror(program);
        _exit(1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return code == NO_SUCH_CASE ? -1 : code;
}

int main(int argc, char **argv)
{
    const struct machine *m = argc > 2 ? machine_named(argv[2]) : NULL;
    if (!m) {
        fprintf(stderr, "usage: simulated PROGRAM MACHINE [WORKLOAD]; the machines are\n");
        for (m = machines; m->name; m++) fprintf(stderr, "    %-10s %s\n", m->name, m->what);
        return 2;
    }
    char folder[] = "/tmp/heddle-machine-XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    int failed = !machine_write(m, folder);
    set_environment(folder, m);
    for (int number = 0, code = failed; number < 1000 && code >= 0; number++) {
        code = run(argv[1], m->name, number, argc > 3 ? argv[3] : NULL);
        if (code > 0) failed = 1;
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
