/* A text that grows as it is written. Entry points: text.h. */
#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct heddle_text *t, const char *text, int64_t n)
{
    if (t->failed || !heddle__grow(&t->data, 1, t->n + n + 1, &t->room)) {
        t->failed = true;
        return;
    }
    memcpy(t->data + t->n, text, (size_t)n);
    t->n += n;
    t->data[t->n] = 0;
}

void heddle__text_put_all(struct heddle_text *t, const char *text)
{
    append(t, text, (int64_t)strlen(text));
}

void heddle__text_put(struct heddle_text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < (int)sizeof line) {
        append(t, line, n);
        return;
    }
    if (t->failed || !heddle__grow(&t->data, 1, t->n + n + 1, &t->room)) {
        t->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(t->data + t->n, (size_t)n + 1, format, args);
    va_end(args);
    t->n += n;
}

struct heddle_bytes_text heddle__bytes_text(double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    struct heddle_bytes_text out;
    int u = 0;
    for (; bytes >= 999.5 && u < 4; u++) bytes /= 1000; /* of three digits */
    snprintf(out.text, sizeof out.text, bytes == (double)(int64_t)bytes ? "%.0f %s" : "%.3g %s",
             bytes, units[u]);
    return out;
}

void heddle__text_put_bytes(struct heddle_text *t, double bytes)
{
    heddle__text_put_all(t, heddle__bytes_text(bytes).text);
}

char *heddle__text_take(struct heddle_text *t)
{
    char *data = t->data;
    if (t->failed) {
        heddle__free(data);
        data = NULL;
    }
    *t = (struct heddle_text){0};
    return data;
}

enum heddle_status heddle__text_end(struct heddle_text *t, const char *caller, char **text)
{
    if (t->failed) {
        heddle__free(t->data);
        return heddle__fail(HEDDLE_ENOMEM, "%s: no memory for the text", caller);
    }
    *text = t->data;
    return HEDDLE_OK;
}
