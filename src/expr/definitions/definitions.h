/* What the files share that define functions and run them. */
#ifndef HEDDLE_EXPR_DEFINITIONS_H
#define HEDDLE_EXPR_DEFINITIONS_H

#include "expr/value.h"

enum { HEDDLE_EXPR_MAX_PARAMETERS = 16 };

/* A function of the text's: its body is read each time that it is called. In the run's arena. */
struct definition {
    const char *name;
    size_t length;
    int n;
    struct parameter {
        const char *name;
        size_t length;
        struct value value; /* what it is if it is not given; ABSENT: it must be */
    } parameters[HEDDLE_EXPR_MAX_PARAMETERS];
    size_t begin, end; /* the body, in bytes of the text */
    bool by_element;   /* vectorize: `if` of an array chooses element by element */
};

/* How far the line of a byte is indented; -1: there is more than blanks before it. */
int heddle__expr_column(const struct run *run, size_t at);
/* The end of the block after a ':', where `after` is: of its line, or before the first line that is not indented further
 * than `column`. */
bool heddle__expr_block_end(struct run *run, struct lexer after, int column, size_t *end);

#endif
