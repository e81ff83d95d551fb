/* Copies between an array in C order and one of its parts, and of plain memory. Large ones use
 * several threads. */
#ifndef HEDDLE_ARRAY_COPY_BOX_H
#define HEDDLE_ARRAY_COPY_BOX_H

#include "array/grid.h"

enum heddle_direction { HEDDLE_TO_PART, HEDDLE_TO_WHOLE };
void heddle__copy_part(const struct heddle_grid *grid, int64_t part, int32_t element_bytes,
                       char *whole, char *compact, enum heddle_direction direction);
void heddle__copy_bytes(char *to, const char *from, int64_t size_bytes);

/* How many threads are worth while for so much memory. Not for workers. */
int heddle__copy_threads(int64_t size_bytes);

#endif
