/* Where libraries of the CUDA toolkit are looked for, and what happens without NVRTC. dlopen is the test's own:
 * it notes what it is asked for, and finds at most one file. */
#include "cuda/compile.h"
#include "cuda/nvrtc_library.h"
#include "cuda/toolkit.h"
#include "kernels.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TRIED = 64 };
static char tried[MAX_TRIED][256];
static int n_tried, failures;
static const char *there; /* the file that dlopen finds */
static char library;      /* its handle points here */

void *__wrap_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
    (void)flags;
    if (n_tried < MAX_TRIED) snprintf(tried[n_tried++], sizeof tried[0], "%s", name);
    return there && !strcmp(name, there) ? &library : NULL;
}

static void expect(int condition, const char *what)
{
    if (condition) return;
    printf("FAIL %s\n", what);
    failures++;
}

static int was_tried(const char *name)
{
    for (int i = 0; i < n_tried; i++)
        if (!strcmp(tried[i], name)) return i + 1;
    return 0;
}

static void check_folders(void)
{
    char why[128] = "";
    setenv("CUDA_HOME", "/one", 1);
    setenv("CUDA_PATH", "/two", 1);
    expect(!heddle__toolkit_open("part", 13, why, sizeof why), "there is no such library");
    expect(strstr(why, "libpart.so.13") && strstr(why, "CUDA_HOME"), why);
    expect(was_tried("libpart.so.13") == 1, "the system is asked first");
    expect(was_tried("/one/lib64/libpart.so.13") == 2, "then CUDA_HOME");
    expect(was_tried("/two/lib64/libpart.so.13") == 3, "then CUDA_PATH");

    n_tried = 0;
    there = "/one/lib64/libpart.so.13";
    expect(heddle__toolkit_open("part", 13, why, sizeof why) == &library, "CUDA_HOME has it");
    expect(n_tried == 2, "what is found is not looked for");
    there = NULL;
}

static void check_without_nvrtc(void)
{
    char *cubin = NULL;
    size_t size = 0;
    n_tried = 0;
    expect(heddle__compile("", 90, &cubin, &size) == HEDDLE_EDEVICE && !cubin, "nothing compiles");
    expect(strstr(heddle_last_error(), "libnvrtc.so.") != NULL, heddle_last_error());
    expect(heddle__cuda_no_compiler() != NULL, "there is no compiler");
    const int once = n_tried;
    expect(once > 0, "NVRTC is looked for");
    (void)heddle__compile_key("", 90);
    (void)heddle__compile("", 90, &cubin, &size);
    expect(n_tried == once, "NVRTC is looked for once");
}

/* A toolkit in /usr/local, which a machine has or not. */
static void check_usual_folders(void)
{
    char why[128], path[] = "/usr/local/cuda/lib64/libnvrtc.so.13";
    FILE *file = fopen(path, "r");
    if (!file) return;
    fclose(file);
    there = path;
    expect(heddle__toolkit_open("nvrtc", 13, why, sizeof why) == &library, "/usr/local has it");
    there = NULL;
}

int main(void)
{
    check_folders();
    check_without_nvrtc();
    check_usual_folders();
    return failures != 0;
}
