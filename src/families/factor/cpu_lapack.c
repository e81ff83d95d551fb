/* LAPACK by dtype, and loops over columns on a team. Entry points: cpu_lapack.h. */
#include "families/factor/cpu_lapack.h"

#include "base/share.h"
#include "cpu/blas.h"

#include <pthread.h>

enum { N_FUNCTIONS = sizeof(struct heddle_lapack) / sizeof(void (*)(void)) };
#define NAMES(x)                                                                                   \
    {                                                                                              \
        x "potrf_", x "getrf_", x "laswp_", x "geqrf_", x "larft_", x "larfb_", x "trsm_",         \
            x "gemm_"                                                                              \
    }

static const char *const names[4][N_FUNCTIONS] = {NAMES("s"), NAMES("d"), NAMES("c"), NAMES("z")};
static struct heddle_lapack found[4];
static enum heddle_status status[4];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void)
{
    for (int i = 0; i < 4; i++)
        status[i] = heddle__cpu_lapack("heddle_linalg", N_FUNCTIONS, names[i], &found[i]);
}

enum heddle_status heddle__factor_lapack(enum heddle_dtype dtype,
                                         const struct heddle_lapack **lapack)
{
    const int i = dtype == HEDDLE_FLOAT32     ? 0
                  : dtype == HEDDLE_FLOAT64   ? 1
                  : dtype == HEDDLE_COMPLEX64 ? 2
                                              : 3;
    struct heddle_lapack again;
    pthread_once(&once, find);
    *lapack = &found[i];
    if (status[i] == HEDDLE_OK) return HEDDLE_OK;
    return heddle__cpu_lapack("heddle_linalg", N_FUNCTIONS, names[i], &again); /* for its text */
}

/* ---- Loops ------------------------------------------------------------------------------------------------ */

struct loop {
    const struct heddle_factor_cpu *c;
    heddle_factor_body *body;
    void *argument;
    struct heddle__shares shares;
};

static void some(void *argument, int thread)
{
    struct loop *l = argument;
    struct heddle__taker taker = heddle__taker(&l->shares, thread);
    const int before = heddle__cpu_blas_begin(1);
    int64_t from, to;
    while (heddle__take(&taker, &from, &to))
        for (int64_t i = from; i < to; i++)
            l->body(l->c, l->argument, i, l->c->scratch + (size_t)thread * l->c->scratch_each);
    heddle__cpu_blas_end(before);
}

void heddle__factor_share(const struct heddle_factor_cpu *c, int64_t n, heddle_factor_body *body,
                          void *argument)
{
    const int n_threads = n < c->n_threads ? (int)n : c->n_threads;
    if (n_threads <= 1) {
        const int before = heddle__cpu_blas_begin(1);
        for (int64_t i = 0; i < n; i++) body(c, argument, i, c->scratch);
        heddle__cpu_blas_end(before);
        return;
    }
    struct loop l; /* of some KiB, most of which nobody reads */
    l.c = c;
    l.body = body;
    l.argument = argument;
    heddle__shares_begin(&l.shares, n, n_threads);
    heddle__team_run(c->team, n_threads, some, &l);
}

int64_t heddle__factor_chunks(const struct heddle_factor_cpu *c, int64_t columns, int64_t *each)
{
    enum { OF_THREAD = 3, LEAST = 32 };
    *each = columns;
    if (c->n_threads == 1 || columns <= LEAST) return columns > 0;
    *each = (columns + OF_THREAD * c->n_threads - 1) / (OF_THREAD * c->n_threads);
    *each = (*each + 7) / 8 * 8;
    if (*each < LEAST) *each = LEAST;
    return (columns + *each - 1) / *each;
}

void heddle__factor_subtract(const struct heddle_factor_cpu *c, int64_t m, int64_t n, int64_t k,
                             const char *a, const char *b, int ld, bool adjoint, char *to)
{
    const int im = (int)m, in = (int)n, ik = (int)k;
    if (m > 0 && n > 0 && k > 0)
        c->lapack->gemm("N", adjoint ? "C" : "N", &im, &in, &ik, c->minus_one, a, &ld, b, &ld,
                        c->one, to, &c->rows, 1, 1);
}
