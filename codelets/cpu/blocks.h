/* The block functions that the CPU interpreter calls: loops over at most a block of elements,
 * compiled once for each dtype and instruction set (loops.c, draw.c, elementary.c, halves.c, moves.c, products/). They know
 * nothing of programs. Entry point: heddle__cpu_blocks. */
#ifndef HEDDLE_CODELETS_CPU_BLOCKS_H
#define HEDDLE_CODELETS_CPU_BLOCKS_H

#include "program.h"
#include "reduce_tree.h"

#include <stdbool.h>

enum {
    HEDDLE_BLOCK = 1024, /* elements of a block, at most */
    HEDDLE_CACHE_LINE = 64,
};

/* out[i] = f(x[i], y[i], z[i]). `out` may be one of the operands if the elements are equally large;
 * no other overlap. The bits of out[i] depend on the operands' alone, not on i or n. */
typedef void heddle__block_fn(size_t n, void *out, const void *x, const void *y, const void *z);

struct heddle__block_op {
    heddle__block_fn *vector;   /* every operand has n elements */
    heddle__block_fn *y_scalar; /* y has one; NULL if there is no such function */
    heddle__block_fn *x_scalar; /* x has one; NULL if there is no such function */
};

/* One reduction of one dtype, by the tree of reduce_tree.h. `at` is the element number that goes
 * with a value of argmax and argmin; the other reductions ignore it. */
struct heddle__block_reducer {
    /* acc[i] is element v[i] */
    void (*begin)(size_t n, void *acc, const void *v);
    /* acc[i] = acc[i] op element v[i], whose number is first + i */
    void (*accumulate)(size_t n, void *acc, int32_t *at, const void *v, int32_t first);
    /* the same of v[i] that are accumulators */
    void (*merge)(size_t n, void *acc, int32_t *at, const void *v, int32_t first);
    /* acc[i] = acc[i] op element v[r, i], whose number is first + r, for each of the rows in order; i < m. Rows are `step`
     * elements apart; what lies between them may be read. */
    void (*fold)(size_t n_rows, size_t m, void *acc, int32_t *at, const void *v, int64_t step,
                 int32_t first);
    /* out[r] = v[r, 0] op ... op v[r, n-1] for each of the rows, 1 <= n <= 1024, as a chunk of n
     * accumulators. The numbers of their elements are v_at[r, i], or i if v_at is NULL. */
    void (*rows)(size_t n_rows, size_t n, void *out, int32_t *out_at, const void *v,
                 const int32_t *v_at);
};

struct heddle__block_type {
    struct heddle__block_op ops[HEDDLE_N_OPS];
    heddle__block_fn *casts[HEDDLE_N_DTYPES]; /* to that dtype */
    struct heddle__block_reducer reducers[HEDDLE_N_REDUCTIONS];
};

/* Slabs of short rows: acc[s, i] = v[s, 0, i] op ... op v[s, n_rows - 1, i], or, if it has `begun`, acc[s, i] op v[s, 0, i] op ..., in order.
 * That is the element at s * step + r * m + i; what lies between slabs may be read. n, n_rows, m > 0. */
struct heddle__slabs {
    size_t n, n_rows, m;
    int64_t step;
    void *acc;
    const void *v;
    bool begun;
};

/* `rows` of a reducer by vectors: of values alone, rows of least <= n <= 1024 that go by halves, and short_rows of 2 <= n <= 16 that
 * go left to right; of argmax and argmin `find`, rows of lanes <= n <= INT32_MAX; of values alone, `slabs`. NULL: there is none. */
struct heddle__block_halving {
    size_t lanes, least;
    void (*rows[HEDDLE_N_REDUCTIONS])(size_t n_rows, size_t n, void *out, const void *v);
    void (*short_rows[HEDDLE_N_REDUCTIONS])(size_t n_rows, size_t n, void *out, const void *v);
    void (*find[HEDDLE_N_REDUCTIONS])(size_t n_rows, size_t n, void *out, int32_t *out_at,
                                      const void *v);
    void (*slabs[HEDDLE_N_REDUCTIONS])(const struct heddle__slabs *slabs);
};

/* Groups of few elements that lie close, as bytes: out[i * n + j * size + b] = x[i * step + from[j] + b] for each of `count` groups
 * i, each element j and each of its bytes b. 0 < n <= HEDDLE_GROUP / 2, 0 < step <= HEDDLE_GROUP, from[j] + size <= span <=
 * HEDDLE_GROUP; all but count and span are multiples of size. */
