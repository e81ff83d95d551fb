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
/* The other way, for structs that the caller receives: fills as many bytes of *out as its size says, of which
 * `from` has `size`; the rest becomes 0. HEDDLE_EARG: a size that no struct has. */
enum heddle_status heddle__options_out(const char *name, const void *from, size_t size, void *out);

#endif
