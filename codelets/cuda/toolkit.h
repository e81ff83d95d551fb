/* Libraries of the CUDA toolkit that are loaded when something first needs them: linked, they would have to
 * be on every machine that loads Heddle, and cost each process time and memory. */
#ifndef HEDDLE_CUDA_TOOLKIT_H
#define HEDDLE_CUDA_TOOLKIT_H

#include <stddef.h>

/* Opens lib<name>.so.<major>: where the system's loader finds it, else in CUDA_HOME, CUDA_PATH or the folders
 * where toolkits usually are. NULL if it is nowhere; then `why` says what is missing. */
void *heddle__toolkit_open(const char *name, int major, char *why, size_t room);

#endif
