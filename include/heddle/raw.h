/* Raw kernels: functions of the program's own, in CUDA for GPUs and in C for CPUs, as operations on arrays.
 *
 *     heddle_raw_kernel *k = heddle_raw_kernel_from_source(text, "saxpy", .host = saxpy_on_a_cpu);
 *     heddle_array *z;
 *     heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_f32(2), heddle_raw_read(x), heddle_raw_read(y),
 *                                             heddle_raw_write(&z, HEDDLE_FLOAT32, HEDDLE_SHAPE(n)),
 *                                             heddle_raw_size_of(1)),
 *                     .block = HEDDLE_LENGTHS(256));
 *
 * for   extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *z, long long n).
 *
 * A call is lazy, like every operation: it records which arrays the kernel reads and which it makes, and runs, in order
 * with what makes and uses them, when one of its results is needed. Arrays are values for it, too: it must not write
 * what it reads. docs/raw-kernels.md has more. */
#ifndef HEDDLE_RAW_H
#define HEDDLE_RAW_H

#include <heddle/distribute.h>
#include <heddle/fft.h>
#include <heddle/list.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kernels ------------------------------------------------------------------------------------- */

/* Where the elements that a launch is given of an array are in the array, axis by axis. In CUDA source it is there after
 * #include "heddle_raw.h". */
struct heddle_raw_extents {
    int64_t shape[HEDDLE_MAX_NDIM]; /* extents of the data, in C order, halo included */
    int64_t lo[HEDDLE_MAX_NDIM];    /* the array's index of the first element of the data */
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM]; /* so many of `shape` are halo */
};

/* An argument, as a function of the program's sees it. */
struct heddle_raw_view {
    void *data;    /* an array's elements, which it may write if it writes the array; else the value */
    int64_t bytes; /* of `data` */
    enum heddle_dtype dtype; /* of an array; else HEDDLE_DTYPE_NONE */
    int ndim;
    struct heddle_raw_extents extents;
};

/* A launch: of a call, or of one part of it. */
struct heddle_raw_launch {
    int n;
    const struct heddle_raw_view *arguments; /* those of the call, in its order */
    int64_t grid[3], block[3];
    int64_t shared_bytes;
    int64_t part, n_parts; /* of a call over parts; else 0 and 1 */
    heddle_place place;    /* where the data are */
    void *stream;          /* at a GPU: the cudaStream_t to work on; else NULL */
    void *user;
};

/* What a kernel does, as a function. At a CPU it is done on return; at a GPU it enqueues its work on the stream. It is
 * called from threads of Heddle's, for several parts at once, and may use OpenMP; as a function of heddle_map_parts it
 * must not wait for Heddle. What it returns but HEDDLE_OK is the error of the results. */
typedef enum heddle_status heddle_raw_function(const struct heddle_raw_launch *launch);

/* Immutable; any number of threads may call it. */
typedef struct heddle_raw_kernel heddle_raw_kernel;

struct heddle_raw_options {
    size_t size;               /* call.h */
    heddle_raw_function *host; /* the same on a CPU; without it the kernel runs on GPUs only */
    heddle_raw_function *cuda; /* of heddle_raw_kernel_from_functions: on a GPU; else not given */
    const char *flags;         /* for the compiler, separated by spaces: "-DN=3 --use_fast_math" */
    void *user;                /* for the functions; must stay valid until the deleter is called, or,
                                  without one, until results have been waited for */
    void (*deleter)(void *user); /* called once, from any thread, when no function will be called any
                                    more; also when the kernel could not be made. May be NULL. */
};

/** The kernel `name` of CUDA C++ source, which must declare it extern "C" __global__. The source, a text that ends with a
 *  zero byte, is copied, and compiled by NVRTC when a GPU first runs it; what was compiled once is found on disk.
 *  A source that does not compile is the error of the results of the first call: HEDDLE_ESYNTAX with the compiler's log.
 *  NULL: no memory, or heddle_last_error says what is wrong with the arguments. */
HEDDLE_API heddle_raw_kernel *
heddle_raw_kernel_from_source_with(const char *source, const char *name,
                                   const struct heddle_raw_options *options);
#define heddle_raw_kernel_from_source(...)                                                         \
    HEDDLE_CALL2(heddle_raw_kernel_from_source_with, heddle_raw_options, __VA_ARGS__)

/** The kernel `name` of a module in memory: `bytes` bytes, which are copied, of PTX, a cubin or a fatbin; or of CUDA C++
 *  source. Which of them it is the bytes tell. */
