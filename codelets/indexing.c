/* Names and errors of reading and writing by index. Entry points: indexing.h. */
#include "indexing.h"

#include <stdio.h>

const char *heddle__indexing_name(enum heddle_indexing function)
{
    static const char *const names[] = {
        [HEDDLE_GATHER_TAKE] = "take",       [HEDDLE_GATHER_ALONG] = "take_along_axis",
        [HEDDLE_GATHER_GETITEM] = "getitem", [HEDDLE_GATHER_COMPRESS] = "compress",
        [HEDDLE_GATHER_EXTRACT] = "extract", [HEDDLE_SCATTER_SET] = "set_item",
        [HEDDLE_SCATTER_ADD] = "add_at",     [HEDDLE_SCATTER_PUT] = "put_along_axis",
    };
    return names[function];
}

enum heddle_status heddle__describe_index(const int64_t words[], char *text, size_t room)
{
    snprintf(text, room, "heddle_%s: index %lld is out of range for an axis of %lld",
             heddle__indexing_name((enum heddle_indexing)words[3]), (long long)words[1],
             (long long)words[2]);
    return HEDDLE_EINDEX;
}
