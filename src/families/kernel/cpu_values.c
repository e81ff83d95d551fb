/* Expressions over a block of elements. Entry point: heddle__kernel_lanes. */
#include "families/kernel/cpu_blocks.h"
#include "families/kernel/cpu_interpret.h"

#include <string.h>

static const void *value(struct kernel_interpreter *t, const struct kernel_node *n);

static enum heddle_dtype type_of(const struct kernel_interpreter *t, const struct kernel_node *n)
{
    return (enum heddle_dtype)t->form->types->nodes[n->number];
}

static int bytes_of(enum heddle_dtype dtype)
{
    return (int)heddle_dtype_size(dtype);
}

static void *take(struct kernel_interpreter *t)
{
    return t->values + (size_t)KERNEL_BLOCK_BYTES * (size_t)t->level++;
}

void *heddle__kernel_name(const struct kernel_interpreter *t, int symbol)
{
    return t->names + (size_t)KERNEL_BLOCK_BYTES * (size_t)symbol;
}

int heddle__kernel_blocks_of(const struct kernel_node *n)
{
    if (!n) return 0;
    const int a = heddle__kernel_blocks_of(n->a), b = 2 + heddle__kernel_blocks_of(n->b),
              c = 4 + heddle__kernel_blocks_of(n->c);
    const int most = a > b ? a : b;
    return 2 + (most > c ? most : c);
}

const void *heddle__kernel_lanes(struct kernel_interpreter *t, const struct kernel_node *n,
                                 enum heddle_dtype to)
{
    const enum heddle_dtype from = type_of(t, n);
    if (from == to) return value(t, n);
    void *const out = take(t);
    const int level = t->level;
    heddle__kernel_block_cast(from, to)(t->n, out, value(t, n), NULL);
    t->level = level;
    return out;
}

static void fill(int n, int bytes, void *out, const void *value)
{
    char *to = out;
    for (int k = 0; k < n; k++) memcpy(to + (size_t)k * (size_t)bytes, value, (size_t)bytes);
}

static void element(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const int slot = heddle__kernel_slot(t->form, n->symbol);
    heddle__kernel_block_read(t->n, bytes_of(type_of(t, n)), out,
                              (const void *)(intptr_t)t->slots[slot], t->slots[slot + 1],
                              heddle__kernel_lanes(t, n->b, HEDDLE_INT64));
}

/* The elements of a raw parameter, or its extent along an axis; 1 along those that it has not. */
static void extent(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const int64_t *const given = t->slots + heddle__kernel_slot(t->form, n->symbol) + 1;
    int64_t *const to = out;
    if (!n->b) {
        fill(t->n, 8, out, given);
        return;
    }
    const int64_t *const axis = heddle__kernel_lanes(t, n->b, HEDDLE_INT64);
    for (int k = 0; k < t->n; k++)
        to[k] = axis[k] >= 0 && axis[k] < t->form->ndims[n->symbol] ? given[1 + axis[k]] : 1;
}

static void choice(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const enum heddle_dtype dtype = type_of(t, n);
    const bool *const condition = heddle__kernel_lanes(t, n->a, HEDDLE_BOOL);
    const void *const b = heddle__kernel_lanes(t, n->b, dtype);
    heddle__kernel_block_choose(t->n, bytes_of(dtype), out, condition, b,
                                heddle__kernel_lanes(t, n->c, dtype));
}

static void operation(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const enum heddle_dtype dtype = heddle__kernel_operands(t->form->types, n);
    kernel_block_function *const function =
        n->kind == KERNEL_CALL ? heddle__kernel_block_call((enum kernel_function)n->op, dtype)
                               : heddle__kernel_block_operator((enum kernel_operator)n->op, dtype);
    const void *const a = heddle__kernel_lanes(t, n->a, dtype);
    const void *const b = n->b ? heddle__kernel_lanes(t, n->b, dtype) : a;
    if (function) function(t->n, out, a, b);
}

static const void *value(struct kernel_interpreter *t, const struct kernel_node *n)
{
    if (n->kind == KERNEL_SYMBOL) return heddle__kernel_name(t, n->symbol);
    if (n->kind == KERNEL_CAST) return heddle__kernel_lanes(t, n->a, type_of(t, n));
    void *const out = take(t);
    const int level = t->level;
    switch ((enum kernel_kind)n->kind) {
    case KERNEL_NUMBER: fill(t->n, bytes_of(type_of(t, n)), out, &n->value); break;
    case KERNEL_ELEMENT: element(t, n, out); break;
    case KERNEL_EXTENT: extent(t, n, out); break;
    case KERNEL_CHOICE: choice(t, n, out); break;
    default: operation(t, n, out); break;
    }
    t->level = level;
    return out;
}
