/* Small integers in wide types. Entry points: narrow.h. */
#include "cpu/compiled/narrow.h"

#include "base/dtype.h"

/* ---- What may be narrow ---------------------------------------------------------------------------------- */

/* What is known of a value: it has bounds; and with numbers that are not negative, it is not negative. */
struct known {
    bool is_bounded, is_positive;
};

static bool is_integer(int dtype)
{
    const unsigned integers = HEDDLE_KIND_B | HEDDLE_KIND_I | HEDDLE_KIND_U;
    return heddle__kind_bit((enum heddle_dtype)dtype) & integers;
}

static bool is_wide(int dtype)
{
    return heddle__c_types[dtype].bytes > 2;
}

/* What a dtype alone says, as of an array's elements. */
static struct known of_dtype(int dtype)
{
    const bool is_bounded = is_integer(dtype) && !is_wide(dtype);
    return (struct known){is_bounded, is_bounded && *heddle__c_types[dtype].kind != 'I'};
}

/* How an operation on bounded integers is done in 16 bits: on the low bits of operands, which give those of the result; or on operands that fit. */
enum way { NO_WAY, BY_LOW_BITS, BY_VALUES };

static enum way way_of(const struct heddle_instr *in, const char *prepared)
{
    if (in->code == HEDDLE_CODE_CAST) return is_integer(in->result) ? BY_LOW_BITS : NO_WAY;
    switch (in->code) {
    case HEDDLE_OP_ADD:
    case HEDDLE_OP_SUBTRACT:
    case HEDDLE_OP_MULTIPLY:
    case HEDDLE_OP_NEGATIVE:
    case HEDDLE_OP_SQUARE:
    case HEDDLE_OP_WHERE: return BY_LOW_BITS;
    case HEDDLE_OP_FLOOR_DIVIDE:
    case HEDDLE_OP_REMAINDER:
    case HEDDLE_OP_BITWISE_RIGHT_SHIFT: return prepared ? BY_VALUES : NO_WAY;
    case HEDDLE_OP_ABS:
    case HEDDLE_OP_MAXIMUM:
    case HEDDLE_OP_MINIMUM:
    case HEDDLE_OP_EQUAL:
    case HEDDLE_OP_NOT_EQUAL:
    case HEDDLE_OP_LESS:
    case HEDDLE_OP_LESS_EQUAL:
    case HEDDLE_OP_GREATER:
    case HEDDLE_OP_GREATER_EQUAL: return BY_VALUES;
    default: return NO_WAY;
    }
}

/* The operands that are integers of the operation's dtype: from which on. */
static int first_operand(const struct heddle_instr *in)
{
    return in->code == HEDDLE_OP_WHERE;
}

/* Of the operation's value, if the operands' are bounded. That of an unsigned dtype has to be: 0 - 1 is no small number there. */
static bool is_positive(const struct heddle_instr *in, const struct known *known)
{
    const uint16_t operand[3] = {in->a, in->b, in->c};
    if (*heddle__c_types[in->result].kind == 'U') return true;
    switch (in->code) {
    case HEDDLE_OP_SUBTRACT:
    case HEDDLE_OP_NEGATIVE: return false;
    case HEDDLE_OP_SQUARE:
    case HEDDLE_OP_ABS:
    case HEDDLE_OP_REMAINDER: return true;
    case HEDDLE_OP_MULTIPLY:
        if (in->a == in->b) return true;
        break;
    default: break;
    }
    for (int k = first_operand(in); k < heddle__instr_arity(in); k++)
        if (!known[operand[k]].is_positive) return false;
    return true;
}

static uint8_t narrowed(uint8_t dtype, bool positive)
{
    if (!is_wide(dtype)) return dtype;
    return positive ? HEDDLE_UINT16 : HEDDLE_INT16;
}

/* Notes whether item `value` may be narrow, and what is known of its value. */
static bool find(struct heddle__writer *w, int value, struct known *known)
{
    const struct heddle_instr *in = instr_of(w, value);
    const enum way way = way_of(in, heddle__prepared(w->section, in));
    const uint16_t operand[3] = {in->a, in->b, in->c};
    bool is_bounded = way != NO_WAY && (is_wide(in->dtype) || is_wide(in->result));
    bool are_positive = true;
    for (int k = first_operand(in); k < heddle__instr_arity(in); k++) {
        is_bounded = is_bounded && known[operand[k]].is_bounded;
        are_positive = are_positive && known[operand[k]].is_positive;
    }
    w->narrow[value] = (struct heddle__narrow){HEDDLE_DTYPE_NONE, HEDDLE_DTYPE_NONE};
    known[value] = of_dtype(in->result);
    if (!is_bounded) return false;
    const bool positive = is_positive(in, known);
    if (is_wide(in->result)) known[value] = (struct known){true, positive};
    w->narrow[value] =
        (struct heddle__narrow){narrowed(in->dtype, way == BY_LOW_BITS ? positive : are_positive),
                                narrowed(in->result, positive)};
    return true;
}

