/* Elements as keys and back (kernel.h), for one dtype. Included with
 *   TYPE       of the element, BITS_TYPE the integer of its bits, KEY_TYPE (uint32_t, uint64_t)
 *   IS_FLOAT   0 or 1; OFFSET: what makes a signed integer's key unsigned, or 0
 *   KEYS(name) the name of a function for this dtype
 * `flip`: all bits for a descending order, else 0. */

#define TOP ((KEY_TYPE)1 << (8 * sizeof(KEY_TYPE) - 1))
#define ALL ((KEY_TYPE) ~(KEY_TYPE)0)

static inline KEY_TYPE KEYS(key)(TYPE x, KEY_TYPE flip)
{
#if IS_FLOAT
    BITS_TYPE bits;
    memcpy(&bits, &x, sizeof bits);
    const KEY_TYPE key = bits ^ (bits & TOP ? ALL : TOP);
    return x != x ? ALL : key ^ flip;
#else
    return ((KEY_TYPE)x ^ OFFSET) ^ flip;
#endif
}

static void KEYS(load)(const void *from, void *to, int64_t begin, int64_t end, uint64_t flip)
{
    const TYPE *in = from;
    KEY_TYPE *out = to;
    for (int64_t i = begin; i < end; i++) out[i] = KEYS(key)(in[i], (KEY_TYPE)flip);
}

static void KEYS(load_positions)(const void *from, void *to, int64_t begin, int64_t end,
                                 uint64_t flip)
{
    const TYPE *in = from;
    for (int64_t i = begin; i < end; i++) {
        const TYPE x = in[i];
        const KEY_TYPE key = KEYS(key)(x == 0 ? 0 : x, (KEY_TYPE)flip); /* -0 is 0 */
        if (sizeof(KEY_TYPE) == 4)
            ((uint64_t *)to)[i] = (uint64_t)key << 32 | (uint64_t)i;
        else
            ((struct pair *)to)[i] = (struct pair){key, (uint64_t)i};
    }
}

static void KEYS(store)(const void *from, void *to, int64_t begin, int64_t end, uint64_t flip)
{
    const KEY_TYPE *in = from;
    TYPE *out = to;
    for (int64_t i = begin; i < end; i++) {
#if IS_FLOAT
        const KEY_TYPE key = in[i] ^ (KEY_TYPE)flip;
        const BITS_TYPE bits = key ^ (key & TOP ? TOP : ALL);
        memcpy(&out[i], &bits, sizeof bits);
        if (in[i] == ALL) out[i] = (TYPE)NAN;
#else
        out[i] = (TYPE)((in[i] ^ (KEY_TYPE)flip) ^ OFFSET);
#endif
    }
}

static const struct keys KEYS(keys) = {KEYS(load), KEYS(load_positions), KEYS(store)};

#undef TOP
#undef ALL
#undef TYPE
#undef BITS_TYPE
#undef KEY_TYPE
#undef IS_FLOAT
#undef OFFSET
#undef KEYS
