/* StarPU's environment: a folder for the calibration of buses, and a name for the machine that outlives
 * containers. StarPU aborts on a folder that it cannot write, so each is tried first. Entry points:
 * environment.h. */
#include "starpu/environment.h"

#include "base/hash.h"
#include "base/machine.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* ---- The environment ------------------------------------------------------------------------------- */

enum { MAX_VARIABLES = 16 };
static struct variable {
    const char *name;
    char *before; /* NULL: it was not set */
} changed[MAX_VARIABLES];
static int n_changed;
static char private_dir[64]; /* if there is no better one */

static void change(const char *name, const char *value)
{
    if (n_changed == MAX_VARIABLES) return;
    const char *before = getenv(name);
    struct variable *v = &changed[n_changed++];
    v->name = name;
    v->before = before ? strdup(before) : NULL;
    if (value) setenv(name, value, 1);
}

static void change_if_unset(const char *name, const char *value)
{
    if (!getenv(name)) change(name, value);
}

static bool variable_is_writable(const char *name)
{
    const char *path = getenv(name);
    return path && *path && heddle__make_folder(path);
}

/* Chooses the folder where StarPU keeps its calibration. */
static bool choose_home(char *home, size_t room)
{
    const char *cache = heddle__cache_dir();
    if (cache && strlen(cache) < room - 16) {
        snprintf(home, room, "%.4000s/starpu", cache);
        if (heddle__make_folder(home)) return true;
    }
    snprintf(private_dir, sizeof private_dir, "/tmp/heddle-XXXXXX");
    if (!mkdtemp(private_dir)) {
        private_dir[0] = 0;
        return false;
    }
    snprintf(home, room, "%s", private_dir);
    return true;
}

enum heddle_status heddle__environment_open(const struct heddle_settings *settings, int n_gpus)
{
    char home[PATH_ROOM], sampling[PATH_ROOM + 16], name[96], megabytes[32];
    const bool home_set = variable_is_writable("STARPU_HOME");
    const bool models_set = variable_is_writable("STARPU_PERF_MODEL_DIR");
    if ((!home_set || !models_set) && !choose_home(home, sizeof home))
        return heddle__fail(HEDDLE_EIO, "heddle_start: neither the cache folder nor /tmp can be "
                                        "written");
    if (!home_set) change("STARPU_HOME", home);
    if (!models_set) {
        snprintf(sampling, sizeof sampling, "%s/sampling", home_set ? getenv("STARPU_HOME") : home);
        change("STARPU_PERF_MODEL_DIR", sampling);
    }
    /* StarPU prefers this variable to its own, and aborts if the folder cannot be written */
    if (getenv("XDG_CACHE_HOME") && !variable_is_writable("XDG_CACHE_HOME"))
        change("XDG_CACHE_HOME", getenv("STARPU_HOME"));

    /* calibration is filed under the kind of machine, not under a container's passing name */
    const struct heddle_machine *m = heddle__machine();
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    uint64_t hash = heddle__hash_bytes(1, m->cpu_model, strlen(m->cpu_model));
    hash = heddle__hash_word(hash, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (visible) hash = heddle__hash_bytes(hash, visible, strlen(visible));
    snprintf(name, sizeof name, "heddle-%08x-gpus-%d", (unsigned)(hash >> 32), n_gpus);
    change_if_unset("STARPU_HOSTNAME", name);

    change_if_unset("STARPU_SILENT", "1");
    change_if_unset("STARPU_CUDA_PIPELINE", "4");
    change_if_unset("STARPU_SCHED_BETA", "0"); /* our costs include transfers */
    if (settings->gpu_memory_bytes > 0) {
        snprintf(megabytes, sizeof megabytes, "%lld",
                 (long long)(settings->gpu_memory_bytes >> 20 > 0 ? settings->gpu_memory_bytes >> 20
                                                                  : 1));
        change("STARPU_LIMIT_CUDA_MEM", megabytes);
    }
    return HEDDLE_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void heddle__environment_close(void)
{
    while (n_changed > 0) {
        struct variable *v = &changed[--n_changed];
        if (v->before)
            setenv(v->name, v->before, 1);
        else
            unsetenv(v->name);
        free(v->before);
        v->before = NULL;
    }
    if (private_dir[0]) nftw(private_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    private_dir[0] = 0;
}
