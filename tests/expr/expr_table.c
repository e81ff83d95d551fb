/* Every row of ops.def and every reduction can be called by its name, with the arity of the table,
 * and gives the node that the C function gives. No runtime. */
#include "expr/lexer/lexer.h"
#include "expr/names.h"
#include "expr/lexer/number.h"
#include "graph/node.h"

#include "check.h"

#include <heddle.h>
#include <stdlib.h>

static const struct {
    const char *name;
    int arity;
} rows[] = {
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, expression)             \
    {#name, arity},
#include <heddle/ops.def>
#undef HEDDLE_OP
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, expression) {#name, 1},
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
};

/* The value, of the first of three dtypes that the function has a rule for. */
static void check_row(const char *name, int arity)
{
    static const char *const arguments[] = {"", "q", "q, q", "q, q, q"};
    char text[100];
    bool found = false;
    for (int i = 0; i < 3 && !found; i++) {
        const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_INT64, HEDDLE_BOOL};
        heddle_scope scope = heddle_scope_open();
        heddle_array *q = heddle_ones(HEDDLE_SHAPE(2), .dtype = dtypes[i]);
        snprintf(text, sizeof text, "np.%s(%s)", name, arguments[arity]);
        heddle_array *v = heddle_expr(text, HEDDLE_BIND("q", q));
        found = heddle_status_of(v) == HEDDLE_OK;
        if (!found) CHECK(heddle_status_of(v) == HEDDLE_EDTYPE, "%s: %s", text, heddle_error(v));
        snprintf(text, sizeof text, "%s()", name);
        CHECK_EQ(heddle_status_of(heddle_expr(text, HEDDLE_NO_BINDINGS)), HEDDLE_EARG);
        heddle_scope_close(scope);
    }
    CHECK(found, "%s has no rule for float64, int64 or bool", name);
}

static void check_name(void *user, const char *name, size_t length)
{
    ++*(int *)user;
    char first[64]; /* of add.reduce: add */
    const char *dot = strchr(name, '.');
    snprintf(first, sizeof first, "%.*s", (int)(dot ? (size_t)(dot - name) : length), name);
    CHECK(heddle__is_name(first) && (!dot || heddle__is_name(dot + 1)), "'%s'", name);
    CHECK_EQ(strlen(name), length);
}

static void check_tokens(void)
{
    size_t at = 0;
    CHECK(heddle__statement_assigns((struct lexer){.text = "a[b == (c)] = 2"}, &at), "a[...] = 2");
    CHECK_EQ(at, 12);
    CHECK(!heddle__statement_assigns((struct lexer){.text = "f(a=1) == 2; b = 1"}, &at), "f(a=1)");
    CHECK(heddle__text_ends_assigning("a\nb = (1,\n2)"), "b = (1, 2)");
    CHECK(heddle__text_ends_assigning("b += 1 # a == b\n;\n"), "b += 1");
    CHECK(!heddle__text_ends_assigning("b = 1; b"), "b = 1; b");
    CHECK(!heddle__text_ends_assigning("b = 1\nsum(b,\naxis=0)"), "axis=0");
    CHECK(!heddle__text_ends_assigning(""), "empty");
    CHECK(heddle__is_name("_a1") && !heddle__is_name("1a") && !heddle__is_name("a b") &&
              !heddle__is_name("") && !heddle__is_name("not") && !heddle__is_name("None"),
          "names");
}

/* Each spelled token and keyword is found by its own text, and so is under its first byte. */
static void check_spelled(const char *text, enum token_kind kind)
{
    struct lexer lexer = {.text = text};
    struct token token;
    heddle__lex(&lexer, &token);
    CHECK(token.kind == kind && token.length == strlen(text), "'%s'", text);
}

static void check_all_spelled(void)
{
#define HEDDLE_TOKENS_OF(byte)
#define HEDDLE_TOKEN(id, text) check_spelled(text, TOKEN_##id);
#include "expr/lexer/tokens.def"
#define HEDDLE_WORDS_OF(byte)
#define HEDDLE_WORD(id, text) check_spelled(text, TOKEN_##id);
#include "expr/lexer/keywords.def"
}

/* The value is strtod's, whichever way it was found. */
static void check_number(const char *text)
{
    const double expected = strtod(text, NULL);
    const struct number n = heddle__number(text);
    CHECK(!n.error && n.length == strlen(text), "'%s'", text);
    CHECK(n.real == expected, "%s: %.17g", text, n.real);
}

static void check_numbers(void)
{
    static const char *const texts[] = {
        "0.",
        ".0",
        "9007199254740992.",
        "9007199254740993.",
        "900719925474099.3e1",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "4.9e-324",
        "1e308",
        "1e-400",
        "0e9999999999",
        "123.456e+2",
        "0.7071067811865475",
        "1.5e-07",
        "0.1",
        "00012.5",
        "1e00000000001",
        "8.41e+21",
    };
    char text[64];
    uint64_t r = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_number(texts[i]);
    for (int i = 0; i < 20000; i++) {
        r = r * 6364136223846793005u + 1442695040888963407u;
        const int digits = (int)(r >> 60), exponent = (int)(r >> 33) % 64 - 32;
        snprintf(text, sizeof text, "%.*f", digits, (double)(r >> 40) / 977.0);
        check_number(text);
        snprintf(text, sizeof text, "%.*fe%d", digits, (double)(r >> 44) / 1e6, exponent);
        check_number(text);
    }
}

int main(void)
{
    int n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(rows[i].name, rows[i].arity);
    heddle__expr_each_builtin(check_name, &n);
    CHECK(n > 150, "%d names", n);
    check_tokens();
    check_all_spelled();
    check_numbers();
    return check_done();
}
