/* Q of QR, with LAPACK's signs. */
#include "families/dominant.h"

#include <stdlib.h>

bool reflect_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    struct dominant d;
    const bool complete = random_below(r, 2), flipped = random_below(r, 2);
    if (!dominant_of(a, false, false, flipped, &d)) return false;
    const int64_t m = d.m, n = d.n, k = complete || m < n ? m : n;
    *out = dominant_result(a, &d, m, k);
    double *q = malloc((size_t)(m * m) * sizeof *q);
    bool known = true;
    for (int64_t i = 0; i < d.batch && known; i++) {
        known = dominant_qr(m, n, d.data + i * m * n, q);
        for (int64_t row = 0; row < m; row++)
            for (int64_t j = 0; j < k; j++) out->data[(i * m + row) * k + j] = q[row * m + j];
    }
    free(q);
    free(d.data);
    if (!known) {
        free(out->data);
        return false;
    }
    return heddle_linalg_qr(d.array, &out->array, NULL, .complete = complete) == HEDDLE_OK;
}
