/* The slots of a run. Entry points: form.h. */
#include "kernel_text/form.h"

int heddle__kernel_slot(const struct kernel_form *form, int parameter)
{
    int slot = KERNEL_SLOT_AXES + 3 * form->ndim;
    for (int i = 0; i < parameter; i++)
        slot += form->mode[i] == KERNEL_ALIGNED     ? 1
                : form->mode[i] == KERNEL_BROADCAST ? 1 + form->ndim
                                                    : 2 + form->ndims[i];
    return slot;
}

int heddle__kernel_n_slots(const struct kernel_form *form)
{
    return heddle__kernel_slot(form, form->tree->n_in + form->tree->n_out);
}

bool heddle__kernel_needs_indices(const struct kernel_form *form)
{
    bool needs = form->tree->uses_index;
    for (int i = 0; i < form->tree->n_in; i++) needs |= form->mode[i] == KERNEL_BROADCAST;
    return needs;
}
