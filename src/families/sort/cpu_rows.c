/* Sorting rows on the CPU, compiled once for each instruction set (ISA): elements become keys, keys are sorted by vectors or by
 * their digits (cpu_radix.h), and become elements or positions again. Rows are shared among the threads; a long one is cut into
 * parts by all of them, which each then sorts. Where only some ranks are wanted, parts that have none of them are left alone,
 * and the first ones are cut by what a sample says of these ranks (after R. W. Floyd, R. L. Rivest, Expected time bounds for
 * selection, 1975). Entry point: heddle__sort_rows_<ISA>. */
#include "families/sort/cpu_highway.h"
#include "families/sort/cpu_sort.h"

#include "base/memory.h"
#include "base/share.h"
#include "kernels.h"

#include <math.h>
#include <string.h>

enum {
    FEW = 32,      /* elements: sorted by insertion */
    BUCKETS = 256, /* of a digit */
    FEW_PASSES =
        1
        << 23, /* elements: of more, which are cut by a digit first, vectors read memory too often */
    SOME = 2048, /* elements: fewer have smaller digits, as counts of buckets cost, too */
};

struct digit {
    int shift;
    uint32_t mask;
};

/* The digit at the highest bit in which keys differ. */
static struct digit digit_of(uint64_t differ, int64_t n)
{
    const int highest = 63 - __builtin_clzll(differ), bits = n < SOME ? 5 : 8;
    return (struct digit){highest >= bits ? highest + 1 - bits : 0, (1u << bits) - 1};
}

/* ---- One pass of a team over a range ------------------------------------------------------------------ */

struct partition {
    const void *from;
    void *to;
    int64_t n, blocks;
    struct digit digit;
    int n_bounds; /* 0: cut by the digit; else the part is how many bounds are not above a key */
    uint32_t
        widest_step; /* 1, 2 ... 128: of a search among 2 * it - 1, the last ones the largest key */
    uint64_t bound[BUCKETS];
    uint8_t *part;           /* of each element, by bounds */
    bool selects;            /* what is not kept is not moved */
    bool keep[BUCKETS];      /* of a bucket */
    uint8_t bucket[BUCKETS]; /* of a digit or a part */
    int64_t *count;          /* [blocks][BUCKETS] by digit; then where each block's go, by bucket */
    uint64_t *differ;        /* [blocks] */
    bool *in_order;          /* [blocks] */
};

static int64_t block_begin(const struct partition *p, int64_t block)
{
    return p->n * block / p->blocks;
}

static uint8_t digit_at(const struct partition *p, uint64_t key)
{
    return (uint8_t)(key >> p->digit.shift & p->digit.mask);
}

/* A binary search of one step for each bit of the part, none of which branches. */
static uint8_t part_of(const struct partition *p, uint64_t key)
{
    uint32_t part = 0;
    for (uint32_t step = p->widest_step; step > 0; step /= 2)
        part += key >= p->bound[part + step - 1] ? step : 0;
    return (uint8_t)part;
}

typedef void convert_function(const void *from, void *to, int64_t begin, int64_t end,
                              uint64_t flip);

/* Elements of a row of which one thread sorts the rest, and stores it. */
struct range {
    int64_t begin, n;
    bool in_b; /* they are in b, else in a */
};
struct ranges {
    void *a, *b, *out, *elements;
    convert_function *store, *store_elements; /* the second: positions, with elements */
    uint64_t flip;
    struct range *at;
    int64_t n, room;
};

struct sorter {
    size_t size; /* of an element */
    uint64_t (*key_at)(const void *a, int64_t i);
    bool by_vectors;
    heddle_team_body *look, *count, *move;
    heddle_team_body *sort; /* ranges */
};

struct pair {
    uint64_t key, position;
};

#define ELEMENT uint32_t
#define KEY(e) (e)
#define VECTOR_SORT(a, n) SORT_BY_HIGHWAY(32, a, n)
#define SORT(name) name##_32
#include "cpu_radix.h"

#define ELEMENT uint64_t
#define KEY(e) (e)
#define VECTOR_SORT(a, n) SORT_BY_HIGHWAY(64, a, n)
#define SORT(name) name##_64
#include "cpu_radix.h"

