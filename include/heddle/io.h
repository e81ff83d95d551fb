/* Files: NumPy's .npy (versions 1 to 3, C and Fortran order, both byte orders) and .npz. */
#ifndef HEDDLE_IO_H
#define HEDDLE_IO_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The array in a .npy file. The header is read now; the data are mapped, so that only what is
 *  used is read, and the file may be larger than memory. It must not change while the array lives.
 *  Errors: HEDDLE_EIO (errno's text), HEDDLE_EFORMAT (what is wrong and where), HEDDLE_EDTYPE. */
HEDDLE_API heddle_array *heddle_load(const char *path);

/** Member `name` ("x" or "x.npy") of a .npz file, stored or deflated; its CRC is checked. What is stored stays in
 *  the file, as by heddle_load, if it is aligned there (heddle_save sees to that, numpy.savez does not).
 *  HEDDLE_ENOMEM, before anything is inflated, for a member that is larger than the memory that is left. */
HEDDLE_API heddle_array *heddle_load_npz(const char *path, const char *name);

/** Names of the members of a .npz file, without ".npy". On success *names is one allocation of *n
 *  strings: free it with heddle_free. */
HEDDLE_API enum heddle_status heddle_npz_names(const char *path, int *n, char ***names);

/** Evaluates and writes `a` as .npy, version 1 (2 when the header is long), C order, native byte order; if
 *  `path` ends in .npz, as member "arr_0" of an archive, as numpy.savez does.
 *  The file is on the disk and complete when it appears under its name, or is not there at all, whatever ends
 *  the process. A file that it replaces keeps its mode, and its owner where that is allowed; symbolic links
 *  are followed, also one that leads to no file yet.
 *  What would fill a quarter of the memory (heddle_config.cpu_memory_bytes) and is not evaluated yet is computed in
 *  the new file, whose data the array has from then on, as by heddle_load.
 *  Errors: HEDDLE_EIO (the path and errno's text), HEDDLE_ENOMEM, and those of evaluating `a`. */
HEDDLE_API enum heddle_status heddle_save(heddle_array *a, const char *path);

/* What heddle_save_all writes: an array, or one of those in an archive. */
struct heddle_output {
    heddle_array *array;
    const char *path; /* those of one path that ends in .npz are one archive, else each has its own; NULL:
                         the array is evaluated with the others, and not written */
    const char *name; /* of the member of an archive; NULL: arr_0, arr_1, ... by its number in the archive */
};

/** heddle_save of several arrays, which are evaluated together and so share work. On failure files that were
 *  written before the failure stay. Errors also: HEDDLE_EARG, a path or a member named twice. */
HEDDLE_API enum heddle_status heddle_save_all(int n, const struct heddle_output *outputs);

/** Frees what a function of Heddle says is to be freed with it. NULL is ignored. */
HEDDLE_API void heddle_free(void *p);

#ifdef __cplusplus
}
#endif

#endif
