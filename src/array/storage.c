/* Storage: its life, and the questions that the planner asks. Host memory is in one block with the
 * struct, unless it is large. What devices add is behind a port (devices.h). Entry points: storage.h,
 * parts.h. */
#include "array/parts.h"

#include "array/blocks.h"
#include "array/copy_box.h"
#include "array/devices.h"
#include "array/file_pages.h"
#include "array/large_buffers.h"
#include "base/memory.h"
#include "base/user_function.h"

#include <stdlib.h>
#include <string.h>

#define HOLD (1LL << 32) /* one, in refs */
#define LARGE_COPIES (4LL << 20)

enum { HEADER_BYTES = (sizeof(struct heddle_storage) + 63) / 64 * 64 };

static atomic_llong bytes_live;
static atomic_llong bytes_elsewhere; /* of bytes_live: borrowed or StarPU's; less copies of parts */

static struct heddle_storage *make(int64_t size_bytes, int64_t own_bytes, enum heddle_owner owner)
{
    int class_of;
    struct heddle_storage *s = heddle__block_get(HEADER_BYTES + (size_t)own_bytes, &class_of);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, HOLD + 1);
    s->owner = (uint8_t)owner;
    s->block_class = (int8_t)class_of;
    s->size_bytes = size_bytes;
    s->n_parts = 1;
    atomic_fetch_add_explicit(&bytes_live, size_bytes, memory_order_relaxed);
    return s;
}

static void count_elsewhere(int64_t size_bytes)
{
    atomic_fetch_add_explicit(&bytes_elsewhere, size_bytes, memory_order_relaxed);
}

struct heddle_storage *heddle__storage_new(int64_t size_bytes)
{
    struct heddle_storage *s = make(size_bytes, size_bytes, HEDDLE_OWNER_BLOCK);
    if (s) s->data = (char *)s + HEADER_BYTES;
    return s;
}

struct heddle_storage *heddle__storage_wrap(const void *data, int64_t size_bytes,
                                            void (*deleter)(void *user), void *user)
{
    struct heddle_storage *s = make(size_bytes, 0, HEDDLE_OWNER_USER);
    if (!s) {
        heddle__call_deleter(deleter, user);
        return NULL;
    }
    count_elsewhere(size_bytes);
    s->data = (char *)(uintptr_t)data;
    s->deleter = deleter;
    s->user = user;
    return s;
}

/* From now on its bytes count as a file's. */
static void make_file(struct heddle_storage *s)
{
    s->is_file = true;
    count_elsewhere(-s->size_bytes);
    atomic_fetch_sub_explicit(&bytes_live, s->size_bytes, memory_order_relaxed);
}

struct heddle_storage *heddle__storage_of_file(const void *data, int64_t size_bytes,
                                               struct heddle_mapping *mapping)
{
    struct heddle_storage *s =
        heddle__storage_wrap(data, size_bytes, heddle__mapping_release, mapping);
    if (s) make_file(s);
    return s;
}

/* Pinned memory, for transfers to GPUs. */
static struct heddle_storage *make_pinned(int64_t size_bytes)
{
    struct heddle_storage *s = make(size_bytes, 0, HEDDLE_OWNER_LARGE_BUFFER);
    if (!s) return NULL;
    s->data = heddle__large_buffer_get((size_t)size_bytes, true);
    s->pinned = true;
    if (!s->data) {
        heddle__storage_release(s);
        return NULL;
    }
    heddle__devices->list(s); /* shut-down unpins it */
    return s;
}

struct heddle_storage *heddle__storage_copy(const void *data, int64_t size_bytes)
{
    enum { PIN_BYTES = 1 << 20 };
    const bool may_pin =
        heddle__n_gpus() > 0 && size_bytes >= PIN_BYTES && heddle__devices->enter();
    struct heddle_storage *s = may_pin ? make_pinned(size_bytes) : NULL;
    if (may_pin) heddle__devices->leave();
    if (!s) s = heddle__storage_new(size_bytes);
    if (s && size_bytes > 0) heddle__copy_bytes(s->data, data, size_bytes);
    return s;
}

struct heddle_storage *heddle__storage_parted(struct heddle_grid *grid, int32_t element_bytes)
{
    int64_t n = element_bytes;
    for (int d = 0; d < grid->ndim; d++) n *= grid->shape[d];
    struct heddle_part *parts = heddle__calloc((size_t)grid->n_parts, sizeof *parts);
    struct heddle_fault *fault = heddle__fault_new();
    struct heddle_storage *s = parts && fault ? make(n, 0, HEDDLE_OWNER_NOBODY) : NULL;
    if (!s) {
        heddle__free(parts);
        heddle__fault_release(fault);
        return NULL;
    }
    count_elsewhere(n);
    s->grid = heddle__grid_retain(grid);
    s->n_parts = grid->n_parts;
    s->parts = parts;
    s->fault = fault;
    s->element_bytes = element_bytes;
    return s;
}

