/* The table of functions, and what sources call operators and functions. Entry points: heddle__kernel_function_of and its
 * kin, heddle__kernel_operation. */
#include "kernel_text/form.h"

#include <string.h>

static const struct {
    const char *name;
    int arity;
} functions[] = {
#define KERNEL_FUNCTION(ID, name, arity, rule) {#name, arity},
#include "kernel_text/functions.def"
#undef KERNEL_FUNCTION
};

static enum kernel_function find(const char *name, size_t length)
{
    int i = 0;
    while (i < KERNEL_N_FUNCTIONS &&
           (strlen(functions[i].name) != length || memcmp(functions[i].name, name, length) != 0))
        i++;
    return (enum kernel_function)i;
}

enum kernel_function heddle__kernel_function_of(const char *name, int length, bool *single)
{
    enum kernel_function f = find(name, (size_t)length);
    *single = false;
    if (f < KERNEL_N_FUNCTIONS || length < 2 || name[length - 1] != 'f') return f;
    f = find(name, (size_t)length - 1);
    if (f == KERNEL_F_ABS || f == KERNEL_F_MIN || f == KERNEL_F_MAX || f == KERNEL_F_COMPLEX ||
        (f >= KERNEL_F_REAL && f < KERNEL_N_FUNCTIONS))
        return KERNEL_N_FUNCTIONS; /* C has no such name */
    *single = f < KERNEL_N_FUNCTIONS;
    return f;
}

const char *heddle__kernel_function_name(enum kernel_function function)
{
    return functions[function].name;
}

int heddle__kernel_function_arity(enum kernel_function function)
{
    return functions[function].arity;
}

const char *heddle__kernel_operation(enum kernel_operator op, enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    switch (op) {
    case KERNEL_ADD: return "add";
    case KERNEL_SUBTRACT: return "sub";
    case KERNEL_MULTIPLY: return "mul";
    case KERNEL_DIVIDE: return kind == 'F' || kind == 'C' ? "div" : "quotient";
    case KERNEL_MODULO: return "fmod";
    case KERNEL_SHIFT_LEFT: return "shift_left";
    case KERNEL_SHIFT_RIGHT: return "shift_right";
    case KERNEL_NEGATE: return "neg";
    case KERNEL_EQUAL: return kind == 'C' ? "equal" : NULL;
    case KERNEL_NOT_EQUAL: return kind == 'C' ? "not_equal" : NULL;
    default: return NULL;
    }
}

const char *heddle__kernel_function_operation(enum kernel_function f)
{
    switch (f) {
    case KERNEL_F_FABS: return "abs";
    case KERNEL_F_MIN: return "fmin";
    case KERNEL_F_MAX: return "fmax";
    case KERNEL_F_RINT: return "round";
    case KERNEL_F_ROUND: return "round_away";
    default: return functions[f].name;
    }
}
