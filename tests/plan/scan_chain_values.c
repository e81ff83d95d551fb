/* Proves that scans which are stages of chains over rows give the values that they should: of random rows, with reductions of what is scanned, of
 * what the scan makes or of other elements of the row, before and behind, second scans and maps; against values that are found element by
 * element. Whole numbers, so that all are exact. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "scanned.h"

enum { PROGRAMS = CHECK_SOME(40, 8), LEAST = 150000 }; /* elements, more than stay in a cache */

/* Sums, or the largest, along the axis, which it keeps: one value for all elements of a row. */
static struct value reduce(const struct value *v, bool largest)
{
    struct value r = new_value();
    const int64_t n = shape[axis];
    int64_t step = 1;
    for (int e = 2; e > axis; e--) step *= shape[e];
    for (int64_t i = 0; i < size(); i++) {
        if (i / step % n != 0) continue;
        double all_of_row = v->x[i];
        for (int64_t k = 1; k < n; k++) {
            const double x = v->x[i + k * step];
            all_of_row = !largest ? all_of_row + x : x > all_of_row ? x : all_of_row;
        }
        for (int64_t k = 0; k < n; k++) r.x[i + k * step] = all_of_row;
    }
    r.a = largest
              ? heddle_max(v->a, .axis = axis, .has_axis = true, .keepdims = true)
              : heddle_sum(v->a, .axis = axis, .has_axis = true, .keepdims = true, .dtype = dtype);
    return r;
}

static struct value difference(const struct value *v, const struct value *of)
{
    struct value d = new_value();
    for (int64_t i = 0; i < size(); i++) d.x[i] = v->x[i] - of->x[i];
    d.a = heddle_subtract(v->a, of->a);
    return d;
}

/* Rows of one element, of a chunk of the order and of one more; most are short. */
static int64_t random_length(void)
{
    static const int64_t borders[] = {1, 2, 16, 17, 128, 129, 512, 513, 4095, 4096, 4097},
                         of_columns[] = {1, 2, 63, 64, 65, 127, 128, 193, 255, 256, 257};
    if (word_below(3) > 0) return 1 + word_below(word_below(2) && axis == 2 ? 300 : 40);
    const int64_t k = word_below(sizeof borders / sizeof *borders);
    return axis == 2 ? borders[k] : of_columns[k];
}

/* Whether the plan has a chain with a scan. */
static bool check_program(int way, int program)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_INT64, HEDDLE_INT32};
    heddle_scope scope = heddle_scope_open();
    n_all = 0;
    axis = word_below(2) ? 2 : (int)word_below(2);
    const int64_t n = random_length(), side = 1 + word_below(9);
    dtype = dtypes[word_below(n > 40 ? 2 : 3)]; /* sums of sums of long rows are large */
    const int longest = axis == 2 ? 0 : 2, other = 3 - axis - longest;
    shape[axis] = n;
    shape[other] = side;
    shape[longest] = 1 + LEAST / side / n;
    if (shape[longest] < 80) shape[longest] = 80;
    const struct value x = data(7);
    const struct value from = word_below(3) ? map_of(&x) : word_below(3) ? x : turned(&x, axis);
    const bool before = word_below(2);
    struct value r = new_value();
    struct value scanned = from;
    if (before) {
        r = reduce(&from, word_below(2));
        scanned = difference(&from, &r);
    }
    struct value s = scan(&scanned);
    if (word_below(4) == 0) s = scan(&s);
    const struct value of_scan = word_below(3) ? map_of(&s) : s;
    struct value asked[3], last = of_scan;
    int n_asked = 0;
    if (!before || word_below(2)) {
        r = reduce(word_below(2) ? &of_scan : &from, word_below(2));
        last = difference(&of_scan, &r);
    }
    if (word_below(6) == 0) asked[n_asked++] = from; /* so it is stored */
    if (word_below(4) == 0) asked[n_asked++] = s;
    asked[n_asked++] = last;
    struct asked all_asked[3];
    for (int i = 0; i < n_asked; i++) all_asked[i] = (struct asked){asked[i].a, asked[i].x, size()};
    const bool found =
        check_all_asked(all_asked, n_asked, "      scan sum", "      scan maximum", way, program);
    heddle_scope_close(scope);
    while (n_all > 0) free(all[--n_all]);
    return found;
}

int main(int argc, char **argv)
{
    return check_ways(argc > 1 ? atoi(argv[1]) : PROGRAMS, check_program);
}
