/* Lines of special values. Entry point: lines_make. */
#include "special_lines.h"

#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* How a line is filled. */
enum line {
    SPECIAL,         /* all special values but NaN */
    SPECIAL_AND_NAN, /* with NaN here and there */
    ALL_NAN,
    TIES, /* one negative number */
    MINUS_ZEROS,
    ZEROS, /* of both signs */
    NAN_FIRST,
    NAN_LAST,
    NAN_WITHIN,
    NEGATIVE,
    LEAST,
    GREATEST,
    BOTH_INFINITIES,
    ORDINARY, /* in sums and products each order has its rounding */
};

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

static long double ordinary(uint64_t u)
{
    return 0.75L + ldexpl((long double)(u >> 11), -54); /* 0.75..1.25: products stay finite */
}

static long double real_of(enum line line, enum heddle_dtype dtype, int64_t i, int64_t n)
{
    const uint64_t u = mixed((uint64_t)i * 64 + (uint64_t)line);
    const long double huge = oracle_is_single(dtype) ? (long double)FLT_MAX : (long double)DBL_MAX,
                      tiny = oracle_is_single(dtype) ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    const long double special[] = {INFINITY, -INFINITY, 0,     -0.0L, 1,     -1,   -2.5L,
                                   2.5L,     huge,      -huge, tiny,  -tiny, 0.1L, 3};
    switch (line) {
    case SPECIAL: return special[u % 14];
    case SPECIAL_AND_NAN: return u % 5 == 0 ? NAN : special[u / 8 % 14];
    case ALL_NAN: return NAN;
    case TIES: return -1.5L;
    case MINUS_ZEROS: return -0.0L;
    case ZEROS: return u % 2 ? -0.0L : 0.0L;
    case NAN_FIRST: return i == 0 ? NAN : ordinary(u);
    case NAN_LAST: return i == n - 1 ? NAN : ordinary(u);
    case NAN_WITHIN: return i == n / 2 ? NAN : -ordinary(u);
    case NEGATIVE: return -ordinary(u);
    case LEAST: return -INFINITY;
    case GREATEST: return INFINITY;
    case BOTH_INFINITIES: return i == n / 3 ? INFINITY : i == n - 1 ? -INFINITY : ordinary(u);
    case ORDINARY: break;
    }
    return u % 2 ? ordinary(u) : -ordinary(u);
}

/* The same of integers: the special element of a line is the least or the greatest, or 0. */
static __int128 integer_of(enum line line, enum heddle_dtype dtype, int64_t i, int64_t n)
{
    const uint64_t u = mixed((uint64_t)i * 64 + (uint64_t)line);
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    const bool is_signed = heddle_dtype_kind(dtype) == 'I';
    const __int128 least = is_signed ? -((__int128)1 << (bits - 1)) : 0,
                   greatest = ((__int128)1 << (bits - is_signed)) - 1;
    const __int128 special[] = {least, greatest, 0, 1, least + 1, greatest - 1, 2, 100};
    switch (line) {
    case SPECIAL:
    case SPECIAL_AND_NAN: return special[u % 8];
    case ALL_NAN:
    case LEAST: return least;
    case TIES: return greatest - 5;
    case MINUS_ZEROS: return 0;
    case ZEROS: return u % 2;
    case NAN_FIRST: return i == 0 ? greatest : (__int128)(u % 50);
    case NAN_LAST: return i == n - 1 ? least : (__int128)(u % 50) + 2;
    case NAN_WITHIN: return i == n / 2 ? 0 : (__int128)(u % 50) + 1;
    case NEGATIVE: return least + (__int128)(u % 50);
    case GREATEST: return greatest;
    case BOTH_INFINITIES: return i == n / 3 ? greatest : i == n - 1 ? least : 3;
    case ORDINARY: break;
    }
    return (__int128)(u >> 8);
}

static bool truth_of(enum line line, int64_t i, int64_t n)
{
    switch (line) {
    case ALL_NAN:
    case TIES:
    case LEAST: return false;
    case MINUS_ZEROS:
    case GREATEST: return true;
    case NAN_FIRST: return i == 0;
    case NAN_LAST: return i == n - 1;
    case NAN_WITHIN: return i == n / 2;
    case NEGATIVE: return i != 0;
    case BOTH_INFINITIES: return i != n - 1;
    default: return mixed((uint64_t)i * 64 + (uint64_t)line) % 2;
    }
}

static struct number element_of(enum line line, enum heddle_dtype dtype, int64_t i, int64_t n)
{
    switch (heddle_dtype_kind(dtype)) {
    case 'B': return (struct number){truth_of(line, i, n), 0, 0};
    case 'F': return (struct number){0, real_of(line, dtype, i, n), 0};
    case 'C': /* parts of different lines, each with parts of its own */
        return (struct number){0, real_of(line, dtype, i, n),
                               real_of((enum line)((line + line / 3) % N_LINES), dtype, i + 1, n)};
    default: return (struct number){integer_of(line, dtype, i, n), 0, 0};
    }
}

/* Memory of an operand of the program, filled with 0xa5. */
static void *room(struct random_program *r, int o, int64_t elements)
{
    r->bytes[o] =
        (size_t)elements * heddle_dtype_size((enum heddle_dtype)r->build.program.operand_dtype[o]);
    r->data[o] = malloc(r->bytes[o]);
    if (!r->data[o]) exit(1);
    memset(r->data[o], 0xa5, r->bytes[o]);
    return r->build.buffers[o] = r->data[o];
}

int lines_make(struct random_program *r, enum heddle_dtype dtype, int from, int64_t n,
               bool sequential)
{
    memset(r, 0, sizeof *r);
    const int64_t extent[2] = {N_LINES, n}, rows[2] = {n, 1}, columns[2] = {1, N_LINES},
                  *stride = sequential ? columns : rows;
    int64_t by_line[HEDDLE_MAX_NDIM] = {1};
    int64_t in[HEDDLE_MAX_NDIM] = {stride[0], stride[1]};
    build_begin(&r->build, 1, 2, extent);
    struct heddle_program *p = &r->build.program;
    const int x = build_load(&r->build, dtype, NULL, in, 0);
    for (int op = from; op < HEDDLE_N_REDUCTIONS && op < from + LINES_TOGETHER; op++)
        if (heddle__reductions[op].accepts & heddle__kind_bit(dtype))
            build_reduce(&r->build, (enum heddle_reduction)op, dtype, x);
    if (p->n_reductions == 0) return 0;
    for (int k = 0; k < p->n_reductions; k++)
        build_store(&r->build, build_reduced(&r->build, k),
                    (enum heddle_dtype)p->reductions[k].result, NULL, by_line, 0);
    p->sequential = sequential;
    heddle__reduce_chunks(&r->build.launch.geometry, sequential);

    char *data = room(r, 0, N_LINES * n);
    for (int line = 0; line < N_LINES; line++)
        for (int64_t i = 0; i < n; i++)
            oracle_set(dtype, data, line * stride[0] + i * stride[1],
                       element_of((enum line)line, dtype, i, n));
    for (int o = 1; o < p->n_operands; o++) room(r, o, N_LINES);
    return p->n_reductions;
}
