/* Generated source of reductions: the kernel of the chunks, and the pass over their partials, in a kernel
 * of its own or by the block that does the last chunk. Entry points: heddle__source_reduction,
 * heddle__source_accumulator. */
#include "cuda/reductions/source_reduce.h"

#include "reduce_tree.h"

#include <stdio.h>
#include <string.h>

/* Of a sum of integers that were cast from 1 or 2 bytes, or from bool: 32 bits, signed as those, which hold a sum of all of a chunk.
 * Otherwise NULL. */
static const char *small_accumulator(const struct heddle_program *p, int r)
{
    _Static_assert(HEDDLE_TREE_LANES_CHUNK <= 65536, "sums of 65536 elements of 16 bits fit in 32");
    const struct heddle_instr *value = &p->instrs[p->reductions[r].value];
    const enum heddle_dtype to = (enum heddle_dtype)p->reductions[r].dtype;
    if (p->reductions[r].op != HEDDLE_REDUCE_SUM || !strchr("IU", heddle_dtype_kind(to)) ||
        heddle_dtype_size(to) < 4)
        return NULL;
    int is_signed = 1;
    for (; value->code == HEDDLE_CODE_CAST; value = &p->instrs[value->a]) {
        const enum heddle_dtype from = (enum heddle_dtype)value->dtype;
        const char kind = heddle_dtype_kind(from);
        if (kind == 'B') return "hd_uint32";
        if (kind != 'I' && kind != 'U') return NULL;
        if (kind == 'U') is_signed = 0;
        if (heddle_dtype_size(from) <= 2)
            return kind == 'U' ? "hd_uint32" : is_signed ? "hd_int32" : NULL;
    }
    return NULL;
}

const char *heddle__source_accumulator(const struct heddle_source *s, int r, char buffer[32])
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char *const small = s->in_chunk ? small_accumulator(s->p, r) : NULL;
    const char *type = small ? small : heddle__source_type(in->dtype);
    snprintf(buffer, 32,
             !heddle__is_arg(in) ? "%s"
             : s->c->near        ? "hd_at<%s, int>"
                                 : "hd_at<%s>",
             type);
    return buffer;
}

void heddle__source_unit(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    if (pass->is_finish) {
        heddle__text_put(t, "const I kept = unit;\n");
        return;
    }
    if (pass->has_results) {
        heddle__text_put(t, "const I kept = unit, start = 0, n = (I)args.v[%d];\n",
                         HEDDLE_SLOT_CHUNK);
        return;
    }
    if (pass->form == HEDDLE_FORM_THREAD) /* neighbours have neighbouring kept elements */
        heddle__text_put(t,
                         "const I chunk = hd_quotient(unit, (I)args.v[%d], args.v[%d]);\n"
                         "const I kept = unit - chunk * (I)args.v[%d];\n",
                         HEDDLE_SLOT_N, HEDDLE_SLOT_MAGIC_N, HEDDLE_SLOT_N);
    else
        heddle__text_put(t,
                         "const I kept = hd_quotient(unit, chunks, args.v[%d]);\n"
                         "const I chunk = unit - kept * chunks;\n",
                         HEDDLE_SLOT_MAGIC_CHUNKS);
    heddle__source_span(s);
}

void heddle__source_span(const struct heddle_source *s)
{
    heddle__text_put(s->text,
                     "const I outer = hd_quotient(chunk, (I)args.v[%d], args.v[%d]);\n"
                     "const I skip = (chunk - outer * (I)args.v[%d]) * (I)args.v[%d];\n"
                     "const I start = outer * (I)args.v[%d] + skip;\n"
                     "const I left = (I)args.v[%d] - skip;\n"
                     "const I n = left < (I)args.v[%d] ? left : (I)args.v[%d];\n",
                     HEDDLE_SLOT_GROUP_CHUNKS, HEDDLE_SLOT_MAGIC_GROUP_CHUNKS,
                     HEDDLE_SLOT_GROUP_CHUNKS, HEDDLE_SLOT_CHUNK, HEDDLE_SLOT_GROUP,
                     HEDDLE_SLOT_GROUP, HEDDLE_SLOT_CHUNK, HEDDLE_SLOT_CHUNK);
}

