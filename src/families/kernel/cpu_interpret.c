/* Statements over blocks of elements. A mask says which elements take part: an if runs each branch with those that take
 * it, a loop goes on while any stays. Entry points: cpu_interpret.h. */
#include "families/kernel/cpu_interpret.h"

#include "base/memory.h"
#include "families/kernel/cpu_blocks.h"

#include <string.h>

typedef bool mask[KERNEL_LANES];

/* `left`: the elements that left the innermost loop by break. */
static void statements(struct kernel_interpreter *t, const struct kernel_node *n, bool *active,
                       bool *left);

/* ---- Life -------------------------------------------------------------------------------------------- */

/* The most blocks that a statement takes. */
static int blocks_of(const struct kernel_node *n, const int helpers[])
{
    int most = 0;
    for (; n; n = n->next) {
        const bool simple =
            n->kind == KERNEL_DECLARE || n->kind == KERNEL_ASSIGN || n->kind == KERNEL_RETURN;
        int need = simple ? 4 + heddle__kernel_blocks_of(n, helpers) : 0;
        if (n->kind == KERNEL_IF || n->kind == KERNEL_LOOP)
            need = 2 + heddle__kernel_blocks_of(n->a, helpers);
        if (n->kind == KERNEL_DECLARE) /* values of an array: one after the other */
            for (const struct kernel_node *x = n->a; x; x = x->next) {
                const int value = 4 + heddle__kernel_blocks_of(x, helpers);
                if (value > need) need = value;
            }
        const struct kernel_node *const inside[] = {n->kind == KERNEL_BLOCK ? n->a : NULL,
                                                    simple ? NULL : n->b, simple ? NULL : n->c};
        for (int i = 0; i < 3; i++) {
            const int other = blocks_of(inside[i], helpers);
            if (other > need) need = other;
        }
        if (need > most) most = need;
    }
    return most;
}

bool heddle__kernel_interpreter_open(struct kernel_interpreter *t, const struct kernel_form *form,
                                     const int64_t slots[])
{
    const struct kernel_tree *const tree = form->tree;
    const int n_names = tree->n_cells;
    int helpers[KERNEL_MAX_HELPERS];
    for (int i = 0; i < tree->n_helpers; i++)
        helpers[i] = blocks_of(tree->helpers[i].body, helpers);
    const int room = blocks_of(tree->statements, helpers) + 4;
    *t = (struct kernel_interpreter){.form = form, .slots = slots, .room = room};
    t->names = heddle__alloc_aligned((size_t)KERNEL_BLOCK_BYTES * (size_t)(n_names + room));
    if (!t->names) return false;
    t->values = t->names + (size_t)KERNEL_BLOCK_BYTES * (size_t)n_names;
    return true;
}

void heddle__kernel_interpreter_close(struct kernel_interpreter *t)
{
    heddle__free(t->names);
}

/* ---- Statements --------------------------------------------------------------------------------------- */

static bool any(const struct kernel_interpreter *t, const bool *x)
{
    return memchr(x, 1, (size_t)t->n) != NULL;
}

static enum heddle_dtype symbol_type(const struct kernel_interpreter *t, int symbol)
{
    return (enum heddle_dtype)t->form->types->symbols[symbol];
}

/* Elements that take part get the value, in block k of a name; NULL: 0. */
static void set(struct kernel_interpreter *t, int symbol, int block, const struct kernel_node *from,
                const bool *active)
{
    static const char zeros[KERNEL_BLOCK_BYTES];
    const enum heddle_dtype dtype = symbol_type(t, symbol);
    void *const to = (char *)heddle__kernel_name(t, symbol) + (size_t)block * KERNEL_BLOCK_BYTES;
    const void *const value = from ? heddle__kernel_lanes(t, from, dtype) : zeros;
    if (memchr(active, 0, (size_t)t->n))
        heddle__kernel_block_choose(t->n, (int)heddle_dtype_size(dtype), to, active, value, to);
    else
        memmove(to, value, (size_t)t->n * heddle_dtype_size(dtype)); /* mostly all take part */
}

