/* One row of up to a chunk, and columns, as scan_rows.c has them of each dtype and operation (types.h). */
#include "cpu/scan/chunk.h"

static void SCAN(row_alone)(const void *x, void *y, int64_t n)
{
    SCAN(chunk)(x, n, NULL, y);
}

/* Columns side by side, `apart` elements from one of their rows to the next: chunks from left to right, and what is before each. */
static void SCAN(columns_alone)(const void *from, void *to, int64_t n, int64_t columns,
                                int64_t from_apart, int64_t to_apart)
{
    const SCAN_T *x = from;
    SCAN_T *y = to;
    for (int64_t j = 0; j < n; j++) {
        const SCAN_T *const in = x + j * from_apart;
        SCAN_T *const out = y + j * to_apart;
        const bool begins = j % HEDDLE_SCAN_COLUMN_CHUNK == 0;
        for (int64_t i = 0; i < columns; i++)
            out[i] = begins ? in[i] : SCAN_OP(out[i - to_apart], in[i]);
        if (j < n - 1 && j % HEDDLE_SCAN_COLUMN_CHUNK < HEDDLE_SCAN_COLUMN_CHUNK - 1) continue;
        const int64_t first = j / HEDDLE_SCAN_COLUMN_CHUNK * HEDDLE_SCAN_COLUMN_CHUNK;
        const SCAN_T *const before = y + (first - 1) * to_apart;
        for (int64_t k = first; k <= j && first > 0; k++)
            for (int64_t i = 0; i < columns; i++)
                y[k * to_apart + i] = SCAN_OP(before[i], y[k * to_apart + i]);
    }
}

#undef SCAN_T
#undef SCAN
#undef SCAN_OP
#undef SCAN_IDENTITY
