/* Proves that the CPU kernel sorts: every dtype, special values, lengths about every threshold, rows, orders that
 * are easy or hard, teams of every size. The oracle is a sort by keys' bytes, of which each
 * two neighbours are in order by their values, with ties by position. */
#include "base/dtype.h"
#include "check.h"
#include "families/order.h"
#include "random_words.h"

#include "families/sort/sort.h"
#include "families/sort_lines.h"

#include "base/team.h"
#include "kernels.h"

#include <stdlib.h>

enum { MOST = 300000 };

extern const struct heddle_cpu_kernel heddle__sort_cpu; /* families/kernel_tables.h has the table */

/* ---- Oracle -------------------------------------------------------------------------------------------- */

static const unsigned char *row;
static enum heddle_dtype dtype;
static bool descending;

struct keyed {
    uint64_t key;
    int64_t position;
};

/* The integer's or the floating number's bits as a number with their order: a NaN is the greatest, zeros are one. */
CHECK_ORACLE static uint64_t key_of(const unsigned char *element, size_t size, char kind)
{
    const uint64_t top = UINT64_C(1) << 63;
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    bits <<= 64 - 8 * size;
    if (kind == 'F') {
        float narrow;
        double x;
        memcpy(&narrow, element, sizeof narrow);
        if (size == sizeof narrow)
            x = (double)narrow;
        else
            memcpy(&x, element, sizeof x);
        if (isnan(x)) return UINT64_MAX; /* descending, too */
        if (x == 0) bits = 0;
        bits = bits & top ? ~bits : bits | top;
    } else if (kind == 'I') {
        bits ^= top;
    }
    return descending ? ~bits : bits;
}

/* The positions of the row's elements in order, by one byte of the keys after the other, the last one first. */
CHECK_ORACLE static void sort_row(int64_t n, int64_t *order)
{
    static struct keyed rooms[2][MOST];
    struct keyed *from = rooms[0], *to = rooms[1];
    const size_t size = heddle_dtype_size(dtype);
    const char kind = heddle_dtype_kind(dtype);
    for (int64_t i = 0; i < n; i++)
        from[i] = (struct keyed){key_of(row + (size_t)i * size, size, kind), i};
    for (int shift = 64 - 8 * (int)size; shift < 64; shift += 8) {
        int64_t place[257] = {0};
        for (int64_t i = 0; i < n; i++) place[(from[i].key >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++) place[k + 1] += place[k];
        for (int64_t i = 0; i < n; i++) to[place[from[i].key >> shift & 255]++] = from[i];
        struct keyed *const other = from;
        from = to;
        to = other;
    }
    for (int64_t i = 0; i < n; i++) order[i] = from[i].position;
}

/* Whether element i comes before j. */
CHECK_ORACLE static bool is_before(int64_t i, int64_t j, size_t size)
{
    const int first = order_of(dtype, descending, row + (size_t)i * size, row + (size_t)j * size);
    return first ? first < 0 : i < j;
}

/* ---- Data ---------------------------------------------------------------------------------------------- */

static double special(void)
{
    static const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN,
                                    1,   -1,   5e-324,   -5e-324,   1e300};
    return values[random_word() % (sizeof values / sizeof *values)];
}

enum { ANY, FEW_VALUES, ASCENDING, DESCENDING, SKEWED, N_KINDS };

static void fill(void *data, int64_t n, int kind)
{
    const size_t size = heddle_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = random_word();
        if (kind == FEW_VALUES) word %= 5;
        if (kind == ASCENDING) word = (uint64_t)i / 3;
        if (kind == DESCENDING) word = (uint64_t)(n - i) / 3;
        if (kind == SKEWED) word >>= random_word() % 64;
        if (dtype == HEDDLE_BOOL) word &= 1;
        char *to = (char *)data + (size_t)i * size;
        double x = kind == ANY ? (double)(int64_t)word * 1e-18 : (double)word - 2;
        if (kind != ASCENDING && kind != DESCENDING && random_word() % 16 == 0) x = special();
        put_element(dtype, to, word, x);
    }
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static unsigned char in[MOST * 8], out[MOST * 8];
static int64_t order[MOST];

/* Bits, but that NaNs are one and, of values, -0 and 0. */
static bool same(const unsigned char *a, const unsigned char *b)
{
    return memcmp(a, b, heddle_dtype_size(dtype)) == 0 || order_of(dtype, descending, a, b) == 0;
}

static bool is_wanted(const struct heddle_sort_wanted *w, int64_t rank)
{
    for (int i = 0; i < w->n; i++)
        if (rank >= w->ranks[i][0] && rank < w->ranks[i][1]) return true;
    return w->n == 0;
}

static void check_row(bool positions, const struct heddle_sort_wanted *w, const unsigned char *got,
                      int64_t n, const char *what)
{
    const size_t size = heddle_dtype_size(dtype);
    int64_t bad = -1;
    int64_t unordered = 0;
    sort_row(n, order);
    for (int64_t i = 1; i < n; i++) unordered += !is_before(order[i - 1], order[i], size);
    CHECK_EQ(unordered, 0);
    for (int64_t i = 0; i < n && bad < 0; i++)
        if (!is_wanted(w, i))
            continue;
        else if (positions ? ((const int64_t *)(const void *)got)[i] != order[i]
                           : !same(got + (size_t)i * size, row + (size_t)order[i] * size))
            bad = i;
    CHECK(bad < 0, "%s, %s%s%s: element %lld of %lld", what, heddle_dtype_name(dtype),
          positions ? ", positions" : "", descending ? ", descending" : "", (long long)bad,
          (long long)n);
}

