/* Texts of reductions that are wrong, and calls: the code, which of the texts, line and column, words of the message. */
#include "check_heddle.h"

struct wrong {
    const char *in, *out, *map, *reduce, *post, *identity, *type;
    enum heddle_status code;
    const char *where, *words;
};

static const struct wrong texts[] = {
    {"T", "T y", "x", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "inputs, line 1, column 2", "name"},
    {"T x", "", "x", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "outputs, line 1, column 1",
     "has an output"},
    {"T x", "T a", "x", "a + b", "a = a", "", "", HEDDLE_ENAME, "outputs, line 1, column 3",
     "'a' is there"},
    {"T x", "T a0", "x", "a + b", "a0 = 1", "", "", HEDDLE_ENAME, "outputs, line 1, column 3",
     "'a0' is there"},
    {"T x", "raw T y", "x", "a + b", "y[0] = a", "", "", HEDDLE_ESYNTAX,
     "outputs, line 1, column 1", "not raw"},
    {"T x", "T y", "x +\n * 2", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "map, line 2, column 2",
     "found '*'"},
    {"T x", "T y", "", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "map, line 1, column 1",
     "a value"},
    {"T x", "T y", "x; 2", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "map, line 1, column 2",
     "the end of the values"},
    {"T x", "T y", "a", "a + b", "y = a", "", "", HEDDLE_ENAME, "map, line 1, column 1", "'a'"},
    {"T x", "T y", "y", "a + b", "y = a", "", "", HEDDLE_ENAME, "map, line 1, column 1", "'y'"},
    {"T x", "T y", "x $", "a + b", "y = a", "", "", HEDDLE_ESYNTAX, "map, line 1, column 3",
     "a character"},
    {"T x", "T y", "x, i", "a0 + b0", "y = a0", "", "", HEDDLE_ESYNTAX,
     "reduction, line 1, column 8", "',' and value 2 of 2, found the end"},
    {"T x", "T y", "x", "a + b, 1", "y = a", "", "", HEDDLE_ESYNTAX, "reduction, line 1, column 6",
     "the end of the values"},
    {"T x", "T y", "x, i", "a + b, 1", "y = a0", "", "", HEDDLE_ENAME,
     "reduction, line 1, column 1", "'a'"},
    {"T x", "T y", "x", "a1 + b", "y = a", "", "", HEDDLE_ENAME, "reduction, line 1, column 1",
     "'a1'"},
    {"T x", "T y", "x", "a + x", "y = a", "", "", HEDDLE_ENAME, "reduction, line 1, column 5",
     "'x'"},
    {"T x", "T y", "x", "a + b + n", "y = a", "", "", HEDDLE_ENAME, "reduction, line 1, column 9",
     "'n'"},
    {"T x", "T y", "x", "a + _ind.size()", "y = a", "", "", HEDDLE_ENAME,
     "reduction, line 1, column 5", "'_ind'"},
    {"T x", "T y", "x", "a += b", "y = a", "", "", HEDDLE_ESYNTAX, "reduction, line 1, column 3",
     "found '+='"},
    {"T x", "T y", "x", "a + b", "y = b", "", "", HEDDLE_ENAME, "post-map, line 1, column 5",
     "'b'"},
    {"T x", "T y", "x", "a + b", "y = a +", "", "", HEDDLE_ESYNTAX, "post-map, line 1, column 8",
     "the end"},
    {"T x", "T y", "x", "a + b", "a = 2", "", "", HEDDLE_ENAME, "post-map, line 1, column 1",
     "cannot be changed"},
    {"T x", "T y", "x", "a + b", "y = a", "x", "", HEDDLE_ENAME, "identity, line 1, column 1",
     "'x'"},
    {"T x", "T y", "x", "a + b", "y = a", "0, 1", "", HEDDLE_ESYNTAX, "identity, line 1, column 2",
     "the end"},
    {"T x", "T y", "x, 1", "a0, a1", "y = a0", "0", "", HEDDLE_ESYNTAX,
     "identity, line 1, column 2", "value 2 of 2"},
    {"T x", "T y", "x", "a + b", "y = a", "", "U", HEDDLE_ESYNTAX,
     "types of accumulators, line 1, column 1", "a type"},
    {"T x", "T y", "x", "a + b", "y = a", "", "int, T", HEDDLE_ESYNTAX,
     "types of accumulators, line 1, column 4", "no further accumulator"},
    {"T x", "T y", "x, i", "a0, a1", "y = a0", "", "int", HEDDLE_ESYNTAX,
     "types of accumulators, line 1, column 4", "a type for each"},
    {"T x", "T y", "x", "a + b", "y = a", "", "auto", HEDDLE_ESYNTAX,
     "types of accumulators, line 1, column 1", "not auto"},
    {"T x", "T y", "1, 2, 3, 4, 5, 6, 7, 8, 9", "a0", "y = a0", "", "", HEDDLE_EUNSUPPORTED, "map",
     "9 values, more than 8"},
};

