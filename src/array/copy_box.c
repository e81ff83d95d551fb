/* Copies of boxes: rows of contiguous elements, several threads when there is much. No StarPU.
 * Entry points: copy_box.h. */
#include "array/copy_box.h"

#include "base/machine.h"

#include <string.h>

#define PARALLEL_BYTES (16LL << 20) /* below it one thread is as fast */
enum { MAX_THREADS = 8 };

int heddle__copy_threads(int64_t size_bytes)
{
    if (size_bytes < PARALLEL_BYTES) return 1;
    const int n = heddle__machine()->n_allowed;
    return n < MAX_THREADS ? n : MAX_THREADS;
}

void heddle__copy_bytes(char *to, const char *from, int64_t size_bytes)
{
    const int n = heddle__copy_threads(size_bytes);
    if (n == 1) {
        if (size_bytes > 0) memcpy(to, from, (size_t)size_bytes);
        return;
    }
    const int64_t chunk = 4 << 20, n_chunks = (size_bytes + chunk - 1) / chunk;
#pragma omp parallel for num_threads(n) schedule(static)
    for (int64_t i = 0; i < n_chunks; i++) {
        const int64_t first = i * chunk;
        const int64_t bytes = size_bytes - first < chunk ? size_bytes - first : chunk;
        memcpy(to + first, from + first, (size_t)bytes);
    }
}

/* Rows of a box: `row` elements contiguous in both, over the outer axes 0..n_outer-1. */
struct rows {
    int n_outer;
    int64_t n_rows, row;
    int64_t extent[HEDDLE_MAX_NDIM], stride[HEDDLE_MAX_NDIM]; /* in elements of the whole */
    int64_t first;
};

static struct rows rows_of(const struct heddle_grid *grid, const struct heddle_box *box)
{
    struct rows r = {.n_rows = 1, .row = 1};
    int64_t stride = 1;
    int d = grid->ndim - 1;
    for (; d >= 0; d--) { /* a row is of the axes that are whole, and one more */
        const int64_t extent = box->hi[d] - box->lo[d];
        r.first += box->lo[d] * stride;
        r.row *= extent;
        stride *= grid->shape[d];
        if (extent != grid->shape[d]) {
            d--;
            break;
        }
    }
    r.n_outer = d + 1;
    for (; d >= 0; d--) {
        r.extent[d] = box->hi[d] - box->lo[d];
        r.stride[d] = stride;
        r.first += box->lo[d] * stride;
        r.n_rows *= r.extent[d];
        stride *= grid->shape[d];
    }
    return r;
}

void heddle__copy_part(const struct heddle_grid *grid, int64_t part, int32_t element_bytes,
                       char *whole, char *compact, enum heddle_direction direction)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    const struct rows r = rows_of(grid, &box);
    const int64_t bytes = r.row * element_bytes;
    if (bytes == 0 || r.n_rows == 0) return;
    if (r.n_rows == 1) {
        char *at = whole + r.first * element_bytes;
        if (direction == HEDDLE_TO_PART)
            heddle__copy_bytes(compact, at, bytes);
        else
            heddle__copy_bytes(at, compact, bytes);
        return;
    }
    const int n = heddle__copy_threads(bytes * r.n_rows);
#pragma omp parallel for num_threads(n) schedule(static) if (n > 1)
    for (int64_t i = 0; i < r.n_rows; i++) {
        int64_t rest = i, offset = r.first;
        for (int d = r.n_outer - 1; d >= 0; d--) {
            offset += rest % r.extent[d] * r.stride[d];
            rest /= r.extent[d];
        }
        char *at = whole + offset * element_bytes;
        if (direction == HEDDLE_TO_PART)
            memcpy(compact + i * bytes, at, (size_t)bytes);
        else
            memcpy(at, compact + i * bytes, (size_t)bytes);
    }
}
