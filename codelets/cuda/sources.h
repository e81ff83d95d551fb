/* Kernels of sources that are made at run time (families' own): compiled by NVRTC when they are first wanted, kept on disk
 * as those of programs are. */
#ifndef HEDDLE_CUDA_SOURCES_H
#define HEDDLE_CUDA_SOURCES_H

#include <base/error.h>
#include <cuda_runtime.h>

/* `folder`: the disk cache, or NULL. */
void heddle__sources_open(const char *folder);
void heddle__sources_close(void); /* unloads all */

/* The kernel `name` of a source for the current device. Compiles on this thread if nobody has. Errors: HEDDLE_EDEVICE
 * with the compiler's log, HEDDLE_ENOMEM. Until close. */
enum heddle_status heddle__sources_get(const char *source, const char *name, cudaKernel_t *out);

#endif
