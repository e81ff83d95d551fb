/* The CUDA twin of programs: one launch, or a chain over the same rows (rows.h) as one kernel. While that is not
 * compiled, the launches of a chain run one after the other. Entry points: heddle__program_cuda, row_kernels.h. */
#include "cuda/device.h"
#include "cuda/jit.h"
#include "cuda/program.h"
#include "cuda/reductions/reductions.h"
#include "cuda/rows/row_kernels.h"
#include "cuda/rows/shared_values.h"
#include "cuda/rows/scan_alone.h"
#include "cuda/rows/staged.h"
#include "cuda/source.h"

#include "reduce_tree.h"

#include <string.h>

enum { PARAMETER_BYTES = 4096 }; /* that every driver takes */

/* ---- The class --------------------------------------------------------------------------------------- */

int heddle__rows_first_constant(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                                int stage)
{
    int n = heddle__rows_slot(c, c->n_operands);
    for (int i = 0; i < stage; i++) {
        const struct heddle_program *p = rows->stage[i]->program;
        for (int k = 0; k < p->n_constants; k++) n += heddle__cuda_slots_of_constant(p, k);
    }
    return n;
}

/* Whether 32 bits do not reach all elements. */
static bool needs_wide(const struct heddle_rows *rows, const struct heddle_rows_form *form)
{
    const double most = INT32_MAX / 2;
    if ((double)rows->n_rows >= most) return true;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const double elements = (double)form->threads * form->parts * form->slots;
        double reach = elements * (double)(o->step < 0 ? -o->step : o->step);
        if (o->period > 0)
            reach += elements / (double)o->period * (double)(o->leap < 0 ? -o->leap : o->leap);
        for (int d = 0; d < rows->n_kept; d++)
            reach +=
                (double)rows->extent[d] * (double)(o->stride[d] < 0 ? -o->stride[d] : o->stride[d]);
        if (reach >= most) return true;
    }
    return false;
}

/* Which index of the kernel's each axis has that values depend on. Kept axes longer than 1 are the chain's, in order. */
static void name_indices(const struct heddle_rows *rows, struct heddle_rows_class *c)
{
    const struct heddle_geometry *g = rows->box;
    for (int d = 0, kept = 0; d < g->ndim; d++) {
        const bool is_kept = d < g->n_kept;
        const bool is_long = g->extent[d] > 1;
        if (is_long && rows->index_axes >> d & 1)
            c->index[d] =
                (uint8_t)(is_kept ? HEDDLE_ROWS_INDEX_KEPT + kept : HEDDLE_ROWS_INDEX_IN_ROW);
        kept += is_kept && is_long;
    }
    for (int i = 0; i < rows->n_stages && rows->index_axes; i++)
        if (rows->stage[i]->program->n_reductions == 0 && !rows->is_row_map[i])
            memcpy(c->axis, rows->axis[i], sizeof c->axis);
}

/* As many neighbours as one access may reach; no buffers: they are aligned. */
static int most_beside(const struct heddle_rows *rows, void *const buffers[])
{
    int most = HEDDLE_ROWS_BESIDE;
    for (int u = 0; u < rows->n_operands && buffers; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const size_t size = heddle_dtype_size((enum heddle_dtype)o->dtype);
        while (most > 1 && (uintptr_t)buffers[o->buffer] % ((size_t)most * size) != 0) most /= 2;
    }
    return most;
}

/* Of shared memory, that a block may have on all GPUs. */
static int64_t shared_bytes(void)
{
    int64_t bytes = INT64_MAX;
    for (int d = 0; d < heddle__cuda_n_devices(); d++)
        if (heddle__cuda_device(d)->shared_bytes < bytes)
            bytes = heddle__cuda_device(d)->shared_bytes;
    return bytes;
}

