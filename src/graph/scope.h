/* Scopes inside the library: a function made of other functions opens one on its own stack, so that
 * its temporaries die with it. */
#ifndef HEDDLE_GRAPH_SCOPE_H
#define HEDDLE_GRAPH_SCOPE_H

#include "graph/node.h"

#include <pthread.h>

struct heddle_scope_state {
    struct heddle_scope_state *outer;
    int64_t first;  /* where its references begin in the thread's list */
    bool allocated; /* by heddle_scope_open */
    /* In the checked mode: */
    bool closed;
    uint64_t number; /* 1, 2, ...; 0: none */
    pthread_t owner;
    struct heddle_scope_state *older; /* of all that were opened */
};

void heddle__scope_enter(struct heddle_scope_state *scope);
/* The number of the scope that this thread is closing; 0: none. */
uint64_t heddle__closing_scope(void);
/* Closes the scope and hands `result`, an array made in it or an argument, to the outer one. NULL: nothing. */
heddle_array *heddle__scope_leave(struct heddle_scope_state *scope, heddle_array *result);

#endif
