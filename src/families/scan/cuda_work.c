/* Scans with elementwise work of their own on the GPU: the kernels of cuda_lanes.cuh and cuda_columns.cuh around generated
 * functions, which make an element and do with a result what the work is. Entry points: cuda_work.h.
 *
 * Names in the text: o, j and i, the indices of an element; p<k> and c<k>, operands and constants; made, a result. */
#include "families/scan/cuda_work.h"

#include "base/memory.h"
#include "cuda/device.h"
#include "cuda/jit.h"
#include "cuda/program.h"
#include "cuda/source.h"
#include "rows.h"

#include <string.h>

extern const char heddle__scan_text[];

enum { SLOTS_OF_OPERAND = 4 }; /* its address, then its strides */

static const struct heddle_launch *work_of(const struct heddle_scan *s, int side)
{
    return side == 0 ? s->before : s->after;
}

static int n_slots(const struct heddle_program *p)
{
    int n = SLOTS_OF_OPERAND * p->n_operands;
    for (int k = 0; k < p->n_constants; k++) n += heddle__cuda_slots_of_constant(p, k);
    return n;
}

/* ---- The class ------------------------------------------------------------------------------------------ */

void heddle__scan_class(const struct heddle_scan *s, enum heddle_scan_phase phase,
                        const struct heddle_scan_shape *shape, struct heddle_scan_class *c)
{
    struct heddle_scan_walk walk[HEDDLE_MAX_OPERANDS];
    memset(c, 0, sizeof *c);
    c->dtype = s->dtype;
    c->operation = s->operation;
    c->phase = (uint8_t)phase;
    c->form = (uint8_t)shape->form;
    c->width = (uint8_t)shape->width;
    for (int side = 0; side < 2; side++) {
        const struct heddle_launch *work = work_of(s, side);
        if (!work || (side == 1 && phase == HEDDLE_SCAN_TOTALS)) continue;
        c->program[side] = work->program->hash;
        (void)heddle__scan_walks(s, work, walk);
        for (int k = 0; k < work->program->n_operands; k++) {
            unsigned kind = work->buffer[k] == s->out ? HEDDLE_SCAN_IS_OWN : 0;
            for (int e = 0; e < 3; e++) {
                if (walk[k].stride[e] == 0) kind |= HEDDLE_SCAN_IS_STILL << e;
                if (walk[k].stride[e] == 1) kind |= HEDDLE_SCAN_IS_UNIT << e;
            }
            c->kind[side][k] = (uint8_t)kind;
        }
    }
}

/* ---- The source ----------------------------------------------------------------------------------------- */

/* One side's work, as the emitter of instructions sees it. */
struct work_source {
    struct heddle_source source; /* first: the emitter's callbacks get it */
    const uint8_t *kind;
    int first_slot;
};

static void put_place(const struct work_source *w, int k)
{
    static const char *const index[3] = {"o", "j", "i"};
    struct heddle_text *t = w->source.text;
    bool any = false;
    heddle__text_put(t, "p%d[", k);
    for (int e = 0; e < 3; e++) {
        if (w->kind[k] & HEDDLE_SCAN_IS_STILL << e) continue;
        heddle__text_put(t, any ? " + %s" : "%s", index[e]);
        if (!(w->kind[k] & HEDDLE_SCAN_IS_UNIT << e))
            heddle__text_put(t, " * args.v[%d]", w->first_slot + SLOTS_OF_OPERAND * k + 1 + e);
        any = true;
    }
    heddle__text_put(t, any ? "]" : "0]");
}

static void load(const struct heddle_source *s, int operand)
{
    const struct work_source *w = (const struct work_source *)s;
    if (w->kind[operand] & HEDDLE_SCAN_IS_OWN)
        heddle__text_put(s->text, "(%s)made", heddle__source_type(s->p->operand_dtype[operand]));
    else
        put_place(w, operand);
}

