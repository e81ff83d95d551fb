/* What storage asks of devices: a port, which who drives them fills in when the library is loaded.
 * Where nobody does there is host memory alone. */
#ifndef HEDDLE_ARRAY_DEVICES_H
#define HEDDLE_ARRAY_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

struct heddle_storage;

struct heddle_device_port {
    /* Pins host memory for transfers, or undoes it; to pin may fail, and then transfers are slow. */
    void (*pin)(void *at, size_t size_bytes);
    void (*unpin)(void *at, size_t size_bytes);
    /* Threads that the calling one may use to touch memory; -1: it is no worker's. */
    int (*worker_threads)(void);
    /* Parts of a storage get handles, or it is pinned: shut-down must find it. */
    void (*list)(struct heddle_storage *storage);
    /* Nobody refers to a storage that devices may know of: its memory is freed as the tasks that use it
     * end; then lets go of it. Never waits. */
    void (*retire)(struct heddle_storage *storage);
    /* Host memory that kernels on GPUs can write; NULL: there is none, or no GPU. */
    void *(*shared_get)(size_t size_bytes);
    void (*shared_put)(void *at);
    /* Frees its memory on devices that is Heddle's own; they have let go of it. */
    void (*free_memory)(struct heddle_storage *storage);
};
extern const struct heddle_device_port *heddle__devices; /* NULL: there are none */

/* GPUs in use; 0 while nothing is started. */
int heddle__n_gpus(void);
void heddle__set_n_gpus(int n);

#endif
