/* Proves that raw kernels and their calls are refused with what is wrong, that deleters are called all the same, and that
 * options of other versions and modules in files are taken for what they are. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 100 };

static atomic_int n_given_back;

static void give_back(void *user)
{
    (void)user;
    atomic_fetch_add(&n_given_back, 1);
}

static heddle_array *counting(int64_t n)
{
    return heddle_astype(heddle_arange(heddle_scalar((double)n), NULL, NULL), HEDDLE_FLOAT32);
}

/* increment(float *x) */
static enum heddle_status increment(const struct heddle_raw_launch *l)
{
    float *x = l->arguments[0].data;
    for (int64_t i = 0; i < l->arguments[0].bytes / 4; i++) x[i] += 1;
    return HEDDLE_OK;
}

static void check_incremented(heddle_array *a)
{
    float got[N];
    CHECK(heddle_read(a, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(a));
    for (int i = 0; i < N; i++) CHECK_NUM(got[i], i + 1);
}

static heddle_raw_kernel *kernel;

#define REFUSED(code, text, ...)                                                                   \
    do {                                                                                           \
        CHECK_EQ(heddle_raw_call(kernel, __VA_ARGS__), code);                                      \
        CHECK_HAS(heddle_last_error(), text);                                                      \
        CHECK(z == NULL, "a call that fails writes a result");                                     \
    } while (0)

static void test_arguments(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = counting(N), *z = NULL;
    const struct heddle_raw_argument write = heddle_raw_write(&z, HEDDLE_FLOAT32, HEDDLE_SHAPE(N));
    const struct heddle_raw_argument read = heddle_raw_read(x);
    struct heddle_raw_argument odd = read;
    odd.role = (enum heddle_raw_role)99;
    kernel = NULL;
    REFUSED(HEDDLE_EARG, "the kernel is NULL", HEDDLE_RAW_ARGUMENTS(write));
    kernel = heddle_raw_kernel_from_functions(increment);
    REFUSED(HEDDLE_EARG, "no arguments", 0, &write);
    REFUSED(HEDDLE_EARG, "no arguments", 2, NULL);
    REFUSED(HEDDLE_EARG, "40 arguments", 40, &write);
    REFUSED(HEDDLE_EARG, "makes no array", HEDDLE_RAW_ARGUMENTS(read));
    REFUSED(HEDDLE_EARG, "99 is no role", HEDDLE_RAW_ARGUMENTS(write, odd));
    REFUSED(HEDDLE_EARG, "argument 1: the array is NULL",
            HEDDLE_RAW_ARGUMENTS(write, heddle_raw_read(NULL)));
    REFUSED(HEDDLE_EARG, "argument 0: the result's pointer",
            HEDDLE_RAW_ARGUMENTS(heddle_raw_write(NULL, HEDDLE_INT8, HEDDLE_SHAPE(1))));
    REFUSED(HEDDLE_EARG, "argument 0: the result's pointer",
            HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, NULL)));
    REFUSED(HEDDLE_EARG, "arguments 0 and 1 have one", HEDDLE_RAW_ARGUMENTS(write, write));
    REFUSED(HEDDLE_EDTYPE, "raw_call",
            HEDDLE_RAW_ARGUMENTS(heddle_raw_write(&z, (enum heddle_dtype)77, HEDDLE_SHAPE(1))));
    REFUSED(HEDDLE_ESHAPE, "raw_call",
            HEDDLE_RAW_ARGUMENTS(heddle_raw_write(&z, HEDDLE_INT8, HEDDLE_SHAPE(-1))));
    REFUSED(HEDDLE_EARG, "is no array", HEDDLE_RAW_ARGUMENTS(write, heddle_raw_size_of(1)));
    REFUSED(HEDDLE_EARG, "is no array", HEDDLE_RAW_ARGUMENTS(write, heddle_raw_extents_of(2)));
    REFUSED(HEDDLE_EARG, "is no array", HEDDLE_RAW_ARGUMENTS(write, heddle_raw_size_of(-1)));
    REFUSED(HEDDLE_EARG, "0 bytes", HEDDLE_RAW_ARGUMENTS(write, heddle_raw_bytes(&z, 0)));
    REFUSED(HEDDLE_EARG, "5000 bytes", HEDDLE_RAW_ARGUMENTS(write, heddle_raw_bytes(&z, 5000)));
    REFUSED(HEDDLE_EARG, "pointer is NULL",
            HEDDLE_RAW_ARGUMENTS(write, heddle_raw_bytes(NULL, 16)));
    REFUSED(HEDDLE_EARG, ".grid of 0", HEDDLE_RAW_ARGUMENTS(write), .grid = HEDDLE_LENGTHS(4, 0));
    REFUSED(HEDDLE_EARG, ".grid has 4", HEDDLE_RAW_ARGUMENTS(write),
            .grid = HEDDLE_LENGTHS(1, 1, 1, 1));
    REFUSED(HEDDLE_EARG, ".block of 64", HEDDLE_RAW_ARGUMENTS(write),
            .block = HEDDLE_LENGTHS(32, 64));
    REFUSED(HEDDLE_EARG, ".shared_bytes is -1", HEDDLE_RAW_ARGUMENTS(write), .shared_bytes = -1);
    REFUSED(HEDDLE_EARG, "for calls .over_parts", HEDDLE_RAW_ARGUMENTS(write),
            .halo = HEDDLE_LENGTHS(1));
    REFUSED(HEDDLE_EARG, ".halo has 2 axes", HEDDLE_RAW_ARGUMENTS(read, write), .over_parts = true,
            .halo = HEDDLE_LENGTHS(1, 1));
    REFUSED(HEDDLE_EARG, ".halo of -1", HEDDLE_RAW_ARGUMENTS(read, write), .over_parts = true,
            .halo = HEDDLE_LENGTHS(-1));
    heddle_raw_kernel_release(kernel);
    heddle_raw_kernel_release(NULL);
    heddle_scope_close(scope);
}

