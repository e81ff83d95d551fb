/* The switch of the checked mode. Entry points: checked.h. */
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

atomic_int heddle__check_mode = -1;

void heddle__check_set(bool on)
{
    atomic_store(&heddle__check_mode, on);
}

bool heddle__check_find_out(void)
{
    const char *value = getenv("HEDDLE_CHECK");
    heddle__check_set(value && !strcmp(value, "1"));
    return atomic_load(&heddle__check_mode) > 0;
}