bool heddle__find_narrow(struct heddle__writer *w, const struct heddle__run *run)
{
    enum { WORTH = 2, DIVISION = 2 };
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    struct known known[HEDDLE_MAX_INSTRS];
    int worth = 0;
    for (int k = 0; k < run->n_inputs; k++) {
        const int dtype = instr_of(w, map[k])->result;
        known[map[k]] =
            is_moving(w, run, k) ? of_dtype(dtype) : (struct known){is_integer(dtype), true};
    }
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = instr_of(w, items[k]);
        if (!find(w, items[k], known) || in->code == HEDDLE_CODE_CAST) continue;
        worth += heddle__prepared(w->section, in) ? DIVISION : 1;
    }
    return worth >= WORTH;
}

/* ---- Bounds ---------------------------------------------------------------------------------------------- */

/* Puts that the value's bounds are in a dtype's. */
static void put_fit(struct heddle__writer *w, int value, int dtype)
{
    heddle__text_put(&w->text, "    small &= bounds_fit(b%d, %s);\n", w->number[value],
                     dtype == HEDDLE_UINT16 ? "0, 65535" : "-32768, 32767");
}

/* Puts b<n> of what a dtype alone says. */
static void put_of_dtype(struct heddle__writer *w, int value)
{
    const struct heddle__c_type *type = &heddle__c_types[instr_of(w, value)->result];
    const double half = type->bytes == 1 ? 128 : 32768;
    const char kind = *type->kind;
    heddle__text_put(&w->text, "    const struct bounds b%d = {%.0f, %.0f};\n", w->number[value],
                     kind == 'I' ? -half : 0,
                     kind == 'B'   ? 1
                     : kind == 'U' ? 2 * half - 1
                                   : half - 1);
}

/* Puts b<n> of a narrow item, of those of its operands. */
static void put_of_operands(struct heddle__writer *w, int value)
{
    const struct heddle_instr *in = instr_of(w, value);
    const int n = w->number[value], x = w->number[in->a], y = w->number[in->b];
    heddle__text_put(&w->text, "    const struct bounds b%d = ", n);
    if (in->code == HEDDLE_CODE_CAST)
        heddle__text_put(&w->text, "b%d;\n", x);
    else if (in->code == HEDDLE_OP_WHERE)
        heddle__text_put(&w->text, "bounds_both(b%d, b%d);\n", y, w->number[in->c]);
    else if (heddle__instr_arity(in) == 1)
        heddle__text_put(&w->text, "bounds_%s(b%d);\n", heddle__ops[in->code].name, x);
    else
        heddle__text_put(&w->text, "bounds_%s(b%d, b%d);\n", heddle__ops[in->code].name, x, y);
}

void heddle__put_bounds(struct heddle__writer *w, const struct heddle__run *run)
{
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    struct heddle_text *t = &w->text;
    heddle__text_put_all(t, "    _Bool small = 1;\n");
    for (int k = 0; k < run->n_inputs; k++) {
        const int dtype = instr_of(w, map[k])->result;
        if (is_moving(w, run, k) && is_integer(dtype) && !is_wide(dtype))
            put_of_dtype(w, map[k]);
        else if (!is_moving(w, run, k) && is_integer(dtype))
            heddle__text_put(t, "    const struct bounds b%d = {(double)v%d, (double)v%d};\n", k, k,
                             k);
    }
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = instr_of(w, items[k]);
        const struct heddle__narrow narrow = w->narrow[items[k]];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        if (narrow.in && way_of(in, heddle__prepared(w->section, in)) == BY_VALUES)
            for (int j = 0; j < heddle__instr_arity(in); j++) put_fit(w, operand[j], narrow.in);
        if (narrow.in && is_wide(in->result)) {
            put_of_operands(w, items[k]);
            put_fit(w, items[k], narrow.out);
        } else if (is_integer(in->result) && !is_wide(in->result)) {
            put_of_dtype(w, items[k]);
        }
    }
}
