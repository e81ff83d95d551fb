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
    return t->names + (size_t)KERNEL_BLOCK_BYTES * (size_t)t->form->tree->symbols[symbol].cell;
}

int heddle__kernel_blocks_of(const struct kernel_node *n, const int helpers[])
{
    if (!n) return 0;
    if (n->kind == KERNEL_INVOKE) { /* its arguments, kept till all are known; then the function */
        int most = 0, count = 0;
        for (const struct kernel_node *x = n->a; x; x = x->next, count++) {
            const int value = heddle__kernel_blocks_of(x, helpers);
            if (value > most) most = value;
        }
        if (helpers[n->symbol] > most) most = helpers[n->symbol];
        return 4 + 2 * count + most;
    }
    const int a = heddle__kernel_blocks_of(n->a, helpers),
              b = 2 + heddle__kernel_blocks_of(n->b, helpers),
              c = 4 + heddle__kernel_blocks_of(n->c, helpers);
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

/* The place that an index for each axis means; -1: there is none. */
static const int64_t *place_by_axes(struct kernel_interpreter *t, const struct kernel_node *n)
{
    const struct kernel_symbol *const array =
        &t->form->tree->symbols[n->b->symbol < 0 ? 0 : n->b->symbol];
    const int ndim = t->form->ndims[n->symbol],
              known = n->b->kind == KERNEL_PLACE ? t->form->ndim : array->extent;
    const int64_t *const extents = t->slots + heddle__kernel_slot(t->form, n->symbol) + 2;
    int64_t *const at = take(t), *const wide = take(t);
    memset(at, 0, KERNEL_BLOCK_BYTES);
    for (int d = 0; d < ndim; d++) {
        const int64_t *index = wide;
        if (d >= known)
            memset(wide, 0, KERNEL_BLOCK_BYTES);
        else if (n->b->kind == KERNEL_PLACE)
            index = t->index[d];
        else
            heddle__kernel_block_cast(type_of(t, n->b), HEDDLE_INT64)(
                t->n, wide,
                (char *)heddle__kernel_name(t, n->b->symbol) + (size_t)d * KERNEL_BLOCK_BYTES,
                NULL);
        for (int k = 0; k < t->n; k++)
            at[k] = at[k] < 0 || index[k] < 0 || index[k] >= extents[d]
                        ? -1
                        : at[k] * extents[d] + index[k];
    }
    return at;
}

struct kernel_elements heddle__kernel_elements(struct kernel_interpreter *t,
                                               const struct kernel_node *n)
{
    const int extent = t->form->tree->symbols[n->symbol].extent;
    struct kernel_elements e = {.cells = extent > 0, .size = extent};
    e.at = n->op ? place_by_axes(t, n) : heddle__kernel_lanes(t, n->b, HEDDLE_INT64);
    if (extent) {
        e.from = heddle__kernel_name(t, n->symbol);
    } else {
        const int slot = heddle__kernel_slot(t->form, n->symbol);
        e.from = (char *)(intptr_t)t->slots[slot];
        e.size = t->slots[slot + 1];
    }
    return e;
}

static void element(struct kernel_interpreter *t, const struct kernel_node *n, char *out)
{
    const int bytes = bytes_of(type_of(t, n));
    const struct kernel_elements e = heddle__kernel_elements(t, n);
    if (!e.cells) {
        heddle__kernel_block_read(t->n, bytes, out, e.from, e.size, e.at);
        return;
    }
    memset(out, 0, KERNEL_BLOCK_BYTES);
    for (int k = 0; k < t->n; k++)
        if ((uint64_t)e.at[k] < (uint64_t)e.size)
            memcpy(out + (size_t)k * (size_t)bytes,
                   e.from + (size_t)e.at[k] * KERNEL_BLOCK_BYTES + (size_t)k * (size_t)bytes,
                   (size_t)bytes);
}

/* The index of each element along an axis; 0 along those that there are not. */
static void place(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    int64_t *const to = out;
    const int64_t *const axis = heddle__kernel_lanes(t, n->b, HEDDLE_INT64);
    for (int k = 0; k < t->n; k++)
        to[k] = axis[k] >= 0 && axis[k] < t->form->ndim ? t->index[axis[k]][k] : 0;
}

/* The arguments are all computed before one is put into its name: they may call the same function. */
static void invoke(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const struct kernel_helper *const h = &t->form->tree->helpers[n->symbol];
    const struct kernel_node *x = n->a;
    const void *values[KERNEL_MAX_ARGUMENTS];
    for (int i = 0; i < h->n; i++, x = x->next) {
        void *const own = take(t);
        const int level = t->level;
        memcpy(own,
               heddle__kernel_lanes(t, x, (enum heddle_dtype)t->form->types->symbols[h->first + i]),
               KERNEL_BLOCK_BYTES);
        t->level = level;
        values[i] = own;
    }
    for (int i = 0; i < h->n; i++)
        memcpy(heddle__kernel_name(t, h->first + i), values[i], KERNEL_BLOCK_BYTES);
    heddle__kernel_run_helper(t, h);
    memcpy(out, heddle__kernel_name(t, h->result), KERNEL_BLOCK_BYTES);
}

/* Sides of && || ?: are computed for all elements, but functions, whose loops they may end, for those that want them.
 * Gives the mask that was. */
static const bool *narrow(struct kernel_interpreter *t, const bool *condition, bool wanted,
                          bool *room)
{
    const bool *const before = t->active;
    if (!t->form->tree->n_helpers) return before;
    for (int k = 0; k < t->n; k++) room[k] = before[k] && condition[k] == wanted;
    t->active = room;
    return before;
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
    bool room[KERNEL_LANES];
    const bool *const active = narrow(t, condition, true, room);
    const void *const b = heddle__kernel_lanes(t, n->b, dtype);
    t->active = active;
    narrow(t, condition, false, room);
    heddle__kernel_block_choose(t->n, bytes_of(dtype), out, condition, b,
                                heddle__kernel_lanes(t, n->c, dtype));
    t->active = active;
}

static void operation(struct kernel_interpreter *t, const struct kernel_node *n, void *out)
{
    const enum heddle_dtype dtype = heddle__kernel_operands(t->form->types, n);
    const bool *const active = t->active;
    bool room[KERNEL_LANES];
    kernel_block_function *const function =
        n->kind == KERNEL_CALL && n->op == KERNEL_F_COMPLEX ? heddle__kernel_block_pair(dtype)
        : n->kind == KERNEL_CALL
            ? heddle__kernel_block_call((enum kernel_function)n->op, dtype)
            : heddle__kernel_block_operator((enum kernel_operator)n->op, dtype);
    const void *const a = heddle__kernel_lanes(t, n->a, dtype);
    if (n->kind == KERNEL_BINARY && (n->op == KERNEL_AND || n->op == KERNEL_OR))
        narrow(t, a, n->op == KERNEL_AND, room);
    const void *const b = n->b ? heddle__kernel_lanes(t, n->b, dtype) : a;
    t->active = active;
    if (function)
        function(t->n, out, a, b);
    else if (n->c)
        heddle__kernel_block_fma(t->n, dtype, out, a, b, heddle__kernel_lanes(t, n->c, dtype));
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
    case KERNEL_PLACE: place(t, n, out); break;
    case KERNEL_INVOKE: invoke(t, n, out); break;
    case KERNEL_CHOICE: choice(t, n, out); break;
    default: operation(t, n, out); break;
    }
    t->level = level;
    return out;
}