enum { HEDDLE_GROUP = 64 };
struct heddle__groups {
    size_t count, n, step, span, size;
    uint8_t from[HEDDLE_GROUP / 2];
};

/* An index that is out of range for an axis of n elements; n = 0: there is none. */
struct heddle__bad_index {
    int64_t index, n;
};

enum { HEDDLE_COLUMNS = 32, HEDDLE_WOVEN = 4 };

/* Moves of elements of 1, 2, 4, 8 and 16 bytes: index log2 of the size. Strides in elements. */
struct heddle__block_moves {
    void (*gather[5])(size_t n, void *out, const void *x, int64_t stride);
    void (*scatter[5])(size_t n, void *out, const void *x, int64_t stride);
    /* out[i * out_stride + j] = x[j * stride + i], i < n, j < m: what lies across, no overlap */
    void (*turn[5])(size_t n, size_t m, void *out, int64_t out_stride, const void *x,
                    int64_t stride);
    /* out[k][j] = x[j * stride + at[k]], k < n, j < m, n <= HEDDLE_COLUMNS: columns of records. at[] ascends, 0 < stride. NULL: there
     * is none */
    void (*columns[5])(size_t m, int n, void *const out[], const int64_t at[], const void *x,
                       int64_t stride);
    /* out[i * n + k] = x[k][i], i < m, k < n, 2 <= n <= HEDDLE_WOVEN: records of their fields. NULL: there is none */
    void (*weave[5])(size_t m, int n, void *out, const void *const x[]);
    /* out[i * pad + j] = x[i * step], i < n, j < m */
    void (*repeat[5])(size_t n, size_t m, void *out, int64_t pad, const void *x, int64_t step);
    /* Reads only these bytes and what is between them. False: there is no such instruction, or they are too far apart.
     * NULL: there is none for any. */
    bool (*pick)(void *out, const void *x, const struct heddle__groups *groups);
    /* out[i] = y[x[i]]: x of bytes, y of 256 elements, apart from `out` */
    heddle__block_fn *lookup[5];
    /* out[i] = y[x[i]]: x of int64 */
    heddle__block_fn *load_at[5];
    /* out[i] = x[i], plus y[0] if it is negative: x of int32, int64, y and out of int64. What is not in 0 <= out[i] < y[0] then is 0, and
     * the first such x[i] goes to z, a struct heddle__bad_index, unless there is one already. */
    heddle__block_fn *checked[2];
    void (*iota)(size_t n, int64_t *out, int64_t first, int64_t step);
    /* Copies past the caches, for what is not read again soon: without reading the lines first that
     * it overwrites. Visible to other threads after `settle`. */
    void (*stream)(size_t size_bytes, void *out, const void *x);
    void (*settle)(void);
};

/* c[r, j] = a[r, 0] b[0, j] + ... + a[r, k-1] b[k-1, j], in order, of float32 or float64: 1 <= n, k <= HEDDLE_NARROW. Strides in
 * elements; those of a's and c's columns are 1. c is apart from a and b. */
enum { HEDDLE_NARROW = 16 };
struct heddle__narrow {
    int64_t rows;
    int n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, b_row, b_column, c_row;
};
struct heddle__block_narrow {
    void (*real[2])(const struct heddle__narrow *product); /* index 0 float32, 1 float64 */
};

/* c[r, j] (+)= a[r, 0] b[0, j] + ... + a[r, k-1] b[k-1, j], in order, with one rounding for each term of floating numbers: the same bits
 * however rows and columns are cut. Integers wrap. b lies in panels of so many vectors of columns one after the other, each packed; the
 * last one may have fewer. Or its rows are where they are. Strides in elements; that of c's columns is 1. c is apart from a and b. */
enum { HEDDLE_PANEL = 3 };
struct heddle__packed {
    int rows;    /* at most those of a tile */
    int vectors; /* 1 to HEDDLE_PANEL */
    int64_t n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, c_row;
    int64_t b_row; /* 0: b is packed; else n is whole vectors */
    bool accumulate;
};
/* c[r] (+)= a[r, 0] b[0] + ... + a[r, k-1] b[k-1]; strides of 1 but these. */
struct heddle__dots {
    int64_t rows, k;
    const void *a, *b;
    void *c;
    int64_t a_row, c_row;
    bool accumulate;
};
enum heddle__packed_type {
    HEDDLE_PACKED_FLOAT32,
    HEDDLE_PACKED_FLOAT64,
    HEDDLE_PACKED_1, /* integers by their bytes: signed or not is the same */
    HEDDLE_PACKED_2,
    HEDDLE_PACKED_4,
    HEDDLE_PACKED_8,
    HEDDLE_N_PACKED
};
/* NULL for floating numbers: there are none for this instruction set. */
struct heddle__block_packed {
    int rows; /* of a tile */
    int lanes[HEDDLE_N_PACKED];
    /* out[l * width + j] = x[l * step + j], l < k, j < n */
    void (*copy[HEDDLE_N_PACKED])(int64_t k, int64_t n, int64_t width, void *out, const void *x,
                                  int64_t step);
    void (*multiply[HEDDLE_N_PACKED])(const struct heddle__packed *product);
    void (*dots[HEDDLE_N_PACKED])(const struct heddle__dots *dots); /* of integers */
};

