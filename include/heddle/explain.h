/* What will run, where it ran, and why it took so long. */
#ifndef HEDDLE_EXPLAIN_H
#define HEDDLE_EXPLAIN_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_explain_form {
    HEDDLE_EXPLAIN_PLAN,  /* programs, partitions, tasks, bytes, predicted time */
    HEDDLE_EXPLAIN_GRAPH, /* the recorded nodes, a line each */
    HEDDLE_EXPLAIN_DOT,   /* the same as a Graphviz digraph */
    HEDDLE_EXPLAIN_RUN,   /* evaluates, and waits: the plan, then what heddle_usage_text has to say of
                             this evaluation alone; peaks of memory are of all before, too */
};

/** The plan, or the graph, of what evaluating `a` would do now, as text; nothing is computed but by
 *  HEDDLE_EXPLAIN_RUN, which waits for all work submitted before, and counts what other threads
 *  evaluate meanwhile. On success *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_explain(heddle_array *a, enum heddle_explain_form form,
                                             char **text);

/** What was done since the start of the process or heddle_statistics_reset: for each device its tasks,
 *  predicted and measured time, idle time and peak of memory (struct heddle_usage); the bytes that
 *  each link moved. Waits for work submitted. On success *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_usage_text(char **text);

/** The value as NumPy prints it: large arrays summarised, `threshold` elements at most in full
 *  (0: 1000). Evaluates. On success *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_format(heddle_array *a, int threshold, char **text);

#ifdef __cplusplus
}
#endif

#endif
