/* The machine: configuration, start, shut-down, devices, statistics. All of it is optional: the
 * first evaluation that needs the runtime starts it with the defaults. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include <heddle/distribute.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happens when a task at one place reads a part that lives at another, and nobody asked for that
 * with heddle_distribute. Docs: distribution.md, "Movement". */
enum heddle_movement {
    HEDDLE_MOVE_DEFAULT = 0, /* as HEDDLE_MOVEMENT says, else freely */
    HEDDLE_MOVE_FREELY,      /* it moves */
    HEDDLE_MOVE_REPORTED,    /* it moves; counted in implicit_bytes, and a line on standard error for
                                each evaluation */
    HEDDLE_MOVE_FORBIDDEN,   /* the evaluation is refused with HEDDLE_EARG, and nothing of it starts */
};

/* Zero means the default, which the environment variable, if set, decides; heddle_variables lists them. */
struct heddle_config {
    size_t size;              /* sizeof, or 0: call.h */
    const char *devices;      /* "cpu", "gpu", "cpu,gpu:0,gpu:2", "all"; HEDDLE_DEVICES; all */
    int cpu_threads;          /* threads of the CPU teams together; HEDDLE_CPU_THREADS; the cores
                                 allowed to the process less one for each GPU */
    int cpu_workers;          /* teams, each one place; HEDDLE_CPU_WORKERS; one a NUMA domain */
    int64_t gpu_memory_bytes; /* limit for each GPU; HEDDLE_GPU_MEMORY (with K, M, G); 90 % */
    int64_t cpu_memory_bytes; /* limit of Heddle's host memory; HEDDLE_CPU_MEMORY; 80 % of the
                                 machine's, or of what control groups and ulimit -v leave */
    const char *cache_dir;    /* kernels, calibration; HEDDLE_CACHE; $XDG_CACHE_HOME/heddle */
    int max_tasks;            /* tasks in flight; HEDDLE_MAX_TASKS; 1000 */
    int64_t inline_bytes;     /* work below it runs on the caller's thread; HEDDLE_INLINE_BYTES;
                                 -1: none does */
    int64_t part_bytes;       /* aim of the automatic partition; HEDDLE_PART_BYTES */
    const char *partition;    /* force a grid on every array, for tests: "3x2" parts on the leading
                                 axes; HEDDLE_PARTITION */
    bool no_fusion;           /* each operation its own program; HEDDLE_FUSION=0 */
    bool no_jit;              /* programs are interpreted, never compiled; HEDDLE_JIT=0 */
    enum heddle_movement movement; /* of distributed arrays; HEDDLE_MOVEMENT=free, report, forbid */
    bool no_direct;                /* plans whose data are on GPUs go through StarPU, too;
                                      HEDDLE_DIRECT=0 */
    const char *temp_dir;          /* for results and temporaries that do not fit host memory, in files
                                      without names; HEDDLE_TMP; $TMPDIR, else /var/tmp, else /tmp.
                                      One in memory (tmpfs) is used only if it is named here */
};

/** Sets the configuration; NULL is all defaults; strings are copied. Before the runtime starts, or after
 *  heddle_shutdown. HEDDLE_EARG when it runs, or when a field is malformed. */
HEDDLE_API enum heddle_status heddle_configure(const struct heddle_config *config);

/* An environment variable: one that Heddle reads, or one that is set, begins with HEDDLE_ and that this
 * version does not know. HEDDLE_TEST_... is left to test programs. */
struct heddle_variable {
    char name[64];
    char value[256];      /* as it is set now, cut to fit; "" when it is not */
    char allowed[128];    /* what may stand there: "an integer from 1 to 65536" */
    char by_default[96];  /* what holds when it is not set */
    char meaning[128];
    char problem[256];    /* why the value cannot be used, or that the name is not known; "": nothing */
    char meant[64];       /* of an unknown name: the known one that was probably meant, or "" */
    bool is_known, is_set;
};

/** Lists them: those that Heddle reads, then the unknown ones. Starts nothing. A malformed value is an
 *  error of the first call that needs it; an unknown name is none, since it may be a newer version's, and
 *  the command `heddle` warns of it. Writes at most `room`; *n is how many there are. Errors: HEDDLE_EARG. */
HEDDLE_API enum heddle_status heddle_variables(int room, struct heddle_variable *variables, int *n);

/** Starts the runtime now: start-up is else part of the first large evaluation. Idempotent. */
HEDDLE_API enum heddle_status heddle_start(void);

/** Waits for all work, releases every device and thread. Arrays stay valid: their data move to
 *  host memory. A later evaluation starts the runtime again. Calls of other threads end first; what
 *  they call meanwhile waits, and starts the runtime again if it needs it. Runs at exit by itself.
 *  Errors: HEDDLE_EARG while a view of a part is held (heddle_part_acquire), and in a function of
 *  heddle_map_parts or a deleter; HEDDLE_EDEVICE in a child of fork(). Nothing has happened then. */
