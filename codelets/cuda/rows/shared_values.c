/* Numbers the values of a chain so that equal ones have equal numbers (J. Cocke and J. Schwartz, Programming Languages and
 * Their Compilers, 1970). Compilers do not see it themselves: functions with branches are between. Entry points:
 * shared_values.h. */
#include "cuda/rows/shared_values.h"

#include <base/hash.h>
#include <string.h>

enum {
    WORTH_HOLDING = 4, /* flops of a value, with what it is computed of */
    HELD_BYTES = 256,  /* of a thread, with held elements */
    MOST_INSTRS = HEDDLE_ROWS_STAGES * 64
};

/* What an instruction does, with numbers in place of operands. */
struct value {
    uint32_t code, dtypes, a, b, c;
};

struct numbering {
    int n;
    struct value value[MOST_INSTRS];
    uint8_t first[MOST_INSTRS]; /* the stage that has it first */
    uint16_t flops[MOST_INSTRS];
    bool by_element[MOST_INSTRS];
    int16_t number[HEDDLE_ROWS_STAGES][HEDDLE_MAX_INSTRS]; /* -1: not numbered */
};

/* Whether what is before the reductions, or the whole map, is computed for each element. */
static int n_numbered(const struct heddle_rows *rows, int stage)
{
    const struct heddle_program *p = rows->stage[stage]->program;
    return rows->is_row_map[stage] ? 0 : p->n_reductions > 0 ? p->n_before : p->n_instrs;
}

static int number_of(struct numbering *m, const struct value *v, int stage)
{
    for (int i = 0; i < m->n; i++)
        if (memcmp(&m->value[i], v, sizeof *v) == 0) return i;
    if (m->n == MOST_INSTRS) return -1;
    m->value[m->n] = *v;
    m->first[m->n] = (uint8_t)stage;
    m->flops[m->n] = 0;
    m->by_element[m->n] = false;
    return m->n++;
}

static void number_instr(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                         struct numbering *m, int stage, int i)
{
    const struct heddle_launch *l = rows->stage[stage];
    const struct heddle_instr *in = &l->program->instrs[i];
    const uint16_t operand[3] = {in->a, in->b, in->c};
    int16_t *number = m->number[stage], at[3] = {0, 0, 0};
    const int arity = heddle__instr_arity(in);
    unsigned flops = in->code < HEDDLE_N_OPS ? (unsigned)heddle__ops[in->code].flops : 1;
    bool by_element = false;
    struct value v = {.code = in->code, .dtypes = in->dtype | (uint32_t)in->result << 8};
    number[i] = -1;
    for (int k = 0; k < arity; k++) {
        at[k] = number[operand[k]];
        if (at[k] < 0) return;
        flops += m->flops[at[k]];
        by_element = by_element || m->by_element[at[k]];
    }
    if (in->code == HEDDLE_CODE_LOAD) {
        v.a = c->of[stage][in->a];
        by_element = !(c->kind[v.a] & HEDDLE_ROWS_IS_ROW);
        flops = 0;
    } else if (in->code == HEDDLE_CODE_INDEX) {
        while (rows->axis[stage][v.a] != in->a) v.a++; /* of the box */
        by_element = true;
        flops = 0;
    } else if (in->code == HEDDLE_CODE_CONSTANT) {
        v.a = l->constants[in->a];
        flops = 0;
    } else {
        v.a = (uint32_t)at[0];
        v.b = (uint32_t)at[1];
        v.c = (uint32_t)at[2];
    }
    number[i] = (int16_t)number_of(m, &v, stage);
    if (number[i] < 0) return;
    m->flops[number[i]] = (uint16_t)(flops < 60000 ? flops : 60000);
    m->by_element[number[i]] = by_element;
}

/* Whether instruction i of a stage is read by one that no earlier stage has, or ends there. */
static bool is_root(const struct numbering *m, const struct heddle_program *p, int n, int stage,
                    int i)
{
    bool is_read = false;
    for (int k = i + 1; k < n; k++) {
        const struct heddle_instr *in = &p->instrs[k];
        const int arity = heddle__instr_arity(in);
        if (!((arity > 0 && in->a == i) || (arity > 1 && in->b == i) || (arity > 2 && in->c == i)))
            continue;
        is_read = true;
        const int number = m->number[stage][k];
        if (number < 0 || m->first[number] == stage) return true;
    }
    return !is_read;
}

void heddle__shared_values(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                           struct heddle_shared_values *out)
{
    struct numbering m = {.n = 0};
    int held[HEDDLE_SHARED_VALUES], bytes = 0;
    memset(out, 0, sizeof *out);
    memset(out->instr, 0xff, sizeof out->instr);
    if (c->is_long) return; /* there is no room to keep any */
    for (int u = 0; u < rows->n_operands; u++)
        if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
            bytes += c->slots * (int)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype);
    for (int stage = 0; stage < rows->n_stages; stage++) {
        const struct heddle_program *p = rows->stage[stage]->program;
        const int n = n_numbered(rows, stage);
        for (int i = 0; i < n; i++) number_instr(rows, c, &m, stage, i);
        for (int i = 0; i < n; i++) {
            const int number = m.number[stage][i];
            if (number < 0 || m.first[number] == stage || !m.by_element[number] ||
                m.flops[number] < WORTH_HOLDING || !is_root(&m, p, n, stage, i))
                continue;
            int k = 0;
            while (k < out->n && held[k] != number) k++;
            if (k == out->n) {
                const int more =
                    c->slots * (int)heddle_dtype_size((enum heddle_dtype)p->instrs[i].result);
                if (k == HEDDLE_SHARED_VALUES || bytes + more > HELD_BYTES) continue;
                bytes += more;
                held[out->n] = number;
                out->dtype[out->n] = p->instrs[i].result;
                out->first[out->n++] = m.first[number];
            }
            out->instr[stage][k] = (int16_t)i;
        }
    }
    for (int k = 0; k < out->n; k++) {
        const int stage = out->first[k];
        for (int i = n_numbered(rows, stage) - 1; i >= 0; i--)
            if (m.number[stage][i] == held[k]) out->instr[stage][k] = (int16_t)i;
    }
}

uint64_t heddle__shared_constants(const struct heddle_rows *rows)
{
    uint64_t hash = 0;
    uint32_t seen[HEDDLE_ROWS_STAGES * 8];
    int n = 0;
    for (int stage = 0; stage < rows->n_stages; stage++)
        for (int k = 0; k < rows->stage[stage]->program->n_constants; k++) {
            const uint32_t constant = rows->stage[stage]->constants[k];
            int i = 0;
            while (i < n && seen[i] != constant) i++;
            if (i == n && n < (int)(sizeof seen / sizeof *seen)) seen[n++] = constant;
            /* beyond what is remembered all count as new ones, by their numbers */
            hash = heddle__hash_word(hash, i < n ? (uint64_t)i : UINT64_MAX - constant);
        }
    return hash;
}
