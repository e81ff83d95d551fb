/* Tensors exchanged with other libraries in the same process, without a copy: DLPack 1.x.
 *
 * The structs below have DLPack's layout under names of Heddle's, so that both headers can be included: a pointer to
 * DLManagedTensorVersioned may be cast to one to heddle_dl_versioned, DLManagedTensor to heddle_dl_unversioned.
 *
 * What is shared must not be written by anybody: arrays are values. An exported tensor says so in its flags
 * (HEDDLE_DL_READ_ONLY); of an imported one, whoever has it must leave the elements as they are until its deleter is
 * called. Ask for HEDDLE_COPY_ALWAYS where that cannot be promised.
 *
 * CUDA streams: an exported tensor is complete, on any stream. An imported one is complete once its producer's stream
 * is, which is named by .stream and waited for; without it, it must be complete. As for heddle_from_parts its memory
 * must have been allocated after heddle_start. Deleters of both are called from any thread. No work of Heddle's on an
 * imported tensor is pending then; of the consumer's on an exported one only what .stream was given, which the deleter
 * waits for. */
#ifndef HEDDLE_DLPACK_H
#define HEDDLE_DLPACK_H

#include <heddle/call.h>
#include <heddle/distribute.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- DLPack's structs and numbers ------------------------------------------------------------------ */

enum heddle_dl_device_type {
    HEDDLE_DL_CPU = 1,
    HEDDLE_DL_CUDA = 2,
    HEDDLE_DL_CUDA_HOST = 3,     /* pinned host memory */
    HEDDLE_DL_CUDA_MANAGED = 13, /* read by the host */
};

enum heddle_dl_code {
    HEDDLE_DL_INT = 0,
    HEDDLE_DL_UINT = 1,
    HEDDLE_DL_FLOAT = 2,
    HEDDLE_DL_BFLOAT = 4,
    HEDDLE_DL_COMPLEX = 5,
    HEDDLE_DL_BOOL = 6, /* a byte, 0 or 1 */
};

struct heddle_dl_device {
    int32_t type; /* enum heddle_dl_device_type */
    int32_t id;   /* of a GPU: CUDA's number */
};

struct heddle_dl_dtype {
    uint8_t code; /* enum heddle_dl_code */
    uint8_t bits; /* of an element: 128 of complex128 */
    uint16_t lanes; /* 1 */
};

struct heddle_dl_tensor {
    void *data;
    struct heddle_dl_device device;
    int32_t ndim;
    struct heddle_dl_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: C order */
    uint64_t byte_offset; /* from `data` to the first element */
};

enum { HEDDLE_DL_READ_ONLY = 1, HEDDLE_DL_IS_COPIED = 2 }; /* flags */

struct heddle_dl_versioned {
    uint32_t major, minor; /* of DLPack: 1.x */
    void *manager_ctx;     /* the producer's */
    void (*deleter)(struct heddle_dl_versioned *self); /* called once by the consumer; may be NULL */
    uint64_t flags;
    struct heddle_dl_tensor tensor;
};

/* Of DLPack before 1.0, without flags: exported ones are read-only all the same. */
struct heddle_dl_unversioned {
    struct heddle_dl_tensor tensor;
    void *manager_ctx;
    void (*deleter)(struct heddle_dl_unversioned *self);
};

/* ---- Exchange ------------------------------------------------------------------------------------------ */

enum heddle_copy { HEDDLE_COPY_IF_NEEDED, HEDDLE_COPY_ALWAYS, HEDDLE_COPY_NEVER };

struct heddle_dlpack_options {
    size_t size; /* call.h */
    enum heddle_copy copy;
    heddle_place place; /* where the result is; HEDDLE_ANYWHERE: where the data are */
    void *stream;       /* a cudaStream_t of the tensor's GPU. from: what it was given so far is waited for. to: what
                           it was given when the deleter is called; it lives as long. NULL: none. The default one is
                           cudaStreamLegacy, 1, as in DLPack's protocol */
};

/** An array of the tensor's elements. The tensor is taken over: its deleter is called when Heddle needs the
 *  memory no more; also when the call fails. In place: C order, axes in any other order, reversed or broadcast, and
 *  steps along the slowest axis. With other strides it is copied, on a GPU by it; so is host memory that is not
 *  aligned to its elements.
 *  Errors: HEDDLE_EARG (NULL; HEDDLE_COPY_NEVER where a copy is needed), HEDDLE_EDTYPE (no dtype of Heddle's),
 *  HEDDLE_ESHAPE, HEDDLE_EUNSUPPORTED (another major version, another device, no alignment on a GPU),
 *  HEDDLE_ENODEVICE (a GPU that is not in use, a stream without one), HEDDLE_ENOMEM. */
HEDDLE_API heddle_array *heddle_from_dlpack_with(struct heddle_dl_versioned *tensor,
                                                 const struct heddle_dlpack_options *o);
HEDDLE_API heddle_array *
heddle_from_dlpack_unversioned_with(struct heddle_dl_unversioned *tensor,
                                    const struct heddle_dlpack_options *o);

/** The data of `a` as a tensor in C order, which the caller owns and gives back by its deleter. Evaluates and waits. It
 *  holds the data, so that `a` may be released before. They are shared if they lie in one piece in host memory,
 *  or in one part on the GPU that is asked for; else, or with HEDDLE_COPY_ALWAYS, they are copied, and
 *  HEDDLE_DL_IS_COPIED is set. heddle_shutdown may refuse until it is given back, as with a view of a part.
 *  Errors: those of evaluating `a`, HEDDLE_EARG (NULL; HEDDLE_COPY_NEVER where a copy is needed), HEDDLE_ENODEVICE,
 *  HEDDLE_ENOMEM; *out is untouched. */
HEDDLE_API enum heddle_status heddle_to_dlpack_with(heddle_array *a,
                                                    struct heddle_dl_versioned **out,
                                                    const struct heddle_dlpack_options *o);
HEDDLE_API enum heddle_status
heddle_to_dlpack_unversioned_with(heddle_array *a, struct heddle_dl_unversioned **out,
                                  const struct heddle_dlpack_options *o);

/** Where heddle_to_dlpack would have the data, unless a place is asked for. Evaluates and waits. */
HEDDLE_API enum heddle_status heddle_dlpack_device(heddle_array *a, struct heddle_dl_device *out);

#define heddle_from_dlpack(...)                                                                    \
    HEDDLE_CALL1(heddle_from_dlpack_with, heddle_dlpack_options, __VA_ARGS__)
#define heddle_from_dlpack_unversioned(...)                                                        \
    HEDDLE_CALL1(heddle_from_dlpack_unversioned_with, heddle_dlpack_options, __VA_ARGS__)
#define heddle_to_dlpack(...)                                                                      \
    HEDDLE_CALL2(heddle_to_dlpack_with, heddle_dlpack_options, __VA_ARGS__)
#define heddle_to_dlpack_unversioned(...)                                                          \
    HEDDLE_CALL2(heddle_to_dlpack_unversioned_with, heddle_dlpack_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
