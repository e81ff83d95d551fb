/* Scans with elementwise work on the CPU. Entry point: cpu_work.h. */
#include "families/scan/cpu_work.h"

#include "base/share.h"
#include "families/scan/kernel_work.h"

#include <stdatomic.h>

enum { /* of the result: in a core's cache, beside what the work reads */
       GROUP_BYTES = 256 << 10,
       MOST_BYTES = 1 << 20
};

struct job {
    const struct heddle_scan *s;
    heddle_scan_loops *loops;
    const struct heddle_kernel_context *k;
    int64_t rows;  /* of the call, in a piece */
    int64_t group; /* pieces that are done together */
    atomic_int status;
};

static enum heddle_status run_part(const struct job *j, const struct heddle_launch *work,
                                   int64_t from, int64_t n)
{
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    if (!work) return HEDDLE_OK;
    const struct heddle_launch part =
        j->rows == j->s->outer ? *work : heddle__scan_part(j->s, work, from, n, access);
    return heddle__cpu_program(&part, j->k->buffers, j->k->constants, NULL);
}

static void some(void *argument, int64_t a, int64_t b)
{
    struct job *j = argument;
    const int64_t row_bytes =
        j->s->n * j->s->inner * (int64_t)heddle_dtype_size((enum heddle_dtype)j->s->dtype);
    for (int64_t n; a < b; a += n) {
        n = b - a < j->group ? b - a : j->group;
        enum heddle_status status = run_part(j, j->s->before, a, n);
        const int64_t at = a * j->rows * row_bytes;
        void *const buffers[2] = {(char *)j->k->buffers[j->s->in] + at,
                                  (char *)j->k->buffers[j->s->out] + at};
        struct heddle_scan scan = *j->s;
        scan.in = 0;
        scan.out = 1;
        scan.outer = n * j->rows;
        if (status == HEDDLE_OK) j->loops(&scan, buffers, NULL, NULL);
        if (status == HEDDLE_OK) status = run_part(j, j->s->after, a, n);
        if (status != HEDDLE_OK) atomic_store(&j->status, (int)status);
    }
}

/* How many pieces all work can be cut into. */
static int64_t count_pieces(const struct heddle_scan *s)
{
    int64_t pieces = s->before ? heddle__scan_pieces(s, s->before) : 1;
    if (s->after) {
        const int64_t after = heddle__scan_pieces(s, s->after);
        if (s->before && pieces != after) return 1;
        pieces = after;
    }
    return pieces > 1 ? pieces : 1;
}

/* ---- One long row --------------------------------------------------------------------------------------- */

/* Segments of as many chunks as the threads scan together, which stay in their caches: they are parts that follow each other. */
static enum heddle_status run_line(const struct heddle_scan *s, heddle_scan_loops *loops,
                                   struct heddle_kernel_context *k)
{
    enum { STATE_BYTES = 16 * HEDDLE_SCAN_LEVELS * HEDDLE_SCAN_RADIX };
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)s->dtype),
                  segment = heddle__scan_band(heddle__team_size(k->team)) * HEDDLE_SCAN_CHUNK;
    _Alignas(64) char state[STATE_BYTES];
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    enum heddle_status status = HEDDLE_OK;
    for (int64_t from = 0; from < s->n; from += segment) {
        struct heddle_scan scan = *s;
        struct heddle_launch part;
        void *const buffers[3] = {(char *)k->buffers[s->in] + from * size,
                                  (char *)k->buffers[s->out] + from * size, state};
        scan.n = s->n - from < segment ? s->n - from : segment;
        scan.first_chunk = s->first_chunk + from / HEDDLE_SCAN_CHUNK;
        scan.in = 0;
        scan.out = 1;
        scan.state_in = scan.state_out = 2;
        scan.has_in = from > 0;
        scan.has_out = from + scan.n < s->n;
        if (s->before) {
            part = heddle__scan_part(s, s->before, from, scan.n, access);
            HEDDLE_TRY(heddle__cpu_program(&part, k->buffers, k->constants, k->team));
        }
        loops(&scan, buffers, k->scratch, k->team);
        if (s->after) {
            part = heddle__scan_part(s, s->after, from, scan.n, access);
            HEDDLE_TRY(heddle__cpu_program(&part, k->buffers, k->constants, k->team));
        }
    }
fail:
    return status;
}

static bool is_line(const struct heddle_scan *s)
{
    return !s->columns && s->outer == 1 && (!s->before || heddle__scan_is_line(s, s->before)) &&
           (!s->after || heddle__scan_is_line(s, s->after));
}

/* ---- All ------------------------------------------------------------------------------------------------- */

enum heddle_status heddle__scan_with_work(const struct heddle_scan *s, heddle_scan_loops *loops,
                                          struct heddle_kernel_context *k)
{
    const int n_threads = heddle__team_size(k->team);
    const int64_t pieces = count_pieces(s), rows = s->outer / pieces,
                  bytes = rows * s->n * s->inner *
                          (int64_t)heddle_dtype_size((enum heddle_dtype)s->dtype);
    enum heddle_status status = HEDDLE_OK;
    if (pieces >= n_threads && bytes <= MOST_BYTES) {
        struct job job = {.s = s, .loops = loops, .k = k, .rows = rows};
        job.group = GROUP_BYTES / (bytes > 0 ? bytes : 1);
        if (job.group < 1) job.group = 1;
        heddle__share(k->team, n_threads, pieces, some, &job);
        status = (enum heddle_status)atomic_load(&job.status);
        return status == HEDDLE_OK ? status
                                   : heddle__fail(status, "no memory for a block's values");
    }
    if (is_line(s)) return run_line(s, loops, k);
    if (s->before) HEDDLE_TRY(heddle__cpu_program(s->before, k->buffers, k->constants, k->team));
    loops(s, k->buffers, k->scratch, k->team);
    if (s->after) HEDDLE_TRY(heddle__cpu_program(s->after, k->buffers, k->constants, k->team));
fail:
    return status;
}
