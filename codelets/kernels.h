/* The kernel families: every executor has a twin of each. The contract is README.md. */
#ifndef HEDDLE_CODELETS_KERNELS_H
#define HEDDLE_CODELETS_KERNELS_H

#include "matmul.h"
#include "program.h"

#include <base/error.h>

/* What a task applies: one kernel call after the other, on one device. */
enum heddle_family { HEDDLE_FAMILY_PROGRAM, HEDDLE_FAMILY_MATMUL, HEDDLE_FAMILY_MAP_PARTS };

/* A function of the user's, applied to one part: the runtime calls it, there is no kernel. The first
 * four as in struct heddle_part_view. */
struct heddle_part_call {
    int64_t lo[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM], before[HEDDLE_MAX_NDIM],
        after[HEDDLE_MAX_NDIM];
    int64_t part;
    uint32_t function; /* which of the evaluation's constants it is */
    uint16_t in, out;  /* buffers */
};
struct heddle_kernel_call {
    enum heddle_family family;
    union {
        struct heddle_launch program;
        struct heddle_matmul matmul;
        const struct heddle_part_call *part; /* MAP_PARTS */
    };
};

/* ---- CPU twins (codelets/cpu). Pointers are in host memory; they return when the work is done. - */

/* What a CPU team lends to a kernel. */
struct heddle_cpu_team {
    int n_threads; /* of the OpenMP region to open; 1: open none */
};

/* `buffers`: the task's, indexed by launch->buffer. `constants`: the evaluation's, already of the
 * program's dtypes. Scratch is allocated inside. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__cpu_program(const struct heddle_launch *launch, void *const buffers[],
                                       const union heddle_scalar constants[],
                                       const struct heddle_cpu_team *team);
/* The same for a launch that runs again and again: *memo, NULL at first, keeps what does not depend
 * on the data: one block, for heddle__free. Each time the same buffers must be equal to each other.
 * One call at a time for a memo. */
struct heddle_cpu_memo;
enum heddle_status heddle__cpu_program_again(const struct heddle_launch *launch,
                                             void *const buffers[],
                                             const union heddle_scalar constants[],
                                             const struct heddle_cpu_team *team,
                                             struct heddle_cpu_memo **memo);
enum heddle_status heddle__cpu_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                      const struct heddle_cpu_team *team);
/* Instruction set that the CPU kernels use here: "avx512", "avx2", "baseline". */
const char *heddle__cpu_isa(void);

/* ---- CUDA twins (codelets/cuda). Pointers are in the current device's memory; `stream` is a
 *      cudaStream_t. They enqueue and return. `scratch` is device memory of
 *      heddle__launch_scratch_bytes, live until the stream has passed. ---------------------------- */

/* Settings and counters shared with the runtime. */
struct heddle_cuda_settings {
    const char *cache_dir; /* compiled kernels live here; NULL: memory only. Copied. */
    bool jit;              /* false: always interpret */
};
struct heddle_cuda_counters {
    int64_t kernels, interpreted, compiled; /* as in heddle_statistics */
};
/* After CUDA is up on all `n_devices`, and before it goes down (waits for the compiler's thread). */
enum heddle_status heddle__cuda_open(int n_devices, const struct heddle_cuda_settings *settings);
void heddle__cuda_close(void);
void heddle__cuda_counters(struct heddle_cuda_counters *out);

/* Starts compiling what `launch` will need, on another thread; returns at once. */
void heddle__cuda_prepare(const struct heddle_launch *launch);
/* Waits until nothing is being compiled (benchmarks, tests). */
void heddle__cuda_wait_compiled(void);

/* *interpreted (may be NULL) becomes true when the precompiled interpreter stood in; else unchanged. */
enum heddle_status heddle__cuda_program(const struct heddle_launch *launch, void *const buffers[],
                                        const union heddle_scalar constants[], void *scratch,
                                        void *stream, bool *interpreted);
enum heddle_status heddle__cuda_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                       void *stream);

/* For who launches without StarPU. Makes a device current on this thread: the one before; leave it. */
int heddle__cuda_enter(int device);
void heddle__cuda_leave(int device, int before);
/* Memory of the current device; NULL when there is none left. */
void *heddle__cuda_memory_get(size_t size_bytes);
void heddle__cuda_memory_put(void *at);
/* A mark behind what was enqueued on the device's stream so far: a number that grows; 0: CUDA failed.
 * One thread at a time, always the same stream. */
uint64_t heddle__cuda_mark(int device, void *stream);
/* Whether the device has passed a mark: 1, 0, or -1: CUDA failed. Any thread. */
int heddle__cuda_passed(int device, uint64_t number);
void heddle__cuda_marks_close(int device);
/* What is enqueued on the stream from now on waits for a mark of any device. */
enum heddle_status heddle__cuda_await(void *stream, int device, uint64_t number);
/* Between two devices, on a stream of `device`. */
enum heddle_status heddle__cuda_copy(void *to, int to_device, const void *from, int device,
                                     size_t size_bytes, void *stream);
/* Waits for all that is on the stream. */
void heddle__cuda_drain(void *stream);
/* Copies from the current device to host memory, behind what is on the stream, and waits. */
enum heddle_status heddle__cuda_read(void *to, const void *from, size_t size_bytes, void *stream);

/* CUDA C++ source for a launch's program and layout class, as given to NVRTC. Needs no GPU.
 * Malloc'ed: free with heddle__free; NULL when memory is gone. */
char *heddle__cuda_source(const struct heddle_launch *launch);
/* Compiles it for compute capability major.minor, with no GPU. */
enum heddle_status heddle__cuda_compile_check(const struct heddle_launch *launch, int major,
                                              int minor);

/* Rates of the current device, measured in a few milliseconds: bytes/s of a copy counting read and
 * write, float64 fused additions/s. */
enum heddle_status heddle__cuda_measure(int device, double *bytes_per_s, double *flops_per_s);
enum heddle_status heddle__cpu_measure(const struct heddle_cpu_team *team, double *bytes_per_s,
                                       double *flops_per_s);

#endif
