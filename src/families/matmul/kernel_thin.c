/* Where a product with few tiles gets its parallelism on GPUs: from slices of its sums. Entry points: kernel_thin.h. */
#include "families/matmul/kernel_thin.h"

#include "families/matmul/cuda_thin.h"

#include <heddle/dtype.h>

enum {
    LEAST_K = 1 << 14,
    /* gemm */
    MOST_RESULT = 1 << 14, /* elements: of larger ones BLAS's own tiles and splitting do */
    TILE = 64,
    TILES = 1024,       /* of all slices: several for each multiprocessor of a large GPU */
    LEAST_SLICES = 16,  /* of fewer BLAS's own splitting gives as many */
    LEAST_LENGTH = 256, /* of a slice */
    UNIT = 32, /* of a slice's length: whatever is aligned of an operand is aligned of its slices */
    TRIES = 16,
    /* with a vector */
    MOST_ACROSS = 4096, /* rows: of more BLAS has threads enough */
    MOST_ALONG = 128,
    BLOCKS = 2048,
    WARPS = 16384,
    TERMS = 16, /* for a thread, at least */
    /* with a vector, rows that are not cut */
    LEAST_ROWS = 4096,
    LONGEST_ROW = 1024 /* terms: longer ones BLAS has a fast kernel for */
};

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}
static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}
static int64_t parts(int64_t n, int64_t each)
{
    return (n + each - 1) / each;
}

/* Partial results are written and read: at most a sixteenth of what the operands have. */
static struct heddle_thin_cut cut_gemm(const struct heddle_matmul *mm)
{
    struct heddle_thin_cut cut = {HEDDLE_THIN_NOT, 0, 0, 0};
    if (mm->n > MOST_RESULT / mm->m) return cut;
    const int64_t shortest = most(LEAST_LENGTH, parts(32 * mm->m * mm->n, mm->m + mm->n));
    const int64_t wanted =
        least(TILES / (parts(mm->m, TILE) * parts(mm->n, TILE)), mm->k / shortest);
    if (wanted < LEAST_SLICES) return cut;

    /* of somewhat shorter slices those that leave the fewest terms, which the last kernel multiplies by itself */
    const int64_t longest = mm->k / wanted / UNIT * UNIT;
    cut.rest = mm->k;
    for (int64_t length = longest, i = 0; i < TRIES && length > longest / 4 * 3;
         i++, length -= UNIT)
        if (mm->k % length < cut.rest)
            cut =
                (struct heddle_thin_cut){HEDDLE_THIN_GEMM, mm->k / length, length, mm->k % length};
    return cut;
}

static struct heddle_thin_cut cut_vector(const struct heddle_matmul *mm)
{
    const bool is_row = mm->m == 1 && mm->n > 1; /* the vector is A, and B^T the matrix */
    const int64_t rows = is_row ? mm->n : mm->m, along = is_row ? mm->b_row : mm->a_column;
    struct heddle_thin_cut cut = {along == 1 ? HEDDLE_THIN_ALONG : HEDDLE_THIN_ACROSS, 0, 0, 0};
    if (rows > (along == 1 ? MOST_ALONG : MOST_ACROSS) || rows > mm->k / 16)
        return (struct heddle_thin_cut){HEDDLE_THIN_NOT, 0, 0, 0};
    if (along == 1)
        cut.slices = least(WARPS / rows, mm->k / (32 * TERMS));
    else
        cut.slices = least(BLOCKS / parts(rows, HEDDLE_THIN_THREADS),
                           mm->k / (most(1, HEDDLE_THIN_THREADS / rows) * TERMS));
    cut.length = parts(mm->k, most(1, cut.slices));
    cut.slices = parts(mm->k, cut.length);
    return cut;
}

/* At least two loads of 16 bytes for a thread, if the row has so many. */
static struct heddle_thin_cut cut_rows(const struct heddle_matmul *mm)
{
    const bool is_row = mm->m == 1 && mm->n > 1;
    const int64_t rows = is_row ? mm->n : mm->m, along = is_row ? mm->b_row : mm->a_column;
    const int64_t size =
        (int64_t)heddle_dtype_size((enum heddle_dtype)(mm->halves ? mm->halves : mm->dtype));
    struct heddle_thin_cut cut = {HEDDLE_THIN_NOT, 0, 1, 0};
    if (along != 1 || rows < LEAST_ROWS || mm->k < 1) return cut;
    while (cut.length < 32 && cut.length * 4 <= mm->k * size / 16) cut.length *= 2;
    cut.way = HEDDLE_THIN_ROWS;
    return cut;
}

struct heddle_thin_cut heddle__thin_cut(const struct heddle_matmul *mm)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)mm->dtype);
    const bool is_vector = mm->m == 1 || mm->n == 1;
    const struct heddle_thin_cut none = {HEDDLE_THIN_NOT, 0, 0, 0};
    if ((kind != 'F' && kind != 'C') || mm->batch != 1 || mm->m < 1 || mm->n < 1) return none;
    if (is_vector && mm->k <= LONGEST_ROW) return cut_rows(mm);
    if (mm->k < LEAST_K) return none;
    return is_vector ? cut_vector(mm) : cut_gemm(mm);
}

size_t heddle__thin_scratch(const struct heddle_matmul *mm)
{
    const size_t size = heddle_dtype_size((enum heddle_dtype)mm->dtype);
    return (size_t)(heddle__thin_cut(mm).slices * mm->m * mm->n) * size;
}
