/* The same bytes in rows and boxes. */
#include "large.h"

#define X large_x
#define M(r, c) X((r)*COLS + (c))
enum { SIDE = 65520, DEEP = 240, WIDE = 273 };
_Static_assert(SIDE == COLS && DEEP * WIDE == COLS, "boxes");

static double byte(int64_t v)
{
    return (double)(v & 255);
}
static int64_t row(int64_t i)
{
    return i / COLS;
}
static int64_t col(int64_t i)
{
    return i % COLS;
}

static double turned(int64_t i)
{
    return byte(M(i % ROWS, i / ROWS) + 1);
}
static double both(int64_t i)
{
    return byte(M(row(i), col(i)) + M(col(i), row(i)));
}
static double outer(int64_t i)
{
    return byte((row(i) & 255) * (col(i) & 255));
}
static double sum_outer(int64_t i)
{
    return (double)row(i) + 0.5 * (double)col(i);
}
static double stencil(int64_t i)
{
    const int64_t r = i / (COLS - 2) + 1, c = i % (COLS - 2) + 1;
    return byte(M(r, c) + M(r + 1, c) - M(r - 1, c) + M(r, c + 1));
}
static double mirrored(int64_t i)
{
    return byte(M(row(i), COLS - 1 - col(i)));
}
static double upside_down(int64_t i)
{
    return byte(M(ROWS - 1 - row(i), col(i)));
}
static double lower(int64_t i)
{
    return col(i) <= row(i) ? byte(X(i)) : 0;
}
static double upper(int64_t i)
{
    return col(i) >= row(i) + 5 ? byte(X(i)) : 0;
}
static double columns(int64_t i)
{
    return byte(M(row(i), col(i) * 7919 % COLS));
}
static double some_rows(int64_t i)
{
    return byte(M(row(i) * 7919 % ROWS, col(i)));
}
static double diagonal(int64_t i)
{
    return byte(M(i, i));
}
static double padded(int64_t i)
{
    const int64_t r = i / (COLS + 2), c = i % (COLS + 2);
    return r == 0 || c == 0 || r == ROWS + 1 || c == COLS + 1 ? 0 : byte(M(r - 1, c - 1));
}
static double rolled(int64_t i)
{
    return byte(M((row(i) + ROWS - 40000) % ROWS, (col(i) + COLS - 30000) % COLS));
}
static double boxes_201(int64_t i) /* (WIDE, ROWS, DEEP) */
{
    const int64_t w = i / (ROWS * DEEP), r = i / DEEP % ROWS, d = i % DEEP;
    return byte(M(r, d * WIDE + w));
}
static double boxes_021(int64_t i) /* (ROWS, WIDE, DEEP) */
{
    const int64_t r = i / COLS, w = i / DEEP % WIDE, d = i % DEEP;
    return byte(M(r, d * WIDE + w));
}
static double boxes_120(int64_t i) /* (DEEP, WIDE, ROWS) */
{
    const int64_t d = i / (WIDE * ROWS), w = i / ROWS % WIDE, r = i % ROWS;
    return byte(M(r, d * WIDE + w));
}

static int64_t sum_of(int64_t from, int64_t step,
                      int64_t n) /* of x[from], x[from + step] ...: n of them */
{
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++) sum += X(from + k * step);
    return sum;
}
static double down(int64_t i)
{
    return (double)sum_of(i, COLS, ROWS);
}
static double across(int64_t i)
{
    return (double)sum_of(i * COLS, 1, COLS);
}
static double mean_down(int64_t i)
{
    return down(i) / ROWS;
}
static double middle_sum(int64_t i)
{
    return (double)sum_of(i / WIDE * COLS + i % WIDE, WIDE, DEEP);
}
static double first_of(int64_t from, int64_t step, int64_t n, int64_t v)
{
    for (int64_t k = 0; k < n; k++)
        if (X(from + k * step) == v) return (double)k;
    return NAN;
}
static double place_across(int64_t i)
{
    return first_of(i * COLS, 1, COLS, 250);
}
static double place_down(int64_t i)
{
    return first_of(i, COLS, ROWS, 250);
}
static double running_across(int64_t i)
{
    return byte(sum_of(row(i) * COLS, 1, col(i) + 1));
}
static double running_down(int64_t i)
{
    return byte(sum_of(col(i), COLS, row(i) + 1));
}
static double rank_of(int64_t from, int64_t step, int64_t n, int64_t rank)
{
    int64_t counts[PERIOD] = {0}, v = 0;
    for (int64_t k = 0; k < n; k++) counts[X(from + k * step)]++;
    for (; rank >= counts[v]; v++) rank -= counts[v];
    return (double)v;
}
static double sorted_across(int64_t i)
{
    return rank_of(row(i) * COLS, 1, COLS, col(i));
}
static double sorted_down(int64_t i)
{
    return rank_of(col(i), COLS, ROWS, row(i));
}
static double median_across(int64_t i)
{
    return (rank_of(i * COLS, 1, COLS, COLS / 2) + rank_of(i * COLS, 1, COLS, COLS / 2 - 1)) / 2;
}
static double centred(int64_t i)
{
    return (double)X(i) - across(row(i)) / COLS;
}
static double centred_down(int64_t i)
{
    return (double)X(i) - mean_down(col(i));
}
static double share(int64_t i)
{
    return (double)X(i) / across(row(i));
}
static double far_row(int64_t i)
{
    return row(i) == 65600 ? 7 : byte(X(i));
}
static double far_column(int64_t i)
{
    return col(i) == 65500 ? byte(row(i) & 127) : byte(X(i));
}
static double squares(int64_t i)
{
    double sum = 0;
    for (int64_t c = 0; c < COLS; c++) sum += (double)(M(i, c) * M(i, c));
    return sum;
}

