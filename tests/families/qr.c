/* R of QR, with LAPACK's signs. */
#include "families/dominant.h"

#include <stdlib.h>
#include <string.h>

bool qr_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    struct dominant d;
    const bool complete = random_below(r, 2), flipped = random_below(r, 2);
    if (!dominant_of(a, false, false, flipped, &d)) return false;
    const int64_t m = d.m, n = d.n, k = complete || m < n ? m : n;
    *out = dominant_result(a, &d, k, n);
    bool known = true;
    for (int64_t i = 0; i < d.batch; i++) {
        known = known && dominant_qr(m, n, d.data + i * m * n, NULL);
        memcpy(out->data + i * k * n, d.data + i * m * n, (size_t)(k * n) * sizeof *d.data);
    }
    free(d.data);
    if (!known) {
        free(out->data);
        return false;
    }
    return heddle_linalg_qr(d.array, NULL, &out->array, .complete = complete) == HEDDLE_OK;
}
