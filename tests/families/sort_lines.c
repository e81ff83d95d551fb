/* Random lines: rows of runs of random lengths; the result is cut as the runs are, or otherwise. The oracle sorts each
 * row by qsort; so it knows of each boundary how many elements of each run are before it. */
#include "families/sort_lines.h"

#include "base/dtype.h"
#include "check.h"
#include "families/order.h"
#include "families/sort/sort.h"
#include "random_words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 40000, ALL = 1 << 18 };

/* ---- Elements -------------------------------------------------------------------------------------------- */

static enum heddle_dtype dtype;
static bool descending, positions;
static const double *row;

static int compare(const void *p, const void *q)
{
    const int64_t i = *(const int64_t *)p, j = *(const int64_t *)q;
    const double x = row[i], y = row[j];
    int order = (x > y) - (x < y);
    if (x != x || y != y) return x != x && y != y ? (i > j) - (i < j) : x != x ? 1 : -1;
    if (order == 0 && !positions) order = !!signbit(y) - !!signbit(x); /* -0 before 0 */
    if (order != 0) return descending ? -order : order;
    return (i > j) - (i < j);
}

static void put(void *to, int64_t i, double x)
{
    const bool whole = heddle_dtype_kind(dtype) != 'F';
    put_element(dtype, (char *)to + (size_t)i * heddle_dtype_size(dtype),
                !whole  ? 0
                : x < 0 ? (uint64_t)(int64_t)x
                        : (uint64_t)x,
                x);
}

/* Of n, in a row: at random, few values, one, in order, in reverse order. */
static double draw(int kind, int64_t i, int64_t n)
{
    static const double odd[] = {NAN, 0, -0.0, INFINITY, -INFINITY};
    const char of = heddle_dtype_kind(dtype);
    double x = kind == 0   ? (double)(random_word() % 200) - 100
               : kind == 1 ? (double)(random_word() % 3)
               : kind == 2 ? 1
               : kind == 3 ? floor((double)(i * 100) / (double)n)
                           : floor((double)((n - 1 - i) * 100) / (double)n);
    if (kind < 2 && of == 'F' && random_word() % 8 == 0) return odd[random_word() % 5];
    if (dtype == HEDDLE_INT64) x *= 0x1p55;
    if (of == 'U') x = fabs(x) * (dtype == HEDDLE_UINT64 ? 0x1p57 : 1);
    return of == 'B' ? x > 1 : x;
}

/* ---- A line ---------------------------------------------------------------------------------------------- */

static const struct sort_machine *machine;
static struct heddle_sort_line call; /* what all calls of the line have in common */
static int64_t bound[HEDDLE_SORT_RUNS + 1], part_bound[HEDDLE_SORT_RUNS + 1], rows, n;
static int k, n_parts;
static size_t size;
static double line[ALL];
static int64_t order[ALL]; /* of each row of the line */
static struct {
    char elements[ALL * 8 / 4];
    int64_t positions[ALL / 4];
} runs[HEDDLE_SORT_RUNS];
static int64_t windows[ALL * 2], split[ALL]; /* [row][boundary][run]; split: the oracle's */
static char samples[1 << 22], bytes[1 << 22];

static void run_call(const struct heddle_sort_line *s, void *const *buffers)
{
    struct heddle_kernel_context context = machine->context;
    static char room[1 << 22];
    const size_t scratch = heddle__sort_scratch(s, machine->threads);
    context.buffers = buffers;
    context.scratch = scratch > 0 ? machine->put(room, scratch) : NULL;
    CHECK(machine->run(s, &context) == HEDDLE_OK, "phase %d: %s", s->sort.phase,
          heddle_last_error());
}

static struct heddle_sort_line call_of(enum heddle_sort_phase phase, int run, int part)
{
    struct heddle_sort_line s = call;
    const int64_t *of = phase >= HEDDLE_SORT_PAIR ? part_bound + part : bound + run;
    s.sort.phase = (uint8_t)phase;
    s.sort.n = of[1] - of[0];
    s.run = run;
    s.part = part;
    s.sort.in = 0;
    s.sort.out = 1;
    s.windows = 2;
    s.in_positions = 3;
    s.out_positions = 4;
    s.other = 5;
    s.other_positions = 6;
    return s;
}

