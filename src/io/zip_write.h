/* Lays out and writes archives of .npy members, as numpy.savez does: stored, not deflated. */
#ifndef HEDDLE_IO_ZIP_WRITE_H
#define HEDDLE_IO_ZIP_WRITE_H

#include "io/npy.h"

/* A member in the making: the caller fills in the first group. */
struct heddle_zip_member {
    const char *name; /* without .npy */
    unsigned char header[HEDDLE_NPY_HEADER_MAX];
    size_t header_bytes; /* a multiple of 64 */
    uint64_t data_bytes;

    uint64_t local; /* where its local header is */
    uint64_t at; /* where the .npy header is: a multiple of 64, so that the data are aligned, too */
};

/* Finds the place of each member. Returns the size of the whole file. */
uint64_t heddle__zip_layout(int64_t n, struct heddle_zip_member *members);
/* Writes all but the data, which are in place, into the file's bytes. */
void heddle__zip_write(unsigned char *file, int64_t n, const struct heddle_zip_member *members);

#endif
