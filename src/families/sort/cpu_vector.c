/* The choice of a sort by vectors (cpu_highway.cpp) for the instruction set of this processor. Entry points:
 * cpu_vector.h. */
#include "families/sort/cpu_vector.h"

#if HEDDLE_HAVE_HIGHWAY

#include "kernels.h"

#include <string.h>

#define DECLARE(isa)                                                                               \
    void heddle__highway_32_##isa(uint32_t *keys, int64_t n);                                      \
    void heddle__highway_64_##isa(uint64_t *keys, int64_t n);
DECLARE(avx2)
DECLARE(avx512)

bool heddle__vector_sorts(void)
{
    return strcmp(heddle__cpu_isa(), "baseline") != 0;
}

bool heddle__vector_sort_32(uint32_t *keys, int64_t n)
{
    const char *isa = heddle__cpu_isa();
    if (!strcmp(isa, "avx512"))
        heddle__highway_32_avx512(keys, n);
    else if (!strcmp(isa, "avx2"))
        heddle__highway_32_avx2(keys, n);
    else
        return false;
    return true;
}

bool heddle__vector_sort_64(uint64_t *keys, int64_t n)
{
    const char *isa = heddle__cpu_isa();
    if (!strcmp(isa, "avx512"))
        heddle__highway_64_avx512(keys, n);
    else if (!strcmp(isa, "avx2"))
        heddle__highway_64_avx2(keys, n);
    else
        return false;
    return true;
}

#else

bool heddle__vector_sorts(void)
{
    return false;
}

bool heddle__vector_sort_32(uint32_t *keys, int64_t n)
{
    (void)keys;
    (void)n;
    return false;
}

bool heddle__vector_sort_64(uint64_t *keys, int64_t n)
{
    (void)keys;
    (void)n;
    return false;
}

#endif
