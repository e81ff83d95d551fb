/* For programs whose only answer to an error is to stop: experiments, batch jobs, examples. Each macro takes a call
 * or an array and goes on, or prints where and why to standard error and ends the program with exit code 1.
 * The library itself does neither, so heddle.h does not include this. */
#ifndef HEDDLE_MUST_H
#define HEDDLE_MUST_H

#include <heddle/array.h>
#include <heddle/explain.h>
#include <heddle/status.h>
#include <stdio.h>
#include <stdlib.h>

/** A call that gives a status must give HEDDLE_OK: HEDDLE_MUST(heddle_save(a, "a.npy")). */
#define HEDDLE_MUST(call) heddle_must_((call), __FILE__, __LINE__, #call)
/** The only element of an array, evaluated, as double (heddle_item_double). */
#define HEDDLE_MUST_ITEM(a) heddle_must_item_((a), __FILE__, __LINE__, #a)
/** Prints an array as NumPy does, evaluated, summarised beyond a thousand elements. */
#define HEDDLE_MUST_PRINT(a) heddle_must_print_((a), __FILE__, __LINE__, #a)

static inline void heddle_must_(enum heddle_status status, const char *file, int line,
                                const char *what)
{
    if (status == HEDDLE_OK) return;
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, what, heddle_last_error(),
            heddle_status_name(status));
    exit(1);
}

static inline double heddle_must_item_(heddle_array *a, const char *file, int line,
                                       const char *what)
{
    double value = 0;
    heddle_must_(heddle_item_double(a, &value), file, line, what);
    return value;
}

static inline void heddle_must_print_(heddle_array *a, const char *file, int line, const char *what)
{
    char *text = NULL;
    heddle_must_(heddle_format(a, 0, &text), file, line, what);
    puts(text);
    heddle_free(text);
}

#endif
