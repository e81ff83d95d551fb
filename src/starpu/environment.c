/* StarPU's environment. StarPU aborts, hangs or computes nothing for many values of its variables, and hwloc
 * may be told of another machine. So while StarPU starts and stops, it sees none of them but those that
 * Heddle needs, and those of the user's that are in the table below and have been checked. The process gets
 * another list of variables for that time, and then its own again: `environ` is one pointer, so that no
 * other thread ever reads half of a change. Entry points: environment.h. */
#include "starpu/environment.h"

#include "base/machine.h"
#include "base/memory.h"
#include "starpu/calibration.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- The user's variables that are passed on --------------------------------------------------------- */

enum kind { INTEGER, NUMBER, FOLDER, FILE_TO_WRITE, TEXT, SCHEDULER };

static const struct passed {
    const char *name;
    enum kind kind;
    int low, high;       /* of INTEGER */
    const char *initial; /* if the user has not set it; NULL: it stays unset */
} passed[] = {
    {"STARPU_SCHED", SCHEDULER, 0, 0, NULL},
    {"STARPU_SILENT", INTEGER, 0, 1, "1"},
    {"HWLOC_HIDE_ERRORS", INTEGER, 0, 2, "2"}, /* where there is no /sys */
    {"STARPU_CUDA_PIPELINE", INTEGER, 0, 4, "4"},
    {"STARPU_SCHED_BETA", NUMBER, 0, 0, "0"}, /* our costs include transfers */
    {"STARPU_PROFILING", INTEGER, 0, 1, NULL},
    {"STARPU_BUS_STATS", INTEGER, 0, 1, NULL},
    {"STARPU_BUS_STATS_FILE", FILE_TO_WRITE, 0, 0, NULL},
    {"STARPU_WORKER_STATS", INTEGER, 0, 1, NULL},
    {"STARPU_WORKER_STATS_FILE", FILE_TO_WRITE, 0, 0, NULL},
    {"STARPU_FXT_TRACE", INTEGER, 0, 1, NULL},
    {"STARPU_FXT_PREFIX", FOLDER, 0, 0, NULL},
    {"STARPU_FXT_SUFFIX", TEXT, 0, 0, NULL},
    {"STARPU_FXT_EVENTS", TEXT, 0, 0, NULL},
    {"STARPU_TRACE_BUFFER_SIZE", INTEGER, 1, 65536, NULL},
    {"STARPU_GENERATE_TRACE", INTEGER, 0, 1, NULL},
};
enum { N_PASSED = sizeof passed / sizeof *passed };

/* Those that work with costs which differ from worker to worker; StarPU's others abort. */
static const char *const schedulers[] = {"dm",    "dmda", "dmdap", "dmdar",  "dmdas", "dmdasd",
                                         "eager", "lws",  "prio",  "random", "ws"};

static bool is_scheduler(const char *text)
{
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (!strcmp(text, schedulers[i])) return true;
    return false;
}

static bool can_be_written(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return file >= 0 && close(file) == 0;
}

static enum heddle_status check(const struct passed *p, const char *value)
{
    char *end;
    errno = 0;
    switch (p->kind) {
    case INTEGER: {
        const long n = strtol(value, &end, 10);
        HEDDLE_REQUIRE(end != value && !*end && !errno && n >= p->low && n <= p->high, HEDDLE_EARG,
                       "environment variable %s: \"%.80s\" is not an integer from %d to %d",
                       p->name, value, p->low, p->high);
        return HEDDLE_OK;
    }
    case NUMBER: {
        const double x = strtod(value, &end);
        HEDDLE_REQUIRE(end != value && !*end && isfinite(x) && x >= 0, HEDDLE_EARG,
                       "environment variable %s: \"%.80s\" is not a number from 0 on", p->name,
                       value);
        return HEDDLE_OK;
    }
    case FOLDER:
        HEDDLE_REQUIRE(heddle__make_folder(value), HEDDLE_EARG,
                       "environment variable %s: \"%.200s\" is no folder that can be written to",
                       p->name, value);
        return HEDDLE_OK;
    case FILE_TO_WRITE:
        HEDDLE_REQUIRE(can_be_written(value), HEDDLE_EARG,
                       "environment variable %s: \"%.200s\" is no file that can be written",
                       p->name, value);
        return HEDDLE_OK;
    case SCHEDULER:
        HEDDLE_REQUIRE(is_scheduler(value), HEDDLE_EARG,
                       "environment variable %s: \"%.80s\" is not dm, dmda, dmdap, dmdar, dmdas, "
                       "dmdasd, eager, lws, prio, random or ws",
                       p->name, value);
        return HEDDLE_OK;
    case TEXT: return HEDDLE_OK;
    }
    return HEDDLE_OK;
}

/* ---- The list ------------------------------------------------------------------------------------------ */

enum { MAX_OURS = N_PASSED + HEDDLE_MAX_GPUS + 8, TEXT_ROOM = 4200 };

static struct list {
    char **entries;       /* ends with NULL */
    char *ours[MAX_OURS]; /* the texts that are not the process's own */
    int n_ours;
} now, last; /* another thread may still read the last one */

