/* Powers of matrices. Entry point: heddle_linalg_matrix_power. */
#include "api/linalg/matrices.h"

#include <heddle/factor.h>
#include <heddle/linalg.h>
#include <heddle/spectral.h>

/* By squares. */
static heddle_array *power(heddle_array *a, uint64_t n)
{
    heddle_array *result = NULL;
    for (heddle_array *square = a;; square = heddle_matmul(square, square)) {
        if (n & 1) result = result ? heddle_matmul(result, square) : square;
        n >>= 1;
        if (n == 0) return result;
    }
}

heddle_array *heddle_linalg_matrix_power(heddle_array *a, int64_t n)
{
    static const char name[] = "linalg_matrix_power";
    heddle_array *bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (a->ndim < 2 || a->shape[a->ndim - 1] != a->shape[a->ndim - 2])
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_%s: shape %s: the last two extents are to be equal",
                                   name, HEDDLE_SHAPE_OF(a));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r;
    if (n == 0)
        r = heddle__identities(a, a->shape[a->ndim - 1]);
    else if (n > 0)
        r = power(a, (uint64_t)n);
    else
        r = power(heddle_linalg_inv(a), 0 - (uint64_t)n);
    return heddle__scope_leave(&scope, r);
}
