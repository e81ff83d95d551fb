/* Whether this thread runs a function of the user's, called by a task. */
#ifndef HEDDLE_BASE_USER_FUNCTION_H
#define HEDDLE_BASE_USER_FUNCTION_H

#include "base/error.h"
#include "base/thread.h"

#include <stdbool.h>

extern HEDDLE_THREAD_LOCAL bool heddle__in_user_function;

/* HEDDLE_EARG inside such a function: what `caller` waits for may be this very task. */
enum heddle_status heddle__refuse_in_function(const char *caller);

#endif
