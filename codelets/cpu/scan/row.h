/* One row of up to a chunk, as rows.c has it of each dtype and operation (types.h). */
#include "cpu/scan/chunk.h"

static void SCAN(row_alone)(const void *x, void *y, int64_t n)
{
    SCAN(chunk)(x, n, NULL, y);
}

#undef SCAN_T
#undef SCAN
#undef SCAN_OP
#undef SCAN_IDENTITY
