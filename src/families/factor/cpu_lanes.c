/* Small systems, one in each lane of a vector, compiled once for each instruction set (ISA). Entry point:
 * heddle__systems_<ISA>. */
#include "families/factor/cpu_systems.h"

#include <string.h>

#define TYPE double
#define PLACE int64_t
#define LARGEST INT64_MAX
#define LANES HEDDLE_SYSTEMS_LANES_64
#define SYSTEMS(name) name##_64
#include "families/factor/cpu_lanes.h"

#define TYPE float
#define PLACE int32_t
#define LARGEST INT32_MAX
#define LANES HEDDLE_SYSTEMS_LANES_32
#define SYSTEMS(name) name##_32
#include "families/factor/cpu_lanes.h"

#define NAME_(isa) heddle__systems_##isa
#define NAME(isa) NAME_(isa)

heddle__systems_function *const NAME(ISA)[2] = {solve_64, solve_32};
