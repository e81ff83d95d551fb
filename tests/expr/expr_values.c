/* Values of expressions against NumPy's: the table expr_values.def, made by make_values.py. And
 * what NumPy has no word for: ownership, outputs, names. */
#include "check.h"

#include <heddle.h>

static const struct {
    const char *text;
    enum heddle_dtype dtype;
    int ndim;
    const char *value;
} table[] = {
#define VALUE(text, dtype, ndim, value) {text, HEDDLE_##dtype, ndim, value},
#include "expr_values.def"
#undef VALUE
};

/* make_values.py has the same. */
enum { N_INPUTS = 10 };

static void make_inputs(struct heddle_binding *inputs)
{
    static const double a[] = {0, 1, 2, 3, 4, 5}, b[] = {1.5, -2, 0.25, 3, -0.5, 8};
    static const double z[] = {1, 2, -0.0, -3, 0.5, 0}, s = 2.5;
    static const float x[] = {1.5f, 2.5f, -1};
    static const int64_t n[] = {7, 8, 9, -3};
    static const int8_t i8[] = {1, -2, 100};
    static const uint8_t u8[] = {250, 3, 7};
    static const bool m[] = {true, false, true};
    double c[24];
    for (int i = 0; i < 24; i++) c[i] = i;
    const struct heddle_binding made[N_INPUTS] = {
        {"a", heddle_asarray(a, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
        {"b", heddle_asarray(b, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
        {"c", heddle_asarray(c, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3, 4))},
        {"x", heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(3))},
        {"n", heddle_asarray(n, HEDDLE_INT64, HEDDLE_SHAPE(4))},
        {"i8", heddle_asarray(i8, HEDDLE_INT8, HEDDLE_SHAPE(3))},
        {"u8", heddle_asarray(u8, HEDDLE_UINT8, HEDDLE_SHAPE(3))},
        {"m", heddle_asarray(m, HEDDLE_BOOL, HEDDLE_SHAPE(3))},
        {"z", heddle_asarray(z, HEDDLE_COMPLEX128, HEDDLE_SHAPE(3))},
        {"s", heddle_asarray(&s, HEDDLE_FLOAT64, HEDDLE_NO_SHAPE)},
    };
    memcpy(inputs, made, sizeof made);
}

static void check_table(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct heddle_binding inputs[N_INPUTS];
        char *text = NULL;
        heddle_scope scope = heddle_scope_open();
        make_inputs(inputs);
        heddle_array *v = heddle_expr(table[i].text, N_INPUTS, inputs);
        CHECK(heddle_format(v, 0, &text) == HEDDLE_OK, "'%s': %s", table[i].text, heddle_error(v));
        if (text) {
            CHECK(heddle_dtype_of(v) == table[i].dtype && heddle_ndim(v) == table[i].ndim,
                  "'%s': %s, %d axes", table[i].text, heddle_dtype_name(heddle_dtype_of(v)),
                  heddle_ndim(v));
            CHECK(!strcmp(text, table[i].value), "'%s':\n%s\nnot\n%s", table[i].text, text,
                  table[i].value);
        }
        heddle_free(text);
        heddle_scope_close(scope);
    }
}

static double number(heddle_array *a)
{
    double x = NAN;
    CHECK(heddle_read(a, &x, sizeof x) == HEDDLE_OK, "%s", heddle_error(a));
    return x;
}

/* A text with functions beside one without. */
static void check_definitions(void)
{
    static const struct {
        const char *text, *same;
    } rows[] = {
        {"def f(x): return x + 1\nf(a)", "a + 1"},
        {"def f(x, y=2, z=3):\n    # a comment\n    \"\"\"what it does\"\"\"\n\n    t = x * y\n    "
         "t += z\n    return (t +\n1)\n\nf(a, z=b)",
         "a * 2 + b + 1"},
        {"@fuse\ndef f(x, y): return (x - y)**2\nf(a, b) + f(y=a, x=1)", "(a - b)**2 + (1 - a)**2"},
        {"import cupy as cp\n@cp.fuse(kernel_name='k')\ndef f(x): return x * c0\nc0 = 3\nf(a)",
         "a * 3"},
        {"def f(x): s = x * 2; return s, x\np, q = f(a)\np - q + b", "a + b"},
        {"def g(x): return x[0] * 2\ndef f(x):\n  x[0] = 7\n  return g(x)\nf(a) + a[0]",
         "14 + a[0]"}, /* arrays are values */
        {"def fact(n):\n  if n < 2:\n    return 1\n  return n * fact(n - 1)\nfact(6) + a",
         "720 + a"},
        {"def f(x, up):\n  if up: x = x + 1\n  elif up is None: return x\n  else:\n    x = x - 1\n "
         " return x * 2\n"
         "f(a, True) + f(b, False) * 3 + f(a, None)",
         "(a + 1) * 2 + (b - 1) * 6 + a"},
        {"def f(x):\n  if x.sum() > 3: return x\n  return -x\nf(a) + f(-a)",
         "a * 2"}, /* a number is asked for */
        {"@vectorize\ndef f(x):\n  if x > 2:\n    return x * 10\n  return -x\nf(a)",
         "where(a > 2, a * 10, -a)"},
        {"@np.vectorize\ndef f(x, lo, hi):\n  if x < lo: return lo\n  elif x > hi: return hi\n  x "
         "= x * 2\n  return x\nf(b, 0, 2)",
         "where(b < 0, 0, where(b > 2, 2, b * 2))"},
        {"def f(x):\n  y = 1\n  if x > 2:\n    if x > 4: y = 5\n    else:\n      y = x * 3\n    z "
         "= 1\n  else: y = y - x\n  return y + 1\n"
         "vectorize(f)(a)",
         "where(a > 2, where(a > 4, 5, a * 3), 1 - a) + 1"},
        {"@vectorize\ndef f(x, y):\n  if x > 2:\n    if y > 1:\n      return x\n    x = x + 100\n  "
         "x = x + y\n  return x\nf(a, b)",
         "where((a > 2) & (b > 1), a, where(a > 2, a + 100, a) + b)"},
        {"@vectorize\ndef f(x):\n  if x > 2:\n    return x, 1\n  else:\n    return 0, x\np, q = "
         "f(a)\np + q * 10",
         "where(a > 2, a, 0) + where(a > 2, 1, a) * 10"},
        {"vectorize(sqrt)(a) + fuse(add)(a, b)", "sqrt(a) + (a + b)"},
        {"def f(out): return out + 1\nf(out=a)", "a + 1"},
        {"def f():\n  pass\nf() is None", "True"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct heddle_binding inputs[N_INPUTS];
        char *text = NULL, *same = NULL;
        heddle_scope scope = heddle_scope_open();
        make_inputs(inputs);
        heddle_array *const v = heddle_expr(rows[i].text, N_INPUTS, inputs);
        heddle_array *const w = heddle_expr(rows[i].same, N_INPUTS, inputs);
        CHECK(heddle_format(v, 0, &text) == HEDDLE_OK, "'%s': %s", rows[i].text, heddle_error(v));
        CHECK(heddle_format(w, 0, &same) == HEDDLE_OK, "'%s': %s", rows[i].same, heddle_error(w));
        if (text && same) {
            CHECK_EQ(heddle_dtype_of(v), heddle_dtype_of(w));
            CHECK(!strcmp(text, same), "'%s':\n%s\nnot\n%s", rows[i].text, text, same);
        }
        heddle_free(text);
        heddle_free(same);
        heddle_scope_close(scope);
    }
}

/* Without a scope the caller owns the result; with one the scope does. */
static void check_ownership(void)
{
    struct heddle_statistics before, after;
    heddle_statistics_get(&before);
    heddle_array *const a = heddle_zeros(HEDDLE_SHAPE(3));
    heddle_array *r = heddle_expr("sum(a + 1) + sum(a * 2)", HEDDLE_BIND("a", a));
    CHECK_NUM(number(r), 3);
    heddle_release(r);
    r = heddle_expr("a", HEDDLE_BIND("a", a)); /* the input itself: a reference more */
    CHECK_EQ(heddle_size(r), 3);
    heddle_release(r);
    heddle_scope scope = heddle_scope_open();
    r = heddle_keep(heddle_expr("a + 1", HEDDLE_BIND("a", a)));
    heddle_expr("b +", HEDDLE_NO_BINDINGS);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_size(r), 3);
    heddle_release(r);
    heddle_release(a);
    heddle_statistics_get(&after);
    CHECK_EQ(after.arrays_live, before.arrays_live);
}

static void check_outputs(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *const a = heddle_ones(HEDDLE_SHAPE(4));
    struct heddle_binding out[] = {{"total", NULL}, {"k", NULL}, {"_", NULL}, {NULL, NULL}};
    CHECK_EQ(heddle_expr_run("k = 2.5\ntotal = a.sum()\ntotal * k", HEDDLE_BIND("a", a), 4, out),
             HEDDLE_OK);
    CHECK_NUM(number(out[0].array), 4);
    CHECK_NUM(number(out[1].array), 2.5);
    CHECK_NUM(number(out[2].array), 10);
    CHECK_NUM(number(out[3].array), 10);

    struct heddle_binding some[] = {{"total", NULL}, {"missing", NULL}};
    CHECK_EQ(heddle_expr_run("total = a.sum()", HEDDLE_BIND("a", a), 2, some), HEDDLE_ENAME);
    CHECK_NUM(number(some[0].array), 4);
    CHECK_EQ(heddle_status_of(some[1].array), HEDDLE_ENAME);
    CHECK_HAS(heddle_last_error(), "missing");
    CHECK_EQ(heddle_expr_run("total = ", HEDDLE_BIND("a", a), 2, some), HEDDLE_ESYNTAX);
    CHECK_EQ(heddle_status_of(some[0].array), HEDDLE_ESYNTAX);
    CHECK_EQ(heddle_expr_run("1", HEDDLE_NO_BINDINGS, 0, NULL), HEDDLE_OK);
    CHECK_EQ(heddle_expr_run(NULL, HEDDLE_NO_BINDINGS, 0, NULL), HEDDLE_EARG);
    heddle_scope_close(scope);
}

/* Inputs and variables go before built-in names; an input does not change. */
static void check_names(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *const one = heddle_ones(HEDDLE_SHAPE(2));
    CHECK_NUM(number(heddle_expr("e.sum()", HEDDLE_BIND("e", one))), 2);
    CHECK_NUM(number(heddle_expr("np.e - e[0]", HEDDLE_BIND("e", one))), 1.718281828459045);
    CHECK_NUM(number(heddle_expr("sum = 3.0; sum", HEDDLE_NO_BINDINGS)), 3);
    CHECK_NUM(number(heddle_expr("sum = u; sum (sum * 2) + sum[0]", HEDDLE_BIND("u", one))), 5);
    CHECK_NUM(number(heddle_expr("u[0] = 5; sum(u)", HEDDLE_BIND("u", one))), 6);
    CHECK_NUM(number(heddle_expr("y = u; y[0] = 5; sum(u)", HEDDLE_BIND("u", one))), 2);
    CHECK_NUM(number(heddle_expr("sum(u)", HEDDLE_BIND("u", one))), 2);
    CHECK_NUM(number(heddle_expr("import numpy as np\n\n# twice\nnp.sum(u) * \\\n 2.0 # so\n",
                                 HEDDLE_BIND("u", one))),
              4);
    CHECK_NUM(number(heddle_expr("sum(\n  u[\n 0:1 ],\n axis = None\n)", HEDDLE_BIND("u", one))),
              1);
    CHECK_NUM(number(heddle_expr("\xc3\xa9t\xc3\xa9 = 2.0; \xc3\xa9t\xc3\xa9", HEDDLE_NO_BINDINGS)),
              2);
    heddle_scope_close(scope);
}

int main(void)
{
    check_table();
    check_definitions();
    check_ownership();
    check_outputs();
    check_names();
    return check_done();
}
