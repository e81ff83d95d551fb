/* Retold kernels with raw arguments: what reads elements by index. */
#include "retold.h"

#define RAW(k) s->in[k].re

static double at_or_0(const struct retold_column *c, int64_t at)
{
    return at >= 0 && at < c->size ? c->re[at] : 0;
}

ORACLE(add_reverse)
{
    EACH
    {
        OUT(0) = IN(0) + RAW(1)[s->n - 1 - i];
        OUT_WHOLE(0) = (int64_t)OUT(0);
    }
}
ORACLE(rolled)
{
    EACH OUT(0) = RAW(0)[(i + s->n - 5) % s->n];
}
ORACLE(convolved)
{
    EACH
    {
        OUT(0) = 0;
        for (int64_t k = -3; k <= 3; k++) OUT(0) += at_or_0(&s->in[0], i + k) * RAW(1)[3 - k];
    }
}
ORACLE(row_sums)
{
    EACH
    {
        OUT(0) = 0;
        for (int64_t k = i - i % s->columns; k <= i; k++) OUT(0) += RAW(0)[k];
    }
}
ORACLE(product)
{
    EACH
    {
        OUT(0) = 0;
        for (int64_t k = 0; k < 5; k++)
            OUT(0) += RAW(0)[i / s->columns * 5 + k] * RAW(1)[k * s->columns + i % s->columns];
    }
}
ORACLE(counted)
{
    for (int64_t b = 0; b < s->n; b++) s->out[0].whole[b] = 0;
    for (int64_t k = 0; k < s->in[0].size; k++) s->out[0].whole[s->in[0].whole[k]]++;
}
ORACLE(bilinear)
{
    EACH
    {
        double sum = 0;
        for (int64_t r = 0; r < 6; r++)
            for (int64_t c = 0; c < 7; c++)
                sum += RAW(0)[r * 7 + c] * fmax(0, 1 - fabs(IN(1) - (double)r)) *
                       fmax(0, 1 - fabs(IN(2) - (double)c));
        OUT(0) = sum;
    }
}
ORACLE(looked_up)
{
    EACH OUT(0) = RAW(1)[IN_WHOLE(0)];
}
ORACLE(life)
{
    const int64_t h = s->rows, w = s->columns;
    for (int64_t r = 0; r < h; r++)
        for (int64_t c = 0; c < w; c++) {
            int64_t n = 0;
            for (int64_t k = 0; k < 9; k++)
                if (k != 4)
                    n += s->in[0].whole[(r + k / 3 - 1 + h) % h * w + (c + k % 3 - 1 + w) % w];
            s->out[0].whole[r * w + c] = n == 3 || (n == 2 && s->in[0].whole[r * w + c]);
        }
}
ORACLE(laplace)
{
    EACH
    {
        const int64_t r = i / s->columns, c = i % s->columns;
        OUT(0) = 0;
        if (r == 0 || c == 0 || r == s->rows - 1 || c == s->columns - 1) continue;
        OUT(0) = RAW(0)[i - s->columns] + RAW(0)[i + s->columns] + RAW(0)[i - 1] + RAW(0)[i + 1] -
                 4 * RAW(0)[i];
    }
}
ORACLE(polynomial)
{
    EACH
    {
        OUT(0) = 0;
        for (int64_t k = 0; k < s->in[1].size; k++)
            OUT(0) += RAW(1)[k] * pow(IN(0), (double)(s->in[1].size - 1 - k));
    }
}
ORACLE(nearest)
{
    EACH
    {
        int64_t best = 0;
        for (int64_t k = s->in[2].size - 1; k >= 0; k--)
            if (hypot(IN(0) - RAW(2)[k], IN(1) - RAW(3)[k]) <=
                hypot(IN(0) - RAW(2)[best], IN(1) - RAW(3)[best]))
                best = k;
        OUT_WHOLE(0) = best;
    }
}
ORACLE(placed)
{
    EACH
    {
        int64_t below = 0;
        for (int64_t k = 0; k < s->in[1].size; k++) below += RAW(1)[k] < IN(0);
        OUT_WHOLE(0) = below;
    }
}
ORACLE(csr_rows)
{
    EACH
    {
        OUT(0) = 0;
        for (int64_t k = s->in[2].whole[i]; k < s->in[2].whole[i + 1]; k++)
            OUT(0) += RAW(0)[k] * RAW(3)[s->in[1].whole[k]];
    }
}
ORACLE(distances)
{
    EACH
    {
        double sum = 0;
        for (int64_t d = 0; d < 3; d++)
            sum += pow(RAW(0)[i / s->columns * 3 + d] - RAW(1)[i % s->columns * 3 + d], 2);
        OUT(0) = sqrt(sum);
    }
}

