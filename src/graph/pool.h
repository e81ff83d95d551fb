/* Memory of nodes: recycled by thread, because recording makes and drops them by the million. */
#ifndef HEDDLE_GRAPH_POOL_H
#define HEDDLE_GRAPH_POOL_H

#include "graph/node.h"

/* Uninitialised; NULL when memory is gone. */
heddle_array *heddle__pool_get(void);
void heddle__pool_put(heddle_array *node);
/* The same in two steps: it no longer counts as live, and its memory may be used again. */
void heddle__pool_forget(void);
void heddle__pool_put_uncounted(heddle_array *node);
/* Whether memory may be kept (heddle__node_pooling). */
bool heddle__pooling(void);

#endif