/* Random rows, their order, the runs and the splits. */
static void make_line(int kind)
{
    for (int64_t r = 0; r < rows; r++) {
        row = line + r * n;
        for (int64_t i = 0; i < n; i++) line[r * n + i] = draw(kind, i, n);
        for (int run = 0; run < k; run++) {
            const int64_t m = bound[run + 1] - bound[run];
            int64_t *of = order + r * n;
            for (int64_t i = 0; i < m; i++) of[i] = bound[run] + i;
            qsort(of, (size_t)m, sizeof *of, compare);
            for (int64_t i = 0; i < m; i++) {
                put(runs[run].elements, r * m + i, row[of[i]]);
                runs[run].positions[r * m + i] = of[i] - bound[run];
            }
        }
        for (int64_t i = 0; i < n; i++) order[r * n + i] = i;
        qsort(order + r * n, (size_t)n, sizeof *order, compare);
        for (int b = 0; b < n_parts - 1; b++) {
            int64_t *of = split + (r * (n_parts - 1) + b) * k;
            for (int run = 0; run < k; run++) of[run] = 0;
            for (int64_t i = 0; i < part_bound[b + 1]; i++)
                for (int run = 0; run < k; run++)
                    of[run] += order[r * n + i] >= bound[run] && order[r * n + i] < bound[run + 1];
        }
    }
}

/* Samples of all runs, as the rows of one array; the number of each row's. */
static int64_t take_samples(void)
{
    int64_t total = 0, first = 0;
    for (int run = 0; run < k; run++)
        total += heddle__sort_sets(&call) *
                 heddle__sort_room(bound[run + 1] - bound[run], call.most, call.gap);
    for (int run = 0; run < k; run++) {
        const struct heddle_sort_line s = call_of(HEDDLE_SORT_SAMPLE, run, 0);
        const int64_t m = heddle__sort_sets(&s) * heddle__sort_room(s.sort.n, s.most, s.gap);
        if (m == 0) continue;
        void *buffers[3] = {machine->put(runs[run].elements, (size_t)(rows * s.sort.n) * size),
                            machine->put(bytes, (size_t)(rows * m) * size),
                            machine->put(windows, (size_t)(rows * (n_parts - 1) * k) * 16)};
        run_call(&s, buffers);
        machine->get(bytes, buffers[1], (size_t)(rows * m) * size);
        for (int64_t r = 0; r < rows; r++)
            memcpy(samples + (size_t)(r * total + first) * size, bytes + (size_t)(r * m) * size,
                   (size_t)m * size);
        first += m;
    }
    return total;
}

static void find_splits(const char *what)
{
    const int64_t total = take_samples(), n_splits = rows * (n_parts - 1) * k;
    const struct heddle_sort_line s = call_of(HEDDLE_SORT_SPLIT, 0, 0);
    void *buffers[3] = {machine->put(samples, (size_t)(rows * total) * size),
                        machine->put(windows, (size_t)n_splits * 16),
                        machine->put(windows, (size_t)n_splits * 16)};
    run_call(&s, buffers);
    machine->get(windows, buffers[1], (size_t)n_splits * 16);
    int64_t bad = -1;
    for (int64_t i = 0; i < n_splits && bad < 0; i++)
        if (windows[2 * i] > split[i] || split[i] > windows[2 * i + 1] ||
            windows[2 * i + 1] - windows[2 * i] > (call.gap > 1 ? k * call.gap - 1 : 0))
            bad = i;
    CHECK(bad < 0, "%s, gap %lld: split %lld is %lld, not in %lld .. %lld", what,
          (long long)call.gap, (long long)bad, (long long)split[bad], (long long)windows[2 * bad],
          (long long)windows[2 * bad + 1]);
    call.is_first = 0;
    call.most = k * call.gap - 1;
    machine->free_all();
}

static void check_part(int part, const void *got, const char *what)
{
    const int64_t m = part_bound[part + 1] - part_bound[part];
    int64_t bad = -1;
    for (int64_t i = 0; i < rows * m && bad < 0; i++) {
        const int64_t *of = order + i / m * n + part_bound[part] + i % m;
        row = line + i / m * n;
        double expected = row[*of];
        if (expected == 0 && positions) expected = 0;
        put(bytes, 0, expected);
        if (positions ? ((const int64_t *)got)[i] != *of
                      : memcmp(bytes, (const char *)got + (size_t)i * size, size) != 0)
            bad = i;
    }
    CHECK(bad < 0, "%s, part %d: element %lld of %lld", what, part, (long long)bad,
          (long long)(rows * m));
}