HEDDLE_API heddle_raw_kernel *
heddle_raw_kernel_from_module_with(const void *data, int64_t bytes, const char *name,
                                   const struct heddle_raw_options *options);
#define heddle_raw_kernel_from_module(...)                                                         \
    HEDDLE_CALL3(heddle_raw_kernel_from_module_with, heddle_raw_options, __VA_ARGS__)

/** The same of a module in a file, which is read now. HEDDLE_EIO. */
HEDDLE_API heddle_raw_kernel *
heddle_raw_kernel_from_file_with(const char *path, const char *name,
                                 const struct heddle_raw_options *options);
#define heddle_raw_kernel_from_file(...)                                                           \
    HEDDLE_CALL2(heddle_raw_kernel_from_file_with, heddle_raw_options, __VA_ARGS__)

/** A kernel that is functions alone: `host` for CPUs, .cuda for GPUs. One of them may be missing. */
HEDDLE_API heddle_raw_kernel *
heddle_raw_kernel_from_functions_with(heddle_raw_function *host,
                                      const struct heddle_raw_options *options);
#define heddle_raw_kernel_from_functions(...)                                                      \
    HEDDLE_CALL1(heddle_raw_kernel_from_functions_with, heddle_raw_options, __VA_ARGS__)

/** NULL is ignored. Calls that are recorded keep what they need: it may be released before they run. */
HEDDLE_API void heddle_raw_kernel_release(heddle_raw_kernel *kernel);

/* ---- Calls ---------------------------------------------------------------------------------------- */

enum heddle_raw_role {
    HEDDLE_RAW_READ,    /* an array; of a call over parts, its part */
    HEDDLE_RAW_WHOLE,   /* an array, the whole of it for each part */
    HEDDLE_RAW_WRITE,   /* a new array, unset: the kernel writes all elements */
    HEDDLE_RAW_UPDATE,  /* a new array that begins as another one */
    HEDDLE_RAW_BYTES,   /* a value: a scalar or a struct */
    HEDDLE_RAW_SIZE,    /* long long: how many elements the launch has of another argument */
    HEDDLE_RAW_EXTENTS, /* struct heddle_raw_extents of another argument */
};

/* An argument of a call, in the place that it has among the kernel's. Made by the functions below. */
struct heddle_raw_argument {
    enum heddle_raw_role role;
    enum heddle_dtype dtype; /* WRITE */
    heddle_array *array;     /* READ, WHOLE, UPDATE */
    heddle_array **out;      /* WRITE, UPDATE: receives the result */
    int ndim;                /* WRITE */
    int of;                  /* SIZE, EXTENTS: the number of the argument, from 0 */
    int64_t shape[HEDDLE_MAX_NDIM];
    const void *bytes; /* BYTES; NULL: those of `value` */
    int64_t n_bytes;
    uint8_t value[8];
};
#define HEDDLE_RAW_ARGUMENTS(...) HEDDLE_LIST_(struct heddle_raw_argument, __VA_ARGS__)

