/* Settings: struct heddle_config over the environment over defaults. Parses and checks; starts and
 * touches nothing. Entry points: heddle_configure, heddle__settings, heddle__parse_bytes. */
#include "run/settings.h"

#include "array/host_memory.h"
#include "array/place.h"
#include "array/spill.h"
#include "base/machine.h"
#include "base/memory.h"
#include "run/life.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_config given; /* strings owned */
static struct heddle_settings resolved;
static atomic_bool is_resolved;

/* ---- Parsing ------------------------------------------------------------------------------------ */

int64_t heddle__parse_bytes(const char *text)
{
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (end == text || errno || !isfinite(number) || number < 0) return -1;
    double scale = 1;
    if (*end) {
        static const char suffixes[] = "KMGT";
        const char *at = strchr(suffixes, *end >= 'a' ? *end - 'a' + 'A' : *end);
        if (!at || !*at) return -1;
        for (const char *s = suffixes; s <= at; s++) scale *= 1024;
        end++;
        if (*end == 'i') end++;
        if (*end == 'B' || *end == 'b') end++;
        if (*end) return -1;
    }
    return number * scale < 9e18 ? (int64_t)(number * scale) : -1;
}

static bool parse_int(const char *text, int64_t low, int64_t high, int64_t *out)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < low || number > high) return false;
    *out = number;
    return true;
}

/* "3x2" */
static bool parse_partition(const char *text, struct heddle_settings *s)
{
    s->force_n = 0;
    for (;;) {
        char *end;
        errno = 0;
        const long n = strtol(text, &end, 10);
        if (end == text || errno || n < 1 || n > 1000000 || s->force_n == HEDDLE_MAX_NDIM)
            return false;
        s->force[s->force_n++] = (int32_t)n;
        if (!*end) return true;
        if (*end != 'x' && *end != 'X') return false;
        text = end + 1;
    }
}

/* "all" or "cpu,gpu:0,gpu:2" */
static bool parse_devices(const char *text, struct heddle_settings *s)
{
    s->use_cpu = s->use_gpu = s->gpu_required = false;
    s->gpus = 0;
    while (*text) {
        const size_t n = strcspn(text, ",");
        char word[32];
        if (n == 0 || n >= sizeof word) return false;
        memcpy(word, text, n);
        word[n] = 0;
        int64_t number;
        if (!strcasecmp(word, "all")) {
            s->use_cpu = s->use_gpu = true;
            s->gpus = UINT64_MAX;
        } else if (!strcasecmp(word, "cpu")) {
            s->use_cpu = true;
        } else if (!strcasecmp(word, "gpu")) {
            s->use_gpu = s->gpu_required = true;
            s->gpus = UINT64_MAX;
        } else if (!strncasecmp(word, "gpu:", 4) &&
                   parse_int(word + 4, 0, HEDDLE_MAX_GPUS - 1, &number)) {
            s->use_gpu = s->gpu_required = true;
            s->gpus |= (uint64_t)1 << number;
        } else {
            return false;
        }
        text += n;
        if (*text == ',' && !*++text) return false;
    }
    return s->use_cpu || s->use_gpu;
}

static void free_resolved(struct heddle_settings *s)
{
    heddle__free(s->cache_dir);
    heddle__free(s->temp_dir);
    s->cache_dir = s->temp_dir = NULL;
}

/* ---- Resolving ---------------------------------------------------------------------------------- */

/* The field or, if it is not set, the environment variable; NULL: neither is set. */
static const char *text_of(const char *field, const char *variable)
{
    if (field && *field) return field;
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

static enum heddle_status malformed(const char *field, bool from_field, const char *variable,
                                    const char *value, const char *want)
{
    if (from_field)
        return heddle__fail(HEDDLE_EARG, "heddle_configure: %s \"%.60s\" is not %s", field, value,
                            want);
    return heddle__fail(HEDDLE_EARG, "environment variable %s: \"%.60s\" is not %s", variable,
                        value, want);
}

static enum heddle_status int_of(int64_t field, const char *name, const char *variable, int64_t low,
                                 int64_t high, int64_t *out)
{
    char text[32];
    if (field != 0) {
        snprintf(text, sizeof text, "%lld", (long long)field);
        *out = field;
        return field >= low && field <= high
                   ? HEDDLE_OK
                   : malformed(name, true, variable, text, "in its range");
    }
    const char *value = text_of(NULL, variable);
    if (!value) return HEDDLE_OK;
    if (!parse_int(value, low, high, out))
        return malformed(name, false, variable, value, "an integer in its range");
    return HEDDLE_OK;
}

static enum heddle_status bytes_of(int64_t field, const char *name, const char *variable,
                                   int64_t low, int64_t *out)
{
    if (field != 0) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)field);
        *out = field;
        return field >= low ? HEDDLE_OK : malformed(name, true, variable, text, "a size in bytes");
    }
    const char *value = text_of(NULL, variable);
    if (!value) return HEDDLE_OK;
    if (low < 0 && !strcmp(value, "-1")) {
        *out = -1;
        return HEDDLE_OK;
    }
    *out = heddle__parse_bytes(value);
    return *out >= 0 ? HEDDLE_OK
                     : malformed(name, false, variable, value, "a size such as 64K or 2G");
}

