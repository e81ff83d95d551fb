/* Finds libraries of the CUDA toolkit at run time. An installed Heddle names no folder of the machine that
 * built it, and toolkits are often unknown to the system's loader. Entry point: toolkit.h. */
#include "cuda/toolkit.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_below(const char *home, const char *file)
{
    char path[4096];
    if (!home || !*home) return NULL;
    const int n = snprintf(path, sizeof path, "%s/lib64/%s", home, file);
    return n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_matching(const char *homes, const char *file)
{
    char pattern[128];
    glob_t found;
    void *library = NULL;
    snprintf(pattern, sizeof pattern, "%s/lib64/%s", homes, file);
    if (glob(pattern, 0, NULL, &found) != 0) return NULL;
    for (size_t i = 0; !library && i < found.gl_pathc; i++)
        library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

void *heddle__toolkit_open(const char *name, int major, char *why, size_t room)
{
    char file[64];
    snprintf(file, sizeof file, "lib%s.so.%d", name, major);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) library = open_below(getenv("CUDA_HOME"), file);
    if (!library) library = open_below(getenv("CUDA_PATH"), file);
    if (!library) library = open_matching("/usr/local/cuda*", file);
    if (!library) library = open_matching("/opt/cuda*", file);
    if (!library)
        snprintf(why, room, "%s was not found: install CUDA %d, or set CUDA_HOME", file, major);
    return library;
}
