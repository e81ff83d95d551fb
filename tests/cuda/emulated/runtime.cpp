/* The parts of the CUDA runtime and of NVRTC that the kernels and their tests use, on the host: memory
 * is host memory, a launch runs its blocks one after the other with a fiber for each thread, and NVRTC
 * is the C++ compiler. The order of blocks and threads differs from launch to
 * launch. So kernels run, slowly, where there is no GPU. */
#undef _FORTIFY_SOURCE /* it takes jumps between fibers for mistakes */
#define __shared__
#include "device.hpp"

#include "cuda/nvrtc_library.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

/* ---- threads --------------------------------------------------------------------------------- */

extern "C" {
uint3 emulated_thread, emulated_block;
dim3 emulated_block_dim, emulated_grid_dim;
ulonglong2 interp_shared[1 << 14];
}

namespace
{
constexpr size_t stack_bytes = 256 << 10;

struct barrier {
    unsigned arrived = 0, generation = 0;
};
struct fiber { /* one body, block after block */
    ucontext_t context;
    jmp_buf here; /* a context switch would also save signals, at a hundred times the cost */
    char *stack = nullptr;
    uint3 index;
    bool done = false;
    unsigned value = 0; /* shuffled */
};

std::vector<fiber> fibers;
jmp_buf scheduler;
unsigned n_threads, current, n_launches;
barrier block_barrier, warp_barrier[32];
void (*kernel)(const void *);
const void *parameters;

void yield()
{
    if (_setjmp(fibers[current].here) == 0) _longjmp(scheduler, 1);
}

void wait(barrier &b, unsigned expected)
{
    const unsigned generation = b.generation;
    if (++b.arrived == expected) {
        b.arrived = 0;
        b.generation++;
    } else
        while (b.generation == generation) yield();
}

void body()
{
    for (;;) {
        kernel(parameters);
        fibers[current].done = true;
        yield();
    }
}

void resume(fiber &f)
{
    if (_setjmp(scheduler) != 0) return;
    if (f.stack) _longjmp(f.here, 1);
    f.stack = (char *)malloc(stack_bytes);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = stack_bytes;
    makecontext(&f.context, body, 0);
    setcontext(&f.context);
}

void run_block()
{
    for (unsigned t = 0; t < n_threads; t++) {
        fiber &f = fibers[t];
        f.done = false;
        f.index = {t % emulated_block_dim.x, t / emulated_block_dim.x, 0};
    }
    for (unsigned left = n_threads; left > 0;) {
        left = 0;
        for (unsigned t = 0; t < n_threads; t++) {
            current = n_launches % 2 ? n_threads - 1 - t : t;
            fiber &f = fibers[current];
            if (f.done) continue;
            emulated_thread = f.index;
            resume(f);
            left += !f.done;
        }
    }
}

struct copied { /* a kernel is called with its struct by value: enough for all of ours */
    char bytes[16384];
};
} // namespace

extern "C" void emulated_syncthreads(void)
{
    wait(block_barrier, n_threads);
    emulated_thread = fibers[current].index;
}

extern "C" int emulated_syncthreads_or(int predicate)
{
    fibers[current].value = predicate != 0;
    wait(block_barrier, n_threads);
    unsigned any = 0;
    for (unsigned t = 0; t < n_threads; t++) any |= fibers[t].value;
    wait(block_barrier, n_threads);
    emulated_thread = fibers[current].index;
    return any != 0;
}

extern "C" void emulated_syncwarp(void)
{
    wait(warp_barrier[current / 32], 32);
    emulated_thread = fibers[current].index;
}

extern "C" unsigned emulated_shuffle(unsigned value, int lane)
{
    const unsigned warp = current / 32;
    fibers[current].value = value;
    wait(warp_barrier[warp], 32);
    const unsigned r = fibers[warp * 32 + (unsigned)(lane & 31)].value;
    wait(warp_barrier[warp], 32);
    emulated_thread = fibers[current].index;
    return r;
}

/* ---- runtime --------------------------------------------------------------------------------- */

