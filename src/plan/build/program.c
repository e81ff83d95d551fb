/* The program builder. Entry points: program.h. */
#include "plan/build/program.h"

#include <string.h>

void heddle__build_start(struct heddle_builder *b)
{
    memset(b, 0, sizeof *b);
}

static uint16_t push(struct heddle_builder *b, int code, enum heddle_dtype dtype,
                     enum heddle_dtype result, uint16_t x, uint16_t y, uint16_t z)
{
    const uint16_t at = b->program.n_instrs++;
    b->program.instrs[at] = (struct heddle_instr){.code = (uint8_t)code,
                                                  .dtype = (uint8_t)dtype,
                                                  .result = (uint8_t)result,
                                                  .a = x,
                                                  .b = y,
                                                  .c = z};
    return at;
}

/* The first instruction that can be used here: code after the reductions runs over other axes, so what was
 * loaded before is of no use there. */
static uint16_t first_usable(const struct heddle_builder *b)
{
    return b->program.n_reductions == 0 ? 0 : b->program.n_before;
}

static bool usable(const struct heddle_builder *b, uint16_t instr)
{
    return instr >= first_usable(b);
}

uint16_t heddle__build_load(struct heddle_builder *b, int32_t array, enum heddle_dtype dtype,
                            const struct heddle_map *map)
{
    for (uint16_t k = 0; k < b->program.n_operands; k++)
        if (!b->operands[k].store && !b->operands[k].at_indices && b->operands[k].array == array &&
            usable(b, b->load[k]) && heddle__map_equal(&b->operands[k].map, map))
            return b->load[k];
    const uint16_t k = b->program.n_operands++;
    b->operands[k] =
        (struct heddle_operand){.array = array, .map = *map, .after = b->program.n_reductions > 0};
    b->program.operand_dtype[k] = (uint8_t)dtype;
    return b->load[k] = push(b, HEDDLE_CODE_LOAD, dtype, dtype, k, 0, 0);
}

uint16_t heddle__build_constant(struct heddle_builder *b, uint32_t constant,
                                enum heddle_dtype dtype)
{
    for (uint16_t k = 0; k < b->program.n_constants; k++)
        if (b->constants[k] == constant && usable(b, b->constant_instr[k]))
            return b->constant_instr[k];
    const uint16_t k = b->program.n_constants++;
    b->constants[k] = constant;
    b->program.constant_dtype[k] = (uint8_t)dtype;
    return b->constant_instr[k] = push(b, HEDDLE_CODE_CONSTANT, dtype, dtype, k, 0, 0);
}

uint16_t heddle__build_index(struct heddle_builder *b, int axis)
{
    for (uint16_t i = first_usable(b); i < b->program.n_instrs; i++)
        if (b->program.instrs[i].code == HEDDLE_CODE_INDEX && b->program.instrs[i].a == axis)
            return i;
    b->program.index_axes |= (uint16_t)(1u << axis);
    return push(b, HEDDLE_CODE_INDEX, HEDDLE_INT64, HEDDLE_INT64, (uint16_t)axis, 0, 0);
}

uint16_t heddle__build_op(struct heddle_builder *b, int code, enum heddle_dtype dtype,
                          enum heddle_dtype result, uint16_t x, uint16_t y, uint16_t z)
{
    for (uint16_t i = first_usable(b); i < b->program.n_instrs; i++) {
        const struct heddle_instr *in = &b->program.instrs[i];
        if (in->code == code && in->dtype == dtype && in->result == result && in->a == x &&
            in->b == y && in->c == z)
            return i;
    }
    return push(b, code, dtype, result, x, y, z);
}

uint16_t heddle__build_checked(struct heddle_builder *b, uint16_t index, uint16_t extent,
                               enum heddle_dtype dtype, int function, bool near)
{
    const uint16_t n = b->program.n_instrs;
    const uint16_t i = heddle__build_op(b, HEDDLE_CODE_CHECKED, dtype, HEDDLE_INT64, index, extent,
                                        (uint16_t)function);
    b->program.n_checked = (uint16_t)(b->program.n_checked + (i == n));
    b->program.instrs[i].near = near;
    return i;
}

uint16_t heddle__build_load_at(struct heddle_builder *b, int32_t array, enum heddle_dtype dtype,
                               const struct heddle_map *first, uint16_t place, bool near)
{
    uint16_t k = 0;
    while (k < b->program.n_operands &&
           !(b->operands[k].at_indices && b->operands[k].array == array &&
             heddle__map_equal(&b->operands[k].map, first)))
        k++;
    if (k == b->program.n_operands) {
        b->program.n_operands++;
        b->operands[k] = (struct heddle_operand){.array = array, .map = *first, .at_indices = true};
        b->program.operand_dtype[k] = (uint8_t)dtype;
    }
    const uint16_t i = heddle__build_op(b, HEDDLE_CODE_LOAD_AT, HEDDLE_INT64, dtype, place, k, 0);
    b->program.instrs[i].near = near;
    return i;
}

void heddle__build_store(struct heddle_builder *b, uint16_t value, int32_t array,
                         enum heddle_dtype dtype, const struct heddle_map *map)
{
    const uint16_t k = b->program.n_operands++;
    b->operands[k] = (struct heddle_operand){.array = array, .store = true, .map = *map};
    b->program.operand_dtype[k] = (uint8_t)dtype;
    b->program.stores[b->program.n_stores++] = (struct heddle_store){value, k};
}

void heddle__build_reductions_start(struct heddle_builder *b, bool sequential, uint16_t reduced)
{
    b->reduced = reduced;
    b->program.n_before = b->program.n_instrs;
    b->program.sequential = sequential;
}

uint16_t heddle__build_reduction(struct heddle_builder *b, int op, enum heddle_dtype dtype,
                                 enum heddle_dtype result, uint16_t value)
{
    const uint16_t r = b->program.n_reductions++;
    b->program.reductions[r] = (struct heddle_reduce_instr){
        .op = (uint8_t)op, .dtype = (uint8_t)dtype, .result = (uint8_t)result, .value = value};
    return r;
}

const struct heddle_program *heddle__build_finish(struct heddle_builder *b)
{
    if (b->program.n_reductions == 0) b->program.n_before = b->program.n_instrs;
    return heddle__program_intern(&b->program);
}