#define ELEMENT struct pair
#define KEY(e) ((e).key)
#undef BY_VECTORS
#define BY_VECTORS false
#define VECTOR_SORT(a, n) false
#define SORT(name) name##_pair
#include "cpu_radix.h"

/* ---- Keys ---------------------------------------------------------------------------------------------- */

struct keys {
    convert_function *load, *load_positions, *store, *store_elements;
};

#define FOR_DTYPE "families/sort/cpu_keys.h"
#include "families/sort/cpu_dtypes.h"

static const struct keys *const keys_of[HEDDLE_N_DTYPES] = SORT_BY_DTYPE(keys);

#define STORE_POSITIONS(name, Element, position)                                                   \
    static void name(const void *from, void *to, int64_t begin, int64_t end, uint64_t flip)        \
    {                                                                                              \
        (void)flip;                                                                                \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const Element e = ((const Element *)from)[i];                                          \
            ((int64_t *)to)[i] = (int64_t)(position);                                              \
        }                                                                                          \
    }
STORE_POSITIONS(store_positions_32, uint64_t, e &UINT32_MAX)
STORE_POSITIONS(store_positions_64, struct pair, e.position)

/* ---- Rows ---------------------------------------------------------------------------------------------- */

struct job {
    const struct heddle_sort *s;
    const struct sorter *sorter;
    convert_function *load, *store, *store_elements;
    uint64_t flip;
    const char *in;
    char *out, *elements, *scratch;
    size_t out_size;
    struct heddle_team *team;
    /* what all convert together */
    const void *from;
    void *to;
    int64_t begin, end;
    convert_function *convert;
};

static const void *row_in(const struct job *j, int64_t row)
{
    return j->in + row * j->s->n * j->s->element_bytes;
}

static void *row_out(const struct job *j, int64_t row)
{
    return j->out + row * j->s->n * (int64_t)j->out_size;
}

static void *row_elements(const struct job *j, int64_t row)
{
    return j->elements ? j->elements + row * j->s->n * j->s->element_bytes : NULL;
}

/* Rows, one thread's way through them. */
struct rows {
    struct job *job;
    struct heddle__shares shares;
};

static void sort_rows(void *argument, int thread)
{
    struct rows *r = argument;
    struct job *j = r->job;
    const int64_t n = j->s->n;
    const size_t bytes = (size_t)n * j->sorter->size;
    char *a = j->scratch + 2 * bytes * (size_t)thread;
    struct heddle__taker taker = heddle__taker(&r->shares, thread);
    for (int64_t from, to; heddle__take(&taker, &from, &to);)
        for (int64_t row = from; row < to; row++) {
            struct range whole = {0, n, false};
            struct ranges all = {.a = a,
                                 .b = a + bytes,
                                 .out = row_out(j, row),
                                 .elements = row_elements(j, row),
                                 .store = j->store,
                                 .store_elements = j->store_elements,
                                 .flip = j->flip,
                                 .at = &whole,
                                 .n = 1};
            j->load(row_in(j, row), a, 0, n, j->flip);
            j->sorter->sort(&all, 0, 1);
        }
}

enum { PIECE = 1 << 14 };

static void convert_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const int64_t begin = j->begin + from * PIECE, end = j->begin + to * PIECE;
    j->convert(j->from, j->to, begin, end < j->end ? end : j->end, j->flip);
}

/* Elements begin .. begin+n-1, by all threads. */
static void convert(struct job *j, convert_function *f, const void *from, void *to, int64_t begin,
                    int64_t n)
{
    j->from = from;
    j->to = to;
    j->begin = begin;
    j->end = begin + n;
    j->convert = f;
    heddle__share(j->team, heddle__team_size(j->team), (n + PIECE - 1) / PIECE, convert_pieces, j);
}

static bool add_range(struct ranges *r, int64_t begin, int64_t n, bool in_b)
{
    if (n == 0) return true;
    if (r->n == r->room && !heddle__grow(&r->at, sizeof *r->at, r->n + 1, &r->room)) return false;
    r->at[r->n++] = (struct range){begin, n, in_b};
    return true;
}

/* Whether one of the elements that will be from `begin` on is wanted. */
static bool is_wanted(const struct job *j, int64_t begin, int64_t n)
{
    const struct heddle_sort_wanted *w = &j->s->wanted;
    for (int i = 0; i < w->n; i++)
        if (begin < w->ranks[i][1] && w->ranks[i][0] < begin + n) return true;
    return w->n == 0;
}

