/* Stands in for the launches of sorts, which are a library's: of rows, positions of rows of int64 or int32, stable, with
 * elements if these are asked for, or elements of int8; and of numbers with values. */
#include "families/sort/cuda_sort.h"

#include <heddle/dtype.h>

#include <algorithm>
#include <numeric>
#include <vector>

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

int heddle__sort_numbers(unsigned *const numbers[2], unsigned *const values[2], int64_t n, int bits,
                         void *, size_t, void *)
{
    std::vector<int64_t> order((size_t)n);
    const unsigned mask = bits == 32 ? ~0u : (1u << bits) - 1;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [=](int64_t x, int64_t y) {
        return (numbers[0][x] & mask) < (numbers[0][y] & mask);
    });
    for (int64_t i = 0; i < n; i++) {
        numbers[1][i] = numbers[0][order[(size_t)i]];
        values[1][i] = values[0][order[(size_t)i]];
    }
    return (int)cudaSuccess;
}
