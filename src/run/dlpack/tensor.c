/* DLPack's dtypes and strides, and copies. Entry points: tensor.h. */
#include "run/dlpack/tensor.h"

#include "base/memory.h"
#include "graph/node.h"

#include <heddle/create.h>

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
    return (struct heddle_dl_dtype){
        .code = (uint8_t)code, .bits = (uint8_t)(8 * heddle_dtype_size(dtype)), .lanes = 1};
}

int64_t heddle__dl_c_strides(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t n = 1, stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape[d] ? shape[d] : 1;
        n *= shape[d];
    }
    return n;
}

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

struct heddle_dl_layout heddle__dl_layout(const struct heddle_dl_tensor *t)
{
    struct heddle_dl_layout l = {.step = 1};
    const int64_t *const strides = t->strides;

    /* those that lie in memory, by their distances; insertion keeps the order of equal ones */
    for (int d = 0; d < t->ndim; d++) {
        if (t->shape[d] == 1 || strides[d] == 0) continue;
        if (strides[d] == INT64_MIN) return l;
        int at = l.ndim++;
        for (; at > 0 && distance(strides[l.axis[at - 1]]) < distance(strides[d]); at--)
            l.axis[at] = l.axis[at - 1];
        l.axis[at] = d;
    }

    /* each begins where those that are faster end; the slowest may leave some out */
    int64_t dense = 1;
    for (int i = l.ndim - 1; i >= 0; i--) {
        const int64_t extent = t->shape[l.axis[i]], stride = strides[l.axis[i]];
        const int64_t step = distance(stride) / dense;
        if (distance(stride) % dense != 0 || step == 0 || (i > 0 && step != 1)) return l;
        if (step > INT64_MAX / dense / extent) return l;
        l.reversed[i] = stride < 0;
        if (stride < 0) l.first += (extent - 1) * stride;
        l.shape[i] = (extent - 1) * step + 1;
        l.step = step;
        dense *= l.shape[i];
    }
    l.fits = true;
    return l;
}

heddle_array *heddle__dl_copied(const char *name, heddle_array *a)
{
    char *data = heddle__alloc((size_t)heddle_nbytes(a));
    if (!data) return heddle__error_array(HEDDLE_ENOMEM, "heddle_%s: no memory", name);
    if (heddle_read(a, data, heddle_nbytes(a)) != HEDDLE_OK) {
        heddle__free(data);
        return heddle__error_last();
    }
    const struct heddle_asarray_options o = {
        .size = sizeof o, .borrow = true, .deleter = heddle__free, .user = data};
    return heddle_asarray_with(data, heddle_dtype_of(a), heddle_ndim(a), heddle_shape(a), &o);
}
