/* Where in a text something is wrong: line, column, and the line with a caret under the column. */
#ifndef HEDDLE_BASE_TEXT_POINT_H
#define HEDDLE_BASE_TEXT_POINT_H

#include <stddef.h>

struct heddle_text_point {
    size_t line, column; /* from 1; columns count characters of UTF-8 */
    char shown[200];     /* "\n  line\n      ^"; a part of a long line */
};

/* Of byte `at`; at the end of the text, and behind spaces there, it is behind the last character. */
struct heddle_text_point heddle__text_point(const char *text, size_t at);

#endif
