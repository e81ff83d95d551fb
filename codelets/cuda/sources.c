/* The table of loaded sources. One mutex guards it, also while one is compiled: others of the same source wait for it.
 * Entry points: sources.h. */
#include "cuda/sources.h"

#include "cuda/compile.h"
#include "cuda/device.h"

#include <base/at_fork.h>
#include <base/hash.h>
#include <base/memory.h>
#include <pthread.h>
#include <string.h>

struct entry {
    struct entry *next;
    uint64_t hash;
    char *source;
    int arch;
    cudaLibrary_t library;
    cudaKernel_t kernel;
};

static struct {
    pthread_mutex_t mutex;
    struct entry *first;
    char *folder;
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

HEDDLE_AT_FORK(.mutex = &table.mutex)

void heddle__sources_open(const char *folder)
{
    table.folder = folder ? heddle__strdup(folder) : NULL; /* without memory: no disk cache */
}

void heddle__sources_close(void)
{
    pthread_mutex_lock(&table.mutex);
    for (struct entry *e = table.first, *next; e; e = next) {
        next = e->next;
        (void)cudaLibraryUnload(e->library);
        heddle__free(e->source);
        heddle__free(e);
    }
    table.first = NULL;
    heddle__free(table.folder);
    table.folder = NULL;
    pthread_mutex_unlock(&table.mutex);
}

static cudaError_t load(struct entry *e, const char *cubin, const char *name)
{
    cudaError_t error = cudaLibraryLoadData(&e->library, cubin, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess) error = cudaLibraryGetKernel(&e->kernel, e->library, name);
    return error;
}

/* From disk, else compiled. */
static enum heddle_status make(struct entry *e, const char *name)
{
    const struct heddle_compile_key key = heddle__compile_key(e->source, e->arch);
    size_t size = 0;
    char *cubin = table.folder ? heddle__disk_read(table.folder, key, &size) : NULL;
    if (cubin && load(e, cubin, name) == cudaSuccess) {
        heddle__free(cubin);
        return HEDDLE_OK;
    }
    heddle__free(cubin);
    (void)cudaGetLastError();
    enum heddle_status status = heddle__compile(e->source, e->arch, &cubin, &size);
    if (status != HEDDLE_OK) return status;
    if (table.folder) heddle__disk_write(table.folder, key, cubin, size);
    status = heddle__cuda_check(load(e, cubin, name), "loading a compiled kernel");
    heddle__free(cubin);
    return status;
}

static struct entry *find(uint64_t hash, const char *source, int arch)
{
    struct entry *e = table.first;
    while (e && (e->hash != hash || e->arch != arch || strcmp(e->source, source) != 0)) e = e->next;
    return e;
}

/* A loaded entry, in the table; NULL and *status. */
static struct entry *add(uint64_t hash, const char *source, int arch, const char *name,
                         enum heddle_status *status)
{
    struct entry *const e = heddle__calloc(1, sizeof *e);
    if (e) *e = (struct entry){.hash = hash, .source = heddle__strdup(source), .arch = arch};
    *status = e && e->source ? make(e, name)
                             : heddle__fail(HEDDLE_ENOMEM, "no memory for a compiled kernel");
    if (*status == HEDDLE_OK) {
        e->next = table.first;
        table.first = e;
        return e;
    }
    if (e) {
        if (e->library) (void)cudaLibraryUnload(e->library);
        heddle__free(e->source);
    }
    heddle__free(e);
    return NULL;
}

enum heddle_status heddle__sources_get(const char *source, const char *name, cudaKernel_t *out)
{
    int device = 0;
    const enum heddle_status found = heddle__cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    const struct heddle_cuda_device *const d =
        found == HEDDLE_OK ? heddle__cuda_device(device) : NULL;
    HEDDLE_REQUIRE(d, HEDDLE_ENODEVICE, "CUDA: device %d was not opened", device);
    const uint64_t hash = heddle__hash_bytes(0, source, strlen(source));
    enum heddle_status status = HEDDLE_OK;
    pthread_mutex_lock(&table.mutex);
    const struct entry *e = find(hash, source, d->arch);
    if (!e) e = add(hash, source, d->arch, name, &status);
    if (e) *out = e->kernel;
    pthread_mutex_unlock(&table.mutex);
    return status;
}
