/* Texts of kernels that are wrong, and calls: the code, which of the texts, line and column, words of the message. */
#include "check.h"

#include <heddle.h>

struct wrong {
    const char *in, *out, *operation;
    enum heddle_status code;
    const char *where; /* "inputs, line 1, column 3" */
    const char *words;
};

static const struct wrong texts[] = {
    /* parameters */
    {"T", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 2", "a parameter's name"},
    {"T x,", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 5", "expected a type"},
    {"T x T y", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 5", "',' or the end"},
    {"real x", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 1", "a type, found 'real'"},
    {"T x, T x", "T z", "z = 1", HEDDLE_ENAME, "inputs, line 1, column 8", "'x' is there"},
    {"T x", "T x", "x = 1", HEDDLE_ENAME, "outputs, line 1, column 3", "'x' is there"},
    {"T i", "T z", "z = i", HEDDLE_ENAME, "inputs, line 1, column 3", "'i' cannot be"},
    {"T _x", "T z", "z = 1", HEDDLE_ENAME, "inputs, line 1, column 3", "begins with _"},
    {"auto x", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 6", "not auto"},
    {"T x", "", "", HEDDLE_ESYNTAX, "outputs, line 1, column 1", "a kernel has an output"},
    {"unsigned double x", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 17", "found 'x'"},
    {"short long x", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 1",
     "no type together"},
    {"complex<int> x", "T z", "z = 1", HEDDLE_ESYNTAX, "inputs, line 1, column 9",
     "float, double or a letter"},
    /* tokens */
    {"T x", "T z", "z = x $ 2", HEDDLE_ESYNTAX, "operation, line 1, column 7", "a character"},
    {"T x", "T z", "z = 1 /* x", HEDDLE_ESYNTAX, "operation, line 1, column 7", "has no end"},
    {"T x", "T z", "z = 08", HEDDLE_ESYNTAX, "operation, line 1, column 5", "octal"},
    {"T x", "T z", "z = 0x", HEDDLE_ESYNTAX, "operation, line 1, column 5", "no digits"},
    {"T x", "T z", "z = 1.5q", HEDDLE_ESYNTAX, "operation, line 1, column 5", "no suffix"},
    {"T x", "T z", "z = 12abc", HEDDLE_ESYNTAX, "operation, line 1, column 5", "no suffix"},
    {"T x", "T z", "z = 9223372036854775808", HEDDLE_ESYNTAX, "operation, line 1, column 5",
     "int64"},
    {"T x", "T z", "z = 18446744073709551616u", HEDDLE_ESYNTAX, "operation, line 1, column 5",
     "uint64"},
    /* expressions */
    {"T x", "T z", "z = ", HEDDLE_ESYNTAX, "operation, line 1, column 4", "a value, found the end"},
    {"T x", "T z", "z = x +\n  ;", HEDDLE_ESYNTAX, "operation, line 2, column 3", "found ';'"},
    {"T x", "T z", "z = (x", HEDDLE_ESYNTAX, "operation, line 1, column 7", "')' after"},
    {"T x", "T z", "z = x ? 1", HEDDLE_ESYNTAX, "operation, line 1, column 10", "':' between"},
    {"T x", "T z", "z = sin x", HEDDLE_ESYNTAX, "operation, line 1, column 9",
     "'(' after a function"},
    {"T x", "T z", "z = pow(x)", HEDDLE_ESYNTAX, "operation, line 1, column 10", "','"},
    {"T x", "T z", "z = sin(x, x)", HEDDLE_ESYNTAX, "operation, line 1, column 10", "')'"},
    {"T x", "T z", "z = q + 1", HEDDLE_ENAME, "operation, line 1, column 5", "unknown name 'q'"},
    {"T x", "T z", "z = foo(x)", HEDDLE_ENAME, "operation, line 1, column 5", "'foo'"},
    {"T x", "T z", "z = U(x)", HEDDLE_ENAME, "operation, line 1, column 5", "'U'"},
    {"T x", "T z", "z = minf(x, x)", HEDDLE_ENAME, "operation, line 1, column 5", "'minf'"},
    {"T x", "T z", "z = x.y", HEDDLE_ESYNTAX, "operation, line 1, column 7", "real() or imag()"},
    {"T x", "T z", "z = x[0]", HEDDLE_ESYNTAX, "operation, line 1, column 6", "';' after"},
    {"raw T x", "T z", "z = x", HEDDLE_ESYNTAX, "operation, line 1, column 6", "raw parameter"},
    {"raw T x", "T z", "z = x[1", HEDDLE_ESYNTAX, "operation, line 1, column 8", "']' after"},
    {"raw T x", "T z", "z = x.length()", HEDDLE_ESYNTAX, "operation, line 1, column 7",
     "size or shape"},
    {"T x", "T z", "z = _ind.get()", HEDDLE_ESYNTAX, "operation, line 1, column 15",
     "an axis after"},
    {"T x", "T z", "z = _ind.put()", HEDDLE_ESYNTAX, "operation, line 1, column 10",
     "size() or get()"},
    {"T x", "T z", "z = fma(x, x)", HEDDLE_ESYNTAX, "operation, line 1, column 13", "','"},
    {"T x", "T z", "z = '", HEDDLE_ESYNTAX, "operation, line 1, column 5", "a character"},
    {"T x", "T z", "z = 'ab'", HEDDLE_ESYNTAX, "operation, line 1, column 5", "a character"},
    {"T x", "T z", "z = 0b", HEDDLE_ESYNTAX, "operation, line 1, column 5", "binary"},
    /* arrays */
    {"T x", "T z", "T a[0];", HEDDLE_ESYNTAX, "operation, line 1, column 5", "from 1 to 64"},
    {"T x", "T z", "T a[65];", HEDDLE_ESYNTAX, "operation, line 1, column 5", "from 1 to 64"},
    {"T x", "T z", "T a[n];", HEDDLE_ESYNTAX, "operation, line 1, column 5", "from 1 to 64"},
    {"T x", "T z", "T a[];", HEDDLE_ESYNTAX, "operation, line 1, column 5", "needs a number"},
    {"T x", "T z", "T a[] = {};", HEDDLE_ESYNTAX, "operation, line 1, column 11", "an element"},
    {"T x", "T z", "T a[2] = {1, 2, 3};", HEDDLE_ESYNTAX, "operation, line 1, column 17",
     "of 2 elements"},
    {"T x", "T z", "T a[2] = x;", HEDDLE_ESYNTAX, "operation, line 1, column 10", "'{' before"},
    {"T x", "T z", "T a[2]; z = a;", HEDDLE_ESYNTAX, "operation, line 1, column 14",
     "'[' after an array"},
    {"T x", "T z", "T a[2]; a = x;", HEDDLE_ESYNTAX, "operation, line 1, column 11",
     "'[' after an array"},
    {"T x", "T z", "const T a[2]; a[0] = x;", HEDDLE_ENAME, "operation, line 1, column 15",
     "cannot be changed"},
    {"T x", "T z", "auto a[2];", HEDDLE_ESYNTAX, "operation, line 1, column 8", "auto"},
    /* choices */
    {"T x", "T z", "switch (x) z = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 12",
     "'{' after"},
    {"T x", "T z", "switch (x) { z = 1; }", HEDDLE_ESYNTAX, "operation, line 1, column 14",
     "case, default"},
    {"T x", "T z", "switch (x) { case 1: z = 1; case 2: z = 2; }", HEDDLE_ESYNTAX,
     "operation, line 1, column 29", "break, continue or return"},
    {"T x", "T z", "switch (x) { default: z = 1; break; case 2: z = 2; }", HEDDLE_ESYNTAX,
     "operation, line 1, column 37", "after default"},
    {"T x", "T z", "for (;;) switch (x) { case 1: if (x) break; z = 1; }", HEDDLE_ESYNTAX,
     "operation, line 1, column 38", "at its end"},
    {"T x", "T z", "switch (x) { case 1: z = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 28",
     "found the end"},
    {"T x", "T z", "return x;", HEDDLE_ESYNTAX, "operation, line 1, column 1",
     "functions of the preamble"},
    /* statements */
    {"T x", "T z", "x = 1", HEDDLE_ENAME, "operation, line 1, column 1", "cannot be changed"},
    {"T x", "T z", "i = 1", HEDDLE_ENAME, "operation, line 1, column 1", "cannot be changed"},
    {"T x", "T z", "const T a = x; a = 1", HEDDLE_ENAME, "operation, line 1, column 16",
     "cannot be"},
    {"T x", "T z", "x + 1", HEDDLE_ENAME, "operation, line 1, column 1", "cannot be changed"},
    {"T x", "T z", "z + 1", HEDDLE_ESYNTAX, "operation, line 1, column 3", "an assignment"},
    {"T x", "T z", "z = 1 z = 2", HEDDLE_ESYNTAX, "operation, line 1, column 7", "';' after"},
    {"T x", "T z", "w = 1", HEDDLE_ENAME, "operation, line 1, column 1", "unknown name 'w'"},
    {"T x", "T z", "int a = 1, a = 2", HEDDLE_ENAME, "operation, line 1, column 12", "is there"},
    {"T x", "T z", "int a = a;", HEDDLE_ENAME, "operation, line 1, column 9", "unknown name 'a'"},
    {"T x", "T z", "{ int a = 1; }\nz = a;", HEDDLE_ENAME, "operation, line 2, column 5", "'a'"},
    {"T x", "T z", "auto a;", HEDDLE_ESYNTAX, "operation, line 1, column 6", "auto needs a value"},
    {"T x", "T z", "if (x) int a = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 8", "a block"},
    {"T x", "T z", "if x z = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 4", "'(' before"},
    {"T x", "T z", "if (x = 1) z = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 7", "')' after"},
    {"T x", "T z", "else z = 1;", HEDDLE_ENAME, "operation, line 1, column 1", "'else'"},
    {"T x", "T z", "break;", HEDDLE_ESYNTAX, "operation, line 1, column 1", "no loop"},
    {"T x", "T z", "for (int k = 0; k < 3) z = k;", HEDDLE_ESYNTAX, "operation, line 1, column 22",
     "';'"},
    {"T x", "T z", "for (int k = 0; k < 3; int j = 1) z = k;", HEDDLE_ESYNTAX,
     "operation, line 1, column 24", "an assignment"},
    {"T x", "T z", "do z = 1; until (x);", HEDDLE_ESYNTAX, "operation, line 1, column 11", "while"},
    {"T x", "T z", "{ z = 1;", HEDDLE_ESYNTAX, "operation, line 1, column 9", "'}'"},
};

static void check_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct wrong *const w = &texts[i];
        heddle_kernel *const k = heddle_kernel_elementwise(w->in, w->out, w->operation, "name");
        CHECK_EQ(heddle_kernel_status(k), w->code);
        char where[80];
        snprintf(where, sizeof where, "kernel 'name', %s: ", w->where);
        CHECK_HAS(heddle_kernel_error(k), where);
        CHECK_HAS(heddle_kernel_error(k), w->words);
        heddle_kernel_release(k);
    }
}

/* `in`: the preamble, of a kernel with "T x" and "T z". */
static const struct wrong preambles[] = {
    {"T f(T a) { return a }", "", "z = f(x)", HEDDLE_ESYNTAX, "preamble, line 1, column 21",
     "';' after"},
    {"T f(T a) { return b; }", "", "z = f(x)", HEDDLE_ENAME, "preamble, line 1, column 19", "'b'"},
    {"T f(T a) { return x; }", "", "z = f(x)", HEDDLE_ENAME, "preamble, line 1, column 19", "'x'"},
    {"T f(T a) { return i; }", "", "z = f(x)", HEDDLE_ENAME, "preamble, line 1, column 19", "'i'"},
    {"T f(T a) { return _ind.size(); }", "", "z = f(x)", HEDDLE_ENAME,
     "preamble, line 1, column 19", "'_ind'"},
    {"T f(T a)\n{ return f(a); }", "", "z = f(x)", HEDDLE_ENAME, "preamble, line 2, column 10",
     "calls itself"},
    {"T f(T a) { return g(a); } T g(T a) { return 1; }", "", "z = f(x)", HEDDLE_ENAME,
     "preamble, line 1, column 19", "'g'"},
    {"T f(T a) { return 1; } T f(T a) { return 2; }", "", "z = f(x)", HEDDLE_ENAME,
     "preamble, line 1, column 26", "there already"},
    {"T f(T a, T a) { return 1; }", "", "z = f(x, x)", HEDDLE_ENAME, "preamble, line 1, column 12",
     "there already"},
    {"void f(T a) { }", "", "z = 1", HEDDLE_ESYNTAX, "preamble, line 1, column 1",
     "returns a number"},
    {"T f(T *a) { return 1; }", "", "z = 1", HEDDLE_ESYNTAX, "preamble, line 1, column 7",
     "take numbers"},
    {"U f(T a) { return 1; }", "", "z = 1", HEDDLE_ESYNTAX, "preamble, line 1, column 1",
     "expected a type"},
    {"T f(T a);", "", "z = 1", HEDDLE_ESYNTAX, "preamble, line 1, column 9", "'{' before the body"},
    {"#define f 1", "", "z = 1", HEDDLE_ESYNTAX, "preamble, line 1, column 1", "a character"},
    {"T f(T a) { return a; }", "", "z = f()", HEDDLE_ESYNTAX, "operation, line 1, column 7",
     "a value"},
    {"T f(T a) { return a; }", "", "z = f(x, x)", HEDDLE_ESYNTAX, "operation, line 1, column 8",
     "')' after"},
};

static void check_preambles(void)
{
    for (size_t i = 0; i < sizeof preambles / sizeof *preambles; i++) {
        const struct wrong *const w = &preambles[i];
        heddle_kernel *const k =
            heddle_kernel_with_preamble(w->in, "T x", "T z", w->operation, "name");
        CHECK_EQ(heddle_kernel_status(k), w->code);
        char where[80];
        snprintf(where, sizeof where, "kernel 'name', %s: ", w->where);
        CHECK_HAS(heddle_kernel_error(k), where);
        CHECK_HAS(heddle_kernel_error(k), w->words);
        heddle_kernel_release(k);
    }
    const float one = 1;
    heddle_scope scope = heddle_scope_open();
    heddle_array *const x = heddle_asarray(&one, HEDDLE_FLOAT32, HEDDLE_SHAPE(1));
    heddle_kernel *const k = heddle_kernel_with_preamble("\nT f(T a) { return a % 2; }", "T x",
                                                         "T z", "z = f(x)", "name");
    heddle_array *const r = heddle_kernel_apply(k, HEDDLE_ARRAYS(x)); /* wrong for this type */
    CHECK_EQ(heddle_status_of(r), HEDDLE_EDTYPE);
    CHECK_HAS(heddle_error(r), "kernel 'name', preamble, line 2, column 19: ");
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* What is wrong only for certain types, or numbers of arguments. */
static const struct wrong calls[] = {
    {"T x, T y", "T z", "z = x", HEDDLE_EDTYPE, "'y' is of float64, where T is float32 already",
     ""},
    {"T x, float32 y", "T z", "z = x", HEDDLE_EDTYPE, "'y' is of float64, not float32", ""},
    {"T x, U y", "V z", "z = x", HEDDLE_EDTYPE, "no argument decides the type V of 'z'", ""},
    {"T x, U y", "T z", "z = x % 2", HEDDLE_EDTYPE, "operation, line 1, column 5", "not float32"},
    {"T x, U y", "T z", "z = 1 << y", HEDDLE_EDTYPE, "operation, line 1, column 10", "not float64"},
    {"T x, U y", "T z", "z = ~x", HEDDLE_EDTYPE, "operation, line 1, column 6", "bit operations"},
    {"T x, U y", "T z", "z = (complex<float>)x", HEDDLE_EDTYPE, "operation, line 1, column 5",
     "real(z)"},
    {"T x, U y", "complex64 z", "z = x; if (z) z = 1;", HEDDLE_EDTYPE,
     "operation, line 1, column 12", "a real number"},
    {"T x, U y", "complex64 z", "z = fmod(z, x);", HEDDLE_EDTYPE, "operation, line 1, column 10",
     "fmod takes real"},
    {"T x, U y", "complex64 z", "z = complex<T>(x, z)", HEDDLE_EDTYPE,
     "operation, line 1, column 19", "made of real"},
    {"T x, U y", "T z", "z = T(x, y)", HEDDLE_EDTYPE, "operation, line 1, column 5",
     "make a complex one"},
    {"T x, U y", "T z", "T a[3]; z = a[x]", HEDDLE_EDTYPE, "operation, line 1, column 15",
     "an index is an integer"},
    {"T x, complex<T> y", "T z", "z = x", HEDDLE_EDTYPE, "'y' is of float64", "where T is float32"},
    {"raw T x, raw U y", "T z", "z = 1", HEDDLE_EARG, "name it, .shape", ""},
    {"T x", "T z", "z = 1", HEDDLE_EARG, "2 arguments for the 1 inputs", ""},
    {"T x, U y", "T z, T w", "z = w = 1", HEDDLE_ESYNTAX, "operation, line 1, column 7", ""},
    {"T x, U y", "T z, T w", "z = 1", HEDDLE_EARG, "1 results for the 2 outputs", ""},
};

static void check_calls(void)
{
    const float x[2] = {1, 2};
    const double y[2] = {3, 4};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(2));
    heddle_array *b = heddle_asarray(y, HEDDLE_FLOAT64, HEDDLE_SHAPE(2));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct wrong *const w = &calls[i];
        heddle_kernel *const k = heddle_kernel_elementwise(w->in, w->out, w->operation, "name");
        heddle_array *const r = heddle_kernel_apply(k, HEDDLE_ARRAYS(a, b));
        CHECK_EQ(heddle_status_of(r), w->code);
        CHECK_HAS(heddle_error(r), w->where);
        CHECK_HAS(heddle_error(r), w->words);
        heddle_array *out[2] = {NULL, NULL};
        CHECK_EQ(heddle_kernel_call(k, HEDDLE_ARRAYS(a, b), 1, out), w->code);
        CHECK(out[0] == NULL);
        heddle_kernel_release(k);
    }
    heddle_kernel *const k = heddle_kernel_elementwise("T x, U y", "T z", "z = x", NULL);
    heddle_array *const wrong = heddle_add(a, NULL), *const three = heddle_zeros(HEDDLE_SHAPE(3));
    CHECK_EQ(heddle_status_of(heddle_kernel_apply(k, HEDDLE_ARRAYS(a, three))), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_status_of(heddle_kernel_apply(k, HEDDLE_ARRAYS(wrong, b))), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_kernel_apply(NULL, HEDDLE_ARRAYS(a, b))), HEDDLE_EARG);
    CHECK_EQ(
        heddle_status_of(heddle_kernel_apply(k, HEDDLE_ARRAYS(a, b), .shape = HEDDLE_LENGTHS(1))),
        HEDDLE_ESHAPE);
    heddle_kernel_release(k);
    heddle_kernel_release(NULL);
    heddle_kernel *const none = heddle_kernel_elementwise("T x", NULL, "", NULL);
    CHECK_EQ(heddle_kernel_status(none), HEDDLE_EARG);
    CHECK_HAS(heddle_kernel_error(none), "the outputs are NULL");
    heddle_kernel_release(none);
    heddle_scope_close(scope);
}

int main(void)
{
    check_texts();
    check_preambles();
    check_calls();
    return check_done();
}
