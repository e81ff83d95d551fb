/* What evaluation asks of the layer that drives devices: a port, which src/starpu/ fills in when the
 * library is loaded. Without a backend everything runs on the caller's thread. */
#ifndef HEDDLE_RUN_BACKEND_H
#define HEDDLE_RUN_BACKEND_H

#include "array/parts.h"
#include "run/execute.h"
#include "run/settings.h"
#include "run/workers.h"

struct heddle_backend {
    /* ---- Life; under the evaluation lock ---- */
    enum heddle_status (*start)(
        const struct heddle_settings *settings); /* fills the table of workers */
    /* Every storage becomes host memory. keep_memory: what the backend had of host memory is not freed. */
    enum heddle_status (*stop)(bool keep_memory);
    void (*wait_all)(void);

    /* ---- Plans; under the evaluation lock ---- */
    enum heddle_status (*submit)(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                 struct heddle_storage *results[]);

    /* ---- Storages whose data devices may have ---- */
    void (*wait)(struct heddle_storage *storage); /* for its tasks; it moves nothing */
    /* Whether work that is no task has written it. */
    bool (*is_done)(struct heddle_storage *storage);
    /* Waits for a part and gives its data in host memory, until it is released; NULL: HEDDLE_EDEVICE. */
    const char *(*acquire)(struct heddle_storage *storage, int64_t part);
    void (*release)(struct heddle_storage *storage, int64_t part);
    /* The same on a worker's device; release_at takes *node. A storage that was never cut gets the partition
     * first. */
    enum heddle_status (*acquire_at)(struct heddle_storage *storage, struct heddle_grid *grid,
                                     int32_t element_bytes, int64_t part, int worker,
                                     const void **data, int *node);
    void (*release_at)(struct heddle_storage *storage, int64_t part, int node);
    void (*prefetch)(struct heddle_storage *storage, int64_t part); /* to host memory */
    void (*evict)(struct heddle_storage *storage,
                  int64_t part); /* the host's copy, if a GPU has another */
    /* If direct launches made a small storage, copies it: true, with the outcome in *status. */
    bool (*read)(struct heddle_storage *storage, void *out, int64_t size_bytes,
                 enum heddle_status *status);
    /* Makes the caller's memory on a worker's device a part; under the evaluation lock. */
    enum heddle_status (*lend)(struct heddle_storage *storage, int64_t part, int worker,
                               void *data);
    /* A place that has a part now; a GPU, if one has it. */
    heddle_place (*place_now)(struct heddle_storage *storage, int64_t part);

    /* ---- Counters ---- */
    /* Calls `add` once for each link, with what it moved since the last call. */
    void (*collect_links)(void (*add)(heddle_place from, heddle_place to, int64_t bytes,
                                      int64_t transfers));
    int64_t (*memory_used)(int worker); /* bytes on its device; -1: in host memory */
};
extern const struct heddle_backend *heddle__backend; /* NULL: there are no devices */

/* Direct launches: a port that src/direct/ fills in. If GPUs have the data of the plan, runs it there: true,
 * with the outcome in *status. NULL: there are no direct launches. */
extern bool (*heddle__direct)(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                              struct heddle_storage *results[], enum heddle_status *status);
/* Filled in with it: drops what direct launches keep of a storage on GPUs (kept_boxes); NULL: of all storages, under the
 * evaluation lock. */
extern void (*heddle__direct_forget)(struct heddle_storage *storage);

#endif
