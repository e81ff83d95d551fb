/* Random programs. Entry points: random_program.h. */
#include "random_program.h"

#include "oracle.h"

#include <stdlib.h>

uint64_t random_below(struct random_program *r, uint64_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (r->state >> 33) % n;
}

static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT64,   HEDDLE_FLOAT32,
                                           HEDDLE_INT64,   HEDDLE_INT32,     HEDDLE_UINT8,
                                           HEDDLE_BOOL,    HEDDLE_COMPLEX128};

static enum heddle_dtype any_dtype(struct random_program *r)
{
    if (r->arithmetic) return r->dtype;
    return dtypes[random_below(r, sizeof dtypes / sizeof *dtypes)];
}

/* ---- making ------------------------------------------------------------------------------------ */

/* Strides over axes 0..n-1 in a random order, with gaps and flips; for loads zeros, and windows, which overlap. Returns
 * the number of elements that they span. */
static int64_t any_strides(struct random_program *r, int n, bool store, int64_t *stride,
                           int64_t *offset)
{
    const struct heddle_geometry *g = &r->build.launch.geometry;
    const bool framed = r->framed && random_below(r, 4);
    int order[HEDDLE_MAX_NDIM];
    for (int d = 0; d < n; d++) order[d] = n - 1 - d;
    if (random_below(r, 3) == 0 && n > 1) { /* a transposition */
        const int i = (int)random_below(r, (uint64_t)n), j = (int)random_below(r, (uint64_t)n);
        const int t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int d = 0; d < n && framed; d++) order[d] = n - 1 - d;
    const bool plain = framed || random_below(r, 3) == 0;
    int64_t next = !plain && random_below(r, 4) == 0 ? 2 + (int64_t)random_below(r, 4) : 1;
    const int64_t first = next;
    *offset = random_below(r, 2) ? 0 : 5;
    for (int k = 0; k < n; k++) {
        const int d = order[k];
        if (!store && !plain && random_below(r, 4) == 0) {
            stride[d] = 0;
            continue;
        }
        const bool window = !store && !plain && k > 0 && random_below(r, 6) == 0;
        stride[d] = window ? first : next;
        if (window)
            next += first * (g->extent[d] - (g->extent[d] > 0));
        else
            next *= g->extent[d] + (framed ? r->gap[d] : 0);
        if (!plain && random_below(r, 6) == 0) {
            *offset += stride[d] * (g->extent[d] - 1);
            stride[d] = -stride[d];
        }
        if (!plain && random_below(r, 6) == 0) next += 3;
    }
    for (int d = n; d < HEDDLE_MAX_NDIM; d++) stride[d] = 0;
    return next + *offset + 8;
}

static void fill(struct random_program *r, int o, int64_t elements)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)r->build.program.operand_dtype[o];
    r->bytes[o] = (size_t)elements * heddle_dtype_size(dtype);
    r->data[o] = malloc(r->bytes[o]);
    if (!r->data[o]) exit(1);
    for (int64_t i = 0; i < elements; i++) {
        const bool special = random_below(r, 50) == 0;
        oracle_set(dtype, r->data[o], i,
                   oracle_value(dtype, special ? random_below(r, ORACLE_SPECIAL)
                                               : 100 + random_below(r, 1000000)));
    }
    r->build.buffers[o] = r->data[o];
}

static int add_load(struct random_program *r, int n_axes)
{
    int64_t stride[HEDDLE_MAX_NDIM], offset;
    const enum heddle_dtype dtype = any_dtype(r);
    const int64_t elements = any_strides(r, n_axes, false, stride, &offset);
    const int v = build_load(&r->build, dtype, NULL, stride, offset);
    fill(r, r->build.program.n_operands - 1, elements);
    return v;
}

/* A value of the dtype among instructions from..n-1: a random one, cast if need be. */
static int pick(struct random_program *r, int from, enum heddle_dtype dtype)
{
    const struct heddle_program *p = &r->build.program;
    const int latest = p->n_instrs - 1;
    if (r->arithmetic && random_below(r, 2) && p->instrs[latest].result == dtype) return latest;
    int v = from + (int)random_below(r, (uint64_t)(p->n_instrs - from));
    for (int k = 0; k < 4 && p->instrs[v].result != dtype; k++)
        v = from + (int)random_below(r, (uint64_t)(p->n_instrs - from));
    const enum heddle_dtype has = (enum heddle_dtype)p->instrs[v].result;
    return has == dtype ? v : build_instr(&r->build, HEDDLE_CODE_CAST, has, dtype, v, 0, 0);
}

