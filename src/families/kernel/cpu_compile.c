/* The table of compiled kernels, and their files in the cache. One mutex guards it, also while a compiler runs: others of
 * the same source wait for it. What is loaded stays. Entry point: heddle__kernel_compiled. */
#include "families/kernel/cpu_compile.h"

#include "base/at_fork.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/whole_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORTH_WAITING                                                                              \
    3e7 /* operations: some 0.1 s of the interpreter, which is what a compiler takes */

static const char file_kind[] = "HeddleC1";
static char none; /* programs that have this as their function are interpreted for good */

const char *(*heddle__kernel_folder)(void);

struct entry {
    struct entry *next;
    uint64_t hash[2];
    kernel_function *function; /* NULL: it did not compile */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static struct entry *entries;

/* ---- Files ---------------------------------------------------------------------------------------------- */

/* A path of a file descriptor that no call had before: dlopen takes what it has loaded by the same name. The bits of a
 * counter are slashes that count as one, and folders that are the same. */
static void name_file(char path[128], int file)
{
    static unsigned counter; /* under the mutex */
    int n = snprintf(path, 128, "/proc/self");
    for (unsigned bits = ++counter, k = 0; k < 24; k++, bits >>= 1)
        n += snprintf(path + n, (size_t)(128 - n), bits & 1 ? "/." : "/");
    snprintf(path + n, (size_t)(128 - n), "/fd/%d", file);
}

/* Loads a shared object from its bytes; its memory has no name in any folder. */
static kernel_function *load(const char *bytes, size_t size)
{
    char path[128];
    const int file = memfd_create("heddle-kernel", MFD_CLOEXEC);
    if (file < 0) return NULL;
    name_file(path, file);
    void *const library =
        heddle__write_all(file, bytes, size) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    close(file);
    kernel_function *function = NULL;
    if (library) *(void **)&function = dlsym(library, "heddle_kernel");
    return function;
}

/* What -march=native depends on: the first processor's lines. 0: they cannot be read. */
static uint64_t processor(void)
{
    char text[8192];
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *const flags = strstr(text, "\nflags"), *const model = strstr(text, "model name");
    if (!flags || !model) return 0;
    const uint64_t hash = heddle__hash_bytes(0, flags, strcspn(flags + 1, "\n"));
    return heddle__hash_bytes(hash, model, strcspn(model, "\n")) | 1;
}

static bool path_of(char *path, size_t room, const struct entry *e)
{
    const char *const folder = heddle__kernel_folder ? heddle__kernel_folder() : NULL;
    if (!folder || !processor()) return false;
    const int n = snprintf(path, room, "%s/kernels", folder);
    if (n < 0 || (size_t)n >= room) return false;
    mkdir(path, 0777);
    const int m = snprintf(path + n, room - (size_t)n, "/%016llx%016llx.so",
                           (unsigned long long)e->hash[0], (unsigned long long)e->hash[1]);
    return m > 0 && (size_t)(n + m) < room;
}

/* ---- Compilers --------------------------------------------------------------------------------------- */

static char *compiled(const char *source, size_t *size)
{
    static const char *const usual[] = {HEDDLE_KERNEL_COMPILERS};
    const char *const asked = getenv("HEDDLE_CC");
    if (asked) return heddle__kernel_run_compiler(asked, source, size);
    char *bytes = NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !bytes; i++)
        bytes = heddle__kernel_run_compiler(usual[i], source, size);
    return bytes;
}

/* From the cache, else compiled. */
static kernel_function *make(const struct entry *e, const char *source)
{
    char path[4096];
    size_t size = 0;
    const bool kept = path_of(path, sizeof path, e);
    char *bytes = kept ? heddle__whole_file_read(path, file_kind, &size) : NULL;
    const bool from_file = bytes != NULL;
    if (!bytes) bytes = compiled(source, &size);
    kernel_function *const function = bytes ? load(bytes, size) : NULL;
    if (function && kept && !from_file) heddle__whole_file_write(path, file_kind, bytes, size);
    heddle__free(bytes);
    return function;
}

static kernel_function *find_or_make(const char *source)
{
    const char *const asked = getenv("HEDDLE_CC");
    struct entry key = {.hash = {heddle__hash_bytes(processor(), source, strlen(source))}};
    key.hash[1] =
        heddle__hash_bytes(1, heddle__kernel_operations, strlen(heddle__kernel_operations));
    key.hash[1] = heddle__hash_bytes(key.hash[1], source, strlen(source));
    if (asked) key.hash[1] = heddle__hash_bytes(key.hash[1], asked, strlen(asked));
    pthread_mutex_lock(&mutex);
    struct entry *e = entries;
    while (e && (e->hash[0] != key.hash[0] || e->hash[1] != key.hash[1])) e = e->next;
    if (!e && (e = heddle__alloc_pooled(sizeof *e))) {
        *e = key;
        e->function = make(e, source);
        e->next = entries;
        entries = e;
    }
    kernel_function *const function = e ? e->function : NULL;
    pthread_mutex_unlock(&mutex);
    return function;
}

/* ---- Programs ----------------------------------------------------------------------------------------- */

kernel_function *heddle__kernel_compiled(const struct heddle_kernel_program *program, double work)
{
    struct heddle_kernel_program *const own = (struct heddle_kernel_program *)(uintptr_t)program;
    const char *const asked = getenv("HEDDLE_CC");
    kernel_function *function = NULL;
    void *known = atomic_load(&own->cpu_function);
    if (known == &none) return NULL;
    if (!known) {
        if (asked ? !*asked : work < WORTH_WAITING) return NULL;
        char *const source = heddle__kernel_source(&own->form, false);
        if (source) function = find_or_make(source);
        heddle__free(source);
        memcpy(&known, &function, sizeof known);
        atomic_store(&own->cpu_function, known ? known : &none);
        return function;
    }
    memcpy(&function, &known, sizeof function);
    return function;
}
