/* Small files that are whole or not there: a reader never sees half of one, nor a damaged one. For what can
 * be made again. */
#ifndef HEDDLE_BASE_WHOLE_FILE_H
#define HEDDLE_BASE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes data with a header (kind, size and checksum) beside the path, then renames: false when that failed,
 * and then what was there is there still. `kind` is a word. */
bool heddle__whole_file_write(const char *path, const char *kind, const void *data, size_t size);

/* The data, ended by a zero byte; heddle__free it. NULL when there is no such file, or it is damaged, too
 * large, or of another kind. */
char *heddle__whole_file_read(const char *path, const char *kind, size_t *size);

/* Whether the process may write files of this size: else the kernel would end it with a signal. */
bool heddle__file_size_allowed(size_t size);

/* Writes all of the bytes to a descriptor; false, and errno. */
bool heddle__write_all(int file, const void *data, size_t size);

/* The bytes of a regular file of at most `most`, ended by a zero byte; heddle__free them. NULL when there is no such file,
 * it is empty, or it cannot be read to its end. */
char *heddle__read_all(const char *path, size_t most, size_t *size);

#endif
