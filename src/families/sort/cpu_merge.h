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

/* Merges to out[0..n-1]; a and b have as many at least. */
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

/* The same beside positions, which follow `a_at` and `b_at`; `out` may be NULL. */
static void KEYS(merge_pairs)(const TYPE *a, int64_t n_a, const int64_t *a_at, const TYPE *b,
                              int64_t n_b, const int64_t *b_at, TYPE *out, int64_t *out_at,
                              int64_t n, KEY_TYPE flip)
{
    for (int64_t k = 0, i = 0, j = 0; k < n; k++) {
        const bool second = i == n_a || (j < n_b && KEYS(key_of_value)(b[j], flip) <
                                                        KEYS(key_of_value)(a[i], flip));
        out_at[k] = second ? b_at[j] : a_at[i];
        if (out) out[k] = second ? b[j] : a[i];
        j += second;
        i += !second;
    }
}

/* Elements from..to-1 of what a[0..n_a-1] and b[0..n_b-1], which begin at element `first` of the buffers, make. */
static void KEYS(merge_part)(const struct line *l, int64_t first, int64_t n_a, int64_t n_b,
                             int64_t from, int64_t to)
{
    const TYPE *a = (const TYPE *)l->in + first, *b = a + n_a;
    TYPE *out = l->out ? (TYPE *)l->out + first + from : NULL;
    const int64_t i = KEYS(path)(a, n_a, b, n_b, from, l), j = from - i;
    if (l->out_positions) KEYS(merge_pairs)
    (a + i, n_a - i, l->in_positions + first + i, b + j, n_b - j, l->in_positions + first + n_a + j,
     out, l->out_positions + first + from, to - from, (KEY_TYPE)l->flip);
    else KEYS(merge_values)(a + i, a + n_a, b + j, b + n_b, out, to - from, (KEY_TYPE)l->flip);
}

/* Tiles of the result: what each pair of neighbours, of l->width runs each, has there. */
static void KEYS(merge_tiles)(void *argument, int64_t from, int64_t to)
{
    const struct line *l = argument;
    const int64_t k = l->s->n_runs, n = l->s->sort.n;
    int64_t at[HEDDLE_SORT_RUNS + 1];
    for (int64_t i = from; i < to; i++) {
        const int64_t row = i / l->tiles;
        const struct window tile = tile_of(l, i, n);
        if (i == from || i % l->tiles == 0) find_pieces(l, row, at);
        for (int64_t run = 0; run < k; run += 2 * l->width) {
            const int64_t middle = run + l->width < k ? run + l->width : k,
                          next = run + 2 * l->width < k ? run + 2 * l->width : k,
                          first = at[run] > tile.lo ? at[run] : tile.lo,
                          end = at[next] < tile.hi ? at[next] : tile.hi;
            if (first < end) KEYS(merge_part)
            (l, row * n + at[run], at[middle] - at[run], at[next] - at[middle], first - at[run],
             end - at[run]);
        }
    }
}

static const struct merger KEYS(merger) = {KEYS(count), KEYS(merge_tiles)};
