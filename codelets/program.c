/* Tables and sizes of the program form. Entry points: program.h, reduce_tree.h. */
#include "program.h"

#include "reduce_tree.h"
#include "scan_order.h"

#include <string.h>

const struct heddle_op_info heddle__ops[HEDDLE_N_OPS] = {
#define HEDDLE_OP(ID, name_, arity_, accepts_, result_, convert_, flops_, flags_, ...)             \
    [HEDDLE_OP_##ID] = {.name = #name_,                                                            \
                        .expression = #__VA_ARGS__,                                                \
                        .arity = arity_,                                                           \
                        .accepts = HEDDLE_ACCEPTS_##accepts_,                                      \
                        .result = HEDDLE_RESULT_##result_,                                         \
                        .convert = HEDDLE_CONVERT_##convert_,                                      \
                        .flags = HEDDLE_FLAG_##flags_,                                             \
                        .flops = flops_},
#define HEDDLE_RANDOM_OP HEDDLE_OP
#include <heddle/ops.def>
#undef HEDDLE_OP
};

const struct heddle_reduction_info heddle__reductions[HEDDLE_N_REDUCTIONS] = {
#define HEDDLE_REDUCTION(ID, name_, accepts_, convert_, identity_, element_, ...)                  \
    [HEDDLE_REDUCE_##ID] = {.name = #name_,                                                        \
                            .element = #element_,                                                  \
                            .expression = #__VA_ARGS__,                                            \
                            .accepts = HEDDLE_ACCEPTS_##accepts_,                                  \
                            .convert = HEDDLE_CONVERT_##convert_,                                  \
                            .identity = identity_},
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
};

unsigned heddle__kind_bit(enum heddle_dtype dtype)
{
    switch (heddle_dtype_kind(dtype)) {
    case 'B': return HEDDLE_KIND_B;
    case 'I': return HEDDLE_KIND_I | (dtype == HEDDLE_INT64 ? HEDDLE_ACCEPTS_I64 : 0);
    case 'U': return HEDDLE_KIND_U | (dtype == HEDDLE_UINT64 ? HEDDLE_ACCEPTS_U64 : 0);
    case 'F': return HEDDLE_KIND_F | (dtype == HEDDLE_FLOAT64 ? HEDDLE_ACCEPTS_F64 : 0);
    case 'C': return HEDDLE_KIND_C;
    default: return 0;
    }
}

int heddle__is_arg(const struct heddle_reduce_instr *r)
{
    return r->op == HEDDLE_REDUCE_ARGMAX || r->op == HEDDLE_REDUCE_ARGMIN;
}

int heddle__has_arg(const struct heddle_program *program)
{
    int has = 0;
    for (int r = 0; r < program->n_reductions; r++) has |= heddle__is_arg(&program->reductions[r]);
    return has;
}

void heddle__mark_needed(const struct heddle_program *program, int end, uint8_t needed[])
{
    for (int i = end - 1; i >= 0; i--) {
        const struct heddle_instr *in = &program->instrs[i];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        for (int k = 0; k < heddle__instr_arity(in) && needed[i]; k++) needed[operand[k]] = 1;
    }
}

int heddle__is_associative(const struct heddle_reduce_instr *r)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)r->dtype);
    const bool adds = r->op == HEDDLE_REDUCE_SUM || r->op == HEDDLE_REDUCE_PROD;
    return !adds || (kind != 'F' && kind != 'C');
}

int heddle__scan_rounds(const struct heddle_program *p)
{
    const char kind = p->scan ? heddle_dtype_kind((enum heddle_dtype)p->operand_dtype[0]) : 'B';
    return p->scan - 1 <= HEDDLE_SCAN_MULTIPLY && (kind == 'F' || kind == 'C');
}

int heddle__is_count(const struct heddle_program *p, int r)
{
    const struct heddle_instr *value = &p->instrs[p->reductions[r].value];
    const enum heddle_dtype to = (enum heddle_dtype)p->reductions[r].dtype;
    return p->reductions[r].op == HEDDLE_REDUCE_SUM && value->code == HEDDLE_CODE_CAST &&
           value->dtype == HEDDLE_BOOL && heddle_dtype_size(to) >= 4 &&
           heddle_dtype_kind(to) != 'C';
}

int heddle__sums_small(const struct heddle_program *p, int r)
{
    const struct heddle_instr *value = &p->instrs[p->reductions[r].value];
    const enum heddle_dtype from = (enum heddle_dtype)value->dtype,
                            to = (enum heddle_dtype)p->reductions[r].dtype;
    if (heddle__is_count(p, r)) return 1;
    return p->reductions[r].op == HEDDLE_REDUCE_SUM && value->code == HEDDLE_CODE_CAST &&
           strchr("IU", heddle_dtype_kind(from)) && heddle_dtype_size(from) <= 2 &&
           strchr("IU", heddle_dtype_kind(to)) && heddle_dtype_size(to) >= 4;
}

int heddle__all_in_any_order(const struct heddle_program *p)
{
    int all = 1;
    for (int r = 0; r < p->n_reductions; r++) {
        const struct heddle_reduce_instr *in = &p->reductions[r];
        const int is_extreme =
            heddle_dtype_kind((enum heddle_dtype)in->dtype) == 'F' && !heddle__is_arg(in);
        all &= (heddle__is_associative(in) && !is_extreme) || heddle__sums_small(p, r);
    }
    return all;
}

int heddle__takes_all(const struct heddle_reduce_instr *r)
{
    return strcmp(heddle__reductions[r->op].element, "y") == 0;
}

