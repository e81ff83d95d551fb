/* Numbers of Python's syntax, read and written the same in every locale. */
#ifndef HEDDLE_EXPR_NUMBER_H
#define HEDDLE_EXPR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number {
    size_t length;     /* bytes of the text */
    bool floating;     /* has a point or an exponent */
    bool imaginary;    /* ends in j: `real` is the imaginary part */
    bool too_large;    /* error: an integer beyond uint64 */
    uint64_t integer;  /* if it is neither */
    double real;       /* in all cases */
    const char *error; /* NULL, or what is wrong */
};

/* The unsigned number literal at the beginning of `text`. */
struct number heddle__number(const char *text);

/* strtod with a point, whatever the locale. */
double heddle__strtod(const char *text);

#endif
