/* Errors inside the library: a code and a text on this thread, forwarded by three macros. */
#ifndef HEDDLE_BASE_ERROR_H
#define HEDDLE_BASE_ERROR_H

#include <heddle/status.h>
#include <assert.h>
#include <stdarg.h>

#define HEDDLE_ERROR_TEXT_MAX 512

/* Records code and text as this thread's last error and returns the code. The text names the
 * public function, the argument, and both shapes or dtypes. */
enum heddle_status heddle__fail(enum heddle_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum heddle_status heddle__vfail(enum heddle_status code, const char *format, va_list args);

/* This thread's last code and text. */
enum heddle_status heddle__last_code(void);
void heddle__clear_error(void);

/* A user's mistake: records it and returns the code. */
#define HEDDLE_REQUIRE(condition, code, ...)                                                       \
    do {                                                                                           \
        if (!(condition)) return heddle__fail(code, __VA_ARGS__);                                  \
    } while (0)

/* Forwards a failure: needs `enum heddle_status status` and a label `fail:` that cleans up. */
#define HEDDLE_TRY(call)                                                                           \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != HEDDLE_OK) goto fail;                                                        \
    } while (0)

/* A mistake of ours; checked in debug builds. */
#define HEDDLE_ASSERT(condition) assert(condition)

#endif
