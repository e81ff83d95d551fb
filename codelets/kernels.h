/* What every kernel is given, and the kernels of programs. The contract is README.md. */
#ifndef HEDDLE_CODELETS_KERNELS_H
#define HEDDLE_CODELETS_KERNELS_H

#include "program.h"

#include <base/error.h>
#include <base/object.h>
#include <heddle/distribute.h>
#include <stdbool.h>

enum heddle_family {
#define HEDDLE_FAMILY(ID, name) HEDDLE_FAMILY_##ID,
#include "families.def"
#undef HEDDLE_FAMILY
    HEDDLE_N_FAMILIES
};

struct heddle_family_info; /* graph/family.h; kernels do not look into it */

/* A task runs one kernel call after the other, on one device. */
struct heddle_kernel_call {
    const struct heddle_family_info *family;
    const void *arguments; /* plain data of the family's own type, owned by the plan */
};

struct heddle_cpu_memo;

/* How a kernel on a GPU reports that its data are wrong, for example an index out of range: it writes words
 * 1, 2, ..., then a fence of the system, then the tag to word 0. If several are made, one stays. A CPU twin
 * returns the error, with the text of the same heddle_describe. */
enum { HEDDLE_REPORT_WORDS = 4 };
struct heddle_report {
    volatile int64_t *words;
    int64_t tag;
};
/* Gives the error that the words stand for, and writes its text. */
typedef enum heddle_status heddle_describe(const int64_t words[HEDDLE_REPORT_WORDS], char *text,
                                           size_t room);

/* What an executor lends to a call. */
struct heddle_kernel_context {
    void *const *buffers;                 /* those of the task; arguments name them by number */
    const union heddle_scalar *constants; /* those of the evaluation */
    struct heddle_object *const *objects; /* those of the evaluation */
    void *scratch;      /* as many bytes as the family asks for (graph/family.h); 64-byte aligned */
    heddle_place place; /* of the device that it runs on */
    struct heddle_team *team; /* CPU: to run loops on; NULL: the caller alone (base/team.h) */
    void *stream;             /* CUDA: a cudaStream_t, the only one that a kernel may use */
    /* CUDA: of the array that the task writes, if the family reports. */
    struct heddle_report report;
    bool interpreted; /* CUDA: the kernel sets it if the precompiled interpreter stood in */
    /* CPU: NULL, or where a call that runs again and again keeps something: NULL at first, then one block
     * that heddle__free frees. Each time the same buffers must be equal to each other; one call at a time. */
    struct heddle_cpu_memo **memo;
};

/* Buffers are in host memory; the work is done on return. */
struct heddle_cpu_kernel {
    enum heddle_status (*run)(const void *arguments, struct heddle_kernel_context *context);
};
/* Buffers are in the current device's memory; it enqueues work on the stream and returns. */
struct heddle_cuda_kernel {
    enum heddle_status (*run)(const void *arguments, struct heddle_kernel_context *context);
    /* May be NULL. Starts compiling what the call will need, on another thread; returns at once. */
    void (*prepare)(const void *arguments);
};

/* ---- CPU (codelets/cpu) --------------------------------------------------------------------------- */

extern const struct heddle_cpu_kernel heddle__program_cpu; /* arguments: struct heddle_launch */

/* Runs a launch. `buffers`: those of the task, which launch->buffer indexes. `constants`: those of the
 * evaluation, already of the program's dtypes. `team`: NULL for the caller alone. It allocates scratch. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__cpu_program(const struct heddle_launch *launch, void *const buffers[],
                                       const union heddle_scalar constants[],
                                       struct heddle_team *team);
/* The same for a launch that runs again and again: *memo as in struct heddle_kernel_context. */
enum heddle_status heddle__cpu_program_again(const struct heddle_launch *launch,
                                             void *const buffers[],
                                             const union heddle_scalar constants[],
                                             struct heddle_team *team,
                                             struct heddle_cpu_memo **memo);
/* The instruction set that CPU kernels use on this machine: "avx512", "avx2", "baseline". */
const char *heddle__cpu_isa(void);
/* The BLAS, for people to read; "" and this thread's error if there is none. */
const char *heddle__cpu_blas_text(void);

/* ---- CUDA (codelets/cuda) ------------------------------------------------------------------------ */

extern const struct heddle_cuda_kernel heddle__program_cuda; /* arguments: struct heddle_launch */

