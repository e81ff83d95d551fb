/* Entry points: user_function.h. */
#include "base/user_function.h"

HEDDLE_THREAD_LOCAL bool heddle__in_user_function;

enum heddle_status heddle__refuse_in_function(const char *caller)
{
    HEDDLE_REQUIRE(
        !heddle__in_user_function, HEDDLE_EARG,
        "heddle_%s: called by a function of heddle_map_parts or a deleter, which may not", caller);
    return HEDDLE_OK;
}

void heddle__call_deleter(void (*deleter)(void *user), void *user)
{
    if (!deleter) return;
    const bool before = heddle__in_user_function;
    heddle__in_user_function = true;
    deleter(user);
    heddle__in_user_function = before;
}
