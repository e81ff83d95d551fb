/* Sorting of rows that a block of threads holds. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_SHORT_ROWS_H
#define HEDDLE_FAMILIES_SORT_CUDA_SHORT_ROWS_H

#include "cuda/scalar.cuh"

enum { HEDDLE_SORT_SHORT_ROW = 4096 }; /* elements, at most */

/* Sorts rows of n keys by their low `bits`, in place, stable; positions[i]: where in its row key i was, unless NULL. K is
 * unsigned or hd_uint64. */
template <class K>
cudaError_t heddle__sort_short_rows(K *keys, unsigned *positions, hd_int64 rows, int n, int bits,
                                    cudaStream_t stream);

#endif