/* The chunk of a unit, or the partials of a kept element. */
static void put_pass(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    if (pass->is_finish) heddle__text_put(s->text, "const I n = chunks;\n");
    heddle__source_chunk_start(s, pass);
    heddle__source_tree(s, pass);
}

/* Whether elements take arithmetic of floating-point numbers: 32 registers are too few for roots and divisions, and the rest loses nothing by more. */
static bool has_real_work(const struct heddle_program *p)
{
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code < HEDDLE_N_OPS &&
            heddle_dtype_kind((enum heddle_dtype)p->instrs[i].dtype) == 'F')
            return true;
    return false;
}

/* Threads of a block, and how many blocks a multiprocessor shall hold: so few registers has a thread. Long strips of rows need more, and what
 * computes several doubles at once. */
static const char *launch_bounds(const struct heddle_source *s,
                                 const struct heddle_source_pass *pass)
{
    enum { LONG = 8 };
    const struct heddle_cuda_class *c = s->c;
    if (pass->is_finish || (c->columns > 0 && c->side >= LONG)) return "256";
    if (c->side > 0 || c->form == HEDDLE_FORM_PAIRS) return "256, 2";
    if (!c->light) return "256";
    if (heddle__source_has_quick_doubles(s->p, s->p->n_before)) return "256, 4";
    return has_real_work(s->p) ? "256, 6" : "256, 8";
}

/* `finish`: the pass that follows within the kernel, or NULL. Such a kernel has a block for each unit:
 * in a loop over units, what the second pass starts from would be kept in registers for the first. */
