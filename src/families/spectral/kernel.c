/* What both kernels know of eigenvalues and singular values. Entry points: kernel.h. */
#include "families/spectral/kernel.h"

#include "base/dtype.h"
#include "base/error.h"

const char *heddle__spectral_name(int operation)
{
    static const char *const names[HEDDLE_SPECTRAL_OPERATIONS] = {
        [HEDDLE_SPECTRAL_EIGVALSH] = "heddle_linalg_eigvalsh",
        [HEDDLE_SPECTRAL_EIGH] = "heddle_linalg_eigh",
        [HEDDLE_SPECTRAL_SVDVALS] = "heddle_linalg_svdvals",
        [HEDDLE_SPECTRAL_SVD] = "heddle_linalg_svd",
        [HEDDLE_SPECTRAL_EIGVALS] = "heddle_linalg_eigvals",
        [HEDDLE_SPECTRAL_EIG] = "heddle_linalg_eig",
    };
    return names[operation];
}

int64_t heddle__spectral_elements(const struct heddle_spectral *s, int i)
{
    const bool vectors = s->operation == HEDDLE_SPECTRAL_EIGH ||
                         s->operation == HEDDLE_SPECTRAL_SVD || s->operation == HEDDLE_SPECTRAL_EIG;
    if (i == 0) return s->rows;
    if (!vectors) return 0;
    if (i == 1) return s->rows * s->rows;
    if (s->operation != HEDDLE_SPECTRAL_SVD) return 0;
    return (s->full ? s->columns : s->rows) * s->columns;
}

size_t heddle__spectral_bytes(const struct heddle_spectral *s, int i)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)s->dtype;
    const size_t real = heddle_dtype_size(heddle__real_dtype(dtype));
    if (s->operation >= HEDDLE_SPECTRAL_EIGVALS) return 2 * real;
    return i == 0 ? real : heddle_dtype_size(dtype);
}

size_t heddle__spectral_in_bytes(const struct heddle_spectral *s)
{
    return heddle_dtype_size((enum heddle_dtype)s->dtype);
}

enum heddle_status heddle__spectral_failed(const struct heddle_spectral *s, int64_t at)
{
    const char *name = heddle__spectral_name(s->operation);
    if (s->batch == 1)
        return heddle__fail(HEDDLE_ECONVERGE, "%s: the iteration does not converge", name);
    return heddle__fail(HEDDLE_ECONVERGE,
                        "%s: the iteration does not converge for matrix %lld of the batch", name,
                        (long long)at);
}