static char **own; /* the process's; NULL: it is in force */
static char home[256];
static int64_t gpu_memory_bytes; /* 0: no limit */

static void free_list(struct list *list)
{
    for (int i = 0; i < list->n_ours; i++) heddle__free(list->ours[i]);
    heddle__free(list->entries);
    *list = (struct list){0};
}

/* Variables that StarPU must not see as they are. */
static bool is_hidden(const char *entry)
{
    return !strncmp(entry, "STARPU_", 7) || !strncmp(entry, "HWLOC_", 6) ||
           !strncmp(entry, "XDG_CACHE_HOME=", 15); /* StarPU's first choice for its folder */
}

static bool add(struct list *list, const char *name, const char *value)
{
    char text[TEXT_ROOM];
    if (snprintf(text, sizeof text, "%s=%s", name, value) >= (int)sizeof text) return true;
    list->ours[list->n_ours] = heddle__strdup(text);
    return list->ours[list->n_ours++] != NULL;
}

/* Limits StarPU to what others leave of a GPU's memory: it takes 90 % of all for its own, and would ask for
 * ever. */
static bool add_gpu_limits(struct list *list)
{
    char name[64], megabytes[32];
    bool ok = true;
    if (gpu_memory_bytes > 0) {
        const int64_t n = gpu_memory_bytes >> 20;
        snprintf(megabytes, sizeof megabytes, "%lld", (long long)(n > 0 ? n : 1));
        return add(list, "STARPU_LIMIT_CUDA_MEM", megabytes);
    }
    for (int i = 0; i < HEDDLE_MAX_GPUS; i++) {
        int64_t unused, all;
        if (heddle__gpu_trouble(i, &unused, &all) || all == 0 || unused > all / 100 * 95) continue;
        snprintf(name, sizeof name, "STARPU_LIMIT_CUDA_%d_MEM", i);
        snprintf(megabytes, sizeof megabytes, "%lld", (long long)(unused / 10 * 9 >> 20));
        ok = ok && add(list, name, megabytes);
    }
    return ok;
}

static bool add_all(struct list *list)
{
    bool ok = add(list, "STARPU_HOME", home) && add(list, "XDG_CACHE_HOME", home) &&
              add(list, "STARPU_PERF_MODEL_DIR", home) &&
              add(list, "STARPU_HOSTNAME", HEDDLE_CALIBRATION_HOST);
    ok = ok && add_gpu_limits(list);
    for (int i = 0; i < N_PASSED; i++) {
        const char *value = getenv(passed[i].name);
        if (!value || !*value) value = passed[i].initial;
        if (value && passed[i].kind != SCHEDULER) ok = ok && add(list, passed[i].name, value);
    }
    return ok;
}

static bool make_list(struct list *list)
{
    size_t n = 0, kept = 0;
    while (environ && environ[n]) n++;
    list->entries = heddle__alloc((n + MAX_OURS + 1) * sizeof(char *));
    if (!list->entries || !add_all(list)) return false;
    for (size_t i = 0; i < n; i++)
        if (!is_hidden(environ[i])) list->entries[kept++] = environ[i];
    for (int i = 0; i < list->n_ours; i++) list->entries[kept++] = list->ours[i];
    list->entries[kept] = NULL;
    return true;
}

/* Takes our variables out of the list in force, and puts the hidden ones of another in. */
static void take_back(char **list)
{
    char name[256];
    for (int i = 0; i < now.n_ours; i++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(now.ours[i], "="), now.ours[i]);
        unsetenv(name);
    }
    for (; list && *list; list++) {
        const size_t n = strcspn(*list, "=");
        if (!is_hidden(*list) || n >= sizeof name || !(*list)[n]) continue;
        snprintf(name, sizeof name, "%.*s", (int)n, *list);
        setenv(name, *list + n + 1, 1);
    }
}

/* ---- Open, enter, leave ------------------------------------------------------------------------------- */

enum heddle_status heddle__environment_open(const struct heddle_settings *settings,
                                            const char *folder)
{
    for (int i = 0; i < N_PASSED; i++) {
        const char *value = getenv(passed[i].name);
        const enum heddle_status status = value && *value ? check(&passed[i], value) : HEDDLE_OK;
        if (status != HEDDLE_OK) return status;
    }
    snprintf(home, sizeof home, "%s", folder);
    gpu_memory_bytes = settings->gpu_memory_bytes;
    return HEDDLE_OK;
}

const char *heddle__environment_scheduler(void)
{
    const char *value = getenv("STARPU_SCHED");
    return value && *value ? value : NULL;
}

bool heddle__environment_enter(void)
{
    free_list(&last);
    last = now;
    now = (struct list){0};
    if (!make_list(&now)) {
        free_list(&now);
        return false;
    }
    own = environ;
    environ = now.entries;
    return true;
}

void heddle__environment_leave(void)
{
    char **const list = own;
    if (!list) return;
    own = NULL;
    if (environ == now.entries)
        environ = list;
    else /* a thread has called setenv meanwhile: the C library has made a list of its own from ours */
        take_back(list);
}
