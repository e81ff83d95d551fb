/* The CPU twin of factorisations: one matrix on a team, or the matrices of a batch, each on one thread. Entry points:
 * heddle__cholesky_cpu, heddle__lu_cpu, heddle__qr_cpu, heddle__reflect_cpu, heddle__triangular_cpu. */
#include "families/factor/cpu_lapack.h"

#include "base/share.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

/* ---- Zeros above what panels have, and identities ---------------------------------------------------------- */

static void begin_columns(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                          void *scratch)
{
    (void)scratch;
    const int64_t each = *(const int64_t *)argument, from = item * each,
                  to = from + each < c->f->columns ? from + each : c->f->columns;
    for (int64_t j = from; j < to; j++) {
        char *const column = heddle__factor_at(c, c->block, 0, j);
        memset(column, 0, (size_t)(c->f->rows * c->size));
        if (c->f->begin + j < c->f->rows)
            memcpy(column + (c->f->begin + j) * c->size, c->one, (size_t)c->size);
    }
}

static void begin_block(const struct heddle_factor_cpu *c)
{
    int64_t each;
    const int64_t n = heddle__factor_chunks(c, c->f->columns, &each);
    heddle__factor_share(c, n, begin_columns, &each);
}

/* ---- One matrix --------------------------------------------------------------------------------------------- */

struct work {
    struct heddle_factor_cpu c;
    int64_t *order, *signs;                         /* LU_ORDER */
    int64_t panel_bytes, block_bytes, scales_bytes; /* from matrix to matrix */
};

/* The pivot that fails, or -1. */
static int64_t one_matrix(const struct work *w, const struct heddle_factor_cpu *c, int64_t i)
{
    switch ((enum heddle_factor_step)c->f->step) {
    case HEDDLE_CHOLESKY_PANEL: return heddle__cpu_cholesky_panel(c);
    case HEDDLE_CHOLESKY_SEND: heddle__cpu_cholesky_send(c); break;
    case HEDDLE_CHOLESKY_UPDATE: heddle__cpu_cholesky_update(c); break;
    case HEDDLE_LU_PANEL: heddle__cpu_lu_panel(c); break;
    case HEDDLE_LU_UPDATE: heddle__cpu_lu_update(c); break;
    case HEDDLE_LU_SWAP: heddle__cpu_lu_swap(c); break;
    case HEDDLE_LU_ORDER: heddle__cpu_lu_order(c, w->order + i * c->f->rows, w->signs + i); break;
    case HEDDLE_QR_PANEL: heddle__cpu_qr_panel(c); break;
    case HEDDLE_QR_SEND: heddle__cpu_qr_send(c); break;
    case HEDDLE_QR_UPDATE: heddle__cpu_qr_reflect(c, true); break;
    case HEDDLE_QR_EXPAND:
        if (c->f->begins) begin_block(c);
        if (c->f->sent)
            heddle__cpu_qr_reflect(c, false);
        else
            heddle__cpu_qr_expand(c);
        break;
    case HEDDLE_TRIANGULAR: return heddle__cpu_triangular(c);
    case HEDDLE_FACTOR_STEPS: break;
    }
    return -1;
}

/* ---- A batch ------------------------------------------------------------------------------------------------ */

/* The first failure, so that the error is the same for any number of threads. */
struct failure {
    const struct work *w;
    atomic_llong first; /* matrix * rows + pivot; matrices * rows if none fails */
};

static void note(struct failure *f, int64_t matrix, int64_t pivot)
{
    const long long at = matrix * f->w->c.f->rows + pivot;
    long long before = atomic_load(&f->first);
    while (at < before && !atomic_compare_exchange_weak(&f->first, &before, at)) continue;
}

static void batch_matrix(const struct heddle_factor_cpu *c, void *argument, int64_t i,
                         void *scratch)
{
    struct failure *f = argument;
    struct heddle_factor_cpu one = *c;
    one.team = NULL;
    one.n_threads = 1;
    one.scratch = scratch;
    if (one.panel) one.panel += i * f->w->panel_bytes;
    if (one.block) one.block += i * f->w->block_bytes;
    if (one.scales) one.scales = (char *)one.scales + i * f->w->scales_bytes;
    const int64_t pivot = one_matrix(f->w, &one, i);
    if (pivot >= 0) note(f, i, pivot);
}

