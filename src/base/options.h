/* Structs of options from callers that were compiled against another version of them. */
#ifndef HEDDLE_BASE_OPTIONS_H
#define HEDDLE_BASE_OPTIONS_H

#include "base/error.h"

#include <stddef.h>

/* Fills *out, of `size` bytes, with what the caller gave: `given`, a struct that begins with its size, or
 * NULL for the defaults, which are zeros. HEDDLE_EARG: a size that no struct has; fields that this version
 * does not know are set (*out has the fields that it does know). `name`: the public function's, without
 * "heddle_". */
enum heddle_status heddle__options(const char *name, const void *given, void *out, size_t size);

#endif
