/* NVRTC loaded at run time. Entry point: nvrtc_library.h. */
#include "cuda/nvrtc_library.h"

#include "cuda/toolkit.h"
#include "kernels.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct heddle_nvrtc functions;
static char why_not[128]; /* empty: the functions are there */

static void load(void)
{
    void *symbol,
        *library = heddle__toolkit_open("nvrtc", CUDART_VERSION / 1000, why_not, sizeof why_not);
    if (!library) return;
#define FIND(name)                                                                                 \
    symbol = dlsym(library, #name);                                                                \
    if (!symbol) snprintf(why_not, sizeof why_not, "NVRTC has no " #name);                         \
    memcpy(&functions.name, &symbol, sizeof symbol);
    HEDDLE_NVRTC_MAP(FIND)
#undef FIND
}

const char *heddle__cuda_no_compiler(void)
{
    pthread_once(&once, load);
    return why_not[0] ? why_not : NULL;
}

enum heddle_status heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc)
{
    const char *why = heddle__cuda_no_compiler();
    HEDDLE_REQUIRE(!why, HEDDLE_EDEVICE, "no kernel can be compiled: %s", why);
    *nvrtc = &functions;
    return HEDDLE_OK;
}