/* Whether the bucket that begins at `begin` goes on with the digit of the next `n` elements. Of some wanted ranks: what is
 * left alone goes to one bucket, each digit that is not has its own. */
static bool goes_on(const struct job *j, int64_t begin, int64_t so_far, int64_t n, int64_t enough)
{
    if (j->s->wanted.n == 0) return so_far < enough && n < enough; /* never all in one */
    return !is_wanted(j, begin, so_far + n);
}

/* The buckets of digits, and in which element each block's begin. What vectors sort goes to few buckets, neighbours
 * together, since memory likes few streams; what is sorted by digits has done one, then. False: memory is gone. */
static bool make_buckets(const struct job *j, struct partition *p, const struct range *x,
                         struct ranges *ranges)
{
    const int64_t enough = j->sorter->by_vectors ? p->n / (8 * heddle__team_size(j->team)) : 0;
    int64_t sum = 0, total[BUCKETS] = {0};
    for (int64_t i = 0; i < p->blocks; i++)
        for (int d = 0; d < BUCKETS; d++) total[d] += p->count[i * BUCKETS + d];
    for (int d = 0, n = 0; d < BUCKETS; n++) {
        const int64_t begin = sum;
        const int first = d;
        do {
            sum += total[d];
            p->bucket[d++] = (uint8_t)n;
        } while (d < BUCKETS && goes_on(j, x->begin + begin, sum - begin, total[d], enough));
        int64_t at = begin;
        for (int64_t i = 0; i < p->blocks; i++) {
            int64_t count = 0;
            for (int k = first; k < d; k++) count += p->count[i * BUCKETS + k];
            p->count[i * BUCKETS + n] = at;
            at += count;
        }
        p->keep[n] = is_wanted(j, x->begin + begin, sum - begin);
        if (!add_range(ranges, x->begin + begin, sum - begin, !x->in_b)) return false;
    }
    return true;
}

/* A sample of the keys of a whole row, in order: one of each stretch, as data may repeat with any period; *was_in_order:
 * whether they were before. NULL: memory is gone. */
static uint64_t *sample_of(const struct job *j, const struct partition *p, int64_t n,
                           bool *was_in_order)
{
    uint64_t *sample = heddle__alloc(2 * (size_t)n * sizeof *sample), random = 1;
    if (!sample) return NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t begin = p->n * i / n, end = p->n * (i + 1) / n;
        random = random * 6364136223846793005u + 1442695040888963407u;
        sample[i] = j->sorter->key_at(p->from, begin + (int64_t)(random >> 33) % (end - begin));
    }
    *was_in_order = in_order_64(sample, n);
    sequential_64(sample, sample + n, n, false);
    return sample;
}

/* Bounds around what likely has the wanted ranks. */
static void bounds_of_wanted(const struct job *j, struct partition *p)
{
    enum { LEAST = 1 << 15, MOST_SAMPLES = 4096, SIGMAS = 3 };
    const struct heddle_sort_wanted *w = &j->s->wanted;
    const int64_t n = p->n < LEAST ? 0 : p->n / 16 < MOST_SAMPLES ? p->n / 16 : MOST_SAMPLES;
    bool was_in_order;
    uint64_t *sample = n > 0 ? sample_of(j, p, n, &was_in_order) : NULL;
    if (!sample) return;
    for (int i = 0; i < w->n; i++) {
        const double low = (double)w->ranks[i][0] / (double)p->n,
                     high = (double)w->ranks[i][1] / (double)p->n;
        const int64_t from = (int64_t)(low * (double)n - 2 -
                                       SIGMAS * sqrt((double)n * low * (1 - low))),
                      to = (int64_t)(high * (double)n + 2 +
                                     SIGMAS * sqrt((double)n * high * (1 - high)));
        if (from > 0) p->bound[p->n_bounds++] = sample[from];
        if (to < n) p->bound[p->n_bounds++] = sample[to] < UINT64_MAX ? sample[to] + 1 : UINT64_MAX;
    }
    for (int i = 1; i < p->n_bounds; i++) /* those of neighbours may cross */
        for (int k = i; k > 0 && p->bound[k - 1] > p->bound[k]; k--) {
            const uint64_t x = p->bound[k];
            p->bound[k] = p->bound[k - 1];
            p->bound[k - 1] = x;
        }
    heddle__free(sample);
}

