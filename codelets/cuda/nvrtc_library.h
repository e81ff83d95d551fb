/* NVRTC's functions, loaded when the first kernel is compiled: the library has 100 MB, and a machine without
 * CUDA does without. */
#ifndef HEDDLE_CUDA_NVRTC_LIBRARY_H
#define HEDDLE_CUDA_NVRTC_LIBRARY_H

#include <base/error.h>
#include <nvrtc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions that are used; one row each. */
#define HEDDLE_NVRTC_MAP(X)                                                                        \
    X(nvrtcVersion)                                                                                \
    X(nvrtcGetErrorString)                                                                         \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)                                                                          \
    X(nvrtcDestroyProgram)

struct heddle_nvrtc {
#define HEDDLE_NVRTC_FIELD(name) __typeof__(&name) name;
    HEDDLE_NVRTC_MAP(HEDDLE_NVRTC_FIELD)
#undef HEDDLE_NVRTC_FIELD
};

/* HEDDLE_EDEVICE when NVRTC is not there; it is looked for once. */
enum heddle_status heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc);

#ifdef __cplusplus
}
#endif
#endif