/* Settings and counters shared with the runtime. */
struct heddle_cuda_settings {
    const char *cache_dir; /* for compiled kernels; NULL: memory only. Copied. */
    bool jit;              /* false: always interpret */
};
struct heddle_cuda_counters {
    int64_t kernels, interpreted, compiled; /* as in heddle_statistics */
};
/* open: once CUDA is up on all `n_devices`. close: before it goes down; waits for the compiler's thread. */
enum heddle_status heddle__cuda_open(int n_devices, const struct heddle_cuda_settings *settings);
void heddle__cuda_close(void);
void heddle__cuda_counters(struct heddle_cuda_counters *out);

/* Why no program is ever compiled: NVRTC, which is looked for once, is not there. NULL: it is. */
const char *heddle__cuda_no_compiler(void);
/* Starts compiling what `launch` will need, on another thread; returns at once. When this is the main
 * thread, exit() waits for the compilers from now on. */
void heddle__cuda_prepare(const struct heddle_launch *launch);
/* Waits until nothing is being compiled (benchmarks, tests). */
void heddle__cuda_wait_compiled(void);

/* `scratch`: device memory of heddle__launch_gpu_scratch_bytes, live until the stream has passed.
 * *interpreted (may be NULL) becomes true when the precompiled interpreter stood in; else unchanged. */
enum heddle_status heddle__cuda_program(const struct heddle_launch *launch, void *const buffers[],
                                        const union heddle_scalar constants[], void *scratch,
                                        void *stream, bool *interpreted);

/* For launches without StarPU. enter makes a device current on this thread and gives the one before, for
 * leave. */
int heddle__cuda_enter(int device);
void heddle__cuda_leave(int device, int before);
/* The one that is current on this thread; -1: none is. The first question in a process starts CUDA. */
int heddle__cuda_current(void);
/* Whether the process uses CUDA already. */
int heddle__cuda_is_started(void);
/* Memory of the current device; NULL when there is none left. */
void *heddle__cuda_memory_get(size_t size_bytes);
void heddle__cuda_memory_put(void *at);
/* Host memory that all devices can write; NULL: there is none left. */
void *heddle__cuda_host_get(size_t size_bytes);
void heddle__cuda_host_put(void *at);
/* Sets a mark behind what was enqueued on the device's stream so far: a number that grows; 0: CUDA failed.
 * One thread at a time, and always the same stream. */
uint64_t heddle__cuda_mark(int device, void *stream);
/* Whether the device has passed a mark: 1, 0, or -1: CUDA failed. Any thread. */
int heddle__cuda_passed(int device, uint64_t number);
void heddle__cuda_marks_close(int device);
/* What is enqueued on the stream from now on waits for a mark of any device. */
enum heddle_status heddle__cuda_await(void *stream, int device, uint64_t number);
/* Whether kernels of a device may read another one's memory. Allows it at the first call. */
bool heddle__cuda_reaches(int device, int other);
/* Copies between two devices, on a stream of `device`. */
enum heddle_status heddle__cuda_copy(void *to, int to_device, const void *from, int device,
                                     size_t size_bytes, void *stream);
/* Waits for all that is on the stream. */
void heddle__cuda_drain(void *stream);
/* Copies from the current device to host memory, behind what is on the stream, and waits. */
enum heddle_status heddle__cuda_read(void *to, const void *from, size_t size_bytes, void *stream);

/* At the border to CUDA work of the caller's: the device's stream for it, which is made at the first call and lives until
 * borders_close; what a stream of anybody's was given so far is waited for; elements are copied between memory of the
 * device at any strides, on a stream, and waited for. */
enum heddle_status heddle__cuda_border(int device, void **stream);
void heddle__cuda_borders_close(void);
enum heddle_status heddle__cuda_wait_for(int device, void *stream);
enum heddle_status heddle__cuda_copy_strided(int device, void *to, const int64_t *to_strides,
                                             const void *from, const int64_t *from_strides,
                                             int ndim, const int64_t *shape, size_t element,
                                             void *stream);

/* CUDA C++ source for a launch's program and layout class, as NVRTC gets it. Needs no GPU. Free it with
 * heddle__free; NULL when memory is gone. */
char *heddle__cuda_source(const struct heddle_launch *launch);
/* Compiles that source for compute capability major.minor. Needs no GPU. */
enum heddle_status heddle__cuda_compile_check(const struct heddle_launch *launch, int major,
                                              int minor);

/* Rates of the current device, measured in a few milliseconds: bytes/s of a copy counting read and
 * write, float64 fused additions/s. */
enum heddle_status heddle__cuda_measure(int device, double *bytes_per_s, double *flops_per_s);
enum heddle_status heddle__cpu_measure(struct heddle_team *team, double *bytes_per_s,
                                       double *flops_per_s);

#endif