static void put_kernel(const struct heddle_source *s, const char *name,
                       const struct heddle_source_pass *pass,
                       const struct heddle_source_pass *finish)
{
    struct heddle_text *t = s->text;
    const struct heddle_program *p = s->p;
    char type[32];
    const int shares = pass->is_finish ? 0 : s->c->shares;
    /* Pairs have small sums of their own. What is combined in shared memory has one type for both passes. */
    const bool shared_by_both = finish && (shares || s->c->even);
    struct heddle_source of_chunk = *s;
    of_chunk.in_chunk = !pass->is_finish && !shared_by_both && pass->form != HEDDLE_FORM_PAIRS;
    const int strips = s->c->side > 0 && !pass->is_finish, of_chunks = strips && !s->c->columns;
    const bool lines = pass->form == HEDDLE_FORM_LINES;
    const int runs = pass->form == HEDDLE_FORM_RUNS || lines ? s->c->threads : 0;
    const int staged = pass->form == HEDDLE_FORM_STAGED;
    const char *const number = of_chunks ? "strip" : runs || staged ? "first" : "unit";
    char from[64], step[16];
    if (finish) heddle__text_put(t, "__device__ unsigned hd_ticket[%d];\n", HEDDLE_CUDA_TICKETS);
    if (shares) heddle__text_put(t, "__device__ unsigned hd_share[%d];\n", HEDDLE_TREE_MOST_COSTLY);
    heddle__text_put(t,
                     "extern \"C\" __global__ void __launch_bounds__(%s)\n%s"
                     "(const __grid_constant__ hd_args args)\n{\n",
                     launch_bounds(s, pass), name);
    heddle__source_operands(s);
    if (strips) heddle__text_put(t, "constexpr int S = %d;\n", s->c->side);
    if (pass->form == HEDDLE_FORM_PAIRS) heddle__pairs_shared(s);
    heddle__text_put(t, "const I chunks = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNKS);
    for (int r = 0; r < p->n_reductions; r++) {
        heddle__source_accumulator(s, r, type);
        if (pass->is_finish || !pass->has_results)
            heddle__text_put(t, "%s *const m%d = (%s *)args.v[%d];\n", type, r, type,
                             HEDDLE_SLOT_PARTIAL + r);
        heddle__source_accumulator(finish ? s : &of_chunk, r, type);
        if (pass->form == HEDDLE_FORM_BLOCK)
            heddle__text_put(t, "__shared__ %s shared%d[%d];\n", type, r,
                             of_chunks ? 256 * s->c->side
                             : shares  ? 256 * s->c->unroll
                             : s->c->vector == HEDDLE_CUDA_QUAD && s->c->side == 0 ? 1024
                             : s->c->even                                          ? 512
                                                                                   : 256);
    }
    if (shares)
        heddle__text_put(t, "{\nconst I unit = (I)blockIdx.x / %d, share = (I)blockIdx.x %% %d;\n",
                         shares, shares);
    else if (finish)
        heddle__text_put(t, "{\nconst I unit = (I)blockIdx.x;\n");
    else {
        const int of_warp = runs ? 32 / runs : 1;
        const int of_block = staged ? 256 / s->c->columns : 8 * of_warp;
        snprintf(step, sizeof step, "%d", of_block);
        if (staged)
            snprintf(from, sizeof from, "(I)blockIdx.x * %d", of_block);
        else
            snprintf(from, sizeof from, "((I)blockIdx.x * 8 + (I)threadIdx.x / 32) * %d", of_warp);
        const bool by_thread = pass->form == HEDDLE_FORM_THREAD,
                   by_some = pass->form == HEDDLE_FORM_WARP || runs || staged;
        heddle__text_put(
            t, "for (I %s = %s; %s < (I)args.v[%d];\n     %s += (I)gridDim.x * %s) {\n", number,
            by_thread ? "(I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x"
            : by_some ? from
                      : "(I)blockIdx.x",
            number, pass->is_finish ? HEDDLE_SLOT_N : HEDDLE_SLOT_UNITS, number,
            by_thread ? "(I)blockDim.x"
            : by_some ? step
                      : "1");
    }
    if (of_chunks) heddle__strips_unit(s);
    if (pass->form == HEDDLE_FORM_PAIRS) {
        heddle__pairs(&of_chunk, pass);
    } else if (runs) {
        lines ? heddle__lines(&of_chunk, pass) : heddle__runs(&of_chunk, pass);
    } else if (staged) {
        heddle__staged(&of_chunk, pass);
    } else if (s->c->together && !pass->is_finish) {
        pass->form == HEDDLE_FORM_THREAD ? heddle__gathered(&of_chunk, pass)
                                         : heddle__together(&of_chunk, pass);
    } else {
        heddle__source_unit(s, pass);
        put_pass(&of_chunk, pass);
    }
    if (finish) {
        heddle__text_put(t, "if (hd_is_last(hd_ticket + kept, (unsigned)chunks)) {\n");
        put_pass(s, finish);
        heddle__text_put(t, "}\n");
    }
    if (shares) heddle__text_put(t, "}\n");
    heddle__text_put(t, "}\n}\n");
}

void heddle__source_reduction(const struct heddle_source *s)
{
    const struct heddle_cuda_class *c = s->c;
    const struct heddle_source_pass chunks = {c->form, c->lanes, c->unroll, 0, c->whole};
    const struct heddle_source_pass finish = {
        c->finish, c->finish_lanes, c->finish == HEDDLE_FORM_BLOCK && c->joined ? 2 : 4, 1, 1};
    if (c->form != HEDDLE_FORM_NONE)
        put_kernel(s, HEDDLE_KERNEL_MAIN, &chunks, c->joined ? &finish : NULL);
    if (c->finish != HEDDLE_FORM_NONE && !c->joined)
        put_kernel(s, HEDDLE_KERNEL_FINISH, &finish, NULL);
}
