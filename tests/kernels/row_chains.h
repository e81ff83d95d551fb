/* Chains of launches over the same rows (rows.h), with their buffers, for tests of both twins. */
#ifndef HEDDLE_TESTS_KERNELS_ROW_CHAINS_H
#define HEDDLE_TESTS_KERNELS_ROW_CHAINS_H

#include "check.h"
#include "cuda/extra.h"
#include "rows.h"
#include "scan_order.h"

#include <stdlib.h>

enum { STAGES = 5, BUFFERS = 8 };

/* Launches with their buffers: each is [rows][length] or [rows], dense, but the input. Of columns (`across`) maps have the reduced axis
 * before the last of the rows', and reductions go in sequence. */
struct chain {
    struct build stage[STAGES];
    int n_stages, n_buffers, n_constants;
    int64_t rows, length, extent[3]; /* rows as two axes */
    enum heddle_dtype dtype[BUFFERS];
    bool is_row[BUFFERS], passed[BUFFERS], across;
    int64_t stride[3], offset; /* of buffer 0, the input */
    size_t bytes[BUFFERS];
    union heddle_scalar constants[HEDDLE_MAX_CONSTANTS];
};

static inline int new_buffer(struct chain *c, enum heddle_dtype d, bool is_row, bool passed)
{
    const int k = c->n_buffers++;
    c->dtype[k] = d;
    c->is_row[k] = is_row;
    c->passed[k] = passed;
    c->bytes[k] = (size_t)(is_row ? c->rows : c->rows * c->length) * heddle_dtype_size(d);
    return k;
}

/* From the order of reductions, rows first, to that of a stage's axes. */
static inline void in_order(const struct chain *c, bool is_map, const int64_t by_rows[3],
                            int64_t out[3])
{
    const bool moved = c->across && is_map;
    out[0] = by_rows[0];
    out[1] = by_rows[moved ? 2 : 1];
    out[2] = by_rows[moved ? 1 : 2];
}

static inline struct build *begin(struct chain *c, bool is_map)
{
    struct build *b = &c->stage[c->n_stages++];
    int64_t extent[3];
    in_order(c, is_map, c->extent, extent);
    build_begin(b, is_map ? 3 : 2, 3, extent);
    b->program.sequential = !is_map && c->across;
    b->launch.geometry.reduced = is_map ? 0 : c->across ? 1 << 1 : 1 << 2;
    return b;
}

static inline void strides_of(const struct chain *c, const struct build *b, int buffer,
                              int64_t stride[3])
{
    const int64_t n = c->length, dense[3] = {c->extent[1] * n, n, 1},
                  across[3] = {c->extent[1] * n, 1, c->extent[1]}, row[3] = {c->extent[1], 1, 0};
    const int64_t *of = buffer == 0         ? c->stride
                        : c->is_row[buffer] ? row
                        : c->across         ? across
                                            : dense;
    in_order(c, b->launch.geometry.n_kept == 3, of, stride);
}

/* The index along an axis of the rows (0 and 1), or within the row (2). */
static inline int index_along(const struct chain *c, struct build *b, int axis)
{
    const bool moved = c->across && b->launch.geometry.n_kept == 3 && axis > 0;
    return build_index(b, moved ? 3 - axis : axis);
}

static inline int load(struct chain *c, struct build *b, int buffer)
{
    int64_t stride[3];
    strides_of(c, b, buffer, stride);
    const int v = build_load(b, c->dtype[buffer], NULL, stride, buffer == 0 ? c->offset : 0);
    b->buffer[b->program.n_operands - 1] = (uint32_t)buffer;
    return v;
}

static inline void store(struct chain *c, struct build *b, int value, int buffer)
{
    int64_t stride[3];
    strides_of(c, b, buffer, stride);
    build_store(b, value, c->dtype[buffer], NULL, stride, 0);
    const int k = b->program.n_operands - 1;
    b->buffer[k] = (uint32_t)buffer;
    if (c->passed[buffer]) b->launch.passed |= UINT32_C(1) << k;
}

