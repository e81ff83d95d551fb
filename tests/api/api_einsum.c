/* einsum beside a loop over all values of its letters, for random subscripts; the order of products; errors. */
#include "random_words.h"
#include "read.h"

#include <heddle/explain.h>
#include <stddef.h>

/* ---- Random subscripts ---------------------------------------------------------------------------- */

enum {
    LETTERS = 6,
    TERMS = 4,
    AXES = 4,
    LONG = 17,
    MOST = LONG * LONG * LONG * LONG,
    MOST_OUT = LONG << 10
};

struct draw {
    int n, n_out;
    int64_t extent[LETTERS];
    int n_letters[TERMS], letter[TERMS][AXES], out[LETTERS];
    char text[64];
    double value[TERMS][MOST];
};

static int below(int n)
{
    return (int)(random_word() % (uint64_t)n);
}

static void draw_terms(struct draw *d)
{
    char *text = d->text;
    unsigned used = 0;
    memset(d, 0, offsetof(struct draw, value));
    d->n = 1 + below(TERMS);
    for (int l = 0; l < LETTERS; l++) d->extent[l] = 1 + below(4);
    if (below(3) == 0)
        d->extent[below(LETTERS)] = LONG; /* enough for rows or columns of a batch of matrices */
    for (int i = 0; i < d->n; i++) {
        int size = 1;
        d->n_letters[i] = below(AXES + 1);
        if (i > 0) *text++ = ',';
        for (int k = 0; k < d->n_letters[i]; k++) {
            d->letter[i][k] = below(LETTERS);
            used |= 1u << d->letter[i][k];
            size *= (int)d->extent[d->letter[i][k]];
            *text++ = "abcXYZ"[d->letter[i][k]];
        }
        for (int k = 0; k < size; k++) d->value[i][k] = below(7) - 3;
    }
    memcpy(text, "->", 2);
    text += 2;
    for (int l = LETTERS - 1; l >= 0; l--) {
        if (!(used & 1u << l) || below(2)) continue;
        d->out[d->n_out++] = l;
        *text++ = "abcXYZ"[l];
    }
}

static int64_t offset(const struct draw *d, int n, const int *letters, const int64_t *at)
{
    int64_t o = 0;
    for (int k = 0; k < n; k++) o = o * d->extent[letters[k]] + at[letters[k]];
    return o;
}

/* Adds up the products for all values of all letters that occur. */
static void by_loops(const struct draw *d, double *out)
{
    int64_t at[LETTERS] = {0};
    unsigned used = 0;
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < d->n_letters[i]; k++) used |= 1u << d->letter[i][k];
    for (;;) {
        double product = 1;
        for (int i = 0; i < d->n; i++)
            product *= d->value[i][offset(d, d->n_letters[i], d->letter[i], at)];
        out[offset(d, d->n_out, d->out, at)] += product;
        int l = 0;
        for (; l < LETTERS; l++) {
            if (!(used & 1u << l)) continue;
            if (++at[l] < d->extent[l]) break;
            at[l] = 0;
        }
        if (l == LETTERS) return;
    }
}

static void random_subscripts(int number)
{
    static struct draw d;
    static double want[MOST_OUT], got[MOST_OUT];
    heddle_array *arrays[TERMS];
    draw_terms(&d);
    int64_t n = 1, shape[AXES];
    for (int k = 0; k < d.n_out; k++) n *= d.extent[d.out[k]];
    memset(want, 0, sizeof want);
    by_loops(&d, want);
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < d.n; i++) {
        for (int k = 0; k < d.n_letters[i]; k++) shape[k] = d.extent[d.letter[i][k]];
        arrays[i] = heddle_asarray(d.value[i], HEDDLE_FLOAT64, d.n_letters[i], shape);
    }
    heddle_array *e = heddle_einsum(d.text, d.n, arrays);
    const bool read = heddle_size(e) == n && heddle_read(e, got, 8 * n) == HEDDLE_OK;
    CHECK(read, "draw %d: %s: %s", number, d.text, heddle_error(e));
    for (int64_t k = 0; k < n && read; k++) /* small integers: exact in any order */
        CHECK(got[k] == want[k], "draw %d: %s: element %lld is %g, not %g", number, d.text,
              (long long)k, got[k], want[k]);
    heddle_scope_close(scope);
}

