/* Proves that settings are parsed and refused by name, that the table of variables is complete and
 * documented, that each failure has a text, that a running runtime cannot be configured, and that devices
 * are listed with the reason when they are not used. Argument: the folder of the documents. */
#include "check.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Every variable of the table: a wrong value is refused with a message that has the name, the value and what
 * is allowed; a right one is taken; heddle_variables says the same. */
static const struct {
    const char *name, *bad[4], *good[4];
} cases[] = {
    {"HEDDLE_DEVICES", {"nowhere", "cpu,", "gpu:64"}, {"cpu", "cpu,gpu:0", "all"}},
    {"HEDDLE_CPU_THREADS", {"many", "0", "2x", "70000"}, {"2", "65536"}},
    {"HEDDLE_CPU_WORKERS", {"-1", "0", "65"}, {"1"}},
    {"HEDDLE_GPU_MEMORY", {"1X", "-1"}, {"2G", "1e9"}},
    {"HEDDLE_CPU_MEMORY", {"-3", "lots"}, {"1.5G"}},
    {"HEDDLE_CACHE", {NULL}, {"/nonexistent"}},
    {"HEDDLE_MAX_TASKS", {"0", "1000001"}, {"50"}},
    {"HEDDLE_INLINE_BYTES", {"64Q", "-2"}, {"64K", "-1", "0"}},
    {"HEDDLE_PART_BYTES", {"nan", ""}, {"512MiB"}},
    {"HEDDLE_PARTITION", {"x2", "3x", "0"}, {"3x2", "7"}},
    {"HEDDLE_FUSION", {"no", "2"}, {"0", "1"}},
    {"HEDDLE_JIT", {"yes"}, {"1"}},
    {"HEDDLE_DIRECT", {"off"}, {"0"}},
    {"HEDDLE_MOVEMENT", {"never"}, {"forbid", "report", "free"}},
    {"HEDDLE_CPU_ISA", {"sse", "AVX2"}, {"baseline", "avx2", "avx512"}},
    {"HEDDLE_TMP", {0}, {"/tmp", "/var/tmp"}},
    {"HEDDLE_CC", {"cc -O9", "?!"}, {"", "cc", "/usr/bin/gcc-12"}},
    {"HEDDLE_CHECK", {"yes", "2"}, {"0", "1"}},
};
enum { N_CASES = sizeof cases / sizeof *cases, MAX_VARIABLES = 64 };

static struct heddle_variable variables[MAX_VARIABLES];

/* Returns the entry of a name, or NULL. */
static const struct heddle_variable *find_variable(const char *name)
{
    int n = 0;
    CHECK_EQ(heddle_variables(MAX_VARIABLES, variables, &n), HEDDLE_OK);
    CHECK(n <= MAX_VARIABLES, "%d variables", n);
    for (int i = 0; i < n; i++)
        if (!strcmp(variables[i].name, name)) return &variables[i];
    return NULL;
}

static void test_bad(const char *name, const char *value)
{
    setenv(name, value, 1);
    const struct heddle_variable *v = find_variable(name);
    CHECK(v && v->is_known && v->is_set, "%s", name);
    CHECK_STR(v->value, value);
    if (!*value) { /* as if it were not set */
        CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
        CHECK_STR(v->problem, "");
        return;
    }
    CHECK_HAS(v->problem, name);
    CHECK_HAS(v->problem, value);
    CHECK_HAS(v->problem, v->allowed);
    CHECK_EQ(heddle_configure(NULL), HEDDLE_EARG);
    CHECK_STR(heddle_last_error(), v->problem);
}

static void test_variables(void)
{
    for (int i = 0; i < N_CASES; i++) {
        const char *before = getenv(cases[i].name);
        char *kept = before ? strdup(before) : NULL;
        for (int k = 0; k < 4 && cases[i].bad[k]; k++) test_bad(cases[i].name, cases[i].bad[k]);
        for (int k = 0; k < 4 && cases[i].good[k]; k++) {
            setenv(cases[i].name, cases[i].good[k], 1);
            CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
            CHECK_STR(find_variable(cases[i].name)->problem, "");
        }
        unsetenv(cases[i].name);
        CHECK(!find_variable(cases[i].name)->is_set, "%s", cases[i].name);
        if (kept) setenv(cases[i].name, kept, 1);
        free(kept);
    }
    setenv("HEDDLE_PARTITION", "bad", 1); /* a field takes precedence over the variable */
    CHECK_EQ(heddle_configure(&(struct heddle_config){.partition = "2"}), HEDDLE_OK);
    unsetenv("HEDDLE_PARTITION");

    char *path = malloc(5001); /* a path that is too long */
    memset(path, 'a', 5000);
    path[5000] = 0;
    refused((struct heddle_config){.cache_dir = path}, "cache_dir");
    CHECK_HAS(heddle_last_error(), "3800 bytes");
    free(path);
}

