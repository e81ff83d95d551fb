/* Errors of a run: the message, the line of the text, and a caret under the column. For an unknown name it
 * suggests the nearest known one. Entry points: heddle__expr_fail, heddle__expr_unknown_name. */
#include "base/text_point.h"
#include "expr/names.h"
#include "expr/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool heddle__expr_fail(struct run *run, enum heddle_status code, size_t at, const char *format, ...)
{
    if (run->code != HEDDLE_OK) return false;
    run->code = code;
    char detail[260];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    const struct heddle_text_point p = heddle__text_point(run->text, at);
    snprintf(run->message, sizeof run->message, "line %zu, column %zu: %s%s", p.line, p.column,
             detail, p.shown);
    return false;
}

bool heddle__expr_no_memory(struct run *run)
{
    if (run->code == HEDDLE_OK) {
        run->code = HEDDLE_ENOMEM;
        snprintf(run->message, sizeof run->message, "out of memory");
    }
    return false;
}

/* ---- Near misses ------------------------------------------------------------------------------- */

enum { LONGEST = 24 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The number of edits (insert, delete, replace, swap neighbours) from a to b. */
static int distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n_a; i++) {
        for (size_t j = 0; j <= n_b; j++) {
            if (!i || !j) {
                d[i][j] = (int)(i + j);
                continue;
            }
            const int same = a[i - 1] == b[j - 1];
            d[i][j] = least(d[i - 1][j - 1] + !same, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n_a][n_b];
}

struct nearest {
    const char *name, *best;
    size_t length, best_length;
    int edits;
};

static void offer(void *user, const char *name, size_t length)
{
    struct nearest *near = user;
    if (length > LONGEST || near->length > LONGEST) return;
    /* the lengths alone tell most names apart: each edit changes them by one at most */
    if (abs((int)length - (int)near->length) >= near->edits) return;
    const int edits = distance(near->name, near->length, name, length);
    if (edits >= near->edits) return;
    near->edits = edits;
    near->best = name;
    near->best_length = length;
}

static struct nearest look_for(const char *name, size_t length)
{
    return (struct nearest){.name = name,
                            .length = length,
                            .edits = length < 3   ? 1
                                     : length < 5 ? 2
                                                  : 3};
}

bool heddle__expr_unknown_name(struct run *run, const char *what, size_t at, size_t length,
                               bool with_variables)
{
    struct nearest near = look_for(run->text + at, length);
    heddle__expr_each_builtin(offer, &near);
    for (int64_t i = 0; with_variables && i < run->variable_capacity; i++)
        if (run->variables[i].name) offer(&near, run->variables[i].name, run->variables[i].length);
    const int shown = length > 60 ? 60 : (int)length;
    if (near.best)
        return heddle__expr_fail(run, HEDDLE_ENAME, at,
                                 "unknown name '%s%.*s'; did you mean '%.*s'?", what, shown,
                                 run->text + at, (int)near.best_length, near.best);
    return heddle__expr_fail(run, HEDDLE_ENAME, at, "unknown name '%s%.*s'", what, shown,
                             run->text + at);
}

bool heddle__expr_unknown_attribute(struct run *run, size_t at, size_t length)
{
    struct nearest near = look_for(run->text + at, length);
    heddle__expr_each_attribute(offer, &near);
    const int shown = length > 60 ? 60 : (int)length;
    if (near.best)
        return heddle__expr_fail(run, HEDDLE_ENAME, at,
                                 "an array has no attribute '%.*s'; did you mean '%.*s'?", shown,
                                 run->text + at, (int)near.best_length, near.best);
    return heddle__expr_fail(run, HEDDLE_ENAME, at, "an array has no attribute '%.*s'", shown,
                             run->text + at);
}
