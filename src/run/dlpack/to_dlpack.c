/* Arrays as DLPack's tensors. Entry points: heddle_to_dlpack_with, heddle_to_dlpack_unversioned_with. */
#include "array/place.h"
#include "base/memory.h"
#include "graph/check.h"
#include "graph/infer.h"
#include "run/dlpack/tensor.h"
#include "run/evaluate.h"
#include "run/parts.h"

/* A tensor with what keeps its data: memory of its own, a storage, or a view of a part. */
struct exported {
    union {
        struct heddle_dl_versioned versioned;
        struct heddle_dl_unversioned unversioned;
    } managed;
    int64_t shape[HEDDLE_MAX_NDIM], strides[HEDDLE_MAX_NDIM];
    void *copy;
    struct heddle_storage *storage;
    struct heddle_part_view view;
    const void *data; /* whichever has it */
    struct heddle_dl_device device;
    void *stream; /* of the consumer's, which may still read; NULL: none */
};

static void give_back(struct exported *e)
{
    (void)heddle__dl_wait("to_dlpack", e->device, e->stream); /* if it failed, it reads nothing */
    heddle__free(e->copy);
    heddle__storage_release(e->storage);
    heddle_part_release(&e->view);
    heddle__free(e);
}

static void delete_versioned(struct heddle_dl_versioned *self)
{
    give_back(self->manager_ctx);
}

static void delete_unversioned(struct heddle_dl_unversioned *self)
{
    give_back(self->manager_ctx);
}

static enum heddle_status copy_to_host(const char *name, heddle_array *a, struct exported *e)
{
    e->copy = heddle__alloc((size_t)heddle_nbytes(a));
    HEDDLE_REQUIRE(e->copy, HEDDLE_ENOMEM, "heddle_%s: no memory for %lld bytes", name,
                   (long long)heddle_nbytes(a));
    e->data = e->copy;
    return heddle_read(a, e->copy, heddle_nbytes(a));
}

/* The only part, where it is or elsewhere. */
static enum heddle_status view_part(const char *name, heddle_array *a, heddle_place place,
                                    struct exported *e)
{
    const enum heddle_status status = heddle__part_view(name, a, 0, place, false, &e->view);
    e->data = e->view.data;
    return status;
}

/* A copy at a GPU: as an array of its own, which the view keeps. */
static enum heddle_status copy_to_gpu(const char *name, heddle_array *a, heddle_place place,
                                      bool by_host, struct exported *e)
{
    heddle_array *from = by_host ? heddle_own(heddle__dl_copied(name, a)) : heddle_keep(a);
    heddle_array *there = heddle_own(heddle_to(from, place));
    const enum heddle_status status = view_part(name, there, place, e);
    heddle_release(from);
    heddle_release(there);
    return status;
}

static enum heddle_status hold(const char *name, heddle_array *a,
                               const struct heddle_dlpack_options *o, struct exported *e,
                               bool *copied)
{
    struct heddle_dl_whereabouts w;
    enum heddle_status status = heddle__dl_find(name, a, &w);
    if (status != HEDDLE_OK) return status;
    const bool one_part = w.n_parts == 1;
    const heddle_place place = o->place != HEDDLE_ANYWHERE ? o->place
                               : one_part                  ? w.current
                                                           : HEDDLE_PLACE_CPU;
    const bool to_gpu = heddle__place_is_gpu(place);
    const bool there = one_part && (to_gpu ? w.current == place : !heddle__place_is_gpu(w.current));
    const bool always = o->copy == HEDDLE_COPY_ALWAYS;
    *copied = always || !there;
    e->device = heddle__dl_device_of(place);
    if (*copied && o->copy == HEDDLE_COPY_NEVER)
        status =
            heddle__fail(HEDDLE_EARG,
                         "heddle_%s: the data are in %lld parts, or elsewhere: they have to be "
                         "copied, which HEDDLE_COPY_NEVER forbids",
                         name, (long long)w.n_parts);
    else if (to_gpu)
        status = *copied ? copy_to_gpu(name, a, place, always, e) : view_part(name, a, place, e);
    else if (*copied)
        status = copy_to_host(name, a, e);
    else if (w.host) {
        e->storage = w.host;
        e->data = w.data;
        return HEDDLE_OK;
    } else
        status = view_part(name, a, HEDDLE_PLACE_CPU, e);
    heddle__storage_release(w.host);
    return status;
}

/* A tensor of `a`; the caller sets what the versions differ in. NULL: this thread's error. */
static struct exported *make(const char *name, heddle_array *a,
                             const struct heddle_dlpack_options *options, bool *copied)
{
    struct heddle_dlpack_options o;
    if (heddle__dl_options(name, options, &o) != HEDDLE_OK ||
        heddle__check_known_places(name, 1, &o.place) != HEDDLE_OK)
        return NULL;
    struct exported *e = heddle__calloc(1, sizeof *e);
    if (!e) {
        heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory", name);
        return NULL;
    }
    if (hold(name, a, &o, e, copied) == HEDDLE_OK) {
        e->stream = o.stream;
        return e;
    }
    give_back(e);
    return NULL;
}

static struct heddle_dl_tensor tensor_of(heddle_array *a, struct exported *e)
{
    const int ndim = heddle_ndim(a);
    for (int d = 0; d < ndim; d++) e->shape[d] = heddle_shape(a)[d];
    heddle__dl_c_strides(ndim, e->shape, e->strides);
    return (struct heddle_dl_tensor){
        .data = (void *)(uintptr_t)e->data,
        .device = e->device,
        .ndim = ndim,
        .dtype = heddle__dl_from_dtype(heddle_dtype_of(a)),
        .shape = e->shape,
        .strides = e->strides,
    };
}

enum heddle_status heddle_to_dlpack_with(heddle_array *a, struct heddle_dl_versioned **out,
                                         const struct heddle_dlpack_options *o)
{
    bool copied = false;
    HEDDLE_REQUIRE(a && out, HEDDLE_EARG, "heddle_to_dlpack: %s is NULL", a ? "out" : "the array");
    struct exported *e = make("to_dlpack", a, o, &copied);
    if (!e) return heddle__last_code();
    e->managed.versioned = (struct heddle_dl_versioned){
        .major = 1,
        .manager_ctx = e,
        .deleter = delete_versioned,
        .flags = copied ? HEDDLE_DL_IS_COPIED : HEDDLE_DL_READ_ONLY,
        .tensor = tensor_of(a, e),
    };
    *out = &e->managed.versioned;
    return HEDDLE_OK;
}

enum heddle_status heddle_to_dlpack_unversioned_with(heddle_array *a,
                                                     struct heddle_dl_unversioned **out,
                                                     const struct heddle_dlpack_options *o)
{
    bool copied = false;
    HEDDLE_REQUIRE(a && out, HEDDLE_EARG, "heddle_to_dlpack_unversioned: %s is NULL",
                   a ? "out" : "the array");
    struct exported *e = make("to_dlpack_unversioned", a, o, &copied);
    if (!e) return heddle__last_code();
    e->managed.unversioned = (struct heddle_dl_unversioned){
        .tensor = tensor_of(a, e), .manager_ctx = e, .deleter = delete_unversioned};
    *out = &e->managed.unversioned;
    return HEDDLE_OK;
}
