/* Status names and texts, and the thread's last error. Entry points: error.h, heddle/status.h. */
#include "base/error.h"

#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The text is made at a thread's first failure: it is too large for base/thread.h. */
static HEDDLE_THREAD_LOCAL enum heddle_status last_code;
static HEDDLE_THREAD_LOCAL char *last_text; /* [HEDDLE_ERROR_TEXT_MAX]; NULL: the code's own */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void at_thread_end(void *text)
{
    heddle__free_pooled(text);
    last_text = NULL;
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, at_thread_end) == 0;
}

/* NULL when memory is gone. */
static char *room_for_text(void)
{
    if (last_text) return last_text;
    pthread_once(&once, make_key);
    char *text = have_key ? heddle__alloc_pooled(HEDDLE_ERROR_TEXT_MAX) : NULL;
    if (text && pthread_setspecific(key, text) != 0) {
        heddle__free_pooled(text);
        text = NULL;
    }
    return last_text = text;
}

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
    char *to = room_for_text();
    if (to) memcpy(to, text, strlen(text) + 1);
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
    if (last_text) last_text[0] = 0;
}

const char *heddle_last_error(void)
{
    if (last_text) return last_text;
    return last_code == HEDDLE_OK ? "" : heddle_status_text(last_code);
}
