/* The exponential of matrices, by scaling and squaring with a quotient of polynomials (N. J. Higham, The scaling and squaring
 * method for the matrix exponential revisited, 2005). Entry point: heddle_linalg_expm. */
#include "api/linalg/matrices.h"
#include "graph/evaluator.h"

#include <heddle/create.h>
#include <heddle/factor.h>
#include <heddle/linalg.h>
#include <heddle/spectral.h>

#include <math.h>

static const double most =
    5.371920351148152; /* the norm up to which degree 13 is exact to float64's precision */

/* a*x + b*y + c*z of matrices. */
static heddle_array *combine(double a, heddle_array *x, double b, heddle_array *y, double c,
                             heddle_array *z)
{
    heddle_array *xy =
        heddle_add(heddle_multiply(x, heddle_scalar(a)), heddle_multiply(y, heddle_scalar(b)));
    return heddle_add(xy, heddle_multiply(z, heddle_scalar(c)));
}

/* Of matrices whose norm is at most `most`. */
static heddle_array *by_quotient(heddle_array *a)
{
    static const double b[14] = {64764752532480000,
                                 32382376266240000,
                                 7771770303897600,
                                 1187353796428800,
                                 129060195264000,
                                 10559470521600,
                                 670442572800,
                                 33522128640,
                                 1323241920,
                                 40840800,
                                 960960,
                                 16380,
                                 182,
                                 1};
    heddle_array *one = heddle__identities(a, a->shape[a->ndim - 1]);
    heddle_array *a2 = heddle_matmul(a, a), *a4 = heddle_matmul(a2, a2),
                 *a6 = heddle_matmul(a4, a2), *sums[2]; /* of even powers; of odd ones without a */
    for (int odd = 0; odd < 2; odd++) {
        heddle_array *high =
            heddle_matmul(a6, combine(b[12 + odd], a6, b[10 + odd], a4, b[8 + odd], a2));
        heddle_array *low = combine(b[6 + odd], a6, b[4 + odd], a4, b[2 + odd], a2);
        sums[odd] = heddle_add(heddle_add(high, low), heddle_multiply(one, heddle_scalar(b[odd])));
    }
    heddle_array *odd = heddle_matmul(a, sums[1]);
    return heddle_linalg_solve(heddle_subtract(sums[0], odd), heddle_add(sums[0], odd));
}

/* How often each is halved, (..., 1, 1); *n: how often at most. Reads values. */
static enum heddle_status halvings(heddle_array *a, heddle_array **each, int *n)
{
    const struct heddle_linalg_norm_options one = {
        .size = sizeof one, .kind = HEDDLE_NORM_P, .p = 1, .keepdims = true};
    double largest = 0;
    heddle_array *norm =
        heddle_divide(heddle_linalg_matrix_norm_with(a, &one), heddle_scalar(most));
    heddle_array *twice = heddle_ceil(heddle_log2(norm));
    *each = heddle_where(heddle_greater(norm, heddle_scalar(1.0)), twice, heddle_scalar(0.0));
    heddle_array *all = heddle_astype(heddle_max_with(*each, NULL), HEDDLE_FLOAT64);
    if (heddle_status_of(all) != HEDDLE_OK) return heddle__failed(all);
    const enum heddle_status status = heddle__read_now(all, &largest, sizeof largest);
    *n = isfinite(largest) ? (int)largest : 0;
    return status;
}

heddle_array *heddle_linalg_expm(heddle_array *a)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices("linalg_expm", a, true);
    if (heddle_status_of(a) != HEDDLE_OK || a->size == 0) return heddle__scope_leave(&scope, a);
    heddle_array *each = NULL;
    int n = 0;
    if (halvings(a, &each, &n) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    heddle_array *r = n ? heddle_multiply(a, heddle_exp2(heddle_negative(each))) : a;
    r = by_quotient(r);
    for (int i = 0; i < n; i++)
        r = heddle_where(heddle_less(heddle_scalar((double)i), each), heddle_matmul(r, r), r);
    return heddle__scope_leave(&scope, r);
}
