/* Scopes inside the library: a function made of other functions opens one on its own stack, so that
 * its temporaries die with it. */
#ifndef HEDDLE_GRAPH_SCOPE_H
#define HEDDLE_GRAPH_SCOPE_H

#include "graph/node.h"

struct heddle_scope_state {
    struct heddle_scope_state *outer;
    int64_t first;  /* where its references begin in the thread's list */
    bool allocated; /* by heddle_scope_open */
};

void heddle__scope_enter(struct heddle_scope_state *scope);
/* Closes the scope and hands `result`, an array made in it or an argument, to the outer one. */
heddle_array *heddle__scope_leave(struct heddle_scope_state *scope, heddle_array *result);

#endif
