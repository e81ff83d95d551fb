/* What the core knows of functions over parts. */
#include "families/map_parts/map_parts.h"

/* It runs on the kinds of devices that the user gave a function for. */
static unsigned devices(const void *arguments, struct heddle_object *const objects[])
{
    const struct heddle_part_call *call = arguments;
    const struct heddle_function *f = (const struct heddle_function *)objects[call->function];
    return (f->cpu ? HEDDLE_ON_CPU : 0u) | (f->cuda ? HEDDLE_ON_GPU : 0u);
}

/* Not INLINE: nobody knows its cost. */
const struct heddle_family_info heddle__map_parts_family = {
    .name = "map_parts",
    .flags = HEDDLE_FAMILY_MAY_FAIL,
    .cut = heddle__map_parts_cut,
    .id = HEDDLE_FAMILY_MAP_PARTS,
    .devices = devices,
};
