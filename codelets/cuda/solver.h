/* cuSOLVER, loaded when the first factorisation needs it, with a handle for each stream (library.h). */
#ifndef HEDDLE_CUDA_SOLVER_H
#define HEDDLE_CUDA_SOLVER_H

#include <base/error.h>
#include <cusolverDn.h>

/* The functions that are used; one row each. */
#define HEDDLE_SOLVER_MAP(X)                                                                       \
    X(cusolverDnCreate)                                                                            \
    X(cusolverDnDestroy)                                                                           \
    X(cusolverDnSetStream)                                                                         \
    X(cusolverDnCreateParams)                                                                      \
    X(cusolverDnDestroyParams)                                                                     \
    X(cusolverDnXgeev_bufferSize)                                                                  \
    X(cusolverDnXgeev)                                                                             \
    X(cusolverDnXgesvd_bufferSize)                                                                 \
    X(cusolverDnXgesvd)                                                                            \
    X(cusolverDnXsyevd_bufferSize)                                                                 \
    X(cusolverDnXsyevd)                                                                            \
    X(cusolverDnXgesvdp_bufferSize)                                                                \
    X(cusolverDnXgesvdp)                                                                           \
    X(cusolverDnXsyevBatched_bufferSize)                                                           \
    X(cusolverDnXsyevBatched)                                                                      \
    X(cusolverDnCreateSyevjInfo)                                                                   \
    X(cusolverDnDestroySyevjInfo)                                                                  \
    X(cusolverDnSsyevjBatched_bufferSize)                                                          \
    X(cusolverDnDsyevjBatched_bufferSize)                                                          \
    X(cusolverDnCheevjBatched_bufferSize)                                                          \
    X(cusolverDnZheevjBatched_bufferSize)                                                          \
    X(cusolverDnSsyevjBatched)                                                                     \
    X(cusolverDnDsyevjBatched)                                                                     \
    X(cusolverDnCheevjBatched)                                                                     \
    X(cusolverDnZheevjBatched)                                                                     \
    X(cusolverDnCreateGesvdjInfo)                                                                  \
    X(cusolverDnDestroyGesvdjInfo)                                                                 \
    X(cusolverDnSgesvdjBatched_bufferSize)                                                         \
    X(cusolverDnDgesvdjBatched_bufferSize)                                                         \
    X(cusolverDnCgesvdjBatched_bufferSize)                                                         \
    X(cusolverDnZgesvdjBatched_bufferSize)                                                         \
    X(cusolverDnSgesvdjBatched)                                                                    \
    X(cusolverDnDgesvdjBatched)                                                                    \
    X(cusolverDnCgesvdjBatched)                                                                    \
    X(cusolverDnZgesvdjBatched)

struct heddle_solver {
#define HEDDLE_SOLVER_FIELD(name) __typeof__(&name) name;
    HEDDLE_SOLVER_MAP(HEDDLE_SOLVER_FIELD)
#undef HEDDLE_SOLVER_FIELD
};

/* The functions, and the handle of a stream of the current device. `who` wants it: "heddle_linalg_svd".
 * Errors: HEDDLE_EDEVICE when cuSOLVER is not there or does not start. */
enum heddle_status heddle__solver_get(const char *who, void *stream,
                                      const struct heddle_solver **solver,
                                      cusolverDnHandle_t *handle);

#endif
