/* Status names and texts, and the thread's last error. Entry points: error.h, heddle/status.h. */
#include "base/error.h"

#include <stdio.h>

static _Thread_local enum heddle_status last_code;
static _Thread_local char last_text[HEDDLE_ERROR_TEXT_MAX];

const char *heddle_status_name(enum heddle_status status)
{
    switch (status) {
#define CASE(id, number, text)                                                                     \
    case id: return #id;
        HEDDLE_STATUS_MAP(CASE)
#undef CASE
    }
    return "HEDDLE_?";
}

const char *heddle_status_text(enum heddle_status status)
{
    switch (status) {
#define CASE(id, number, text)                                                                     \
    case id: return text;
        HEDDLE_STATUS_MAP(CASE)
#undef CASE
    }
    return "unknown status";
}

enum heddle_status heddle__vfail(enum heddle_status code, const char *format, va_list args)
{
    char text[HEDDLE_ERROR_TEXT_MAX]; /* the arguments may point into last_text */
    vsnprintf(text, sizeof text, format, args);
    snprintf(last_text, sizeof last_text, "%s", text);
    last_code = code;
    return code;
}

enum heddle_status heddle__fail(enum heddle_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heddle__vfail(code, format, args);
    va_end(args);
    return code;
}

enum heddle_status heddle__last_code(void)
{
    return last_code;
}

void heddle__clear_error(void)
{
    last_code = HEDDLE_OK;
    last_text[0] = 0;
}

const char *heddle_last_error(void)
{
    return last_text;
}
