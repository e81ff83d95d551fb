/* How the elements of DLPack's tensors lie: strides, and views of memory in C order. Entry points: tensor.h. */
#include "run/dlpack/tensor.h"

#include <heddle/index.h>
#include <heddle/manipulate.h>

#include <string.h>

void heddle__dl_c_strides(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape[d] ? shape[d] : 1;
    }
}

bool heddle__dl_is_c_order(const struct heddle_dl_tensor *v)
{
    int64_t strides[HEDDLE_MAX_NDIM];
    heddle__dl_c_strides(v->ndim, v->shape, strides);
    for (int d = 0; d < v->ndim; d++)
        if (v->shape[d] > 1 && v->strides[d] != strides[d]) return false;
    return true;
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

heddle_array *heddle__dl_view(heddle_array *base, const struct heddle_dl_tensor *v,
                              const struct heddle_dl_layout *l)
{
    /* the elements, axes in the tensor's order */
    struct heddle_index index[HEDDLE_MAX_NDIM] = {0};
    int order[HEDDLE_MAX_NDIM], n = 0;
    for (int i = 0; i < l->ndim; i++)
        index[i].step = (i == 0 ? l->step : 1) * (l->reversed[i] ? -1 : 1);
    for (int d = 0; d < v->ndim; d++)
        for (int i = 0; i < l->ndim; i++)
            if (l->axis[i] == d) order[n++] = i;
    heddle_array *a = heddle_getitem(base, l->ndim, index);
    a = heddle_permute_dims(a, l->ndim, order);

    /* the axes that do not lie in memory */
    memset(index, 0, sizeof index);
    for (int d = 0; d < v->ndim; d++) index[d].kind = HEDDLE_INDEX_NEWAXIS;
    for (int i = 0; i < l->ndim; i++) index[l->axis[i]].kind = HEDDLE_INDEX_SLICE;
    a = heddle_getitem(a, v->ndim, index);
    return heddle_broadcast_to(a, v->ndim, v->shape);
}
