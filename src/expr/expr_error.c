/* Errors of a run: the message, the line of the text, and a caret under the column. For an unknown name it
 * suggests the nearest known one. Entry points: heddle__expr_fail, heddle__expr_unknown_name. */
#include "expr/names.h"
#include "expr/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 68,
    BEFORE = 48
}; /* bytes of a long line that are shown; of these, before the caret */

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* inside a character of UTF-8 */
}

static size_t characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += !continues(text[i]);
    return count;
}

/* "\n  line\n      ^" into out[room]. */
static void point(const char *text, size_t at, char *out, size_t room)
{
    size_t start = at, end = at + strcspn(text + at, "\n");
    while (start > 0 && text[start - 1] != '\n') start--;
    bool cut_left = false, cut_right = false;
    if (end - start > SHOWN) {
        if (at - start > BEFORE) {
            start = at - BEFORE;
            cut_left = true;
            while (continues(text[start]) && start < at) start++;
        }
        if (end - start > SHOWN) {
            end = start + SHOWN;
            cut_right = true;
            while (continues(text[end]) && end > at) end--;
        }
    }
    const int column = (int)characters(text + start, at - start) + (cut_left ? 3 : 0);
    const int n = snprintf(out, room, "\n  %s%.*s%s\n  %*s^", cut_left ? "..." : "",
                           (int)(end - start), text + start, cut_right ? "..." : "", column, "");
    for (int i = 1; i < n && (size_t)i < room - 1; i++)
        if (((unsigned char)out[i] < ' ' && out[i] != '\n') || out[i] == 0x7f) out[i] = ' ';
}

bool heddle__expr_fail(struct run *run, enum heddle_status code, size_t at, const char *format, ...)
{
    if (run->code != HEDDLE_OK) return false;
    run->code = code;
    const char *text = run->text;
    if (!text[at]) /* at the end: point behind the last character */
        while (at > 0 && strchr(" \t\r\n", text[at - 1])) at--;

    char detail[260], shown[2 * SHOWN + 64];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    size_t line = 1, start = 0;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    point(text, at, shown, sizeof shown);
    snprintf(run->message, sizeof run->message, "line %zu, column %zu: %s%s", line,
             characters(text + start, at - start) + 1, detail, shown);
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