/* Seals the stages and links them; constants are numbered through. */
static inline void link_chain(struct chain *c)
{
    for (int i = 0; i < c->n_stages; i++) {
        struct build *b = &c->stage[i];
        build_seal(b, b->program.sequential);
        for (int k = 0; k < b->program.n_constants; k++) {
            c->constants[c->n_constants] = b->constants[k];
            b->constant_index[k] = (uint32_t)c->n_constants++;
        }
        b->launch.next = i + 1 < c->n_stages ? &c->stage[i + 1].launch : NULL;
    }
}

/* ---- Chains ------------------------------------------------------------------------------------------ */

/* (x - m) / m, or x - m of whole numbers. */
static inline int relative(struct chain *c, struct build *b, enum heddle_dtype d, int x, int m)
{
    const int at = load(c, b, m), e = build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), at);
    return heddle_dtype_kind(d) == 'F' ? build_op(b, HEDDLE_OP_DIVIDE, d, e, at) : e;
}

/* m = max(x); e = (x - m) / m, in two stages; s = sum(e^2) + 1; y = e * 3 / s; without quotients for whole numbers. */
static inline void make_quotient(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), m = new_buffer(c, d, true, true),
              s = new_buffer(c, d, true, true), y = new_buffer(c, d, false, false);
    struct build *b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_MAX, d, load(c, b, x));
    store(c, b, build_reduced(b, 0), m);
    b = begin(c, false);
    int e = relative(c, b, d, x, m);
    const int one = build_number(b, d, 1);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, build_op(b, HEDDLE_OP_MULTIPLY, d, e, e));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 0), one), s);
    b = begin(c, true);
    e = relative(c, b, d, x, m);
    e = build_op(b, HEDDLE_OP_MULTIPLY, d, e, build_number(b, d, 3));
    const bool real = heddle_dtype_kind(d) == 'F';
    store(c, b, build_op(b, real ? HEDDLE_OP_DIVIDE : HEDDLE_OP_SUBTRACT, d, e, load(c, b, s)), y);
}

/* a = sum(x), which stays; d = x - a, which is stored, or passed; q = sum(d * d); r = q + a, over the rows alone, with
 * an axis of extent 1; y = d * w - r, or y = d * w - r + x where d is passed: then both are read to the end. */
static inline void make_stored(struct chain *c, enum heddle_dtype d, bool passed)
{
    const int x = new_buffer(c, d, false, false), a = new_buffer(c, d, true, false),
              t = new_buffer(c, d, false, passed), q = new_buffer(c, d, true, true),
              r = new_buffer(c, d, true, !passed), w = new_buffer(c, d, false, false),
              y = new_buffer(c, d, false, false);
    struct build *b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, load(c, b, x));
    store(c, b, build_reduced(b, 0), a);
    b = begin(c, true);
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), load(c, b, a)), t);
    b = begin(c, false);
    const int e = load(c, b, t);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, build_op(b, HEDDLE_OP_MULTIPLY, d, e, e));
    store(c, b, build_reduced(b, 0), q);
    b = &c->stage[c->n_stages++];
    int64_t of_rows[3];
    in_order(c, true, (const int64_t[]){c->extent[0], c->extent[1], 1}, of_rows);
    build_begin(b, 3, 3, of_rows);
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, load(c, b, q), load(c, b, a)), r);
    b = begin(c, true);
    const int dw = build_op(b, HEDDLE_OP_MULTIPLY, d, load(c, b, t), load(c, b, w));
    const int less = build_op(b, HEDDLE_OP_SUBTRACT, d, dw, load(c, b, r));
    store(c, b, passed ? build_op(b, HEDDLE_OP_ADD, d, less, load(c, b, x)) : less, y);
}

