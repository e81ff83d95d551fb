/* The recorded graph as text. */
#ifndef HEDDLE_GRAPH_PRINT_H
#define HEDDLE_GRAPH_PRINT_H

#include "graph/node.h"

/* What a node is: "add", "sum", "data". Static. */
const char *heddle__node_name(const heddle_array *a);

/* The nodes that `root` needs, operands first: a line for each, or a Graphviz digraph. Free *text with
 * heddle__free. Call it under the evaluation lock. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__graph_text(heddle_array *root, bool dot, char **text);

#endif
