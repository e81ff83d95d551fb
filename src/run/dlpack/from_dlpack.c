/* Arrays of DLPack's tensors. Entry points: heddle_from_dlpack_with, heddle_from_dlpack_unversioned_with. */
#include "array/place.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "graph/make.h"
#include "graph/scope.h"
#include "run/dlpack/tensor.h"

#include <heddle/create.h>
#include <heddle/index.h>
#include <heddle/manipulate.h>

#include <string.h>

/* A tensor that was taken over, of either version. What it says is copied, as it may be deleted meanwhile. */
struct taken {
    const char *name; /* of the public function */
    struct heddle_dl_tensor tensor;
    int64_t shape[HEDDLE_MAX_NDIM], strides[HEDDLE_MAX_NDIM];
    void (*deleter)(void *managed);
    void *managed;
};

static void delete_versioned(void *managed)
{
    struct heddle_dl_versioned *m = managed;
    if (m->deleter) m->deleter(m);
}

static void delete_unversioned(void *managed)
{
    struct heddle_dl_unversioned *m = managed;
    if (m->deleter) m->deleter(m);
}

static bool on_gpu(const struct taken *t)
{
    return t->tensor.device.type == HEDDLE_DL_CUDA;
}

static char *first_element(const struct taken *t)
{
    return (char *)t->tensor.data + t->tensor.byte_offset;
}

static enum heddle_status check(const struct taken *t, enum heddle_dtype *dtype, int64_t *size)
{
    const struct heddle_dl_tensor *v = &t->tensor;
    *dtype = heddle__dl_to_dtype(v->dtype);
    HEDDLE_REQUIRE(*dtype, HEDDLE_EDTYPE,
                   "heddle_%s: no dtype of Heddle's: DLPack's code %d, %d bits, %d lanes", t->name,
                   v->dtype.code, v->dtype.bits, v->dtype.lanes);
    const enum heddle_status status = heddle__check_shape(t->name, v->ndim, v->shape);
    if (status != HEDDLE_OK) return status;
    const int type = v->device.type;
    HEDDLE_REQUIRE(type == HEDDLE_DL_CPU || type == HEDDLE_DL_CUDA || type == HEDDLE_DL_CUDA_HOST ||
                       type == HEDDLE_DL_CUDA_MANAGED,
                   HEDDLE_EUNSUPPORTED, "heddle_%s: memory of DLPack's device type %d", t->name,
                   type);
    HEDDLE_REQUIRE(type != HEDDLE_DL_CUDA || (v->device.id >= 0 && v->device.id < 1 << 15),
                   HEDDLE_ENODEVICE, "heddle_%s: there is no GPU %d", t->name, v->device.id);
    *size = 1;
    for (int d = 0; d < v->ndim; d++) *size *= v->shape[d];
    HEDDLE_REQUIRE(v->data || *size == 0, HEDDLE_EARG, "heddle_%s: data is NULL, shape %s", t->name,
                   heddle__shape_text(v->ndim, v->shape).text);
    return HEDDLE_OK;
}

/* Has what the checked tensor says for itself. */
static void keep_shape(struct taken *t)
{
    struct heddle_dl_tensor *v = &t->tensor;
    if (v->strides)
        memcpy(t->strides, v->strides, (size_t)v->ndim * sizeof *t->strides);
    else
        heddle__dl_c_strides(v->ndim, v->shape, t->strides);
    if (v->ndim > 0) memcpy(t->shape, v->shape, (size_t)v->ndim * sizeof *t->shape);
    v->shape = t->shape;
    v->strides = t->strides;
}

/* ---- In place -------------------------------------------------------------------------------------------- */

