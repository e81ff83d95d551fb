/* Modules: compiled, loaded, and kept in a list. One mutex guards the list, also while the compiler works:
 * who launches a kernel again does not come here. Entry points: modules.h. */
#include "cuda/modules.h"

#include "cuda/compile.h"
#include "cuda/device.h"

#include <base/at_fork.h>
#include <base/memory.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FLAGS_MAX = 32, LOG_BYTES = 400 };

struct module {
    struct module *next;
    struct heddle_compile_key key;
    cudaLibrary_t library;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;
static char *disk;
/* Numbers what is between open and close; never 0. */
static atomic_uint generation = 1;

HEDDLE_AT_FORK(.mutex = &mutex)

/* The same layout as struct heddle_raw_extents of heddle/raw.h. */
static const char header[] = "struct heddle_raw_extents {\n"
                             "    long long shape[8], lo[8], before[8], after[8];\n"
                             "};\n";

void heddle__modules_open(const char *folder)
{
    pthread_mutex_lock(&mutex);
    heddle__free(disk);
    disk = folder ? heddle__strdup(folder) : NULL; /* without memory: no disk cache */
    pthread_mutex_unlock(&mutex);
}

void heddle__modules_close(void)
{
    pthread_mutex_lock(&mutex);
    for (struct module *m = modules, *next; m; m = next) {
        next = m->next;
        if (cudaLibraryUnload(m->library) != cudaSuccess) (void)cudaGetLastError();
        heddle__free(m);
    }
    modules = NULL;
    heddle__free(disk);
    disk = NULL;
    if (atomic_fetch_add(&generation, 1) == UINT32_MAX) atomic_store(&generation, 1);
    pthread_mutex_unlock(&mutex);
}

cudaKernel_t heddle__loaded_kernel(const struct heddle_loaded *loaded)
{
    const unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
    return atomic_load_explicit(&loaded->generation, memory_order_acquire) == now
               ? atomic_load_explicit(&loaded->kernel, memory_order_relaxed)
               : NULL;
}

void heddle__loaded_set(struct heddle_loaded *loaded, cudaKernel_t kernel)
{
    const unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
    atomic_store_explicit(&loaded->kernel, (void *)kernel, memory_order_relaxed);
    atomic_store_explicit(&loaded->generation, now, memory_order_release);
}

static const char *flags_of(const struct heddle_module_text *text)
{
    return text->flags ? text->flags : "";
}

/* ---- Compiling -------------------------------------------------------------------------------------- */

/* Fills `compile`; `room` gets the flags, cut apart, and must live as long. */
static enum heddle_status request(const struct heddle_module_text *text, int arch,
                                  const char *caller, const char *options[FLAGS_MAX], char *room,
                                  struct heddle_compile *compile)
{
    int n = 0;
    options[n++] = "--std=c++17";
    options[n++] = "-default-device";
    for (char *at = room; *at;) {
        if (strchr(" \t\n", *at)) {
            *at++ = 0;
            continue;
        }
        HEDDLE_REQUIRE(n < FLAGS_MAX, HEDDLE_EARG, "%s: more than %d flags", caller, FLAGS_MAX - 2);
        options[n++] = at;
        at += strcspn(at, " \t\n");
    }
    *compile = (struct heddle_compile){.source = text->data,
                                       .file = "kernel.cu",
                                       .header = header,
                                       .header_name = "heddle_raw.h",
                                       .n_options = n,
                                       .options = options,
                                       .arch = arch};
    return HEDDLE_OK;
}

enum heddle_status heddle__module_compile(const struct heddle_module_text *text, int arch,
                                          const char *folder, const char *caller, char **cubin,
                                          size_t *size)
{
    const char *options[FLAGS_MAX];
    struct heddle_compile compile;
    enum heddle_status status;
    char *flags = heddle__strdup(flags_of(text));
    *cubin = NULL;
    HEDDLE_REQUIRE(flags, HEDDLE_ENOMEM, "%s: no memory to compile", caller);
    if (text->is_ours)
        compile = heddle__compile_generated(text->data, arch);
    else
        HEDDLE_TRY(request(text, arch, caller, options, flags, &compile));
    const struct heddle_compile_key key = heddle__compile_key_of(&compile);
    if (folder) *cubin = heddle__disk_read(folder, key, size);
    if (*cubin) goto fail;
    HEDDLE_TRY(heddle__compile_text(&compile, caller, cubin, size));
    if (folder) heddle__disk_write(folder, key, *cubin, *size);
fail:
    heddle__free(flags);
    return status;
}

/* ---- Loading ---------------------------------------------------------------------------------------- */

static enum heddle_status load(const char *image, const char *caller, cudaLibrary_t *library)
{
    char log[LOG_BYTES] = "";
    enum cudaJitOption names[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const cudaError_t error = cudaLibraryLoadData(library, image, names, values, 2, NULL, NULL, 0);
    if (error == cudaSuccess) return HEDDLE_OK;
    (void)cudaGetLastError();
    return heddle__fail(HEDDLE_EDEVICE, "%s: the module cannot be loaded: %s%s%.*s", caller,
                        cudaGetErrorString(error), *log ? ": " : "", LOG_BYTES - 1, log);
}

/* Of the text, not of what is made of it. */
static struct heddle_compile_key key_of(const struct heddle_module_text *text, int arch)
{
    struct heddle_compile_key key = {{(uint64_t)arch, text->is_source + 2u * text->is_ours}};
    heddle__compile_key_mix(&key, text->data, text->bytes);
    heddle__compile_key_mix(&key, flags_of(text), strlen(flags_of(text)) + 1);
    return key;
}

/* The module, with the mutex held; NULL and *failed. */
static struct module *find(const struct heddle_module_text *text, int arch, const char *caller,
                           enum heddle_status *failed)
{
    const struct heddle_compile_key key = key_of(text, arch);
    enum heddle_status status = HEDDLE_OK;
    char *cubin = NULL;
    size_t size;
    for (struct module *m = modules; m; m = m->next)
        if (memcmp(&m->key, &key, sizeof key) == 0) return m;
    struct module *m = heddle__calloc(1, sizeof *m);
    if (!m) {
        *failed = heddle__fail(HEDDLE_ENOMEM, "%s: no memory for a module", caller);
        return NULL;
    }
    m->key = key;
    if (text->is_source)
        HEDDLE_TRY(heddle__module_compile(text, arch, disk, caller, &cubin, &size));
    HEDDLE_TRY(load(cubin ? cubin : text->data, caller, &m->library));
    heddle__free(cubin);
    m->next = modules;
    modules = m;
    return m;
fail:
    heddle__free(cubin);
    heddle__free(m);
    *failed = status;
    return NULL;
}

enum heddle_status heddle__module_kernel(const struct heddle_module_text *text, const char *name,
                                         const char *caller, cudaKernel_t *kernel)
{
    enum heddle_status status = HEDDLE_OK;
    struct cudaFuncAttributes attributes;
    int number = 0;
    pthread_mutex_lock(&mutex);
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&number), "cudaGetDevice"));
    const struct heddle_cuda_device *device = heddle__cuda_device(number);
    if (!device) {
        status = heddle__fail(HEDDLE_EDEVICE, "%s: GPU %d is not in use", caller, number);
        goto fail;
    }
    struct module *const m = find(text, device->arch, caller, &status);
    if (!m) goto fail;
    const cudaError_t error =
        cudaLibraryGetKernel(kernel, m->library, name); /* may load only now */
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        status = error == cudaErrorSymbolNotFound
                     ? heddle__fail(
                           HEDDLE_ENAME,
                           "%s: the module has no kernel '%.100s': is it extern \"C\" __global__?",
                           caller, name)
                     : heddle__fail(HEDDLE_EDEVICE, "%s: the module cannot be loaded: %s", caller,
                                    cudaGetErrorString(error));
        goto fail;
    }
    /* loads it on this device, so that no launch has to */
    HEDDLE_TRY(heddle__cuda_check(cudaFuncGetAttributes(&attributes, (const void *)*kernel),
                                  "loading a kernel"));
fail:
    pthread_mutex_unlock(&mutex);
    return status;
}
