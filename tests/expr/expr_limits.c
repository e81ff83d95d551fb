/* Large and deep texts: chains of any length work, nesting stops at a limit with an error, and
 * nothing takes more than linear time. No runtime. */
#include "graph/meaning.h"

#include "base/memory.h"

#include "check.h"

#include <heddle.h>

#include <stdlib.h>

/* head, then n times piece, then tail. */
static char *repeat(const char *head, const char *piece, int n, const char *tail)
{
    const size_t width = strlen(piece), room = strlen(head) + width * (size_t)n + strlen(tail) + 1;
    char *const text = malloc(room);
    char *at = text;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < n; i++) {
        memcpy(at, piece, width);
        at += width;
    }
    strcpy(at, tail);
    return text;
}

/* Its value when `code` is HEDDLE_OK, else words of its error. */
static void check(char *text, const char *what, enum heddle_status code, double value,
                  const char *words)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *v = heddle_expr(text, HEDDLE_BIND("a", heddle_ones(HEDDLE_SHAPE(1))));
    CHECK(heddle_status_of(v) == code, "%s: %s", what, heddle_error(v));
    if (code != HEDDLE_OK)
        CHECK_HAS(heddle_error(v), words);
    else if (heddle_status_of(v) == HEDDLE_OK && words)
        CHECK_NUM(meaning_nth(v, 0), value);
    heddle_scope_close(scope);
    free(text);
}

static void check_chains(void)
{
    check(repeat("1", "+1", 1000000, ""), "1+1+...", HEDDLE_OK, 1000001, "");
    check(repeat("a", "+a", 100000, ""), "a+a+...", HEDDLE_OK, 0, NULL);
    check(repeat("a", "[:]", 100000, ""), "a[:][:]...", HEDDLE_OK, 0, NULL);
    check(repeat("a", ".T", 100000, ""), "a.T.T...", HEDDLE_OK, 0, NULL);
    check(repeat("1", " < 1", 100000, ""), "1 < 1 < ...", HEDDLE_OK, 0, "");
    check(repeat("1", " and 1", 100000, ""), "1 and ...", HEDDLE_OK, 1, "");
    check(repeat("y = 0", "; y += 1", 100000, ""), "y += 1", HEDDLE_OK, 100000, "");
    check(repeat("", "\n", 1000000, "3"), "blank lines", HEDDLE_OK, 3, "");
    check(repeat("(", "\n", 1000000, "3)"), "lines in brackets", HEDDLE_OK, 3, "");
    check(repeat("sum(array([", "1, ", 1000000, "1]))"), "a long list", HEDDLE_OK, 0, NULL);
    check(repeat("sum(concat([", "a, ", 10000, "a]))"), "many arrays", HEDDLE_OK, 0, NULL);
    check(repeat("len((", "1, ", 100000, "1))"), "a long tuple", HEDDLE_OK, 100001, "");
}

static void check_nesting(void)
{
    const char *const words = "nested deeper than 200 levels";
    static const char *const open[] = {"(",   "[",  "-",    "~",   "not ",
                                       "2**", "a[", "sum(", "(1,", "-("};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        check(repeat("", open[i], 100000, "1"), open[i], HEDDLE_ESYNTAX, 0, words);
    check(repeat("", "(", 200, "1"), "200 open", HEDDLE_ESYNTAX, 0, "',' or ')'");
    char *const half = repeat("", "(", 200, "1");
    check(repeat(half, ")", 200, ""), "200 deep", HEDDLE_OK, 1, "");
    free(half);
    check(repeat("", "-", 200, "1"), "200 signs", HEDDLE_OK, 1, "");
    check(repeat("1", ")", 100000, ""), "closing", HEDDLE_ESYNTAX, 0, "found ')'");
}

static void check_sizes(void)
{
    check(repeat("q", "q", 100000, ""), "a long name", HEDDLE_ENAME, 0, "unknown name 'qqq");
    check(repeat("q", "q", 100000, " = 3.0"), "a long variable", HEDDLE_OK, 3, "");
    check(repeat("'", "q", 100000, "'"), "a long string", HEDDLE_EARG, 0, "a string");
    check(repeat("", "1", 100000, ""), "a long integer", HEDDLE_ESYNTAX, 0, "too long");
    check(repeat("", "1", 300, ".0"), "a long float", HEDDLE_OK, 1.1111111111111112e299, "");
    check(repeat("zeros((", "1,", 100000, "))"), "a long shape", HEDDLE_ESHAPE, 0, "more than 8");
    check(repeat("a[", "None,", 100000, "]"), "many indices", HEDDLE_EINDEX, 0, "more than 32");
    check(repeat("sum(a", ",a", 100000, ")"), "many arguments", HEDDLE_EARG, 0, "at most 3");
    check(repeat("sum(a", ",q=a", 100000, ")"), "many keywords", HEDDLE_EARG, 0, "too many");
    check(repeat("#", "#", 100000, ""), "a long comment", HEDDLE_ESYNTAX, 0, "no expression");

    char *const text = malloc(100000 * 20), *at = text;
    for (int i = 0; i < 100000; i++) at += sprintf(at, "v%d = %d;", i, i);
    strcpy(at, "v99999 + v1");
    check(text, "many variables", HEDDLE_OK, 100000, "");
}

int main(void)
{
    check_chains();
    check_nesting();
    check_sizes();
    heddle__node_pooling(false);
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