static enum heddle_status flag_of(bool off, const char *variable, bool *out)
{
    const char *value = text_of(NULL, variable);
    *out = !off;
    if (off || !value) return HEDDLE_OK;
    if (strcmp(value, "0") && strcmp(value, "1"))
        return malformed("", false, variable, value, "0 or 1");
    *out = value[0] == '1';
    return HEDDLE_OK;
}

static enum heddle_status movement_of(enum heddle_movement field, enum heddle_movement *out)
{
    static const char *const names[] = {"free", "report", "forbid"};
    char text[32];
    snprintf(text, sizeof text, "%d", (int)field);
    if (field != HEDDLE_MOVE_FREELY && field != HEDDLE_MOVE_REPORTED &&
        field != HEDDLE_MOVE_FORBIDDEN)
        return malformed("movement", true, NULL, text, "an enum heddle_movement");
    *out = field;
    const char *value = field == HEDDLE_MOVE_FREELY ? text_of(NULL, "HEDDLE_MOVEMENT") : NULL;
    if (!value) return HEDDLE_OK;
    for (int i = 0; i < 3; i++)
        if (!strcmp(value, names[i])) {
            *out = (enum heddle_movement)i;
            return HEDDLE_OK;
        }
    return malformed("movement", false, "HEDDLE_MOVEMENT", value, "free, report or forbid");
}

static enum heddle_status cache_dir_of(const struct heddle_config *c, struct heddle_settings *s)
{
    char path[4096];
    const char *value = text_of(c->cache_dir, "HEDDLE_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (value)
        n = snprintf(path, sizeof path, "%s", value);
    else if (xdg && *xdg)
        n = snprintf(path, sizeof path, "%s/heddle", xdg);
    else if (home && *home)
        n = snprintf(path, sizeof path, "%s/.cache/heddle", home);
    else
        n = snprintf(path, sizeof path, "/tmp/heddle-cache");
    if (n >= (int)sizeof path - 256)
        return malformed("cache_dir", c->cache_dir != NULL, "HEDDLE_CACHE", path, "a short path");
    s->cache_dir = heddle__strdup(path);
    return s->cache_dir ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_configure: no memory");
}

/* The folder for what does not fit memory. One that cannot be used is found out when it is needed. */
static enum heddle_status temp_dir_of(const struct heddle_config *c, struct heddle_settings *s)
{
    const char *value = text_of(c->temp_dir, "HEDDLE_TMP");
    s->temp_asked = value != NULL;
    if (!value) value = text_of(NULL, "TMPDIR");
    if (!value) value = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
    s->temp_dir = heddle__strdup(value);
    return s->temp_dir ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_configure: no memory");
}

static enum heddle_status resolve(const struct heddle_config *c, struct heddle_settings *s)
{
    enum heddle_status status;
    int64_t n = 0;
    *s = (struct heddle_settings){0};

    const char *devices = text_of(c->devices, "HEDDLE_DEVICES");
    if (!parse_devices(devices ? devices : "all", s))
        return malformed("devices", c->devices && *c->devices, "HEDDLE_DEVICES", devices,
                         "a list such as \"cpu,gpu:0\"");
    const char *partition = text_of(c->partition, "HEDDLE_PARTITION");
    if (partition && !parse_partition(partition, s))
        return malformed("partition", c->partition && *c->partition, "HEDDLE_PARTITION", partition,
                         "of the form \"3x2\"");

