/* What launching on a stream takes beside kernels: the current device, memory, and marks that tell
 * how far the device has come. Entry points: kernels.h, "heddle__cuda_enter" and those after it. */
#include "cuda/device.h"
#include "kernels.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>

enum {
    RING = 64
}; /* marks that can be told apart; older ones count as the one that follows them */

/* One stream a device. Marks are set by one thread at a time, and asked for by any. */
static struct marks {
    uint64_t last;
    atomic_ullong passed;
    cudaEvent_t events[RING]; /* NULL: not made yet */
    /* other devices' memory: 1: yes, -1: no, 0: not known */
    _Atomic signed char reaches[HEDDLE_MAX_DEVICES];
} marks[HEDDLE_MAX_DEVICES];

int heddle__cuda_is_started(void)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    CUcontext context;
    CUresult (*get)(CUcontext *) = NULL;
    if (!driver) return 0;
    *(void **)&get = dlsym(driver, "cuCtxGetCurrent");
    const int is = get && get(&context) != CUDA_ERROR_NOT_INITIALIZED;
    dlclose(driver);
    return is;
}

int heddle__cuda_current(void)
{
    int now = -1;
    if (cudaGetDevice(&now) == cudaSuccess) return now;
    (void)cudaGetLastError();
    return -1;
}

int heddle__cuda_enter(int device)
{
    const int before = heddle__cuda_current();
    if (before == device) return before;
    if (cudaSetDevice(device) != cudaSuccess) (void)cudaGetLastError();
    return before;
}

void heddle__cuda_leave(int device, int before)
{
    if (before >= 0 && before != device) (void)cudaSetDevice(before);
}

void *heddle__cuda_memory_get(size_t size_bytes)
{
    void *at = NULL;
    if (cudaMalloc(&at, size_bytes) == cudaSuccess) return at;
    (void)cudaGetLastError();
    return NULL;
}

void heddle__cuda_memory_put(void *at)
{
    if (cudaFree(at) != cudaSuccess) (void)cudaGetLastError();
}

void *heddle__cuda_host_get(size_t size_bytes)
{
    void *at = NULL;
    if (cudaHostAlloc(&at, size_bytes, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess)
        return at;
    (void)cudaGetLastError();
    return NULL;
}

void heddle__cuda_host_put(void *at)
{
    if (cudaFreeHost(at) != cudaSuccess) (void)cudaGetLastError();
}

uint64_t heddle__cuda_mark(int device, void *stream)
{
    struct marks *m = &marks[device];
    const uint64_t number = m->last + 1;
    cudaEvent_t *event = &m->events[number % RING];
    if (!*event && cudaEventCreateWithFlags(event, cudaEventDisableTiming) != cudaSuccess) {
        (void)cudaGetLastError();
        *event = NULL;
        return 0;
    }
    if (cudaEventRecord(*event, stream) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return m->last = number;
}

int heddle__cuda_passed(int device, uint64_t number)
{
    struct marks *m = &marks[device];
    unsigned long long passed = atomic_load_explicit(&m->passed, memory_order_acquire);
    if (passed >= number) return 1;
    const cudaError_t error = cudaEventQuery(m->events[number % RING]);
    if (error == cudaErrorNotReady) return 0;
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return -1;
    }
    while (passed < number && !atomic_compare_exchange_weak(&m->passed, &passed, number)) continue;
    return 1;
}

enum heddle_status heddle__cuda_await(void *stream, int device, uint64_t number)
{
    return heddle__cuda_check(cudaStreamWaitEvent(stream, marks[device].events[number % RING], 0),
                              "cudaStreamWaitEvent");
}

bool heddle__cuda_reaches(int device, int other)
{
    struct marks *m = &marks[device];
    if (m->reaches[other] != 0) return m->reaches[other] > 0;
    int can = 0;
    const int before = heddle__cuda_enter(device);
    cudaError_t error = cudaDeviceCanAccessPeer(&can, device, other);
    if (error == cudaSuccess && can) error = cudaDeviceEnablePeerAccess(other, 0);
    const bool yes = can && (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled);
    if (error != cudaSuccess) (void)cudaGetLastError();
    heddle__cuda_leave(device, before);
    m->reaches[other] = yes ? 1 : -1;
    return yes;
}

enum heddle_status heddle__cuda_copy(void *to, int to_device, const void *from, int device,
                                     size_t size_bytes, void *stream)
{
    return heddle__cuda_check(cudaMemcpyPeerAsync(to, to_device, from, device, size_bytes, stream),
                              "cudaMemcpyPeerAsync");
}

void heddle__cuda_drain(void *stream)
{
    if (cudaStreamSynchronize(stream) != cudaSuccess) (void)cudaGetLastError();
}

enum heddle_status heddle__cuda_read(void *to, const void *from, size_t size_bytes, void *stream)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(heddle__cuda_check(
        cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync"));
    HEDDLE_TRY(heddle__cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"));
fail:
    return status;
}

void heddle__cuda_marks_close(int device)
{
    struct marks *m = &marks[device];
    for (int i = 0; i < RING; i++) {
        if (m->events[i]) (void)cudaEventDestroy(m->events[i]);
        m->events[i] = NULL;
    }
    for (int i = 0; i < HEDDLE_MAX_DEVICES; i++) m->reaches[i] = 0;
    atomic_store(&m->passed, m->last);
}