const struct retold retold_gathers[] = {
    {"add_reverse",
     "T x, raw T y",
     "T z",
     "z = x + y[_ind.size() - i - 1]",
     "fdi",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, -1, 0}},
     add_reverse,
     1,
     0,
     9,
     14,
     NULL},
    {"roll",
     "raw T x, int32 by",
     "T z",
     "z = x[((i - by) % n + n) % n]",
     "fd",
     {{'T', -4, 4, -1, 0}, {'i', 5, 5, 0, RETOLD_NUMBER}},
     rolled,
     0,
     0,
     9,
     14,
     NULL},
    {"convolve",
     "raw T x, raw T h",
     "T z",
     "const long half = h.size() / 2; double sum = 0; for (long k = -half; k <= half; k++) sum += "
     "x[i + k] * h[half - k]; z = sum;",
     "fd",
     {{'T', -4, 4, 100, 0}, {'T', -1, 1, 7, 0}},
     convolved,
     2,
     16,
     1,
     100,
     NULL},
    {"row_prefix",
     "raw T x",
     "T z",
     "const long c = x.shape()[1]; double sum = 0; for (long k = i - i % c; k <= i; k++) sum += "
     "x[k]; z = sum;",
     "fd",
     {{'T', -4, 4, -1, 0}},
     row_sums,
     4,
     16,
     11,
     6,
     NULL},
    {"gemm",
     "raw T a, raw T b, int32 depth",
     "T z",
     "const long columns = b.size() / depth, r = i / columns, c = i % columns;\n"
     "double sum = 0; for (int k = 0; k < depth; k++) sum += (double)a[r * depth + k] * b[k * "
     "columns + c]; z = sum;",
     "fd",
     {{'T', -4, 4, 6 * 5, 0}, {'T', -4, 4, 5 * 9, 0}, {'i', 5, 5, 0, RETOLD_NUMBER}},
     product,
     2,
     32,
     6,
     9,
     NULL},
    {"histogram",
     "raw int32 x",
     "int32 count",
     "for (int k = 0; k < x.size(); k++) if (x[k] == i) count++;",
     "i",
     {{'i', 0, 16.9, 300, 0}},
     counted,
     0,
     0,
     1,
     17,
     NULL},
    {"bilinear",
     "raw T image, T r, T c, int32 width",
     "T z",
     "const int r0 = (int)floor(r), c0 = (int)floor(c); const T fr = r - r0, fc = c - c0;\n"
     "const T top = image[r0 * width + c0] * (1 - fc) + image[r0 * width + c0 + 1] * fc;\n"
     "const T low = image[(r0 + 1) * width + c0] * (1 - fc) + image[(r0 + 1) * width + c0 + 1] * "
     "fc;\n"
     "z = top * (1 - fr) + low * fr;",
     "fd",
     {{'T', -4, 4, 42, 0},
      {'T', 0, 4.99, 0, 0},
      {'T', 0, 5.99, 0, 0},
      {'i', 7, 7, 0, RETOLD_NUMBER}},
     bilinear,
     16,
     8,
     9,
     14,
     NULL},
    {"lookup",
     "uint8 x, raw T table",
     "T z",
     "z = table[x]",
     "fd",
     {{'b', 0, 255, 0, 0}, {'T', -4, 4, 256, 0}},
     looked_up,
     0,
     0,
     9,
     14,
     NULL},
    {"life",
     "raw uint8 x, int32 h, int32 w",
     "uint8 z",
     "const int r = i / w, c = i % w; int around = 0;\n"
     "for (int dr = -1; dr <= 1; dr++)\n"
     "    for (int dc = -1; dc <= 1; dc++)\n"
     "        if (dr != 0 || dc != 0) around += x[(r + dr + h) % h * w + (c + dc + w) % w];\n"
     "z = around == 3 || (around == 2 && x[i] != 0);",
     "b",
     {{'b', 0, 1.99, -1, 0}, {'i', 12, 12, 0, RETOLD_NUMBER}, {'i', 10, 10, 0, RETOLD_NUMBER}},
     life,
     0,
     0,
     12,
     10,
     NULL},
    {"laplace",
     "raw T u",
     "T z",
     "const long h = u.shape()[0], w = u.shape()[1], r = i / w, c = i % w;\n"
     "if (r > 0 && r < h - 1 && c > 0 && c < w - 1) z = u[i - w] + u[i + w] + u[i - 1] + u[i + 1] "
     "- 4 * u[i];",
     "fd",
     {{'T', -4, 4, -1, 0}},
     laplace,
     4,
     16,
     12,
     10,
     NULL},
    {"horner",
     "T x, raw T c",
     "T z",
     "for (int k = 0; k < c.size(); k++) z = z * x + c[k];",
     "fd",
     {{'T', -1, 1, 0, 0}, {'T', -2, 2, 6, 0}},
     polynomial,
     8,
     6,
     9,
     14,
     NULL},
    {"nearest_centre",
     "T x, T y, raw T cx, raw T cy",
     "int32 label",
     "double least = INFINITY;\n"
     "for (int k = 0; k < cx.size(); k++) {\n"
     "    const double dx = (double)x - cx[k], dy = (double)y - cy[k], d = dx * dx + dy * dy;\n"
     "    if (d < least) { least = d; label = k; }\n"
     "}",
     "fd",
     {{'T', -4, 4, 0, 0}, {'T', -4, 4, 0, 0}, {'T', -4, 4, 7, 0}, {'T', -4, 4, 7, 0}},
     nearest,
     0,
     0,
     9,
     14,
     NULL},
    {"searchsorted",
     "T x, raw T edges",
     "int64 at",
     "int64 lo = 0, hi = edges.size();\n"
     "while (lo < hi) { const int64 mid = (lo + hi) / 2; if (edges[mid] < x) lo = mid + 1; else hi "
     "= mid; }\n"
     "at = lo;",
     "fd",
     {{'T', -5, 5, 0, 0}, {'T', -4, 4, 33, RETOLD_SORTED}},
     placed,
     0,
     0,
     9,
     14,
     NULL},
    {"csr_product",
     "raw T data, raw int32 column, raw int32 row_start, raw T x",
     "T y",
     "double sum = 0; for (int k = row_start[i]; k < row_start[i + 1]; k++) sum += (double)data[k] "
     "* x[column[k]]; y = sum;",
     "fd",
     {{'T', -4, 4, 60, 0},
      {'i', 0, 19.9, 60, 0},
      {'i', 0, 60, 21, RETOLD_SORTED},
      {'T', -4, 4, 20, 0}},
     csr_rows,
     4,
     60,
     1,
     20,
     NULL},
    {"pair_distances",
     "raw T a, raw T b",
     "T z",
     "const long m = b.shape()[0] / 3, p = i / m, q = i % m; double sum = 0;\n"
     "for (int d = 0; d < 3; d++) { const double t = (double)a[3 * p + d] - b[3 * q + d]; sum += t "
     "* t; }\n"
     "z = sqrt(sum);",
     "fd",
     {{'T', -4, 4, 24, 0}, {'T', -4, 4, 30, 0}},
     distances,
     4,
     0,
     8,
     10,
     NULL},
    {0}};
