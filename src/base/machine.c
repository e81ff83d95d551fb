/* The machine before anything is started: allowed cores, NUMA domains, memory, CPU model, GPUs.
 * Reads /proc and /sys only; what is missing there is guessed. Entry points: heddle__machine,
 * heddle__count_gpus. */
#include "base/machine.h"

#include "base/limits.h"

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
    const int64_t limit = heddle__cgroup_memory("");
    if (limit < machine.memory_bytes) machine.memory_bytes = limit;
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

struct count {
    int error, n;
};

/* On a thread of its own: the first question loads the driver, which takes more stack than the caller may have. */
static void *ask_cuda(void *argument)
{
    struct count *c = argument;
    /* CUDA's runtime library is in the process already, by way of StarPU and the kernels. */
    int (*count)(int *) = NULL;
    *(void **)&count = dlsym(RTLD_DEFAULT, "cudaGetDeviceCount");
    if (count) c->error = count(&c->n);
    return NULL;
}

int heddle__count_gpus(const char **why)
{
    *why = "this build of Heddle has no CUDA";
    if (!HEDDLE_HAVE_CUDA) return 0;
    struct count c = {.error = -1};
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask_cuda, &c) == 0)
        pthread_join(thread, NULL);
    else
        ask_cuda(&c);
    if (c.error == 0 && c.n > 0) return c.n < HEDDLE_MAX_GPUS ? c.n : HEDDLE_MAX_GPUS;
    enum { NO_DEVICE = 100, INSUFFICIENT_DRIVER = 35 };
    *why = c.error == INSUFFICIENT_DRIVER         ? "no NVIDIA driver, or one too old for this CUDA"
           : c.error == NO_DEVICE || c.error == 0 ? "CUDA finds no GPU"
                                                  : "CUDA does not start";
    return 0;
}

/* ---- Whether GPUs can be used --------------------------------------------------------------------------- */

static struct trial {
    pthread_t thread;
    int number;
    const char *trouble;
    size_t free_bytes, all_bytes;
} trials[HEDDLE_MAX_GPUS];

/* On a thread of its own, since CUDA's current device is the thread's. */
static void *try_gpu(void *argument)
{
    struct trial *t = argument;
    int (*set_device)(int) = NULL, (*free_memory)(void *) = NULL;
    int (*memory_info)(size_t *, size_t *) = NULL;
    const char *(*text_of)(int) = NULL;
    *(void **)&set_device = dlsym(RTLD_DEFAULT, "cudaSetDevice");
    *(void **)&free_memory = dlsym(RTLD_DEFAULT, "cudaFree");
    *(void **)&memory_info = dlsym(RTLD_DEFAULT, "cudaMemGetInfo");
    *(void **)&text_of = dlsym(RTLD_DEFAULT, "cudaGetErrorString");
    if (!set_device || !free_memory || !memory_info || !text_of) {
        t->trouble = "CUDA is not in the process";
        return NULL;
    }
    int error = set_device(t->number);
    if (error == 0) error = free_memory(NULL);
    if (error == 0) error = memory_info(&t->free_bytes, &t->all_bytes);
    if (error != 0) t->trouble = text_of(error);
    return NULL;
}

void heddle__try_gpus(uint64_t which)
{
    bool made[HEDDLE_MAX_GPUS];
    for (int i = 0; i < HEDDLE_MAX_GPUS; i++) {
        if (!(which >> i & 1)) continue;
        trials[i] = (struct trial){.number = i};
        made[i] = pthread_create(&trials[i].thread, NULL, try_gpu, &trials[i]) == 0;
        if (!made[i]) trials[i].trouble = "no thread can be made";
    }
    for (int i = 0; i < HEDDLE_MAX_GPUS; i++)
        if (which >> i & 1 && made[i]) pthread_join(trials[i].thread, NULL);
}

const char *heddle__gpu_trouble(int number, int64_t *free_bytes, int64_t *all_bytes)
{
    if (free_bytes) *free_bytes = (int64_t)trials[number].free_bytes;
    if (all_bytes) *all_bytes = (int64_t)trials[number].all_bytes;
    return trials[number].trouble;
}
