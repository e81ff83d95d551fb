/* What DLPack's tensors say, in Heddle's terms. */
#ifndef HEDDLE_RUN_DLPACK_TENSOR_H
#define HEDDLE_RUN_DLPACK_TENSOR_H

#include "array/storage.h"
#include "base/error.h"

#include <heddle/dlpack.h>

/* ---- Options, dtypes and copies (tensor.c) -------------------------------------------------------------------- */

/* Reads and checks options. A function that the library calls may not exchange tensors. */
enum heddle_status heddle__dl_options(const char *name, const struct heddle_dlpack_options *given,
                                      struct heddle_dlpack_options *o);
/* HEDDLE_DTYPE_NONE: none of Heddle's. */
enum heddle_dtype heddle__dl_to_dtype(struct heddle_dl_dtype dtype);
struct heddle_dl_dtype heddle__dl_from_dtype(enum heddle_dtype dtype);

/* An array of the same elements in host memory of their own; evaluates. */
heddle_array *heddle__dl_copied(const char *name, heddle_array *a);
/* The same of a tensor in host memory, from its first element on, at any strides. */
heddle_array *heddle__dl_gathered(const char *name, const struct heddle_dl_tensor *t,
                                  const char *first, enum heddle_dtype dtype, int64_t size);
/* Elements between host memory at any strides, from the first on. */
void heddle__dl_copy(void *to, const int64_t *to_strides, const void *from,
                     const int64_t *from_strides, int ndim, const int64_t *shape, size_t element);

/* ---- Import (from_dlpack.c) -------------------------------------------------------------------------- */

/* Memory that was taken over. What is said of it is copied, as it may be deleted meanwhile. */
struct heddle_dl_taken {
    const char *name; /* of the public function */
    struct heddle_dl_tensor tensor;
    int64_t shape[HEDDLE_MAX_NDIM], strides[HEDDLE_MAX_NDIM]; /* import's */
    void (*deleter)(void *managed);                           /* may be NULL */
    void *managed;
};
heddle_array *heddle__dl_import(struct heddle_dl_taken *t,
                                const struct heddle_dlpack_options *options);

/* ---- Streams and memory of GPUs (border.c) ----------------------------------------------------------- */

/* Waits for what a stream of the device was given so far; NULL is none. */
enum heddle_status heddle__dl_wait(const char *name, struct heddle_dl_device device, void *stream);
/* An array of memory of a GPU, in C order. */
heddle_array *heddle__dl_lent_gpu(void *data, int device, enum heddle_dtype dtype, int ndim,
                                  const int64_t *shape, void (*deleter)(void *user), void *user);
/* As heddle__dl_gathered, of memory of the tensor's GPU: in memory of their own there. */
heddle_array *heddle__dl_copied_gpu(const char *name, const struct heddle_dl_tensor *t,
                                    const char *first, enum heddle_dtype dtype, int64_t size);
/* Elements in C order into memory of the same GPU at any strides, after what `stream` was given; NULL: Heddle's. */
enum heddle_status heddle__dl_scatter_gpu(heddle_place place, void *to, const int64_t *strides,
                                          const void *from, int ndim, const int64_t *shape,
                                          enum heddle_dtype dtype, void *stream);

/* ---- Strides (layout.c) ------------------------------------------------------------------------------ */

/* How the elements of a tensor lie in memory that is used in place. The axes that lie there, of an extent other
 * than 1 and a stride other than 0, are those of an array in C order, `base`, from the slowest on; of the slowest
 * every step-th index is an element. */
struct heddle_dl_layout {
    bool fits; /* false: they do not lie so, and must be copied; nothing below is set */
    int ndim;
    int axis[HEDDLE_MAX_NDIM];      /* the tensor's axis of each */
    bool reversed[HEDDLE_MAX_NDIM]; /* whether its stride is negative */
    int64_t shape[HEDDLE_MAX_NDIM]; /* of base */
    int64_t step;
    int64_t first; /* of the elements in memory, less the tensor's first */
};

/* Of a tensor with elements and strides. */
struct heddle_dl_layout heddle__dl_layout(const struct heddle_dl_tensor *t);

/* The elements as a view of the base. */
heddle_array *heddle__dl_view(heddle_array *base, const struct heddle_dl_tensor *t,
                              const struct heddle_dl_layout *l);

/* The strides of C order. */
void heddle__dl_c_strides(int ndim, const int64_t *shape, int64_t *strides);
bool heddle__dl_is_c_order(const struct heddle_dl_tensor *t);

/* ---- Where the data of an array are (whereabouts.c) -------------------------------------------------- */

struct heddle_dl_whereabouts {
    int64_t n_parts;
    heddle_place current;        /* of the only part */
    struct heddle_storage *host; /* has all of it in host memory, in one piece; owned, or NULL */
    const void *data;            /* there */
};

/* Evaluates and waits. */
enum heddle_status heddle__dl_find(const char *name, heddle_array *a,
                                   struct heddle_dl_whereabouts *w);
struct heddle_dl_device heddle__dl_device_of(heddle_place place);

#endif
