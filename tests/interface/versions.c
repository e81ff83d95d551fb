/* The version and the limits at run time: those of the headers, and for programs of other versions. */
#include "array/grid.h"
#include "base/machine.h"
#include "graph/infer.h"

#include "check.h"

#include <heddle.h>

static void versions(void)
{
    int major = 0, minor = 0, patch = 0;
    CHECK_STR(heddle_version(), PROJECT_VERSION);
    CHECK_EQ(sscanf(heddle_version(), "%d.%d.%d", &major, &minor, &patch), 3); /* NOLINT */
    CHECK_EQ(major, HEDDLE_VERSION_MAJOR);
    CHECK_EQ(minor, HEDDLE_VERSION_MINOR);
    CHECK_EQ(patch, HEDDLE_VERSION_PATCH);
    CHECK_EQ(heddle_version_number(), HEDDLE_VERSION_NUMBER);
}

static void limits(void)
{
    struct {
        struct heddle_limits known;
        int64_t later;
    } l = {.later = 5};
    CHECK_EQ(heddle_limits_get(&l.known), HEDDLE_OK);
    CHECK_EQ(l.known.size, 0);
    CHECK_EQ(l.known.max_ndim, HEDDLE_MAX_NDIM);
    CHECK_EQ(l.known.n_dtypes, HEDDLE_N_DTYPES);
    CHECK_EQ(l.known.max_elements, HEDDLE_MAX_SIZE);
    CHECK_EQ(l.known.max_parts, HEDDLE_MAX_PARTS);
    CHECK_EQ(l.known.max_gpus, HEDDLE_MAX_GPUS);
    CHECK_EQ(l.known.max_cpu_teams, HEDDLE_MAX_TEAMS);
    CHECK_EQ(l.known.has_cuda, HEDDLE_HAVE_CUDA);
    CHECK_EQ(l.later, 5);
    l.known.size = sizeof l;
    CHECK_EQ(heddle_limits_get(&l.known), HEDDLE_OK);
    CHECK_EQ(l.known.size, sizeof l);
    CHECK_EQ(l.later, 0);
    l.known = (struct heddle_limits){.size = offsetof(struct heddle_limits, max_parts)};
    CHECK_EQ(heddle_limits_get(&l.known), HEDDLE_OK);
    CHECK(l.known.max_elements == HEDDLE_MAX_SIZE && l.known.max_parts == 0);
    l.known.size = 1;
    CHECK_EQ(heddle_limits_get(&l.known), HEDDLE_EARG);
    CHECK_EQ(heddle_limits_get(NULL), HEDDLE_EARG);
}

int main(void)
{
    versions();
    limits();
    return check_done();
}
