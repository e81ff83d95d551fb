/* cuFFT and its plans. Entry points: fft.h. */
#include "cuda/fft.h"

#include "cuda/library.h"

#include <base/memory.h>
#include <string.h>

enum { PLANS_OF_STREAM = 32 };

static struct heddle_fft_functions functions;

/* The handle of a stream. */
struct plans {
    void *stream;
    uint64_t clock;
    int n;
    struct heddle_fft_plan_cuda of[PLANS_OF_STREAM];
};

static enum heddle_status create(void *stream, void **handle)
{
    struct plans *made = heddle__alloc_pooled(sizeof *made);
    HEDDLE_REQUIRE(made, HEDDLE_ENOMEM, "no memory for plans of cuFFT");
    memset(made, 0, sizeof *made);
    made->stream = stream;
    *handle = made;
    return HEDDLE_OK;
}

static void destroy(void *handle)
{
    struct plans *plans = handle;
    for (int i = 0; i < plans->n; i++) functions.cufftDestroy(plans->of[i].handle);
    heddle__free_pooled(plans);
}

#define NAME(name) #name,
static const char *const names[] = {HEDDLE_FFT_MAP(NAME)};
#undef NAME
static struct heddle_library library = {.file = "cufft",
                                        .name = "cuFFT",
                                        .major = CUFFT_VER_MAJOR,
                                        .n = sizeof names / sizeof *names,
                                        .names = names,
                                        .functions = &functions,
                                        .create = create,
                                        .destroy = destroy};

enum heddle_status heddle__fft_check(cufftResult result, const char *what)
{
    HEDDLE_REQUIRE(result != CUFFT_ALLOC_FAILED, HEDDLE_ENOMEM, "%s: cuFFT got no memory", what);
    HEDDLE_REQUIRE(result == CUFFT_SUCCESS, HEDDLE_EDEVICE, "%s: cuFFT's error %d", what,
                   (int)result);
    return HEDDLE_OK;
}

static enum heddle_status make(struct plans *plans, const struct heddle_fft_geometry *g,
                               struct heddle_fft_plan_cuda *plan)
{
    long long n[HEDDLE_FFT_RANK_MAX], in[HEDDLE_FFT_RANK_MAX], out[HEDDLE_FFT_RANK_MAX];
    for (int i = 0; i < g->rank; i++) {
        n[i] = g->n[i];
        in[i] = g->in[i];
        out[i] = g->out[i];
    }
    struct heddle_fft_plan_cuda made = {.geometry = *g};
    const char *const what = "plan of a transform";
    enum heddle_status status = heddle__fft_check(functions.cufftCreate(&made.handle), what);
    if (status != HEDDLE_OK) return status;
    cufftResult result = functions.cufftSetAutoAllocation(made.handle, 0);
    if (result == CUFFT_SUCCESS)
        result = functions.cufftMakePlanMany64(made.handle, g->rank, n, in, g->in_stride,
                                               g->in_distance, out, g->out_stride, g->out_distance,
                                               (cufftType)g->type, g->batch, &made.work_bytes);
    if (result == CUFFT_SUCCESS) result = functions.cufftSetStream(made.handle, plans->stream);
    status = heddle__fft_check(result, what);
    if (status != HEDDLE_OK)
        functions.cufftDestroy(made.handle);
    else
        *plan = made;
    return status;
}

/* Where a new plan goes: a free place, else that of the one that was not used for longest. */
static struct heddle_fft_plan_cuda *place(struct plans *plans)
{
    if (plans->n < PLANS_OF_STREAM) return &plans->of[plans->n++];
    struct heddle_fft_plan_cuda *oldest = &plans->of[0];
    for (int i = 1; i < plans->n; i++)
        if (plans->of[i].used < oldest->used) oldest = &plans->of[i];
    functions.cufftDestroy(oldest->handle); /* it waits for what uses the tables */
    return oldest;
}

enum heddle_status heddle__fft_plan_cuda(const char *who, void *stream,
                                         const struct heddle_fft_geometry *geometry,
                                         const struct heddle_fft_functions **functions_,
                                         const struct heddle_fft_plan_cuda **plan)
{
    void *handle = NULL;
    enum heddle_status status = heddle__library_get(&library, who, stream, &handle);
    if (status != HEDDLE_OK) return status;
    struct plans *plans = handle;
    *functions_ = &functions;
    for (int i = 0; i < plans->n; i++)
        if (!memcmp(&plans->of[i].geometry, geometry, sizeof *geometry)) {
            plans->of[i].used = ++plans->clock;
            *plan = &plans->of[i];
            return HEDDLE_OK;
        }
    struct heddle_fft_plan_cuda made;
    status = make(plans, geometry, &made);
    if (status != HEDDLE_OK) return status;
    struct heddle_fft_plan_cuda *at = place(plans);
    *at = made;
    at->used = ++plans->clock;
    *plan = at;
    return HEDDLE_OK;
}