static void add_op(struct random_program *r, int from)
{
    for (;;) {
        static const enum heddle_op few[] = {HEDDLE_OP_ADD, HEDDLE_OP_SUBTRACT, HEDDLE_OP_MULTIPLY};
        const enum heddle_op op = r->arithmetic
                                      ? few[random_below(r, 3)]
                                      : (enum heddle_op)(1 + random_below(r, HEDDLE_N_OPS - 1));
        const enum heddle_dtype dtype = any_dtype(r);
        if (!oracle_has(op) || !(heddle__ops[op].accepts & heddle__kind_bit(dtype))) continue;
        if (op == HEDDLE_OP_POW || (dtype == HEDDLE_COMPLEX128 && heddle__ops[op].flops > 8))
            continue; /* slow */
        int v[3] = {0, 0, 0};
        for (int k = 0; k < heddle__ops[op].arity; k++)
            v[k] = pick(r, from, op == HEDDLE_OP_WHERE && k == 0 ? HEDDLE_BOOL : dtype);
        build_instr(&r->build, (int)op, dtype, oracle_result(op, dtype), v[0], v[1], v[2]);
        return;
    }
}

/* Instructions up to `n` of them: leaves, then operations on what there is since `from`. */
static void add_instrs(struct random_program *r, int from, int n, int n_axes)
{
    struct heddle_program *p = &r->build.program;
    while (p->n_instrs < n || p->n_instrs == from) {
        const uint64_t what = p->n_instrs == from ? 0 : random_below(r, 10);
        if (what < 2 && p->n_operands < 16) {
            add_load(r, n_axes);
        } else if (what == 2) {
            const enum heddle_dtype dtype = any_dtype(r);
            union heddle_scalar v = {.c128 = {0, 0}};
            oracle_set(dtype, &v, 0, oracle_value(dtype, random_below(r, 1000)));
            build_constant(&r->build, dtype, v);
        } else if (what == 3 && n_axes > 0) {
            const int axis = (int)random_below(r, (uint64_t)n_axes);
            p->index_axes = (uint16_t)(p->index_axes | 1U << axis);
            build_instr(&r->build, HEDDLE_CODE_INDEX, HEDDLE_INT64, HEDDLE_INT64, axis, 0, 0);
        } else {
            add_op(r, from);
        }
    }
}

/* Whether no two indices of the space read one element, but for those of reduced axes along which nothing changes: each
 * step goes past all that shorter ones reach. */
static bool is_one_to_one(const struct heddle_geometry *g, const int64_t *stride)
{
    for (int d = 0; d < g->ndim; d++) {
        int64_t reach = 0;
        if (g->extent[d] == 1 || (d >= g->n_kept && stride[d] == 0)) continue;
        for (int e = 0; e < g->ndim; e++)
            if (e != d && (llabs(stride[e]) < llabs(stride[d]) ||
                           (llabs(stride[e]) == llabs(stride[d]) && e < d)))
                reach += llabs(stride[e]) * (g->extent[e] - 1);
        if (llabs(stride[d]) <= reach) return false;
    }
    return true;
}

static void add_store(struct random_program *r, int from, bool alias)
{
    struct heddle_program *p = &r->build.program;
    const struct heddle_geometry *g = &r->build.launch.geometry;
    const int v = random_below(r, 2) ? p->n_instrs - 1
                                     : from + (int)random_below(r, (uint64_t)(p->n_instrs - from));
    const enum heddle_dtype dtype = (enum heddle_dtype)p->instrs[v].result;
    /* over a loaded operand of this dtype that nothing is stored to and that touches each element
     * of its own once */
    for (int o = 0; alias && o < p->n_operands; o++) {
        bool fit = p->operand_dtype[o] == dtype;
        for (int s = 0; s < p->n_stores; s++) fit &= r->data[p->stores[s].operand] != r->data[o];
        if (!fit || !is_one_to_one(g, r->build.access[o].stride)) continue;
        build_store(&r->build, v, dtype, r->data[o], r->build.access[o].stride,
                    r->build.access[o].offset);
        r->data[p->n_operands - 1] = r->data[o];
        r->bytes[p->n_operands - 1] = r->bytes[o];
        r->build.buffer[p->n_operands - 1] = (uint32_t)o;
        return;
    }
    int64_t stride[HEDDLE_MAX_NDIM], offset;
    const int64_t elements = any_strides(r, g->n_kept, true, stride, &offset);
    build_store(&r->build, v, dtype, NULL, stride, offset);
    fill(r, p->n_operands - 1, elements);
}

