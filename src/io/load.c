/* heddle_load: the array in a .npy file. Reads no data: they are mapped. */
#include "graph/node.h"
#include "io/npy.h"

#include <heddle/io.h>

heddle_array *heddle_load(const char *path)
{
    char where[HEDDLE_WHERE_MAX];
    struct heddle_bytes bytes;
    if (!path) return heddle__error_array(HEDDLE_EARG, "heddle_load: path is NULL");
    heddle__where(where, "heddle_load", path);
    if (heddle__file_open(where, path, &bytes) != HEDDLE_OK) return heddle__error_last();
    return heddle__npy_array(where, bytes);
}
