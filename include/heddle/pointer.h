/* The border to programs with memory, and CUDA work, of their own: pointers with strides, on hosts and GPUs, and streams.
 *
 *     float *x;                                                     // cudaMalloc, after heddle_start
 *     kernel<<<grid, block, 0, mine>>>(x, rows, pitch);
 *     heddle_array *a = heddle_from_pointer(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(rows, columns),
 *                                           .strides = (int64_t[]){pitch, 1}, .place = heddle_gpu(0), .stream = mine);
 *
 * A stream is a cudaStream_t; NULL is none, and the default one is called cudaStreamLegacy. Whoever holds an array's
 * data on a GPU (heddle_part_acquire, heddle_to_dlpack) has them complete, on any stream. docs/guests.md has the rules. */
#ifndef HEDDLE_POINTER_H
#define HEDDLE_POINTER_H

#include <heddle/dlpack.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_from_pointer_options {
    size_t size;            /* call.h */
    const int64_t *strides; /* of each axis, in elements, of any sign; NULL: C order */
    heddle_place place;     /* the GPU whose memory it is; else it is host memory */
    enum heddle_copy copy;
    void *stream;                /* what it was given so far is waited for; NULL: the memory is complete */
    void (*deleter)(void *user); /* called once, from any thread, when Heddle needs the memory no more; also when the
                                    call fails. May be NULL. */
    void *user;
};

/** An array of the caller's memory, from its first element on, in place where heddle_from_dlpack would have it so: then
 *  the memory must stay valid and unchanged until the deleter is called.
 *  Errors: those of heddle_from_dlpack. */
HEDDLE_API heddle_array *heddle_from_pointer_with(const void *data, enum heddle_dtype dtype,
                                                  int ndim, const int64_t *shape,
                                                  const struct heddle_from_pointer_options *o);
#define heddle_from_pointer(...)                                                                   \
    HEDDLE_CALL4(heddle_from_pointer_with, heddle_from_pointer_options, __VA_ARGS__)

struct heddle_to_pointer_options {
    size_t size;            /* call.h */
    const int64_t *strides; /* of each axis, in elements, not 0; NULL: C order */
    heddle_place place;     /* the GPU whose memory it is; else it is host memory */
    void *stream;           /* the elements are written after what it was given so far; NULL: the memory is free */
};

/** Evaluates and waits, and writes the elements into memory of the caller's, the first at `data`. What lies between them
 *  stays. To memory of a GPU they come from that GPU, if they are there. The memory is written when it returns.
 *  Errors: those of heddle_read, HEDDLE_EARG (NULL, a stride of 0), HEDDLE_ENODEVICE, HEDDLE_ENOMEM. */
HEDDLE_API enum heddle_status heddle_to_pointer_with(heddle_array *a, void *data,
                                                     const struct heddle_to_pointer_options *o);
#define heddle_to_pointer(...)                                                                     \
    HEDDLE_CALL2(heddle_to_pointer_with, heddle_to_pointer_options, __VA_ARGS__)

/** A CUDA stream of that GPU for the caller's work, the same at each call; no work of Heddle's waits for it, nor it for
 *  any. A program that has events lets it wait for them (cudaStreamWaitEvent) and names it above. Valid until
 *  heddle_shutdown. Starts the runtime. Errors: HEDDLE_EARG (no GPU's place), HEDDLE_ENODEVICE. */
HEDDLE_API enum heddle_status heddle_stream(heddle_place gpu, void **stream);

#ifdef __cplusplus
}
#endif

#endif
