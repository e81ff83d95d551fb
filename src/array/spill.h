/* Host memory beyond the limit: files without names in a folder for temporary ones, mapped. They are gone with
 * the process, however it ends. */
#ifndef HEDDLE_ARRAY_SPILL_H
#define HEDDLE_ARRAY_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder, copied; `asked`: the user named it, so that it may also be one in memory (tmpfs). */
void heddle__set_spill_folder(const char *path, bool asked);
/* Bytes that are free there; 0: it cannot be used. Writes its name, cut short if there is no room. */
int64_t heddle__spill_room(char *path, size_t path_bytes);
int64_t heddle__spill_bytes(void); /* that are in use there */

/* Memory in a file of its own, with its place on the disk. NULL: there is no room. */
void *heddle__spill_get(size_t size_bytes);
/* Gives it back; false: it is none. */
bool heddle__spill_put(void *at);

#endif