/* The memory as an array of the layout's base, which owns the tensor from now on. */
static heddle_array *wrap(const struct taken *t, enum heddle_dtype dtype,
                          const struct heddle_dl_layout *l)
{
    char *data = first_element(t) + l->first * (int64_t)heddle_dtype_size(dtype);
    if (!on_gpu(t)) {
        const struct heddle_asarray_options o = {
            .size = sizeof o, .borrow = true, .deleter = t->deleter, .user = t->managed};
        return heddle_asarray_with(data, dtype, l->ndim, l->shape, &o);
    }
    const int64_t one = 1, *shape = l->ndim ? l->shape : &one;
    const struct heddle_part_source part = {.data = data,
                                            .place = heddle_gpu(t->tensor.device.id),
                                            .extent = shape[0],
                                            .deleter = t->deleter,
                                            .user = t->managed};
    heddle_array *a = heddle_from_parts(1, &part, 0, dtype, l->ndim ? l->ndim : 1, shape);
    return l->ndim ? a : heddle_reshape(a, 0, NULL);
}

/* The tensor's elements as a view of its base. */
static heddle_array *view_of(heddle_array *base, const struct heddle_dl_tensor *v,
                             const struct heddle_dl_layout *l)
{
    /* the elements, axes in the tensor's order */
    struct heddle_index index[HEDDLE_MAX_NDIM] = {0};
    int order[HEDDLE_MAX_NDIM], n = 0;
    for (int i = 0; i < l->ndim; i++)
        index[i].step = (i == 0 ? l->step : 1) * (l->reversed[i] ? -1 : 1);
    for (int d = 0; d < v->ndim; d++)
        for (int i = 0; i < l->ndim; i++)
            if (l->axis[i] == d) order[n++] = i;
    heddle_array *a = heddle_getitem(base, l->ndim, index);
    a = heddle_permute_dims(a, l->ndim, order);

    /* the axes that do not lie in memory */
    memset(index, 0, sizeof index);
    for (int d = 0; d < v->ndim; d++) index[d].kind = HEDDLE_INDEX_NEWAXIS;
    for (int i = 0; i < l->ndim; i++) index[l->axis[i]].kind = HEDDLE_INDEX_SLICE;
    a = heddle_getitem(a, v->ndim, index);
    return heddle_broadcast_to(a, v->ndim, v->shape);
}

/* ---- A copy ---------------------------------------------------------------------------------------------- */

/* Elements of host memory at any strides, in C order. */
static void gather(char *to, const char *from, size_t element, int64_t size,
                   const struct heddle_dl_tensor *v)
{
    int64_t at[HEDDLE_MAX_NDIM] = {0};
    for (int64_t i = 0; i < size; i++) {
        memcpy(to + i * (int64_t)element, from, element);
        for (int d = v->ndim - 1; d >= 0; d--) {
            from += v->strides[d] * (int64_t)element;
            if (++at[d] < v->shape[d]) break;
            from -= at[d] * v->strides[d] * (int64_t)element;
            at[d] = 0;
        }
    }
}

static heddle_array *copy_of_host(const struct taken *t, enum heddle_dtype dtype, int64_t size,
                                  bool is_c_order)
{
    const struct heddle_dl_tensor *v = &t->tensor;
    if (is_c_order) return heddle_asarray_with(first_element(t), dtype, v->ndim, v->shape, NULL);
    const size_t element = heddle_dtype_size(dtype);
    char *data = heddle__alloc((size_t)size * element);
    if (!data) return heddle__error_array(HEDDLE_ENOMEM, "heddle_%s: no memory", t->name);
    gather(data, first_element(t), element, size, v);
    const struct heddle_asarray_options o = {
        .size = sizeof o, .borrow = true, .deleter = heddle__free, .user = data};
    return heddle_asarray_with(data, dtype, v->ndim, v->shape, &o);
}

static bool is_c_order(const struct heddle_dl_tensor *v)
{
    int64_t strides[HEDDLE_MAX_NDIM];
    heddle__dl_c_strides(v->ndim, v->shape, strides);
    for (int d = 0; d < v->ndim; d++)
        if (v->shape[d] > 1 && v->strides[d] != strides[d]) return false;
    return true;
}

