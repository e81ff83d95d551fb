/* Stores that together fill records, each one field: `stack((a, b, c), axis=-1)`. A block's fields are interleaved in registers and
 * written in one pass. Entry points: heddle__weave_find, heddle__weave. */
#include "cpu/interpreter.h"
#include "cpu/runs.h"

/* Elements of a record that operand `o` is one field of; 0: of none. */
static int64_t record_of(const struct heddle__code *code, int o)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t k = walk->stride[o][walk->ndim - 1];
    return k >= 2 && k <= HEDDLE_WOVEN &&
                   code->blocks->moves.weave[heddle__log2_size(code->size[o])]
               ? k
               : 0;
}

static bool are_alike(const struct heddle__code *code, int o, int other)
{
    const uint32_t *const buffer = code->launch->buffer;
    bool alike = buffer[o] == buffer[other] && code->size[o] == code->size[other];
    for (int d = 0; d < code->walk->ndim; d++)
        alike = alike && code->walk->stride[o][d] == code->walk->stride[other][d];
    return alike;
}

/* The copy of field `field` of the record that begins with copy `first`; -1: there is none. */
static int copy_of(const struct heddle__code *code, int first, int64_t field)
{
    const struct heddle_access *const access = code->launch->access;
    const int o = code->copies[first].operand;
    for (int c = 0; c < code->n_copies; c++) {
        const int other = code->copies[c].operand;
        if (((code->copy_scalars | code->copy_streams) >> c & 1) == 0 &&
            are_alike(code, o, other) && access[other].offset == access[o].offset + field)
            return c;
    }
    return -1;
}

void heddle__weave_find(struct heddle__code *code)
{
    code->n_woven = 0;
    if (code->walk->padded) return;
    for (int first = 0; first < code->n_copies && code->n_woven == 0; first++) {
        const int64_t k = record_of(code, code->copies[first].operand);
        int64_t field = 0;
        for (int c; field < k && (c = copy_of(code, first, field)) >= 0; field++)
            code->woven[field] = (uint8_t)c;
        if (k > 0 && field == k) code->n_woven = (uint8_t)k;
    }
}

uint64_t heddle__weave(const struct heddle__lane *lane, const struct heddle__code *code,
                       int64_t offset, int64_t rows)
{
    const int n = code->n_woven, o = code->copies[code->woven[0]].operand;
    const void *fields[HEDDLE_WOVEN];
    uint64_t done = 0;
    struct heddle__runs runs;
    heddle__runs_find(&runs, code->walk, code->walk->stride[o], rows);
    if (runs.n_runs != 1 || runs.stride != n) return 0;
    for (int f = 0; f < n; f++) { /* operands may have moved since the code was made */
        const struct heddle__link *copy = &code->copies[code->woven[f]];
        if (lane->base[copy->operand] != lane->base[o] + f * (int64_t)code->size[o]) return 0;
        fields[f] = lane->ptr[copy->ptr];
        done |= UINT64_C(1) << code->woven[f];
    }
    code->blocks->moves.weave[heddle__log2_size(code->size[o])](
        (size_t)runs.n, n, lane->base[o] + offset * (int64_t)code->size[o], fields);
    return done;
}
