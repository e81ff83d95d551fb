/* The border to CUDA work of the caller's: a stream of Heddle's for it, streams of theirs that are waited for, and
 * copies between memory at any strides. Entry points: kernels.h, "At the border". */
#include "cuda/border.h"

#include "base/at_fork.h"
#include "cuda/device.h"
#include "kernels.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static cudaStream_t streams[HEDDLE_MAX_DEVICES]; /* NULL: not made yet */

HEDDLE_AT_FORK(.mutex = &mutex)

enum heddle_status heddle__cuda_border(int device, void **stream)
{
    HEDDLE_REQUIRE(device >= 0 && device < HEDDLE_MAX_DEVICES, HEDDLE_ENODEVICE,
                   "there is no GPU %d", device);
    enum heddle_status status = HEDDLE_OK;
    pthread_mutex_lock(&mutex);
    if (!streams
            [device]) { /* it does not wait for the default stream, nor the default stream for it */
        const int before = heddle__cuda_enter(device);
        status =
            heddle__cuda_check(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking),
                               "cudaStreamCreateWithFlags");
        heddle__cuda_leave(device, before);
    }
    *stream = streams[device];
    pthread_mutex_unlock(&mutex);
    return status;
}

void heddle__cuda_borders_close(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < HEDDLE_MAX_DEVICES; i++) {
        if (streams[i] && cudaStreamDestroy(streams[i]) != cudaSuccess) (void)cudaGetLastError();
        streams[i] = NULL;
    }
    pthread_mutex_unlock(&mutex);
}

enum heddle_status heddle__cuda_wait_for(int device, void *stream)
{
    const int before = heddle__cuda_enter(device); /* the default streams are the device's */
    const enum heddle_status status =
        heddle__cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    heddle__cuda_leave(device, before);
    return status;
}

/* Axes of one element go, and those go together that are one in both memories; at least one stays. */
static struct heddle_strided joined(int ndim, const int64_t *shape, const int64_t *to_strides,
                                    const int64_t *from_strides)
{
    struct heddle_strided s = {.n = 0};
    for (int d = 0; d < ndim; d++) {
        const int last = s.n - 1;
        if (shape[d] == 1) continue;
        if (s.n > 0 && s.to[last] == to_strides[d] * shape[d] &&
            s.from[last] == from_strides[d] * shape[d]) {
            s.extent[last] *= shape[d];
            s.to[last] = to_strides[d];
            s.from[last] = from_strides[d];
            continue;
        }
        s.extent[s.n] = shape[d];
        s.to[s.n] = to_strides[d];
        s.from[s.n++] = from_strides[d];
    }
    if (s.n == 0) s.extent[s.n++] = 1;
    return s;
}

enum heddle_status heddle__cuda_copy_strided(int device, void *to, const int64_t *to_strides,
                                             const void *from, const int64_t *from_strides,
                                             int ndim, const int64_t *shape, size_t element,
                                             void *stream)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    if (size == 0) return HEDDLE_OK;
    const struct heddle_strided s = joined(ndim, shape, to_strides, from_strides);
    const int before = heddle__cuda_enter(device);
    enum heddle_status status = heddle__cuda_check(
        (cudaError_t)heddle__cuda_launch_strided(to, from, size, (int)element, &s, stream),
        "a strided copy");
    if (status == HEDDLE_OK)
        status = heddle__cuda_check(cudaStreamSynchronize(stream), "a strided copy");
    heddle__cuda_leave(device, before);
    return status;
}
