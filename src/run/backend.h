/* What evaluation asks of who drives the devices: a port, which src/starpu/ fills in when the library is
 * loaded. Without one everything runs on the caller's thread. */
#ifndef HEDDLE_RUN_BACKEND_H
#define HEDDLE_RUN_BACKEND_H

#include "array/parts.h"
#include "run/execute.h"
#include "run/settings.h"
#include "run/workers.h"

struct heddle_backend {
    /* ---- Life; under the evaluation lock ---- */
    enum heddle_status (*start)(
        const struct heddle_settings *settings); /* fills the workers' table */
    enum heddle_status (*stop)(void);            /* waits; every storage becomes host memory */
    void (*wait_all)(void);

    /* ---- Plans; under the evaluation lock ---- */
    enum heddle_status (*submit)(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                 struct heddle_storage *results[]);

    /* ---- Storages that devices may have ---- */
    void (*wait)(struct heddle_storage *storage); /* for its tasks; moves nothing */
    /* A part in host memory, waited for, until it is given back; NULL: HEDDLE_EDEVICE. */
    const char *(*acquire)(struct heddle_storage *storage, int64_t part);
    void (*release)(struct heddle_storage *storage, int64_t part);
    /* The same on a worker's device; *node is for the release. A storage that was never cut gets the
     * partition first. */
    enum heddle_status (*acquire_at)(struct heddle_storage *storage, struct heddle_grid *grid,
                                     int32_t element_bytes, int64_t part, int worker,
                                     const void **data, int *node);
    void (*release_at)(struct heddle_storage *storage, int64_t part, int node);
    void (*prefetch)(struct heddle_storage *storage, int64_t part); /* to host memory */
    void (*evict)(struct heddle_storage *storage,
                  int64_t part); /* the host's copy, if a GPU has one */
    /* Copies a small storage that direct launches made: true, and how it went. */
    bool (*read)(struct heddle_storage *storage, void *out, int64_t size_bytes,
                 enum heddle_status *status);
    /* A part is memory of the caller's on a worker's device; under the evaluation lock. */
    enum heddle_status (*lend)(struct heddle_storage *storage, int64_t part, int worker,
                               void *data);
    /* A place that has a part now: a GPU if one has. */
    heddle_place (*place_now)(struct heddle_storage *storage, int64_t part);

    /* ---- Counters ---- */
    /* What links moved since the last call, one call of `add` a link. */
    void (*collect_links)(void (*add)(heddle_place from, heddle_place to, int64_t bytes,
                                      int64_t transfers));
    int64_t (*memory_used)(int worker); /* bytes at its device; -1: of host memory */
};
extern const struct heddle_backend *heddle__backend; /* NULL: there is none */

/* Direct launches (src/direct/), above it: runs the plan on the GPUs that have its data, if that is so:
 * true, and how it went. NULL: there are none. */
extern bool (*heddle__direct)(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                              struct heddle_storage *results[], enum heddle_status *status);

#endif
