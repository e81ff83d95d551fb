/* Products of sparse matrices on the CPU: rows are shared among the threads by how many entries they have. */
#include "families/csr/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <string.h>

enum { PIECE = 2048 }; /* rows and entries that a thread takes at a time */

/* What all threads know; bad[0] of 1: something was wrong, and bad[1], bad[2] say what. */
struct job {
    const struct heddle_csr_call *call;
    const void *data, *indices, *starts, *x;
    void *y;
    bool (*rows)(const struct job *job, int64_t from, int64_t to, int64_t bad[3]);
    atomic_bool failed;
    int64_t bad[3];
};

struct complex64 {
    float re, im;
};
struct complex128 {
    double re, im;
};

#define REAL_ADD(x, y) ((x) + (y))
#define REAL_MUL(x, y) ((x) * (y))
#define ADD_complex64(x, y) ((struct complex64){(x).re + (y).re, (x).im + (y).im})
#define MUL_complex64(x, y)                                                                        \
    ((struct complex64){(x).re * (y).re - (x).im * (y).im, (x).re * (y).im + (x).im * (y).re})
#define ADD_complex128(x, y) ((struct complex128){(x).re + (y).re, (x).im + (y).im})
#define MUL_complex128(x, y)                                                                       \
    ((struct complex128){(x).re * (y).re - (x).im * (y).im, (x).re * (y).im + (x).im * (y).re})

/* One column, with a number of lanes; false: an index is out of range. */
#define ONE_ROW(T, name, I, ADD, MUL, LANES)                                                       \
    static bool row_##name##_##I##_##LANES(const T *data, const I *indices, int64_t n, const T *x, \
                                           int64_t x_rows, T *out, int64_t bad[3])                 \
    {                                                                                              \
        T total;                                                                                   \
        memset(&total, 0, sizeof total);                                                           \
        for (int64_t chunk = 0; chunk < n; chunk += HEDDLE_CSR_CHUNK) {                            \
            const int64_t end = n - chunk < HEDDLE_CSR_CHUNK ? n : chunk + HEDDLE_CSR_CHUNK;       \
            T lane[LANES];                                                                         \
            memset(lane, 0, sizeof lane);                                                          \
            for (int64_t k = chunk; k < end; k += LANES)                                           \
                for (int l = 0; l < LANES && k + l < end; l++) {                                   \
                    const int64_t at = indices[k + l];                                             \
                    if ((uint64_t)at >= (uint64_t)x_rows) {                                        \
                        bad[1] = at;                                                               \
                        bad[2] = x_rows;                                                           \
                        return false;                                                              \
                    }                                                                              \
                    const T product = MUL(data[k + l], x[at]);                                     \
                    lane[l] = ADD(lane[l], product);                                               \
                }                                                                                  \
            for (int half = LANES / 2; half > 0; half /= 2)                                        \
                for (int l = 0; l < half; l++) lane[l] = ADD(lane[l], lane[l + half]);             \
            total = ADD(total, lane[0]);                                                           \
        }                                                                                          \
        *out = total;                                                                              \
        return true;                                                                               \
    }