bool heddle__rows_class(struct heddle_rows *rows, void *const buffers[],
                        struct heddle_rows_class *c)
{
    struct heddle_rows_form form;
    memset(c, 0, sizeof *c);
    if (!heddle__rows_form(rows, most_beside(rows, buffers), shared_bytes(), &form)) return false;
    c->threads = (uint16_t)form.threads;
    c->parts = (uint8_t)form.parts;
    c->slots = (uint16_t)form.slots;
    c->full = (uint16_t)form.full;
    c->group = (uint8_t)form.group;
    c->beside = (uint8_t)form.beside;
    c->rows = (uint8_t)form.rows;
    c->is_long = form.is_long;
    c->wide = (uint8_t)needs_wide(rows, &form);
    c->n_stages = (uint8_t)rows->n_stages;
    c->n_kept = (uint8_t)rows->n_kept;
    c->n_operands = (uint8_t)rows->n_operands;
    for (int i = 0; i < rows->n_stages; i++) c->program[i] = rows->stage[i]->program->hash;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        c->kind[u] = (uint16_t)((o->is_row ? HEDDLE_ROWS_IS_ROW : 0) |
                                (o->is_made ? HEDDLE_ROWS_IS_MADE : 0) |
                                (o->is_passed && !o->is_reread ? HEDDLE_ROWS_IS_PASSED : 0) |
                                (o->is_remade ? HEDDLE_ROWS_IS_REMADE : 0) |
                                (o->is_held && !form.is_long ? HEDDLE_ROWS_IS_HELD : 0) |
                                (o->room > 0 ? HEDDLE_ROWS_IN_ROOM : 0) |
                                (o->period > 0  ? HEDDLE_ROWS_LEAPS
                                 : o->step == 1 ? HEDDLE_ROWS_IS_UNIT
                                                : 0));
    }
    memcpy(c->of, rows->of, sizeof c->of);
    name_indices(rows, c);
    heddle__rows_stage(rows, c);
    for (int u = 0; u < rows->n_operands && form.is_long; u++) c->room[u] = rows->operand[u].room;
    c->constants = heddle__shared_constants(rows);
    return (size_t)heddle__rows_n_slots(rows, c) * sizeof(int64_t) <= PARAMETER_BYTES;
}

/* ---- One kernel ------------------------------------------------------------------------------------ */

struct source_of {
    const struct heddle_rows *rows;
    const struct heddle_rows_class *class;
};

static char *make_source(const void *of)
{
    const struct source_of *s = of;
    return heddle__rows_source(s->rows, s->class);
}

static bool find(const struct heddle_rows *rows, const struct heddle_rows_class *c, int arch,
                 struct heddle_jit_kernels *kernels)
{
    const struct source_of of = {rows, c};
    return heddle__jit_find_text(c, sizeof *c, (struct heddle_jit_has){.main = true}, arch,
                                 make_source, &of, kernels);
}

/* Bytes of a row that are under way: read again, or stored. */
static int64_t bytes_under_way(const struct heddle_rows *rows)
{
    int64_t bytes = heddle__rows_reread(rows);
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_made && !o->is_passed && !o->is_reread && !o->is_row)
            bytes += rows->length * (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    return bytes;
}

/* Whether a chain has so little arithmetic that its memory is never idle. */
static bool is_light(const struct heddle_rows *rows)
{
    enum { FLOPS_OF_BYTE = 2 };
    double flops = 0;
    for (int i = 0; i < rows->n_stages; i++)
        if (!rows->is_row_map[i]) flops += heddle__program_flops(rows->stage[i]->program);
    return flops * (double)rows->length * (double)rows->n_rows <
           FLOPS_OF_BYTE * heddle__rows_bytes(rows);
}

/* Bytes of each operand of the next row that are fetched while a block has a row: what the cache has room for beside what is read and written. Fetching more
 * makes all slower: what comes is gone before it is needed. So does fetching for what is held where memory is busy without. */
static int64_t bytes_ahead(const struct heddle_rows *rows)
{
    enum { PROCESSOR_BYTES = 288 << 10 };
    if (heddle__rows_room_bytes(rows) > 0 && is_light(rows)) return 0;
    const int64_t left =
        PROCESSOR_BYTES / heddle__rows_long_blocks(rows, shared_bytes()) - bytes_under_way(rows);
    return left > 0 ? left : 0;
}