/* ---- Order ------------------------------------------------------------------------------------------- */

/* Whether the plan of `a` has the text. */
static bool planned(heddle_array *a, const char *text)
{
    char *plan = NULL;
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    const bool found = plan && strstr(plan, text);
    heddle_free(plan);
    return found;
}

static heddle_array *matrix(int64_t rows, int64_t columns)
{
    heddle_array *a = heddle_reshape(
        heddle_arange(heddle_scalar(0), heddle_scalar(rows * columns), heddle_scalar(1)), 2,
        (const int64_t[]){rows, columns});
    a = heddle_astype(a, HEDDLE_FLOAT64);
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    return a;
}

/* Of the two orders of three matrices one has small intermediates: the shape shows in the plan. */
static void orders(void)
{
    heddle_array *a = matrix(2, 50), *b = matrix(50, 3), *c = matrix(3, 40);
    heddle_array *ab_c[2] = {heddle_einsum("ij,jk,kl->il", HEDDLE_ARRAYS(a, b, c)),
                             heddle_linalg_multi_dot(HEDDLE_ARRAYS(a, b, c))};
    heddle_array *const at = heddle_matrix_transpose(a), *const bt = heddle_matrix_transpose(b),
                        *const ct = heddle_matrix_transpose(c);
    heddle_array *c_ba[2] = {heddle_einsum("lk,kj,ji->il", HEDDLE_ARRAYS(ct, bt, at)),
                             heddle_linalg_multi_dot(HEDDLE_ARRAYS(ct, bt, at))};
    for (int i = 0; i < 2; i++) {
        CHECK(planned(ab_c[i], "(2, 3)") && !planned(ab_c[i], "(50, 40)"), "way %d", i);
        CHECK(planned(c_ba[i], "(3, 2)") || planned(c_ba[i], "(2, 3)"), "way %d", i);
        CHECK(!planned(c_ba[i], "(40, 50)") && !planned(c_ba[i], "(50, 40)"), "way %d", i);
    }
    heddle_array *same = heddle_array_equal(ab_c[0], heddle_matmul(heddle_matmul(a, b), c));
    CHECK_READ(same, HEDDLE_BOOL, "()", VALUES(1));
    /* matrices and their transposes are read where they are */
    heddle_array *product = heddle_einsum("ji,kj->ik", HEDDLE_ARRAYS(b, a));
    CHECK(!planned(product, "copy") && planned(product, "matmul"));
    CHECK(!planned(heddle_einsum("ij,ij->", HEDDLE_ARRAYS(a, a)), "temporary"));
    /* so is an array whose middle axis is summed */
    heddle_array *cube = heddle_reshape(matrix(20, 150), HEDDLE_SHAPE(20, 3, 50));
    heddle_array *along = heddle_einsum("ajb,jk->akb", HEDDLE_ARRAYS(cube, matrix(3, 3)));
    CHECK(!planned(along, "copy") && planned(along, "matmul"));
    heddle_array *x = heddle_reshape(matrix(30, 17), HEDDLE_SHAPE(2, 3, 5, 17)), *m = matrix(5, 4);
    heddle_array *const products = heddle_multiply(heddle_reshape(x, HEDDLE_SHAPE(2, 3, 5, 1, 17)),
                                                   heddle_reshape(m, HEDDLE_SHAPE(5, 4, 1)));
    heddle_array *const two[2] = {heddle_einsum("absc,sd->abdc", HEDDLE_ARRAYS(x, m)),
                                  heddle_einsum("sd,absc->abdc", HEDDLE_ARRAYS(m, x))};
    for (int i = 0; i < 2; i++)
        CHECK_READ(heddle_array_equal(two[i], heddle_sum(products, .axis = 2)), HEDDLE_BOOL, "()",
                   VALUES(1));
}

