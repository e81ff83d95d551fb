/* Versions and limits: of the headers as macros, of the library at run time, which may be another. */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0
#define HEDDLE_VERSION_NUMBER                                                                      \
    (HEDDLE_VERSION_MAJOR * 10000 + HEDDLE_VERSION_MINOR * 100 + HEDDLE_VERSION_PATCH)

/** The library's version, "0.1.0". Static string. */
HEDDLE_API const char *heddle_version(void);
/** The library's HEDDLE_VERSION_NUMBER. Before 1.0 versions of equal major and minor number are compatible:
 *  the library's functions have that version as symbols, so that a program does not start with another. */
HEDDLE_API int heddle_version_number(void);

/* What this library can hold. */
struct heddle_limits {
    size_t size;          /* set by the caller: sizeof, or 0: call.h */
    int max_ndim;         /* axes of an array */
    int n_dtypes;         /* dtypes are 1 ... n_dtypes - 1 */
    int64_t max_elements; /* of an array; extents of 0 do not count */
    int64_t max_parts;    /* of a distribution */
    int max_gpus;         /* in use by one process */
    int max_cpu_teams;    /* "cpu:i" places */
    bool has_cuda;        /* whether it was built with CUDA; heddle_devices says what is there */
};

/** Fills *out, as much of it as out->size says. Starts nothing. HEDDLE_EARG: NULL, a size that no struct
 *  has; what the library does not know of a newer struct is 0. */
HEDDLE_API enum heddle_status heddle_limits_get(struct heddle_limits *out);

#ifdef __cplusplus
}
#endif

#endif
