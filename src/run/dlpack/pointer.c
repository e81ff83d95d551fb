/* Memory of the caller's at any strides as an array, and arrays written into it. Entry points: heddle_from_pointer_with,
 * heddle_to_pointer_with. */
#include "array/place.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "graph/check.h"
#include "graph/infer.h"
#include "graph/make.h"
#include "run/dlpack/tensor.h"
#include "run/evaluate.h"
#include "run/parts.h"

#include <heddle/pointer.h>

/* ---- In ----------------------------------------------------------------------------------------------- */

heddle_array *heddle_from_pointer_with(const void *data, enum heddle_dtype dtype, int ndim,
                                       const int64_t *shape,
                                       const struct heddle_from_pointer_options *options)
{
    struct heddle_from_pointer_options o;
    if (heddle__options("from_pointer", options, &o, sizeof o) != HEDDLE_OK) {
        if (options) heddle__call_deleter(o.deleter, o.user);
        return heddle__error_last();
    }
    struct heddle_dl_taken taken = {
        .name = "from_pointer", .deleter = o.deleter, .managed = o.user};
    if (heddle__check_dtype("from_pointer", dtype) != HEDDLE_OK) {
        heddle__call_deleter(o.deleter, o.user);
        return heddle__error_last();
    }
    taken.tensor = (struct heddle_dl_tensor){
        .data = (void *)(uintptr_t)data,
        .device = heddle__dl_device_of(o.place),
        .ndim = ndim,
        .dtype = heddle__dl_from_dtype(dtype),
        .shape = (int64_t *)(uintptr_t)shape, /* read only, as strides */
        .strides = (int64_t *)(uintptr_t)o.strides,
    };
    const struct heddle_dlpack_options d = {.size = sizeof d, .copy = o.copy, .stream = o.stream};
    return heddle__dl_import(&taken, &d);
}

/* ---- Out ---------------------------------------------------------------------------------------------- */

static enum heddle_status to_host(heddle_array *a, void *data, const int64_t *strides)
{
    const int ndim = heddle_ndim(a);
    const int64_t *shape = heddle_shape(a), bytes = heddle_nbytes(a);
    int64_t c_strides[HEDDLE_MAX_NDIM];
    heddle__dl_c_strides(ndim, shape, c_strides);
    bool is_c_order = true;
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && strides[d] != c_strides[d]) is_c_order = false;
    if (is_c_order) return heddle_read(a, data, bytes);
    char *between = heddle__alloc((size_t)bytes);
    HEDDLE_REQUIRE(between, HEDDLE_ENOMEM, "heddle_to_pointer: no memory");
    const enum heddle_status status = heddle_read(a, between, bytes);
    if (status == HEDDLE_OK)
        heddle__dl_copy(data, strides, between, c_strides, ndim, shape,
                        heddle_dtype_size(heddle_dtype_of(a)));
    heddle__free(between);
    return status;
}

static enum heddle_status to_gpu(heddle_array *a, void *data,
                                 const struct heddle_to_pointer_options *o)
{
    struct heddle_part_view view;
    heddle_array *there = heddle_own(heddle_to(a, o->place));
    enum heddle_status status = heddle__part_view("to_pointer", there, 0, o->place, false, &view);
    if (status == HEDDLE_OK && view.data)
        status = heddle__dl_scatter_gpu(o->place, data, o->strides, view.data, heddle_ndim(a),
                                        heddle_shape(a), heddle_dtype_of(a), o->stream);
    heddle_part_release(&view);
    heddle_release(there);
    return status;
}

static enum heddle_status check(heddle_array *a, const void *data,
                                const struct heddle_to_pointer_options *o)
{
    if (heddle_status_of(a) != HEDDLE_OK)
        return heddle__fail(heddle_status_of(a), "%s", heddle_error(a));
    HEDDLE_REQUIRE(data || heddle_size(a) == 0, HEDDLE_EARG,
                   "heddle_to_pointer: data is NULL, shape %s", HEDDLE_SHAPE_OF(a));
    for (int d = 0; d < heddle_ndim(a) && o->strides; d++)
        HEDDLE_REQUIRE(o->strides[d] != 0 || heddle_shape(a)[d] <= 1, HEDDLE_EARG,
                       "heddle_to_pointer: stride 0 of axis %d, shape %s", d, HEDDLE_SHAPE_OF(a));
    return HEDDLE_OK;
}

enum heddle_status heddle_to_pointer_with(heddle_array *a, void *data,
                                          const struct heddle_to_pointer_options *options)
{
    struct heddle_to_pointer_options o;
    int64_t strides[HEDDLE_MAX_NDIM];
    enum heddle_status status;
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_to_pointer: the array is NULL");
    HEDDLE_REQUIRE_ALIVE("to_pointer", a);
    HEDDLE_TRY(heddle__refuse_in_function("to_pointer"));
    HEDDLE_TRY(heddle__options("to_pointer", options, &o, sizeof o));
    HEDDLE_TRY(check(a, data, &o));
    HEDDLE_TRY(heddle__check_known_places("to_pointer", 1, &o.place));
    if (!o.strides) {
        heddle__dl_c_strides(heddle_ndim(a), heddle_shape(a), strides);
        o.strides = strides;
    }
    if (heddle__place_is_gpu(o.place)) return to_gpu(a, data, &o);
    HEDDLE_TRY(heddle__dl_wait("to_pointer", heddle__dl_device_of(o.place), o.stream));
    return to_host(a, data, o.strides);
fail:
    return status;
}