const struct large_case large_shapes[] = {
    {"m.T + 1", N, 9, turned, 0, 0},
    {"m[:cols] + m[:cols].T", COLS *COLS, 9, both, 0, 0},
    {"astype(arange(rows) & 255, uint8)[:, None] * astype(arange(cols) & 255, uint8)", N, 5, outer,
     0, 0},
    {"arange(rows, dtype=float32)[:, None] + arange(cols, dtype=float32) * 0.5", N, 23, sum_outer,
     0, 0},
    {"m[1:-1, 1:-1] + m[2:, 1:-1] - m[:-2, 1:-1] + m[1:-1, 2:]", (ROWS - 2) * (COLS - 2), 9,
     stencil, 0, 0},
    {"m[:, ::-1]", N, 9, mirrored, 0, 0},
    {"m[::-1]", N, 9, upside_down, 0, 0},
    {"tril(m)", N, 9, lower, 0, 0},
    {"triu(m, 5)", N, 9, upper, 0, 0},
    {"m[:, arange(cols) * 7919 % cols]", N, 9, columns, 0, 0},
    {"m[arange(rows) * 7919 % rows]", N, 9, some_rows, 0, 0},
    {"take(m, arange(cols) * 7919 % cols, axis=1)", N, 9, columns, 0, 0},
    {"diagonal(m)", SIDE, 5, diagonal, 0, 0},
    {"pad(m, 1)", (ROWS + 2) * (COLS + 2), 9, padded, 0, 0},
    {"roll(m, (40000, 30000), axis=(0, 1))", N, 9, rolled, 0, 0},
    {"permute_dims(reshape(m, (rows, 240, 273)), (2, 0, 1))", N, 9, boxes_201, 0, 0},
    {"permute_dims(reshape(m, (rows, 240, 273)), (0, 2, 1))", N, 9, boxes_021, 0, 0},
    {"permute_dims(reshape(m, (rows, 240, 273)), (1, 2, 0))", N, 9, boxes_120, 0, 0},
    {"m[65600] = 7; m", N, 9, far_row, 0, 0},
    {"m[:, 65500] = astype(arange(rows) & 127, uint8); m", N, 9, far_column, 0, 0},
    {"sum(m, axis=0)", COLS, 5, down, 0, 0},
    {"sum(m, axis=1)", ROWS, 5, across, 0, 0},
    {"sum(reshape(m, (rows, 240, 273)), axis=1)", ROWS *WIDE, 6, middle_sum, 0, 0},
    {"mean(m, axis=0)", COLS, 5, mean_down, 1e-14, 0},
    {"sum(astype(m, float64)**2, axis=1)", ROWS, 5, squares, 1e-14, 0},
    {"einsum('ij,ij->i', astype(m, int64), astype(m, int64))", ROWS, 5, squares, 0, 0},
    {"argmax(m, axis=1)", ROWS, 5, place_across, 0, 0},
    {"argmax(m, axis=0)", COLS, 5, place_down, 0, 0},
    {"cumulative_sum(m, axis=1, dtype=uint8)", N, 9, running_across, 0, 0},
    {"cumulative_sum(m, axis=0, dtype=uint8)", N, 9, running_down, 0, 0},
    {"sort(m, axis=1)", N, 30, sorted_across, 0, 0},
    {"sort(m, axis=0)", N, 30, sorted_down, 0, 0},
    {"median(m, axis=1)", ROWS, 30, median_across, 0, 0},
    {"f = astype(m, float32); f - mean(f, axis=1, keepdims=True)", N, 40, centred, 0, 1e-3},
    {"f = astype(m, float32); f - mean(f, axis=0)", N, 40, centred_down, 0, 1e-3},
    {"f = astype(m, float32); f / sum(f, axis=1, keepdims=True)", N, 40, share, 1e-5, 0},
    {NULL, 0, 0, NULL, 0, 0},
};
