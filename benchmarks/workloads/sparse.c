/* See sparse.h. */
#include "sparse.h"

#include "bench.h"

#include <string.h>

struct product {
    struct heddle_csr a;
    heddle_array *x;
};

static int record_product(void *context, heddle_array **out)
{
    const struct product *p = context;
    out[0] = heddle_csr_matmul(&p->a, p->x);
    return 1;
}

/* Entry e of row e / each is in column (row + offset) mod n; the peers make the same ones. */
static heddle_array *columns_of(int64_t n, int64_t each)
{
    heddle_array *e = heddle_arange(heddle_scalar(n * each), NULL, NULL);
    heddle_array *row = heddle_floor_divide(e, heddle_scalar(each)),
                 *k = heddle_remainder(e, heddle_scalar(each));
    heddle_array *offset;
    if (each == 5) {
        const int64_t band[5] = {n - 4096, n - 1, 0, 1, 4096};
        offset = heddle_take(heddle_asarray(band, HEDDLE_INT64, HEDDLE_SHAPE(5)), k);
    } else {
        offset = heddle_add(heddle_multiply(heddle_multiply(k, k), heddle_scalar(31337)),
                            heddle_multiply(row, heddle_scalar(9973)));
    }
    return heddle_astype(heddle_remainder(heddle_add(row, offset), heddle_scalar(n)), HEDDLE_INT32);
}

void run_csr(const char *name, int64_t n)
{
    const int64_t each = strncmp(name, "csr_band", 8) == 0 ? 5 : 32;
    heddle_array *starts =
        heddle_multiply(heddle_arange(heddle_scalar(n + 1), NULL, NULL), heddle_scalar(each));
    struct product p = {.x = bench_input(HEDDLE_SHAPE(n), -1, 1, HEDDLE_FLOAT64)};
    heddle_array *const data = bench_input(HEDDLE_SHAPE(n * each), 0, 1, HEDDLE_FLOAT64),
                        *const columns = bench_ready(columns_of(n, each)),
                        *const from = bench_ready(heddle_astype(starts, HEDDLE_INT32));
    p.a = heddle_csr_make(data, columns, from, n, n);
    const struct bench_times t = bench_time(record_product, &p);
    bench_line(name, n, n * (12 * each + 4 + 8 + 8), &t);
    heddle_release(data);
    heddle_release(columns);
    heddle_release(from);
    heddle_release(p.x);
}
