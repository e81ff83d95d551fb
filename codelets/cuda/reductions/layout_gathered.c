/* Reductions of which a thread has several kept elements, neighbours along the last kept axis. Over elements at indices
 * (HEDDLE_CODE_LOAD_AT) they take these from the same rows, side by side, as in `sum(w[i], axis=1)`: an index is loaded and checked once
 * for all of them. Of columns of small elements a thread loads several at once. Which instructions that concerns, and whether a class has it. Entry points: gathered.h. */
#include "cuda/reductions/gathered.h"

#include "cuda/reductions/reductions.h"

static bool is_alike(const struct heddle_cuda_class *c, const struct heddle_instr *in,
                     const uint8_t kind[])
{
    const uint16_t operand[3] = {in->a, in->b, in->c};
    if (in->code == HEDDLE_CODE_LOAD) return c->alike[in->a];
    if (in->code == HEDDLE_CODE_INDEX) return c->axis[in->a] != c->n_kept - 1;
    for (int k = 0; k < heddle__instr_arity(in); k++)
        if (kind[operand[k]] != HEDDLE_GATHERED_ALIKE) return false;
    return true;
}

void heddle__gathered_kinds(const struct heddle_program *p, const struct heddle_cuda_class *c,
                            uint8_t kind[HEDDLE_MAX_INSTRS])
{
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        kind[i] = HEDDLE_GATHERED_APART;
        if (is_alike(c, in, kind))
            kind[i] = HEDDLE_GATHERED_ALIKE;
        else if (in->code == HEDDLE_CODE_INDEX)
            kind[i] = HEDDLE_GATHERED_ALONG;
        else if (in->code == HEDDLE_OP_ADD && in->dtype == HEDDLE_INT64 &&
                 kind[in->a] + kind[in->b] == HEDDLE_GATHERED_ALIKE + HEDDLE_GATHERED_ALONG)
            kind[i] = HEDDLE_GATHERED_ALONG;
        else if (in->code == HEDDLE_CODE_LOAD_AT && kind[in->a] == HEDDLE_GATHERED_ALONG)
            kind[i] = HEDDLE_GATHERED_RUN;
    }
}

/* Bytes of the widest element of the runs; 0: there is none, or something is elsewhere for each neighbour, and would be looked for by
 * a fourth of the threads. */
static int widest_of_runs(const struct heddle_program *p, const struct heddle_cuda_class *c)
{
    uint8_t kind[HEDDLE_MAX_INSTRS];
    int widest = 0;
    heddle__gathered_kinds(p, c, kind);
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        const int size = (int)heddle_dtype_size((enum heddle_dtype)in->result);
        if (kind[i] == HEDDLE_GATHERED_RUN && size > widest) widest = size;
        if (kind[i] == HEDDLE_GATHERED_APART &&
            (in->code == HEDDLE_CODE_CHECKED || in->code == HEDDLE_CODE_LOAD_AT))
            return 0;
    }
    return widest;
}

/* Bytes of the widest element of columns that are reduced without indices; 0: a thread has one column, as its loads are wide enough,
 * several reductions, places of extremes, or arithmetic take its registers, or rows may come through shared memory. Adds the bytes of an element to *bytes. */
static int widest_of_columns(const struct heddle_launch *launch, const struct heddle_cuda_layout *l,
                             int *bytes)
{
    enum { SMALL = 2, LIGHT = 40, FEW = 2, STAGED = 64 };
    const struct heddle_program *p = launch->program;
    const int last = l->class.n_kept - 1;
    int widest = 0;
    for (int k = 0; k < p->n_operands; k++) {
        const int size = (int)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        if (!l->used_before[k] || l->stride[k][last] == 0) continue;
        *bytes += size;
        if (size > widest) widest = size;
    }
    if (l->extent[last] < STAGED || widest > SMALL || p->n_reductions > FEW || heddle__has_arg(p) ||
        heddle__cuda_weight(p, 0, p->n_before) > LIGHT)
        return 0;
    return widest;
}

/* Whether the elements of operand k, of `length` neighbours, lie together where they can be loaded, or stored, at once. */
static bool is_together(const struct heddle_launch *launch, void *const buffers[],
                        const struct heddle_cuda_layout *l, int k, int length)
{
    const int last = l->class.n_kept - 1;
    return l->stride[k][last] == 1 && heddle__cuda_is_run(launch, buffers, l, k, last, length);
}

static bool are_together(const struct heddle_launch *launch, void *const buffers[],
                         const struct heddle_cuda_layout *l, int length)
{
    const struct heddle_program *p = launch->program;
    const int last = l->class.n_kept - 1;
    for (int k = 0; k < p->n_stores && l->class.whole; k++)
        if (!is_together(launch, buffers, l, p->stores[k].operand, length)) return false;
    for (int k = 0; k < p->n_operands; k++)
        if (l->used_before[k] && l->stride[k][last] != 0 &&
            !is_together(launch, buffers, l, k, length))
            return false;
    return true;
}

void heddle__gathered_choose(const struct heddle_launch *launch, void *const buffers[],
                             struct heddle_cuda_layout *l)
{
    enum {
        MOST_TOGETHER = 4,
        PIECE = 16, /* bytes that a thread loads at once */
        LEAST_THREADS =
            1 << 13,      /* each of which waits for rows, fewer times than one with one element */
        MOST_BYTES = 256, /* of a thread's registers: values of all slots */
        MOST_WEIGHT = 1500, /* of what is in the text several times */
    };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int last = c->n_kept - 1;
    int bytes = 0;
    if (c->form != HEDDLE_FORM_THREAD || last < 0) return;
    for (int k = 0; k < p->n_operands; k++)
        c->alike[k] = l->used_before[k] && l->stride[k][last] == 0;
    const int widest = p->n_checked ? widest_of_runs(p, c) : widest_of_columns(launch, l, &bytes);
    int length = widest == 0 ? 1 : PIECE / widest > MOST_TOGETHER ? MOST_TOGETHER : PIECE / widest;
    while (length > 1 &&
           (l->extent[last] % length != 0 || !are_together(launch, buffers, l, length)))
        length /= 2;
    if (length <= 1 || l->kept * l->n_chunks / length < LEAST_THREADS) {
        for (int k = 0; k < p->n_operands; k++) c->alike[k] = 0;
        return;
    }
    for (int r = 0; r < p->n_reductions; r++) bytes += (int)heddle__partial_size(&p->reductions[r]);
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD_AT)
            bytes += (int)heddle_dtype_size((enum heddle_dtype)p->instrs[i].result);
    c->together = (uint8_t)length;
    const double w = heddle__cuda_weight(p, 0, p->n_before);
    while (c->unroll > 1 &&
           (c->unroll * length * bytes > MOST_BYTES || c->unroll * length * w > MOST_WEIGHT))
        c->unroll /= 2;
    for (int k = 0; k < p->n_operands; k++)
        if (l->used_before[k] && !c->alike[k] && c->walk[k] != HEDDLE_WALK_STILL)
            c->walk[k] = HEDDLE_WALK_ACROSS;
}
