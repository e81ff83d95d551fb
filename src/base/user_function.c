/* Entry points: user_function.h. */
#include "base/user_function.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int n_deleting;
static atomic_bool ended;

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
    atomic_fetch_add(&n_deleting, 1);
    if (!atomic_load(&ended) || deleter == heddle__free) deleter(user);
    atomic_fetch_sub(&n_deleting, 1);
    heddle__in_user_function = before;
}

bool heddle__end_deleters(int milliseconds)
{
    atomic_store(&ended, true);
    for (; atomic_load(&n_deleting) > 0 && milliseconds > 0; milliseconds--) usleep(1000);
    return atomic_load(&n_deleting) == 0;
}
