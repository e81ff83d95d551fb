/* Reads an array: copies its parts, in C order, to the caller's memory. Entry points: heddle_read,
 * heddle_read_as; data.h, for storages. */
#include "array/copy_box.h"
#include "graph/check.h"
#include "graph/make.h"
#include "array/file_pages.h"
#include "run/backend.h"
#include "run/data.h"
#include "run/evaluate.h"
#include "run/life.h"

/* Copies; of large files by and by, giving back what was copied. */
static void copy_bytes(char *out, const char *from, int64_t size_bytes)
{
    const int64_t step = heddle__files_are_large() ? HEDDLE_PAGES_STEP : size_bytes;
    for (int64_t at = 0; at < size_bytes; at += step) {
        const int64_t n = size_bytes - at < step ? size_bytes - at : step;
        heddle__copy_bytes(out + at, from + at, n);
        heddle__drop_pages(from + at, n);
        heddle__drop_pages(out + at, n);
    }
}

/* ---- Storages, by way of the backend where devices have them --------------------------------------- */

bool heddle__storage_wait(struct heddle_storage *s)
{
    if (heddle__is_forked()) {
        s = heddle__storage_root(s);
        return !s->is_direct && atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0;
    }
    if (heddle__backend) heddle__backend->wait(s);
    return true;
}

const char *heddle__part_acquire(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts) return s->data;
    if (s->parts[part].host) return s->parts[part].host;
    return heddle__backend ? heddle__backend->acquire(s, part) : NULL;
}

void heddle__part_release(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts || s->parts[part].host) return;
    if (heddle__backend) heddle__backend->release(s, part);
}

enum heddle_status heddle__no_data(const char *name, const struct heddle_storage *s, int64_t part)
{
    if (heddle__is_forked())
        return heddle__fail(HEDDLE_EDEVICE,
                            "heddle_%s: the data are not complete in host memory, and a child of "
                            "fork() has no devices",
                            name);
    return heddle__fail(HEDDLE_EDEVICE, "heddle_%s: part %lld of %lld has no data", name,
                        (long long)part, (long long)s->n_parts);
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

/* Copies part by part; meanwhile the next part comes to host memory. */
static enum heddle_status copy_out(const char *name, struct heddle_storage *s, char *out,
                                   int64_t size_bytes)
{
    enum heddle_status status;
    s = heddle__storage_root(s);
    if (s->data) {
        copy_bytes(out, s->data, size_bytes);
        return HEDDLE_OK;
    }
    if (heddle__backend && heddle__backend->read(s, out, size_bytes, &status)) return status;
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (heddle__grid_part_size(s->grid, p) == 0) continue;
        if (heddle__backend && p + 1 < s->n_parts) heddle__backend->prefetch(s, p + 1);
        const char *from = heddle__part_acquire(s, p);
        if (!from) return heddle__no_data(name, s, p);
        int64_t first;
        if (heddle__grid_part_contiguous(s->grid, p, &first))
            copy_bytes(out + first * s->element_bytes, from, heddle__part_bytes(s, p));
        else
            heddle__copy_part(s->grid, p, s->element_bytes, out, (char *)(uintptr_t)from,
                              HEDDLE_TO_WHOLE);
        heddle__part_release(s, p);
        /* parts that follow reuse its memory: so a large array does not fill the host's */
        if (heddle__backend && s->n_parts > 2) heddle__backend->evict(s, p);
    }
    return HEDDLE_OK;
}

/* Whether `out` is as large as the elements of `a` are in `dtype`. */
static enum heddle_status check_room(const char *name, const heddle_array *a,
                                     enum heddle_dtype dtype, const void *out, int64_t size_bytes)
{
    const int64_t need = a->size * (int64_t)heddle_dtype_size(dtype);
    HEDDLE_REQUIRE(size_bytes == need, HEDDLE_EARG,
                   "heddle_%s: size_bytes is %lld, but %s of shape %s has %lld bytes", name,
                   (long long)size_bytes, heddle_dtype_name(dtype), HEDDLE_SHAPE_OF(a),
                   (long long)need);
    HEDDLE_REQUIRE(out || size_bytes == 0, HEDDLE_EARG, "heddle_%s: out is NULL", name);
    return HEDDLE_OK;
}

static enum heddle_status read_checked(const char *name, heddle_array *a, void *out,
                                       int64_t size_bytes)
{
    struct heddle_data data;
    enum heddle_status status = heddle__data_open(name, a, &data);
    if (status != HEDDLE_OK) return status;
    heddle__pages_begin();
    status = copy_out(name, data.storage, out, size_bytes);
    heddle__pages_end();
    heddle__data_close(&data);
    return status;
}

enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_read: the array is NULL");
    HEDDLE_REQUIRE_ALIVE("read", a);
    if (a->kind != HEDDLE_NODE_ERROR) {
        const enum heddle_status status =
            check_room("read", a, (enum heddle_dtype)a->dtype, out, size_bytes);
        if (status != HEDDLE_OK) return status;
    }
    return read_checked("read", a, out, size_bytes);
}

enum heddle_status heddle_read_as(heddle_array *a, enum heddle_dtype dtype, void *out,
                                  int64_t size_bytes)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_read_as: the array is NULL");
    HEDDLE_REQUIRE_ALIVE("read_as", a);
    if (a->kind == HEDDLE_NODE_ERROR) return read_checked("read_as", a, out, size_bytes);
    enum heddle_status status = heddle__check_dtype("read_as", dtype);
    if (status == HEDDLE_OK) status = heddle__check_cast("read_as", a, dtype);
    if (status == HEDDLE_OK) status = check_room("read_as", a, dtype, out, size_bytes);
    if (status != HEDDLE_OK) return status;
    heddle_array *converted = heddle__make_cast(a, dtype);
    status = converted ? read_checked("read_as", converted, out, size_bytes) : heddle__last_code();
    heddle__release(converted);
    return status;
}
