/* Eigenvalues and singular values on the CPU, by LAPACK: the threads of the team share the matrices of a batch, one
 * call of LAPACK on each; of few large matrices one after the other has several threads of BLAS. */
#include "families/spectral/cpu_lapack.h"

#include "base/memory.h"
#include "base/share.h"
#include "cpu/blas.h"
#include "kernels.h"

#include <limits.h>
#include <pthread.h>

enum {
    MOST = 20000, /* rows: LAPACK counts what it works with, some 4 * rows * rows, in 32 bits */
};

struct heddle_lapack heddle__lapack;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static enum heddle_status load(const char *who)
{
    static const char *const names[] = {"ssyevd_", "dsyevd_", "cheevd_", "zheevd_",
                                        "sgesdd_", "dgesdd_", "cgesdd_", "zgesdd_",
                                        "sgeev_",  "dgeev_",  "cgeev_",  "zgeev_"};
    _Static_assert(sizeof heddle__lapack == sizeof names, "a function for each name");
    pthread_mutex_lock(&mutex);
    const enum heddle_status status =
        heddle__lapack.complex_geev[1]
            ? HEDDLE_OK
            : heddle__cpu_lapack(who, sizeof names / sizeof *names, names, &heddle__lapack);
    pthread_mutex_unlock(&mutex);
    return status;
}

int heddle__lapack_asked(const struct heddle_spectral *s, const void *element)
{
    const double n = heddle__is_double(s) ? *(const double *)element
                                          : (double)*(const float *)element * (1 + 0x1p-22);
    return n < INT_MAX ? (int)n + 1 : INT_MAX;
}

bool heddle__are_finite(const struct heddle_spectral *s, int64_t n, const void *x)
{
    const double *doubles = x;
    const float *floats = x;
    double none = 0; /* stays 0, or becomes NaN */
    if (heddle__is_double(s))
        for (int64_t i = 0; i < n; i++) none += doubles[i] * 0;
    else
        for (int64_t i = 0; i < n; i++) none += (double)(floats[i] * 0);
    return none == 0;
}

struct job {
    const struct heddle_spectral *s;
    heddle_lapack_call *call;
    struct heddle_lapack_room room;
    void *const *buffers;
    struct heddle__shares shares;
    atomic_llong failed; /* the first matrix without a result; batch: none */
    atomic_bool no_memory;
};

/* A thread's memory; false: there is none left. */
static bool get_memory(const struct job *j, struct heddle_lapack_memory *m)
{
    const struct heddle_lapack_room *r = &j->room;
    const size_t element = heddle__spectral_in_bytes(j->s);
    const size_t bytes[] = {(size_t)r->copy, (size_t)r->other, (size_t)r->work * element,
                            (size_t)r->reals * sizeof(double), (size_t)r->integers * sizeof(int)};
    void **const at[] = {&m->copy, &m->other, &m->work, &m->reals, (void **)&m->integers};
    size_t total = 0;
    for (int i = 0; i < 5; i++) total += (bytes[i] + 63) / 64 * 64;
    char *next = heddle__alloc_aligned(total);
    if (!next) return false;
    for (int i = 0; i < 5; i++) {
        *at[i] = next;
        next += (bytes[i] + 63) / 64 * 64;
    }
    return true;
}

static void do_matrix(struct job *j, const struct heddle_lapack_memory *m, int64_t i)
{
    const struct heddle_spectral *s = j->s;
    struct heddle_lapack_room room = j->room;
    void *out[HEDDLE_SPECTRAL_OUTPUTS] = {NULL};
    for (int k = 0; k < HEDDLE_SPECTRAL_OUTPUTS; k++) {
        const int64_t n = heddle__spectral_elements(s, k);
        if (n > 0)
            out[k] = (char *)j->buffers[s->out[k]] + i * n * (int64_t)heddle__spectral_bytes(s, k);
    }
    const int64_t bytes = s->rows * s->columns * (int64_t)heddle__spectral_in_bytes(s);
    if (j->call(s, &room, m, (const char *)j->buffers[s->in] + i * bytes, out) == 0 &&
        heddle__are_finite(s, s->operation < HEDDLE_SPECTRAL_EIGVALS ? s->rows : 2 * s->rows,
                           out[0]))
        return;
    long long before = atomic_load(&j->failed);
    while (i < before && !atomic_compare_exchange_weak(&j->failed, &before, i)) continue;
}