static void add_reductions(struct random_program *r)
{
    struct heddle_program *p = &r->build.program;
    const int n = 1 + (int)random_below(r, 3);
    int value[4];
    for (int k = 0; k < n; k++) {
        for (;;) {
            const enum heddle_reduction op =
                (enum heddle_reduction)random_below(r, HEDDLE_N_REDUCTIONS);
            const int v = (int)random_below(r, p->n_instrs);
            const enum heddle_dtype dtype = (enum heddle_dtype)p->instrs[v].result;
            if (!(heddle__reductions[op].accepts & heddle__kind_bit(dtype))) continue;
            build_reduce(&r->build, op, dtype, v);
            break;
        }
    }
    for (int k = 0; k < n; k++) value[k] = build_reduced(&r->build, k);
    (void)value;
}

void random_make(struct random_program *r, const struct random_options *options)
{
    memset(r, 0, sizeof *r);
    r->state = options->seed * 7919 + 1;
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 16, 17, 30, 64, 100, 257, 1000, 1025, 3000};
    const int ndim = (options->reduce ? 1 : 0) + (int)random_below(r, options->reduce ? 4 : 5);
    int64_t extent[HEDDLE_MAX_NDIM], total = 1;
    for (int d = 0; d < ndim; d++) {
        extent[d] = sizes[random_below(r, sizeof sizes / sizeof *sizes)];
        if (total * extent[d] > options->max_elements) extent[d] = 1 + (int64_t)random_below(r, 3);
        total *= extent[d];
    }
    r->framed = random_below(r, 3) == 0;
    r->arithmetic = random_below(r, 4) == 0;
    r->dtype = random_below(r, 2) ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
    for (int d = 0; d < ndim; d++) r->gap[d] = (int64_t)random_below(r, 4);
    int n_kept = ndim;
    if (options->reduce) n_kept = (int)random_below(r, (uint64_t)ndim + 1);
    build_begin(&r->build, n_kept, ndim, extent);
    struct heddle_program *p = &r->build.program;
    struct heddle_geometry *g = &r->build.launch.geometry;
    for (int d = 0; d < n_kept; d++)
        if (random_below(r, 3) == 0) g->origin[d] = (int64_t)random_below(r, 100);
    p->sequential = options->reduce && options->sequential;
    add_instrs(r, 0, 1 + (int)random_below(r, (uint64_t)options->n_instrs), ndim);
    int from = 0;
    if (options->reduce) {
        from = p->n_instrs;
        add_reductions(r);
        heddle__reduce_chunks(g, p->sequential);
        if (random_below(r, 2)) add_instrs(r, from, p->n_instrs + 3, n_kept);
    }
    for (int s = 0, n = 1 + (int)random_below(r, 3); s < n && p->n_operands < 22; s++)
        add_store(r, from, options->alias);
}

/* ---- copies ------------------------------------------------------------------------------------ */

void random_free(struct random_program *r)
{
    for (int o = 0; o < r->build.program.n_operands; o++)
        if ((int)r->build.buffer[o] == o) free(r->data[o]);
}

void random_save(const struct random_program *r, void **copies)
{
    for (int o = 0; o < r->build.program.n_operands; o++) {
        copies[o] = malloc(r->bytes[o]);
        if (!copies[o]) exit(1);
        memcpy(copies[o], r->data[o], r->bytes[o]);
    }
}

void random_restore(struct random_program *r, void **copies)
{
    for (int o = 0; o < r->build.program.n_operands; o++)
        memcpy(r->data[o], copies[o], r->bytes[o]);
}

void random_drop(const struct random_program *r, void **copies)
{
    for (int o = 0; o < r->build.program.n_operands; o++) free(copies[o]);
}

void random_move(struct random_program *r)
{
    void *old[HEDDLE_MAX_OPERANDS];
    memcpy(old, r->data, sizeof old);
    for (int o = 0; o < r->build.program.n_operands; o++) {
        const int owner = (int)r->build.buffer[o];
        r->data[o] = owner == o ? malloc(r->bytes[o]) : r->data[owner];
        if (!r->data[o]) exit(1);
        r->build.buffers[o] = r->data[o];
    }
    for (int o = 0; o < r->build.program.n_operands; o++)
        if ((int)r->build.buffer[o] == o) free(old[o]);
}

int random_differs_from(const struct random_program *r, void **copies, int first)
{
    for (int o = first; o < r->build.program.n_operands; o++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)r->build.program.operand_dtype[o];
        const int64_t n = (int64_t)(r->bytes[o] / heddle_dtype_size(dtype));
        for (int64_t i = 0; i < n; i++)
            if (!oracle_same(dtype, r->data[o], i, copies[o], i)) return o;
    }
    return -1;
}

int random_differs(const struct random_program *r, void **copies)
{
    return random_differs_from(r, copies, 0);
}
