/* The key of an element (kernel.h), for one dtype, around the file FOR_DTYPE. Included with
 *   TYPE       of the element, WORD_TYPE the unsigned integer of its size, KEY_TYPE (uint32_t, uint64_t)
 *   IS_FLOAT   0 or 1; OFFSET: what makes a signed integer's key unsigned, or 0
 *   KEYS(name) the name of a function for this dtype
 * `flip`: all bits for a descending order, else 0. */

#define TOP ((KEY_TYPE)1 << (8 * sizeof(KEY_TYPE) - 1))
#define ALL ((KEY_TYPE) ~(KEY_TYPE)0)

/* Without branches, which the processor could not predict. */
static inline KEY_TYPE KEYS(key)(TYPE x, KEY_TYPE flip)
{
#if IS_FLOAT
    WORD_TYPE bits;
    memcpy(&bits, &x, sizeof bits);
    const KEY_TYPE negative = (KEY_TYPE)0 - (bits >> (8 * sizeof bits - 1)),
                   nan = (KEY_TYPE)0 - (KEY_TYPE)(x != x);
    return (bits ^ (negative | TOP) ^ flip) | nan;
#else
    return ((KEY_TYPE)x ^ OFFSET) ^ flip;
#endif
}

/* The key beside positions: -0 is 0. */
static inline KEY_TYPE KEYS(key_of_value)(TYPE x, KEY_TYPE flip)
{
    return KEYS(key)(x == 0 ? 0 : x, flip);
}

#include FOR_DTYPE

#undef TOP
#undef ALL
#undef TYPE
#undef WORD_TYPE
#undef KEY_TYPE
#undef IS_FLOAT
#undef OFFSET
#undef KEYS