extern "C" {

/* As far as the memory is there. */
static void read_some(void *to, const void *from, size_t bytes)
{
    const iovec local = {to, bytes}, remote = {const_cast<void *>(from), bytes};
    (void)!process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t,
                             cudaStream_t)
{
    /* A struct by value above 16 bytes lies on the stack: hand over as much as a kernel may read, or
     * as can be read. An int behind it, if there is one, goes in a register. */
    static copied held;
    static int number;
    void *second = nullptr;
    read_some(held.bytes, args[0], sizeof held.bytes);
    read_some(&second, args + 1, sizeof second);
    number = 0;
    read_some(&number, second, sizeof number);
    kernel = [](const void *p) {
        ((void (*)(copied, int))((void **)p)[0])(*(copied *)((void **)p)[1], number);
    };
    void *call[2] = {(void *)function, held.bytes};
    parameters = call;
    emulated_block_dim = block;
    emulated_grid_dim = grid;
    n_threads = block.x * block.y;
    if (fibers.size() < n_threads) fibers.resize(n_threads);
    n_launches++;
    for (unsigned b = 0; b < grid.x; b++) {
        emulated_block = {(unsigned)((b + 7919ul * n_launches) % grid.x), 0, 0};
        block_barrier = barrier();
        for (auto &w : warp_barrier) w = barrier();
        run_block();
    }
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t)
{
    return "emulated";
}
cudaError_t cudaGetDevice(int *d)
{
    return *d = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    return *n = 1, cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *f, size_t *t)
{
    return *f = *t = 0, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
    *v = a == cudaDevAttrComputeCapabilityMajor         ? 9
         : a == cudaDevAttrComputeCapabilityMinor       ? 0
         : a == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (int)sizeof interp_shared
                                                        : 3;
    return cudaSuccess;
}
extern "C" int heddle__cuda_measure_rates(int, double *bytes_per_s, double *flops_per_s)
{
    return *bytes_per_s = *flops_per_s = 1, 0;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *)
{
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    static uintptr_t n;
    return *s = (cudaStream_t)++n, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t)
{
    *p = aligned_alloc(256, (n + 255) / 256 * 256 + 256);
    return cudaSuccess;
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t)
{
    return free(p), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t)
{
    return memcpy(to, from, n), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t)
{
    return memset(p, v, n), cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t w, size_t h, cudaStream_t)
{
    for (size_t k = 0; k < h; k++) memset((char *)p + k * pitch, v, w);
    return cudaSuccess;
}

/* ---- compiler: "machine code" is the path of a shared object ------------------------------------ */

struct _nvrtcProgram {
    std::string source, header, path;
};

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    return *major = *minor = 0, NVRTC_SUCCESS;
}
const char *nvrtcGetErrorString(nvrtcResult)
{
    return "emulated";
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *source, const char *, int,
                               const char *const *headers, const char *const *)
{
    *p = new _nvrtcProgram{source, headers[0], ""};
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int, const char *const *)
{
    const char *temporary = getenv("TMPDIR");
    std::string at = std::string(temporary ? temporary : "/tmp") + "/heddle-emulated-XXXXXX";
    if (!mkdtemp(&at[0])) return NVRTC_ERROR_INTERNAL_ERROR;
    FILE *f = fopen((at + "/heddle.cuh").c_str(), "w");
    fputs(p->header.c_str(), f);
    fclose(f);
    f = fopen((at + "/k.cpp").c_str(), "w");
    fputs("#define HEDDLE_EMULATED 1\n#define __shared__ static\n#include \"device.hpp\"\n", f);
    fputs(p->source.c_str(), f);
    fclose(f);
    p->path = at + "/k.so";
    const std::string command =
        "c++ -std=c++17 -w -O0 -ffp-contract=off -fno-strict-aliasing -fPIC "
        "-shared -I" EMULATED_INCLUDE " -isystem " CUDA_INCLUDE " -I" +
        at + " " + at + "/k.cpp -o " + p->path;
    return system(command.c_str()) == 0 ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *n)
{
    return *n = p->path.size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
    return memcpy(out, p->path.c_str(), p->path.size() + 1), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t *n)
{
    return *n = 0, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char *)
{
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p)
{
    delete *p;
    return NVRTC_SUCCESS;
}

enum heddle_status heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc)
{
#define FUNCTION(name) &name,
    static const struct heddle_nvrtc functions = {HEDDLE_NVRTC_MAP(FUNCTION)};
#undef FUNCTION
    return *nvrtc = &functions, HEDDLE_OK;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *l, const void *path, cudaJitOption *, void **,
                                unsigned, cudaLibraryOption *, void **, unsigned)
{
    *l = (cudaLibrary_t)dlopen((const char *)path, RTLD_NOW | RTLD_LOCAL);
    if (!*l) fprintf(stderr, "%s\n", dlerror());
    return *l ? cudaSuccess : cudaErrorInvalidKernelImage;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *k, cudaLibrary_t l, const char *name)
{
    *k = (cudaKernel_t)dlsym((void *)l, name);
    return *k ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t)
{
    return cudaSuccess;
}
}
