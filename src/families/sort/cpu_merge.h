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

/* out = *(second ? y : x), without a branch. */
static inline void KEYS(choose)(const TYPE *x, const TYPE *y, bool second, TYPE *out)
{
    WORD_TYPE one, other;
    memcpy(&one, x, sizeof one);
    memcpy(&other, y, sizeof other);
    one = (WORD_TYPE)(one ^ ((one ^ other) & (WORD_TYPE)(0 - (WORD_TYPE)second)));
    memcpy(out, &one, sizeof one);
}

/* What is to be merged: elements a[i..i_end-1] and b[j..j_end-1], to out[to..to_end-1]. */
struct KEYS(rest) {
    int64_t i, i_end, j, j_end, to, to_end;
};

/* Merges from both ends at once, since each step waits for the one before it, as far as neither of two ends; without
 * branches, which the processor could not predict. `values` and `positions`: whether these are written. */
static inline void KEYS(merge_ends)(const struct line *l, const struct piece *a,
                                    const struct piece *b, struct KEYS(rest) * r, bool values,
                                    bool positions)
{
    const TYPE *x = a->at, *y = b->at;
    TYPE *out = l->out;
    const KEY_TYPE flip = (KEY_TYPE)l->flip;
    for (;;) {
        const int64_t n_a = r->i_end - r->i, n_b = r->j_end - r->j;
        if ((n_a < n_b ? n_a : n_b) < 2) return;
        for (int64_t k = (n_a < n_b ? n_a : n_b) / 2; k > 0; k--) {
            const int64_t i = r->i, j = r->j, i_last = r->i_end - 1, j_last = r->j_end - 1;
            const bool second = KEYS(key_by)(y[j], positions, flip) <
                                KEYS(key_by)(x[i], positions, flip),
                       last_first = KEYS(key_by)(y[j_last], positions, flip) <
                                    KEYS(key_by)(x[i_last], positions, flip);
            r->i += !second;
            r->j += second;
            r->i_end -= last_first;
            r->j_end -= !last_first;
            const int64_t to = r->to++, to_last = --r->to_end;
            if (values) {
                KEYS(choose)(&x[i], &y[j], second, &out[to]);
                KEYS(choose)(&y[j_last], &x[i_last], last_first, &out[to_last]);
            }
            if (positions) {
                const int64_t p[4] = {a->positions[i] + a->base, b->positions[j] + b->base,
                                      a->positions[i_last] + a->base,
                                      b->positions[j_last] + b->base};
                l->out_positions[to] = p[0] ^ ((p[0] ^ p[1]) & -(int64_t)second);
                l->out_positions[to_last] = p[3] ^ ((p[2] ^ p[3]) & -(int64_t)last_first);
            }
        }
    }
}

/* One after the other, until all are there. */
static void KEYS(merge_rest)(const struct line *l, const struct piece *a, const struct piece *b,
                             const struct KEYS(rest) * r)
{
    const TYPE *x = a->at, *y = b->at;
    const bool by_value = l->out_positions != NULL;
    for (int64_t i = r->i, j = r->j, to = r->to; to < r->to_end; to++) {
        const bool second =
            i == r->i_end || (j < r->j_end && KEYS(key_by)(y[j], by_value, l->flip) <
                                                  KEYS(key_by)(x[i], by_value, l->flip));
        if (l->out) ((TYPE *)l->out)[to] = second ? y[j] : x[i];
        if (l->out_positions)
            l->out_positions[to] = second ? b->base + b->positions[j] : a->base + a->positions[i];
        j += second;
        i += !second;
    }
}

static void KEYS(merge)(const struct line *l, struct piece a, struct piece b, struct window of,
                        int64_t first)
{
    const TYPE *x = a.at, *y = b.at;
    const int64_t i = KEYS(path)(x, a.n, y, b.n, of.lo, l),
                  i_end = KEYS(path)(x, a.n, y, b.n, of.hi, l);
    struct KEYS(rest) r = {i, i_end, of.lo - i, of.hi - i_end, first + of.lo, first + of.hi};
    if (!l->out_positions)
        KEYS(merge_ends)(l, &a, &b, &r, true, false);
    else if (l->out)
        KEYS(merge_ends)(l, &a, &b, &r, true, true);
    else
        KEYS(merge_ends)(l, &a, &b, &r, false, true);
    KEYS(merge_rest)(l, &a, &b, &r);
}

static const struct merger KEYS(merger) = {KEYS(count), KEYS(merge)};
