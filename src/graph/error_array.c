/* Arrays in the error state, and the one that stands for "no memory", which needs none.
 * Entry points: node.h, heddle_status_of, heddle_error. */
#include "base/memory.h"
#include "graph/check.h"

#include <stdio.h>

/* Not counted, not pooled, never freed: retaining and releasing it does nothing. */
static heddle_array no_memory = {.kind = HEDDLE_NODE_ERROR, .refs = 1, .in = no_memory.in_own};

heddle_array *heddle__error_memory(void)
{
    return &no_memory;
}

struct heddle_node_error *heddle__error_new(enum heddle_status code, const char *text)
{
    struct heddle_node_error *error = heddle__alloc(sizeof *error);
    if (!error) return NULL;
    error->code = code;
    snprintf(error->text, sizeof error->text, "%s", text);
    return error;
}

heddle_array *heddle__error_last(void)
{
    const enum heddle_status code = heddle__last_code();
    if (code == HEDDLE_OK) return &no_memory; /* a failure without an error is one of memory */
    heddle_array *a = heddle__node_new(HEDDLE_NODE_ERROR, HEDDLE_DTYPE_NONE, 0, NULL);
    if (!a) return &no_memory;
    a->size = 0;
    a->error = heddle__error_new(code, heddle_last_error());
    if (!a->error) {
        heddle__release(a);
        return &no_memory;
    }
    return heddle__adopt(a);
}

heddle_array *heddle__error_array(enum heddle_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heddle__vfail(code, format, args);
    va_end(args);
    return heddle__error_last();
}

enum heddle_status heddle_status_of(const heddle_array *a)
{
    if (!a) return HEDDLE_EARG;
    if (a->kind != HEDDLE_NODE_ERROR) return HEDDLE_OK;
    if (heddle__is_dead(a)) return HEDDLE_EARG;
    return a->error ? a->error->code : HEDDLE_ENOMEM;
}

const char *heddle_error(const heddle_array *a)
{
    if (!a) return "NULL is no array";
    if (a->kind != HEDDLE_NODE_ERROR)
        return heddle_last_error(); /* of a call that failed with it */
    if (heddle__is_dead(a)) return heddle__dead_text(a);
    return a->error ? a->error->text : "out of memory";
}
