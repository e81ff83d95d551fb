/* Where a shared library finds a function of another one: a slot that the loader filled in. */
#ifndef HEDDLE_BASE_IMPORT_H
#define HEDDLE_BASE_IMPORT_H

#include <stdbool.h>

/* A slot that leads elsewhere for a while; zeros: none does. */
struct heddle_import {
    void (**slot)(void);
    void (*before)(void);
    bool is_constant; /* the loader made it read-only */
};

/* Calls of the function `name`, by the library that has the function `inside`, go to `to` from now on. False: the
 * library has no such slot, or it cannot be written; nothing has changed. */
bool heddle__import_redirect(struct heddle_import *import, void (*inside)(void), const char *name,
                             void (*to)(void));
void heddle__import_restore(struct heddle_import *import);

#endif
