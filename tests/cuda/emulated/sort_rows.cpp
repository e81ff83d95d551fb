/* Stands in for the launch of a sort of rows, which is a library's: positions of rows of int64, stable, with elements if
 * these are asked for. */
#include "families/sort/cuda_sort.h"

#include <algorithm>
#include <numeric>

#include <cuda_runtime.h>

int heddle__sort_launch(const struct heddle_sort_kernel *p, void *)
{
    const int64_t n = p->call.n;
    if (!p->call.positions || p->call.element_bytes != 8) return (int)cudaErrorInvalidValue;
    for (int64_t row = 0; row < p->call.rows; row++) {
        const int64_t *in = (const int64_t *)p->in + row * n;
        int64_t *out = (int64_t *)p->out + row * n, *elements = (int64_t *)p->elements + row * n;
        std::iota(out, out + n, 0);
        std::stable_sort(out, out + n, [=](int64_t x, int64_t y) { return in[x] < in[y]; });
        for (int64_t i = 0; p->elements && i < n; i++) elements[i] = in[out[i]];
    }
    return (int)cudaSuccess;
}
