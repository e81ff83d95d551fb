/* The table of compiled kernels and the threads that fill it. One mutex guards the table and the
 * queue; it is never held over a compilation or a call to CUDA. Entries live until close. Entry
 * points: jit.h. */
#include "cuda/jit.h"

#include "cuda/compile.h"
#include "cuda/device.h"
#include "cuda/source.h"

#include <base/at_fork.h>
#include <base/memory.h>
#include <base/signals.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N_BUCKETS = 4096, MAX_THREADS = 4 };
enum state { WAITING, READY, FAILED };

struct entry {
    struct entry *next, *next_queued;
    int arch;
    enum state state;
    struct heddle_jit_has has;
    char *source; /* while waiting */
    cudaLibrary_t library;
    struct heddle_jit_kernels kernels;
    size_t key_size;
    unsigned char key[];
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    struct entry *buckets[N_BUCKETS];
    struct entry *first, **last; /* queue */
    int n_threads, n_busy, is_open, is_closing;
    pthread_t threads[MAX_THREADS];
    char *folder;
    int64_t compiled;
} jit = {.mutex = PTHREAD_MUTEX_INITIALIZER,
         .work = PTHREAD_COND_INITIALIZER,
         .idle = PTHREAD_COND_INITIALIZER};

/* ---- the compilers' threads ------------------------------------------------------------------ */

/* Loads on every device of the architecture now, so that no launch has to. Each device has its own
 * of a kernel's variables, the tickets of joined ones. */
static cudaError_t load(struct entry *e, const char *cubin)
{
    cudaError_t error = cudaLibraryLoadData(&e->library, cubin, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess && e->has.main)
        error = cudaLibraryGetKernel(&e->kernels.main, e->library, HEDDLE_KERNEL_MAIN);
    if (error == cudaSuccess && e->has.finish)
        error = cudaLibraryGetKernel(&e->kernels.finish, e->library, HEDDLE_KERNEL_FINISH);
    for (int d = 0; error == cudaSuccess && d < heddle__cuda_n_devices(); d++) {
        struct cudaFuncAttributes attributes;
        if (heddle__cuda_device(d)->arch != e->arch) continue;
        error = cudaSetDevice(d);
        if (error == cudaSuccess && e->kernels.main)
            error = cudaFuncGetAttributes(&attributes, (const void *)e->kernels.main);
        if (error == cudaSuccess && e->kernels.finish)
            error = cudaFuncGetAttributes(&attributes, (const void *)e->kernels.finish);
    }
    return error;
}

/* Source to loaded kernels. The fields of a waiting entry belong to its compiler. */
static enum state make(struct entry *e, const char *folder, int *was_compiled)
{
    const struct heddle_compile_key key = heddle__compile_key(e->source, e->arch);
    size_t size = 0;
    char *cubin = folder ? heddle__disk_read(folder, key, &size) : NULL;
    const int from_disk = cubin != NULL;
    cudaError_t error = cudaErrorUnknown;
    *was_compiled = 0;
    if (from_disk) error = load(e, cubin);
    if (error != cudaSuccess) { /* not there, or CUDA does not take it */
        heddle__free(cubin);
        cubin = NULL;
        *was_compiled = heddle__compile(e->source, e->arch, &cubin, &size) == HEDDLE_OK;
        if (*was_compiled) {
            if (folder) heddle__disk_write(folder, key, cubin, size);
            error = load(e, cubin);
        }
    }
    heddle__free(cubin);
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error == cudaSuccess ? READY : FAILED;
}

/* Waits for the compilers. Kernels stay. */
static void stop_compilers(void)
{
    pthread_mutex_lock(&jit.mutex);
    jit.is_open = 0;
    jit.is_closing = 1;
    jit.first = NULL;
    pthread_cond_broadcast(&jit.work);
    pthread_cond_broadcast(&jit.idle);
    const int n = jit.n_threads;
    jit.n_threads = 0;
    pthread_mutex_unlock(&jit.mutex);
    for (int k = 0; k < n; k++) pthread_join(jit.threads[k], NULL);
}

/* NVRTC registers its tear-down for exit() whenever it first needs something, also amid a compilation;
 * what was registered last runs first, so a function of ours would come too late. Destructors of the
 * main thread's thread-local objects run before all of them: glibc's registry of those is used. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) /* NOLINT */
    __attribute__((weak));
extern void *__dso_handle; /* NOLINT */

static void before_exit(void *unused)
{
    (void)unused;
    stop_compilers();
}

void heddle__jit_watch_exit(void)
{
    static _Thread_local int is_known;
    if (is_known) return;
    is_known = 1;
    if (__cxa_thread_atexit_impl && gettid() == getpid())
        __cxa_thread_atexit_impl(before_exit, NULL, &__dso_handle);
}

/* The compilers are not here, and nobody may wait for them. */
static void in_child(void)
{
    jit.n_threads = jit.is_open = 0;
    pthread_cond_init(&jit.work, NULL);
    pthread_cond_init(&jit.idle, NULL);
}

HEDDLE_AT_FORK(.mutex = &jit.mutex, .in_child = in_child)

