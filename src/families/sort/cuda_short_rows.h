/* Sorting of rows that a block of threads holds. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_SHORT_ROWS_H
#define HEDDLE_FAMILIES_SORT_CUDA_SHORT_ROWS_H

#include "cuda/scalar.cuh"

enum { HEDDLE_SORT_SHORT_ROW = 4096 }; /* elements, at most */

/* `rows` rows of n elements of a dtype whose keys (cuda_keys.cuh) are K, unsigned or hd_uint64, of `bits` bits. */
template <class K>
struct heddle_short_rows {
    const void *in;
    void *elements;      /* NULL, or sorted ones; */
    hd_int64 *positions; /* NULL, or where in its row each was */
    int dtype, n, bits;
    bool zeros_equal;
    K flip;
    hd_int64 rows;
};

/* Stable; each row is read and written once. */
template <class K>
cudaError_t heddle__sort_short_rows(const heddle_short_rows<K> &a, cudaStream_t stream);

#endif
