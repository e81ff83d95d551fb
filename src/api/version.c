/* The version of the library and its limits. Entry points: heddle/version.h. */
#include "array/grid.h"
#include "base/machine.h"
#include "base/options.h"
#include "graph/infer.h"

#include <heddle/version.h>
#include <string.h>

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x

const char *heddle_version(void)
{
    return TEXT(HEDDLE_VERSION_MAJOR) "." TEXT(HEDDLE_VERSION_MINOR) "." TEXT(HEDDLE_VERSION_PATCH);
}

int heddle_version_number(void)
{
    return HEDDLE_VERSION_NUMBER;
}

enum heddle_status heddle_limits_get(struct heddle_limits *out)
{
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_limits_get: out is NULL");
    const struct heddle_limits limits = {
        .size = out->size,
        .max_ndim = HEDDLE_MAX_NDIM,
        .n_dtypes = HEDDLE_N_DTYPES,
        .max_elements = HEDDLE_MAX_SIZE,
        .max_parts = HEDDLE_MAX_PARTS,
        .max_gpus = HEDDLE_MAX_GPUS,
        .max_cpu_teams = HEDDLE_MAX_TEAMS,
        .has_cuda = HEDDLE_HAVE_CUDA,
    };
    return heddle__options_out("limits_get", &limits, sizeof limits, out);
}
