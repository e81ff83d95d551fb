/* Reads a caller's options: as many bytes as its struct has and ours can take. Entry point: options.h. */
#include "base/options.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_SIZE = 1 << 16 }; /* more is no struct, but a struct whose size was never set */

static bool all_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i]) return false;
    return true;
}

enum heddle_status heddle__options(const char *name, const void *given, void *out, size_t size)
{
    memset(out, 0, size);
    if (!given) return HEDDLE_OK;
    size_t its;
    memcpy(&its, given, sizeof its);
    /* 0 is the struct of 0.1. All structs are as they were in it; one that grows has to say here what its
     * size was. */
    if (its == 0) its = size;
    HEDDLE_REQUIRE(its >= sizeof its && its <= MAX_SIZE, HEDDLE_EARG,
                   "heddle_%s: options of %zu bytes: .size is sizeof the struct, or 0", name, its);
    memcpy(out, given, its < size ? its : size);
    HEDDLE_REQUIRE(its <= size || all_zero((const char *)given + size, its - size), HEDDLE_EARG,
                   "heddle_%s: options of a newer version: %zu bytes, of which %zu are known", name,
                   its, size);
    return HEDDLE_OK;
}
