/* cuSOLVER. Entry point: solver.h. */
#include "cuda/solver.h"

#include "cuda/library.h"

static struct heddle_solver functions;

static enum heddle_status create(void *stream, void **handle)
{
    cusolverDnHandle_t made;
    cusolverStatus_t status = functions.cusolverDnCreate(&made);
    if (status == CUSOLVER_STATUS_SUCCESS) status = functions.cusolverDnSetStream(made, stream);
    HEDDLE_REQUIRE(status == CUSOLVER_STATUS_SUCCESS, HEDDLE_EDEVICE,
                   "cuSOLVER does not start: status %d", (int)status);
    *handle = made;
    return HEDDLE_OK;
}

static void destroy(void *handle)
{
    functions.cusolverDnDestroy(handle);
}

#define NAME(name) #name,
static const char *const names[] = {HEDDLE_SOLVER_MAP(NAME)};
#undef NAME
static struct heddle_library library = {.file = "cusolver",
                                        .name = "cuSOLVER",
                                        .major = CUSOLVER_VER_MAJOR,
                                        .n = sizeof names / sizeof *names,
                                        .names = names,
                                        .functions = &functions,
                                        .create = create,
                                        .destroy = destroy};

enum heddle_status heddle__solver_get(const char *who, void *stream,
                                      const struct heddle_solver **solver,
                                      cusolverDnHandle_t *handle)
{
    void *found = NULL;
    *solver = &functions;
    const enum heddle_status status = heddle__library_get(&library, who, stream, &found);
    *handle = found;
    return status;
}