/* i = argmax(x), m = max(x) and n = min(x) at once; y = x - m * n; z = sum(y) + i. */
static inline void make_places(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), i = new_buffer(c, HEDDLE_INT64, true, false),
              m = new_buffer(c, d, true, true), n = new_buffer(c, d, true, false),
              y = new_buffer(c, d, false, true), z = new_buffer(c, d, true, false);
    struct build *b = begin(c, false);
    const int v = load(c, b, x);
    build_reduce(b, HEDDLE_REDUCE_ARGMAX, d, v);
    build_reduce(b, HEDDLE_REDUCE_MAX, d, v);
    build_reduce(b, HEDDLE_REDUCE_MIN, d, v);
    store(c, b, build_reduced(b, 0), i);
    store(c, b, build_reduced(b, 1), m);
    store(c, b, build_reduced(b, 2), n);
    b = begin(c, true);
    const int mn = build_op(b, HEDDLE_OP_MULTIPLY, d, load(c, b, m), load(c, b, n));
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), mn), y);
    b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, load(c, b, y));
    const int place = build_cast(b, HEDDLE_INT64, d, load(c, b, i));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 0), place), z);
}

/* m = max(x) as a half, which stays; y = x - m. */
static inline void make_halves(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), m = new_buffer(c, HEDDLE_FLOAT16, true, false),
              y = new_buffer(c, d, false, false);
    struct build *b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_MAX, d, load(c, b, x));
    const int single = build_cast(b, d, HEDDLE_FLOAT32, build_reduced(b, 0));
    store(c, b, build_cast(b, HEDDLE_FLOAT32, HEDDLE_FLOAT16, single), m);
    b = begin(c, true);
    const int half = build_cast(b, HEDDLE_FLOAT16, HEDDLE_FLOAT32, load(c, b, m));
    const int at = build_cast(b, HEDDLE_FLOAT32, d, half);
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), at), y);
}

/* i = argmax(x), s = sum(x * x) + 1: one launch, which is a chain to a GPU if its rows are short. */
static inline void make_reduction(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), i = new_buffer(c, HEDDLE_INT64, true, false),
              s = new_buffer(c, d, true, false);
    struct build *b = begin(c, false);
    const int v = load(c, b, x), one = build_number(b, d, 1);
    const int square = build_op(b, HEDDLE_OP_MULTIPLY, d, v, v);
    build_reduce(b, HEDDLE_REDUCE_ARGMAX, d, v);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, square);
    store(c, b, build_reduced(b, 0), i);
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 1), one), s);
}

/* t = x + i + j - k of the element's indices, of a box that begins elsewhere; m = max(t + k - i) - j; y = t - m + k. */
static inline void make_indexed(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), t = new_buffer(c, d, false, true),
              m = new_buffer(c, d, true, false), y = new_buffer(c, d, false, false);
    const enum heddle_dtype i64 = HEDDLE_INT64;
    struct build *b = begin(c, true);
    int at = build_op(b, HEDDLE_OP_ADD, i64, index_along(c, b, 0), index_along(c, b, 1));
    at = build_op(b, HEDDLE_OP_SUBTRACT, i64, at, index_along(c, b, 2));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, load(c, b, x), build_cast(b, i64, d, at)), t);
    b = begin(c, false);
    at = build_op(b, HEDDLE_OP_SUBTRACT, i64, index_along(c, b, 2), index_along(c, b, 0));
    at = build_op(b, HEDDLE_OP_ADD, d, load(c, b, t), build_cast(b, i64, d, at));
    build_reduce(b, HEDDLE_REDUCE_MAX, d, at);
    at = build_cast(b, i64, d, index_along(c, b, 1));
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, build_reduced(b, 0), at), m);
    b = begin(c, true);
    const int less = build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, t), load(c, b, m));
    at = build_cast(b, i64, d, index_along(c, b, 2));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, less, at), y);
    for (int i = 0; i < c->n_stages; i++)
        for (int a = 0; a < 2; a++) {
            struct heddle_geometry *g = &c->stage[i].launch.geometry;
            const int axis = a == 1 && c->across && g->n_kept == 3 ? 2 : a;
            g->origin[axis] = 3 + a;
            g->whole[axis] += 9;
        }
}