static void test_kernels(void)
{
    const char nul[] = "a\0b";
    CHECK(!heddle_raw_kernel_from_source(NULL, "f", .deleter = give_back), " ");
    CHECK_HAS(heddle_last_error(), "the source is NULL or empty");
    CHECK(!heddle_raw_kernel_from_source("", "f", .deleter = give_back), " ");
    CHECK(!heddle_raw_kernel_from_source("x", "", .deleter = give_back), " ");
    CHECK_HAS(heddle_last_error(), "the name is NULL or empty");
    CHECK(!heddle_raw_kernel_from_source("x", "f", .cuda = increment, .deleter = give_back), " ");
    CHECK(!heddle_raw_kernel_from_module(nul, 4, "f", .deleter = give_back), " ");
    CHECK_HAS(heddle_last_error(), "no zero bytes");
    CHECK(!heddle_raw_kernel_from_functions(NULL, .deleter = give_back), " ");
    CHECK_HAS(heddle_last_error(), "both functions are NULL");
    CHECK(!heddle_raw_kernel_from_file("/no/such/file.cu", "f", .deleter = give_back), " ");
    CHECK_HAS(heddle_last_error(), "/no/such/file.cu");
    CHECK_EQ(atomic_load(&n_given_back), 7);
}

/* Options of a newer version are refused if they say something, and the deleter is called. */
static void test_versions(void)
{
    struct {
        struct heddle_raw_options known;
        void *later;
    } newer = {{.size = sizeof newer, .deleter = give_back}, &newer};
    CHECK(!heddle_raw_kernel_from_functions_with(increment, &newer.known), " ");
    CHECK(!heddle_raw_kernel_from_source_with("x", "f", &newer.known), " ");
    CHECK(!heddle_raw_kernel_from_module_with("x", 1, "f", &newer.known), " ");
    CHECK(!heddle_raw_kernel_from_file_with("x", "f", &newer.known), " ");
    CHECK_EQ(atomic_load(&n_given_back), 11);
    struct {
        struct heddle_gufunc_options known;
        void *later;
    } gufunc = {{.size = sizeof gufunc, .deleter = give_back}, &gufunc};
    CHECK(!heddle_gufunc_make_with("()->()", NULL, &gufunc.known), " ");
    CHECK_EQ(atomic_load(&n_given_back), 12);
    struct {
        struct heddle_raw_call_options known;
        int64_t later;
    } call = {{.size = sizeof call}, 1};
    heddle_scope scope = heddle_scope_open();
    heddle_array *z = NULL;
    const struct heddle_raw_argument update = heddle_raw_update(counting(N), &z);
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(increment);
    CHECK_EQ(heddle_raw_call_with(k, 1, &update, &call.known), HEDDLE_EARG);
    CHECK(z == NULL, "a call that fails writes a result");
    CHECK_EQ(heddle_raw_call_with(k, 1, &update, NULL), HEDDLE_OK);
    check_incremented(z);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* Source in a file; which is told from PTX. */
static void test_file(void)
{
    char path[] = "/tmp/heddle_raw_XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "// text\n", 8) == 8, "%s", path);
    heddle_raw_kernel *k = heddle_raw_kernel_from_file(path, "f", .host = increment);
    CHECK(k != NULL, "%s", heddle_last_error());
    heddle_scope scope = heddle_scope_open();
    heddle_array *z;
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(counting(N), &z))),
             HEDDLE_OK);
    int n_cpus, n_gpus;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_gpus == 0) check_incremented(z);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
    close(fd);
    unlink(path);
}

int main(void)
{
    test_arguments();
    test_kernels();
    test_versions();
    test_file();
    check_nothing_left();
    return check_done();
}
