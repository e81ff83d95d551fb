/* Results that are views, with axes of extent 1 more or less than an array, share its data: nobody overwrites these, and several
 * results of the same data have a shape each. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "renamed.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3000, COLUMNS = 2000 };

static double *values(heddle_array *a)
{
    double *got = malloc((size_t)heddle_nbytes(a) + 1);
    CHECK_EQ(heddle_read(a, got, heddle_nbytes(a)), HEDDLE_OK);
    return got;
}

/* `changed` is made of what `view` shares its data with, in place if nobody read that. */
static void check_kept(const char *text, int64_t first, double was)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding inputs[2], out[] = {{"view", NULL}, {"changed", NULL}};
    bind(inputs);
    CHECK_EQ(heddle_expr_run(text, 2, inputs, 2, out), HEDDLE_OK);
    CHECK_EQ(heddle_eval_all(2, (heddle_array *[]){out[0].array, out[1].array}), HEDDLE_OK);
    double *view = values(out[0].array), *changed = values(out[1].array);
    CHECK(heddle_size(out[0].array) == heddle_size(out[1].array), "%s", text);
    CHECK(changed[first] == 100 && view[first] == was, "%s: %g and %g", text, view[first],
          changed[first]);
    int64_t wrong = 0;
    for (int64_t i = 0; i < heddle_size(out[0].array); i++) wrong += view[i] != changed[i];
    CHECK(wrong == 1, "%s: %lld differ", text, (long long)wrong);
    free(view);
    free(changed);
    heddle_scope_close(scope);
}

/* At once, and when the view has its data already. */
static void test_kept(void)
{
    static const struct {
        const char *text;
        int64_t first;
        double was;
    } cases[] = {{"c = cumsum(t * 0 + 1); view = c[:, None]; c[7] = 100", 7, 8},
                 {"c = sum(x * 0 + 1, axis=1); view = c[None]; c[2999] = 100", 2999, COLUMNS},
                 {"c = concat((t * 0, t * 0 + 3)); view = c[:, None]; c[4000] = 100", 4000, 3},
                 {"c = sort(x, axis=0) * 0 + 1; view = c[None]; c[0, 9] = 100", 9, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int later = 0; later < 2; later++) {
            char text[256];
            snprintf(text, sizeof text, "%s%s; changed = c", cases[i].text,
                     later ? " + 0 * sum(c)" : "");
            check_kept(text, cases[i].first, cases[i].was);
        }
}

/* Several results of the same data, each of its own shape. */
static void test_several(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding inputs[2], out[] = {{"a", NULL}, {"b", NULL}, {"c", NULL}};
    bind(inputs);
    CHECK_EQ(heddle_expr_run("a = sum(x * 0 + 2, axis=1); b = a[:, None]; c = a[None] + 1", 2,
                             inputs, 3, out),
             HEDDLE_OK);
    CHECK_EQ(heddle_eval_all(3, (heddle_array *[]){out[1].array, out[0].array, out[2].array}),
             HEDDLE_OK);
    CHECK(heddle_ndim(out[0].array) == 1 && heddle_ndim(out[1].array) == 2, "axes");
    for (int k = 0; k < 3; k++) {
        double *got = values(out[k].array);
        for (int64_t i = 0; i < ROWS; i++)
            CHECK(got[i] == 2 * COLUMNS + (k == 2), "%d: %g at %lld", k, got[i], (long long)i);
        free(got);
    }
    heddle_scope_close(scope);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    for (int inlined = 0; inlined < 2; inlined++) {
        CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = inlined ? 0 : -1}),
                 HEDDLE_OK);
        test_kept();
        test_several();
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
