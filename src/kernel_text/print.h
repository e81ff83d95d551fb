/* What the files share that print sources. */
#ifndef HEDDLE_KERNEL_TEXT_PRINT_H
#define HEDDLE_KERNEL_TEXT_PRINT_H

#include "base/text.h"
#include "kernel_text/form.h"

struct print {
    struct heddle_text text;
    const struct kernel_form *form;
    const struct kernel_helper *helper; /* in whose body it is, or NULL */
    bool cuda;
};

/* Of an ELEMENT "p3, n3, (index)". */
void heddle__print_place(struct print *p, const struct kernel_node *n);

/* An expression in its type, and converted. */
void heddle__print_value(struct print *p, const struct kernel_node *n);
void heddle__print_as(struct print *p, const struct kernel_node *n, enum heddle_dtype to);

#endif