/* Of float32 arrays x of shape (2, 3). */
static const struct wrong calls[] = {
    {"T x", "U y", "x", "a + b", "y = a", "", "", HEDDLE_EDTYPE, "kernel 'name'",
     "no argument decides the type U of 'y'"},
    {"T x", "T y", "x % 2", "a + b", "y = a", "", "", HEDDLE_EDTYPE, "map, line 1, column 1",
     "not float32"},
    {"T x", "T y", "x", "a & b", "y = a", "", "", HEDDLE_EDTYPE, "reduction, line 1, column 1",
     "bit operations"},
    {"T x", "T y", "x", "a + b", "y = a << 1", "", "", HEDDLE_EDTYPE, "post-map, line 1, column 5",
     "shifts"},
    {"T x", "T y", "x", "a + b", "y = a", "complex<float>(1)", "", HEDDLE_EDTYPE,
     "identity, line 1, column 1", "complex number"},
    {"T x, T z", "T y", "x", "a + b", "y = a", "", "", HEDDLE_EARG, "heddle_kernel_reduce",
     "1 arguments for the 2 inputs"},
    {"T x", "T y, T z", "x", "a + b", "y = a", "", "", HEDDLE_EARG, "heddle_kernel_reduce",
     "1 results for the 2 outputs"},
    {"int8 x", "T y", "x", "a + b", "y = a", "", "", HEDDLE_EDTYPE, "'x' is of float32",
     "not int8"},
    {"raw T x", "T y", "x[i]", "a + b", "y = a", "", "", HEDDLE_EARG, "name it, .shape", ""},
};

static heddle_kernel *make(const struct wrong *w)
{
    return heddle_kernel_reduction(w->in, w->out, w->map, w->reduce, w->post,
                                   .identity = w->identity, .type = w->type, .name = "name");
}

static void check_texts(heddle_array *x)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct wrong *const w = &texts[i];
        heddle_kernel *const k = make(w);
        char where[80];
        snprintf(where, sizeof where, "kernel 'name', %s: ", w->where);
        CHECK_EQ(heddle_kernel_status(k), w->code);
        CHECK_HAS(heddle_kernel_error(k), where);
        CHECK_HAS(heddle_kernel_error(k), w->words);
        check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(x)), w->code, where);
        heddle_kernel_release(k);
    }
}

static void check_calls(heddle_array *x)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct wrong *const w = &calls[i];
        heddle_kernel *const k = make(w);
        CHECK_STR(heddle_kernel_error(k), "");
        check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(x)), w->code, w->where);
        CHECK_HAS(heddle_last_error(), w->words);
        heddle_kernel_release(k);
    }
}

static void check_others(heddle_array *x)
{
    heddle_kernel *const k =
        heddle_kernel_reduction("T x", "T y", "x", "a + b", "y = a", .name = "sum");
    heddle_kernel *const e = heddle_kernel_elementwise("T x", "T y", "y = x", "same");
    heddle_array *const wrong = heddle_add(x, NULL);
    heddle_array *out = NULL;
    check_error(heddle_kernel_apply(k, HEDDLE_ARRAYS(x)), HEDDLE_EARG,
                "'sum' is a reduction: heddle_kernel_reduce");
    check_error(heddle_kernel_reduce(e, HEDDLE_ARRAYS(x)), HEDDLE_EARG,
                "'same' is elementwise: heddle_kernel_apply");
    CHECK_EQ(heddle_kernel_call(k, HEDDLE_ARRAYS(x), 1, &out), HEDDLE_EARG);
    CHECK_EQ(heddle_kernel_reduce_call(k, HEDDLE_ARRAYS(x), 1, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_kernel_reduce_call(k, HEDDLE_ARRAYS(x), 1, &out, .axis = 2), HEDDLE_EAXIS);
    CHECK(out == NULL);
    check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(x), .axis = -3), HEDDLE_EAXIS, "axis -3");
    check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(x), .axes = HEDDLE_AXES(0, -2)), HEDDLE_EAXIS,
                "given twice");
    check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(x), .axis = 0, .axes = HEDDLE_AXES(1)),
                HEDDLE_EARG, "axis");
    check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(wrong)), HEDDLE_EARG, "NULL");
    check_error(heddle_kernel_reduce(NULL, HEDDLE_ARRAYS(x)), HEDDLE_EARG, "the kernel is NULL");
    heddle_kernel_release(k);
    heddle_kernel_release(e);

    static const char *const good[] = {"T x", "T y", "x", "a + b", "y = a"};
    static const char *const names[] = {"inputs", "outputs", "map", "reduction", "post-map"};
    for (int i = 0; i < 5; i++) {
        const char *t[5];
        for (int j = 0; j < 5; j++) t[j] = i == j ? NULL : good[j];
        heddle_kernel *const none = heddle_kernel_reduction(t[0], t[1], t[2], t[3], t[4]);
        CHECK_EQ(heddle_kernel_status(none), HEDDLE_EARG);
        CHECK_HAS(heddle_kernel_error(none), names[i]);
        heddle_kernel_release(none);
    }
    struct heddle_kernel_reduction_options newer[2] = {{.size = sizeof newer, .name = "n"}};
    newer[1].name = "unknown";
    heddle_kernel *const unknown =
        heddle_kernel_reduction_with("T x", "T y", "x", "a + b", "y = a", newer);
    CHECK_EQ(heddle_kernel_status(unknown), HEDDLE_EARG);
    CHECK_HAS(heddle_kernel_error(unknown), "kernel_reduction");
    heddle_kernel_release(unknown);
}

int main(void)
{
    static const float six[6] = {1, 2, 3, 4, 5, 6};
    heddle_scope scope = heddle_scope_open();
    heddle_array *const x = heddle_asarray(six, HEDDLE_FLOAT32, HEDDLE_SHAPE(2, 3));
    check_texts(x);
    check_calls(x);
    check_others(x);
    heddle_scope_close(scope);
    return check_done();
}
