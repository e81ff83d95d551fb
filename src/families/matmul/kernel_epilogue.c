/* Elementwise work on a product. Entry points: kernel.h. */
#include "families/matmul/kernel.h"

enum { RESULTS, ROWS, COLUMNS };

bool heddle__epilogue_axes(const struct heddle_matmul *mm, const struct heddle_launch *launch,
                           int axis[3])
{
    const struct heddle_geometry *g = &launch->geometry;
    const int64_t extent[3] = {mm->batch, mm->m, mm->n};
    int d = g->ndim - 1;
    for (int e = COLUMNS; e >= RESULTS; e--) {
        axis[e] = -1;
        if (extent[e] == 1) continue;
        while (d >= 0 && g->extent[d] == 1) d--;
        if (d < 0 || g->extent[d] != extent[e]) return false;
        axis[e] = d--;
    }
    while (d >= 0 && g->extent[d] == 1) d--;
    return d < 0;
}

bool heddle__matmul_takes(const struct heddle_matmul *mm, const struct heddle_launch *launch)
{
    const int64_t stride[3] = {mm->c_batch, mm->c_row, 1};
    int axis[3];
    if (mm->outer > 1 || mm->accumulate || mm->epilogue || launch->next ||
        launch->program->n_reductions > 0 || !heddle__epilogue_axes(mm, launch, axis))
        return false;
    for (int k = 0; k < launch->program->n_operands; k++) {
        const struct heddle_access *access = &launch->access[k];
        if (launch->buffer[k] != mm->buffer[2]) continue;
        if (access->offset != mm->c_offset) return false;
        for (int e = RESULTS; e <= COLUMNS; e++)
            if (axis[e] >= 0 && access->stride[axis[e]] != stride[e]) return false;
    }
    return true;
}
