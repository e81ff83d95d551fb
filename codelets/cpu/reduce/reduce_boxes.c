/* Reductions box by box of kept elements. Partials are as many as kept elements times chunks, which may be far more than
 * the operands: of what is broadcast, say. The order in which an element is reduced does not change. Entry point:
 * heddle__cpu_reduce. */
#include "cpu/reduce/reduce.h"

#define SCRATCH_MOST ((size_t)4 << 20)

/* Sets extents of boxes whose partials take little memory, if that is possible. False: one box is all. */
static bool cut_boxes(const struct heddle_launch *launch, int64_t box[])
{
    struct heddle_launch part = *launch;
    bool cut = false;
    for (int d = 0; d < launch->geometry.n_kept; d++) {
        const size_t bytes = heddle__launch_scratch_bytes(&part);
        int64_t *extent = &part.geometry.extent[d];
        if (bytes > SCRATCH_MOST && *extent > 1) {
            *extent = (int64_t)((double)*extent * ((double)SCRATCH_MOST / (double)bytes));
            if (*extent < 1) *extent = 1;
            cut = true;
        }
        box[d] = *extent;
    }
    return cut;
}

enum heddle_status heddle__cpu_reduce(const struct heddle_launch *launch, void *const buffers[],
                                      const union heddle_scalar constants[],
                                      struct heddle_team *team)
{
    const struct heddle_geometry *g = &launch->geometry;
    int64_t box[HEDDLE_MAX_NDIM] = {0}, lo[HEDDLE_MAX_NDIM] = {0};
    if (!cut_boxes(launch, box)) return heddle__reduce_box(launch, buffers, constants, team);
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    struct heddle_launch part = *launch;
    part.access = access;
    for (;;) {
        for (int k = 0; k < launch->program->n_operands; k++) access[k] = launch->access[k];
        for (int d = 0; d < g->n_kept; d++) {
            const int64_t left = g->extent[d] - lo[d];
            part.geometry.extent[d] = left < box[d] ? left : box[d];
            part.geometry.origin[d] = g->origin[d] + lo[d];
            for (int k = 0; k < launch->program->n_operands; k++)
                access[k].offset += lo[d] * access[k].stride[d];
        }
        const enum heddle_status status = heddle__reduce_box(&part, buffers, constants, team);
        if (status != HEDDLE_OK) return status;
        int d = g->n_kept - 1;
        for (; d >= 0 && (lo[d] += box[d]) >= g->extent[d]; d--) lo[d] = 0;
        if (d < 0) return HEDDLE_OK;
    }
}