/* A run's elements or positions; one behind the last has none. */
static void *put_run(int run, bool elements)
{
    const size_t m = run < k ? (size_t)(rows * (bound[run + 1] - bound[run])) : 0;
    const int of = run < k ? run : 0;
    return elements ? machine->put(runs[of].elements, m * size)
                    : machine->put(runs[of].positions, m * 8);
}

static void make_part(int part, const char *what)
{
    const size_t all = (size_t)(rows * (part_bound[part + 1] - part_bound[part]));
    static int64_t out[ALL];
    void *const splits = machine->put(windows, (size_t)(rows * (n_parts - 1) * k) * 16),
                *const pairs = machine->put(out, all * (k > 2 || !positions ? size : 8)),
                *const at = machine->put(out, all * 8);
    const int n_pairs = (k + 1) / 2, first = (int)(random_word() % (uint64_t)n_pairs);
    for (int i = 0; i < n_pairs; i++) { /* in any order */
        const int run = 2 * ((first + i) % n_pairs);
        struct heddle_sort_line s = call_of(HEDDLE_SORT_PAIR, run, part);
        void *buffers[7] = {put_run(run, true),     pairs, splits,
                            put_run(run, false),    at,    put_run(run + 1, true),
                            put_run(run + 1, false)};
        s.is_last = k == 2;
        run_call(&s, buffers);
    }
    const struct heddle_sort_line s = call_of(HEDDLE_SORT_MERGE, 0, part);
    void *buffers[4] = {pairs, k > 2 ? machine->put(out, all * (positions ? 8 : size)) : pairs,
                        splits, at};
    if (k > 2) run_call(&s, buffers);
    machine->get(out, buffers[1], all * (positions ? 8 : size));
    check_part(part, out, what);
    machine->free_all();
}

static void test_line(int kind, int64_t gap)
{
    char what[120];
    snprintf(what, sizeof what, "%s%s%s, kind %d, %lld rows of %lld in %d runs",
             heddle_dtype_name(dtype), descending ? ", descending" : "",
             positions ? ", positions" : "", kind, (long long)rows, (long long)n, k);
    call = (struct heddle_sort_line){.sort = {.dtype = (uint8_t)dtype,
                                              .element_bytes = (uint8_t)size,
                                              .descending = descending,
                                              .positions = positions,
                                              .rows = rows},
                                     .is_first = 1,
                                     .n_runs = k,
                                     .n_parts = n_parts,
                                     .most = n};
    memcpy(call.bound, bound, sizeof bound);
    memcpy(call.part_bound, part_bound, sizeof part_bound);
    make_line(kind);
    for (; !call.is_first || call.gap == 0; gap = gap > 3 && random_word() % 2 ? gap / 3 : 1) {
        call.gap = gap;
        find_splits(what);
        if (gap == 1) break;
    }
    for (int part = 0; part < n_parts; part++)
        if (part_bound[part + 1] > part_bound[part]) make_part(part, what);
}

/* Runs of some equal length, most of them, or of none. */
static void draw_bounds(int64_t length)
{
    for (int run = 0; run < k; run++) {
        const uint64_t how = random_word() % 8;
        bound[run + 1] = bound[run] + (how == 0   ? 0
                                       : how == 1 ? 1
                                                  : (int64_t)(random_word() % (uint64_t)length));
    }
    if (bound[k] == 0) bound[k] = 1;
    n = bound[k];
    n_parts = random_word() % 2 ? k : (int)(2 + random_word() % 7); /* the runs', or others */
    for (int part = 0; part <= n_parts; part++)
        part_bound[part] = n_parts == k ? bound[part] : n * part / n_parts;
}

void sort_lines(const struct sort_machine *where, int n_lines)
{
    machine = where;
    for (int i = 0; i < n_lines; i++) {
        do
            dtype = (enum heddle_dtype)(HEDDLE_BOOL +
                                        random_word() % (HEDDLE_N_COMPUTED - HEDDLE_BOOL));
        while (heddle_dtype_kind(dtype) == 'C' || heddle__is_half(dtype));
        size = heddle_dtype_size(dtype);
        const uint64_t how = random_word() % 16;
        const bool is_long = how == 0, many = how == 1;
        k = many ? HEDDLE_SORT_RUNS : (int)(2 + random_word() % (is_long ? 3 : 8));
        rows = is_long || many ? 1 : (int64_t)(1 + random_word() % 4);
        draw_bounds(is_long ? MOST : many ? 30 : 300);
        descending = random_word() % 2;
        positions = random_word() % 2;
        test_line((int)(random_word() % 5), (int64_t)(1 + random_word() % (is_long ? 300 : 12)));
    }
}
