/* Structs that begin with their size: as many bytes as the caller's and ours have. Entry points: options.h. */
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

/* `ours`: the size of this version's struct. */
static enum heddle_status read_size(const char *name, const void *given, size_t ours, size_t *size)
{
    memcpy(size, given, sizeof *size);
    /* 0 is the struct of 0.1. All structs are as they were in it; one that grows has to say here what its
     * size was. */
    if (*size == 0) *size = ours;
    HEDDLE_REQUIRE(*size >= sizeof *size && *size <= MAX_SIZE, HEDDLE_EARG,
                   "heddle_%s: options of %zu bytes: .size is sizeof the struct, or 0", name,
                   *size);
    return HEDDLE_OK;
}

enum heddle_status heddle__options(const char *name, const void *given, void *out, size_t size)
{
    size_t its;
    memset(out, 0, size);
    if (!given) return HEDDLE_OK;
    const enum heddle_status status = read_size(name, given, size, &its);
    if (status != HEDDLE_OK) return status;
    memcpy(out, given, its < size ? its : size);
    HEDDLE_REQUIRE(its <= size || all_zero((const char *)given + size, its - size), HEDDLE_EARG,
                   "heddle_%s: options of a newer version: %zu bytes, of which %zu are known", name,
                   its, size);
    return HEDDLE_OK;
}

enum heddle_status heddle__options_out(const char *name, const void *from, size_t size, void *out)
{
    size_t its;
    const enum heddle_status status = read_size(name, out, size, &its);
    if (status != HEDDLE_OK) return status;
    memcpy(out, from, its < size ? its : size);
    if (its > size) memset((char *)out + size, 0, its - size);
    return HEDDLE_OK;
}
