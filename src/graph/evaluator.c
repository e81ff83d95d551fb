/* The port to evaluation. Entry points: evaluator.h. */
#include "graph/evaluator.h"

const struct heddle_evaluator *heddle__evaluator;

enum heddle_status heddle__read_now(heddle_array *a, void *out, int64_t size_bytes)
{
    HEDDLE_REQUIRE(heddle__evaluator, HEDDLE_EINTERNAL, "heddle: nothing here evaluates arrays");
    return heddle__evaluator->read(a, out, size_bytes);
}

enum heddle_status heddle__evaluate_now(int n, heddle_array *const arrays[])
{
    HEDDLE_REQUIRE(heddle__evaluator, HEDDLE_EINTERNAL, "heddle: nothing here evaluates arrays");
    return heddle__evaluator->evaluate(n, arrays);
}

enum heddle_status heddle__check_places(const char *name, int n, const heddle_place *places)
{
    HEDDLE_REQUIRE(heddle__evaluator, HEDDLE_EINTERNAL, "heddle_%s: nothing here has places", name);
    return heddle__evaluator->check_places(name, n, places);
}
