/* Settings: struct heddle_config over the environment over defaults. Parses and checks; starts and
 * touches nothing. The table of them is in variables.c. Entry points: heddle_configure, heddle__settings,
 * heddle__parse_bytes. */
#include "run/settings.h"

#include "array/host_memory.h"
#include "array/place.h"
#include "array/spill.h"
#include "base/machine.h"
#include "base/at_fork.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "cpu/compiled/forms.h"
#include "run/life.h"
#include "run/variables.h"

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
HEDDLE_AT_FORK(.mutex = &mutex)
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

/* "free", "report" or "forbid" */
static bool parse_movement(const char *text, struct heddle_settings *s)
{
    static const char *const names[] = {"free", "report", "forbid"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            s->movement = (enum heddle_movement)(HEDDLE_MOVE_FREELY + i);
            return true;
        }
    return false;
}

static bool parse_folder(const struct heddle_setting_row *row, const char *text,
                         struct heddle_settings *s)
{
    char **folder = (char **)(void *)((char *)s + row->in_stored);
    if ((int64_t)strlen(text) > row->high) return false;
    heddle__free(*folder);
    *folder = heddle__strdup(text); /* NULL: memory is gone, which resolve finds */
    return true;
}

static bool parse_bytes(const char *text, int64_t low, int64_t *out)
{
    *out = low < 0 && !strcmp(text, "-1") ? -1 : heddle__parse_bytes(text);
    return *out >= low && (*out >= 0 || !strcmp(text, "-1"));
}

static bool parse_number(const struct heddle_setting_row *row, const char *text, void *stored)
{
    int64_t n = 0;
    switch (row->kind) {
    case HEDDLE_SETTING_BYTES: return parse_bytes(text, row->low, stored);
    case HEDDLE_SETTING_INTEGER:
        if (!parse_int(text, row->low, row->high, &n)) return false;
        *(int *)stored = (int)n;
        return true;
    case HEDDLE_SETTING_SWITCH:
        if (!parse_int(text, 0, 1, &n)) return false;
        *(bool *)stored = n == 1;
        return true;
    default: return false;
    }
}

