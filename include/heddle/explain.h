/* What will run, where it ran, and why it took so long. */
#ifndef HEDDLE_EXPLAIN_H
#define HEDDLE_EXPLAIN_H

#include <heddle/array.h>

enum heddle_explain_form {
    HEDDLE_EXPLAIN_PLAN,  /* programs, partitions, tasks, bytes, predicted time */
    HEDDLE_EXPLAIN_GRAPH, /* the recorded nodes, a line each */
    HEDDLE_EXPLAIN_DOT,   /* the same as a Graphviz digraph */
};

/** The plan, or the graph, of what evaluating `a` would do now, as text; nothing is computed.
 *  On success *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_explain(heddle_array *a, enum heddle_explain_form form,
                                             char **text);

/** The value as NumPy prints it: large arrays summarised, `threshold` elements at most in full
 *  (0: 1000). Evaluates. On success *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_format(heddle_array *a, int threshold, char **text);

#endif