/* Returns the text of a file; free it. */
static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    CHECK(file && text && fread(text, 1, (1 << 20) - 1, file) > 0, "%s", path);
    if (file) fclose(file);
    return text;
}

/* The table above has every variable, and the documents every row. */
static void test_variables_are_documented(const char *docs)
{
    char path[4096], row[2048];
    snprintf(path, sizeof path, "%s/troubleshooting.md", docs);
    char *guide = text_of(path);
    snprintf(path, sizeof path, "%s/heddle.1", docs);
    char *manual = text_of(path);
    int n = 0, n_known = 0;
    CHECK_EQ(heddle_variables(MAX_VARIABLES, variables, &n), HEDDLE_OK);
    for (int i = 0; i < n; i++) {
        const struct heddle_variable *v = &variables[i];
        if (!v->is_known) continue;
        bool has_case = false;
        for (int k = 0; k < N_CASES; k++) has_case |= !strcmp(cases[k].name, v->name);
        CHECK(has_case, "no case for %s in this test", v->name);
        snprintf(row, sizeof row, "| `%.63s` | %.127s | %.127s | %.95s |\n", v->name, v->meaning,
                 v->allowed, v->by_default);
        CHECK(strstr(guide, row), "docs/troubleshooting.md lacks the row\n%s", row);
        CHECK(strstr(manual, v->name), "docs/heddle.1 lacks %s", v->name);
        n_known++;
    }
    CHECK_EQ(n_known, N_CASES);
    free(guide);
    free(manual);
}

/* An unknown name is no error of the library, but it can be asked for. */
static void test_unknown_variables(void)
{
    static const struct {
        const char *name, *meant;
    } unknown[] = {
        {"HEDDLE_DEVICE", "HEDDLE_DEVICES"},
        {"HEDDLE_DEVIECS", "HEDDLE_DEVICES"},
        {"HEDDLE_THREADS", "HEDDLE_CPU_THREADS"},
        {"HEDDLE_CPU_THREDS", "HEDDLE_CPU_THREADS"},
        {"HEDDLE_FUSED", ""},
        {"HEDDLE_QUANTUM", ""},
        {"HEDDLE_", ""},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        setenv(unknown[i].name, "1", 1);
        const struct heddle_variable *v = find_variable(unknown[i].name);
        CHECK(v && !v->is_known && v->is_set, "%s", unknown[i].name);
        if (!v) continue;
        CHECK_STR(v->meant, unknown[i].meant);
        CHECK_HAS(v->problem, unknown[i].name);
        CHECK_HAS(v->problem, unknown[i].meant);
        CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
        unsetenv(unknown[i].name);
    }
    setenv("HEDDLE_TEST_SOMETHING", "1", 1);
    CHECK(!find_variable("HEDDLE_TEST_SOMETHING"));
    CHECK_EQ(heddle_variables(0, NULL, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_variables(1, NULL, &(int){0}), HEDDLE_EARG);
}

/* Every failure has a text, also of calls that leave the array as it was. */
static void test_error_texts(void)
{
    double value[4] = {0};
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(4), .dtype = HEDDLE_FLOAT64);
    CHECK_EQ(heddle_read(a, value, 3), HEDDLE_EARG);
    CHECK_HAS(heddle_error(a), "size_bytes is 3");
    CHECK_EQ(heddle_status_of(a), HEDDLE_OK);
    CHECK_EQ(heddle_read(a, NULL, sizeof value), HEDDLE_EARG);
    CHECK_HAS(heddle_error(a), "out is NULL");
    heddle_release(a);
}

static void test_movement_field(void)
{
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

int main(int argc, char **argv)
{
    test_fields();
    test_variables();
    if (argc > 1) test_variables_are_documented(argv[1]);
    test_unknown_variables();
    test_error_texts();
    test_movement_field();
    test_sizes();
    test_devices();
    test_no_such_device();
    test_unwritable_cache();
    return check_done();
}
