/* What compares the elements of runs (cpu_line.c), for one dtype (cpu_dtypes.h). */

static inline KEY_TYPE KEYS(key_by)(TYPE x, bool by_value, uint64_t flip)
{
    return by_value ? KEYS(key_of_value)(x, (KEY_TYPE)flip) : KEYS(key)(x, (KEY_TYPE)flip);
}

/* Counts what is before sample i of a run. Equal elements of runs before it are before it. */
static struct count KEYS(count)(const struct boundary *b, int run, int64_t i)
{
    const TYPE *in = b->in;
    const KEY_TYPE key = KEYS(key_by)(in[b->of[run].first + i], b->by_value, b->flip);
    const int64_t own = end_of(&b->of[run], i, b->gap) - 1;
    struct count c = {own, own};
    for (int other = 0; other < b->n_runs; other++) {
        const struct samples *x = &b->of[other];
        int64_t lo = 0, hi = x->n;
        if (other == run) continue;
        while (lo < hi) {
            const int64_t at = lo + (hi - lo) / 2;
            const KEY_TYPE y = KEYS(key_by)(in[x->first + at], b->by_value, b->flip);
            if (y < key || (y == key && other < run))
                lo = at + 1;
            else
                hi = at;
        }
        add_count(&c, x, lo, b->gap);
    }
    return c;
}

/* How many of the first n elements of two sequences in order, a before equal ones of b, are of a (S. Odeh, O. Green,
 * Z. Mwassi, O. Shmueli, Y. Birk, Merge path, 2012). */
static int64_t KEYS(path)(const TYPE *a, int64_t n_a, const TYPE *b, int64_t n_b, int64_t n,
                          const struct line *l)
{
    const bool by_value = l->s->sort.positions;
    int64_t lo = n > n_b ? n - n_b : 0, hi = n < n_a ? n : n_a;
    while (lo < hi) {
        const int64_t i = lo + (hi - lo) / 2;
        if (KEYS(key_by)(b[n - 1 - i], by_value, l->flip) < KEYS(key_by)(a[i], by_value, l->flip))
            hi = i;
        else
            lo = i + 1;
    }
    return lo;
}

/* Merges the first n elements. */
static void KEYS(merge_values)(const TYPE *a, const TYPE *a_end, const TYPE *b, const TYPE *b_end,
                               TYPE *out, int64_t n, KEY_TYPE flip)
{
    const TYPE *const end = out + n;
    while (out < end && a < a_end && b < b_end) {
        const bool second = KEYS(key)(*b, flip) < KEYS(key)(*a, flip);
        *out++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    memcpy(out, a < a_end ? a : b, (size_t)(end - out) * sizeof *out);
}

/* The same from element i of a and j of b, beside positions; `out` may be NULL. */
static void KEYS(merge_pairs)(const struct piece *a, int64_t i, const struct piece *b, int64_t j,
                              TYPE *out, int64_t *positions, int64_t n, KEY_TYPE flip)
{
    const TYPE *x = a->at, *y = b->at;
    for (int64_t k = 0; k < n; k++) {
        const bool second = i == a->n || (j < b->n && KEYS(key_of_value)(y[j], flip) <
                                                          KEYS(key_of_value)(x[i], flip));
        positions[k] = second ? b->base + b->positions[j] : a->base + a->positions[i];
        if (out) out[k] = second ? y[j] : x[i];
        j += second;
        i += !second;
    }
}

static void KEYS(merge)(const struct line *l, struct piece a, struct piece b, struct window of,
                        int64_t first)
{
    const TYPE *x = a.at, *y = b.at;
    TYPE *out = l->out ? (TYPE *)l->out + first + of.lo : NULL;
    const KEY_TYPE flip = (KEY_TYPE)l->flip;
    const int64_t i = KEYS(path)(x, a.n, y, b.n, of.lo, l), j = of.lo - i, n = of.hi - of.lo;
    if (l->out_positions)
        KEYS(merge_pairs)(&a, i, &b, j, out, l->out_positions + first + of.lo, n, flip);
    else
        KEYS(merge_values)(x + i, x + a.n, y + j, y + b.n, out, n, flip);
}

static const struct merger KEYS(merger) = {KEYS(count), KEYS(merge)};
