/* Sparse matrices by rows (CSR). A matrix is a plain value of three arrays, as in SciPy: the entries of row r are data[k]
 * in the columns indices[k] for indptr[r] <= k < indptr[r + 1]. They live as long as the three arrays do: heddle_keep
 * keeps them beyond a scope. If a function fails, its result has arrays in error, and so has what is made of it.
 *
 * Products and what changes the entries alone are lazy: a matrix that many products read is better evaluated first. A matrix that is made of coordinates or of a dense one is
 * evaluated, since its entries decide shapes. */
#ifndef HEDDLE_SPARSE_H
#define HEDDLE_SPARSE_H

#include <heddle/distribute.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HEDDLE_CSR_MAX_PARTS = 16, HEDDLE_CSR_MAX_BOUNDS = 17 };

/* Made by the functions below, and read by anyone. */
struct heddle_csr {
    heddle_array *data, *indices, *indptr;
    int64_t rows, columns;
    /* Of a distributed matrix: part i has the rows from row[i] to row[i + 1], whose entries are those from entry[i] on. */
    int n_parts; /* 1: it is not distributed */
    int64_t row[HEDDLE_CSR_MAX_BOUNDS], entry[HEDDLE_CSR_MAX_BOUNDS];
};

/** The matrix of three arrays of one axis: data of any dtype; integers, indptr of rows + 1. Entries may be in any order in
 *  their row, and occur twice: they add up. Errors: HEDDLE_ESHAPE, HEDDLE_EDTYPE. Indices that are out of range are an
 *  error of the products that read them, HEDDLE_EINDEX. */
HEDDLE_API struct heddle_csr heddle_csr_make(heddle_array *data, heddle_array *indices,
                                             heddle_array *indptr, int64_t rows, int64_t columns);

/** The matrix that has data[k] at (row[k], column[k]): entries are sorted, and those of one place are added up in the order
 *  in which they come, so that the bits are the same for any number of threads. Evaluates the coordinates.
 *  Errors also: HEDDLE_EINDEX, a coordinate is out of range. */
HEDDLE_API struct heddle_csr heddle_csr_from_coordinates(heddle_array *data, heddle_array *row,
                                                         heddle_array *column, int64_t rows,
                                                         int64_t columns);
/** What of a matrix with two axes is not zero. Evaluates it. */
HEDDLE_API struct heddle_csr heddle_csr_from_dense(heddle_array *a);
/** All elements, as an array of two axes. */
HEDDLE_API heddle_array *heddle_csr_to_dense(const struct heddle_csr *a);

/** The product with a vector of `columns` elements, or with a dense matrix of as many rows. Dtype: the common one.
 *  Each row is added up in an order that depends on the matrix alone: the bits are the same for any partition and number
 *  of threads, and on GPUs. Errors: HEDDLE_ESHAPE; HEDDLE_EINDEX, indices or indptr are out of range.
 *  Cost: 2 floating-point operations for an entry and column; rows are shared by the number of their entries. */
HEDDLE_API heddle_array *heddle_csr_matmul(const struct heddle_csr *a, heddle_array *x);

/** The transposed matrix: the entries of a row are in the order of the rows that they come from. */
HEDDLE_API struct heddle_csr heddle_csr_transpose(const struct heddle_csr *a);
/** Each entry times the element of x where it is, as x broadcasts to the matrix: x of no axes scales it, of shape
 *  (rows, 1) its rows, of shape (columns,) its columns. */
HEDDLE_API struct heddle_csr heddle_csr_multiply(const struct heddle_csr *a, heddle_array *x);
/** The row of each entry: int64, of the shape of data. */
HEDDLE_API heddle_array *heddle_csr_rows(const struct heddle_csr *a);

/** The matrix with its rows at n places, as many entries at each as rows allow: products are computed there, in parts of
 *  the rows, from x, which goes to each. Reads indptr. Errors: HEDDLE_EARG, a place that is not there, or n is not 1 to
 *  HEDDLE_CSR_MAX_PARTS; HEDDLE_EINDEX, indptr is out of order. */
HEDDLE_API struct heddle_csr heddle_csr_distribute(const struct heddle_csr *a, int n,
                                                   const heddle_place *places);

#ifdef __cplusplus
}
#endif

#endif
