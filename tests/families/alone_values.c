/* Values whose vectors nobody has are computed alone, and those whose vectors somebody has are not: which step a plan has, that the values are
 * the same to rounding, and that the vectors are there when they are asked for. */
#include "check_heddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BATCH = 3, N = 7 };

static heddle_array *matrices(void)
{
    static double data[BATCH * N * N];
    for (int i = 0; i < BATCH * N * N; i++) data[i] = sin(i * i + 0.5);
    return heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(BATCH, N, N));
}

/* Whether the plan of `a` has a step of that name. */
static bool has_step(heddle_array *a, const char *name)
{
    char *text = NULL, step[40];
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
    snprintf(step, sizeof step, ": %s ", name);
    const bool has = text && strstr(text, step);
    heddle_free(text);
    return has;
}

static void check_near(const char *what, heddle_array *a, heddle_array *b)
{
    double off = NAN, size = 0;
    CHECK_EQ(heddle_read(heddle_max(heddle_abs(heddle_subtract(a, b))), &off, sizeof off),
             HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_max(heddle_abs(b)), &size, sizeof size), HEDDLE_OK);
    CHECK(off <= 100 * DBL_EPSILON * size, "%s: off by %g of %g", what, off, size);
}

static void test_svd(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = matrices(), *alone, *u, *s, *vh;
    CHECK_EQ(heddle_linalg_svd(a, NULL, &alone, NULL), HEDDLE_OK);
    CHECK(has_step(heddle_sqrt(alone), "svdvals") && !has_step(alone, "svd"), "alone");
    CHECK_EQ(heddle_linalg_svd(a, &u, &s, &vh), HEDDLE_OK);
    CHECK(has_step(s, "svd") && !has_step(s, "svdvals"), "with vectors that are held");
    check_near("singular values", alone, s);
    CHECK(heddle_is_evaluated(u) && heddle_is_evaluated(vh), "one decomposition for all");
    heddle_array *const scaled = heddle_multiply(u, heddle_expand_dims(s, 1));
    check_near("U S V^H", heddle_matmul(scaled, vh), a);
    /* vectors alone have nothing that takes less */
    CHECK_EQ(heddle_linalg_svd(a, &u, NULL, NULL), HEDDLE_OK);
    CHECK(has_step(u, "svd"), "vectors");
    heddle_scope_close(scope);
}

static void test_eig(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = matrices(), *w, *v, *alone;
    heddle_array *h = heddle_add(a, heddle_matrix_transpose(a));
    CHECK_EQ(heddle_linalg_eigh(h, &alone, NULL), HEDDLE_OK);
    CHECK(has_step(alone, "eigvalsh"), "eigh");
    CHECK_EQ(heddle_linalg_eigh(h, &w, &v), HEDDLE_OK);
    CHECK(has_step(w, "eigh"), "eigh with vectors");
    check_near("eigenvalues", alone, w);
    CHECK_EQ(heddle_linalg_eigh(h, &alone, NULL, .upper = true), HEDDLE_OK);
    check_near("of the upper triangle", alone, w);
    CHECK_EQ(heddle_linalg_eig(a, &alone, NULL), HEDDLE_OK);
    CHECK(has_step(alone, "eigvals"), "eig");
    CHECK_EQ(heddle_linalg_eig(a, &w, &v), HEDDLE_OK);
    CHECK(has_step(w, "eig"), "eig with vectors");
    check_near("sums of eigenvalues", heddle_sum(heddle_real(alone)), heddle_sum(heddle_real(w)));
    heddle_scope_close(scope);
}

/* Arrays that a scope still has, and those of texts. */
static void test_life(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = matrices(), *u, *s, *vh, *y;
    CHECK_EQ(heddle_linalg_svd(a, &u, &s, &vh), HEDDLE_OK);
    CHECK(has_step(s, "svd"), "still in the scope");
    const struct heddle_binding x = {"x", a};
    y = heddle_expr("linalg.svd(x)[1]", 1, &x);
    CHECK(has_step(y, "svdvals"), "a text's");
    check_near("a text's", y, s);
    y = heddle_expr("linalg.svd(x)[1] + sum(linalg.svd(x)[0], axis=-1)", 1, &x);
    CHECK_EQ(heddle_wait(y), HEDDLE_OK);
    y = heddle_expr("(lambda t: t[1] * t[0][0, 0, 0])(linalg.svd(x))", 1, &x);
    CHECK(heddle_status_of(y) != HEDDLE_OK || has_step(y, "svd"), "both are wanted");
    heddle_scope_close(scope);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    test_svd();
    test_eig();
    test_life();
    check_nothing_left();
    return check_done();
}
