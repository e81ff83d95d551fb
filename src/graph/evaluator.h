/* What recording asks of evaluation: a port, which src/run/ fills in when the library is loaded. */
#ifndef HEDDLE_GRAPH_EVALUATOR_H
#define HEDDLE_GRAPH_EVALUATOR_H

#include "graph/node.h"

struct heddle_evaluator {
    /* As heddle_read: evaluates, waits and copies. */
    enum heddle_status (*read)(heddle_array *a, void *out, int64_t size_bytes);
    /* As heddle_eval_all: what several share is computed once. */
    enum heddle_status (*evaluate)(int n, heddle_array *const arrays[]);
    /* Whether there are such places; starts the runtime when one is named. `name` is the public
     * function's, without "heddle_". HEDDLE_EARG, HEDDLE_ENODEVICE, or why it does not start. */
    enum heddle_status (*check_places)(const char *name, int n, const heddle_place *places);
};
extern const struct heddle_evaluator *heddle__evaluator; /* NULL: nothing can be evaluated */

/* Call the functions; HEDDLE_EINTERNAL without an evaluator. */
enum heddle_status heddle__read_now(heddle_array *a, void *out, int64_t size_bytes);
enum heddle_status heddle__evaluate_now(int n, heddle_array *const arrays[]);
enum heddle_status heddle__check_places(const char *name, int n, const heddle_place *places);

#endif