/* Some of n ranks, in up to three runs that are apart. */
static struct heddle_sort_wanted some_of(int64_t n)
{
    struct heddle_sort_wanted w = {.n = 0};
    int64_t at = random_word() % 3 ? (int64_t)(random_word() % (uint64_t)n) : 0;
    for (int i = 0; i < 3 && at < n; i++) {
        const int64_t most = random_word() % 4 ? 3 : n / 3 + 1;
        const int64_t end = at + 1 + (int64_t)(random_word() % (uint64_t)most);
        w.ranks[w.n][0] = at;
        w.ranks[w.n++][1] = end < n ? end : n;
        at = end + 1 + (int64_t)(random_word() % (uint64_t)n);
    }
    return w;
}

static void test(struct heddle_team *team, int64_t rows, int64_t n, int kind, bool positions,
                 bool some)
{
    char what[80];
    const size_t size = heddle_dtype_size(dtype);
    const struct heddle_sort s = {.dtype = (uint8_t)dtype,
                                  .element_bytes = (uint8_t)size,
                                  .descending = descending,
                                  .positions = positions,
                                  .wanted = some ? some_of(n) : (struct heddle_sort_wanted){.n = 0},
                                  .rows = rows,
                                  .n = n,
                                  .in = 0,
                                  .out = 1};
    void *buffers[2] = {in, out};
    fill(in, rows * n, kind);
    void *scratch =
        aligned_alloc(64, (heddle__sort_scratch(&s, heddle__team_size(team)) / 64 + 1) * 64);
    struct heddle_kernel_context context = {.buffers = buffers, .scratch = scratch, .team = team};
    CHECK_EQ(heddle__sort_cpu.run(&s, &context), HEDDLE_OK);
    free(scratch);
    snprintf(what, sizeof what, "%d threads, kind %d%s", heddle__team_size(team), kind,
             some ? ", some" : "");
    for (int64_t i = 0; i < rows; i++) {
        row = in + (size_t)(i * n) * size;
        check_row(positions, &s.wanted, out + (size_t)(i * n) * (positions ? 8 : size), n, what);
    }
}

static void test_dtype(struct heddle_team *team)
{
    static const int64_t lengths[] = {1, 2, 31, 32, 33, 70, 2047, 2048, 5000, 70000};
    for (int kind = 0; kind < N_KINDS; kind++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            test(team,
                 lengths[i] < 100     ? 37
                 : lengths[i] < 10000 ? 3
                                      : 1,
                 lengths[i], kind, random_word() % 2, false);
    for (int k = 0; k < 2; k++) {
        test(team, 1, MOST, ANY, k, false);
        test(team, 0, 5, ANY, k, false);
        test(team, 5, 0, ANY, k, false);
    }
    for (int kind = 0; kind < N_KINDS; kind++) { /* of which only some ranks are wanted */
        test(team, 3, 8192, kind, random_word() % 2, true);
        test(team, 1, 70000, kind, random_word() % 2, true);
        test(team, 1, 70000, kind, random_word() % 2, true);
        test(team, 20, 9000, kind, random_word() % 2, true);
    }
    test(team, 1, MOST, ANY, false, true);
}

/* As many parts of a row as a byte numbers, which 64 threads have and 70 would have more of. */
static void test_many_threads(int n_threads)
{
    struct heddle_team *team = heddle__team_open(n_threads, NULL);
    const enum heddle_dtype some[] = {HEDDLE_FLOAT32, HEDDLE_INT64};
    for (int i = 0; i < 2; i++) {
        dtype = some[i];
        for (int kind = 0; kind < N_KINDS; kind++) test(team, 1, MOST, kind, i, false);
    }
    heddle__team_close(team);
}

/* ---- Lines of runs --------------------------------------------------------------------------------------- */

static void *blocks[1 << 12];
static int n_blocks;

static void *put(const void *from, size_t bytes)
{
    void *to =
        malloc(bytes + 1); /* of its size, so that the address sanitizer sees what is outside */
    CHECK(to && n_blocks < (int)(sizeof blocks / sizeof *blocks), "room");
    return blocks[n_blocks++] = memcpy(to, from, bytes);
}

static void get(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void free_all(void)
{
    while (n_blocks > 0) free(blocks[--n_blocks]);
}

static void test_lines(struct heddle_team *team)
{
    const struct sort_machine machine = {.run = heddle__sort_cpu.run,
                                         .put = put,
                                         .get = get,
                                         .free_all = free_all,
                                         .context = {.team = team},
                                         .threads = heddle__team_size(team)};
    sort_lines(&machine, 60);
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        struct heddle_team *team = heddle__team_open(threads, NULL);
        for (int d = HEDDLE_BOOL; d < HEDDLE_N_COMPUTED; d++) {
            dtype = (enum heddle_dtype)d;
            if (heddle_dtype_kind(dtype) == 'C') continue;
            if (CHECK_SOME(false, d % 2 == threads / 2)) continue;
            descending = CHECK_SOME(d + threads / 2, d / 2) % 2;
            test_dtype(team);
        }
        test_lines(team);
        heddle__team_close(team);
    }
    test_many_threads(64);
    test_many_threads(70);
    return check_done();
}
