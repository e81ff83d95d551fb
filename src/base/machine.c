/* The machine before anything is started: allowed cores, NUMA domains, memory, CPU model, GPUs.
 * Reads /proc and /sys only; what is missing there is guessed. Entry points: heddle__machine,
 * heddle__count_gpus. */
#include "base/machine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct heddle_machine machine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    const size_t n = fread(text, 1, room - 1, file);
    fclose(file);
    text[n] = 0;
    return n > 0;
}

/* "0-3,8,10-11" */
static void parse_cpulist(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    while (*text >= '0' && *text <= '9') {
        char *end;
        long low = strtol(text, &end, 10), high = low;
        if (*end == '-') high = strtol(end + 1, &end, 10);
        for (long i = low; i <= high && i < CPU_SETSIZE; i++) CPU_SET((size_t)i, set);
        text = *end == ',' ? end + 1 : end;
    }
}

static void find_domains(void)
{
    for (int node = 0; node < 1024 && machine.n_domains < HEDDLE_MAX_TEAMS; node++) {
        char path[96], text[4096];
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        if (!read_text(path, text, sizeof text)) {
            if (node > 64) break; /* numbers may have small gaps */
            continue;
        }
        cpu_set_t cores;
        parse_cpulist(text, &cores);
        CPU_AND(&cores, &cores, &machine.allowed);
        if (CPU_COUNT(&cores) > 0) machine.domain[machine.n_domains++] = cores;
    }
    if (machine.n_domains == 0) machine.domain[machine.n_domains++] = machine.allowed;
}

static void find_memory(void)
{
    machine.memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char text[64];
        if (!read_text(limits[i], text, sizeof text)) continue;
        const long long bytes = strtoll(text, NULL, 10);
        if (bytes > 0 && bytes < machine.memory_bytes) machine.memory_bytes = bytes;
    }
    const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        struct rlimit limit;
        if (getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
            limit.rlim_cur < (rlim_t)machine.memory_bytes)
            machine.memory_bytes = (int64_t)limit.rlim_cur;
    }
}

static void find_model(void)
{
    char text[8192];
    snprintf(machine.cpu_model, sizeof machine.cpu_model, "CPU");
    if (!read_text("/proc/cpuinfo", text, sizeof text)) return;
    const char *at = strstr(text, "model name");
    at = at ? strchr(at, ':') : NULL;
    if (!at) return;
    at++;
    while (*at == ' ') at++;
    snprintf(machine.cpu_model, sizeof machine.cpu_model, "%.*s", (int)strcspn(at, "\n"), at);
}

static void look(void)
{
    if (sched_getaffinity(0, sizeof machine.allowed, &machine.allowed) != 0) {
        CPU_ZERO(&machine.allowed);
        const long n = sysconf(_SC_NPROCESSORS_ONLN);
        for (long i = 0; i < n && i < CPU_SETSIZE; i++) CPU_SET((size_t)i, &machine.allowed);
    }
    machine.n_allowed = CPU_COUNT(&machine.allowed);
    if (machine.n_allowed < 1) machine.n_allowed = 1;
    /* A container may be allowed less time than its processors have. */
    char text[64];
    if (read_text("/sys/fs/cgroup/cpu.max", text, sizeof text)) {
        long long quota = 0, period = 0;
        if (sscanf(text, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0) {
            const int n = (int)((quota + period - 1) / period);
            if (n >= 1 && n < machine.n_allowed) machine.n_allowed = n;
        }
    }
    find_domains();
    find_memory();
    find_model();
}

const struct heddle_machine *heddle__machine(void)
{
    pthread_once(&once, look);
    return &machine;
}

int heddle__count_gpus(const char **why)
{
    *why = "this build of Heddle has no CUDA";
    if (!HEDDLE_HAVE_CUDA) return 0;
    /* CUDA's runtime library is in the process already, by way of StarPU and the kernels. */
    int (*count)(int *) = NULL;
    *(void **)&count = dlsym(RTLD_DEFAULT, "cudaGetDeviceCount");
    int n = 0;
    const int error = count ? count(&n) : -1;
    if (error == 0 && n > 0) return n < HEDDLE_MAX_GPUS ? n : HEDDLE_MAX_GPUS;
    enum { NO_DEVICE = 100, INSUFFICIENT_DRIVER = 35 };
    *why = error == INSUFFICIENT_DRIVER       ? "no NVIDIA driver, or one too old for this CUDA"
           : error == NO_DEVICE || error == 0 ? "CUDA finds no GPU"
                                              : "CUDA does not start";
    return 0;
}