static enum heddle_status run_batch(const struct work *w)
{
    const struct heddle_factor *f = w->c.f;
    struct failure failure = {.w = w};
    atomic_init(&failure.first, f->batch * f->rows);
    if (f->batch == 1) {
        const int64_t pivot = one_matrix(w, &w->c, 0);
        if (pivot >= 0) note(&failure, 0, pivot);
    } else {
        heddle__factor_share(&w->c, f->batch, batch_matrix, &failure);
    }
    const int64_t first = atomic_load(&failure.first);
    if (first == f->batch * f->rows) return HEDDLE_OK;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, f->matrix + first / f->rows, first % f->rows,
                                                f->name};
    const enum heddle_status code = heddle__describe_factor(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

/* ---- The call ----------------------------------------------------------------------------------------------- */

/* Threads that so much work is worth. */
static int threads_for(const struct heddle_factor *f, struct heddle_team *team)
{
    enum { OF_THREAD = 200000 }; /* operations */
    const double matrix = (double)f->rows * (double)(f->width > 0 ? f->width : 1) *
                          (double)(f->columns > 0 ? f->columns : f->width);
    const double n = matrix * (double)f->batch / OF_THREAD, size = heddle__team_size(team);
    return n < 1 ? 1 : (int)(n < size ? n : size);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    static const float one32[2] = {1, 0}, minus32[2] = {-1, 0};
    static const double one64[2] = {1, 0}, minus64[2] = {-1, 0};
    const struct heddle_factor *f = arguments;
    const enum heddle_dtype dtype = (enum heddle_dtype)f->dtype;
    const bool single = heddle__real_dtype(dtype) == HEDDLE_FLOAT32;
    const enum heddle_factor_step step = (enum heddle_factor_step)f->step;
    const bool of_all = heddle__factor_is_of_all(f);
    HEDDLE_REQUIRE(f->rows <= INT_MAX && f->width <= INT_MAX && f->columns <= INT_MAX,
                   HEDDLE_EUNSUPPORTED, "heddle_linalg: a matrix of %lld rows is beyond LAPACK's",
                   (long long)f->rows);
    struct work w = {.c = {.f = f,
                           .team = k->team,
                           .n_threads = threads_for(f, k->team),
                           .size = (int64_t)heddle_dtype_size(dtype),
                           .rows = (int)f->rows,
                           .scratch = k->scratch,
                           .one = single ? (const void *)one32 : one64,
                           .minus_one = single ? (const void *)minus32 : minus64}};
    const enum heddle_status status = heddle__factor_lapack(dtype, &w.c.lapack);
    if (status != HEDDLE_OK) return status;
    w.c.scratch_each =
        heddle__factor_scratch(f, heddle__team_size(k->team)) / (size_t)heddle__team_size(k->team);
    w.panel_bytes = f->rows * f->width * w.c.size;
    w.block_bytes = f->rows * f->columns * w.c.size;
    if (heddle__factor_has_below(f)) w.c.below = k->buffers[f->below];
    if (heddle__factor_has_panel(f)) w.c.panel = k->buffers[f->panel];
    if (f->columns > 0) w.c.block = k->buffers[f->block];
    if (of_all || heddle__factor_has_scales(f)) w.c.scales = k->buffers[f->scales];
    w.scales_bytes = of_all ? f->n_pivots * (int64_t)sizeof(int64_t)
                            : heddle__factor_pivots(f) *
                                  (step <= HEDDLE_LU_UPDATE ? (int64_t)sizeof(int64_t) : w.c.size);
    if (step == HEDDLE_LU_ORDER) {
        w.order = k->buffers[f->order];
        w.signs = k->buffers[f->signs];
    }
    return run_batch(&w);
}

const struct heddle_cpu_kernel heddle__cholesky_cpu = {.run = run};
const struct heddle_cpu_kernel heddle__lu_cpu = {.run = run};
const struct heddle_cpu_kernel heddle__qr_cpu = {.run = run};
const struct heddle_cpu_kernel heddle__reflect_cpu = {.run = run};
const struct heddle_cpu_kernel heddle__triangular_cpu = {.run = run};
