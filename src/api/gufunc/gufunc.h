/* What the files of generalised functions share. */
#ifndef HEDDLE_API_GUFUNC_H
#define HEDDLE_API_GUFUNC_H

#include "api/gufunc/signature.h"

#include <heddle/gufunc.h>

/* It belongs to its kernel, whose user it is: the kernel's deleter frees it. A reference is one of the kernel. */
struct heddle_gufunc {
    struct gufunc_signature signature;
    heddle_raw_kernel *kernel;
    heddle_gufunc_function *function;
    void *user;
    void (*deleter)(void *user); /* may be NULL */
};

/* Arguments of the kernel: the arrays, the extents of each, then the extents of the core. */
static inline int gufunc_n(const struct heddle_gufunc *g)
{
    return g->signature.n_in + g->signature.n_out;
}

/* The kernel on a CPU (loop.c): calls the function for runs of items. */
enum heddle_status heddle__gufunc_loop(const struct heddle_raw_launch *launch);
/* The source of the kernel on a GPU (source.c): heddle_items, a thread for each item. To be freed with heddle__free; NULL:
 * no memory. */
char *heddle__gufunc_source(const struct gufunc_signature *s, const char *cuda, const char *name);

#endif
