/* Makes the array that the bytes of a .npy file hold: in place when it can (aligned, native byte
 * order), else a converted copy; Fortran order is a transposed view. Opens no files.
 * Entry point: heddle__npy_array. */
#include "array/storage.h"
#include "base/memory.h"
#include "graph/node.h"
#include "graph/scope.h"
#include "io/npy.h"

#include <heddle/create.h>
#include <heddle/manipulate.h>
#include <string.h>

/* Whether any byte of a bool array is neither 0 nor 1: as a _Bool it would be undefined. */
static bool has_odd_bool(const unsigned char *data, size_t n)
{
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++) all |= data[i];
    return all > 1;
}

#define SWAP(bits)                                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
        uint##bits##_t x;                                                                          \
        memcpy(&x, from + i * sizeof x, sizeof x);                                                 \
        x = __builtin_bswap##bits(x);                                                              \
        memcpy(to + i * sizeof x, &x, sizeof x);                                                   \
    }

static void copy_swapped(unsigned char *to, const unsigned char *from, size_t size_bytes,
                         size_t width)
{
    const size_t n = size_bytes / width;
    if (width == 2) {
        SWAP(16)
    } else if (width == 4) {
        SWAP(32)
    } else {
        SWAP(64)
    }
}

static void copy_bool(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i] != 0;
}

/* Replaces `bytes`, which start with the header, by the bytes of the data alone, as the machine
 * wants them. On failure they are released. */
static enum heddle_status convert(const char *where, const struct heddle_npy_header *h,
                                  struct heddle_bytes *bytes)
{
    const unsigned char *data = bytes->data + h->data_offset;
    const size_t n = (size_t)h->size_bytes;
    const size_t width = heddle_dtype_size(heddle__real_dtype(h->dtype));
    const bool odd_bool = h->dtype == HEDDLE_BOOL && has_odd_bool(data, n);
    const bool aligned = (uintptr_t)data % heddle_dtype_size(h->dtype) == 0;
    if (aligned && !h->swap && !odd_bool) {
        bytes->data = data;
        bytes->n = n;
        return HEDDLE_OK;
    }
    unsigned char *copy = heddle__alloc_aligned(n);
    if (!copy) {
        heddle__bytes_release(bytes);
        return heddle__fail(HEDDLE_ENOMEM, "%s: no memory for %zu bytes", where, n);
    }
    if (h->swap)
        copy_swapped(copy, data, n, width);
    else if (odd_bool)
        copy_bool(copy, data, n);
    else
        memcpy(copy, data, n);
    heddle__bytes_release(bytes);
    *bytes = (struct heddle_bytes){.data = copy, .n = n, .release = heddle__free, .user = copy};
    return HEDDLE_OK;
}

/* The array of `shape`, in C order; `bytes` belong to it. */
static heddle_array *c_array(const char *where, enum heddle_dtype dtype, int ndim,
                             const int64_t *shape, const struct heddle_bytes *bytes)
{
    const struct heddle_asarray_options options = {
        .borrow = true, .deleter = bytes->release, .user = bytes->user};
    if (!bytes->mapping) return heddle_asarray_with(bytes->data, dtype, ndim, shape, &options);
    struct heddle_storage *s =
        heddle__storage_of_file(bytes->data, (int64_t)bytes->n, bytes->mapping);
    if (!s) return heddle__error_array(HEDDLE_ENOMEM, "%s: no memory", where);
    return heddle__node_data(s, dtype, ndim, shape);
}

/* The array with its axes reversed, lazily; `bytes` belong to it. */
static heddle_array *fortran_array(const char *where, const struct heddle_npy_header *h,
                                   const struct heddle_bytes *bytes)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM];
    for (int d = 0; d < h->ndim; d++) {
        shape[d] = h->shape[h->ndim - 1 - d];
        axes[d] = h->ndim - 1 - d;
    }
    struct heddle_scope_state scope; /* releases the array below the view */
    heddle__scope_enter(&scope);
    heddle_array *base = c_array(where, h->dtype, h->ndim, shape, bytes);
    return heddle__scope_leave(&scope, heddle_permute_dims(base, h->ndim, axes));
}

heddle_array *heddle__npy_array(const char *where, struct heddle_bytes bytes)
{
    struct heddle_npy_header h;
    const enum heddle_status status = heddle__npy_parse_header(bytes.data, bytes.n, &h);
    if (status != HEDDLE_OK) {
        heddle__bytes_release(&bytes);
        return heddle__error_array(status, "%s: %s", where, heddle_last_error());
    }
    if (h.size_bytes == 0) { /* nothing to keep */
        heddle__bytes_release(&bytes);
        return heddle_asarray_with(NULL, h.dtype, h.ndim, h.shape, NULL);
    }
    if (convert(where, &h, &bytes) != HEDDLE_OK) return heddle__error_last();
    if (h.fortran && h.ndim > 1) return fortran_array(where, &h, &bytes);
    return c_array(where, h.dtype, h.ndim, h.shape, &bytes);
}
