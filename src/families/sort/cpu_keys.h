/* Elements as keys and back (kernel.h), for one dtype (cpu_dtypes.h). */

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
        const KEY_TYPE key = KEYS(key_of_value)(in[i], (KEY_TYPE)flip);
        if (sizeof(KEY_TYPE) == 4)
            ((uint64_t *)to)[i] = (uint64_t)key << 32 | (uint64_t)i;
        else
            ((struct pair *)to)[i] = (struct pair){key, (uint64_t)i};
    }
}

static inline TYPE KEYS(element)(KEY_TYPE key, KEY_TYPE flip)
{
#if IS_FLOAT
    const KEY_TYPE ordered = key ^ flip;
    const WORD_TYPE bits = ordered ^ (ordered & TOP ? TOP : ALL);
    TYPE x;
    memcpy(&x, &bits, sizeof x);
    return key == ALL ? (TYPE)NAN : x;
#else
    return (TYPE)((key ^ flip) ^ OFFSET);
#endif
}

static void KEYS(store)(const void *from, void *to, int64_t begin, int64_t end, uint64_t flip)
{
    const KEY_TYPE *in = from;
    TYPE *out = to;
    for (int64_t i = begin; i < end; i++) out[i] = KEYS(element)(in[i], (KEY_TYPE)flip);
}

/* The elements of what load_positions made. */
static void KEYS(store_elements)(const void *from, void *to, int64_t begin, int64_t end,
                                 uint64_t flip)
{
    TYPE *out = to;
    for (int64_t i = begin; i < end; i++) {
        const KEY_TYPE key = sizeof(KEY_TYPE) == 4 ? (KEY_TYPE)(((const uint64_t *)from)[i] >> 32)
                                                   : (KEY_TYPE)((const struct pair *)from)[i].key;
        out[i] = KEYS(element)(key, (KEY_TYPE)flip);
    }
}

static const struct keys KEYS(keys) = {KEYS(load), KEYS(load_positions), KEYS(store),
                                       KEYS(store_elements)};
