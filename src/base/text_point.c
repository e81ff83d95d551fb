/* Entry point: text_point.h. */
#include "base/text_point.h"

#include <stdbool.h>
#include <stdio.h>
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

struct heddle_text_point heddle__text_point(const char *text, size_t at)
{
    struct heddle_text_point p = {.line = 1};
    if (!text[at])
        while (at > 0 && strchr(" \t\r\n", text[at - 1])) at--;
    size_t start = 0;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            p.line++;
            start = i + 1;
        }
    p.column = characters(text + start, at - start) + 1;
    point(text, at, p.shown, sizeof p.shown);
    return p;
}
