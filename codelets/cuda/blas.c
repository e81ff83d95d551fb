/* cuBLAS loaded at run time, and its handles. Entry points: blas.h. */
#include "cuda/blas.h"

#include "cuda/toolkit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { MAX_HANDLES = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static struct heddle_blas functions;
static struct {
    void *stream;
    cublasHandle_t handle;
} handles[MAX_HANDLES];
static int n_handles;

static enum heddle_status load(void)
{
    char why_not[128];
    if (library) return HEDDLE_OK;
    void *opened = heddle__toolkit_open("cublas", CUBLAS_VER_MAJOR, why_not, sizeof why_not);
    HEDDLE_REQUIRE(opened, HEDDLE_EDEVICE, "heddle_matmul: %s", why_not);
    struct heddle_blas found;
    void *symbol;
#define FIND(field)                                                                                \
    symbol = dlsym(opened, #field);                                                                \
    HEDDLE_REQUIRE(symbol, HEDDLE_EDEVICE, "heddle_matmul: cuBLAS has no " #field);                \
    memcpy(&found.field, &symbol, sizeof symbol);
    HEDDLE_BLAS_MAP(FIND)
#undef FIND
    functions = found;
    library = opened;
    return HEDDLE_OK;
}

static enum heddle_status find(void *stream, cublasHandle_t *handle)
{
    for (int i = 0; i < n_handles; i++)
        if (handles[i].stream == stream) {
            *handle = handles[i].handle;
            return HEDDLE_OK;
        }
    HEDDLE_REQUIRE(n_handles < MAX_HANDLES, HEDDLE_EDEVICE, "heddle_matmul: more than %d streams",
                   MAX_HANDLES);
    cublasStatus_t status = functions.cublasCreate_v2(handle);
    if (status == CUBLAS_STATUS_SUCCESS) status = functions.cublasSetStream_v2(*handle, stream);
    HEDDLE_REQUIRE(status == CUBLAS_STATUS_SUCCESS, HEDDLE_EDEVICE,
                   "heddle_matmul: cuBLAS does not start: %s",
                   functions.cublasGetStatusString(status));
    handles[n_handles].stream = stream;
    handles[n_handles++].handle = *handle;
    return HEDDLE_OK;
}

enum heddle_status heddle__blas_get(void *stream, const struct heddle_blas **blas,
                                    cublasHandle_t *handle)
{
    pthread_mutex_lock(&mutex);
    enum heddle_status status = load();
    if (status == HEDDLE_OK) status = find(stream, handle);
    pthread_mutex_unlock(&mutex);
    *blas = &functions;
    return status;
}

void heddle__blas_close(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < n_handles; i++) functions.cublasDestroy_v2(handles[i].handle);
    n_handles = 0;
    pthread_mutex_unlock(&mutex);
}
