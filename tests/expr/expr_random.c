/* 100,000 mutated expressions: each is a value, or an error with a code, a place and a message; and
 * nothing stays behind. No runtime: nothing is computed. */
#include "blocks_left.h"
#include "graph/node.h"
#include "mutate.h"

#include "check.h"

#include <heddle.h>

#include <stdlib.h>

static void check_one(const char *text)
{
    static const double six[6] = {0, 1, 2, 3, 4, 5};
    static const int64_t four[4] = {7, 8, 9, -3};
    static const bool three[3] = {true, false, true};
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding out[] = {{"_", NULL}, {"y", NULL}};
    const enum heddle_status status = heddle_expr_run(
        text,
        HEDDLE_BIND_ALL({"a", heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
                        {"b", heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
                        {"n", heddle_asarray(four, HEDDLE_INT64, HEDDLE_SHAPE(4))},
                        {"m", heddle_asarray(three, HEDDLE_BOOL, HEDDLE_SHAPE(3))}),
        2, out);
    const enum heddle_status code = heddle_status_of(out[0].array);
    CHECK(code == HEDDLE_OK || status != HEDDLE_OK, "'%s'", text);
    CHECK(code == HEDDLE_OK || strncmp(heddle_error(out[0].array), "line ", 5) == 0, "'%s': %s",
          text, heddle_error(out[0].array));
    CHECK(code != HEDDLE_EINTERNAL && code != HEDDLE_ENOMEM, "'%s'", text);
    CHECK(heddle_status_of(out[1].array) == HEDDLE_OK || heddle_error(out[1].array)[0], "'%s'",
          text);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int n = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 100000);
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9e3779b97f4a7c15u;
    heddle__node_pooling(false);
    for (size_t i = 0; valid_expression(i); i++) check_one(valid_expression(i));
    for (int i = 0; i < n; i++) {
        char text[MUTANT_MAX];
        mutate_expression(&state, text);
        check_one(text);
        const int64_t left = blocks_left();
        CHECK(left == 0, "%lld blocks are left by '%s'", (long long)left, text);
        if (left != 0) break;
    }
    return check_done();
}