struct heddle_storage *heddle__storage_in_file(struct heddle_grid *grid, int32_t element_bytes,
                                               void *at, struct heddle_mapping *mapping)
{
    int64_t n = element_bytes;
    for (int d = 0; d < grid->ndim; d++) n *= grid->shape[d];
    struct heddle_storage *s = heddle__storage_of_file(at, n, heddle__mapping_retain(mapping));
    if (!s) return NULL;
    s->fault = heddle__fault_new();
    if (s->fault && heddle__storage_cut(s, grid, element_bytes) == HEDDLE_OK) return s;
    heddle__fault_release(s->fault);
    s->fault = NULL;
    heddle__storage_release(s);
    return NULL;
}

static void release_base(void *storage)
{
    heddle__storage_release(storage);
}

struct heddle_storage *heddle__storage_same(struct heddle_storage *of,
                                            const struct heddle_grid *of_grid,
                                            struct heddle_grid *grid)
{
    if (heddle__grid_equal(of_grid, grid)) return heddle__storage_retain(of);
    of = heddle__storage_root(of);
    const char *host = of->data ? of->data : of->parts ? of->parts[0].host : NULL;
    heddle__storage_retain(of);
    if (host && grid->n_parts == 1 && !grid->place) {
        struct heddle_storage *whole = heddle__storage_wrap(host, of->size_bytes, release_base, of);
        if (whole && of->is_file) make_file(whole);
        return whole;
    }
    struct heddle_storage *s = make(of->size_bytes, 0, HEDDLE_OWNER_NOBODY);
    if (!s) {
        heddle__storage_release(of);
        return NULL;
    }
    s->base = of;
    s->grid = heddle__grid_retain(grid);
    s->fault = heddle__fault_retain(of->fault);
    s->element_bytes = of->element_bytes;
    atomic_fetch_sub_explicit(&bytes_live, s->size_bytes, memory_order_relaxed); /* base has them */
    s->size_bytes = 0;
    return s;
}

struct heddle_storage *heddle__storage_retain(struct heddle_storage *storage)
{
    atomic_fetch_add_explicit(&storage->refs, 1, memory_order_relaxed);
    return storage;
}

void heddle__storage_release(struct heddle_storage *s)
{
    if (!s || (uint32_t)atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    if (heddle__devices && (s->parts || s->owner == HEDDLE_OWNER_LARGE_BUFFER))
        heddle__devices->retire(s);
    else
        heddle__storage_let_go(s);
}

struct heddle_storage *heddle__storage_hold(struct heddle_storage *s)
{
    atomic_fetch_add_explicit(&s->refs, HOLD, memory_order_relaxed);
    return s;
}

static void destroy(struct heddle_storage *s)
{
    if (!s->is_file) {
        atomic_fetch_sub_explicit(&bytes_live, s->size_bytes, memory_order_relaxed);
        if (s->owner == HEDDLE_OWNER_NOBODY || s->owner == HEDDLE_OWNER_USER)
            count_elsewhere(-s->size_bytes);
    }
    heddle__call_deleter(s->deleter, s->user);
    if (s->owner == HEDDLE_OWNER_LARGE_BUFFER && s->data)
        heddle__large_buffer_put(s->data, (size_t)s->size_bytes, s->pinned);
    if (s->grid) {
        if (heddle__devices) heddle__devices->free_memory(s);
        heddle__grid_release(s->grid);
        heddle__fault_release(s->fault);
        heddle__free(s->parts);
        heddle__storage_free_copies(s);
        heddle__storage_release(s->base);
    }
    const size_t own = s->owner == HEDDLE_OWNER_BLOCK ? (size_t)s->size_bytes : 0;
    heddle__block_put(s, HEADER_BYTES + own, s->block_class);
}

void heddle__storage_let_go(struct heddle_storage *s)
{
    if (s && atomic_fetch_sub_explicit(&s->refs, HOLD, memory_order_acq_rel) == HOLD) destroy(s);
}

int64_t heddle__storage_bytes_live(void)
{
    return atomic_load_explicit(&bytes_live, memory_order_relaxed);
}

int64_t heddle__storage_bytes_held(void)
{
    return heddle__storage_bytes_live() -
           atomic_load_explicit(&bytes_elsewhere, memory_order_relaxed);
}

char *heddle__storage_make_copies(struct heddle_storage *s, int64_t size_bytes)
{
    s->copies = size_bytes < LARGE_COPIES ? heddle__alloc_aligned((size_t)size_bytes)
                                          : heddle__large_buffer_get((size_t)size_bytes, false);
    s->copies_bytes = s->copies ? size_bytes : 0;
    count_elsewhere(-s->copies_bytes);
    return s->copies;
}

void heddle__storage_free_copies(struct heddle_storage *s)
{
    if (!s->copies) return;
    if (s->copies_bytes < LARGE_COPIES)
        heddle__free(s->copies);
    else
        heddle__large_buffer_put(s->copies, (size_t)s->copies_bytes, false);
    count_elsewhere(s->copies_bytes);
    s->copies = NULL;
    s->copies_bytes = 0;
}

/* ---- Parts ----------------------------------------------------------------------------------------- */

/* Finds the host memory of each part: in place where it is contiguous, else a copy. */
static bool cut_host_memory(struct heddle_storage *s)
{
    int64_t copied = 0, first;
    for (int64_t p = 0; p < s->n_parts; p++)
        if (!heddle__grid_part_contiguous(s->grid, p, &first))
            copied += (heddle__part_bytes(s, p) + 63) / 64 * 64;
    if (copied > 0 && !heddle__storage_make_copies(s, copied)) return false;
    char *at = s->copies;
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (heddle__grid_part_contiguous(s->grid, p, &first)) {
            s->parts[p].host = s->data + first * s->element_bytes;
        } else {
            s->parts[p].host = at;
            heddle__copy_part(s->grid, p, s->element_bytes, s->data, at, HEDDLE_TO_PART);
            at += (heddle__part_bytes(s, p) + 63) / 64 * 64;
        }
    }
    return true;
}