/* Rows from..to-1 of the call. */
#define ROWS(T, name, I, ADD, MUL)                                                                 \
    ONE_ROW(T, name, I, ADD, MUL, 1)                                                               \
    ONE_ROW(T, name, I, ADD, MUL, 2)                                                               \
    ONE_ROW(T, name, I, ADD, MUL, 4)                                                               \
    ONE_ROW(T, name, I, ADD, MUL, 8)                                                               \
    static bool wide_##name##_##I(const T *data, const I *indices, int64_t n, const T *x,          \
                                  int64_t x_rows, int64_t columns, T *out, int64_t bad[3])         \
    {                                                                                              \
        memset(out, 0, (size_t)columns * sizeof *out);                                             \
        for (int64_t k = 0; k < n; k++) {                                                          \
            if ((uint64_t)indices[k] >= (uint64_t)x_rows) {                                        \
                bad[1] = indices[k];                                                               \
                bad[2] = x_rows;                                                                   \
                return false;                                                                      \
            }                                                                                      \
            const T value = data[k], *row = x + indices[k] * columns;                              \
            for (int64_t c = 0; c < columns; c++) {                                                \
                const T product = MUL(value, row[c]);                                              \
                out[c] = ADD(out[c], product);                                                     \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static bool rows_##name##_##I(const struct job *j, int64_t from, int64_t to, int64_t bad[3])   \
    {                                                                                              \
        const struct heddle_csr_call *call = j->call;                                              \
        const I *starts = (const I *)j->starts + call->first_row, *indices = j->indices;           \
        const T *data = j->data, *x = j->x;                                                        \
        T *y = j->y;                                                                               \
        for (int64_t r = from; r < to; r++) {                                                      \
            const int64_t begin = starts[r], end = starts[r + 1];                                  \
            if (begin < call->first_entry || end < begin ||                                        \
                end > call->first_entry + call->n_entries) {                                       \
                bad[1] = call->first_row + r;                                                      \
                bad[2] = -1;                                                                       \
                return false;                                                                      \
            }                                                                                      \
            const int64_t at = begin - call->first_entry, n = end - begin;                         \
            bool good;                                                                             \
            if (call->columns != 1)                                                                \
                good = wide_##name##_##I(data + at, indices + at, n, x, call->x_rows,              \
                                         call->columns, y + r * call->columns, bad);               \
            else if (call->lanes == 1)                                                             \
                good =                                                                             \
                    row_##name##_##I##_1(data + at, indices + at, n, x, call->x_rows, y + r, bad); \
            else if (call->lanes == 2)                                                             \
                good =                                                                             \
                    row_##name##_##I##_2(data + at, indices + at, n, x, call->x_rows, y + r, bad); \
            else if (call->lanes == 4)                                                             \
                good =                                                                             \
                    row_##name##_##I##_4(data + at, indices + at, n, x, call->x_rows, y + r, bad); \
            else                                                                                   \
                good =                                                                             \
                    row_##name##_##I##_8(data + at, indices + at, n, x, call->x_rows, y + r, bad); \
            if (!good) return false;                                                               \
        }                                                                                          \
        return true;                                                                               \
    }
#define DTYPE(T, name, ADD, MUL)                                                                   \
    ROWS(T, name, int32_t, ADD, MUL)                                                               \
    ROWS(T, name, int64_t, ADD, MUL)

DTYPE(uint64_t, integer, REAL_ADD, REAL_MUL) /* which wraps */
DTYPE(float, float32, REAL_ADD, REAL_MUL)
DTYPE(double, float64, REAL_ADD, REAL_MUL)
DTYPE(struct complex64, complex64, ADD_complex64, MUL_complex64)
DTYPE(struct complex128, complex128, ADD_complex128, MUL_complex128)

static int64_t start_of(const struct job *j, int64_t row)
{
    row += j->call->first_row;
    return j->call->index_bytes == 4 ? ((const int32_t *)j->starts)[row]
                                     : ((const int64_t *)j->starts)[row];
}

/* The first row that begins at `piece` or behind it, where each row counts as one more than its entries. Neighbouring
 * pieces share their ends, also if the starts are in disorder: then one of them has none. */
static int64_t row_of(const struct job *j, int64_t piece, int64_t n_pieces)
{
    int64_t lo = 0, hi = j->call->n_rows;
    if (piece == n_pieces) return hi;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (start_of(j, middle) < j->call->first_entry + piece * PIECE - middle)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int64_t count_pieces(const struct heddle_csr_call *call)
{
    return (call->n_rows + call->n_entries) / PIECE + 1;
}

static void do_pieces(void *argument, int64_t from, int64_t to)
{
    struct job *j = argument;
    const int64_t n = count_pieces(j->call);
    const int64_t first = from == 0 ? 0 : row_of(j, from, n), last = row_of(j, to, n);
    int64_t bad[3] = {0, j->call->first_row + last, -1}; /* of starts in disorder */
    if (first <= last && j->rows(j, first, last, bad)) return;
    if (!atomic_exchange(&j->failed, true)) memcpy(j->bad, bad, sizeof bad);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_csr_call *call = arguments;
    struct job job = {.call = call,
                      .data = k->buffers[call->data],
                      .indices = k->buffers[call->indices],
                      .starts = k->buffers[call->starts],
                      .x = k->buffers[call->x],
                      .y = k->buffers[call->y]};
#define CHOOSE(name) call->index_bytes == 4 ? rows_##name##_int32_t : rows_##name##_int64_t
    switch (call->dtype) {
    case HEDDLE_INT64: job.rows = CHOOSE(integer); break;
    case HEDDLE_FLOAT32: job.rows = CHOOSE(float32); break;
    case HEDDLE_FLOAT64: job.rows = CHOOSE(float64); break;
    case HEDDLE_COMPLEX64: job.rows = CHOOSE(complex64); break;
    case HEDDLE_COMPLEX128: job.rows = CHOOSE(complex128); break;
    default: return heddle__fail(HEDDLE_EINTERNAL, "csr: dtype %d", call->dtype);
    }
    heddle__share(k->team, heddle__team_size(k->team), count_pieces(call), do_pieces, &job);
    if (!atomic_load(&job.failed)) return HEDDLE_OK;
    char text[160];
    return heddle__fail(heddle__describe_csr(job.bad, text, sizeof text), "%s", text);
}

const struct heddle_cpu_kernel heddle__csr_cpu = {.run = run};
