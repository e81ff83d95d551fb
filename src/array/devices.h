/* What storage asks of devices: a port. The layer that drives devices fills it in when the library is
 * loaded; without that layer there is host memory alone. */
#ifndef HEDDLE_ARRAY_DEVICES_H
#define HEDDLE_ARRAY_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

struct heddle_storage;

struct heddle_device_port {
    /* Keeps devices up until leave; false: there are none, or they go down. */
    bool (*enter)(void);
    void (*leave)(void);
    /* Pins host memory for transfers, or undoes it; pinning may fail; then transfers are slow. */
    void (*pin)(void *at, size_t size_bytes);
    void (*unpin)(void *at, size_t size_bytes);
    /* Notes a storage that is pinned, or whose parts get handles: shut-down must find it. */
    void (*list)(struct heddle_storage *storage);
    /* Called when nobody refers to a storage that devices may know of: frees its memory as the tasks
     * that use it end, then lets go of it. Never waits. */
    void (*retire)(struct heddle_storage *storage);
    /* Host memory that kernels on GPUs can write; NULL when it is gone, or there is no GPU. */
    void *(*shared_get)(size_t size_bytes);
    void (*shared_put)(void *at);
    /* Frees Heddle's own memory on devices, which no work uses any more. */
    void (*free_memory)(struct heddle_storage *storage);
};
extern const struct heddle_device_port *heddle__devices; /* NULL: nothing drives devices */

/* GPUs in use; 0 while nothing is started. */
int heddle__n_gpus(void);
void heddle__set_n_gpus(int n);

#endif
