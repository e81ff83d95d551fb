/* Kernels on the CPU by a function of the program's own, which wants elements next to each other: a row of the part at a
 * time if an argument is broadcast, with a block of copies of what stays the same along it. Entry points: cpu_loop.h. */
#include "families/kernel/cpu_loop.h"

#include "base/dtype.h"

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
    bool by_rows; /* an argument is broadcast, or places are not in one run */
};

bool heddle__kernel_has_loop(const struct heddle_kernel_program *program)
{
    const struct kernel_tree *const tree = program->form.tree;
    if (!tree->loop) return false;
    for (int i = 0; i < tree->n_in + tree->n_out; i++)
        if (program->form.mode[i] == KERNEL_RAW ||
            heddle__kernel_dtype(&program->types, tree->symbols[i].type) !=
                (enum heddle_dtype)program->types.symbols[i])
            return false;
    return true;
}

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

/* So many elements, which are within a row unless all parameters are aligned. */
static void run_some(const struct loop *l, int64_t element, int64_t n)
{
    char copies[KERNEL_MAX_PARAMETERS][BLOCK * MOST_BYTES];
    char *at[KERNEL_MAX_PARAMETERS];
    void *p[KERNEL_MAX_PARAMETERS];
    const int last = l->program->form.ndim - 1;
    const int64_t place = locate(l, element, at);
    for (int i = 0; i < l->call->n_parameters; i++) {
        p[i] = at[i];
        if (l->program->form.mode[i] == KERNEL_ALIGNED || l->call->shape[i][last] != 0) continue;
        p[i] = copies[i];
        for (int64_t k = 0; k < n; k++)
            memcpy(copies[i] + k * l->bytes[i], at[i], (size_t)l->bytes[i]);
    }
    l->program->form.tree->loop(n, p, place, l->call->n);
}

void heddle__kernel_run_loop(const struct heddle_kernel_program *program,
                             const struct heddle_kernel_part *call, void *const buffers[],
                             int64_t first, int64_t end)
{
    struct loop l = {.program = program, .call = call, .buffers = buffers};
    const struct kernel_form *const f = &program->form;
    const int64_t row = f->ndim ? call->extent[f->ndim - 1] : 1;
    l.by_rows = call->first < 0;
    for (int i = 0; i < call->n_parameters; i++) {
        l.bytes[i] = (int64_t)heddle_dtype_size((enum heddle_dtype)program->types.symbols[i]);
        l.by_rows |= f->mode[i] == KERNEL_BROADCAST;
    }
    while (first < end) {
        int64_t n = end - first;
        if (l.by_rows) {
            const int64_t left = row - first % row;
            n = n < left ? n : left;
            n = n < BLOCK ? n : BLOCK;
        }
        run_some(&l, first, n);
        first += n;
    }
}