/* ---- Both ------------------------------------------------------------------------------------------------- */

/* The array; *taken: whether it owns the tensor now. */
static heddle_array *import(struct taken *t, enum heddle_copy copy, bool *taken)
{
    enum heddle_dtype dtype = HEDDLE_DTYPE_NONE;
    int64_t size = 0;
    if (check(t, &dtype, &size) != HEDDLE_OK) return heddle__error_last();
    keep_shape(t);
    const struct heddle_dl_tensor *v = &t->tensor;
    if (size == 0)
        return heddle_zeros_with(v->ndim, v->shape,
                                 &(struct heddle_create_options){.dtype = dtype});
    const size_t part = heddle_dtype_size(dtype) / (heddle_dtype_kind(dtype) == 'C' ? 2 : 1);
    struct heddle_dl_layout l = heddle__dl_layout(v);
    l.fits = l.fits && (uintptr_t)first_element(t) % part == 0;
    if (!l.fits && copy == HEDDLE_COPY_NEVER)
        return heddle__error_array(HEDDLE_EARG,
                                   "heddle_%s: strides or alignment that need a copy, which "
                                   "HEDDLE_COPY_NEVER forbids",
                                   t->name);
    if (!l.fits && on_gpu(t))
        return heddle__error_array(HEDDLE_EUNSUPPORTED,
                                   "heddle_%s: such strides, or no alignment, on a GPU", t->name);
    if (!on_gpu(t) && (!l.fits || copy == HEDDLE_COPY_ALWAYS))
        return copy_of_host(t, dtype, size, l.fits && is_c_order(v));
    *taken = true;
    heddle_array *a = view_of(wrap(t, dtype, &l), v, &l);
    return copy == HEDDLE_COPY_ALWAYS
               ? heddle_to(heddle__dl_copied(t->name, a), heddle_gpu(v->device.id))
               : a;
}

static heddle_array *from_dlpack(struct taken *t, const struct heddle_dlpack_options *options)
{
    struct heddle_dlpack_options o;
    bool taken = false;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *a = NULL;
    if (heddle__refuse_in_function(t->name) != HEDDLE_OK ||
        heddle__options(t->name, options, &o, sizeof o) != HEDDLE_OK)
        a = heddle__error_last();
    else
        a = import(t, o.copy, &taken);
    if (!taken) heddle__call_deleter(t->deleter, t->managed);
    if (heddle_status_of(a) == HEDDLE_OK && o.place != HEDDLE_ANYWHERE) a = heddle_to(a, o.place);
    return heddle__scope_leave(&scope, a);
}

heddle_array *heddle_from_dlpack_with(struct heddle_dl_versioned *tensor,
                                      const struct heddle_dlpack_options *o)
{
    if (!tensor) return heddle__error_array(HEDDLE_EARG, "heddle_from_dlpack: the tensor is NULL");
    if (tensor->major != 1) {
        const unsigned major = tensor->major, minor = tensor->minor;
        heddle__call_deleter(delete_versioned, tensor);
        return heddle__error_array(HEDDLE_EUNSUPPORTED,
                                   "heddle_from_dlpack: a tensor of DLPack %u.%u, not 1.x", major,
                                   minor);
    }
    return from_dlpack(&(struct taken){.name = "from_dlpack",
                                       .tensor = tensor->tensor,
                                       .deleter = delete_versioned,
                                       .managed = tensor},
                       o);
}

heddle_array *heddle_from_dlpack_unversioned_with(struct heddle_dl_unversioned *tensor,
                                                  const struct heddle_dlpack_options *o)
{
    if (!tensor)
        return heddle__error_array(HEDDLE_EARG,
                                   "heddle_from_dlpack_unversioned: the tensor is NULL");
    return from_dlpack(&(struct taken){.name = "from_dlpack_unversioned",
                                       .tensor = tensor->tensor,
                                       .deleter = delete_unversioned,
                                       .managed = tensor},
                       o);
}
