/* The numbers of a call, for both twins. Entry points: heddle__kernel_fill, heddle__kernel_cleared. */
#include "families/kernel/kernel.h"

#include <stdint.h>

static int64_t size_of_raw(const struct heddle_kernel_program *program,
                           const struct heddle_kernel_part *call, int parameter)
{
    int64_t size = 1;
    for (int d = 0; d < program->form.ndims[parameter]; d++) size *= call->shape[parameter][d];
    return size;
}

/* Of the elements that come before the part of an argument. */
static int64_t bytes_before(const struct heddle_kernel_program *program,
                            const struct heddle_kernel_part *call, int parameter)
{
    return program->form.mode[parameter] != KERNEL_ROWS
               ? 0
               : call->rows_before * (int64_t)heddle_dtype_size(
                                         (enum heddle_dtype)program->types.symbols[parameter]);
}

const struct heddle_kernel_program *heddle__kernel_fill(const struct heddle_kernel_part *call,
                                                        const struct heddle_kernel_context *k,
                                                        int64_t slots[])
{
    const struct heddle_kernel_program *const program =
        (const struct heddle_kernel_program *)k->objects[call->program];
    const struct kernel_form *const f = &program->form;
    slots[KERNEL_SLOT_SIZE] = call->n;
    slots[KERNEL_SLOT_FIRST] = call->first;
    int64_t *to = slots + KERNEL_SLOT_AXES;
    for (int d = 0; d < f->ndim; d++) {
        *to++ = call->lo[d];
        *to++ = call->extent[d];
        *to++ = call->weight[d];
    }
    for (int i = 0; i < call->n_parameters; i++) {
        *to++ = (int64_t)(intptr_t)k->buffers[call->buffer[i]] - bytes_before(program, call, i);
        if (f->mode[i] == KERNEL_RAW) *to++ = size_of_raw(program, call, i);
        if (f->mode[i] == KERNEL_ROWS) *to++ = call->rows_size;
        const int n = heddle__kernel_by_index(f->mode[i]) ? f->ndims[i]
                      : f->mode[i] == KERNEL_BROADCAST    ? f->ndim
                                                          : 0;
        for (int d = 0; d < n; d++) *to++ = call->shape[i][d];
    }
    return program;
}

size_t heddle__kernel_cleared(const struct heddle_kernel_program *program,
                              const struct heddle_kernel_part *call, int parameter)
{
    const struct kernel_form *const f = &program->form;
    if (parameter < f->tree->n_in || f->mode[parameter] != KERNEL_RAW) return 0;
    return (size_t)size_of_raw(program, call, parameter) *
           heddle_dtype_size((enum heddle_dtype)program->types.symbols[parameter]);
}
