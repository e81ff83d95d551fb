/* What a storage is, for executors: host memory, and parts that devices may have. The graph and the
 * planner see storage.h alone. */
#ifndef HEDDLE_ARRAY_PARTS_H
#define HEDDLE_ARRAY_PARTS_H

#include "array/fault.h"
#include "array/grid.h"
#include "array/storage.h"

enum heddle_owner {
    HEDDLE_OWNER_NOBODY,       /* there is no host memory of the whole array */
    HEDDLE_OWNER_BLOCK,        /* in the storage's own block, after it */
    HEDDLE_OWNER_USER,         /* borrowed */
    HEDDLE_OWNER_LARGE_BUFFER, /* of large_buffers.h; pinned if `pinned` */
};

/* How direct launches have a part on a GPU. */
enum heddle_hold {
    HEDDLE_HOLD_NONE,
    HEDDLE_HOLD_OWN,   /* memory of direct launches: its home; StarPU may not know of it yet */
    HEDDLE_HOLD_LEASE, /* StarPU's memory, which stays there meanwhile */
};

struct heddle_part {
    void *handle; /* starpu_data_handle_t; NULL: not registered */
    char *host;   /* home in host memory; NULL: StarPU's own */
    bool is_lent; /* its home is memory on a GPU that is not StarPU's */
    uint8_t hold; /* enum heddle_hold */
    int16_t worker;
    void *device;  /* unless HEDDLE_HOLD_NONE: where it is, on that worker's GPU */
    uint64_t mark; /* its GPU passes it when it has written (OWN) or last used (LEASE) the part */
};

struct heddle_storage {
    atomic_llong refs;  /* low 32 bits: references; above: holds */
    uint8_t owner;      /* enum heddle_owner */
    bool listed;        /* has handles: in the list of storages that shutdown brings home */
    bool pinned;        /* its host memory was pinned, for the GPUs */
    uint8_t n_attached; /* plans that used it, up to 255 */
    int8_t block_class;
    int32_t element_bytes; /* 0: not known yet */
    int64_t size_bytes;
    char *data;                  /* the whole array in C order, or NULL */
    struct heddle_storage *base; /* the same data under another shape: all is there but the grid */
    void (*deleter)(void *user);
    void *user;
    struct heddle_grid *grid; /* NULL: one part, never cut */
    int64_t n_parts;
    struct heddle_part *parts; /* NULL while it has never been cut */
    char *copies; /* memory of parts that are not contiguous in `data`, or that came home */
    int64_t copies_bytes;
    struct heddle_fault *fault; /* of the tasks that compute it; NULL: none does */
    atomic_int unwritten;       /* tasks that still are to write it */
    bool is_direct;             /* direct launches have written parts of it */
    atomic_int reaping;         /* parts that StarPU still holds, once nobody refers to it */
    struct heddle_storage *prev, *next; /* list of those with handles, or the queue to reap */
};

/* Room for an array in host memory, unset. NULL when memory is gone. */
struct heddle_storage *heddle__storage_new(int64_t size_bytes);
/* An array whose parts tasks will compute; takes no reference of `grid`, makes one. */
struct heddle_storage *heddle__storage_parted(struct heddle_grid *grid, int32_t element_bytes);
/* The data of `of`, which a plan knows by `of_grid`, as an array of `grid`: a reference. */
struct heddle_storage *heddle__storage_same(struct heddle_storage *of,
                                            const struct heddle_grid *of_grid,
                                            struct heddle_grid *grid);
static inline struct heddle_storage *heddle__storage_root(struct heddle_storage *storage)
{
    return storage->base ? storage->base : storage;
}
/* Whether it has one reference and memory that may be written:
 * of Heddle's own, either in host memory that StarPU has never seen, or on devices alone. */
bool heddle__storage_is_private(const struct heddle_storage *storage);
/* Holds keep the struct alone: the data go with the last reference, whatever is in flight. Each
 * evaluation in flight has one of what it makes or changes, and all references have one together. */
struct heddle_storage *heddle__storage_hold(struct heddle_storage *storage);
void heddle__storage_let_go(struct heddle_storage *storage); /* NULL is ignored */
int64_t heddle__storage_bytes_live(void);
/* Bytes of host memory that storages hold, without what is borrowed, and StarPU's. */
int64_t heddle__storage_bytes_held(void);
/* Its `copies`: 64-byte aligned, NULL when memory is gone. */
char *heddle__storage_make_copies(struct heddle_storage *storage, int64_t size_bytes);
void heddle__storage_free_copies(struct heddle_storage *storage);
/* Gives host memory a partition, unless it has it: a part that is not contiguous is copied. Errors:
 * HEDDLE_ENOMEM, HEDDLE_EINTERNAL when it is cut otherwise. And takes it back: no device knows of it. */
enum heddle_status heddle__storage_cut(struct heddle_storage *storage, struct heddle_grid *grid,
                                       int32_t element_bytes);
void heddle__storage_uncut(struct heddle_storage *storage);
/* Bytes of a part of a storage that has a partition. */
static inline int64_t heddle__part_bytes(const struct heddle_storage *storage, int64_t part)
{
    return heddle__grid_part_size(storage->grid, part) * storage->element_bytes;
}

#endif
