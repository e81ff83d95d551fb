/* Libraries of the toolkit and their handles. Entry points: library.h. */
#include "cuda/library.h"

#include "cuda/toolkit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_library *open_libraries;

static enum heddle_status load(struct heddle_library *l, const char *who)
{
    char why_not[128];
    if (l->is_open) return HEDDLE_OK;
    void *opened = heddle__toolkit_open(l->file, l->major, why_not, sizeof why_not);
    HEDDLE_REQUIRE(opened, HEDDLE_EDEVICE, "%s: %s", who, why_not);
    for (int i = 0; i < l->n; i++) {
        void *symbol = dlsym(opened, l->names[i]);
        HEDDLE_REQUIRE(symbol, HEDDLE_EDEVICE, "%s: %s has no %s", who, l->name, l->names[i]);
        memcpy((char *)l->functions + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
    }
    l->is_open = true;
    l->next = open_libraries;
    open_libraries = l;
    return HEDDLE_OK;
}

static enum heddle_status find(struct heddle_library *l, const char *who, void *stream,
                               void **handle)
{
    for (int i = 0; i < l->n_handles; i++)
        if (l->handles[i].stream == stream) {
            *handle = l->handles[i].handle;
            return HEDDLE_OK;
        }
    HEDDLE_REQUIRE(l->n_handles < HEDDLE_LIBRARY_STREAMS, HEDDLE_EDEVICE,
                   "%s: more than %d streams", who, HEDDLE_LIBRARY_STREAMS);
    const enum heddle_status status = l->create(stream, handle);
    if (status != HEDDLE_OK) return status;
    l->handles[l->n_handles].stream = stream;
    l->handles[l->n_handles++].handle = *handle;
    return HEDDLE_OK;
}

enum heddle_status heddle__library_get(struct heddle_library *library, const char *who,
                                       void *stream, void **handle)
{
    pthread_mutex_lock(&mutex);
    enum heddle_status status = load(library, who);
    if (status == HEDDLE_OK && handle) status = find(library, who, stream, handle);
    pthread_mutex_unlock(&mutex);
    return status;
}

void heddle__libraries_close(void)
{
    pthread_mutex_lock(&mutex);
    for (struct heddle_library *l = open_libraries; l; l = l->next) {
        for (int i = 0; i < l->n_handles; i++) l->destroy(l->handles[i].handle);
        l->n_handles = 0;
    }
    pthread_mutex_unlock(&mutex);
}
