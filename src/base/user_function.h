/* Whether this thread runs a function of the user's that Heddle called: one over a part, or a deleter. */
#ifndef HEDDLE_BASE_USER_FUNCTION_H
#define HEDDLE_BASE_USER_FUNCTION_H

#include "base/error.h"
#include "base/thread.h"

#include <stdbool.h>

extern HEDDLE_THREAD_LOCAL bool heddle__in_user_function;

/* HEDDLE_EARG inside such a function: what `caller` waits for may be this very task, and the lock that it
 * needs may be held around it. */
enum heddle_status heddle__refuse_in_function(const char *caller);
/* Calls a deleter as such a function. NULL is ignored. */
void heddle__call_deleter(void (*deleter)(void *user), void *user);
/* The process exits: no more of the user's are called, since what they need may be gone, such as an interpreter. False if one
 * is still running after that time: it may wait for what never comes. */
bool heddle__end_deleters(int milliseconds);

#endif
