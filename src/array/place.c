/* Places as values. Entry points: heddle_cpu, heddle_gpu, heddle_place_name. */
#include "array/place.h"

#include <stdio.h>

heddle_place heddle_cpu(int i)
{
    return i >= 0 && i < HEDDLE_PLACE_GPU - HEDDLE_PLACE_CPU ? HEDDLE_PLACE_CPU + i : -1;
}

heddle_place heddle_gpu(int i)
{
    return i >= 0 && i < HEDDLE_PLACE_GPU ? HEDDLE_PLACE_GPU + i : -1;
}

const char *heddle_place_name(heddle_place place, char name[HEDDLE_PLACE_NAME_MAX])
{
    if (place == HEDDLE_ANYWHERE)
        snprintf(name, HEDDLE_PLACE_NAME_MAX, "anywhere");
    else if (place >= HEDDLE_PLACE_GPU)
        snprintf(name, HEDDLE_PLACE_NAME_MAX, "gpu:%d", place - HEDDLE_PLACE_GPU);
    else if (place >= HEDDLE_PLACE_CPU)
        snprintf(name, HEDDLE_PLACE_NAME_MAX, "cpu:%d", place - HEDDLE_PLACE_CPU);
    else
        snprintf(name, HEDDLE_PLACE_NAME_MAX, "nowhere");
    return name;
}