enum heddle_status heddle__storage_cut(struct heddle_storage *s, struct heddle_grid *grid,
                                       int32_t element_bytes)
{
    if (s->base) return HEDDLE_OK;
    if (s->grid) {
        HEDDLE_REQUIRE(s->n_parts == grid->n_parts, HEDDLE_EINTERNAL,
                       "runtime: an array of %lld parts is planned with %lld",
                       (long long)s->n_parts, (long long)grid->n_parts);
        return HEDDLE_OK;
    }
    s->parts = heddle__calloc((size_t)grid->n_parts, sizeof *s->parts);
    HEDDLE_REQUIRE(s->parts, HEDDLE_ENOMEM, "heddle_eval: no memory for a partition");
    s->n_parts = grid->n_parts;
    s->grid = heddle__grid_retain(grid);
    s->element_bytes = element_bytes;
    if (cut_host_memory(s)) return HEDDLE_OK;
    heddle__storage_uncut(s);
    return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to cut an array in parts");
}

void heddle__storage_uncut(struct heddle_storage *s)
{
    heddle__free(s->parts);
    heddle__storage_free_copies(s);
    heddle__grid_release(s->grid);
    s->parts = NULL;
    s->grid = NULL;
    s->n_parts = 1;
}

/* ---- Questions -------------------------------------------------------------------------------------- */

bool heddle__storage_is_private(const struct heddle_storage *s)
{
    const uint32_t refs = (uint32_t)atomic_load_explicit(&s->refs, memory_order_acquire);
    if (refs != 1 || s->base || s->deleter) return false;
    if (!s->parts) return s->data && s->owner != HEDDLE_OWNER_USER;
    bool starpus = !s->data && s->fault;
    for (int64_t p = 0; p < s->n_parts && starpus; p++)
        starpus = !s->parts[p].host && !s->parts[p].is_lent;
    return starpus;
}

struct heddle_grid *heddle__storage_grid(const struct heddle_storage *storage)
{
    return storage->grid;
}

bool heddle__storage_is_file(const struct heddle_storage *s)
{
    return (s->base ? s->base : s)->is_file;
}

/* What it costs to bring data to a GPU by StarPU is 10 to 20 evaluations' worth of what one on the caller's thread takes longer. */
enum { WORN = 16 };

bool heddle__storage_is_worn(const struct heddle_storage *s)
{
    if (s->base) s = s->base;
    return atomic_load_explicit(&s->n_inline, memory_order_relaxed) >= WORN;
}

void heddle__storage_wear(struct heddle_storage *s)
{
    if (s->base) s = s->base;
    if (!heddle__storage_is_worn(s))
        atomic_fetch_add_explicit(&s->n_inline, 1, memory_order_relaxed);
}

bool heddle__storage_on_host(const struct heddle_storage *s)
{
    if (s->base) s = s->base;
    if (s->data) return atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0;
    if (s->n_parts != 1) return false;
    if (s->parts[0].host) return true; /* the part came home */
    return heddle__n_gpus() == 0 && s->parts[0].handle &&
           atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0;
}
