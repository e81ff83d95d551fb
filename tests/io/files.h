/* Builds .npy and .npz files byte by byte, so that the tests do not trust the code they test, and
 * checks what was loaded. Entry points: npy_bytes, zip_*, load_file, CHECK. */
#ifndef TEST_IO_FILES_H
#define TEST_IO_FILES_H

#include <heddle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern int n_failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            if (++n_failures > 20) exit(1);                                                        \
        }                                                                                          \
    } while (0)

enum { BYTES_MAX = 1 << 16 };

struct bytes {
    unsigned char data[BYTES_MAX];
    size_t n;
};

void put(struct bytes *to, const void *data, size_t n);
void put_le(struct bytes *to, uint64_t value, int n_bytes);
void put_text(struct bytes *to, const char *text);

/* A .npy file: header `dict` padded to a multiple of 16 as old NumPy did, then the data. */
void npy_bytes(struct bytes *to, int version, const char *dict, const void *data, size_t n);

enum { ZIP_DEFLATE = 1, ZIP_64 = 2, ZIP_BAD_CRC = 4 };

/* An archive is made by zip_add for each member, then zip_finish. */
struct zip_maker {
    struct bytes file, directory;
    int n_entries;
};
void zip_add(struct zip_maker *zip, const char *name, const void *data, size_t n, int flags);
void zip_finish(struct zip_maker *zip, int flags);

/* The bytes as a file in memory, the same at each call; its path. */
const char *memory_file(const struct bytes *contents);

void write_file(const char *path, const void *data, size_t n);
int file_exists(const char *path);
size_t read_file(const char *path, unsigned char *out, size_t room);
/* Files in the working directory whose name starts with `prefix`. */
int count_files(const char *prefix);

/* A number in [0, n) from a fixed sequence. */
uint32_t random_below(uint32_t n);
/* A few random changes of bytes, or a cut. */
void mutate(struct bytes *file);

/* Data of element i that tells dtypes and orders apart: bytes 1, 2, 3...; of bool 0 and 1. */
void fill_pattern(unsigned char *data, size_t n, enum heddle_dtype dtype);

/* Reads `a` if it is no error; a bool must be 0 or 1. An error must have a text. */
void check_any(heddle_array *a);

#endif