/* A name, or each element of a local array: those without a value are 0. */
static void declare(struct kernel_interpreter *t, const struct kernel_node *n, const bool *active)
{
    const int extent = t->form->tree->symbols[n->symbol].extent, level = t->level;
    const struct kernel_node *x = n->a;
    set(t, n->symbol, 0, x, active);
    for (int k = 1; k < extent; k++) {
        x = x ? x->next : NULL;
        t->level = level;
        set(t, n->symbol, k, x, active);
    }
}

static void write_element(struct kernel_interpreter *t, const struct kernel_node *to,
                          const struct kernel_node *from, const bool *active)
{
    const enum heddle_dtype dtype = symbol_type(t, to->symbol);
    const size_t bytes = heddle_dtype_size(dtype);
    const char *const value = heddle__kernel_lanes(t, from, dtype);
    const struct kernel_elements e = heddle__kernel_elements(t, to);
    if (!e.cells) {
        heddle__kernel_block_write(t->n, (int)bytes, e.from, e.size, e.at, active, value);
        return;
    }
    for (int k = 0; k < t->n; k++)
        if (active[k] && (uint64_t)e.at[k] < (uint64_t)e.size)
            memcpy(e.from + (size_t)e.at[k] * KERNEL_BLOCK_BYTES + (size_t)k * bytes,
                   value + (size_t)k * bytes, bytes);
}

/* What is returned; nothing after it concerns the elements. */
static void leave(struct kernel_interpreter *t, const struct kernel_node *n,
                  const struct kernel_helper *h, bool *active)
{
    set(t, h->result, 0, n->a, active);
    for (int k = 0; k < t->n; k++) t->returned[k] = t->returned[k] || active[k];
    memset(active, 0, (size_t)t->n);
}

/* out = those of `active` for which the condition holds, or does not. */
static void split(struct kernel_interpreter *t, const struct kernel_node *condition,
                  const bool *active, bool *yes, bool *no)
{
    const int level = t->level;
    t->active = active;
    const bool *const c = heddle__kernel_lanes(t, condition, HEDDLE_BOOL);
    for (int k = 0; k < t->n && no; k++) no[k] = active[k] & !c[k];
    for (int k = 0; k < t->n; k++) yes[k] = active[k] & c[k];
    t->level = level;
}

static void if_else(struct kernel_interpreter *t, const struct kernel_node *n, bool *active,
                    bool *left)
{
    mask yes, no;
    split(t, n->a, active, yes, no);
    if (any(t, yes)) statements(t, n->b, yes, left);
    if (n->c && any(t, no)) statements(t, n->c, no, left);
    for (int k = 0; k < t->n; k++) active[k] = yes[k] || no[k];
}

static void loop(struct kernel_interpreter *t, const struct kernel_node *n, const bool *active)
{
    mask stay, round, left = {false};
    memcpy(stay, active, (size_t)t->n);
    for (bool first = n->op == 1;; first = false) {
        if (!first) split(t, n->a, stay, stay, NULL);
        if (!any(t, stay)) break;
        memcpy(round, stay, (size_t)t->n);
        statements(t, n->b, round, left);
        if (any(t, left))
            for (int k = 0; k < t->n; k++) stay[k] = stay[k] & !left[k];
        for (int k = 0; k < t->n && t->returned; k++) stay[k] = stay[k] & !t->returned[k];
        if (n->c) {
            memcpy(round, stay, (size_t)t->n);
            statements(t, n->c, round, left);
        }
    }
}

static void statements(struct kernel_interpreter *t, const struct kernel_node *n, bool *active,
                       bool *left)
{
    const int level = t->level; /* a function is called while values are computed */
    for (; n; n = n->next) {
        t->level = level;
        t->active = active;
        switch ((enum kernel_kind)n->kind) {
        case KERNEL_BLOCK: statements(t, n->a, active, left); break;
        case KERNEL_DECLARE: declare(t, n, active); break;
        case KERNEL_ASSIGN:
            if (n->a->kind == KERNEL_ELEMENT)
                write_element(t, n->a, n->b, active);
            else
                set(t, n->a->symbol, 0, n->b, active);
            break;
        case KERNEL_RETURN:
            leave(t, n, t->helper, active);
            t->level = level;
            return;
        case KERNEL_IF: if_else(t, n, active, left); break;
        case KERNEL_LOOP: loop(t, n, active); break;
        case KERNEL_BREAK:
            for (int k = 0; k < t->n; k++) left[k] = left[k] || active[k];
            memset(active, 0, (size_t)t->n);
            return;
        case KERNEL_CONTINUE: memset(active, 0, (size_t)t->n); return;
        default: break;
        }
    }
    t->level = level;
}

