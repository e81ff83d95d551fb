/* Operations on float16 and bfloat16. Programs convert what they read to float32, compute, and convert what each operation makes back, as it is
 * rounded: here three or four steps over a block become one. Entry point: heddle__decode_in_halves. */
#include "cpu/decode/decode.h"

#include <string.h>

static bool is_half(int dtype)
{
    return dtype == HEDDLE_FLOAT16 || dtype == HEDDLE_BFLOAT16;
}

/* What value i, float32, is of the half dtype, or (*one) the number for all elements that it is; -1: neither. */
static int half_of(const struct decoder *d, int i, int dtype, bool *one)
{
    const struct heddle_instr *in = &d->instrs[i];
    *one = d->value[i].level != ELEMENT;
    if (*one) return in->result == HEDDLE_FLOAT32 ? i : -1;
    return in->code == HEDDLE_CODE_CAST && in->dtype == dtype && in->result == HEDDLE_FLOAT32
               ? in->a
               : -1;
}

/* The operation on halves that value i, which is rounded to its dtype, is by itself. False: there is none. */
static bool find_operation(const struct decoder *d, int i, struct heddle_instr *own)
{
    const struct heddle_instr *cast = &d->instrs[i];
    if (d->value[i].last == DEAD || d->value[i].level != ELEMENT ||
        cast->code != HEDDLE_CODE_CAST || cast->dtype != HEDDLE_FLOAT32 || !is_half(cast->result))
        return false;
    const struct heddle_instr *in = &d->instrs[cast->a];
    if (in->code >= HEDDLE_N_OPS || in->dtype != HEDDLE_FLOAT32 ||
        d->value[cast->a].level != ELEMENT || d->value[cast->a].uses != 1)
        return false;
    const struct heddle__block_op *op = &d->code->blocks->types[cast->result].ops[in->code];
    const int arity = heddle__instr_arity(in);
    bool one[2] = {false, false};
    if (!op->vector || arity > 2) return false;
    const int x = half_of(d, in->a, cast->result, &one[0]),
              y = arity > 1 ? half_of(d, in->b, cast->result, &one[1]) : 0;
    if (x < 0 || y < 0 || (one[0] && !op->x_scalar) || (one[1] && !op->y_scalar)) return false;
    *own = *in;
    own->dtype = own->result = cast->result;
    own->a = (uint16_t)x;
    own->b = (uint16_t)y;
    return true;
}

bool heddle__decode_in_halves(struct decoder *d, int end)
{
    const size_t size = (size_t)end * sizeof *d->own;
    int n_found = 0, n_others = 0;
    for (int i = 0; i < end; i++) {
        const struct heddle_instr *in = &d->instrs[i];
        if (d->value[i].last == DEAD || d->value[i].level != ELEMENT) continue;
        if (in->code < HEDDLE_N_OPS) n_others++;
        struct heddle_instr own;
        if (!find_operation(d, i, &own)) continue;
        if (n_found++ == 0) memcpy(d->own, d->instrs, size);
        d->own[i] = own;
    }
    /* Loops that are compiled hold what lies between others in registers. */
    if (n_found == 0 || n_found < n_others - n_found) return false;
    d->instrs = d->own;
    return true;
}
