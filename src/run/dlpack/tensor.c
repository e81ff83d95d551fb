/* Options of exchange, DLPack's dtypes, copies. Entry points: tensor.h. */
#include "run/dlpack/tensor.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "graph/node.h"

#include <heddle/create.h>

#include <string.h>

enum heddle_status heddle__dl_options(const char *name, const struct heddle_dlpack_options *given,
                                      struct heddle_dlpack_options *o)
{
    enum heddle_status status;
    HEDDLE_TRY(heddle__refuse_in_function(name));
    HEDDLE_TRY(heddle__options(name, given, o, sizeof *o));
    HEDDLE_REQUIRE((unsigned)o->copy <= HEDDLE_COPY_NEVER, HEDDLE_EARG, "heddle_%s: .copy is %d",
                   name, (int)o->copy);
fail:
    return status;
}

enum heddle_dtype heddle__dl_to_dtype(struct heddle_dl_dtype dtype)
{
    if (dtype.lanes != 1) return HEDDLE_DTYPE_NONE;
    for (int d = HEDDLE_DTYPE_NONE + 1; d < HEDDLE_N_DTYPES; d++) {
        const struct heddle_dl_dtype mine = heddle__dl_from_dtype((enum heddle_dtype)d);
        if (mine.code == dtype.code && mine.bits == dtype.bits) return (enum heddle_dtype)d;
    }
    return HEDDLE_DTYPE_NONE;
}

struct heddle_dl_dtype heddle__dl_from_dtype(enum heddle_dtype dtype)
{
    enum heddle_dl_code code = HEDDLE_DL_BOOL;
    switch (heddle_dtype_kind(dtype)) {
    case 'I': code = HEDDLE_DL_INT; break;
    case 'U': code = HEDDLE_DL_UINT; break;
    case 'F': code = HEDDLE_DL_FLOAT; break;
    case 'C': code = HEDDLE_DL_COMPLEX; break;
    default: break;
    }
    if (dtype == HEDDLE_BFLOAT16) code = HEDDLE_DL_BFLOAT;
    return (struct heddle_dl_dtype){
        .code = (uint8_t)code, .bits = (uint8_t)(8 * heddle_dtype_size(dtype)), .lanes = 1};
}

/* ---- Copies ---------------------------------------------------------------------------------------------- */

/* The array takes the memory over. */
static heddle_array *array_of(char *data, enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    const struct heddle_asarray_options o = {
        .size = sizeof o, .borrow = true, .deleter = heddle__free, .user = data};
    return heddle_asarray_with(data, dtype, ndim, shape, &o);
}

heddle_array *heddle__dl_copied(const char *name, heddle_array *a)
{
    char *data = heddle__alloc((size_t)heddle_nbytes(a));
    if (!data) return heddle__error_array(HEDDLE_ENOMEM, "heddle_%s: no memory", name);
    if (heddle_read(a, data, heddle_nbytes(a)) != HEDDLE_OK) {
        heddle__free(data);
        return heddle__error_last();
    }
    return array_of(data, heddle_dtype_of(a), heddle_ndim(a), heddle_shape(a));
}

void heddle__dl_copy(void *to, const int64_t *to_strides, const void *from,
                     const int64_t *from_strides, int ndim, const int64_t *shape, size_t element)
{
    int64_t at[HEDDLE_MAX_NDIM] = {0}, size = 1, bytes = (int64_t)element;
    char *t = to;
    const char *f = from;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    for (int64_t i = 0; i < size; i++) {
        memcpy(t, f, element);
        for (int d = ndim - 1; d >= 0; d--) {
            t += to_strides[d] * bytes;
            f += from_strides[d] * bytes;
            if (++at[d] < shape[d]) break;
            t -= at[d] * to_strides[d] * bytes;
            f -= at[d] * from_strides[d] * bytes;
            at[d] = 0;
        }
    }
}

heddle_array *heddle__dl_gathered(const char *name, const struct heddle_dl_tensor *t,
                                  const char *first, enum heddle_dtype dtype, int64_t size)
{
    const size_t element = heddle_dtype_size(dtype);
    char *data = heddle__alloc((size_t)size * element);
    if (!data) return heddle__error_array(HEDDLE_ENOMEM, "heddle_%s: no memory", name);
    int64_t strides[HEDDLE_MAX_NDIM];
    heddle__dl_c_strides(t->ndim, t->shape, strides);
    heddle__dl_copy(data, strides, first, t->strides, t->ndim, t->shape, element);
    return array_of(data, dtype, t->ndim, t->shape);
}