void heddle__kernel_run_helper(struct kernel_interpreter *t, const struct kernel_helper *h)
{
    const bool *const active = t->active;
    bool *const returned = t->returned;
    const struct kernel_helper *const helper = t->helper;
    mask within, left = {false}, gone = {false};
    memcpy(within, active, (size_t)t->n);
    t->returned = gone;
    t->helper = h;
    memset(heddle__kernel_name(t, h->result), 0, KERNEL_BLOCK_BYTES);
    statements(t, h->body, within, left);
    t->active = active;
    t->returned = returned;
    t->helper = helper;
}

/* ---- Blocks of elements ------------------------------------------------------------------------------ */

/* The index of each element along the axes, and its place in the result. */
static void find_indices(const struct kernel_interpreter *t, int64_t first,
                         int64_t index[][KERNEL_LANES], int64_t *place)
{
    const struct kernel_form *const f = t->form;
    for (int k = 0; k < t->n; k++) {
        int64_t rest = first + k;
        place[k] = 0;
        for (int d = f->ndim - 1; d >= 0; d--) {
            const int64_t *const axis = t->slots + KERNEL_SLOT_AXES + 3 * d;
            index[d][k] = axis[0] + rest % axis[1];
            rest /= axis[1];
            place[k] += index[d][k] * axis[2];
        }
    }
}

static void load(const struct kernel_interpreter *t, int i, int64_t first,
                 int64_t index[][KERNEL_LANES])
{
    const struct kernel_form *const f = t->form;
    const int64_t *const slots = t->slots + heddle__kernel_slot(f, i);
    const size_t bytes = heddle_dtype_size(symbol_type(t, i));
    void *const to = heddle__kernel_name(t, i);
    const char *const from = (const char *)(intptr_t)slots[0];
    if (i >= f->tree->n_in) {
        memset(to, 0, KERNEL_BLOCK_BYTES);
    } else if (f->mode[i] == KERNEL_ALIGNED) {
        memcpy(to, from + (size_t)first * bytes, (size_t)t->n * bytes);
    } else {
        for (int k = 0; k < t->n; k++) {
            int64_t at = 0;
            for (int d = 0; d < f->ndim; d++) at += index[d][k] * slots[1 + d];
            memcpy((char *)to + (size_t)k * bytes, from + (size_t)at * bytes, bytes);
        }
    }
}

static void interpret_block(struct kernel_interpreter *t, int64_t first)
{
    const struct kernel_form *const f = t->form;
    const int n_parameters = f->tree->n_in + f->tree->n_out;
    int64_t index[KERNEL_MAX_AXES][KERNEL_LANES];
    int64_t *const place = heddle__kernel_name(t, n_parameters), *const size = heddle__kernel_name(
                                                                     t, n_parameters + 1);
    if (heddle__kernel_needs_indices(f)) find_indices(t, first, index, place);
    for (int k = 0; k < t->n; k++) size[k] = t->slots[KERNEL_SLOT_SIZE];
    for (int i = 0; i < n_parameters; i++)
        if (!heddle__kernel_by_index(f->mode[i])) load(t, i, first, index);
    mask active, left = {false};
    t->index = index;
    t->level = 0;
    memset(active, 1, sizeof active);
    statements(t, f->tree->statements, active, left);
    for (int i = f->tree->n_in; i < n_parameters; i++) {
        const size_t bytes = heddle_dtype_size(symbol_type(t, i));
        if (heddle__kernel_by_index(f->mode[i])) continue;
        memcpy((char *)(intptr_t)t->slots[heddle__kernel_slot(f, i)] + (size_t)first * bytes,
               heddle__kernel_name(t, i), (size_t)t->n * bytes);
    }
}

void heddle__kernel_interpret(struct kernel_interpreter *t, int64_t first, int64_t end)
{
    for (; first < end; first += KERNEL_LANES) {
        t->n = end - first < KERNEL_LANES ? (int)(end - first) : KERNEL_LANES;
        interpret_block(t, first);
    }
}
