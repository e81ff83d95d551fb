/* Proves that elementwise work which becomes part of a scan's calls gives the values that it should: random scans along an axis of
 * arrays of up to three, of operands that are data, their negatives and products with rows and columns, turned over, broadcast or
 * read by others too, with work on what they make; against values that are found element by element. Whole numbers, so that all are
 * exact. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "scanned.h"

enum { PROGRAMS = CHECK_SOME(60, 12), LEAST = 70000 }; /* elements, more than stay in a cache */

/* Whether the plan has a scan with work. */
static bool check_program(int way, int program)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_INT32, HEDDLE_INT64};
    heddle_scope scope = heddle_scope_open();
    n_all = 0;
    dtype = dtypes[word_below(3)];
    axis = (int)word_below(3);
    for (int d = 0; d < 3; d++) shape[d] = word_below(3) ? 1 + word_below(40) : 1;
    const int longest = word_below(2) ? axis : (int)word_below(3);
    while (size() < LEAST) shape[longest] += LEAST / size() * shape[longest] + word_below(5);
    if (word_below(6) == 0) { /* one row, of several segments */
        shape[0] = shape[1] = shape[2] = 1;
        shape[axis] = 5 * LEAST + word_below(9);
    }
    const struct value x = data(7);
    const struct value from = word_below(4) ? map_of(&x) : x;
    const struct value s = scan(&from);
    struct value asked[3];
    int n_asked = 0;
    if (word_below(6) == 0) asked[n_asked++] = from; /* so it is stored */
    if (word_below(6) == 0) asked[n_asked++] = s;
    asked[n_asked++] = word_below(4) ? map_of(&s) : s;
    if (word_below(5) == 0) { /* a result of another dtype */
        struct value *v = &asked[n_asked - 1];
        struct value less = new_value();
        less.a = heddle_less(v->a, heddle_scalar_int(5));
        for (int64_t i = 0; i < size(); i++) less.x[i] = v->x[i] < 5;
        *v = less;
    }
    struct asked all_asked[3];
    for (int i = 0; i < n_asked; i++) all_asked[i] = (struct asked){asked[i].a, asked[i].x, size()};
    const bool found = check_all_asked(all_asked, n_asked, "scan;", ";scan", way, program);
    heddle_scope_close(scope);
    while (n_all > 0) free(all[--n_all]);
    return found;
}

int main(int argc, char **argv)
{
    return check_ways(argc > 1 ? atoi(argv[1]) : PROGRAMS, check_program);
}
