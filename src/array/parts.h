/* What a storage is, for executors: host memory, and parts that devices may have. The graph and the
 * planner see storage.h alone. */
#ifndef HEDDLE_ARRAY_PARTS_H
#define HEDDLE_ARRAY_PARTS_H

#include "array/fault.h"
#include "array/grid.h"
#include "array/storage.h"

enum heddle_owner {
    HEDDLE_OWNER_NOBODY,       /* there is no host memory of the whole array */
    HEDDLE_OWNER_BLOCK,        /* in the same block as the struct, after it */
    HEDDLE_OWNER_USER,         /* borrowed */
    HEDDLE_OWNER_LARGE_BUFFER, /* of large_buffers.h; pinned if `pinned` */
};

/* How direct launches hold a part on a GPU. */
enum heddle_hold {
    HEDDLE_HOLD_NONE,
    HEDDLE_HOLD_OWN,   /* its home: memory of Heddle's own, which StarPU may not know yet */
    HEDDLE_HOLD_LEASE, /* StarPU's memory, kept there meanwhile */
};

struct heddle_part {
    void *handle; /* starpu_data_handle_t; NULL: not registered */
    char *host;   /* its home in host memory; NULL: StarPU has it */
    bool is_lent; /* its home is on a GPU, in memory that is not StarPU's */
    uint8_t hold; /* enum heddle_hold */
    int16_t worker;
    void *device;  /* unless HEDDLE_HOLD_NONE: its address on that worker's GPU */
    uint64_t mark; /* the GPU passes it once it has written (OWN) or last used (LEASE) it */
};

struct heddle_storage {
    atomic_llong refs;     /* low 32 bits: references; above: holds */
    uint8_t owner;         /* enum heddle_owner */
    bool listed;           /* it has handles, and is in the list that shut-down brings home */
    bool pinned;           /* its host memory was pinned, for the GPUs */
    bool is_file;          /* its host memory is a mapped file's, and not counted */
    uint8_t n_attached;    /* plans that used it, up to 255 */
    atomic_uchar n_inline; /* evaluations that wore it (storage.h) */
    int8_t block_class;
    int32_t element_bytes; /* 0: not known yet */
    int64_t size_bytes;
    char *data;                  /* the whole array in C order, or NULL */
    struct heddle_storage *base; /* has the data; this is another shape of it, with a grid alone */
    void (*deleter)(void *user);
    void *user;
    struct heddle_grid *grid; /* NULL: one part, never cut */
    int64_t n_parts;
    struct heddle_part *parts; /* NULL: it has never been cut */
    char *copies; /* memory of parts that are not contiguous in `data`, or that came home */
    int64_t copies_bytes;
    struct heddle_fault *fault;         /* of the tasks that compute it; NULL: there are none */
    atomic_int unwritten;               /* tasks that have yet to write it */
    bool is_direct;                     /* direct launches have written parts of it */
    struct heddle_kept_box *kept_boxes; /* copies of its boxes on GPUs (src/direct/kept_boxes.h) */
    atomic_int reaping; /* parts that StarPU still holds, once nobody refers to it */
    struct heddle_storage *prev, *next; /* in the list of those with handles, or to be reaped */
};

/* Room for an array in host memory, unset. NULL when memory is gone. */
struct heddle_storage *heddle__storage_new(int64_t size_bytes);
/* An array whose parts tasks will compute; it takes a reference of its own to `grid`. */
struct heddle_storage *heddle__storage_parted(struct heddle_grid *grid, int32_t element_bytes);
/* The same, whose parts are computed in place in a mapped file that has room for the array at `at`, in C order; it
 * takes a reference of its own to the mapping. Parts must be contiguous (heddle__grid_is_contiguous). */
struct heddle_storage *heddle__storage_in_file(struct heddle_grid *grid, int32_t element_bytes,
                                               void *at, struct heddle_mapping *mapping);
/* The data of `of`, whose partition in the plan is `of_grid`, as an array of `grid`. Owned. */
struct heddle_storage *heddle__storage_same(struct heddle_storage *of,
                                            const struct heddle_grid *of_grid,
                                            struct heddle_grid *grid);
static inline struct heddle_storage *heddle__storage_root(struct heddle_storage *storage)
{
    return storage->base ? storage->base : storage;
}
/* Whether it has one reference, and memory of Heddle's own that may be written: either in host memory
 * that StarPU has never seen, or on devices alone. */
bool heddle__storage_is_private(const struct heddle_storage *storage);
/* A hold keeps the struct, not the data, which go with the last reference, whatever is in flight. Each
 * evaluation in flight holds what it makes or changes; all references together have one hold. */
struct heddle_storage *heddle__storage_hold(struct heddle_storage *storage);
void heddle__storage_let_go(struct heddle_storage *storage); /* NULL is ignored */
int64_t heddle__storage_bytes_live(void);                    /* of all storages, without files */
/* Bytes of host memory of all storages, without what is borrowed and what StarPU has. */
int64_t heddle__storage_bytes_held(void);
/* Allocates `copies`: 64-byte aligned, NULL when memory is gone. */
char *heddle__storage_make_copies(struct heddle_storage *storage, int64_t size_bytes);
void heddle__storage_free_copies(struct heddle_storage *storage);
/* cut: gives host memory a partition, unless it has one; parts that are not contiguous are copied.
 * Errors: HEDDLE_ENOMEM; HEDDLE_EINTERNAL when it has another one. uncut: takes it back; no device may
 * know of it. */
enum heddle_status heddle__storage_cut(struct heddle_storage *storage, struct heddle_grid *grid,
                                       int32_t element_bytes);
void heddle__storage_uncut(struct heddle_storage *storage);
/* Bytes of a part of a storage that has a partition. */
static inline int64_t heddle__part_bytes(const struct heddle_storage *storage, int64_t part)
{
    return heddle__grid_part_size(storage->grid, part) * storage->element_bytes;
}

#endif
