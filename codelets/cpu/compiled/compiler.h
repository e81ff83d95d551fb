/* The machine's C compiler: sources to shared objects. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_COMPILER_H
#define HEDDLE_CODELETS_CPU_COMPILED_COMPILER_H

#include <stdatomic.h>
#include <stddef.h>

/* The environment as it was at a call: what other threads do to it meanwhile does not matter. */
struct heddle__environment {
    char **names; /* "NAME=value", then NULL: one block, heddle__free_pooled it */
};
/* Without memory: nothing is in it. */
struct heddle__environment heddle__environment_now(void);
const char *heddle__environment_get(const struct heddle__environment *e, const char *name);

/* Compiles a text to the bytes of a shared object, which heddle__free frees: by what HEDDLE_CC names, else by the usual
 * compilers, until one does. `options` (NULL at the end) are beside those that all loops have. NULL: there is none, it
 * failed, took too long, or *stop (may be NULL) became true. */
char *heddle__run_compilers(const struct heddle__environment *e, const char *source,
                            const char *const *options, const atomic_bool *stop, size_t *size);

#endif
