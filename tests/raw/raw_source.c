/* Proves, without a GPU, that sources of raw kernels reach the compiler with their flags and the header, that its log comes
 * back with the line, and that the disk cache has what was compiled. */
#include "check.h"

#include "api/gufunc/gufunc.h"

#include <base/memory.h>
#include <cuda/modules.h>
#include <dirent.h>
#include <heddle.h>
#include <heddle/raw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARCH = 90 };

static enum heddle_status compile(const char *source, const char *flags, const char *folder)
{
    const struct heddle_module_text text = {
        .data = source, .bytes = strlen(source), .is_source = true, .flags = flags};
    char *cubin = NULL;
    size_t size = 0;
    const enum heddle_status status =
        heddle__module_compile(&text, ARCH, folder, "heddle_raw_call", &cubin, &size);
    CHECK((status == HEDDLE_OK) == (cubin != NULL));
    CHECK(status != HEDDLE_OK || (size > 4 && memcmp(cubin, "\177ELF", 4) == 0));
    heddle__free(cubin);
    return status;
}

static void test_flags(void)
{
    static const char source[] =
        "#include \"heddle_raw.h\"\n"
        "static_assert(sizeof(heddle_raw_extents) == BYTES, \"layout\");\n"
        "extern \"C\" __global__ void f(float *x, heddle_raw_extents e) { x[e.lo[0]] = N; }\n";
    char flags[200];
    snprintf(flags, sizeof flags, "  -DN=3\t-DBYTES=%zu --use_fast_math ",
             sizeof(struct heddle_raw_extents));
    CHECK(compile(source, flags, NULL) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_EQ(compile(source, "-DN=3 -DBYTES=1", NULL), HEDDLE_ESYNTAX);
    CHECK_HAS(heddle_last_error(), "layout");
    char many[200] = "";
    for (int i = 0; i < 40; i++) strcat(many, "-DA ");
    CHECK_EQ(compile(source, many, NULL), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "flags");
}

/* The log begins with its first error: warnings may be long. */
static void test_broken(void)
{
    CHECK_EQ(compile("extern \"C\" __global__ void f(float *x)\n{\n    int unused = 1;\n"
                     "    x[0] = no_such;\n}\n",
                     "", NULL),
             HEDDLE_ESYNTAX);
    CHECK_HAS(heddle_last_error(), "heddle_raw_call");
    CHECK_HAS(heddle_last_error(), "kernel.cu(4): error");
    CHECK_HAS(heddle_last_error(), "no_such");
    const char *warning = strstr(heddle_last_error(), "warning");
    CHECK(!warning || warning > strstr(heddle_last_error(), "error:"), "%s", heddle_last_error());
}

static int files_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void test_cache(void)
{
    static const char source[] = "extern \"C\" __global__ void f(float *x) { x[0] = A; }";
    char folder[] = "/tmp/heddle_raw_XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    CHECK_EQ(compile(source, "-DA=1", folder), HEDDLE_OK);
    CHECK_EQ(compile(source, "-DA=1", folder), HEDDLE_OK);
    CHECK_EQ(files_in(folder), 1);
    CHECK_EQ(compile(source, "-DA=2", folder), HEDDLE_OK);
    CHECK_EQ(files_in(folder), 2);
    CHECK_EQ(compile("broken", "", folder), HEDDLE_ESYNTAX);
    CHECK_EQ(files_in(folder), 2);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ(system(command), 0);
}

/* The source that is made around a function, of every dtype. */
static void test_gufunc(void)
{
    struct gufunc_signature s;
    CHECK_EQ(heddle__gufunc_signature("(m,n),(n),(),()->(m),(2,n),(),()", &s), HEDDLE_OK);
    for (int first = 0; first < HEDDLE_BFLOAT16; first += 4) {
        const char *types[] = {"bool",
                               "signed char",
                               "short",
                               "int",
                               "long long",
                               "unsigned char",
                               "unsigned short",
                               "unsigned int",
                               "unsigned long long",
                               "float",
                               "double",
                               "float2",
                               "double2",
                               "unsigned short",
                               "unsigned short"};
        char function[1000] = "__device__ void f(", *at = function + strlen(function);
        for (int i = 0; i < 8; i++) {
            const int t = (first + i) % 15;
            s.dtype[i] = (uint8_t)(HEDDLE_BOOL + t);
            at += sprintf(at, "%s%s *p%d, ", i < 4 ? "const " : "", types[t], i);
        }
        sprintf(at, "long long m, long long n, long long two) {}");
        char *source = heddle__gufunc_source(&s, function, "f");
        CHECK(compile(source, "", NULL) == HEDDLE_OK, "%s", heddle_last_error());
        heddle__free(source);
    }
    char *source = heddle__gufunc_source(&s, "\n\nbroken", "f");
    CHECK_EQ(compile(source, "", NULL), HEDDLE_ESYNTAX);
    CHECK_HAS(heddle_last_error(), "function.cu(3): error");
    heddle__free(source);
}

int main(void)
{
    test_gufunc();
    test_flags();
    test_broken();
    test_cache();
    return check_done();
}
