/* Files: NumPy's .npy (versions 1 to 3, C and Fortran order, both byte orders) and .npz. */
#ifndef HEDDLE_IO_H
#define HEDDLE_IO_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The array in a .npy file. The header is read now; the data are mapped, so that only what is
 *  used is read. The file must not change while the array lives.
 *  Errors: HEDDLE_EIO (errno's text), HEDDLE_EFORMAT (what is wrong and where), HEDDLE_EDTYPE. */
HEDDLE_API heddle_array *heddle_load(const char *path);

/** Member `name` ("x" or "x.npy") of a .npz file, stored or deflated; its CRC is checked. */
HEDDLE_API heddle_array *heddle_load_npz(const char *path, const char *name);

/** Names of the members of a .npz file, without ".npy". On success *names is one allocation of *n
 *  strings: free it with heddle_free. */
HEDDLE_API enum heddle_status heddle_npz_names(const char *path, int *n, char ***names);

/** Evaluates and writes `a` as .npy, version 1 (2 when the header is long), C order, native byte
 *  order. The file appears complete or not at all: it is written beside and renamed. */
HEDDLE_API enum heddle_status heddle_save(heddle_array *a, const char *path);

/** Frees what a function of Heddle says is to be freed with it. NULL is ignored. */
HEDDLE_API void heddle_free(void *p);

#ifdef __cplusplus
}
#endif

#endif
