/* Whether the machine has a C compiler for kernels from text. Entry point: heddle__kernel_has_compiler. */
#include "families/kernel/text_kernel.h"

#include "base/find_program.h"
#include "cpu/compiled/compilers.h"

#include <pthread.h>
#include <stdlib.h>

static bool found;

static void find(void)
{
    static const char *const usual[] = {HEDDLE_C_COMPILERS};
    const char *const asked = getenv("HEDDLE_CC"), *const folders = getenv("PATH");
    char path[4096];
    if (asked) {
        found = heddle__find_program(asked, folders, path, sizeof path);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !found; i++)
        found = heddle__find_program(usual[i], folders, path, sizeof path);
}

bool heddle__kernel_has_compiler(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return found;
}
