/* The .npy format: header in, header out, and the array that a file's bytes are. */
#ifndef HEDDLE_IO_NPY_H
#define HEDDLE_IO_NPY_H

#include "base/error.h"
#include "io/file.h"

#include <heddle/array.h>

struct heddle_npy_header {
    enum heddle_dtype dtype;
    bool swap;    /* it has not this machine's byte order */
    bool fortran; /* the first index is the fastest */
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];
    int64_t n_elems;
    int64_t size_bytes; /* of the data: checked to lie within the file */
    size_t data_offset; /* of the data, in the file */
};

enum { HEDDLE_NPY_HEADER_MAX = 384 }; /* bytes of a header that we write, at most */

/* Reads the header of a whole file in memory. On failure the thread's last error says what is wrong
 * and at which byte, and *out is unchanged. */
enum heddle_status heddle__npy_parse_header(const unsigned char *data, size_t n,
                                            struct heddle_npy_header *out);

/* Writes NumPy's header of an array in C order and native byte order. Gives its length, a multiple of 64. */
size_t heddle__npy_format_header(enum heddle_dtype dtype, int ndim, const int64_t *shape,
                                 unsigned char out[HEDDLE_NPY_HEADER_MAX]);

/* The array in the bytes of a .npy file, which it takes over. An error's message starts with `where`:
 * public function and path. */
heddle_array *heddle__npy_array(const char *where, struct heddle_bytes bytes);

#endif