/* in_order of rows with two axes; the map is stage 1. Returns `out`. */
static inline const int64_t *channel_order(const struct chain *c, int stage,
                                           const int64_t by_rows[4], int64_t out[4])
{
    static const int moved[4] = {0, 2, 3, 1};
    for (int a = 0; a < 4; a++) out[a] = by_rows[c->across && stage == 1 ? moved[a] : a];
    return out;
}

/* m = sum(x * g), y = (x - m) * g + h, where a row is of four channels, g has a number for each, and h has the channels from the last one on:
 * both are walked with a period. */
static inline void make_channels(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), g = new_buffer(c, d, true, false),
              m = new_buffer(c, d, true, true), h = new_buffer(c, d, false, false),
              y = new_buffer(c, d, false, false);
    const int64_t channels = c->length % 4 == 0 && c->rows >= 4 ? 4 : 1,
                  each = c->length / channels,
                  extent[4] = {c->extent[0], c->extent[1], channels, each},
                  of_x[4] = {c->stride[0], c->stride[1], c->stride[2] * each, c->stride[2]},
                  of_g[4] = {0, 0, 1, 0}, of_h[4] = {0, 0, -each, 1},
                  of_row[4] = {c->extent[1], 1, 0, 0},
                  of_y[4] = {c->extent[1] * c->length, c->across ? 1 : c->length,
                             each * (c->across ? c->extent[1] : 1), c->across ? c->extent[1] : 1};
    for (int stage = 0; stage < 2; stage++) {
        struct build *b = &c->stage[c->n_stages++];
        int64_t to[4];
        build_begin(b, stage == 0 ? 2 : 4, 4, channel_order(c, stage, extent, to));
        b->program.sequential = stage == 0 && c->across;
        b->launch.geometry.reduced = c->across ? 6 : 12;
        int v = build_load(b, d, NULL, channel_order(c, stage, of_x, to), c->offset);
        const int by = build_load(b, d, NULL, channel_order(c, stage, of_g, to), 0);
        b->buffer[0] = (uint32_t)x;
        b->buffer[1] = (uint32_t)g;
        if (stage == 0) {
            build_reduce(b, HEDDLE_REDUCE_SUM, d, build_op(b, HEDDLE_OP_MULTIPLY, d, v, by));
            build_store(b, build_reduced(b, 0), d, NULL, channel_order(c, stage, of_row, to), 0);
            b->buffer[2] = (uint32_t)m;
            b->launch.passed = 1u << 2;
            continue;
        }
        const int at = build_load(b, d, NULL, channel_order(c, stage, of_row, to), 0);
        const int more =
            build_load(b, d, NULL, channel_order(c, stage, of_h, to), (channels - 1) * each);
        b->buffer[2] = (uint32_t)m;
        b->buffer[3] = (uint32_t)h;
        v = build_op(b, HEDDLE_OP_MULTIPLY, d, build_op(b, HEDDLE_OP_SUBTRACT, d, v, at), by);
        build_store(b, build_op(b, HEDDLE_OP_ADD, d, v, more), d, NULL,
                    channel_order(c, stage, of_y, to), 0);
        b->buffer[4] = (uint32_t)y;
    }
}

/* A stage that is a scan of buffer `from`. */
static inline void scan(struct chain *c, enum heddle_scan_operation operation, int from, int to)
{
    struct build *b = begin(c, false);
    store(c, b, load(c, b, from), to);
    b->program.scan = (uint16_t)(1 + operation);
}

static inline enum heddle_dtype scanned_dtype(enum heddle_dtype d)
{
    return heddle_dtype_size(d) >= 4 ? d : HEDDLE_UINT32;
}

