/* Maps whose elements depend on one array of bytes alone: what each of 256 bytes gives is computed once, by the program
 * itself, and elements look it up. It must not compute anything in another way. Entry points: heddle__table_operand,
 * _program, _fill. */
#include "cpu/interpreter.h"

static size_t store_bytes(const struct heddle_program *p, int s)
{
    return heddle_dtype_size((enum heddle_dtype)p->operand_dtype[p->stores[s].operand]);
}

/* Scalars are the same for all bytes. */
static bool is_moving(const struct heddle__code *code, int operand)
{
    return heddle__walk_moves(code->walk, operand, 0, code->walk->ndim);
}

/* Whether the index that instruction i checks is a byte's number, and each of these is in range: none is bad, whichever bytes there are. */
static bool is_in_range(const struct heddle_launch *launch, const union heddle_scalar constants[],
                        const struct heddle_instr *checked)
{
    const struct heddle_instr *instrs = launch->program->instrs, *in = &instrs[checked->a],
                              *extent = &instrs[checked->b];
    while (in->code == HEDDLE_CODE_CAST &&
           (in->result == HEDDLE_INT32 || in->result == HEDDLE_INT64))
        in = &instrs[in->a];
    return in->code == HEDDLE_CODE_LOAD && heddle_dtype_size((enum heddle_dtype)in->result) == 1 &&
           extent->code == HEDDLE_CODE_CONSTANT &&
           constants[launch->constants[extent->a]].i64 >= TABLE_ENTRIES;
}

int heddle__table_operand(const struct heddle__code *code, const union heddle_scalar constants[])
{
    enum {
        LEAST_ADDITIONS = 10,      /* a look-up costs about 6 */
        ADDITIONS_OF_ELEMENT = 10, /* that is loaded by its index */
        LEAST_ELEMENTS = 1 << 14
    };
    const struct heddle_launch *launch = code->launch;
    const struct heddle_program *p = launch->program;
    size_t size_bytes = 0;
    for (int s = 0; s < p->n_stores; s++) size_bytes += TABLE_ENTRIES * store_bytes(p, s);
    if (p->index_axes || size_bytes > TABLES_BYTES ||
        heddle__kept_size(&launch->geometry) < LEAST_ELEMENTS)
        return -1;
    int bytes = -1;
    double additions = 0;
    for (int i = 0; i < p->n_instrs; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code < HEDDLE_N_OPS) additions += (double)heddle__ops[in->code].flops;
        if (in->code == HEDDLE_CODE_CAST) additions += 1;
        if (in->code == HEDDLE_CODE_LOAD_AT) additions += ADDITIONS_OF_ELEMENT;
        if (in->code == HEDDLE_CODE_CHECKED && !is_in_range(launch, constants, in)) return -1;
        if (in->code != HEDDLE_CODE_LOAD || !is_moving(code, in->a)) continue;
        if (bytes >= 0 || heddle_dtype_size((enum heddle_dtype)in->dtype) != 1) return -1;
        bytes = in->a;
    }
    return additions < LEAST_ADDITIONS * p->n_stores ? -1 : bytes;
}

void heddle__table_program(struct heddle_program *lookup, const struct heddle_program *p, int bytes)
{
    *lookup = *p;
    lookup->hash = 0; /* it is not p */
    lookup->n_checked = 0;
    const uint8_t dtype = p->operand_dtype[bytes];
    lookup->n_instrs = 0;
    lookup->instrs[lookup->n_instrs++] = (struct heddle_instr){
        .code = HEDDLE_CODE_LOAD, .dtype = dtype, .result = dtype, .a = (uint16_t)bytes};
    for (int s = 0; s < p->n_stores; s++) {
        const uint8_t result = p->operand_dtype[p->stores[s].operand];
        const uint16_t table = lookup->n_instrs++, value = lookup->n_instrs++;
        lookup->instrs[table] = (struct heddle_instr){
            .code = HEDDLE_CODE_REDUCED, .dtype = result, .result = result, .a = (uint16_t)s};
        lookup->instrs[value] = (struct heddle_instr){
            .code = CODE_LOOKUP, .dtype = dtype, .result = result, .a = 0, .b = table};
        lookup->stores[s].value = value;
    }
    lookup->n_before = lookup->n_instrs;
}

enum heddle_status heddle__table_fill(void *tables[], char *room,
                                      const struct heddle_launch *launch, int bytes,
                                      void *const buffers[], const union heddle_scalar constants[])
{
    const struct heddle_program *p = launch->program;
    struct heddle_access access[HEDDLE_MAX_OPERANDS] = {0};
    uint32_t buffer[HEDDLE_MAX_OPERANDS];
    void *at[HEDDLE_MAX_OPERANDS];
    uint8_t all[TABLE_ENTRIES];
    for (int i = 0; i < TABLE_ENTRIES; i++)
        all[i] = (uint8_t)(p->operand_dtype[bytes] == HEDDLE_BOOL ? i != 0 : i);
    for (int o = 0; o < p->n_operands; o++) {
        buffer[o] = (uint32_t)o;
        at[o] = buffers[launch->buffer[o]];
        access[o].offset = launch->access[o].offset;
    }
    at[bytes] = all;
    access[bytes] = (struct heddle_access){.stride = {1}};
    for (int s = 0; s < p->n_stores; s++) {
        const int o = p->stores[s].operand;
        at[o] = tables[s] = room;
        access[o] = (struct heddle_access){.stride = {1}};
        room += TABLE_ENTRIES * store_bytes(p, s);
    }
    struct heddle_launch fill = {
        .program = p, .access = access, .buffer = buffer, .constants = launch->constants};
    fill.geometry = (struct heddle_geometry){
        .ndim = 1, .n_kept = 1, .extent = {TABLE_ENTRIES}, .whole = {TABLE_ENTRIES}};
    return heddle__cpu_program(&fill, at, constants, NULL);
}
