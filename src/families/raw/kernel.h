/* Kernels of the user's: what they are made of, and the arguments of a call, which launches one over whole arrays or over
 * one part of each. */
#ifndef HEDDLE_FAMILIES_RAW_KERNEL_H
#define HEDDLE_FAMILIES_RAW_KERNEL_H

#include "kernels.h"
#include "loaded.h"

#include <heddle/raw.h>

enum {
    HEDDLE_RAW_ARGUMENTS_MAX = 32,
    HEDDLE_RAW_ARRAYS = 16,
    HEDDLE_RAW_OUTPUTS = 8,
    HEDDLE_RAW_VALUE_BYTES = 4000, /* of a kernel's parameters, all together */
};

/* What NVRTC compiles, or CUDA loads. */
enum heddle_raw_code { HEDDLE_RAW_NO_CODE, HEDDLE_RAW_SOURCE, HEDDLE_RAW_IMAGE };

/* The kernel on one GPU. */
struct heddle_raw_loaded {
    struct heddle_loaded at;
    atomic_llong shared_bytes; /* so many dynamic ones are allowed */
};

struct heddle_raw_kernel {
    struct heddle_object object;
    heddle_raw_function *host, *cuda; /* may be NULL */
    void *user;
    void (*deleter)(void *user); /* may be NULL */
    enum heddle_raw_code code;
    char *data; /* text that ends with a zero byte, or an image; NULL: functions alone */
    size_t bytes;
    char *name, *flags;
    uint64_t hash; /* tells kernels apart, for what they cost */
    struct heddle_raw_loaded loaded[HEDDLE_LOADED_DEVICES];
};

/* One argument: which array of the call it is, or where its bytes are. */
struct heddle_raw_given {
    uint8_t role;   /* enum heddle_raw_role */
    uint8_t array;  /* READ, WHOLE, WRITE, UPDATE, SIZE, EXTENTS */
    uint16_t bytes; /* BYTES: how many, ... */
    uint32_t at;    /* ... and where */
};

/* What a call says beside its arrays: an object of its node, so that equal calls with other values have one plan. */
struct heddle_raw_values {
    struct heddle_object object;
    struct heddle_raw_kernel *kernel; /* a reference */
    const char *caller;               /* "heddle_raw_call": a constant, for messages */
    int n;
    int32_t grid[3], block[3]; /* grid[0] = 0: by the elements of the first array that is made */
    int n_axes;                /* of a block, as it was given */
    int64_t shared_bytes;
    struct heddle_raw_given given[HEDDLE_RAW_ARGUMENTS_MAX];
    _Alignas(16) unsigned char bytes[];
};

/* An array of a call. */
struct heddle_raw_array {
    uint8_t role, dtype, ndim;
    bool updates; /* UPDATE: `out` has the elements already */
    uint32_t in;  /* buffers */
    uint32_t out;
    int64_t n; /* elements */
    struct heddle_raw_extents extents;
};

/* A call: one launch. */
struct heddle_raw_call {
    int32_t values; /* its number among the evaluation's objects */
    int32_t n_arrays;
    int64_t part, n_parts;
    uint64_t hash; /* the kernel's */
    struct heddle_raw_array arrays[];
};

/* Makes what a function gets. `views` has room for HEDDLE_RAW_ARGUMENTS_MAX. What the launch points to, beside buffers,
 * is in `views`, the call and its values. HEDDLE_EARG: a grid that is too large. */
enum heddle_status heddle__raw_launch(const struct heddle_raw_call *call,
                                      const struct heddle_kernel_context *k,
                                      struct heddle_raw_view *views,
                                      struct heddle_raw_launch *launch);
/* Calls a function of the kernel's, and makes its error one of the call's. */
enum heddle_status heddle__raw_function(const struct heddle_raw_call *call,
                                        const struct heddle_kernel_context *k,
                                        heddle_raw_function *function,
                                        const struct heddle_raw_launch *launch);

static inline const struct heddle_raw_values *
heddle__raw_values_of(const struct heddle_raw_call *call, struct heddle_object *const objects[])
{
    return (const struct heddle_raw_values *)objects[call->values];
}

#endif