static void pack(int64_t slots[], const struct heddle_rows *rows, const struct heddle_rows_class *c,
                 void *const buffers[], const union heddle_scalar constants[])
{
    memset(slots, 0, HEDDLE_SLOT_OPERAND * sizeof *slots);
    slots[HEDDLE_SLOT_N] = rows->n_rows;
    slots[HEDDLE_SLOT_CHUNK] = rows->length;
    if (c->is_long) slots[HEDDLE_SLOT_GROUP] = bytes_ahead(rows);
    for (int d = 0; d < rows->n_kept; d++) {
        slots[HEDDLE_SLOT_EXTENT + d] = rows->extent[d];
        slots[HEDDLE_SLOT_MAGIC + d] = heddle__cuda_magic(rows->extent[d]);
    }
    for (int d = 0; d < rows->box->ndim; d++) slots[HEDDLE_SLOT_ORIGIN + d] = rows->box->origin[d];
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        int64_t *at = slots + heddle__rows_slot(c, u);
        at[0] = (int64_t)(intptr_t)((char *)buffers[o->buffer] +
                                    o->offset *
                                        (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype));
        at[1] = o->step;
        at[2] = o->period;
        at[3] = o->period > 0 ? heddle__cuda_magic(o->period) : 0;
        at[4] = o->leap;
        for (int d = 0; d < rows->n_kept; d++) at[HEDDLE_ROWS_OPERAND_SLOTS + d] = o->stride[d];
    }
    int64_t *at = slots + heddle__rows_slot(c, c->n_operands);
    for (int i = 0; i < rows->n_stages; i++)
        at = heddle__cuda_pack_constants(at, rows->stage[i], constants);
}

/* Lets a kernel have all shared memory beside what it names, whatever the length of its rows: other threads may launch it with other ones. */
static enum heddle_status allow_rooms(const struct heddle_rows *rows,
                                      const struct heddle_jit_kernels *kernels)
{
    return heddle__cuda_check(
        cudaFuncSetAttribute((const void *)kernels->main,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)(shared_bytes() - heddle__rows_lane_bytes(rows))),
        "shared memory of rows");
}

static enum heddle_status launch(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                                 const struct heddle_jit_kernels *kernels, int processors,
                                 void *const buffers[], const union heddle_scalar constants[],
                                 void *stream)
{
    int64_t slots[HEDDLE_ROWS_MAX_SLOTS];
    void *args[] = {slots};
    enum heddle_status status = HEDDLE_OK;
    const int64_t per_block = heddle__rows_per_block(c);
    int64_t blocks = (rows->n_rows + per_block - 1) / per_block;
    if (blocks > INT32_MAX / 512) blocks = INT32_MAX / 512;
    if (c->is_long) {
        const int64_t most = processors * heddle__rows_long_blocks(rows, shared_bytes());
        if (blocks > most) blocks = most;
    }
    const int64_t room = heddle__rows_room_bytes(rows);
    if (room > 0) HEDDLE_TRY(allow_rooms(rows, kernels));
    pack(slots, rows, c, buffers, constants);
    HEDDLE_TRY(heddle__cuda_check(
        cudaLaunchKernel((const void *)kernels->main, (dim3){(unsigned)blocks, 1, 1},
                         (dim3){(unsigned)heddle__rows_block(c), 1, 1}, args, (size_t)room, stream),
        "launch of rows"));
fail:
    return status;
}

/* ---- The family's row -------------------------------------------------------------------------------- */

/* Whether what is read of a row lies along, in one piece or in pieces that vectors load (blocks of an image), and some of it is that row's alone: a reduction of arrays that lie otherwise, or of pairs, has forms of
 * its own. */
static bool streams(const struct heddle_rows *rows)
{
    enum { PIECE = 4 };
    bool any = false;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_row || o->is_made) continue;
        if (o->step != 1 || o->period % PIECE != 0) return false;
        bool own = true;
        for (int d = 0; d < rows->n_kept; d++) own &= o->stride[d] != 0;
        any |= own;
    }
    return any;
}

/* Whether a reduction alone, of short rows or of those that stream, is faster as a chain of one. Measured on an H100: rows of up to 128 elements up to five times; longer ones up to twice, but sums alone, which
 * have a neutral element. */
static bool is_chain_of_one(const struct heddle_launch *launch, const struct heddle_rows *rows,
                            const struct heddle_rows_class *c)
{
    enum { THREADS = 1 << 17 }; /* fill a large GPU */
    const struct heddle_program *p = launch->program;
    if (c->threads == 1) return c->parts == 1 && heddle__rows_staged(c);
    if (c->is_long) return false;
    return heddle__rows_share_warp(c) ||
           ((p->n_reductions > 1 || p->reductions[0].op != HEDDLE_REDUCE_SUM) &&
            rows->n_rows * c->threads >= THREADS);
}

