/* The loop of a generalised function on a CPU: runs along the last axis of the loop. Entry point: heddle__gufunc_loop. */
#include "api/gufunc/gufunc.h"

#include "base/dtype.h"

/* How far an argument goes along each axis of the loop, in bytes. */
static void set_steps(const struct gufunc_signature *s, int argument,
                      const struct heddle_raw_view *view, const int64_t *core, int n_loop,
                      int64_t steps[])
{
    const int own = view->ndim - s->ndim[argument];
    int64_t bytes = (int64_t)heddle_dtype_size(view->dtype);
    for (int d = 0; d < s->ndim[argument]; d++) bytes *= core[s->core[argument][d]];
    for (int axis = n_loop - 1; axis >= 0; axis--) {
        const int d = axis - (n_loop - own);
        const int64_t extent = d < 0 ? 1 : view->extents.shape[d];
        steps[axis] = extent == 1 ? 0 : bytes;
        bytes *= extent;
    }
}

enum heddle_status heddle__gufunc_loop(const struct heddle_raw_launch *launch)
{
    const struct heddle_gufunc *g = launch->user;
    const struct gufunc_signature *s = &g->signature;
    const int n = gufunc_n(g);
    const struct heddle_raw_view *views = launch->arguments, *out = &views[s->n_in];
    const int64_t *core = views[2 * n].data;
    const int n_loop = out->ndim - s->ndim[s->n_in];
    int64_t step[GUFUNC_ARGUMENTS][HEDDLE_MAX_NDIM], run[GUFUNC_ARGUMENTS];
    int64_t at[HEDDLE_MAX_NDIM] = {0};
    void *data[GUFUNC_ARGUMENTS];
    for (int i = 0; i < n; i++) {
        set_steps(s, i, &views[i], core, n_loop, step[i]);
        run[i] = n_loop > 0 ? step[i][n_loop - 1] : 0;
        data[i] = views[i].data;
    }
    const struct heddle_gufunc_items items = {.n = n_loop > 0 ? out->extents.shape[n_loop - 1] : 1,
                                              .core = core,
                                              .data = data,
                                              .step = run,
                                              .user = g->user};
    for (;;) {
        const enum heddle_status status = g->function(&items);
        if (status != HEDDLE_OK) return status;
        int axis = n_loop - 2;
        for (; axis >= 0; axis--) {
            const int64_t extent = out->extents.shape[axis];
            const bool wraps = ++at[axis] == extent;
            for (int i = 0; i < n; i++)
                data[i] = (char *)data[i] + (wraps ? step[i][axis] * (1 - extent) : step[i][axis]);
            if (!wraps) break;
            at[axis] = 0;
        }
        if (axis < 0) return HEDDLE_OK;
    }
}
