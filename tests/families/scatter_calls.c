/* Random calls of the kernels that write by position, and what they must do, by a loop. */
#include "families/scatter_calls.h"

#include "random_words.h"

#include <heddle/dtype.h>
#include <string.h>

int64_t scatter_below(int64_t n)
{
    return (int64_t)(random_word() >> 33) % n;
}

void scatter_call(struct heddle_scatter *s, int64_t most)
{
    static const int64_t extents[] = {1, 2, 3, 9, 40}, rows[] = {1, 1, 1, 2, 7, 33};
    const int64_t counts[] = {1, 100, 257, most};
    memset(s, 0, sizeof *s);
    s->dtype = (uint8_t)(HEDDLE_BOOL + scatter_below(HEDDLE_COMPLEX128 - HEDDLE_BOOL + 1));
    s->element_bytes = (uint8_t)heddle_dtype_size((enum heddle_dtype)s->dtype);
    s->add = (uint8_t)scatter_below(2);
    s->name = (uint8_t)scatter_below(3);
    s->n = counts[scatter_below(4)];
    s->row = rows[scatter_below(6)];
    const int64_t values = scatter_below(4); /* of each update, of all, or one element */
    s->per_update = values > 1 ? s->row : 0;
    s->per_element = values > 0;
    s->n_axes = 1 + (int32_t)scatter_below(3);
    s->n_rows = 1;
    for (int d = 0; d < s->n_axes; d++) {
        const int64_t extent = s->extent[d] = s->shape[d] = extents[scatter_below(5)];
        s->lo[d] = scatter_below(2) ? 0 : scatter_below(extent);
        s->hi[d] = scatter_below(2) ? extent : s->lo[d] + 1 + scatter_below(extent - s->lo[d]);
        s->n_rows *= s->hi[d] - s->lo[d];
    }
    s->in = 0, s->positions = 1, s->values = 2, s->out = 3;
}

#define ADD(type) *(type *)to = (type)(*(type *)to + *(const type *)from)

static void add(enum heddle_dtype dtype, void *to, const void *from)
{
    switch (dtype) {
    case HEDDLE_BOOL: *(uint8_t *)to |= *(const uint8_t *)from; break;
    case HEDDLE_INT8:
    case HEDDLE_UINT8: ADD(uint8_t); break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: ADD(uint16_t); break;
    case HEDDLE_INT32:
    case HEDDLE_UINT32: ADD(uint32_t); break;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: ADD(uint64_t); break;
    case HEDDLE_FLOAT32: ADD(float); break;
    case HEDDLE_FLOAT64: ADD(double); break;
    case HEDDLE_COMPLEX64: ADD(float _Complex); break;
    default: ADD(double _Complex); break;
    }
}

void scatter_random(enum heddle_dtype dtype, char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(dtype == HEDDLE_BOOL ? scatter_below(2) : scatter_below(256));
    if (dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64)
        for (size_t i = 0; i < bytes / 4; i++)
            ((float *)(void *)to)[i] = (float)scatter_below(1000) / 7;
    if (dtype == HEDDLE_FLOAT64 || dtype == HEDDLE_COMPLEX128)
        for (size_t i = 0; i < bytes / 8; i++)
            ((double *)(void *)to)[i] = (double)scatter_below(1000) / 7;
}

void scatter_by_loop(const struct heddle_scatter *s, const int64_t *positions, const char *values,
                     char *to)
{
    const size_t size = s->element_bytes;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t rest = positions[i], at[HEDDLE_MAX_NDIM], row = 0;
        bool here = rest >= 0;
        for (int d = s->n_axes - 1; d >= 0 && here; rest /= s->extent[d--])
            at[d] = rest % s->extent[d];
        for (int d = 0; d < s->n_axes && here; d++) {
            here = at[d] >= s->lo[d] && at[d] < s->hi[d];
            row = row * (s->hi[d] - s->lo[d]) + at[d] - s->lo[d];
        }
        for (int64_t k = 0; k < s->row && here; k++) {
            char *element = to + (size_t)(row * s->row + k) * size;
            const char *value = values + (size_t)(i * s->per_update + k * s->per_element) * size;
            if (s->add)
                add((enum heddle_dtype)s->dtype, element, value);
            else
                memcpy(element, value, size);
        }
    }
}

void scatter_positions(const struct heddle_scatter *s, int64_t *positions)
{
    int64_t total = 1;
    for (int d = 0; d < s->n_axes; d++) total *= s->extent[d];
    for (int64_t i = 0; i < s->n; i++)
        positions[i] = scatter_below(scatter_below(2) ? total : (total + 3) / 4);
}
