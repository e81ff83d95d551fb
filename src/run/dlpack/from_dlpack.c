/* Arrays of DLPack's tensors. Entry points: heddle_from_dlpack_with, heddle_from_dlpack_unversioned_with. */
#include "array/place.h"
#include "base/user_function.h"
#include "graph/make.h"
#include "graph/scope.h"
#include "run/dlpack/tensor.h"

#include <heddle/create.h>

#include <string.h>

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

static bool on_gpu(const struct heddle_dl_taken *t)
{
    return t->tensor.device.type == HEDDLE_DL_CUDA;
}

static char *first_element(const struct heddle_dl_taken *t)
{
    return (char *)t->tensor.data + t->tensor.byte_offset;
}

static enum heddle_status check(const struct heddle_dl_taken *t, enum heddle_dtype *dtype,
                                int64_t *size)
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
static void keep_shape(struct heddle_dl_taken *t)
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

/* The memory as an array of the layout's base, which owns the tensor from now on. */
static heddle_array *wrap(const struct heddle_dl_taken *t, enum heddle_dtype dtype,
                          const struct heddle_dl_layout *l)
{
    char *data = first_element(t) + l->first * (int64_t)heddle_dtype_size(dtype);
    if (!on_gpu(t)) {
        const struct heddle_asarray_options o = {
            .size = sizeof o, .borrow = true, .deleter = t->deleter, .user = t->managed};
        return heddle_asarray_with(data, dtype, l->ndim, l->shape, &o);
    }
    return heddle__dl_lent_gpu(data, t->tensor.device.id, dtype, l->ndim, l->shape, t->deleter,
                               t->managed);
}

/* The elements in memory of their own, where they are. */
static heddle_array *copied(const struct heddle_dl_taken *t, enum heddle_dtype dtype, int64_t size,
                            bool is_c_order)
{
    const struct heddle_dl_tensor *v = &t->tensor;
    if (on_gpu(t)) return heddle__dl_copied_gpu(t->name, v, first_element(t), dtype, size);
    return is_c_order ? heddle_asarray_with(first_element(t), dtype, v->ndim, v->shape, NULL)
                      : heddle__dl_gathered(t->name, v, first_element(t), dtype, size);
}

/* The array; *taken: whether it owns the tensor now. */
static heddle_array *import(struct heddle_dl_taken *t, enum heddle_copy copy, void *stream,
                            bool *taken)
{
    enum heddle_dtype dtype = HEDDLE_DTYPE_NONE;
    int64_t size = 0;
    if (check(t, &dtype, &size) != HEDDLE_OK) return heddle__error_last();
    if (heddle__dl_wait(t->name, t->tensor.device, stream) != HEDDLE_OK)
        return heddle__error_last();
    keep_shape(t);
    const struct heddle_dl_tensor *v = &t->tensor;
    if (size == 0)
        return heddle_zeros_with(v->ndim, v->shape,
                                 &(struct heddle_create_options){.dtype = dtype});
    const size_t part = heddle_dtype_size(dtype) / (heddle_dtype_kind(dtype) == 'C' ? 2 : 1);
    struct heddle_dl_layout l = heddle__dl_layout(v);
    const bool is_aligned = (uintptr_t)first_element(t) % part == 0;
    l.fits = l.fits && is_aligned;
    if (!l.fits && copy == HEDDLE_COPY_NEVER)
        return heddle__error_array(HEDDLE_EARG,
                                   "heddle_%s: strides or alignment that need a copy, which "
                                   "HEDDLE_COPY_NEVER forbids",
                                   t->name);
    if (!is_aligned && on_gpu(t))
        return heddle__error_array(HEDDLE_EUNSUPPORTED,
                                   "heddle_%s: memory of a GPU that is not aligned to its elements",
                                   t->name);
    if (!l.fits || copy == HEDDLE_COPY_ALWAYS)
        return copied(t, dtype, size, l.fits && heddle__dl_is_c_order(v));
    *taken = true;
    return heddle__dl_view(wrap(t, dtype, &l), v, &l);
}

heddle_array *heddle__dl_import(struct heddle_dl_taken *t,
                                const struct heddle_dlpack_options *options)
{
    struct heddle_dlpack_options o;
    bool taken = false;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *a = heddle__dl_options(t->name, options, &o) == HEDDLE_OK
                          ? import(t, o.copy, o.stream, &taken)
                          : heddle__error_last();
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
    return heddle__dl_import(&(struct heddle_dl_taken){.name = "from_dlpack",
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
    return heddle__dl_import(&(struct heddle_dl_taken){.name = "from_dlpack_unversioned",
                                                       .tensor = tensor->tensor,
                                                       .deleter = delete_unversioned,
                                                       .managed = tensor},
                             o);
}
