/* Runs a program on an invented machine: writes the machine's files to a folder of its own, starts
 * the program with an environment that names them, and takes the folder away again.
 *
 *     simulated PROGRAM MACHINE [ARGUMENT...]      runs PROGRAM MACHINE ARGUMENT... */
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

static void run(const char *folder, const struct machine *m, int argc, char **argv)
{
    char **args = calloc((size_t)argc + 2, sizeof *args);
    for (int i = 0; args && i < argc; i++) args[i] = argv[i];
    static char quiet[] = "--log=root.thres:warning"; /* SimGrid takes it away */
    if (args) args[argc] = quiet;
    setenv("STARPU_HOME", folder, 1);
    setenv("STARPU_PERF_MODEL_DIR", folder, 1);
    setenv("STARPU_HOSTNAME", m->name, 1);
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_CUDA_PIPELINE", "4", 1);            /* as src/runtime/home.c */
    setenv("STARPU_SIMGRID_CUDA_MALLOC_COST", "0", 1); /* buffers are recycled */
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_SCHED");
    if (args) execv(args[0], args);
    perror(argv[0]);
}

int main(int argc, char **argv)
{
    const struct machine *m = argc > 2 ? machine_named(argv[2]) : NULL;
    if (!m) {
        fprintf(stderr, "usage: simulated PROGRAM MACHINE [ARGUMENT...]; the machines are\n");
        for (m = machines; m->name; m++) fprintf(stderr, "    %-10s %s\n", m->name, m->what);
        return 2;
    }
    char folder[] = "/tmp/heddle-machine-XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    int status = 1;
    if (machine_write(m, folder)) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            run(folder, m, argc - 1, argv + 1);
            _exit(1);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0) perror("fork");
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
