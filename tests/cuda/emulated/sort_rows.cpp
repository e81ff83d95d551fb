/* Stands in for the launch of a sort of rows, which is a library's: positions of rows of int64 or int32, stable, with
 * elements if these are asked for, or elements of int8. */
#include "families/sort/cuda_sort.h"

#include <heddle/dtype.h>

#include <algorithm>
#include <numeric>

#include <cuda_runtime.h>

template <class T>
static void sort_positions(const struct heddle_sort_kernel *p)
{
    const int64_t n = p->call.n;
    for (int64_t row = 0; row < p->call.rows; row++) {
        const T *in = (const T *)p->in + row * n;
        int64_t *out = (int64_t *)p->out + row * n;
        T *elements = (T *)p->elements + row * n;
        std::iota(out, out + n, 0);
        std::stable_sort(out, out + n, [=](int64_t x, int64_t y) { return in[x] < in[y]; });
        for (int64_t i = 0; p->elements && i < n; i++) elements[i] = in[out[i]];
    }
}

int heddle__sort_launch(const struct heddle_sort_kernel *p, void *)
{
    const int64_t n = p->call.n;
    if (p->call.positions && p->call.dtype == HEDDLE_INT64) {
        sort_positions<int64_t>(p);
    } else if (p->call.positions && p->call.dtype == HEDDLE_INT32) {
        sort_positions<int32_t>(p);
    } else if (!p->call.positions && p->call.dtype == HEDDLE_INT8) {
        int8_t *out = (int8_t *)p->out;
        std::copy_n((const int8_t *)p->in, p->call.rows * n, out);
        for (int64_t row = 0; row < p->call.rows; row++, out += n) {
            std::sort(out, out + n);
            if (p->call.descending) std::reverse(out, out + n);
        }
    } else {
        return (int)cudaErrorInvalidValue;
    }
    return (int)cudaSuccess;
}
