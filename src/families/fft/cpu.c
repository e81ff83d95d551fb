/* The CPU twin of transforms: an axis after the other, each a pass over lines, which the threads of the team share by
 * bundles; if there are fewer lines than threads, they share each line. Entry point: heddle__fft_cpu. */
#include "base/share.h"
#include "families/fft/cpu_plans.h"
#include "families/fft/kernel.h"
#include "kernels.h"

#include <string.h>

_Static_assert(HEDDLE_FFT_DIMS >= HEDDLE_MAX_NDIM - 1, "axes of a pass");

enum { ELEMENTS_OF_THREAD = 8192 }; /* that are worth a thread */

static const struct heddle_fft_engine *engine_for(bool is_double)
{
#if HEDDLE_FFT_AVX2
    if (strcmp(heddle__cpu_isa(), "baseline") != 0)
        return is_double ? &heddle__fft_double_avx2 : &heddle__fft_float_avx2;
#endif
    return is_double ? &heddle__fft_double_baseline : &heddle__fft_float_baseline;
}

/* ---- A pass ------------------------------------------------------------------------------------------ */

struct pass {
    const struct heddle_fft_engine *engine;
    const struct heddle_fft_lines *lines;
    const void *plan;
    const struct heddle_fft_crew *crew; /* NULL: each thread takes lines of its own */
    struct heddle__shares shares;
    char *rooms; /* one for each thread; NULL: they get their own */
    size_t room_bytes;
    atomic_bool failed;
};

static int take(void *taker, int64_t *from, int64_t *to)
{
    return heddle__take(taker, from, to);
}

static void work(void *argument, int thread)
{
    struct pass *p = argument;
    struct heddle__taker taker = heddle__taker(&p->shares, thread);
    char *const room = p->rooms ? p->rooms + (size_t)thread * p->room_bytes : NULL;
    if (!p->engine->work(p->lines, p->plan, p->crew, take, &taker, room))
        atomic_store_explicit(&p->failed, true, memory_order_relaxed);
}

static void run_crew(void *team, int n_threads, void (*of_thread)(void *argument, int thread),
                     void *argument)
{
    heddle__team_run(team, n_threads, of_thread, argument);
}

/* `rooms` are used if they are enough. */
static enum heddle_status run_pass(const struct heddle_fft_engine *engine,
                                   const struct heddle_fft_lines *lines, struct heddle_team *team,
                                   char *rooms, size_t rooms_bytes)
{
    const int64_t bundle = engine->bundle(lines), n_bundles = (lines->lines + bundle - 1) / bundle;
    const double worth = (double)lines->lines * (double)lines->n / ELEMENTS_OF_THREAD;
    int n_threads = heddle__team_size(team);
    if (worth < n_threads) n_threads = worth < 1 ? 1 : (int)worth;

    struct heddle_fft_plan *plan = heddle__fft_plan_take(engine, lines->kind != HEDDLE_FFT_C2C,
                                                         lines->n, engine->by_itself(lines));
    HEDDLE_REQUIRE(plan, HEDDLE_ENOMEM, "fft: no memory for a transform of %lld elements",
                   (long long)lines->n);
    const struct heddle_fft_crew crew = {n_threads, team, run_crew};
    const bool inside = n_bundles < n_threads;
    struct pass p = {.engine = engine,
                     .lines = lines,
                     .plan = heddle__fft_plan_of(plan),
                     .crew = inside ? &crew : NULL};
    if (inside) n_threads = 1;
    p.room_bytes = engine->room_bytes(lines, p.plan);
    if (rooms && p.room_bytes <= rooms_bytes / (size_t)n_threads) p.rooms = rooms;
    heddle__shares_begin(&p.shares, n_bundles, n_threads);
    heddle__team_run(team, n_threads, work, &p);
    heddle__fft_plan_give_back(plan);
    HEDDLE_REQUIRE(!p.failed, HEDDLE_ENOMEM, "fft: no memory for a transform of %lld elements",
                   (long long)lines->n);
    return HEDDLE_OK;
}

/* ---- The call ---------------------------------------------------------------------------------------- */

/* The lines along an axis of arrays in C order whose shapes differ along it only: the axes inside, which are one, then
 * those outside. */
static struct heddle_fft_lines lines_along(const struct heddle_fft *f, int axis, int64_t n_in,
                                           int64_t n_out)
{
    int64_t inner = 1, outer = 1;
    for (int d = 0; d < f->ndim; d++)
        if (d != axis) *(d < axis ? &outer : &inner) *= f->shape[d];
    return (struct heddle_fft_lines){
        .kind = f->kind,
        .inverse = f->inverse,
        .alone = f->alone >> axis & 1,
        .factor = 1,
        .n = n_in,
        .in_stride = inner,
        .out_stride = inner,
        .lines = inner * outer,
        .ndim = 2,
        .extent = {inner, outer},
        .in_step = {1, inner * n_in},
        .out_step = {1, inner * n_out},
    };
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_fft *f = arguments;
    const struct heddle_fft_engine *engine = engine_for(f->dtype == HEDDLE_FLOAT64);
    const size_t rooms_bytes =
        k->scratch ? heddle__fft_room_bytes(f, heddle__team_size(k->team)) : 0;
    const void *in = k->buffers[f->in];
    void *out = k->buffers[f->out];
    for (int d = 0; d < f->ndim; d++)
        if (f->shape[d] == 0) return HEDDLE_OK;
    unsigned left = f->axes;
    for (int axis = f->ndim - 1; axis >= 0; axis--) {
        if (!(left >> axis & 1)) continue;
        left &= ~(1u << axis);
        const bool is_complex = f->kind == HEDDLE_FFT_C2C;
        const int64_t n_out = is_complex                  ? f->shape[axis]
                              : f->kind == HEDDLE_FFT_R2C ? f->n / 2 + 1
                                                          : f->n;
        struct heddle_fft_lines lines = lines_along(f, axis, f->shape[axis], n_out);
        if (!is_complex) lines.n = f->n;
        if (left == 0) lines.factor = f->factor;
        lines.in = in;
        lines.out = out;
        const enum heddle_status status =
            run_pass(engine, &lines, k->team, k->scratch, rooms_bytes);
        if (status != HEDDLE_OK) return status;
        in = out;
    }
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__fft_cpu = {.run = run};
