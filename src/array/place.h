/* Places as numbers: a CPU team or a GPU, where a part lives or a task runs. 0 is anywhere. */
#ifndef HEDDLE_ARRAY_PLACE_H
#define HEDDLE_ARRAY_PLACE_H

#include <heddle/distribute.h>
#include <stdbool.h>

enum { HEDDLE_PLACE_CPU = 1, HEDDLE_PLACE_GPU = 1 << 16 };

static inline bool heddle__place_is_gpu(heddle_place place)
{
    return place >= HEDDLE_PLACE_GPU;
}

#endif