/* A chain that is longer than the search of all orders. */
static void greedy(void)
{
    heddle_array *m[12];
    for (int i = 0; i < 12; i++) {
        const double shear[4] = {1, i % 2, 1 - i % 2, 1};
        m[i] = heddle_asarray(shear, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 2));
    }
    heddle_array *chain = m[0];
    for (int i = 1; i < 12; i++) chain = heddle_matmul(chain, m[i]);
    heddle_array *const r = heddle_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,lm->ma", 12, m);
    CHECK_READ(heddle_array_equal(r, heddle_matrix_transpose(chain)), HEDDLE_BOOL, "()", VALUES(1));
    CHECK_READ(heddle_array_equal(heddle_linalg_multi_dot(12, m), chain), HEDDLE_BOOL, "()",
               VALUES(1));
}

/* ---- Errors ----------------------------------------------------------------------------------------- */

static void errors(void)
{
    heddle_array *a = matrix(2, 3), *b = matrix(4, 2);
    const struct {
        const char *text;
        int n;
        enum heddle_status code;
        const char *message;
    } bad[] = {
        {"ij,jk", 2, HEDDLE_ESHAPE,
         "heddle_einsum: argument 2 of shape (4, 2): axis 0 of 'j' is not 3"},
        {"ii", 1, HEDDLE_ESHAPE,
         "heddle_einsum: argument 1 of shape (2, 3): axes 0 and 1 of 'i' differ"},
        {"ijk", 1, HEDDLE_ESHAPE, "heddle_einsum: argument 1 of shape (2, 3) has not 3 axes"},
        {"i", 1, HEDDLE_ESHAPE, "heddle_einsum: argument 1 of shape (2, 3) has not 1 axes"},
        {"i?", 1, HEDDLE_EARG, "heddle_einsum: '?' in the subscripts"},
        {"......", 1, HEDDLE_EARG, "heddle_einsum: '.' in the subscripts"},
        {"ij", 2, HEDDLE_EARG, "heddle_einsum: 2 arrays for fewer terms"},
        {"ij,kl,m", 2, HEDDLE_EARG, "heddle_einsum: 2 arrays for more terms"},
        {"ij->k", 1, HEDDLE_EARG, "heddle_einsum: 'k' of the output is in no argument"},
        {"ij->ii", 1, HEDDLE_EARG, "heddle_einsum: 'i' is in the output twice"},
        {"i...->i", 1, HEDDLE_EARG,
         "heddle_einsum: the output has no '...' for the axes of the arguments'"},
        {"...,...", 2, HEDDLE_ESHAPE,
         "heddle_einsum: argument 2 of shape (4, 2): the axes of '...' do not broadcast"},
        {"ij->i,j", 1, HEDDLE_EARG, "heddle_einsum: ',j' after the output"},
        {"ijklmnopq", 1, HEDDLE_ESHAPE, "heddle_einsum: more than 8 letters in a term"},
    };
    heddle_array *const both[2] = {a, b};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_ERROR(heddle_einsum(bad[i].text, bad[i].n, both), bad[i].code, bad[i].message);
    heddle_array *const cube = heddle_zeros(HEDDLE_SHAPE(2, 2, 2, 2, 2));
    CHECK_ERROR(heddle_einsum("abcde,fghij", HEDDLE_ARRAYS(cube, cube)), HEDDLE_ESHAPE,
                "heddle_einsum: the result has more than 8 axes");
    CHECK_ERROR(heddle_einsum("i", 0, both), HEDDLE_EARG, "heddle_einsum: 0 arrays");
    CHECK_ERROR(heddle_einsum(NULL, 1, both), HEDDLE_EARG, "heddle_einsum: no subscripts");
    CHECK_ERROR(heddle_linalg_multi_dot(1, both), HEDDLE_EARG,
                "heddle_linalg_multi_dot: 1 arrays, not 2 to 256");
    CHECK_ERROR(
        heddle_linalg_multi_dot(2, both), HEDDLE_ESHAPE,
        "heddle_linalg_multi_dot: arguments 1 and 2 of shapes (2, 3) and (4, 2) do not fit");
    CHECK_ERROR(heddle_linalg_multi_dot(HEDDLE_ARRAYS(a, cube)), HEDDLE_ESHAPE,
                "heddle_linalg_multi_dot: argument 2 of shape (2, 2, 2, 2, 2) is no matrix");
}

int main(void)
{
    for (int i = 0; i < 8000; i++) random_subscripts(i);
    heddle_scope scope = heddle_scope_open();
    orders();
    greedy();
    errors();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__storage_bytes_live(), 0);
    return check_done();
}