HEDDLE_API enum heddle_status heddle_shutdown(void);

struct heddle_device {
    char name[64];           /* "cpu:0", "gpu:1" */
    char model[128];         /* what it is */
    int threads;             /* cpu: of the team; gpu: 0 */
    int64_t memory_bytes;    /* that Heddle may use there */
    double bandwidth;        /* bytes/s, as measured; 0: not yet */
    double flops;            /* float64 additions/s, as measured; 0: not yet */
    bool used;               /* whether tasks run there */
    char why_not[128];       /* not used: why. Used: what makes it slower than it could be, if anything */
};

/** Starts the runtime and lists devices, used or not. Writes at most `room` of them; *n is how
 *  many there are. */
HEDDLE_API enum heddle_status heddle_devices(int room, struct heddle_device *devices, int *n);

/** The BLAS that multiplies matrices of floating dtypes on CPUs, with the core whose kernels it uses and who chose
 *  them: "OpenBLAS 0.3.21, kernels of SkylakeX, as Heddle asked (by itself: Prescott)". Loads it. Static text; "" if
 *  there is none, and heddle_last_error says why. */
HEDDLE_API const char *heddle_blas(void);

/* Counters since the start of the process or heddle_statistics_reset. */
struct heddle_statistics {
    int64_t evaluations;      /* plans run */
    int64_t plans_made;       /* not from the cache */
    int64_t runs_again;       /* of prepared texts: evaluations without recording (prepared.h) */
    int64_t inline_programs;  /* programs run on the caller's thread */
    int64_t cpu_tasks;        /* StarPU tasks that ran on CPU teams */
    int64_t gpu_tasks;        /* ... on GPUs, direct launches included */
    int64_t gpu_direct;       /* plans launched on GPUs by the caller's thread, without StarPU */
    int64_t gpu_kernels;      /* CUDA kernels launched */
    int64_t gpu_interpreted;  /* of these, by the precompiled interpreter */
    int64_t gpu_compiled;     /* programs compiled by NVRTC (not found in the disk cache) */
    int64_t bytes_to_gpu;     /* host to device */
    int64_t bytes_from_gpu;
    int64_t bytes_gpu_to_gpu;
    int64_t implicit_bytes;   /* moved without being asked for, under HEDDLE_MOVE_REPORTED */
    int64_t arrays_live;      /* arrays that exist now */
    int64_t bytes_live;       /* host bytes of storage that exist now, without mapped files */
    int64_t plans_cached;     /* plans that are kept for evaluations of equal structure, now */
    int64_t plan_bytes;       /* host bytes that they take: at most 64 MB, or 1/64 of the limit of memory */
    int64_t cpu_compiled;     /* CPU programs compiled by a C compiler, or found so on disk */
};

HEDDLE_API void heddle_statistics_get(struct heddle_statistics *out);
HEDDLE_API void heddle_statistics_reset(void); /* usage and traffic too */

/** With HEDDLE_CHECK=1 in the environment: how many calls without an error of their own (heddle_release,
 *  heddle_scope_close, queries) got a handle that is no living array's or scope's. Each has written a line on
 *  standard error. Docs: ownership.md, "Checked". */
HEDDLE_API int64_t heddle_check_count(void);

/* What one device did since the start of the process or heddle_statistics_reset. Work on the
 * caller's thread is not a device's. */
struct heddle_usage {
    char name[64]; /* "cpu:0", "gpu:1" */
    heddle_place place;
    int64_t tasks;            /* that it ran to their end */
    double busy_seconds;      /* in their kernels; a GPU's: from the begin of a task's work, or the
                                 end of the task before, to its end as the host sees it */
    double predicted_seconds; /* that Heddle expected for the same tasks when they ended, from its
                                 rates and what tasks before them took */
    double idle_seconds;      /* the rest of the time that the runtime was up: without a task, or
                                 waiting for its data */
    int64_t peak_bytes; /* most memory in use there, seen at the ends of tasks. A GPU: of StarPU's
                           buffers, those kept for reuse included. A CPU: of host memory, which its
                           teams share: arrays, without what the caller lent, and StarPU's buffers */
};

/** The devices that have been in use. Writes at most `room` of them; *n is how many there are. Starts
 *  nothing; after a first call of heddle_start or a first evaluation by tasks there is one at
 *  least. Errors: HEDDLE_EARG. */
HEDDLE_API enum heddle_status heddle_usage_get(int room, struct heddle_usage *usage, int *n);

/* What one link moved since the start of the process or heddle_statistics_reset. */
struct heddle_traffic {
    heddle_place from, to; /* heddle_cpu(0) stands for host memory */
    int64_t bytes, transfers;
};

/** The links that moved something, as heddle_usage_get lists devices. Errors: HEDDLE_EARG. */
HEDDLE_API enum heddle_status heddle_traffic_get(int room, struct heddle_traffic *traffic, int *n);

#ifdef __cplusplus
}
#endif

#endif
