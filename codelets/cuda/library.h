/* A library of the CUDA toolkit that is loaded when a kernel first needs it: linked, cuBLAS alone would cost
 * every process 0.1 s and 200 MB. A handle for each stream, made at first use. */
#ifndef HEDDLE_CUDA_LIBRARY_H
#define HEDDLE_CUDA_LIBRARY_H

#include <base/error.h>
#include <stdbool.h>

enum { HEDDLE_LIBRARY_STREAMS = 64 };

/* A constant of who uses the library, but for what is last. */
struct heddle_library {
    const char *file;         /* "cublas", of libcublas.so.13 */
    const char *name;         /* "cuBLAS" */
    int major;                /* of the file's version */
    int n;                    /* functions */
    const char *const *names; /* of the functions */
    void *functions;          /* a struct of n pointers in this order, to be filled */
    /* A handle for a stream of the current device; HEDDLE_EDEVICE with a text if there is none. NULL, both: the
     * library has no handles. */
    enum heddle_status (*create)(void *stream, void **handle);
    void (*destroy)(void *handle);

    bool is_open;
    struct heddle_library *next; /* that is open */
    int n_handles;
    struct {
        void *stream, *handle;
    } handles[HEDDLE_LIBRARY_STREAMS];
};

/* Fills library->functions at the first call, and gives the handle of the stream (NULL: none is wanted). `who`
 * wants it, for the text of errors: "heddle_matmul". Any thread. Errors: HEDDLE_EDEVICE. */
enum heddle_status heddle__library_get(struct heddle_library *library, const char *who,
                                       void *stream, void **handle);
/* Destroys the handles of all libraries. */
void heddle__libraries_close(void);

#endif
