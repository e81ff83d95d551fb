/* A growing text. A failed allocation makes it stay as it is; text_take then gives NULL. */
#ifndef HEDDLE_CUDA_TEXT_H
#define HEDDLE_CUDA_TEXT_H

#include <stddef.h>

struct heddle_text {
    char *data;
    size_t length, capacity;
    int failed;
};

void heddle__put(struct heddle_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text, to be freed with heddle__free; NULL when memory was gone. */
char *heddle__text_take(struct heddle_text *text);

#endif
