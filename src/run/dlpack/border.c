/* Streams and memory of GPUs at the border. Entry points: heddle_stream, tensor.h. */
#include "array/place.h"
#include "graph/make.h"
#include "run/dlpack/tensor.h"
#include "run/life.h"
#include "run/parts.h"

#include "kernels.h"

#include <heddle/create.h>
#include <heddle/manipulate.h>
#include <heddle/pointer.h>

/* The number of a GPU in use; starts the runtime. */
static enum heddle_status check_gpu(const char *name, heddle_place gpu, int *device)
{
    HEDDLE_REQUIRE(heddle__place_is_gpu(gpu), HEDDLE_EARG, "heddle_%s: place %d is no GPU", name,
                   (int)gpu);
    *device = gpu - HEDDLE_PLACE_GPU;
    return heddle__check_known_places(name, 1, &gpu);
}

enum heddle_status heddle_stream(heddle_place gpu, void **stream)
{
    int device = 0;
    HEDDLE_REQUIRE(stream, HEDDLE_EARG, "heddle_stream: the pointer to the stream is NULL");
    enum heddle_status status = check_gpu("stream", gpu, &device);
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock(); /* it may have been shut down meanwhile */
    status = heddle__need_runtime();
    if (status == HEDDLE_OK && HEDDLE_HAVE_CUDA) status = heddle__cuda_border(device, stream);
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle__dl_wait(const char *name, struct heddle_dl_device device, void *stream)
{
    if (!stream || heddle__is_forked()) return HEDDLE_OK;
    HEDDLE_REQUIRE(HEDDLE_HAVE_CUDA, HEDDLE_ENODEVICE,
                   "heddle_%s: a stream is named, and this library is built without CUDA", name);
    return heddle__cuda_wait_for(device.id, stream);
}

static enum heddle_status copy_strided(int device, void *to, const int64_t *to_strides,
                                       const void *from, const int64_t *from_strides, int ndim,
                                       const int64_t *shape, enum heddle_dtype dtype, void *stream)
{
    enum heddle_status status = HEDDLE_OK;
    if (!HEDDLE_HAVE_CUDA) return status;
    if (!stream) HEDDLE_TRY(heddle__cuda_border(device, &stream));
    HEDDLE_TRY(heddle__cuda_copy_strided(device, to, to_strides, from, from_strides, ndim, shape,
                                         heddle_dtype_size(dtype), stream));
fail:
    return status;
}

static void *memory_get(int device, size_t size_bytes)
{
    if (!HEDDLE_HAVE_CUDA) return NULL;
    const int before = heddle__cuda_enter(device);
    void *at = heddle__cuda_memory_get(size_bytes);
    heddle__cuda_leave(device, before);
    return at;
}

static void memory_put(void *at)
{
    if (HEDDLE_HAVE_CUDA && !heddle__is_forked()) heddle__cuda_memory_put(at);
}

heddle_array *heddle__dl_lent_gpu(void *data, int device, enum heddle_dtype dtype, int ndim,
                                  const int64_t *shape, void (*deleter)(void *user), void *user)
{
    const int64_t one = 1, *at_least_1d = ndim ? shape : &one;
    const struct heddle_part_source part = {.data = data,
                                            .place = heddle_gpu(device),
                                            .extent = at_least_1d[0],
                                            .deleter = deleter,
                                            .user = user};
    heddle_array *a = heddle_from_parts(1, &part, 0, dtype, ndim ? ndim : 1, at_least_1d);
    return ndim ? a : heddle_reshape(a, 0, NULL);
}

heddle_array *heddle__dl_copied_gpu(const char *name, const struct heddle_dl_tensor *t,
                                    const char *first, enum heddle_dtype dtype, int64_t size)
{
    int64_t strides[HEDDLE_MAX_NDIM];
    const heddle_place place = heddle_gpu(t->device.id);
    if (heddle__check_known_places(name, 1, &place) != HEDDLE_OK) return heddle__error_last();
    void *data = memory_get(t->device.id, (size_t)size * heddle_dtype_size(dtype));
    if (!data)
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_%s: no memory on GPU %d", name,
                                   t->device.id);
    heddle__dl_c_strides(t->ndim, t->shape, strides);
    if (copy_strided(t->device.id, data, strides, first, t->strides, t->ndim, t->shape, dtype,
                     NULL) != HEDDLE_OK) {
        memory_put(data);
        return heddle__error_last();
    }
    return heddle__dl_lent_gpu(data, t->device.id, dtype, t->ndim, t->shape, memory_put, data);
}

enum heddle_status heddle__dl_scatter_gpu(heddle_place place, void *to, const int64_t *strides,
                                          const void *from, int ndim, const int64_t *shape,
                                          enum heddle_dtype dtype, void *stream)
{
    int64_t c_strides[HEDDLE_MAX_NDIM];
    heddle__dl_c_strides(ndim, shape, c_strides);
    return copy_strided(place - HEDDLE_PLACE_GPU, to, strides, from, c_strides, ndim, shape, dtype,
                        stream);
}
