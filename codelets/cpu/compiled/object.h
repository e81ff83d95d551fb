/* Shared objects made of C sources, kept in memory for good and on disk. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_OBJECT_H
#define HEDDLE_CODELETS_CPU_COMPILED_OBJECT_H

#include "cpu/compiled/compiler.h"

#include <stdbool.h>
#include <stdint.h>

/* What one is made of. */
struct heddle__object_source {
    const char *text;
    const char *const *options; /* for the compiler, NULL at the end */
    const struct heddle__environment *environment;
};
struct heddle__object_key {
    uint64_t hash[2];
};
/* All that the object depends on: the processor, too. */
struct heddle__object_key heddle__object_key(const struct heddle__object_source *source);

/* What dlsym takes; never closed. NULL: it is not on disk; it cannot be compiled. */
void *heddle__object_read(struct heddle__object_key key);
void *heddle__object_make(const struct heddle__object_source *source, struct heddle__object_key key,
                          const atomic_bool *stop);

/* Where they are kept, NULL: nowhere; filled by src/run. */
extern const char *(*heddle__object_folder)(void);

#endif