/* Whether one of these kernels does it. */
static bool fits(const struct heddle_launch *first, void *const buffers[], struct heddle_rows *rows,
                 struct heddle_rows_class *c)
{
    const bool alone = !first->next;
    if ((alone && first->program->n_reductions == 0) || !heddle__rows_of(first, rows)) return false;
    if (alone && rows->length > HEDDLE_TREE_SHORT && !streams(rows)) return false;
    return heddle__rows_class(rows, buffers, c) &&
           (!alone ||
            (is_chain_of_one(first, rows, c) && !heddle__reductions_have_runs(first, buffers)));
}

static enum heddle_status run_scan(const struct heddle_launch *l, void *const buffers[],
                                   void *stream)
{
    const struct heddle_geometry *g = &l->geometry;
    const struct heddle_program *p = l->program;
    const int in = p->instrs[0].a, out = p->stores[0].operand;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->operand_dtype[out];
    const int64_t size = (int64_t)heddle_dtype_size(dtype);
    struct heddle_scan_alone rows = {
        .in = (const char *)buffers[l->buffer[in]] + l->access[in].offset * size,
        .out = (char *)buffers[l->buffer[out]] + l->access[out].offset * size,
        .n_axes = g->n_kept,
        .n = (int)heddle__reduced_size(g),
        .columns = p->sequential,
        .n_rows = heddle__kept_size(g)};
    for (int d = 0; d < g->n_kept; d++) {
        rows.extent[d] = g->extent[d];
        rows.from[d] = l->access[in].stride[d];
        rows.to[d] = l->access[out].stride[d];
    }
    for (int d = g->n_kept; d < g->ndim; d++) {
        if (g->extent[d] == 1) continue;
        rows.from_apart = l->access[in].stride[d];
        rows.to_apart = l->access[out].stride[d];
    }
    const int error = heddle__cuda_scan_alone(&rows, p->scan - 1, dtype, stream);
    return heddle__cuda_check((cudaError_t)error, "launch of a scan of rows");
}

/* A launch of a chain by itself. */
static enum heddle_status run_alone(const struct heddle_launch *l, struct heddle_kernel_context *k)
{
    if (l->program->scan) return run_scan(l, k->buffers, k->stream);
    return heddle__cuda_interpret(l, k->buffers, k->constants, k->scratch, k->stream);
}

/* By the kernel, if there is one and it is compiled; else one launch after the other. */
static enum heddle_status run_rows(const struct heddle_launch *first,
                                   const struct heddle_rows *rows,
                                   const struct heddle_rows_class *c,
                                   struct heddle_kernel_context *k)
{
    struct heddle_jit_kernels kernels;
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_cuda_device *device;
    HEDDLE_TRY(heddle__cuda_device_here(&device));
    if (c && heddle__cuda_compiles() && find(rows, c, device->arch, &kernels)) {
        HEDDLE_TRY(
            launch(rows, c, &kernels, device->processors, k->buffers, k->constants, k->stream));
        heddle__cuda_count(1, 0);
        return HEDDLE_OK;
    }
    for (const struct heddle_launch *l = first; l; l = l->next) HEDDLE_TRY(run_alone(l, k));
    k->interpreted = true;
fail:
    return status;
}

static enum heddle_status run_program(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_launch *first = arguments;
    struct heddle_rows rows;
    struct heddle_rows_class c;
    const bool is_ours = fits(first, k->buffers, &rows, &c);
    if (is_ours || first->next) return run_rows(first, &rows, is_ours ? &c : NULL, k);
    return heddle__cuda_program(first, k->buffers, k->constants, k->scratch, k->stream,
                                &k->interpreted);
}

static void prepare(const void *arguments)
{
    const struct heddle_launch *first = arguments;
    struct heddle_rows rows;
    struct heddle_rows_class c;
    struct heddle_jit_kernels kernels;
    int done = 0;
    const bool is_ours = fits(first, NULL, &rows, &c);
    if (!is_ours && !first->next) heddle__cuda_prepare(first);
    if (!is_ours || !heddle__cuda_compiles()) return;
    heddle__jit_watch_exit();
    for (int d = 0; d < heddle__cuda_n_devices(); d++) {
        const int arch = heddle__cuda_device(d)->arch;
        if (arch != done) (void)find(&rows, &c, arch, &kernels);
        done = arch;
    }
}

const struct heddle_cuda_kernel heddle__program_cuda = {.run = run_program, .prepare = prepare};
