/* Copies of boxes: rows of contiguous elements, several threads when there is much. No StarPU.
 * Entry points: copy_box.h. */
#include "array/copy_box.h"

#include "base/machine.h"
#include "base/share.h"

#include <string.h>

#define PARALLEL_BYTES (16LL << 20) /* below it one thread is as fast */
enum { MAX_THREADS = 8 };

int heddle__copy_threads(int64_t size_bytes)
{
    if (size_bytes < PARALLEL_BYTES) return 1;
    const int n = heddle__machine()->n_allowed;
    return n < MAX_THREADS ? n : MAX_THREADS;
}

struct bytes {
    char *to;
    const char *from;
    int64_t size, chunk;
};

static void copy_chunks(void *argument, int64_t first, int64_t end)
{
    const struct bytes *b = argument;
    const int64_t at = first * b->chunk, stop = end * b->chunk < b->size ? end * b->chunk : b->size;
    memcpy(b->to + at, b->from + at, (size_t)(stop - at));
}

void heddle__copy_bytes(char *to, const char *from, int64_t size_bytes)
{
    const int n = heddle__copy_threads(size_bytes);
    if (n == 1) {
        if (size_bytes > 0) memcpy(to, from, (size_t)size_bytes);
        return;
    }
    struct bytes b = {to, from, size_bytes, 1 << 20};
    heddle__share_lent(n, (size_bytes + b.chunk - 1) / b.chunk, copy_chunks, &b);
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

struct part {
    struct rows rows;
    int64_t row_bytes;
    int32_t element_bytes;
    char *whole, *compact;
    enum heddle_direction direction;
};

static void copy_rows(void *argument, int64_t from, int64_t to)
{
    const struct part *p = argument;
    for (int64_t i = from; i < to; i++) {
        int64_t rest = i, offset = p->rows.first;
        for (int d = p->rows.n_outer - 1; d >= 0; d--) {
            offset += rest % p->rows.extent[d] * p->rows.stride[d];
            rest /= p->rows.extent[d];
        }
        char *at = p->whole + offset * p->element_bytes, *other = p->compact + i * p->row_bytes;
        if (p->direction == HEDDLE_TO_PART)
            memcpy(other, at, (size_t)p->row_bytes);
        else
            memcpy(at, other, (size_t)p->row_bytes);
    }
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
    struct part p = {r, bytes, element_bytes, whole, compact, direction};
    heddle__share_lent(heddle__copy_threads(bytes * r.n_rows), r.n_rows, copy_rows, &p);
}
