/* cuBLAS. Entry point: blas.h. */
#include "cuda/blas.h"

#include "cuda/library.h"

static struct heddle_blas functions;

static enum heddle_status create(void *stream, void **handle)
{
    cublasHandle_t made;
    cublasStatus_t status = functions.cublasCreate_v2(&made);
    if (status == CUBLAS_STATUS_SUCCESS) status = functions.cublasSetStream_v2(made, stream);
    HEDDLE_REQUIRE(status == CUBLAS_STATUS_SUCCESS, HEDDLE_EDEVICE, "cuBLAS does not start: %s",
                   functions.cublasGetStatusString(status));
    *handle = made;
    return HEDDLE_OK;
}

static void destroy(void *handle)
{
    functions.cublasDestroy_v2(handle);
}

#define NAME(name) #name,
static const char *const names[] = {HEDDLE_BLAS_MAP(NAME)};
#undef NAME
static struct heddle_library library = {.file = "cublas",
                                        .name = "cuBLAS",
                                        .major = CUBLAS_VER_MAJOR,
                                        .n = sizeof names / sizeof *names,
                                        .names = names,
                                        .functions = &functions,
                                        .create = create,
                                        .destroy = destroy};

enum heddle_status heddle__blas_get(const char *who, void *stream, const struct heddle_blas **blas,
                                    cublasHandle_t *handle)
{
    void *found = NULL;
    *blas = &functions;
    const enum heddle_status status = heddle__library_get(&library, who, stream, &found);
    *handle = found;
    return status;
}
