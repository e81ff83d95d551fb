/* Prepares a launch for the interpreter: instructions with registers given out by their lives, and
 * the merged geometry. It must not allocate. Entry points: interpret.h. */
#include "cuda/interpret.h"

#include "cuda/interpreter.h"
#include "reduce_tree.h"

#include <string.h>

static uint8_t class_of(unsigned dtype)
{
    switch (heddle_dtype_kind((enum heddle_dtype)dtype)) {
    case 'B': return HEDDLE_AS_BOOL;
    case 'U': return HEDDLE_AS_U64;
    case 'F': return dtype == HEDDLE_FLOAT64 ? HEDDLE_AS_F64 : HEDDLE_AS_F32; /* halves, too */
    case 'C': return dtype == HEDDLE_COMPLEX64 ? HEDDLE_AS_C64 : HEDDLE_AS_C128;
    default: return HEDDLE_AS_I64;
    }
}

static int is_complex(const struct heddle_program *p)
{
    int is = 0;
    for (int i = 0; i < p->n_instrs; i++)
        is |= class_of(p->instrs[i].dtype) >= HEDDLE_AS_C64 ||
              class_of(p->instrs[i].result) >= HEDDLE_AS_C64;
    for (int r = 0; r < p->n_reductions; r++)
        is |= class_of(p->reductions[r].dtype) >= HEDDLE_AS_C64;
    return is;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Appends the chosen instructions of the program, with registers; `last[i]`: the last instruction
 * that uses value i, or n_instrs when it is used after all of them. reg[i]: its register. */
static void append(struct heddle_interp *out, const struct heddle_program *p,
                   const uint8_t chosen[HEDDLE_MAX_INSTRS], const uint16_t last[HEDDLE_MAX_INSTRS],
                   uint16_t reg[HEDDLE_MAX_INSTRS])
{
    uint16_t unused[HEDDLE_MAX_INSTRS];
    int n_unused = 0, n_registers = 0;
    for (int i = 0; i < p->n_instrs; i++) {
        if (!chosen[i]) continue;
        const struct heddle_instr *in = &p->instrs[i];
        const int arity = heddle__instr_arity(in);
        const uint16_t operands[3] = {in->a, in->b, in->c};
        struct heddle_interp_instr *to = &out->instrs[out->n_instrs++];
        *to = (struct heddle_interp_instr){.code = in->code,
                                           .as = class_of(in->dtype),
                                           .dtype = in->dtype,
                                           .result = in->result,
                                           .to = class_of(in->result),
                                           .a = in->a};
        if (in->code == HEDDLE_CODE_LOAD) to->dtype = p->operand_dtype[in->a];
        if (arity > 0) to->a = to->b = to->c = reg[in->a];
        if (arity > 1) to->b = reg[in->b];
        if (arity > 2) to->c = reg[in->c];
        if (in->code == HEDDLE_CODE_CHECKED) to->c = in->c;
        if (in->code == HEDDLE_CODE_LOAD_AT) {
            to->b = in->b;
            to->dtype = p->operand_dtype[in->b];
        }
        for (int k = 0; k < arity; k++) {
            int seen = last[operands[k]] != i;
            for (int j = 0; j < k; j++) seen |= operands[j] == operands[k];
            if (!seen) unused[n_unused++] = reg[operands[k]];
        }
        reg[i] = n_unused > 0 ? unused[--n_unused] : (uint16_t)n_registers++;
        to->out = reg[i];
        if (last[i] == i && n_unused < HEDDLE_MAX_INSTRS) unused[n_unused++] = reg[i]; /* unused */
    }
    if (n_registers > out->n_registers) out->n_registers = n_registers;
}

static void find_lives(const struct heddle_program *p, const uint8_t chosen[HEDDLE_MAX_INSTRS],
                       uint16_t last[HEDDLE_MAX_INSTRS])
{
    for (int i = 0; i < p->n_instrs; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        last[i] = (uint16_t)i;
        if (!chosen[i]) continue;
        const int arity = heddle__instr_arity(in);
        if (arity > 0) last[in->a] = (uint16_t)i;
        if (arity > 1) last[in->b] = (uint16_t)i;
        if (arity > 2) last[in->c] = (uint16_t)i;
    }
}

/* The code before the reductions (of a map: all). */
static void put_before(struct heddle_interp *out, const struct heddle_program *p)
{
    uint8_t chosen[HEDDLE_MAX_INSTRS] = {0};
    uint16_t last[HEDDLE_MAX_INSTRS], reg[HEDDLE_MAX_INSTRS] = {0};
    memset(chosen, 1, p->n_before);
    find_lives(p, chosen, last);
    for (int r = 0; r < p->n_reductions; r++) last[p->reductions[r].value] = p->n_instrs;
    for (int k = 0; k < p->n_stores && p->n_reductions == 0; k++)
        last[p->stores[k].value] = p->n_instrs;
    append(out, p, chosen, last, reg);
    out->n_before = out->n_instrs;
    for (int r = 0; r < p->n_reductions; r++)
        out->reductions[r].value = reg[p->reductions[r].value];
    for (int k = 0; k < p->n_stores && p->n_reductions == 0; k++)
        out->stores[k].value = reg[p->stores[k].value];
}

/* The code after the reductions, with what it names of the code before: constants and the like. */
static void put_after(struct heddle_interp *out, const struct heddle_program *p)
{
    uint8_t chosen[HEDDLE_MAX_INSTRS] = {0};
    uint16_t last[HEDDLE_MAX_INSTRS], reg[HEDDLE_MAX_INSTRS] = {0};
    for (int k = 0; k < p->n_stores; k++) chosen[p->stores[k].value] = 1;
    for (int i = p->n_instrs - 1; i >= 0; i--) {
        const struct heddle_instr *in = &p->instrs[i];
        chosen[i] |= i >= p->n_before;
        if (!chosen[i]) continue;
        const int arity = heddle__instr_arity(in);
        if (arity > 0) chosen[in->a] = 1;
        if (arity > 1) chosen[in->b] = 1;
        if (arity > 2) chosen[in->c] = 1;
    }
    find_lives(p, chosen, last);
    for (int k = 0; k < p->n_stores; k++) last[p->stores[k].value] = p->n_instrs;
    append(out, p, chosen, last, reg);
    for (int k = 0; k < p->n_stores; k++) out->stores[k].value = reg[p->stores[k].value];
}

static void fill(struct heddle_interp *out, const struct heddle_launch *launch,
                 const struct heddle_cuda_layout *l, const struct heddle_cuda_pointers *pointers,
                 const union heddle_scalar constants[])
{
    const struct heddle_program *p = launch->program;
    memset(out, 0, sizeof *out);
    out->n_kept = l->class.n_kept;
    out->n_reduced = l->class.n_reduced;
    out->wide = l->class.wide;
    memcpy(out->extent, l->extent, sizeof out->extent);
    memcpy(out->origin, launch->geometry.origin, sizeof out->origin);
    memcpy(out->flat_stride, l->flat_stride, sizeof out->flat_stride);
    memcpy(out->axis, l->class.axis, sizeof out->axis);
    memcpy(out->stride, l->stride, sizeof out->stride);
    memcpy(out->pointer, pointers->operand, sizeof out->pointer);
    out->report = pointers->report ? (int64_t)(intptr_t)pointers->report->words : 0;
    out->tag = pointers->report ? pointers->report->tag : 0;
    out->flat_offset = l->flat_offset;
    out->kept = l->kept;
    out->n_chunks = l->n_chunks;
    out->chunk = l->chunk;
    out->group = l->group;
    out->group_chunks = l->group_chunks;
    out->n_reductions = p->n_reductions;
    out->n_stores = p->n_stores;
    for (int r = 0; r < p->n_reductions; r++) {
        out->reductions[r].op = p->reductions[r].op;
        out->reductions[r].dtype = p->reductions[r].dtype;
        out->reductions[r].as = class_of(p->reductions[r].dtype);
        out->reductions[r].is_arg = (uint8_t)heddle__is_arg(&p->reductions[r]);
        out->reductions[r].partial = pointers->partial[r];
    }
    for (int k = 0; k < p->n_stores; k++) {
        out->stores[k].operand = p->stores[k].operand;
        out->stores[k].dtype = p->operand_dtype[p->stores[k].operand];
    }
    for (int k = 0; k < p->n_constants; k++) {
        const union heddle_scalar *value = &constants[launch->constants[k]];
        switch (class_of(p->constant_dtype[k])) { /* as registers hold them */
        case HEDDLE_AS_BOOL:
        case HEDDLE_AS_I64:
            out->constants[k].word[0] =
                (uint64_t)heddle__convert(*value, (enum heddle_dtype)p->constant_dtype[k],
                                          HEDDLE_INT64)
                    .i64;
            break;
        case HEDDLE_AS_U64:
            out->constants[k].word[0] =
                heddle__convert(*value, (enum heddle_dtype)p->constant_dtype[k], HEDDLE_UINT64).u64;
            break;
        case HEDDLE_AS_F32: {
            const float x =
                heddle__convert(*value, (enum heddle_dtype)p->constant_dtype[k], HEDDLE_FLOAT32)
                    .f32;
            memcpy(out->constants[k].word, &x, sizeof x);
            break;
        }
        default:
            memcpy(out->constants[k].word, value,
                   heddle_dtype_size((enum heddle_dtype)p->constant_dtype[k]));
            break;
        }
    }
    put_before(out, p);
    if (p->n_reductions > 0) put_after(out, p);
    if (out->n_registers == 0) out->n_registers = 1;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* As many threads as have room for their registers in the shared memory of a block. */
static enum heddle_status launch_one(const struct heddle_interp *args, int form, int words,
                                     const struct heddle_cuda_device *device, cudaStream_t stream)
{
    const size_t lanes =
        form == HEDDLE_INTERP_LANES ? (size_t)args->n_reductions * HEDDLE_TREE_LANES * 16 : 0;
    const size_t per_thread = (size_t)args->n_registers * (size_t)words * 8;
    int threads = 128;
    while (threads > 32 && (size_t)threads * per_thread + lanes > 48 << 10) threads /= 2;
    const size_t bytes = (size_t)threads * per_thread + lanes + 16;
    HEDDLE_REQUIRE(bytes <= (size_t)device->shared_bytes, HEDDLE_EDEVICE,
                   "interpreter: %zu bytes of shared memory, the device has %d", bytes,
                   device->shared_bytes);
    int64_t blocks = form == HEDDLE_INTERP_LANES ? args->units
                     : form == HEDDLE_INTERP_MAP ? (args->kept + threads - 1) / threads
                                                 : (args->units + threads - 1) / threads;
    const int64_t most = (int64_t)device->processors * 64;
    if (blocks > most) blocks = most;
    const int error = words == 2
                          ? heddle__interp_complex(args, form, blocks, threads, bytes, stream)
                          : heddle__interp_real(args, form, blocks, threads, bytes, stream);
    return heddle__cuda_check((cudaError_t)error, "launch of the interpreter");
}

enum heddle_status heddle__interpret(const struct heddle_launch *launch,
                                     const struct heddle_cuda_layout *l,
                                     const struct heddle_cuda_device *device,
                                     const struct heddle_cuda_pointers *pointers,
                                     const union heddle_scalar constants[], cudaStream_t stream,
                                     int *n_kernels)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_cuda_class *c = &l->class;
    const int words = is_complex(p) ? 2 : 1;
    enum heddle_status status = HEDDLE_OK;
    struct heddle_interp args;
    HEDDLE_REQUIRE(device->can_interpret, HEDDLE_EDEVICE,
                   "interpreter: its kernels could not be set up on this device");
    fill(&args, launch, l, pointers, constants);
    if (p->n_reductions == 0) {
        (*n_kernels)++;
        return launch_one(&args, HEDDLE_INTERP_MAP, words, device, stream);
    }
    if (c->form != HEDDLE_FORM_NONE) {
        const int by_thread = c->form == HEDDLE_FORM_THREAD || c->form == HEDDLE_FORM_STAGED;
        args.by_kept = by_thread;
        args.has_results = c->whole;
        args.units = c->whole ? l->kept : l->kept * l->n_chunks;
        if (c->whole) args.n_chunks = 1;
        HEDDLE_TRY(launch_one(&args, by_thread ? HEDDLE_INTERP_THREAD : HEDDLE_INTERP_LANES, words,
                              device, stream));
        (*n_kernels)++;
    }
    if (c->finish != HEDDLE_FORM_NONE) {
        args.is_finish = args.has_results = 1;
        args.units = l->kept;
        args.n_chunks = l->n_chunks;
        HEDDLE_TRY(launch_one(
            &args, c->finish == HEDDLE_FORM_THREAD ? HEDDLE_INTERP_THREAD : HEDDLE_INTERP_LANES,
            words, device, stream));
        (*n_kernels)++;
    }
fail:
    return status;
}

enum heddle_status heddle__interpret_open(const struct heddle_cuda_device *device)
{
    enum heddle_status status = heddle__cuda_check(
        (cudaError_t)heddle__interp_real_open(device->shared_bytes), "set-up of the interpreter");
    if (status != HEDDLE_OK) return status;
    return heddle__cuda_check((cudaError_t)heddle__interp_complex_open(device->shared_bytes),
                              "set-up of the interpreter");
}
