/* The reference of random programs: one element at a time. Entry points: random_program.h. */
#include "cpu/blocks.h"
#include "oracle.h"
#include "random_program.h"

#include <stdlib.h>

static char *place(const struct random_program *r, int o, const int64_t *idx)
{
    const struct heddle_access *a = &r->build.access[o];
    int64_t at = a->offset;
    for (int d = 0; d < r->build.launch.geometry.ndim; d++) at += idx[d] * a->stride[d];
    const enum heddle_dtype dtype = (enum heddle_dtype)r->build.program.operand_dtype[o];
    return (char *)r->data[o] + at * (int64_t)heddle_dtype_size(dtype);
}

/* Instructions from..to-1 at one index. */
static void element(const struct random_program *r, int from, int to, const int64_t *idx,
                    union heddle_scalar *value, const union heddle_scalar *reduced)
{
    const struct heddle_program *p = &r->build.program;
    const struct heddle__blocks *blocks = heddle__cpu_blocks();
    for (int i = from; i < to; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        const union heddle_scalar *x = &value[in->a], *y = &value[in->b], *z = &value[in->c];
        switch (in->code) {
        case HEDDLE_CODE_LOAD:
            memcpy(&value[i], place(r, in->a, idx),
                   heddle_dtype_size((enum heddle_dtype)in->result));
            break;
        case HEDDLE_CODE_CONSTANT: value[i] = r->build.constants[in->a]; break;
        case HEDDLE_CODE_INDEX:
            value[i].i64 = r->build.launch.geometry.origin[in->a] + idx[in->a];
            break;
        case HEDDLE_CODE_REDUCED: value[i] = reduced[in->a]; break;
        case HEDDLE_CODE_CAST:
            value[i] =
                heddle__convert(*x, (enum heddle_dtype)in->dtype, (enum heddle_dtype)in->result);
            break;
        default: blocks->types[in->dtype].ops[in->code].vector(1, &value[i], x, y, z); break;
        }
    }
}

/* Points 2 and 3 of reduce_tree.h; `e` is used up. */
static struct oracle_partial tree(const struct heddle_reduce_instr *instr, struct oracle_partial *e,
                                  int64_t n, bool sequential)
{
    const enum heddle_reduction op = (enum heddle_reduction)instr->op;
    const enum heddle_dtype dtype = (enum heddle_dtype)instr->dtype;
    if (sequential || n <= HEDDLE_TREE_SHORT) {
        for (int64_t i = 1; i < n; i++) oracle_combine(op, dtype, &e[0], &e[i]);
        return e[0];
    }
    int64_t lanes = 1;
    while (lanes < n && lanes < HEDDLE_TREE_LANES) lanes *= 2;
    for (int64_t i = lanes; i < n; i++) oracle_combine(op, dtype, &e[i % lanes], &e[i]);
    for (int64_t half = lanes / 2; half > 0; half /= 2)
        for (int64_t l = 0; l < half; l++)
            if (l + half < n) oracle_combine(op, dtype, &e[l], &e[l + half]);
    return e[0];
}

/* Next index over axes from..to-1; false after the last. */
static bool next_index(const struct heddle_geometry *g, int from, int to, int64_t *idx)
{
    for (int d = to - 1; d >= from; d--) {
        if (++idx[d] < g->extent[d]) return true;
        idx[d] = 0;
    }
    return false;
}

static int64_t chunk_of(const struct heddle_geometry *g, const int64_t *idx)
{
    if (g->n_kept == g->ndim) return 0;
    int64_t c = 0;
    for (int d = g->n_kept; d < g->split_axis; d++) c = c * g->extent[d] + idx[d];
    const int64_t n_split = (g->extent[g->split_axis] + g->split_rows - 1) / g->split_rows;
    return c * n_split + idx[g->split_axis] / g->split_rows;
}

static void reduce_one(struct random_program *r, int64_t *idx, struct oracle_partial **values,
                       union heddle_scalar *reduced)
{
    const struct heddle_program *p = &r->build.program;
    const struct heddle_geometry *g = &r->build.launch.geometry;
    union heddle_scalar value[HEDDLE_MAX_INSTRS];
    int64_t n = 0, *chunk = malloc((size_t)heddle__reduced_size(g) * sizeof *chunk);
    if (!chunk) exit(1);
    do {
        element(r, 0, p->n_before, idx, value, NULL);
        for (int k = 0; k < p->n_reductions; k++)
            values[k][n] =
                (struct oracle_partial){oracle_get((enum heddle_dtype)p->reductions[k].dtype,
                                                   &value[p->reductions[k].value], 0),
                                        n};
        chunk[n++] = chunk_of(g, idx);
    } while (next_index(g, g->n_kept, g->ndim, idx));
    for (int k = 0; k < p->n_reductions; k++) {
        const struct heddle_reduce_instr *instr = &p->reductions[k];
        int64_t n_partials = 0;
        for (int64_t i = 0; i < n;) {
            int64_t m = 1;
            while (i + m < n && chunk[i + m] == chunk[i]) m++;
            const struct oracle_partial t = tree(instr, values[k] + i, m, p->sequential);
            values[k][n_partials++] = t;
            i += m;
        }
        const struct oracle_partial t = tree(instr, values[k], n_partials, false);
        const bool arg = instr->op == HEDDLE_REDUCE_ARGMAX || instr->op == HEDDLE_REDUCE_ARGMIN;
        if (arg)
            reduced[k].i64 = t.index;
        else
            oracle_set((enum heddle_dtype)instr->dtype, &reduced[k], 0, t.value);
    }
    free(chunk);
}

void random_reference(struct random_program *r)
{
    const struct heddle_program *p = &r->build.program;
    const struct heddle_geometry *g = &r->build.launch.geometry;
    union heddle_scalar value[HEDDLE_MAX_INSTRS], reduced[HEDDLE_MAX_REDUCTIONS];
    struct oracle_partial *values[HEDDLE_MAX_REDUCTIONS] = {NULL};
    for (int k = 0; k < p->n_reductions; k++)
        values[k] = calloc((size_t)heddle__reduced_size(g), sizeof **values);
    int64_t idx[HEDDLE_MAX_NDIM] = {0};
    do {
        int from = 0;
        if (p->n_reductions > 0) {
            reduce_one(r, idx, values, reduced);
            from = p->n_before;
            for (int d = g->n_kept; d < g->ndim; d++) idx[d] = 0;
        }
        element(r, from, p->n_instrs, idx, value, reduced);
        for (int s = 0; s < p->n_stores; s++) {
            const enum heddle_dtype dtype =
                (enum heddle_dtype)p->operand_dtype[p->stores[s].operand];
            memcpy(place(r, p->stores[s].operand, idx), &value[p->stores[s].value],
                   heddle_dtype_size(dtype));
        }
    } while (next_index(g, 0, g->n_kept, idx));
    for (int k = 0; k < p->n_reductions; k++) free(values[k]);
}
