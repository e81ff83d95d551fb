/* Products of sparse matrices by rows (CSR) and dense ones: the arguments of a call, and the order of additions.
 *
 * A row of the matrix times a column of x is the sum of its entries' products. With one column the entries are added up
 * in chunks of HEDDLE_CSR_CHUNK: entry k of a chunk goes to lane k % lanes, each lane adds in the order of the entries,
 * and the lanes are added as a tree: lane l and l + lanes / 2, and so on. The sums of the chunks are added in order. With
 * several columns each is added in the order of the entries. So the bits depend on the matrix and on the number of
 * columns alone, and are those of the other twin. */
#ifndef HEDDLE_FAMILIES_CSR_KERNEL_H
#define HEDDLE_FAMILIES_CSR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <heddle/dtype.h>

enum { HEDDLE_CSR_CHUNK = 1024, HEDDLE_CSR_MAX_LANES = 8 };

/* y[r, c] = sum of data[k] * x[indices[k], c] for the entries k of row r, starts[r] <= k < starts[r + 1]. Entry k is at
 * k - first_entry of the two arrays of entries, row r at r - first_row of y. x and y are dense in C order. An entry that
 * is elsewhere, or an index that is no row of x, is HEDDLE_EINDEX, and no address is made of it. */
struct heddle_csr_call {
    uint8_t dtype;       /* int64, float32, float64, complex64, complex128 */
    uint8_t index_bytes; /* 4, 8: int32, int64 */
    uint8_t lanes;       /* 1, 2, 4, 8 */
    int64_t first_row, n_rows, first_entry, n_entries;
    int64_t x_rows, columns; /* of x */
    uint32_t data, indices, starts, x, y;
};

/* Words 1 and 2 of a report: of an index that is out of range itself and the rows of x; of a bad row the row, and -1. */
enum heddle_status heddle__describe_csr(const int64_t words[], char *text, size_t room);

#endif
