/* The table of compiled kernels. One mutex guards it, also while a compiler runs: others of the same source wait for it.
 * Entry point: heddle__kernel_compiled. */
#include "families/kernel/cpu_compile.h"

#include "base/at_fork.h"
#include "base/memory.h"
#include "base/text.h"
#include "cpu/compiled/object.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define WORTH_WAITING                                                                              \
    3e7 /* operations: some 0.1 s of the interpreter, which is what a compiler takes */

static char none; /* programs that have this as their function are interpreted for good */

struct entry {
    struct entry *next;
    struct heddle__object_key key;
    kernel_function *function; /* NULL: it did not compile */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static struct entry *entries;

/* From the cache, else compiled. */
static kernel_function *make(const struct heddle__object_source *source,
                             struct heddle__object_key key)
{
    void *library = heddle__object_read(key);
    if (!library) library = heddle__object_make(source, key, NULL);
    kernel_function *function = NULL;
    if (library) *(void **)&function = dlsym(library, "heddle_kernel");
    return function;
}

static kernel_function *find_or_make(const struct heddle__object_source *source)
{
    const struct heddle__object_key key = heddle__object_key(source);
    pthread_mutex_lock(&mutex);
    struct entry *e = entries;
    while (e && memcmp(&e->key, &key, sizeof key) != 0) e = e->next;
    if (!e && (e = heddle__alloc_pooled(sizeof *e))) {
        *e = (struct entry){.next = entries, .key = key, .function = make(source, key)};
        entries = e;
    }
    kernel_function *const function = e ? e->function : NULL;
    pthread_mutex_unlock(&mutex);
    return function;
}

static kernel_function *compile(const struct kernel_form *form)
{
    static const char *const options[] = {"-march=native", NULL};
    struct heddle_text text = {0};
    char *const own = heddle__kernel_source(form, false);
    heddle__text_put_all(&text, heddle__kernel_operations);
    if (own) heddle__text_put_all(&text, own);
    char *const all = heddle__text_take(&text);
    const struct heddle__environment environment = heddle__environment_now();
    const struct heddle__object_source source = {all, options, &environment};
    kernel_function *const function =
        own && all && environment.names ? find_or_make(&source) : NULL;
    heddle__free_pooled(environment.names);
    heddle__free(own);
    heddle__free(all);
    return function;
}

kernel_function *heddle__kernel_compiled(const struct heddle_kernel_program *program, double work)
{
    struct heddle_kernel_program *const own = (struct heddle_kernel_program *)(uintptr_t)program;
    const char *const asked = getenv("HEDDLE_CC");
    kernel_function *function = NULL;
    void *known = atomic_load(&own->cpu_function);
    if (known == &none) return NULL;
    if (!known) {
        if (asked ? !*asked : work < WORTH_WAITING) return NULL;
        function = compile(&own->form);
        memcpy(&known, &function, sizeof known);
        atomic_store(&own->cpu_function, known ? known : &none);
        return function;
    }
    memcpy(&function, &known, sizeof function);
    return function;
}
