/* What you learn: the same as text. A line of NumPy can be pasted: operators, slices, keyword
 * arguments, several statements, several results, texts that run many times. */
#include "common.h"

#include <string.h>

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    const double v[] = {1, 2, 3, 4, 5, 6};
    heddle_array *a = heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    heddle_array *b = heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(3));

    heddle_array *norm = heddle_expr("sqrt(sum(abs(a)**2))", HEDDLE_BIND("a", a));
    EXPECT("sqrt(sum(abs(a)**2))", value_at(norm, 0), sqrt(91));

    heddle_array *rows = heddle_expr("(a - b).sum(axis=1)", HEDDLE_BIND_ALL({"a", a}, {"b", b}));
    EXPECT("(a - b).sum(axis=1)[1]", value_at(rows, 1), 9);

    heddle_array *reversed = heddle_expr("a[::-1, 1:]", HEDDLE_BIND("a", a));
    EXPECT("a[::-1, 1:][0, 0]", value_at(reversed, 0), 5);

    /* No inputs at all; NumPy's prefix is allowed. */
    heddle_array *pi =
        heddle_expr("np.sqrt(6 * np.sum(1 / np.arange(1, 100001.0)**2))", HEDDLE_NO_BINDINGS);
    expect_true("Basel's problem is about pi", fabs(value_at(pi, 0) - 3.14159) < 1e-4);

    /* Statements and several results; what they share is computed once. */
    struct heddle_binding out[] = {{"average", NULL}, {"spread", NULL}, {"_", NULL}};
    HEDDLE_MUST(heddle_expr_run("d = a - mean(a)\n"
                                "average = mean(a); spread = sqrt(mean(d**2))\n"
                                "where(d > 0, 1, 0)",
                                HEDDLE_BIND("a", a), 3, out));
    EXPECT("average", value_at(out[0].array, 0), 3.5);
    EXPECT("spread", value_at(out[1].array, 0), sqrt(17.5 / 6));
    EXPECT("elements above the mean", value_at(heddle_sum(out[2].array), 0), 3);

    /* A step of an iteration: the text is read once; the old array's memory is the new one's. */
    heddle_prepared *step = heddle_prepare("u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])",
                                           HEDDLE_NAMES("u", "c"), HEDDLE_NAMES("u"));
    const double ends[] = {0, 0, 0, 0, 4};
    heddle_array *u = heddle_asarray(ends, HEDDLE_FLOAT64, HEDDLE_SHAPE(5)),
                 *c = heddle_scalar(0.4);
    heddle_array *now[] = {heddle_keep(u), c};
    for (int t = 0; t < 1000; t++) HEDDLE_MUST(heddle_prepared_advance(step, now));
    expect_true("a line between the ends", fabs(value_at(now[0], 3) - 3) < 1e-12);
    heddle_release(now[0]);
    heddle_prepared_release(step);

    /* A mistake shows its place. */
    heddle_array *bad = heddle_expr("a + c", HEDDLE_BIND("a", a));
    expect_true("unknown name", heddle_status_of(bad) == HEDDLE_ENAME);
    printf("%s\n", heddle_error(bad));
    bad = heddle_expr("a * (2 + ", HEDDLE_BIND("a", a));
    expect_true("syntax", heddle_status_of(bad) == HEDDLE_ESYNTAX);
    printf("%s\n", heddle_error(bad));
    heddle_scope_close(scope);
    return examples_failed();
}
