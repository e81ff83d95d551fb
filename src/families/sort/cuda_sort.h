/* The launches of sorting, for the host file, and the memory that they need. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_SORT_H
#define HEDDLE_FAMILIES_SORT_CUDA_SORT_H

#include "families/sort/kernel.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_sort_kernel {
    struct heddle_sort call;
    const void *in;
    void *out, *scratch;
    void *elements; /* NULL unless the call is with elements */
};

/* A cudaError_t. cudaErrorMemoryAllocation: the library wants more scratch than there is. */
int heddle__sort_launch(const struct heddle_sort_kernel *p, void *stream);

/* How many rows are sorted by one launch: fewer than 2^31 elements, or one row. */
static inline int64_t heddle__sort_rows_at_once(const struct heddle_sort *s)
{
    return s->n > 0 && s->n < INT32_MAX ? INT32_MAX / s->n : 1;
}

/* One of the two buffers of keys is the result: a row of elements that are as large as keys. */
static inline bool heddle__sort_in_result(const struct heddle_sort *s)
{
    return s->rows == 1 && !s->positions && s->element_bytes >= 4;
}

/* Keys and 32-bit positions twice, and what the library notes for each few thousand of 2^28 elements. Keys of several
 * rows have 64 bits, and the number of a row takes part. */
static inline size_t heddle__sort_cuda_bytes(const struct heddle_sort *s)
{
    const int64_t each = heddle__sort_rows_at_once(s), rows = s->rows < each ? s->rows : each;
    const size_t n = (size_t)(rows * s->n), most = (size_t)1 << 28;
    const size_t key = s->element_bytes > 4 || rows > 1 ? 8 : 4;
    const size_t other = s->positions || (s->element_bytes > 4 && rows > 1) ? 4 : 0;
    return (rows == 1 && heddle__sort_in_result(s) ? 1 : 2) * (key + other) * n +
           (n < most ? n : most) + ((size_t)8 << 20);
}

/* Sorts n numbers below 2^bits, each with a value, stable: numbers[0] and values[0], which keep what they have, to [1]. A
 * cudaError_t, as above. */
int heddle__sort_numbers(unsigned *const numbers[2], unsigned *const values[2], int64_t n, int bits,
                         void *scratch, size_t scratch_bytes, void *stream);

/* The scratch of that, which the library also notes something in for each few thousand. */
static inline size_t heddle__sort_numbers_bytes(int64_t n)
{
    return 2 * (4 + 4) * (size_t)n + ((size_t)8 << 20);
}

#ifdef __cplusplus
}
#endif

#endif
