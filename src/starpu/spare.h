/* Memory that StarPU is given when there is none: it would ask for ever. */
#ifndef HEDDLE_STARPU_SPARE_H
#define HEDDLE_STARPU_SPARE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes sure that there is a spare of this size, before tasks are submitted that may need one. */
bool heddle__spare_reserve(size_t size_bytes);
/* The spare, for anyone who asks: nothing in it means anything. NULL: it is smaller. */
void *heddle__spare_get(size_t size_bytes);
/* Whether a buffer is in the spare, so that a task must not use it. */
bool heddle__is_spare(const void *buffer);
void heddle__spare_free(void); /* StarPU has stopped */

#endif