static const struct heddle_source_names names = {.load = load};

static void put_operands_and_values(const struct work_source *w)
{
    const struct heddle_program *p = w->source.p;
    int slot = w->first_slot + SLOTS_OF_OPERAND * p->n_operands;
    for (int k = 0; k < p->n_operands; k++) {
        const char *type = heddle__source_type(p->operand_dtype[k]);
        heddle__text_put(w->source.text, "%s *const p%d = (%s *)args.v[%d];\n", type, k, type,
                         w->first_slot + SLOTS_OF_OPERAND * k);
    }
    for (int k = 0; k < p->n_constants; k++) {
        heddle__source_constant(&w->source, k, slot);
        slot += heddle__cuda_slots_of_constant(p, k);
    }
    for (int i = 0; i < p->n_instrs; i++) heddle__source_instr(&w->source, i, &names);
}

/* The function `load`, or `store`. */
static void put_work(const struct work_source *w, int side)
{
    const struct heddle_program *p = w->source.p;
    struct heddle_text *t = w->source.text;
    heddle__text_put(t, side == 0
                            ? "const auto load = [&](int64_t o, int64_t j, int64_t i) -> T {\n"
                            : "const auto store = [&](int64_t o, int64_t j, int64_t i, T made) "
                              "{\n");
    put_operands_and_values(w);
    if (side == 0) heddle__text_put(t, "return (T)v%d;\n", p->stores[0].value);
    for (int k = 0; side == 1 && k < p->n_stores; k++) {
        put_place(w, p->stores[k].operand);
        heddle__text_put(t, " = v%d;\n", p->stores[k].value);
    }
    heddle__text_put(t, "};\n");
}

/* What the kernel calls: the work of a block of 256 threads. */
static void put_call(struct heddle_text *t, const struct heddle_scan_class *c)
{
    static const char *const functions[] = {
        [HEDDLE_SCAN_CHUNKS] = "scan_one_chunk<Op, %d>(call, work);\n",
        [HEDDLE_SCAN_WARP_ROWS] = "scan_one_row<Op>(call, work);\n",
        [HEDDLE_SCAN_SHORT_ROWS] = "scan_one_short_row<Op>(call, %d, work);\n",
        [HEDDLE_SCAN_COLUMNS] = "scan_one_column<Op>(call, work);\n",
        [HEDDLE_SCAN_COLUMN_CHUNKS] = "scan_one_column_chunk<Op, %d>(call, work);\n",
    };
    heddle__text_put(t, functions[c->form],
                     c->form == HEDDLE_SCAN_SHORT_ROWS ? c->width : c->phase);
}

/* The name of the elements' type: sums and products of integers wrap, which is defined for unsigned ones. */
static const char *type_of(const struct heddle_scan_class *c)
{
    const bool wraps = c->operation <= HEDDLE_SCAN_MULTIPLY;
    return heddle__source_type(wraps && c->dtype == HEDDLE_INT32   ? HEDDLE_UINT32
                               : wraps && c->dtype == HEDDLE_INT64 ? HEDDLE_UINT64
                                                                   : c->dtype);
}

