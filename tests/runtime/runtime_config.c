/* Proves that settings are parsed and refused by name, that a running runtime cannot be configured,
 * and that devices are listed with the reason when they are not used. */
#include "check.h"

#include <heddle.h>
#include <stdlib.h>

static void refused(struct heddle_config config, const char *name)
{
    CHECK_EQ(heddle_configure(&config), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), name);
}

static void test_fields(void)
{
    refused((struct heddle_config){.devices = "tpu"}, "devices");
    refused((struct heddle_config){.devices = "gpu:x"}, "devices");
    refused((struct heddle_config){.devices = "cpu,"}, "devices");
    refused((struct heddle_config){.partition = "3x"}, "partition");
    refused((struct heddle_config){.partition = "0"}, "partition");
    refused((struct heddle_config){.partition = "1x1x1x1x1x1x1x1x1"}, "partition");
    refused((struct heddle_config){.cpu_threads = -1}, "cpu_threads");
    refused((struct heddle_config){.cpu_workers = 1000000}, "cpu_workers");
    refused((struct heddle_config){.max_tasks = -5}, "max_tasks");
    refused((struct heddle_config){.gpu_memory_bytes = -1}, "gpu_memory_bytes");
    refused((struct heddle_config){.inline_bytes = -2}, "inline_bytes");
    refused((struct heddle_config){.movement = (enum heddle_movement)4}, "movement");
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .partition = "3x2"}),
             HEDDLE_OK);
    CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
}

static void test_variables(void)
{
    static const struct {
        const char *name, *bad, *good;
    } cases[] = {
        {"HEDDLE_DEVICES", "nowhere", "cpu"},
        {"HEDDLE_PARTITION", "x2", "3x2"},
        {"HEDDLE_CPU_THREADS", "many", "2"},
        {"HEDDLE_CPU_WORKERS", "-1", "1"},
        {"HEDDLE_MAX_TASKS", "0", "50"},
        {"HEDDLE_GPU_MEMORY", "1X", "2G"},
        {"HEDDLE_CPU_MEMORY", "-3", "1.5G"},
        {"HEDDLE_INLINE_BYTES", "64Q", "64K"},
        {"HEDDLE_PART_BYTES", "nan", "512MiB"},
        {"HEDDLE_FUSION", "no", "0"},
        {"HEDDLE_JIT", "yes", "1"},
        {"HEDDLE_MOVEMENT", "never", "forbid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv(cases[i].name, cases[i].bad, 1);
        CHECK_EQ(heddle_configure(NULL), HEDDLE_EARG);
        CHECK_HAS(heddle_last_error(), cases[i].name);
        setenv(cases[i].name, cases[i].good, 1);
        CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
        unsetenv(cases[i].name);
    }
    setenv("HEDDLE_PARTITION", "bad", 1); /* a field goes before the variable */
    CHECK_EQ(heddle_configure(&(struct heddle_config){.partition = "2"}), HEDDLE_OK);
    unsetenv("HEDDLE_PARTITION");
    setenv("HEDDLE_MOVEMENT", "bad",
           1); /* also the field that says what the default is without one */
    CHECK_EQ(heddle_configure(&(struct heddle_config){.movement = HEDDLE_MOVE_FREELY}), HEDDLE_OK);
    unsetenv("HEDDLE_MOVEMENT");
}

/* Of programs that were compiled with another version of the struct. */
static void test_sizes(void)
{
    struct {
        struct heddle_config config;
        int64_t later;
    } newer = {.config = {.size = sizeof newer}};
    CHECK_EQ(heddle_configure(&newer.config), HEDDLE_OK);
    newer.later = 1;
    CHECK_EQ(heddle_configure(&newer.config), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "heddle_configure: options of a newer version");
    struct heddle_config older = {.size = offsetof(struct heddle_config, cpu_threads),
                                  .devices = "cpu",
                                  .cpu_threads = -1}; /* beyond the older struct */
    CHECK_EQ(heddle_configure(&older), HEDDLE_OK);
    older.size = (size_t)-1;
    refused(older, "options of 18446744073709551615 bytes");
    CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
}

static void test_devices(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .cpu_threads = 2}),
             HEDDLE_OK);
    struct heddle_device devices[8];
    int n = -1;
    CHECK_EQ(heddle_devices(8, devices, &n), HEDDLE_OK);
    CHECK(n >= 2, "n = %d", n);
    CHECK_STR(devices[0].name, "cpu:0");
    CHECK_EQ(devices[0].threads, 2);
    CHECK(devices[0].used && devices[0].bandwidth > 1e8 && devices[0].flops > 1e7);
    CHECK(devices[0].memory_bytes > 1 << 20);
    CHECK(!devices[n - 1].used && devices[n - 1].why_not[0], "\"%s\"", devices[n - 1].name);
    CHECK_EQ(heddle_devices(0, NULL, &n), HEDDLE_OK);
    CHECK(n >= 2);
    CHECK_EQ(heddle_devices(1, NULL, &n), HEDDLE_EARG);

    CHECK_EQ(heddle_configure(NULL), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "shutdown");
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
}

static void test_no_such_device(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu,gpu:63"}), HEDDLE_OK);
    CHECK_EQ(heddle_start(), HEDDLE_ENODEVICE);
    CHECK_HAS(heddle_last_error(), "heddle_start: "); /* no GPUs at all, or not that one */
    CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
}

/* A cache folder that cannot be written is done without. */
static void test_unwritable_cache(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .cache_dir = "/proc/none"}),
             HEDDLE_OK);
    setenv("STARPU_HOME", "/proc/none", 1);
    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_STR(getenv("STARPU_HOME"), "/proc/none");
}

int main(void)
{
    test_fields();
    test_variables();
    test_sizes();
    test_devices();
    test_no_such_device();
    test_unwritable_cache();
    return check_done();
}