/* y[i] (+)= x[i] g[0] + ... + x[i + m - 1] g[m - 1], i < n, in order, each product and each sum rounded by itself; of bools whether there
 * is a product. x has n + m - 1 elements and is apart from y. */
enum heddle__windowed {
    HEDDLE_WINDOWS_BOOL,
    HEDDLE_WINDOWS_1, /* integers by their bytes: signed or not is the same */
    HEDDLE_WINDOWS_2,
    HEDDLE_WINDOWS_4,
    HEDDLE_WINDOWS_8,
    HEDDLE_WINDOWS_FLOAT32,
    HEDDLE_WINDOWS_FLOAT64,
    HEDDLE_WINDOWS_COMPLEX64,
    HEDDLE_WINDOWS_COMPLEX128,
    HEDDLE_N_WINDOWS
};
typedef void heddle__windows_fn(int64_t n, int64_t m, const void *x, const void *g, void *y,
                                bool adds);
struct heddle__block_windows {
    heddle__windows_fn *sum[HEDDLE_N_WINDOWS];
};

/* Two operations in one pass: of float32, float64; the first one; the second one; whether the first one's value is its
 * right operand; whether y, whether z is one number for all elements. A square, of the first one's value, has no z. */
enum heddle__pair_op {
    HEDDLE_PAIR_ADD,
    HEDDLE_PAIR_SUBTRACT,
    HEDDLE_PAIR_MULTIPLY,
    HEDDLE_PAIR_FIRSTS,
    HEDDLE_PAIR_SQUARE = HEDDLE_PAIR_FIRSTS,
    HEDDLE_PAIR_SECONDS
};
typedef heddle__block_fn *heddle__block_pairs[2][HEDDLE_PAIR_FIRSTS][HEDDLE_PAIR_SECONDS][2][2][2];

/* Casts of halves: index 0 float16, 1 bfloat16. */
struct heddle__block_halves {
    heddle__block_fn *to_float[2], *of_float[2], *of_double[2];
    /* Computed as float32, and rounded; what is one number for all is a float32. All zero where processors have no instruction for it. */
    struct heddle__block_op ops[2][HEDDLE_N_OPS];
};

/* Vector versions of elementary functions, in place of those in heddle__block_type; all zero where
 * there are none. Index 0 float32, 1 float64. */
struct heddle__block_elementary {
    heddle__block_fn *real[2][HEDDLE_N_OPS];
    heddle__block_fn *y_scalar[2][HEDDLE_N_OPS]; /* of real numbers, where y is one */
    heddle__block_fn *complex_[2][HEDDLE_N_OPS];
};

/* Vector versions of the random rows, where the key is one number, in place of .y_scalar of int64; NULL: none. */
struct heddle__block_draws {
    heddle__block_fn *key_scalar[HEDDLE_N_OPS];
};

struct heddle__blocks {
    const char *isa;
    struct heddle__block_type types[HEDDLE_N_DTYPES];
    const struct heddle__block_halving *halving[HEDDLE_N_DTYPES]; /* NULL: there is none */
    struct heddle__block_moves moves;
    struct heddle__block_narrow narrow;
    struct heddle__block_packed packed;
    struct heddle__block_windows windows;
    const heddle__block_pairs *pairs;
};

/* Those of this machine's instruction set, or of HEDDLE_CPU_ISA=baseline|avx2|avx512 if it has
 * that; chosen at the first call. */
const struct heddle__blocks *heddle__cpu_blocks(void);

/* Index into the tables of moves. */
static inline int heddle__log2_size(size_t size_bytes)
{
    return size_bytes == 1   ? 0
           : size_bytes == 2 ? 1
           : size_bytes == 4 ? 2
           : size_bytes == 8 ? 3
                             : 4;
}

#endif
