/* Kernels on the CPU by a function of the program's own, which wants elements next to each other, and numbers last: a row
 * of the part at a time if an argument is broadcast along some axes, with a block of copies of what stays the same along
 * the row and is followed by what does not. Entry points: cpu_loop.h. */
#include "families/kernel/cpu_loop.h"

#include <string.h>

enum {
    BLOCK = 128,
    MOST_BYTES = 16
}; /* elements at a time if one is repeated, and of an element */

struct loop {
    const struct heddle_kernel_program *program;
    const struct heddle_kernel_part *call;
    void *const *buffers;
    int64_t bytes[KERNEL_MAX_PARAMETERS]; /* of an element */
    bool is_same[KERNEL_MAX_PARAMETERS];  /* along a row */
    int n_dense;                          /* inputs up to the last that is not */
    bool copies;                          /* some are to be repeated */
    bool by_rows; /* an argument has rows of its own, or places are not in one run */
};

/* The element of the part in each parameter, and its place in the result. */
static int64_t locate(const struct loop *l, int64_t element, char *at[])
{
    const struct heddle_kernel_part *const call = l->call;
    const int n = call->n_parameters, ndim = l->program->form.ndim;
    int64_t rest = element, place = 0;
    for (int i = 0; i < n; i++) {
        const bool aligned = l->program->form.mode[i] == KERNEL_ALIGNED;
        at[i] = (char *)l->buffers[call->buffer[i]] + (aligned ? element * l->bytes[i] : 0);
    }
    for (int d = ndim - 1; d >= 0; d--) {
        const int64_t index = call->lo[d] + rest % call->extent[d];
        rest /= call->extent[d];
        place += index * call->weight[d];
        for (int i = 0; i < n; i++)
            if (l->program->form.mode[i] == KERNEL_BROADCAST)
                at[i] += index * call->shape[i][d] * l->bytes[i];
    }
    return place;
}

/* So many elements, which are within a row if that matters. */
static void run_some(const struct loop *l, int64_t element, int64_t n)
{
    char copies[KERNEL_MAX_PARAMETERS][BLOCK * MOST_BYTES];
    char *at[KERNEL_MAX_PARAMETERS];
    void *p[KERNEL_MAX_PARAMETERS];
    const int64_t place = locate(l, element, at);
    for (int i = 0; i < l->call->n_parameters; i++) {
        p[i] = at[i];
        if (!l->is_same[i] || i >= l->n_dense) continue;
        p[i] = copies[i];
        for (int64_t k = 0; k < n; k++)
            memcpy(copies[i] + k * l->bytes[i], at[i], (size_t)l->bytes[i]);
    }
    l->program->form.tree->loop(n, l->n_dense, p, place, l->call->n);
}

static void look_at(struct loop *l, int i)
{
    const struct kernel_form *const f = &l->program->form;
    l->bytes[i] = (int64_t)heddle_dtype_size((enum heddle_dtype)l->program->types.symbols[i]);
    if (f->mode[i] == KERNEL_BROADCAST) { /* the result has an axis, then */
        l->is_same[i] = l->call->shape[i][f->ndim - 1] == 0;
        for (int d = 0; d < f->ndim; d++) l->by_rows |= l->call->shape[i][d] != 0;
    }
    if (i < f->tree->n_in && !l->is_same[i]) l->n_dense = i + 1;
}

void heddle__kernel_run_loop(const struct heddle_kernel_program *program,
                             const struct heddle_kernel_part *call, void *const buffers[],
                             int64_t first, int64_t end)
{
    struct loop l = {
        .program = program, .call = call, .buffers = buffers, .by_rows = call->first < 0};
    const int ndim = program->form.ndim;
    const int64_t row = ndim ? call->extent[ndim - 1] : 1;
    for (int i = 0; i < call->n_parameters; i++) look_at(&l, i);
    for (int i = 0; i < l.n_dense; i++) l.copies |= l.is_same[i];
    while (first < end) {
        int64_t n = end - first;
        if (l.by_rows && n > row - first % row) n = row - first % row;
        if (l.copies && n > BLOCK) n = BLOCK;
        run_some(&l, first, n);
        first += n;
    }
}