/* Bounds of parts of about the same size, so that threads end together whatever the keys are (sample sort: W. D. Frazer,
 * A. C. McKellar, Samplesort, 1970). Not of keys of which a sample is in order: all may be. */
static void bounds_of_shares(const struct job *j, struct partition *p)
{
    enum { SAMPLES = 16, MANY = 1 << 17 };
    const int64_t most = (p->n < MANY ? 2 : 4) * (int64_t)heddle__team_size(j->team);
    const int64_t n_parts = most < BUCKETS ? most : BUCKETS, n = n_parts * SAMPLES;
    bool was_in_order;
    uint64_t *sample = p->n >= 2 * n ? sample_of(j, p, n, &was_in_order) : NULL;
    if (!sample) return;
    for (int64_t i = 1; i < n_parts && !was_in_order; i++) {
        const uint64_t bound = sample[i * SAMPLES];
        if (p->n_bounds == 0 || bound > p->bound[p->n_bounds - 1]) p->bound[p->n_bounds++] = bound;
    }
    heddle__free(sample);
}

/* Sets the bounds of parts of a whole row. False: a digit is better, or memory is gone. */
static bool set_bounds(const struct job *j, struct partition *p)
{
    if (p->selects)
        bounds_of_wanted(j, p);
    else if (j->sorter->by_vectors)
        bounds_of_shares(j, p);
    p->widest_step = 1;
    while (2 * p->widest_step - 1 < (uint32_t)p->n_bounds) p->widest_step *= 2;
    for (uint32_t i = (uint32_t)p->n_bounds; i < 2 * p->widest_step - 1; i++)
        p->bound[i] = UINT64_MAX;
    p->part = p->n_bounds > 0 ? heddle__alloc((size_t)p->n) : NULL;
    if (!p->part) p->n_bounds = 0;
    return p->part;
}

/* Moves the elements of a range to its buckets, which become ranges; false: they are in order already, or
 * memory is gone (p->n is 0). */
static bool cut_range(const struct job *j, struct partition *p, const struct range *x,
                      struct ranges *ranges)
{
    const int threads = heddle__team_size(j->team);
    char *a = ranges->a, *b = ranges->b;
    const size_t at = (size_t)x->begin * j->sorter->size;
    p->from = (x->in_b ? b : a) + at;
    p->to = (x->in_b ? a : b) + at;
    p->n = x->n;
    p->n_bounds = 0;
    p->part = NULL;
    p->selects = j->s->wanted.n > 0;
    const bool is_first =
        x->n == j->s->n && !x->in_b; /* by bounds but once: they may help little */
    if (!is_first || !set_bounds(j, p)) {
        heddle__share(j->team, threads, p->blocks, j->sorter->look, p);
        uint64_t differ = 0;
        bool in_order = true;
        for (int64_t i = 0; i < p->blocks; i++) {
            differ |= p->differ[i];
            in_order &= p->in_order[i];
        }
        if (in_order) return false;
        p->digit = digit_of(differ, x->n);
    }
    heddle__share(j->team, threads, p->blocks, j->sorter->count, p);
    const bool ok = make_buckets(j, p, x, ranges);
    if (ok)
        heddle__share(j->team, threads, p->blocks, j->sorter->move, p);
    else
        p->n = 0;
    heddle__free(p->part);
    p->part = NULL;
    return ok;
}

/* The most elements that one thread sorts: of many wanted ones a share, of few as many as cost less than another cut. */
static int64_t largest_range(const struct job *j, int threads)
{
    enum { AT_ONCE = 1 << 12 };
    const struct heddle_sort_wanted *w = &j->s->wanted;
    int64_t n = w->n > 0 ? 0 : j->s->n;
    for (int i = 0; i < w->n; i++) n += w->ranks[i][1] - w->ranks[i][0];
    n /= 4 * (int64_t)threads;
    return w->n > 0 && n < AT_ONCE ? AT_ONCE : n;
}

/* Sorts a row, whose keys are in a, with b as room. All threads cut what would keep one of them long, and store what is
 * in order already; then each sorts and stores what is left. */