/* These make arguments, and check nothing: the call does. */
static inline struct heddle_raw_argument heddle_raw_argument_(enum heddle_raw_role role,
                                                              heddle_array *a, heddle_array **out)
{
    struct heddle_raw_argument r = HEDDLE_ZEROED_;
    r.role = role;
    r.array = a;
    r.out = out;
    return r;
}
/** The kernel gets const T *: the elements in C order. */
static inline struct heddle_raw_argument heddle_raw_read(heddle_array *a)
{
    return heddle_raw_argument_(HEDDLE_RAW_READ, a, NULL);
}
/** The same; each part of a call over parts gets the whole array. */
static inline struct heddle_raw_argument heddle_raw_whole(heddle_array *a)
{
    return heddle_raw_argument_(HEDDLE_RAW_WHOLE, a, NULL);
}
/** T *: the elements of a new array, which the kernel sets. */
static inline struct heddle_raw_argument heddle_raw_write(heddle_array **out,
                                                          enum heddle_dtype dtype, int ndim,
                                                          const int64_t *shape)
{
    struct heddle_raw_argument r =
        heddle_raw_argument_(HEDDLE_RAW_WRITE, NULL, out);
    r.dtype = dtype;
    r.ndim = ndim;
    for (int d = 0; shape && d < ndim && d < HEDDLE_MAX_NDIM; d++) r.shape[d] = shape[d];
    return r;
}
/** T *: the elements of a new array, which begins as `a`. Where nobody else holds `a`, its memory is the new array's. */
static inline struct heddle_raw_argument heddle_raw_update(heddle_array *a, heddle_array **out)
{
    return heddle_raw_argument_(HEDDLE_RAW_UPDATE, a, out);
}
/** A value of `n` bytes, at most 4000, which are copied by the call: a struct, or a scalar of any type. */
static inline struct heddle_raw_argument heddle_raw_bytes(const void *bytes, int64_t n)
{
    struct heddle_raw_argument r =
        heddle_raw_argument_(HEDDLE_RAW_BYTES, NULL, NULL);
    r.bytes = bytes;
    r.n_bytes = n;
    return r;
}
static inline struct heddle_raw_argument heddle_raw_scalar_(const void *value, size_t n)
{
    struct heddle_raw_argument r = heddle_raw_bytes(NULL, (int64_t)n);
    memcpy(r.value, value, n);
    return r;
}
static inline struct heddle_raw_argument heddle_raw_i32(int32_t value)
{
    return heddle_raw_scalar_(&value, sizeof value);
}
static inline struct heddle_raw_argument heddle_raw_i64(int64_t value)
{
    return heddle_raw_scalar_(&value, sizeof value);
}
static inline struct heddle_raw_argument heddle_raw_f32(float value)
{
    return heddle_raw_scalar_(&value, sizeof value);
}
static inline struct heddle_raw_argument heddle_raw_f64(double value)
{
    return heddle_raw_scalar_(&value, sizeof value);
}
/** long long: how many elements argument `of`, an array, has: of a call over parts, its part, halo included. */
static inline struct heddle_raw_argument heddle_raw_size_of(int of)
{
    struct heddle_raw_argument r =
        heddle_raw_argument_(HEDDLE_RAW_SIZE, NULL, NULL);
    r.of = of;
    return r;
}
/** struct heddle_raw_extents: where the data of argument `of`, an array, are in it. */
static inline struct heddle_raw_argument heddle_raw_extents_of(int of)
{
    struct heddle_raw_argument r = heddle_raw_size_of(of);
    r.role = HEDDLE_RAW_EXTENTS;
    return r;
}

struct heddle_raw_call_options {
    size_t size; /* call.h */
    /* Blocks, and threads of a block, along up to three axes, x first. No grid: as many blocks as have a thread for each
     * element of the first array that is made (of a part: of its part): with a block of one axis the elements in C order, of two or three
     * its last axes, x the last; axes that are left go to the last axis of the grid. No block: 256 threads. */
    struct heddle_lengths grid, block;
    int64_t shared_bytes; /* dynamic shared memory of a block */
    bool over_parts;      /* else the call is one launch, on one device, of whole arrays */
    struct heddle_lengths halo; /* over parts: so many elements before and after its part, axis by axis, clipped at the
                                   ends of the array, does a launch see of what it reads; not given: the overlap that the
                                   first array was distributed with */
    unsigned uncut; /* over parts: bit d: axis d is not cut */
};

/** Records a call. The k-th result is written to where the k-th argument that makes one says; on failure nothing is.
 *
 *  Over parts there is a launch for each part of the first array that is read, updated or, without such, written, where
 *  it lives. Of the other arrays a launch gets the part that corresponds, axis by axis from the last: an extent that is p/q
 *  times that of the first array is cut at p/q times its bounds, which are moved so that they fit; an array that is read
 *  is not cut along axes that it lacks or where it has extent 1. Values must not depend on where the cuts are.
 *
 *  At most 32 arguments, 16 arrays and 8 results.
 *  Errors: HEDDLE_EARG, HEDDLE_ESHAPE, HEDDLE_EDTYPE, HEDDLE_ENOMEM; the code of an array that is in error. At evaluation
 *  HEDDLE_ENODEVICE (no device in use that the kernel is for), HEDDLE_ESYNTAX (the source does not compile), HEDDLE_ENAME
 *  (the module has no such kernel), HEDDLE_EDEVICE (CUDA refuses the launch), and those of functions. */
HEDDLE_API enum heddle_status
heddle_raw_call_with(heddle_raw_kernel *kernel, int n, const struct heddle_raw_argument *arguments,
                     const struct heddle_raw_call_options *options);
#define heddle_raw_call(...)                                                                       \
    HEDDLE_CALL3(heddle_raw_call_with, heddle_raw_call_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
