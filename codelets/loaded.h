/* Where a kernel of a module is on one GPU, so that launches need not ask for it again (cuda/modules.h). */
#ifndef HEDDLE_CODELETS_LOADED_H
#define HEDDLE_CODELETS_LOADED_H

#include <stdatomic.h>

enum { HEDDLE_LOADED_DEVICES = 64 };

/* Zeroed: nowhere yet. */
struct heddle_loaded {
    atomic_uint generation; /* of the loaded modules: those before are gone; 0: none */
    _Atomic(void *) kernel;
};

#endif
