/* What reading and writing by index share: the public functions, and the error of an index that is out of range. */
#ifndef HEDDLE_CODELETS_INDEXING_H
#define HEDDLE_CODELETS_INDEXING_H

#include <heddle/array.h>
#include <stddef.h>
#include <stdint.h>

enum heddle_indexing {
    HEDDLE_GATHER_TAKE,
    HEDDLE_GATHER_ALONG,
    HEDDLE_GATHER_GETITEM,
    HEDDLE_GATHER_COMPRESS,
    HEDDLE_GATHER_EXTRACT,
    HEDDLE_SCATTER_SET,
    HEDDLE_SCATTER_ADD,
    HEDDLE_SCATTER_PUT,
    HEDDLE_N_INDEXINGS
};

/* The public function's name, without heddle_. */
const char *heddle__indexing_name(enum heddle_indexing function);

/* Words 1, 2 and 3 are the index, the extent of its axis, and the function. */
enum heddle_status heddle__describe_index(const int64_t words[], char *text, size_t room);

#endif
