/* The first round of a reduction over much data: one kernel, each element of which reduces a block of a row by a loop. The
 * data are read once, and some thousandth of them is left to the rounds. A row is what the innermost axes have, if they
 * are reduced. Of a commutative operation a block is some lines of 32 elements, each of which 32 elements of the result share,
 * so that threads of a GPU read lines together, and a block of a CPU stays in its cache; else it is a run for each
 * element, so that the order stays. How rows are cut depends on extents alone. Entry points: heddle__reduce_by_loop,
 * heddle__reduce_free_loops. */
#include "api/kernels/reduce.h"

#include "base/memory.h"
#include "graph/make.h"

#include <string.h>

enum {
    MUCH = 1 << 20,   /* elements that are worth it */
    MANY = 1 << 17,   /* threads that a GPU wants */
    TOGETHER = 32,    /* elements of a result that share a block */
    MOST_LINES = 128, /* of a block: 16 KiB of float32 */
    LEAST_LINES = 8,
    RUN = 32,
};

/* The tree for such arguments. */
struct heddle__reduce_loop {
    struct kernel_tree tree;
    struct heddle__reduce_loop *next;
    unsigned scalars;
};

void heddle__reduce_free_loops(struct heddle__reduce_loop *first)
{
    for (struct heddle__reduce_loop *loop = first, *next; loop; loop = next) {
        next = loop->next;
        heddle__kernel_free_tree(&loop->tree);
        heddle__free(loop);
    }
}

/* What was made for the last call of this kind, or is now. NULL: no memory, or it is too long. */
static const struct kernel_tree *tree_of(struct kernel_reducing *q, unsigned scalars)
{
    struct heddle__reduce_loop *first = atomic_load(&q->kernel->loops);
    for (struct heddle__reduce_loop *loop = first; loop; loop = loop->next)
        if (loop->scalars == scalars) return &loop->tree;
    struct heddle__reduce_loop *const loop = heddle__alloc(sizeof *loop);
    if (!loop) return NULL;
    loop->scalars = scalars;
    loop->next = NULL;
    if (!heddle__kernel_make_loop(&loop->tree, &q->kernel->tree, q->texts, scalars)) {
        heddle__reduce_free_loops(loop);
        return NULL;
    }
    do loop->next = first;
    while (!atomic_compare_exchange_weak(&q->kernel->loops, &first, loop));
    return &loop->tree;
}

/* Whether every input is a number, or has all elements of the map, in the dtype that is computed in. One that is a view is brought
 * into memory, since bits must not depend on what was evaluated before. */
static bool inputs_fit(const struct kernel_reducing *q, unsigned *scalars)
{
    const struct heddle__kernel_call *const c = &q->map;
    int n_whole = 0;
    *scalars = 0;
    for (int i = 0; i < c->tree->n_in; i++) {
        const heddle_array *const a = c->in[i];
        if (a->ndim == 0) {
            *scalars |= 1u << i;
            continue;
        }
        if (a->dtype != c->types.symbols[i] ||
            !heddle__same_shape(a->ndim, a->shape, q->shape.ndim, q->shape.extent))
            return false;
        n_whole++;
    }
    return n_whole > 0;
}

/* The first of the innermost axes that are reduced. */
static int first_of_row(const struct kernel_reducing *q)
{
    int d = q->shape.ndim;
    while (d > 0 && q->axes >> (d - 1) & 1) d--;
    return d;
}

/* How rows are cut; false: they are too short, or few. */
static bool cut_rows(const struct kernel_reducing *q, int axis, struct kernel_rows *rows)
{
    const int64_t size = q->map.size;
    int64_t length = 1, lines = LEAST_LINES;
    for (int d = axis; d < q->shape.ndim; d++) length *= q->shape.extent[d];
    const bool commutes = heddle__reduce_commutes(q->texts);
    while (lines < MOST_LINES && 2 * lines * MANY <= size && 2 * lines * TOGETHER <= length)
        lines *= 2;
    *rows = commutes ? (struct kernel_rows){length, lines * TOGETHER, TOGETHER}
                     : (struct kernel_rows){length, RUN, 1};
    return size >= MUCH && length >= rows->block;
}

static enum heddle_status apply(struct kernel_reducing *q, struct heddle__kernel_call *c, int axis)
{
    heddle_array *in[KERNEL_MAX_PARAMETERS];
    enum heddle_status status;
    c->types.nodes = heddle__arena_alloc(q->arena, (size_t)c->tree->n_nodes);
    HEDDLE_REQUIRE(c->types.nodes, HEDDLE_ENOMEM, "kernel '%.40s': out of memory", c->tree->name);
    memcpy(c->types.letters, q->map.types.letters, sizeof c->types.letters);
    HEDDLE_TRY(heddle__kernel_check(c->tree, &c->types));
    for (int i = 0; i < c->tree->n_in; i++) {
        in[i] = q->map.in[i];
        if (in[i]->ndim <= 1 || axis > 0) continue;
        in[i] = heddle__hand_out(heddle__make_reshape(in[i], 1, &q->map.size));
        HEDDLE_TRY(heddle_status_of(in[i]));
    }
    c->in = in;
    HEDDLE_TRY(heddle__kernel_crooked(&q->kernel->object, c, q->values));
    for (int k = 0; k < q->texts->n; k++) q->values[k] = heddle__hand_out(q->values[k]);
fail:
    return status;
}

/* The values with an axis for each of the map's: what is left of rows, then axes of extent 1. */
static enum heddle_status take(struct kernel_reducing *q, int axis, int64_t left)
{
    for (int d = axis; d < q->shape.ndim; d++) q->shape.extent[d] = d == axis ? left : 1;
    for (int k = 0; k < q->texts->n; k++) {
        q->values[k] =
            heddle__hand_out(heddle__make_reshape(q->values[k], q->shape.ndim, q->shape.extent));
        if (heddle_status_of(q->values[k]) != HEDDLE_OK) return heddle_status_of(q->values[k]);
    }
    q->mapped = true;
    return HEDDLE_OK;
}

enum heddle_status heddle__reduce_by_loop(struct kernel_reducing *q)
{
    const int axis = first_of_row(q);
    struct kernel_rows rows;
    unsigned scalars;
    if (axis == q->shape.ndim || !heddle__kernel_loops(&q->kernel->tree) ||
        !inputs_fit(q, &scalars) || !cut_rows(q, axis, &rows))
        return HEDDLE_OK;
    struct heddle__kernel_call *const c = heddle__arena_alloc(q->arena, sizeof *c);
    if (!c || !(c->tree = tree_of(q, scalars))) return HEDDLE_OK; /* the rounds need less */
    struct heddle_shape shape = {.ndim = axis + 1};
    for (int d = 0; d < axis; d++) shape.extent[d] = q->shape.extent[d];
    shape.extent[axis] = rows.length / rows.block * rows.step;
    heddle__kernel_whole(c, &shape);
    c->rows = &rows;
    const enum heddle_status status = apply(q, c, axis);
    return status == HEDDLE_OK ? take(q, axis, shape.extent[axis]) : status;
}
