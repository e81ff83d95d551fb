/* Elementwise work on tiles of a product. Entry points: cpu_epilogue.h. */
#include "families/matmul/cpu_epilogue.h"

#include <string.h>

enum {
    CACHE_BYTES = 512 << 10, /* of a core's, beside what BLAS has there */
    LEAST_ROWS = 64
};

int64_t heddle__epilogue_rows(const struct heddle_matmul *mm, int64_t width)
{
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    const int64_t rows = CACHE_BYTES / ((width + mm->k) * size);
    return rows > LEAST_ROWS ? rows / 8 * 8 : LEAST_ROWS;
}

bool heddle__epilogue_in_tiles(const struct heddle_matmul *mm)
{
    return mm->batch == 1 || mm->m >= HEDDLE_EPILOGUE_TILE / mm->n;
}

void heddle__epilogue_tile(struct heddle_epilogue *e, const int64_t lo[3], const int64_t size[3])
{
    const struct heddle_launch *launch = e->mm->epilogue;
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    int64_t first[HEDDLE_MAX_NDIM] = {0}, sizes[HEDDLE_MAX_NDIM];
    int axis[3];
    memcpy(sizes, launch->geometry.extent, sizeof sizes);
    heddle__epilogue_axes(e->mm, launch, axis);
    for (int i = 0; i < 3; i++) {
        if (axis[i] < 0) continue;
        first[axis[i]] = lo[i];
        sizes[axis[i]] = size[i];
    }
    const struct heddle_launch tile = heddle__launch_box(launch, first, sizes, access);
    const enum heddle_status status = heddle__cpu_program(&tile, e->buffers, e->constants, NULL);
    if (status != HEDDLE_OK) atomic_store(&e->status, (int)status);
}

enum heddle_status heddle__epilogue_end(struct heddle_epilogue *e, struct heddle_team *team)
{
    const enum heddle_status status = (enum heddle_status)atomic_load(&e->status);
    if (!e->done) return heddle__cpu_program(e->mm->epilogue, e->buffers, e->constants, team);
    return status == HEDDLE_OK ? status : heddle__fail(status, "no memory for a block's values");
}
