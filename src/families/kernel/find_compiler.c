/* Whether the machine has a C compiler for kernels from text. Entry point: heddle__kernel_has_compiler. */
#include "families/kernel/text_kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *name, const char *folders)
{
    char path[4096];
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    for (const char *at = folders; at; at = strchr(at, ':')) {
        if (*at == ':') at++;
        const int n = snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (n > 0 && (size_t)n < sizeof path && access(path, X_OK) == 0) return true;
    }
    return false;
}

static bool found;

static void find(void)
{
    static const char *const usual[] = {HEDDLE_KERNEL_COMPILERS};
    const char *const asked = getenv("HEDDLE_CC"), *const folders = getenv("PATH");
    if (asked) {
        found = *asked && is_program(asked, folders);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !found; i++)
        found = is_program(usual[i], folders);
}

bool heddle__kernel_has_compiler(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return found;
}
