/* Reads an array: copies its parts, in C order, to the caller's memory. Entry point: heddle_read. */
#include "array/copy_box.h"
#include "array/file_pages.h"
#include "run/backend.h"
#include "run/data.h"
#include "run/evaluate.h"

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

/* Copies part by part; meanwhile the next part comes to host memory. */
static enum heddle_status copy_out(struct heddle_storage *s, char *out, int64_t size_bytes)
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
        if (!from)
            return heddle__fail(HEDDLE_EDEVICE, "heddle_read: part %lld of %lld has no data",
                                (long long)p, (long long)s->n_parts);
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

enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_read: the array is NULL");
    if (a->kind != HEDDLE_NODE_ERROR) {
        const int64_t need = heddle_nbytes(a);
        HEDDLE_REQUIRE(size_bytes == need, HEDDLE_EARG,
                       "heddle_read: size_bytes is %lld, the array has %lld bytes",
                       (long long)size_bytes, (long long)need);
        HEDDLE_REQUIRE(out || size_bytes == 0, HEDDLE_EARG, "heddle_read: out is NULL");
    }
    struct heddle_storage *storage;
    enum heddle_status status = heddle__wait_storage(a, &storage);
    heddle__pages_begin();
    if (status == HEDDLE_OK) status = copy_out(storage, out, size_bytes);
    heddle__pages_end();
    heddle__storage_release(storage);
    return status;
}