static enum heddle_status sort_together(struct job *j, char *a, char *b, int64_t row)
{
    const int threads = heddle__team_size(j->team);
    const int64_t blocks = 4 * (int64_t)threads;
    int64_t large = largest_range(j, threads);
    struct partition p = {.blocks = blocks};
    struct ranges ranges = {.a = a,
                            .b = b,
                            .out = row_out(j, row),
                            .elements = row_elements(j, row),
                            .store = j->store,
                            .store_elements = j->store_elements,
                            .flip = j->flip};
    enum heddle_status status = HEDDLE_ENOMEM;
    p.count = heddle__alloc((size_t)blocks * (BUCKETS * sizeof *p.count + sizeof *p.differ + 1));
    if (!p.count) return HEDDLE_ENOMEM;
    p.differ = (uint64_t *)(p.count + blocks * BUCKETS);
    p.in_order = (bool *)(p.differ + blocks);
    if (!add_range(&ranges, 0, j->s->n, false)) goto end;
    for (int64_t i = 0; i < ranges.n; i++) {
        const struct range x = ranges.at[i];
        if (!is_wanted(j, x.begin, x.n)) ranges.at[i].n = 0; /* and stays as it is */
        if (ranges.at[i].n == 0) continue;
        if (x.n <= large || x.n < 4 * blocks) continue;
        if (cut_range(j, &p, &x, &ranges)) { /* its buckets follow */
            if (p.n_bounds > 0 && !p.selects) large = j->s->n / threads;
            ranges.at[i].n = 0;
            continue;
        }
        if (p.n == 0) goto end;
        convert(j, j->store, x.in_b ? b : a, ranges.out, x.begin, x.n);
        if (j->store_elements)
            convert(j, j->store_elements, x.in_b ? b : a, ranges.elements, x.begin, x.n);
        ranges.at[i].n = 0;
    }
    heddle__share(j->team, threads, ranges.n, j->sorter->sort, &ranges);
    status = HEDDLE_OK;
end:
    heddle__free(ranges.at);
    heddle__free(p.count);
    return status;
}

enum heddle_status NAME(sort_rows, ISA)(const struct heddle_sort *s,
                                        struct heddle_kernel_context *k)
{
    static const struct sorter *const sorters[3] = {&sorter_32, &sorter_64, &sorter_pair};
    const struct keys *keys = s->dtype < HEDDLE_N_DTYPES ? keys_of[s->dtype] : NULL;
    const int threads = heddle__team_size(k->team);
    HEDDLE_REQUIRE(keys, HEDDLE_EINTERNAL, "sort: no kernel for %s",
                   heddle_dtype_name((enum heddle_dtype)s->dtype));
    if (s->rows * s->n == 0) return HEDDLE_OK;
    struct job j = {.s = s,
                    .sorter = sorters[heddle__sort_element(s) / 8],
                    .load = s->positions ? keys->load_positions : keys->load,
                    .store = !s->positions          ? keys->store
                             : s->element_bytes > 4 ? store_positions_64
                                                    : store_positions_32,
                    .store_elements = s->with_elements ? keys->store_elements : NULL,
                    .flip = s->descending ? UINT64_MAX : 0,
                    .in = (const char *)k->buffers[s->in] + s->first * s->element_bytes,
                    .out = k->buffers[s->out],
                    .elements = s->with_elements ? k->buffers[s->elements] : NULL,
                    .scratch = k->scratch,
                    .out_size = s->positions ? 8 : s->element_bytes,
                    .team = k->team};
    if (!heddle__sort_together(s, threads)) {
        struct rows rows = {.job = &j};
        const int n_threads = s->rows < threads ? (int)s->rows : threads;
        heddle__shares_begin(&rows.shares, s->rows, n_threads);
        heddle__team_run(k->team, n_threads, sort_rows, &rows);
        return HEDDLE_OK;
    }
    char *a = k->scratch, *b = a + (size_t)s->n * j.sorter->size;
    for (int64_t row = 0; row < s->rows; row++) {
        convert(&j, j.load, row_in(&j, row), a, 0, s->n);
        if (sort_together(&j, a, b, row) != HEDDLE_OK)
            return heddle__fail(HEDDLE_ENOMEM, "sort: no memory for the buckets");
    }
    return HEDDLE_OK;
}