/* t = x; c = sums of t along the row; s = sum(c) + 1; u = t - s; y = largest of u so far. */
static inline void make_sums(struct chain *c, enum heddle_dtype of)
{
    const enum heddle_dtype d = scanned_dtype(of);
    const int x = new_buffer(c, of, false, false), t = new_buffer(c, d, false, true),
              sums = new_buffer(c, d, false, false), s = new_buffer(c, d, true, true),
              u = new_buffer(c, d, false, true), y = new_buffer(c, d, false, false);
    struct build *b = begin(c, true);
    store(c, b, of == d ? load(c, b, x) : build_cast(b, of, d, load(c, b, x)), t);
    scan(c, HEDDLE_SCAN_ADD, t, sums);
    b = begin(c, false);
    const int one = build_number(b, d, 1);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, load(c, b, sums));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 0), one), s);
    b = begin(c, true);
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, t), load(c, b, s)), u);
    scan(c, HEDDLE_SCAN_MAXIMUM, u, y);
}

/* t = 1 + x / 1024, or x of whole numbers; p = products of t along the row; n = least of t so far; s = largest of n * p; y = p - s. */
static inline void make_products(struct chain *c, enum heddle_dtype of)
{
    const enum heddle_dtype d = scanned_dtype(of);
    const int x = new_buffer(c, of, false, false), t = new_buffer(c, d, false, true),
              p = new_buffer(c, d, false, true), n = new_buffer(c, d, false, false),
              s = new_buffer(c, d, true, false), y = new_buffer(c, d, false, false);
    struct build *b = begin(c, true);
    int v = of == d ? load(c, b, x) : build_cast(b, of, d, load(c, b, x));
    if (heddle_dtype_kind(d) == 'F') {
        v = build_op(b, HEDDLE_OP_DIVIDE, d, v, build_number(b, d, 1024));
        v = build_op(b, HEDDLE_OP_ADD, d, v, build_number(b, d, 1));
    }
    store(c, b, v, t);
    scan(c, HEDDLE_SCAN_MULTIPLY, t, p);
    scan(c, HEDDLE_SCAN_MINIMUM, t, n);
    b = begin(c, false);
    v = build_op(b, HEDDLE_OP_MULTIPLY, d, load(c, b, n), load(c, b, p));
    build_reduce(b, HEDDLE_REDUCE_MAX, d, v);
    store(c, b, build_reduced(b, 0), s);
    b = begin(c, true);
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, p), load(c, b, s)), y);
}

/* ---- Data ---------------------------------------------------------------------------------------------- */

/* Whole numbers that no sum of rows rounds, so that an order of terms would not be seen; and fractions, whose is. */
static inline void fill(enum heddle_dtype d, void *data, int64_t n, bool fractions)
{
    enum { NUMBERS = 256 };
    const size_t size = heddle_dtype_size(d);
    char numbers[NUMBERS * sizeof(union heddle_scalar)]; /* converted once: there are long arrays */
    for (int k = 0; k < NUMBERS; k++) {
        const double number = k - 100;
        const union heddle_scalar v = {.f64 = fractions ? (number + 0.5) / 37 : number};
        const union heddle_scalar as = heddle__convert(v, HEDDLE_FLOAT64, d);
        memcpy(numbers + (size_t)k * size, &as, size);
    }
    const int64_t period = 1 << 15, first = n < period ? n : period;
    for (int64_t i = 0; i < first; i++) {
        const size_t k = (uint64_t)i * 2654435761u >> 7 & 0xff;
        memcpy((char *)data + (size_t)i * size, numbers + k * size, size);
    }
    for (int64_t i = first; i < n; i += period) {
        const int64_t left = n - i;
        memcpy((char *)data + (size_t)i * size, data,
               (size_t)(left < period ? left : period) * size);
    }
}

