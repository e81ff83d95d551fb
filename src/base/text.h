/* A text that grows as it is written. */
#ifndef HEDDLE_BASE_TEXT_H
#define HEDDLE_BASE_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Begin with {0}. */
struct heddle_text {
    char *data; /* heddle__free it; NULL while nothing is written */
    int64_t n, room;
    bool failed; /* memory is gone: nothing is written any more */
};

void heddle__text_put(struct heddle_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void heddle__text_put_all(struct heddle_text *t, const char *text);
/* "1.5 MB" */
struct heddle_bytes_text {
    char text[32];
};
struct heddle_bytes_text heddle__bytes_text(double bytes);
void heddle__text_put_bytes(struct heddle_text *t, double bytes);
/* Hands the text over; HEDDLE_ENOMEM, for `caller`, when it failed: then it is freed. */
enum heddle_status heddle__text_end(struct heddle_text *t, const char *caller, char **text);
/* The same without an error's text: NULL when it failed. */
char *heddle__text_take(struct heddle_text *t);

#endif