static void *compiler(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&jit.mutex);
    for (;;) {
        while (!jit.first && !jit.is_closing) pthread_cond_wait(&jit.work, &jit.mutex);
        if (jit.is_closing) break;
        struct entry *e = jit.first;
        jit.first = e->next_queued;
        if (!jit.first) jit.last = &jit.first;
        jit.n_busy++;
        pthread_mutex_unlock(&jit.mutex);
        int was_compiled = 0;
        const enum state state = make(e, jit.folder, &was_compiled);
        pthread_mutex_lock(&jit.mutex);
        heddle__free(e->source);
        e->source = NULL;
        e->state = state;
        jit.compiled += was_compiled;
        jit.n_busy--;
        if (!jit.first && jit.n_busy == 0) pthread_cond_broadcast(&jit.idle);
    }
    pthread_mutex_unlock(&jit.mutex);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

enum heddle_status heddle__jit_open(const char *folder, int n_threads)
{
    sigset_t before;
    heddle__jit_watch_exit();
    jit.is_closing = jit.n_busy = jit.n_threads = 0;
    jit.first = NULL;
    jit.last = &jit.first;
    jit.folder = folder ? heddle__strdup(folder) : NULL; /* without memory: no disk cache */
    const bool held = heddle__signals_hold(&before);
    while (jit.n_threads < n_threads && jit.n_threads < MAX_THREADS &&
           pthread_create(&jit.threads[jit.n_threads], NULL, compiler, NULL) == 0)
        jit.n_threads++;
    heddle__signals_release(held, &before);
    jit.is_open = jit.n_threads > 0;
    return HEDDLE_OK;
}

void heddle__jit_close(void)
{
    stop_compilers();
    for (int b = 0; b < N_BUCKETS; b++) {
        for (struct entry *e = jit.buckets[b], *next; e; e = next) {
            next = e->next;
            if (e->library) (void)cudaLibraryUnload(e->library);
            heddle__free(e->source);
            heddle__free(e);
        }
        jit.buckets[b] = NULL;
    }
    heddle__free(jit.folder);
    jit.folder = NULL;
}

void heddle__jit_wait(void)
{
    pthread_mutex_lock(&jit.mutex);
    while (jit.is_open && (jit.first || jit.n_busy > 0)) pthread_cond_wait(&jit.idle, &jit.mutex);
    pthread_mutex_unlock(&jit.mutex);
}

int64_t heddle__jit_compiled(void)
{
    pthread_mutex_lock(&jit.mutex);
    const int64_t compiled = jit.compiled;
    pthread_mutex_unlock(&jit.mutex);
    return compiled;
}

/* ---- look-up --------------------------------------------------------------------------------- */

static unsigned bucket_of(const unsigned char *key, size_t key_size, int arch)
{
    uint64_t h = (uint64_t)arch;
    for (size_t i = 0; i < key_size; i++) h = (h ^ key[i]) * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 40) % N_BUCKETS;
}

static struct entry *find(unsigned bucket, const void *key, size_t key_size, int arch)
{
    struct entry *e = jit.buckets[bucket];
    while (e && (e->arch != arch || e->key_size != key_size || memcmp(e->key, key, key_size) != 0))
        e = e->next;
    return e;
}

/* A new entry in the queue; takes over its source. */
static void add(unsigned bucket, const void *key, size_t key_size, struct heddle_jit_has has,
                int arch, char *source)
{
    struct entry *e = heddle__calloc(1, sizeof *e + key_size);
    if (e) {
        memcpy(e->key, key, key_size);
        e->key_size = key_size;
        e->has = has;
        e->arch = arch;
        e->source = source;
    }
    pthread_mutex_lock(&jit.mutex);
    if (!e || !source || !jit.is_open || find(bucket, key, key_size, arch)) {
        pthread_mutex_unlock(&jit.mutex);
        heddle__free(source);
        heddle__free(e);
        return;
    }
    e->next = jit.buckets[bucket];
    jit.buckets[bucket] = e;
    *jit.last = e;
    jit.last = &e->next_queued;
    pthread_cond_signal(&jit.work);
    pthread_mutex_unlock(&jit.mutex);
}

int heddle__jit_find_text(const void *key, size_t key_size, struct heddle_jit_has has, int arch,
                          char *(*source)(const void *of), const void *of,
                          struct heddle_jit_kernels *out)
{
    const unsigned bucket = bucket_of(key, key_size, arch);
    pthread_mutex_lock(&jit.mutex);
    const struct entry *e = jit.is_open ? find(bucket, key, key_size, arch) : NULL;
    const int is_new = jit.is_open && !e, is_ready = e && e->state == READY;
    if (is_ready) *out = e->kernels;
    pthread_mutex_unlock(&jit.mutex);
    /* The text is made here, with no lock held: what it is made of may not live as long as the compilation waits. */
    if (is_new) add(bucket, key, key_size, has, arch, source(of));
    return is_ready;
}

struct program_of {
    const struct heddle_program *program;
    const struct heddle_cuda_class *class;
};

static char *program_source(const void *of)
{
    const struct program_of *p = of;
    return heddle__cuda_class_source(p->program, p->class);
}

int heddle__jit_find(const struct heddle_program *p, const struct heddle_cuda_class *c, int arch,
                     struct heddle_jit_kernels *out)
{
    unsigned char key[sizeof p->hash + sizeof *c];
    const struct program_of of = {p, c};
    const struct heddle_jit_has has = {.main = c->form != HEDDLE_FORM_NONE,
                                       .finish = c->finish != HEDDLE_FORM_NONE && !c->joined};
    memcpy(key, &p->hash, sizeof p->hash);
    memcpy(key + sizeof p->hash, c, sizeof *c);
    return heddle__jit_find_text(key, sizeof key, has, arch, program_source, &of, out);
}
