/* Nodes of eigenvalues and singular values. Entry point: heddle__spectral. */
#include "base/dtype.h"
#include "families/spectral/spectral.h"
#include "graph/make.h"

bool heddle__spectral(enum heddle_spectral_operation operation, heddle_array *a, bool upper,
                      bool full, heddle_array *results[])
{
    static const struct heddle_family_info *const families[] = {
        [HEDDLE_SPECTRAL_EIGVALSH] = &heddle__spectral_family,
        [HEDDLE_SPECTRAL_EIGH] = &heddle__spectral_pair_family,
        [HEDDLE_SPECTRAL_SVDVALS] = &heddle__spectral_family,
        [HEDDLE_SPECTRAL_SVD] = &heddle__spectral_triple_family,
        [HEDDLE_SPECTRAL_EIGVALS] = &heddle__spectral_family,
        [HEDDLE_SPECTRAL_EIG] = &heddle__spectral_pair_family,
    };
    const struct heddle_family_info *family = families[operation];
    const struct heddle_spectral_params params = {
        .operation = (int32_t)operation, .upper = upper, .full = full};
    const enum heddle_dtype real = heddle__real_dtype((enum heddle_dtype)a->dtype);
    const bool is_complex = operation >= HEDDLE_SPECTRAL_EIGVALS;
    const enum heddle_dtype dtype = !is_complex              ? real
                                    : real == HEDDLE_FLOAT64 ? HEDDLE_COMPLEX128
                                                             : HEDDLE_COMPLEX64;
    heddle_array *made =
        heddle__make_operation(family, dtype, a->ndim - 1, a->shape, 1, &a, &params, NULL);
    if (heddle__n_outputs(family) == 1) {
        *results = made;
        return made != NULL;
    }
    return made && heddle__make_outputs(made, results);
}
