/* The checked mode (HEDDLE_CHECK=1): handles of arrays and scopes that are dead, or never were, are told
 * from living ones. Every node has a record; a released one stays where it is, as a dead array in error, until
 * 65,536 more have been released, so that its address is not used again before. */
#ifndef HEDDLE_GRAPH_CHECK_H
#define HEDDLE_GRAPH_CHECK_H

#include "base/checked.h"
#include "graph/node.h"

/* What is called when it is on. */
/* False: no memory for a record. */
bool heddle__check_born(heddle_array *a);
/* `number`: of the scope that holds a reference. */
void heddle__check_adopted(heddle_array *a, uint64_t number);
/* Of a node whose last reference went: `name` says what it was, `scope` whose end did it (0: a release).
 * Its inputs and payload are gone. True: its memory stays here. */
bool heddle__check_bury(heddle_array *a, const char *name, uint64_t scope);

/* HEDDLE_OK of a living array, and of NULL, which callers refuse themselves. Errors: HEDDLE_EARG, with a
 * text that names the function, the argument (0: it has one only) and what happened to the array. */
enum heddle_status heddle__check_array(const char *function, int argument, const heddle_array *a);
/* In functions that return a status. */
#define HEDDLE_REQUIRE_ALIVE(function, a)                                                          \
    do {                                                                                           \
        if (heddle__checking() && heddle__check_array(function, 0, a) != HEDDLE_OK)                \
            return heddle__last_code();                                                            \
    } while (0)
/* The same where no error can be returned: it is reported. */
bool heddle__check_use(const char *function, const heddle_array *a);
/* heddle_release of `a`: false, and reported, if it may not. */
bool heddle__check_release(const heddle_array *a);
/* Sets the thread's last error, counts, and writes a line on standard error, as who sets HEDDLE_CHECK asks. */
void heddle__misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An array that is dead, by its node alone: refs are so many that it never dies again. */
enum { HEDDLE_DEAD_OP = 0xdd, HEDDLE_DEAD_REFS = 1 << 30 };
static inline bool heddle__is_dead(const heddle_array *a)
{
    return a->op == HEDDLE_DEAD_OP && a->kind == HEDDLE_NODE_ERROR;
}
/* What heddle_error says of it; valid until this thread asks of another. */
const char *heddle__dead_text(const heddle_array *a);

#endif