/* Puts what `text` says into `s`. False when it is malformed. */
static bool parse(const struct heddle_setting_row *row, const char *text, struct heddle_settings *s)
{
    switch (row->kind) { /* those whose field is not one of struct heddle_settings */
    case HEDDLE_SETTING_DEVICES: return parse_devices(text, s);
    case HEDDLE_SETTING_PARTITION: return parse_partition(text, s);
    case HEDDLE_SETTING_MOVEMENT: return parse_movement(text, s);
    case HEDDLE_SETTING_FOLDER: return parse_folder(row, text, s);
    case HEDDLE_SETTING_COMPILER: /* a name or a path */
        return text[strspn(
                   text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-")] ==
               0;
    case HEDDLE_SETTING_ISA:
        return !strcmp(text, "baseline") || !strcmp(text, "avx2") || !strcmp(text, "avx512");
    case HEDDLE_SETTING_CHECK: return !strcmp(text, "0") || !strcmp(text, "1");
    default: return parse_number(row, text, (char *)s + row->in_stored);
    }
}

static void free_resolved(struct heddle_settings *s)
{
    heddle__free(s->cache_dir);
    heddle__free(s->temp_dir);
    s->cache_dir = s->temp_dir = NULL;
}

/* ---- Resolving ---------------------------------------------------------------------------------- */

/* The field of the configuration as text, in `room` unless it is text; NULL: it is not set. */
static const char *text_of_field(const struct heddle_setting_row *row,
                                 const struct heddle_config *c, char *room, size_t size)
{
    if (row->in_config == HEDDLE_NO_FIELD) return NULL;
    const void *at = (const char *)c + row->in_config;
    long long n = 0;
    switch (row->kind) {
    case HEDDLE_SETTING_DEVICES:
    case HEDDLE_SETTING_PARTITION:
    case HEDDLE_SETTING_FOLDER: {
        const char *text = *(const char *const *)at;
        return text && *text ? text : NULL;
    }
    case HEDDLE_SETTING_MOVEMENT: {
        static const char *const names[] = {NULL, "free", "report", "forbid"};
        n = (long long)*(const enum heddle_movement *)at;
        if (n >= 0 && n < 4) return names[n];
        break;
    }
    case HEDDLE_SETTING_SWITCH: return *(const bool *)at ? "0" : NULL;
    case HEDDLE_SETTING_INTEGER: n = *(const int *)at; break;
    case HEDDLE_SETTING_BYTES: n = (long long)*(const int64_t *)at; break;
    case HEDDLE_SETTING_CHECK:
    case HEDDLE_SETTING_COMPILER:
    case HEDDLE_SETTING_ISA: return NULL;
    }
    if (n == 0) return NULL;
    snprintf(room, size, "%lld", n);
    return room;
}

static const char *text_of_variable(const struct heddle_setting_row *row)
{
    const char *value = getenv(row->variable);
    return value && *value ? value : NULL;
}

static void describe_malformed(const struct heddle_setting_row *row, bool is_field,
                               const char *value, char *text, size_t room)
{
    char allowed[128];
    heddle__setting_allowed(row, allowed, sizeof allowed);
    snprintf(text, room, "%s%s%s \"%.80s\" is not %s",
             is_field ? "heddle_configure: " : "environment variable ",
             is_field ? row->field : row->variable, is_field ? "" : ":", value, allowed);
}

void heddle__check_variable(const struct heddle_setting_row *row, char *problem, size_t room)
{
    struct heddle_settings scrap = {0};
    const char *value = text_of_variable(row);
    problem[0] = 0;
    if (value && !parse(row, value, &scrap)) describe_malformed(row, false, value, problem, room);
    free_resolved(&scrap);
}

static void set_defaults(struct heddle_settings *s)
{
    *s = (struct heddle_settings){
        .use_cpu = true, .use_gpu = true, .gpus = UINT64_MAX, .movement = HEDDLE_MOVE_FREELY};
    for (int i = 0; i < heddle__n_setting_rows; i++) {
        const struct heddle_setting_row *row = &heddle__setting_rows[i];
        if (row->in_stored == HEDDLE_NO_FIELD) continue;
        void *stored = (char *)s + row->in_stored;
        if (row->kind == HEDDLE_SETTING_INTEGER) *(int *)stored = (int)row->initial;
        if (row->kind == HEDDLE_SETTING_BYTES) *(int64_t *)stored = row->initial;
        if (row->kind == HEDDLE_SETTING_SWITCH) *(bool *)stored = row->initial != 0;
    }
}

static enum heddle_status find_cache_dir(struct heddle_settings *s)
{
    char path[4096];
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (s->cache_dir) return HEDDLE_OK;
    int n;
    if (xdg && *xdg)
        n = snprintf(path, sizeof path, "%s/heddle", xdg);
    else if (home && *home)
        n = snprintf(path, sizeof path, "%s/.cache/heddle", home);
    else
        n = snprintf(path, sizeof path, "/tmp/heddle-cache");
    if (n > HEDDLE_FOLDER_BYTES_MAX) path[0] = 0; /* it is done without */
    s->cache_dir = heddle__strdup(path);
    return s->cache_dir ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_configure: no memory");
}

/* The folder for what does not fit memory. One that cannot be used is found out when it is needed. */
static enum heddle_status find_temp_dir(struct heddle_settings *s)
{
    s->temp_asked = s->temp_dir != NULL;
    if (s->temp_asked) return HEDDLE_OK;
    const char *named = getenv("TMPDIR");
    if (!named || !*named) named = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
    s->temp_dir = heddle__strdup(named);
    return s->temp_dir ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_configure: no memory");
}

static enum heddle_status resolve(const struct heddle_config *c, struct heddle_settings *s)
{
    char room[32], text[HEDDLE_ERROR_TEXT_MAX];
    enum heddle_status status;
    set_defaults(s);
    for (int i = 0; i < heddle__n_setting_rows; i++) {
        const struct heddle_setting_row *row = &heddle__setting_rows[i];
        const char *value = text_of_field(row, c, room, sizeof room);
        const bool is_field = value != NULL;
        if (!is_field) value = text_of_variable(row);
        if (!value || parse(row, value, s)) continue;
        describe_malformed(row, is_field, value, text, sizeof text);
        status = heddle__fail(HEDDLE_EARG, "%s", text);
        goto fail;
    }
    HEDDLE_TRY(find_cache_dir(s));
    HEDDLE_TRY(find_temp_dir(s));
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
    heddle__forms_allow(s->jit);
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
    struct heddle_config its, copy;
    struct heddle_settings settings = {0};

    enum heddle_status status = heddle__refuse_in_function("configure");
    if (status == HEDDLE_OK) status = heddle__options("configure", config, &its, sizeof its);
    if (status == HEDDLE_OK) status = resolve(&its, &settings);
    if (status == HEDDLE_OK) {
        status = heddle__require_stopped("heddle_configure");
        if (status == HEDDLE_OK && !copy_config(&its, &copy)) {
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
