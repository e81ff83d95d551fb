/* Names that NumPy has and Heddle has not, so that an error says so and does not propose another function that
 * is spelled alike. A name that exists is found before this is asked. Entry point:
 * heddle__expr_known_missing. */
#include "expr/value.h"

#include <string.h>

static const struct {
    const char *names; /* separated by blanks */
    const char *instead;
} missing[] = {
    {"float128 longdouble", "use float64"},
    {"in1d", "write isin(a, b)"},
    {"histogram2d histogramdd", "there is no such function"},
    {"load save savez fromfile loadtxt", "the program that calls reads and writes files"},
    {"frompyfunc fromfunction nditer",
     "Python functions are not supported; expressions work on whole arrays"},
    {"str enumerate map filter reversed set dict open",
     "of Python's own functions there are abs, divmod, isinstance, len, list, max, min, pow, "
     "print, "
     "range, round, slice, sorted, sum, tuple, type and zip"},
    {"math", "its functions are NumPy's: sqrt(x), pi"},
};

/* Whether `name` is one of the words. */
static bool is_among(const char *words, const char *name, size_t length)
{
    while (*words) {
        const size_t n = strcspn(words, " ");
        if (n == length && !memcmp(words, name, n)) return true;
        words += n;
        words += strspn(words, " ");
    }
    return false;
}

bool heddle__expr_known_missing(struct run *run, size_t at, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (!is_among(missing[i].names, name, length)) continue;
        heddle__expr_fail(run, HEDDLE_ENAME, at, "'%.*s' is not supported: %s", (int)length, name,
                          missing[i].instead);
        return true;
    }
    return false;
}
