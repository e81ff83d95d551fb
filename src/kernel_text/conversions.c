/* C's arithmetic conversions over dtypes; floating and complex numbers as C++ has them. Entry points:
 * heddle__c_promoted, heddle__c_common. */
#include "kernel_text/form.h"

enum heddle_dtype heddle__c_promoted(enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    const bool integer = kind == 'B' || kind == 'I' || kind == 'U';
    if (integer && heddle_dtype_size(dtype) < 4) return HEDDLE_INT32;
    return heddle__computed_in(dtype);
}

static enum heddle_dtype common_integer(enum heddle_dtype a, enum heddle_dtype b)
{
    const size_t size_a = heddle_dtype_size(a), size_b = heddle_dtype_size(b);
    if (size_a != size_b) return size_a > size_b ? a : b;
    return heddle_dtype_kind(a) == 'U' ? a : b;
}

enum heddle_dtype heddle__c_common(enum heddle_dtype a, enum heddle_dtype b)
{
    a = heddle__c_promoted(a);
    b = heddle__c_promoted(b);
    const enum heddle_dtype real_a = heddle__real_dtype(a), real_b = heddle__real_dtype(b);
    const bool floating_a = heddle_dtype_kind(real_a) == 'F',
               floating_b = heddle_dtype_kind(real_b) == 'F';
    enum heddle_dtype real;
    if (floating_a && floating_b)
        real = real_a == HEDDLE_FLOAT64 ? real_a : real_b;
    else if (floating_a || floating_b)
        real = floating_a ? real_a : real_b;
    else
        return common_integer(a, b);
    if (a == real_a && b == real_b) return real;
    return real == HEDDLE_FLOAT64 ? HEDDLE_COMPLEX128 : HEDDLE_COMPLEX64;
}

/* Of a function: COMMON and its like take integers as they are. */
static enum heddle_dtype argument(enum kernel_function f, enum heddle_dtype common)
{
    switch (f) {
    case KERNEL_F_ABS:
    case KERNEL_F_MIN:
    case KERNEL_F_MAX:
    case KERNEL_F_REAL:
    case KERNEL_F_IMAG:
    case KERNEL_F_NORM:
    case KERNEL_F_CONJ: return common;
    default: return common < HEDDLE_FLOAT32 ? HEDDLE_FLOAT64 : common;
    }
}

enum heddle_dtype heddle__kernel_operands(const struct kernel_types *types,
                                          const struct kernel_node *n)
{
    const enum heddle_dtype a = (enum heddle_dtype)types->nodes[n->a->number];
    enum heddle_dtype common =
        n->b ? heddle__c_common(a, (enum heddle_dtype)types->nodes[n->b->number])
             : heddle__c_promoted(a);
    if (n->kind == KERNEL_CALL && n->op == KERNEL_F_COMPLEX)
        return heddle__real_dtype((enum heddle_dtype)types->nodes[n->number]);
    if (n->c) common = heddle__c_common(common, (enum heddle_dtype)types->nodes[n->c->number]);
    if (n->kind == KERNEL_CALL) return argument((enum kernel_function)n->op, common);
    switch ((enum kernel_operator)n->op) {
    case KERNEL_AND:
    case KERNEL_OR:
    case KERNEL_NOT: return HEDDLE_BOOL;
    case KERNEL_SHIFT_LEFT:
    case KERNEL_SHIFT_RIGHT: return heddle__c_promoted(a);
    default: return common;
    }
}