/* rows0 x rows1 rows; the input has `gap` elements between rows, and a step between elements. */
static inline struct chain new_chain(int64_t rows0, int64_t rows1, int64_t length, int64_t step,
                                     int64_t gap)
{
    struct chain c = {.rows = rows0 * rows1, .length = length, .extent = {rows0, rows1, length}};
    const int64_t apart = step < 0 ? -step : step, row = length * apart + gap;
    c.stride[0] = rows1 * row + 3 * gap;
    c.stride[1] = row;
    c.stride[2] = step;
    c.offset = step < 0 ? (length - 1) * apart : 0;
    return c;
}

/* The same of columns: the step is from one to the next, and the gap behind all of them. */
static inline struct chain new_columns(int64_t rows0, int64_t rows1, int64_t length, int64_t step,
                                       int64_t gap)
{
    struct chain c = new_chain(rows0, rows1, length, step, gap);
    const int64_t apart = step < 0 ? -step : step, line = rows1 * apart + gap;
    c.across = true;
    c.stride[0] = length * line + 3 * gap;
    c.stride[1] = step;
    c.stride[2] = line;
    c.offset = step < 0 ? (rows1 - 1) * apart : 0;
    return c;
}

static inline void room_for_input(struct chain *c)
{
    int64_t last = c->offset;
    for (int a = 0; a < 3; a++)
        if (c->stride[a] > 0) last += (c->extent[a] - 1) * c->stride[a];
    c->bytes[0] = (size_t)(last + 1) * heddle_dtype_size(c->dtype[0]);
}

enum { CHAINS = 10, SCANS = 8 /* the first that has scans */ };
static const char *const chain_names[CHAINS] = {"quotient", "stored",    "passed",  "places",
                                                "halves",   "reduction", "indexed", "channels",
                                                "sums",     "products"};

/* Scans have rows of so many elements. */
static inline bool is_chain_of(const struct chain *c, int kind)
{
    return kind < SCANS || c->length <= heddle__scan_most(c->across);
}

static inline void make_chain(struct chain *c, int kind, enum heddle_dtype d)
{
    if (kind == 0) make_quotient(c, d);
    if (kind == 1) make_stored(c, d, false);
    if (kind == 2) make_stored(c, d, true);
    if (kind == 3) make_places(c, d);
    if (kind == 4) make_halves(c, d);
    if (kind == 5) make_reduction(c, d);
    if (kind == 6) make_indexed(c, d);
    if (kind == 7) make_channels(c, d);
    if (kind == 8) make_sums(c, d);
    if (kind == 9) make_products(c, d);
    room_for_input(c);
    link_chain(c);
}

/* Fresh buffers: what a chain begins with, and what its launches one by one on the CPU make of that. */
static inline void chain_buffers(const struct chain *c, void *got[BUFFERS], void *want[BUFFERS])
{
    for (int k = 0; k < c->n_buffers; k++) {
        const enum heddle_dtype d = c->dtype[k];
        got[k] = calloc(c->bytes[k] + 1, 1);
        want[k] = calloc(c->bytes[k] + 1, 1);
        if (!got[k] || !want[k]) exit(1);
        fill(d, got[k], (int64_t)(c->bytes[k] / heddle_dtype_size(d)), heddle_dtype_kind(d) == 'F');
        memcpy(want[k], got[k], c->bytes[k]);
    }
    for (int i = 0; i < c->n_stages; i++)
        CHECK_EQ(heddle__cpu_program(&c->stage[i].launch, want, c->constants, test_team(1)),
                 HEDDLE_OK);
}

/* Compares what is not passed, and frees all. */
static inline void chain_compare(const struct chain *c, void *got[BUFFERS], void *want[BUFFERS],
                                 const char *what, const char *how)
{
    for (int k = 0; k < c->n_buffers; k++) {
        if (!c->passed[k])
            CHECK(memcmp(got[k], want[k], c->bytes[k]) == 0, "%s, %s, %s, %lld x %lld: buffer %d",
                  what, heddle_dtype_name(c->dtype[0]), how, (long long)c->rows,
                  (long long)c->length, k);
        free(got[k]);
        free(want[k]);
    }
}

#endif
