/* Arrays over the caller's memory. Entry point: heddle_asarray_with. */
#include "api/distribution.h"
#include "array/storage.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "graph/make.h"

#include <heddle/create.h>

static void done_with(const struct heddle_asarray_options *o)
{
    heddle__call_deleter(o->deleter, o->user);
}

/* Whether any byte of a bool array is neither 0 nor 1: as a _Bool it would be undefined. */
static bool has_odd_bool(const unsigned char *data, int64_t n)
{
    unsigned char any = 0;
    for (int64_t i = 0; i < n; i++) any |= data[i];
    return any > 1;
}

/* A copy with bytes 0 and 1. */
static struct heddle_storage *copy_bool(const unsigned char *data, int64_t n)
{
    unsigned char *clean = heddle__alloc((size_t)n);
    if (!clean) return NULL;
    for (int64_t i = 0; i < n; i++) clean[i] = data[i] != 0;
    return heddle__storage_wrap(clean, n, heddle__free, clean);
}

static enum heddle_status check(const void *data, enum heddle_dtype dtype, int ndim,
                                const int64_t *shape, int64_t *size)
{
    enum heddle_status status = heddle__check_dtype("asarray", dtype);
    if (status == HEDDLE_OK) status = heddle__check_shape("asarray", ndim, shape);
    if (status != HEDDLE_OK) return status;
    *size = 1;
    for (int d = 0; d < ndim; d++) *size *= shape[d];
    HEDDLE_REQUIRE(data || *size == 0, HEDDLE_EARG, "heddle_asarray: data is NULL, shape %s",
                   heddle__shape_text(ndim, shape).text);
    return HEDDLE_OK;
}

static heddle_array *make_asarray(const void *data, enum heddle_dtype dtype, int ndim,
                                  const int64_t *shape, const struct heddle_asarray_options *o)
{
    /* check */
    int64_t size = 0;
    if (check(data, dtype, ndim, shape, &size) != HEDDLE_OK) {
        done_with(o);
        return heddle__error_last();
    }
    if (size == 0) { /* nothing to hold */
        done_with(o);
        return heddle__hand_out(heddle__make_zeros(dtype, ndim, shape));
    }

    /* hold the memory, or copy it and give it back */
    const int64_t size_bytes = size * (int64_t)heddle_dtype_size(dtype);
    const bool odd = dtype == HEDDLE_BOOL && has_odd_bool(data, size);
    const bool in_place = o->borrow && !odd;
    struct heddle_storage *storage =
        odd        ? copy_bool(data, size)
        : in_place ? heddle__storage_wrap(data, size_bytes, o->deleter, o->user)
                   : heddle__storage_copy(data, size_bytes);
    if (!in_place) done_with(o);
    if (!storage)
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_asarray: no memory for %lld bytes",
                                   (long long)size_bytes);
    return heddle__node_data(storage, dtype, ndim, shape);
}

heddle_array *heddle_asarray_with(const void *data, enum heddle_dtype dtype, int ndim,
                                  const int64_t *shape,
                                  const struct heddle_asarray_options *options)
{
    struct heddle_asarray_options o;
    if (heddle__options("asarray", options, &o, sizeof o) != HEDDLE_OK) {
        done_with(&o);
        return heddle__error_last();
    }
    return heddle__then_distributed("asarray", make_asarray(data, dtype, ndim, shape, &o),
                                    o.distribution);
}