    HEDDLE_TRY(int_of(c->cpu_threads, "cpu_threads", "HEDDLE_CPU_THREADS", 1, 65536, &n));
    s->cpu_threads = (int)n;
    n = 0;
    HEDDLE_TRY(
        int_of(c->cpu_workers, "cpu_workers", "HEDDLE_CPU_WORKERS", 1, HEDDLE_MAX_TEAMS, &n));
    s->cpu_workers = (int)n;
    n = 1000;
    HEDDLE_TRY(int_of(c->max_tasks, "max_tasks", "HEDDLE_MAX_TASKS", 1, 1000000, &n));
    s->max_tasks = (int)n;
    HEDDLE_TRY(bytes_of(c->gpu_memory_bytes, "gpu_memory_bytes", "HEDDLE_GPU_MEMORY", 0,
                        &s->gpu_memory_bytes));
    HEDDLE_TRY(bytes_of(c->cpu_memory_bytes, "cpu_memory_bytes", "HEDDLE_CPU_MEMORY", 0,
                        &s->cpu_memory_bytes));
    HEDDLE_TRY(
        bytes_of(c->inline_bytes, "inline_bytes", "HEDDLE_INLINE_BYTES", -1, &s->inline_bytes));
    HEDDLE_TRY(bytes_of(c->part_bytes, "part_bytes", "HEDDLE_PART_BYTES", 0, &s->part_bytes));
    HEDDLE_TRY(flag_of(c->no_fusion, "HEDDLE_FUSION", &s->fusion));
    HEDDLE_TRY(flag_of(c->no_jit, "HEDDLE_JIT", &s->jit));
    HEDDLE_TRY(movement_of(c->movement, &s->movement));
    HEDDLE_TRY(flag_of(c->no_direct, "HEDDLE_DIRECT", &s->direct));
    HEDDLE_TRY(cache_dir_of(c, s));
    HEDDLE_TRY(temp_dir_of(c, s));
    return HEDDLE_OK;
fail:
    free_resolved(s);
    return status;
}

/* Tells the rooms below that cannot ask. */
static void pass_on(const struct heddle_settings *s)
{
    heddle__set_host_limit(s->cpu_memory_bytes);
    heddle__set_spill_folder(s->temp_dir, s->temp_asked);
}

const struct heddle_settings *heddle__settings(void)
{
    if (atomic_load_explicit(&is_resolved, memory_order_acquire)) return &resolved;
    pthread_mutex_lock(&mutex);
    const bool known = atomic_load(&is_resolved);
    const bool ok = known || resolve(&given, &resolved) == HEDDLE_OK;
    if (ok && !known) pass_on(&resolved);
    atomic_store_explicit(&is_resolved, ok, memory_order_release);
    pthread_mutex_unlock(&mutex);
    return ok ? &resolved : NULL;
}

/* ---- The public call ----------------------------------------------------------------------------- */

static void free_config(struct heddle_config *c)
{
    heddle__free((void *)(uintptr_t)c->devices);
    heddle__free((void *)(uintptr_t)c->cache_dir);
    heddle__free((void *)(uintptr_t)c->temp_dir);
    heddle__free((void *)(uintptr_t)c->partition);
}

static bool copy_config(const struct heddle_config *from, struct heddle_config *to)
{
    *to = *from;
    to->devices = from->devices ? heddle__strdup(from->devices) : NULL;
    to->cache_dir = from->cache_dir ? heddle__strdup(from->cache_dir) : NULL;
    to->partition = from->partition ? heddle__strdup(from->partition) : NULL;
    to->temp_dir = from->temp_dir ? heddle__strdup(from->temp_dir) : NULL;
    if ((!from->temp_dir || to->temp_dir) && (!from->devices || to->devices) &&
        (!from->cache_dir || to->cache_dir) && (!from->partition || to->partition))
        return true;
    free_config(to);
    return false;
}

enum heddle_status heddle_configure(const struct heddle_config *config)
{
    static const struct heddle_config none;
    struct heddle_config copy;
    struct heddle_settings settings = {0};
    if (!config) config = &none;

    enum heddle_status status = resolve(config, &settings);
    if (status == HEDDLE_OK) {
        status = heddle__require_stopped("heddle_configure");
        if (status == HEDDLE_OK && !copy_config(config, &copy)) {
            status = heddle__fail(HEDDLE_ENOMEM, "heddle_configure: no memory");
            heddle__evaluation_unlock();
        }
    }
    if (status != HEDDLE_OK) {
        free_resolved(&settings);
        return status;
    }
    pthread_mutex_lock(&mutex);
    free_config(&given);
    given = copy;
    free_resolved(&resolved);
    resolved = settings;
    pass_on(&resolved);
    atomic_store(&is_resolved, true);
    pthread_mutex_unlock(&mutex);
    heddle__new_generation();
    heddle__evaluation_unlock();
    return HEDDLE_OK;
}