size_t heddle__partial_size(const struct heddle_reduce_instr *r)
{
    return heddle__is_arg(r) ? 16 : heddle_dtype_size((enum heddle_dtype)r->dtype);
}

static int64_t product(const struct heddle_geometry *g, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++) n *= g->extent[d];
    return n;
}

int64_t heddle__kept_size(const struct heddle_geometry *g)
{
    return product(g, 0, g->n_kept);
}

int64_t heddle__reduced_size(const struct heddle_geometry *g)
{
    return product(g, g->n_kept, g->ndim);
}

int64_t heddle__whole_kept_size(const struct heddle_geometry *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->n_kept; d++) n *= g->whole[d];
    return n;
}

size_t heddle__launch_scratch_bytes(const struct heddle_launch *launch)
{
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = launch->program;
    if (g->phase != HEDDLE_PHASE_WHOLE || p->n_reductions == 0 || g->n_chunks <= 1) return 0;
    size_t bytes = 0;
    for (int r = 0; r < p->n_reductions; r++) {
        const size_t n = (size_t)heddle__kept_size(g) * (size_t)g->n_chunks;
        bytes += (n * heddle__partial_size(&p->reductions[r]) + 63) / 64 * 64;
    }
    return bytes;
}

int64_t heddle__chunk_size(const struct heddle_geometry *g)
{
    const int64_t extent = g->extent[g->split_axis];
    return (g->split_rows < extent ? g->split_rows : extent) *
           product(g, g->split_axis + 1, g->ndim);
}

/* Whether elements take longer than their loads: by functions of 8-byte numbers. */
static int are_costly(const struct heddle_program *p)
{
    double flops = 0;
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code < HEDDLE_N_OPS && heddle_dtype_size((enum heddle_dtype)in->dtype) >= 8)
            flops += (double)heddle__ops[in->code].flops;
    }
    return flops >= HEDDLE_TREE_COSTLY_FLOPS;
}

int64_t heddle__shared_chunks(const struct heddle_launch *launch)
{
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = launch->program;
    if (p->n_reductions == 0 || p->sequential || g->phase == HEDDLE_PHASE_COMBINE ||
        g->ndim == g->n_kept)
        return 0;
    const int64_t chunk = heddle__chunk_size(g),
                  n = heddle__kept_size(g) * (g->n_chunks > 1 ? g->n_chunks : 1);
    const int64_t most = chunk >= HEDDLE_TREE_COSTLY_CHUNK && are_costly(p)
                             ? HEDDLE_TREE_MOST_COSTLY
                             : HEDDLE_TREE_MOST_SHARED;
    return chunk >= HEDDLE_TREE_SHARED_CHUNK && n <= most ? n : 0;
}

size_t heddle__launch_gpu_scratch_bytes(const struct heddle_launch *launch)
{
    const struct heddle_program *p = launch->program;
    const size_t n = (size_t)heddle__shared_chunks(launch) * HEDDLE_TREE_LANES;
    size_t bytes = heddle__launch_scratch_bytes(launch);
    for (int r = 0; r < p->n_reductions; r++) bytes += n * heddle__partial_size(&p->reductions[r]);
    return bytes;
}

double heddle__program_flops(const struct heddle_program *program)
{
    double flops = program->n_reductions;
    for (int i = 0; i < program->n_before; i++) {
        const struct heddle_instr *in = &program->instrs[i];
        if (in->code < HEDDLE_N_OPS) flops += (double)heddle__ops[in->code].flops;
        if (in->code == HEDDLE_CODE_CAST) flops += 1;
    }
    return flops;
}

void heddle__reduce_chunks(struct heddle_geometry *g, int sequential)
{
    const int64_t aim = sequential ? HEDDLE_TREE_SEQUENTIAL_CHUNK : HEDDLE_TREE_LANES_CHUNK;
    int64_t inner = 1;
    int split = g->ndim - 1;
    for (; split > g->n_kept; split--) {
        if (inner * g->whole[split] > aim) break;
        inner *= g->whole[split];
    }
    if (split < g->n_kept) split = g->n_kept; /* there is no reduced axis */
    g->split_axis = split;
    /* a power of two, so that cuts at multiples of a larger one are cuts between chunks */
    g->split_rows = 1;
    while (g->split_rows * 2 * (inner > 0 ? inner : 1) <= aim) g->split_rows *= 2;
    if (g->ndim == g->n_kept) {
        g->n_chunks = 1;
        return;
    }
    g->n_chunks = (g->extent[split] + g->split_rows - 1) / g->split_rows;
    for (int d = g->n_kept; d < split; d++) g->n_chunks *= g->extent[d];
}

struct heddle_geometry heddle__reduce_geometry(int ndim, int n_kept, const int64_t *extent,
                                               int sequential)
{
    struct heddle_geometry g = {.ndim = ndim, .n_kept = n_kept};
    for (int d = 0; d < ndim; d++) g.extent[d] = g.whole[d] = extent[d];
    heddle__reduce_chunks(&g, sequential);
    return g;
}

struct heddle_launch heddle__launch_box(const struct heddle_launch *launch, const int64_t lo[],
                                        const int64_t size[], struct heddle_access access[])
{
    struct heddle_launch box = *launch;
    const int n_operands = launch->program->n_operands;
    memcpy(access, launch->access, (size_t)n_operands * sizeof *access);
    box.access = access;
    for (int d = 0; d < box.geometry.ndim; d++) {
        box.geometry.extent[d] = size[d];
        box.geometry.origin[d] += lo[d];
        for (int k = 0; k < n_operands; k++) access[k].offset += lo[d] * access[k].stride[d];
    }
    return box;
}
