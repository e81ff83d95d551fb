/* Products from panels: which, and their memory. Entry points: kernel_packed.h. */
#include "families/matmul/kernel_packed.h"

#include <heddle/dtype.h>

#include <math.h>

enum {
    LEAST_EXTENT = 16,
    LEAST_WORK = 1000000, /* multiplications; up to so many BLAS makes no panels */
    FEW_ROWS = 256,
    FEW_ELEMENTS = 1 << 16, /* of A */
    UNIT = 96,              /* of columns at once: whole panels of all instruction sets */
    MOST_OF_A = 16 << 20,   /* bytes of panels */
    MOST_OF_B = 16 << 20,
    CONFLICT = 4096 /* bytes: lines so far apart share a set of the nearest cache */
};

static double bytes_of(const struct heddle_matmul *mm, int64_t lines, int64_t width)
{
    const double size = (double)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    const int64_t all = (lines + width - 1) / width * width;
    return (double)all * (double)mm->k * size;
}

static bool shares_sets(const struct heddle_matmul *mm)
{
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    return mm->a_column != 1 && mm->a_column * size % CONFLICT == 0;
}

bool heddle__packs_a(const struct heddle_matmul *mm, int64_t rows)
{
    return shares_sets(mm) || (mm->a_column != 1 && rows < HEDDLE_PACKED_ROWS &&
                               bytes_of(mm, mm->m, HEDDLE_PACKED_ROWS) <= MOST_OF_A);
}

bool heddle__packs_together(const struct heddle_matmul *mm)
{
    return bytes_of(mm, mm->n, 1) <= MOST_OF_B;
}

bool heddle__packs_alone(const struct heddle_matmul *mm)
{
    return mm->m <= FEW_ROWS || mm->m <= FEW_ELEMENTS / mm->k;
}

int64_t heddle__packed_columns(const struct heddle_matmul *mm)
{
    if ((mm->dtype != HEDDLE_FLOAT32 && mm->dtype != HEDDLE_FLOAT64) || mm->batch != 1 ||
        mm->m < LEAST_EXTENT || mm->n < LEAST_EXTENT || mm->k < LEAST_EXTENT ||
        (double)mm->m * (double)mm->n * (double)mm->k <= LEAST_WORK ||
        (shares_sets(mm) && bytes_of(mm, mm->m, HEDDLE_PACKED_ROWS) > MOST_OF_A))
        return 0;
    if (heddle__packs_together(mm) || heddle__packs_alone(mm)) return mm->n;
    if (bytes_of(mm, UNIT, 1) > MOST_OF_B) return 0;
    const double times = ceil(bytes_of(mm, mm->n, 1) / MOST_OF_B);
    return (int64_t)ceil((double)mm->n / UNIT / times) * UNIT;
}

size_t heddle__packed_bytes(const struct heddle_matmul *mm, int n_threads)
{
    const int64_t columns = heddle__packed_columns(mm);
    if (columns == 0) return 0;
    const int64_t lanes =
        HEDDLE_PACKED_VECTOR / (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    const double of_b = bytes_of(mm, columns, lanes);
    double bytes = of_b;
    if (heddle__packs_alone(mm)) {
        bytes = fmin(of_b, HEDDLE_PACKED_CACHE) * n_threads;
        if (heddle__packs_together(mm)) bytes = fmax(bytes, of_b);
    }
    if (heddle__packs_a(mm, 1)) /* for tiles of few rows, at most */
        bytes += bytes_of(mm, mm->m, HEDDLE_PACKED_ROWS);
    return (size_t)bytes + HEDDLE_PACKED_VECTOR;
}
