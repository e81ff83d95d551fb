/* What both twins share: a launch as the user's functions get it, and a call of one. */
#include "families/raw/kernel.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/user_function.h"

#include <string.h>

static bool is_made(const struct heddle_raw_array *a)
{
    return a->role == HEDDLE_RAW_WRITE || a->role == HEDDLE_RAW_UPDATE;
}

/* The first array that is made; an element of it has a thread if the call says no grid. */
static const struct heddle_raw_array *first_made(const struct heddle_raw_call *call)
{
    int i = 0;
    while (!is_made(&call->arrays[i])) i++;
    return &call->arrays[i];
}

static int64_t divided(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

static void cover(const struct heddle_raw_array *a, int n_axes, struct heddle_raw_launch *launch)
{
    int64_t rest = a->n;
    for (int k = 0; k < n_axes; k++) {
        const int d = a->ndim - 1 - k;
        const int64_t extent = k == n_axes - 1 ? rest : d >= 0 ? a->extents.shape[d] : 1;
        launch->grid[k] = divided(extent, launch->block[k]);
        rest /= extent > 0 ? extent : 1;
    }
}

static enum heddle_status set_grid(const struct heddle_raw_call *call,
                                   const struct heddle_raw_values *v,
                                   struct heddle_raw_launch *launch)
{
    static const int64_t most[3] = {INT32_MAX, 65535, 65535};
    for (int k = 0; k < 3; k++) {
        launch->block[k] = v->block[k];
        launch->grid[k] = v->grid[k] > 0 ? v->grid[k] : 1;
    }
    if (v->grid[0] == 0) cover(first_made(call), v->n_axes, launch);
    for (int k = 0; k < 3; k++)
        HEDDLE_REQUIRE(launch->grid[k] <= most[k], HEDDLE_EARG,
                       "%s: %lld blocks along axis %d of the grid are more than %lld", v->caller,
                       (long long)launch->grid[k], k, (long long)most[k]);
    return HEDDLE_OK;
}

enum heddle_status heddle__raw_launch(const struct heddle_raw_call *call,
                                      const struct heddle_kernel_context *k,
                                      struct heddle_raw_view *views,
                                      struct heddle_raw_launch *launch)
{
    const struct heddle_raw_values *v = heddle__raw_values_of(call, k->objects);
    for (int i = 0; i < v->n; i++) {
        const struct heddle_raw_given *g = &v->given[i];
        const struct heddle_raw_array *a = &call->arrays[g->array];
        views[i] = (struct heddle_raw_view){.dtype = HEDDLE_DTYPE_NONE};
        switch ((enum heddle_raw_role)g->role) {
        case HEDDLE_RAW_READ:
        case HEDDLE_RAW_WHOLE:
        case HEDDLE_RAW_WRITE:
        case HEDDLE_RAW_UPDATE:
            views[i].data = k->buffers[is_made(a) ? a->out : a->in];
            views[i].dtype = (enum heddle_dtype)a->dtype;
            views[i].bytes = a->n * (int64_t)heddle_dtype_size(views[i].dtype);
            views[i].ndim = a->ndim;
            views[i].extents = a->extents;
            break;
        case HEDDLE_RAW_BYTES:
            views[i].data = (void *)(uintptr_t)&v->bytes[g->at];
            views[i].bytes = g->bytes;
            break;
        case HEDDLE_RAW_SIZE:
            views[i].data = (void *)(uintptr_t)&a->n;
            views[i].bytes = sizeof a->n;
            break;
        case HEDDLE_RAW_EXTENTS:
            views[i].data = (void *)(uintptr_t)&a->extents;
            views[i].bytes = sizeof a->extents;
            break;
        }
    }
    *launch = (struct heddle_raw_launch){.n = v->n,
                                         .arguments = views,
                                         .shared_bytes = v->shared_bytes,
                                         .part = call->part,
                                         .n_parts = call->n_parts,
                                         .place = k->place,
                                         .stream = k->stream,
                                         .user = v->kernel->user};
    return set_grid(call, v, launch);
}

/* In the checked mode on a CPU: a hash of all that the function reads. */
static uint64_t hash_read(const struct heddle_raw_call *call, const struct heddle_kernel_context *k)
{
    uint64_t hash = 0;
    for (int i = 0; i < call->n_arrays; i++) {
        const struct heddle_raw_array *a = &call->arrays[i];
        if (!is_made(a))
            hash =
                heddle__hash_bytes(hash, k->buffers[a->in],
                                   (size_t)a->n * heddle_dtype_size((enum heddle_dtype)a->dtype));
    }
    return hash;
}

static bool is_status(enum heddle_status status)
{
    switch (status) {
#define STATUS(id, number, text) case id:
        HEDDLE_STATUS_MAP(STATUS)
#undef STATUS
        return true;
    }
    return false;
}

enum heddle_status heddle__raw_function(const struct heddle_raw_call *call,
                                        const struct heddle_kernel_context *k,
                                        heddle_raw_function *function,
                                        const struct heddle_raw_launch *launch)
{
    const char *caller = heddle__raw_values_of(call, k->objects)->caller;
    const bool checks = heddle__checking() && !k->stream;
    const uint64_t before = checks ? hash_read(call, k) : 0;
    heddle__in_user_function = true;
    const enum heddle_status status = function(launch);
    heddle__in_user_function = false;
    HEDDLE_REQUIRE(!checks || hash_read(call, k) == before, HEDDLE_EARG,
                   "%s: the function changed its input, part %lld", caller, (long long)call->part);
    if (status == HEDDLE_OK) return HEDDLE_OK;
    return heddle__fail(is_status(status) ? status : HEDDLE_EARG,
                        "%s: the function failed on part %lld with %d, %s", caller,
                        (long long)call->part, (int)status, heddle_status_text(status));
}