static void do_matrices(void *argument, int thread)
{
    struct job *j = argument;
    struct heddle__taker taker = heddle__taker(&j->shares, thread);
    struct heddle_lapack_memory m;
    int64_t from, to;
    if (!get_memory(j, &m)) {
        atomic_store(&j->no_memory, true);
        return;
    }
    const int before = heddle__cpu_blas_begin(1);
    while (heddle__take(&taker, &from, &to))
        for (; from < to; from++) do_matrix(j, &m, from);
    heddle__cpu_blas_end(before);
    heddle__free(m.copy);
}

/* ---- Few large matrices --------------------------------------------------------------------------------- */

/* How many threads of BLAS one matrix is worth, if they come when they are wanted: its steps are products of what is left
 * of the matrix and a vector. Of a Hermitian matrix a step reads half, and has less else to do. */
static int threads_for(const struct heddle_spectral *s, int most)
{
    enum {
        OF_THREAD = 40000,
        OF_THREAD_HERMITIAN = 125000
    }; /* elements: from 283 and 500 rows on */
    const int64_t n = s->rows * s->columns /
                      (s->operation <= HEDDLE_SPECTRAL_EIGH ? OF_THREAD_HERMITIAN : OF_THREAD);
    return heddle__cpu_blas_threads((int)(n < most ? n : most));
}

/* One after the other. */
static void do_in_turn(struct job *j, int n_threads)
{
    struct heddle_lapack_memory m;
    if (!get_memory(j, &m)) {
        atomic_store(&j->no_memory, true);
        return;
    }
    const int before = heddle__cpu_blas_begin(n_threads);
    for (int64_t i = 0; i < j->s->batch; i++) do_matrix(j, &m, i);
    heddle__cpu_blas_end(before);
    heddle__free(m.copy);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    static heddle_lapack_call *const calls[HEDDLE_SPECTRAL_OPERATIONS] = {
        [HEDDLE_SPECTRAL_EIGVALSH] = heddle__lapack_eigh,
        [HEDDLE_SPECTRAL_EIGH] = heddle__lapack_eigh,
        [HEDDLE_SPECTRAL_SVDVALS] = heddle__lapack_svd,
        [HEDDLE_SPECTRAL_SVD] = heddle__lapack_svd,
        [HEDDLE_SPECTRAL_EIGVALS] = heddle__lapack_eig,
        [HEDDLE_SPECTRAL_EIG] = heddle__lapack_eig,
    };
    const struct heddle_spectral *s = arguments;
    const char *name = heddle__spectral_name(s->operation);
    struct job j = {.s = s, .call = calls[s->operation], .buffers = k->buffers};
    enum heddle_status status = load(name);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(s->rows <= MOST && s->columns < INT_MAX, HEDDLE_EUNSUPPORTED,
                   "%s: %lld x %lld: on a CPU one extent is at most %d", name, (long long)s->rows,
                   (long long)s->columns, (int)MOST);
    j.room.asks = true;
    HEDDLE_REQUIRE(j.call(s, &j.room, NULL, NULL, NULL) == 0 && j.room.work < INT_MAX,
                   HEDDLE_EUNSUPPORTED, "%s: %lld x %lld is too large for LAPACK", name,
                   (long long)s->rows, (long long)s->columns);
    atomic_init(&j.failed, s->batch);
    const int size = heddle__team_size(k->team);
    const int n_threads = s->batch < size ? threads_for(s, size) : 1;
    if (n_threads > s->batch) {
        do_in_turn(&j, n_threads);
    } else {
        const int n = s->batch < size ? (int)s->batch : size;
        heddle__shares_begin(&j.shares, s->batch, n);
        heddle__team_run(k->team, n, do_matrices, &j);
    }
    HEDDLE_REQUIRE(!atomic_load(&j.no_memory), HEDDLE_ENOMEM, "%s: no memory to work with", name);
    const int64_t failed = atomic_load(&j.failed);
    return failed < s->batch ? heddle__spectral_failed(s, failed) : HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__spectral_cpu = {.run = run};
