/* Makes the array that the bytes of a .npy file hold: in place when it can (aligned, native byte
 * order), else a converted copy; Fortran order is a transposed view. Opens no files.
 * Entry point: heddle__npy_array. */
#include "array/file_pages.h"
#include "array/parts.h"
#include "graph/node.h"
#include "graph/scope.h"
#include "io/npy.h"

#include <heddle/create.h>
#include <heddle/manipulate.h>
#include <string.h>

enum { STEP = HEDDLE_PAGES_STEP };

/* Whether any byte of a bool array is neither 0 nor 1: as a _Bool it would be undefined. */
static bool has_odd_bool(const unsigned char *data, size_t n)
{
    unsigned char all = 0;
    for (size_t at = 0; at < n && all <= 1; at += STEP) {
        const size_t end = n - at < STEP ? n : at + STEP;
        for (size_t i = at; i < end; i++) all |= data[i];
        heddle__drop_pages(data + at, (int64_t)(end - at));
    }
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

/* How the data of a file become those of an array. */
enum form { IN_PLACE, COPIED, SWAPPED, BOOL };

static enum form form_of(const struct heddle_npy_header *h, const unsigned char *data)
{
    if (h->swap) return SWAPPED;
    if (h->dtype == HEDDLE_BOOL && has_odd_bool(data, (size_t)h->size_bytes)) return BOOL;
    return (uintptr_t)data % heddle_dtype_size(h->dtype) == 0 ? IN_PLACE : COPIED;
}

/* A copy as the machine wants it; NULL: memory is gone. */
static struct heddle_storage *convert(const struct heddle_npy_header *h, enum form form,
                                      const unsigned char *data)
{
    const size_t n = (size_t)h->size_bytes;
    const size_t width = heddle_dtype_size(heddle__real_dtype(h->dtype));
    struct heddle_storage *s = heddle__storage_new(h->size_bytes);
    unsigned char *to = s ? (unsigned char *)s->data : NULL;
    for (size_t at = 0; at < n && s; at += STEP) {
        const size_t bytes = n - at < STEP ? n - at : STEP;
        if (form == SWAPPED)
            copy_swapped(to + at, data + at, bytes, width);
        else if (form == BOOL)
            copy_bool(to + at, data + at, bytes);
        else
            memcpy(to + at, data + at, bytes);
        heddle__drop_pages(data + at, (int64_t)bytes);
        heddle__drop_pages(to + at, (int64_t)bytes);
    }
    return s;
}

/* The array of `shape`, in C order, of what follows the header; it takes the bytes over. */
static heddle_array *c_array(const char *where, const struct heddle_npy_header *h,
                             const int64_t *shape, struct heddle_bytes *bytes)
{
    const unsigned char *data = bytes->data + h->data_offset;
    const enum form form = form_of(h, data);
    if (form == IN_PLACE && !bytes->mapping) {
        const struct heddle_asarray_options options = {
            .borrow = true, .deleter = bytes->release, .user = bytes->user};
        return heddle_asarray_with(data, h->dtype, h->ndim, shape, &options);
    }
    struct heddle_storage *s = NULL;
    if (form == IN_PLACE) {
        s = heddle__storage_of_file(data, h->size_bytes, bytes->mapping);
    } else {
        s = convert(h, form, data);
        heddle__bytes_release(bytes);
    }
    if (!s)
        return heddle__error_array(HEDDLE_ENOMEM, "%s: no memory for %lld bytes", where,
                                   (long long)h->size_bytes);
    return heddle__node_data(s, h->dtype, h->ndim, shape);
}

/* The array with its axes reversed, lazily; it takes the bytes over. */
static heddle_array *fortran_array(const char *where, const struct heddle_npy_header *h,
                                   struct heddle_bytes *bytes)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM];
    for (int d = 0; d < h->ndim; d++) {
        shape[d] = h->shape[h->ndim - 1 - d];
        axes[d] = h->ndim - 1 - d;
    }
    struct heddle_scope_state scope; /* releases the array below the view */
    heddle__scope_enter(&scope);
    heddle_array *base = c_array(where, h, shape, bytes);
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
    return h.fortran && h.ndim > 1 ? fortran_array(where, &h, &bytes)
                                   : c_array(where, &h, h.shape, &bytes);
}
