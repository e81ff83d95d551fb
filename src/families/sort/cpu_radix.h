/* A sort by the most significant digits first (MSD radix sort: P. McIlroy, K. Bostic, M. D. McIlroy, Engineering
 * radix sort, 1993), stable, from one array to another and back, for one type of element. Included with
 *   ELEMENT    the type, and KEY(e), its unsigned key
 *   BY_VECTORS whether there is a VECTOR_SORT(a, n), which sorts elements where they are and is true; else it is false
 *   SORT(name) the name of a function for this type */

/* Bits by which keys differ; 0: all are equal. *sorted: whether they are in order. */
static uint64_t SORT(differing)(const ELEMENT *a, int64_t n, bool *sorted)
{
    uint64_t differ = 0, last = KEY(a[0]);
    const uint64_t first = last;
    bool in_order = true;
    for (int64_t i = 1; i < n; i++) {
        const uint64_t key = KEY(a[i]);
        differ |= key ^ first;
        in_order &= last <= key;
        last = key;
    }
    *sorted = in_order;
    return differ;
}

static void SORT(insertion)(ELEMENT *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const ELEMENT x = a[i];
        int64_t j = i;
        for (; j > 0 && KEY(a[j - 1]) > KEY(x); j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

/* Whether they are in order; looks no further than to where they are not. */
static bool SORT(in_order)(const ELEMENT *a, int64_t n)
{
    int64_t i = 1;
    while (i < n && KEY(a[i - 1]) <= KEY(a[i])) i++;
    return i >= n;
}

/* Sorts a[0..n-1], with b as room, into a, or into b if `to_b`. */
static void SORT(sequential)(ELEMENT *a, ELEMENT *b, int64_t n, bool to_b)
{
    bool sorted = true;
    uint64_t differ = 0;
    if (n <= FEW)
        SORT(insertion)(a, n);
    else if (n > FEW_PASSES || !(SORT(in_order)(a, n) || VECTOR_SORT(a, n)))
        differ = SORT(differing)(a, n, &sorted);
    if (sorted) {
        if (to_b && n > 0) memcpy(b, a, (size_t)n * sizeof *a);
        return;
    }
    const struct digit digit = digit_of(differ, n);
    uint32_t end[BUCKETS] = {0}; /* n < 2^32: a part has fewer elements */
    for (int64_t i = 0; i < n; i++) end[KEY(a[i]) >> digit.shift & digit.mask]++;
    for (uint32_t d = 0, sum = 0; d <= digit.mask; d++) {
        const uint32_t count = end[d];
        end[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) b[end[KEY(a[i]) >> digit.shift & digit.mask]++] = a[i];
    for (uint32_t d = 0, begin = 0; d <= digit.mask; begin = end[d++])
        if (end[d] > begin)
            SORT(sequential)(b + begin, a + begin, (int64_t)(end[d] - begin), !to_b);
}

static uint64_t SORT(key_at)(const void *a, int64_t i)
{
    return KEY(((const ELEMENT *)a)[i]);
}

/* Counts what goes to each part: by bounds, whose parts it notes, or by a digit. Of the digit neighbours have tables of their
 * own, so that none waits for the count of one before it. */
static void SORT(count_block)(void *argument, int64_t from, int64_t to)
{
    const struct partition *p = argument;
    for (int64_t block = from; block < to; block++) {
        const ELEMENT *a = p->from;
        const int64_t end = block_begin(p, block + 1);
        int64_t *count = p->count + block * BUCKETS, i = block_begin(p, block);
        uint32_t some[4][BUCKETS] = {{0}};                /* n < 2^32 */
        for (; i + 4 <= end && p->n_bounds > 0; i += 4) { /* four chains of loads at a time */
            uint32_t part[4] = {0};
            for (uint32_t step = p->widest_step; step > 0; step /= 2)
                for (int t = 0; t < 4; t++)
                    part[t] += KEY(a[i + t]) >= p->bound[part[t] + step - 1] ? step : 0;
            for (int t = 0; t < 4; t++) some[t][p->part[i + t] = (uint8_t)part[t]]++;
        }
        for (; i < end && p->n_bounds > 0; i++) some[0][p->part[i] = part_of(p, KEY(a[i]))]++;
        for (; i + 4 <= end; i += 4)
            for (int t = 0; t < 4; t++) some[t][digit_at(p, KEY(a[i + t]))]++;
        for (; i < end; i++) some[0][digit_at(p, KEY(a[i]))]++;
        for (int d = 0; d < BUCKETS; d++)
            count[d] = (int64_t)some[0][d] + some[1][d] + some[2][d] + some[3][d];
    }
}

/* Moves a block by its parts, with `bucket_of` of an element i. */
#define MOVE(bucket_of)                                                                            \
    for (int64_t i = block_begin(p, block); i < end; i++) {                                        \
        const int bucket = p->bucket[bucket_of];                                                   \
        if (!p->selects || p->keep[bucket]) b[at[bucket]++] = a[i];                                \
    }

static void SORT(move_block)(void *argument, int64_t from, int64_t to)
{
    const struct partition *p = argument;
    for (int64_t block = from; block < to; block++) {
        const ELEMENT *a = p->from;
        ELEMENT *b = p->to;
        int64_t *at = p->count + block * BUCKETS;
        const int64_t end = block_begin(p, block + 1);
        if (p->n_bounds > 0)
            MOVE(p->part[i])
        else
            MOVE(digit_at(p, KEY(a[i])))
    }
}

#undef MOVE

static void SORT(look_at_block)(void *argument, int64_t from, int64_t to)
{
    const struct partition *p = argument;
    const ELEMENT *a = p->from;
    for (int64_t block = from; block < to; block++) {
        /* from the element before it on, so that blocks compare with each other */
        const int64_t begin = block_begin(p, block) - (block > 0);
        bool sorted;
        p->differ[block] = SORT(differing)(a + begin, block_begin(p, block + 1) - begin, &sorted);
        p->in_order[block] = sorted;
    }
}

static void SORT(sort_ranges)(void *argument, int64_t from, int64_t to)
{
    const struct ranges *r = argument;
    for (int64_t i = from; i < to; i++) {
        const struct range *x = &r->at[i];
        ELEMENT *a = x->in_b ? r->b : r->a, *b = x->in_b ? r->a : r->b;
        SORT(sequential)(a + x->begin, b + x->begin, x->n, false);
        r->store(a, r->out, x->begin, x->begin + x->n, r->flip);
        if (r->store_elements)
            r->store_elements(a, r->elements, x->begin, x->begin + x->n, r->flip);
    }
}

static const struct sorter SORT(sorter) = {
    sizeof(ELEMENT),   SORT(key_at),     BY_VECTORS,        SORT(look_at_block),
    SORT(count_block), SORT(move_block), SORT(sort_ranges),
};

#undef ELEMENT
#undef KEY
#undef VECTOR_SORT
#undef SORT
