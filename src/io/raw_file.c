/* Kernels of the user's from modules in files. Entry point: heddle_raw_kernel_from_file_with. */
#include "base/options.h"
#include "base/user_function.h"
#include "io/file.h"

#include <heddle/raw.h>

heddle_raw_kernel *heddle_raw_kernel_from_file_with(const char *path, const char *name,
                                                    const struct heddle_raw_options *options)
{
    char where[HEDDLE_WHERE_MAX] = "heddle_raw_kernel_from_file";
    struct heddle_bytes bytes;
    struct heddle_raw_options o;
    enum heddle_status status = heddle__options("raw_kernel_from_file", options, &o, sizeof o);
    if (path)
        heddle__where(where, "heddle_raw_kernel_from_file", path);
    else if (status == HEDDLE_OK)
        status = heddle__fail(HEDDLE_EARG, "%s: the path is NULL", where);
    if (status == HEDDLE_OK) status = heddle__file_open(where, path, &bytes);
    if (status != HEDDLE_OK) {
        heddle__call_deleter(o.deleter, o.user);
        return NULL;
    }
    heddle_raw_kernel *kernel =
        heddle_raw_kernel_from_module_with(bytes.data, (int64_t)bytes.n, name, options);
    heddle__bytes_release(&bytes);
    return kernel;
}