char *heddle__scan_source(const struct heddle_scan *s, const struct heddle_scan_class *c)
{
    struct heddle_text text = {0};
    int slots = 1;
    for (int side = 0; side < 2; side++)
        if (c->program[side]) slots += n_slots(work_of(s, side)->program);
    heddle__text_put(&text, "#include \"heddle.cuh\"\n"
                            "#ifdef __CUDACC_RTC__\ntypedef long long int64_t;\n"
                            "typedef int int32_t;\n#endif\n");
    heddle__text_put(&text, "%s", heddle__scan_text);
    heddle__text_put(&text,
                     "typedef %s T;\ntypedef scan_%s<T> Op;\nstruct hd_args {\n"
                     "heddle_scan_kernel call;\nhd_int64 v[%d];\n};\n" HEDDLE_KERNEL_HEAD
                     "const heddle_scan_kernel &call = args.call;\n",
                     type_of(c), heddle__scan_names[c->operation], slots);
    struct heddle_cuda_class none = {0};
    int first_slot = 0;
    for (int side = 0; side < 2; side++) {
        if (!c->program[side]) {
            heddle__text_put(&text, "scan_no_work %s;\n", side == 0 ? "load" : "store");
            continue;
        }
        const struct heddle_program *p = work_of(s, side)->program;
        const struct work_source w = {
            {.text = &text, .p = p, .c = &none}, c->kind[side], first_slot};
        put_work(&w, side);
        first_slot += n_slots(p);
    }
    heddle__text_put(&text,
                     "const scan_work<decltype(load), decltype(store)> work = {load, store};\n");
    put_call(&text, c);
    heddle__text_put(&text, "}\n");
    return heddle__text_take(&text);
}

/* ---- Kernels -------------------------------------------------------------------------------------------- */

struct source_of {
    const struct heddle_scan *scan;
    const struct heddle_scan_class *class;
};

static char *make_source(const void *of)
{
    const struct source_of *s = of;
    return heddle__scan_source(s->scan, s->class);
}

bool heddle__scan_find(const struct heddle_scan *s, enum heddle_scan_phase phase,
                       const struct heddle_scan_shape *shape, int arch, cudaKernel_t *kernel)
{
    struct heddle_scan_class c;
    struct heddle_jit_kernels kernels;
    heddle__scan_class(s, phase, shape, &c);
    const struct source_of of = {s, &c};
    if (!heddle__jit_find_text(&c, sizeof c, (struct heddle_jit_has){.main = true}, arch,
                               make_source, &of, &kernels))
        return false;
    *kernel = kernels.main;
    return true;
}

static int64_t *pack(int64_t *at, const struct heddle_scan *s, const struct heddle_launch *work,
                     const struct heddle_kernel_context *k)
{
    struct heddle_scan_walk walk[HEDDLE_MAX_OPERANDS];
    (void)heddle__scan_walks(s, work, walk);
    for (int o = 0; o < work->program->n_operands; o++) {
        const size_t size = heddle_dtype_size((enum heddle_dtype)work->program->operand_dtype[o]);
        *at++ = (int64_t)(intptr_t)((char *)k->buffers[work->buffer[o]] +
                                    walk[o].offset * (int64_t)size);
        for (int e = 0; e < 3; e++) *at++ = walk[o].stride[e];
    }
    return heddle__cuda_pack_constants(at, work, k->constants);
}

enum heddle_status heddle__scan_launch(const struct heddle_scan *s,
                                       const struct heddle_scan_kernel *p,
                                       const struct heddle_scan_shape *shape, cudaKernel_t kernel,
                                       const struct heddle_kernel_context *k)
{
    struct {
        struct heddle_scan_kernel call;
        int64_t v[2 * HEDDLE_SCAN_WORK_SLOTS + 1];
    } slots = {.call = *p};
    int64_t *at = slots.v;
    void *arguments[] = {&slots};
    enum heddle_status status;
    if (shape->blocks == 0) return HEDDLE_OK;
    HEDDLE_REQUIRE(shape->blocks <= INT32_MAX, HEDDLE_EDEVICE, "scan: too many blocks");
    if (s->before) at = pack(at, s, s->before, k);
    if (s->after && p->phase != HEDDLE_SCAN_TOTALS) (void)pack(at, s, s->after, k);
    HEDDLE_TRY(heddle__cuda_check(cudaLaunchKernel((const void *)kernel,
                                                   (dim3){(unsigned)shape->blocks, 1, 1},
                                                   (dim3){(unsigned)shape->threads, 1, 1},
                                                   arguments, shape->shared_bytes, k->stream),
                                  "launch of a scan with work"));
    heddle__cuda_count(1, 0);
fail:
    return status;
}
