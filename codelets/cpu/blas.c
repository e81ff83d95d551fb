/* OpenBLAS picks its kernels when it is loaded, by the CPU's model number; one that is older than the CPU
 * falls back to kernels without vectors of today's width (0.3.21 on a Xeon of 2024: a fifth of the speed).
 * OPENBLAS_CORETYPE decides, but is read at that moment only. So it is loaded, asked, and loaded once more
 * if its choice is older than what the CPU can do. Entry points: blas.h. */
#include "cpu/blas.h"

#include "kernels.h"

#include <base/error.h>
#include <base/signals.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *opened;
static struct heddle_cpu_blas functions;
static enum heddle_status loaded = HEDDLE_EDEVICE;
static char why_not[256], text[256];
static int parallel; /* openblas_get_parallel: 1 has threads of its own, 2 is OpenMP's */

static const char variable[] = "OPENBLAS_CORETYPE";

/* What the CPU can do, as the name of a core that OpenBLAS has kernels for; NULL: nothing special. */
static const char *core_of_cpu(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
    return NULL;
}

/* Whether a core's kernels have vectors of 128 bits only, or no fused multiply-add. */
static bool is_old(const char *core)
{
    static const char *const old[] = {
        "Katmai",       "Coppermine", "Northwood", "Prescott",    "Banias", "Atom",    "Core2",
        "Penryn",       "Dunnington", "Nehalem",   "Sandybridge", "Athlon", "Opteron", "Barcelona",
        "Opteron_SSE3", "Bobcat",     "Nano",      "Generic",     "Unknown"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (!strcasecmp(core, old[i])) return true;
    return false;
}

static void *open_library(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", HEDDLE_BLAS_FILE};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
        if (i == 0) snprintf(why_not, sizeof why_not, "%s", dlerror());
    }
    return NULL;
}

static void core_name(void *library, char *name, size_t room)
{
    char *(*get)(void);
    void *symbol = dlsym(library, "openblas_get_corename");
    memcpy(&get, &symbol, sizeof symbol);
    snprintf(name, room, "%s", symbol ? get() : "");
}

/* Its name and version are the first two words of its configuration: "OpenBLAS 0.3.21 DYNAMIC_ARCH ...". */
static void describe(void *library)
{
    char *(*get)(void);
    void *symbol = dlsym(library, "openblas_get_config");
    memcpy(&get, &symbol, sizeof symbol);
    const char *config = symbol ? get() : "a BLAS";
    size_t n = strcspn(config, " ");
    if (config[n] == ' ') n += 1 + strcspn(config + n + 1, " ");
    const bool asked = functions.chosen[0] != 0;
    snprintf(text, sizeof text, "%.*s, kernels of %s%s%s%s", (int)n, config, functions.core,
             asked ? ", as Heddle asked (by itself: " : "", functions.chosen, asked ? ")" : "");
}

/* Loads it again with better kernels; what it was, if somebody else holds it. */
static void *open_again(void *library, const char *core)
{
    dlclose(library);
    setenv(variable, core, 1);
    library = open_library();
    unsetenv(variable);
    return library;
}

static void load(void)
{
    void *library = open_library();
    if (!library) return;
    const char *best = core_of_cpu(), *asked = getenv(variable);
    core_name(library, functions.core, sizeof functions.core);
    if (best && !(asked && *asked) && is_old(functions.core)) {
        memcpy(functions.chosen, functions.core, sizeof functions.core);
        library = open_again(library, best);
        if (!library) return;
        core_name(library, functions.core, sizeof functions.core);
    }
    describe(library);
    void *symbol;
#define FIND(name)                                                                                 \
    symbol = dlsym(library, #name);                                                                \
    if (!symbol) {                                                                                 \
        snprintf(why_not, sizeof why_not, "the BLAS has no " #name);                               \
        return;                                                                                    \
    }                                                                                              \
    memcpy(&functions.name, &symbol, sizeof symbol);
    HEDDLE_CPU_BLAS_MAP(FIND)
#undef FIND
    int (*get_parallel)(void);
    symbol = dlsym(library, "openblas_get_parallel");
    memcpy(&get_parallel, &symbol, sizeof symbol);
    parallel = symbol ? get_parallel() : 0;
    if (parallel == 1) {
        void (*set_threads)(int);
        symbol = dlsym(library, "openblas_set_num_threads");
        memcpy(&set_threads, &symbol, sizeof symbol);
        if (symbol) set_threads(1);
    }
    opened = library;
    loaded = HEDDLE_OK;
}

enum heddle_status heddle__cpu_blas(const struct heddle_cpu_blas **blas)
{
    pthread_once(&once, load);
    HEDDLE_REQUIRE(loaded == HEDDLE_OK, HEDDLE_EDEVICE, "no OpenBLAS for products of matrices: %s",
                   why_not);
    *blas = &functions;
    return HEDDLE_OK;
}

enum heddle_status heddle__cpu_lapack(const char *who, int n, const char *const names[],
                                      void *functions_out)
{
    pthread_once(&once, load);
    HEDDLE_REQUIRE(loaded == HEDDLE_OK, HEDDLE_EDEVICE, "%s: no LAPACK: %s", who, why_not);
    for (int i = 0; i < n; i++) {
        void *symbol = dlsym(opened, names[i]);
        HEDDLE_REQUIRE(symbol, HEDDLE_EDEVICE, "%s: the BLAS has no %s", who, names[i]);
        memcpy((char *)functions_out + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
    }
    return HEDDLE_OK;
}

const char *heddle__cpu_blas_text(void)
{
    const struct heddle_cpu_blas *blas;
    return heddle__cpu_blas(&blas) == HEDDLE_OK ? text : "";
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How long it takes until n threads have come and gone. */
static int64_t step_ns(int n)
{
    const int64_t begin = now_ns();
#pragma omp parallel num_threads(n)
    __asm__ volatile("");
    return now_ns() - begin;
}

/* Threads that wait spin, and a step takes a microsecond or two. They sleep between steps, which then take thirty, if a
 * core does something else; and if the program has more threads of OpenMP than cores, the library's own and those of a
 * caller who uses BLAS himself: libgomp lets none spin then. Two threads that sleep take up to seven times as long as one. */
int heddle__cpu_blas_threads(int n)
{
    enum { STEPS = 10, GAP_NS = 20000, LATE_NS = 8000, LATE_MOST = 2 };
    if (parallel != 2 || n < 2) return 1;
    sigset_t before;
    const bool held = heddle__signals_hold(&before);
    step_ns(n); /* makes them, or wakes them */
    heddle__signals_release(held, &before);
    for (int i = 0, n_late = 0; i < STEPS; i++) {
        for (const int64_t until = now_ns() + GAP_NS; now_ns() < until;) continue;
        n_late += step_ns(n) > LATE_NS;
        if (n_late > LATE_MOST) return 1;
    }
    return n;
}

int heddle__cpu_blas_begin(int n_threads)
{
    if (parallel != 2) return 0;
    const int before = omp_get_max_threads();
    omp_set_num_threads(n_threads);
    return before;
}

void heddle__cpu_blas_end(int before)
{
    if (before > 0) omp_set_num_threads(before);
}
