/* The table of environment variables, and the list of those that are set, malformed or unknown. Reads the
 * environment, starts nothing. Entry points: variables.h, heddle_variables. */
#include "run/variables.h"

#include "array/place.h"
#include "base/machine.h"
#include "run/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

#define IN(config_field, stored_field)                                                             \
    offsetof(struct heddle_config, config_field), offsetof(struct heddle_settings, stored_field)

const struct heddle_setting_row heddle__setting_rows[] = {
    {"HEDDLE_DEVICES", "devices", HEDDLE_SETTING_DEVICES, 0, 0, 0,
     offsetof(struct heddle_config, devices), HEDDLE_NO_FIELD, "all", "processors to use"},
    {"HEDDLE_CPU_THREADS", "cpu_threads", HEDDLE_SETTING_INTEGER, 1, 65536, 0,
     IN(cpu_threads, cpu_threads), "cores allowed to the process, less one for each GPU",
     "threads of the CPU teams together"},
    {"HEDDLE_CPU_WORKERS", "cpu_workers", HEDDLE_SETTING_INTEGER, 1, HEDDLE_MAX_TEAMS, 0,
     IN(cpu_workers, cpu_workers), "one a NUMA domain", "CPU teams, each one place"},
    {"HEDDLE_GPU_MEMORY", "gpu_memory_bytes", HEDDLE_SETTING_BYTES, 0, 0, 0,
     IN(gpu_memory_bytes, gpu_memory_bytes), "90 %", "limit of memory for each GPU"},
    {"HEDDLE_CPU_MEMORY", "cpu_memory_bytes", HEDDLE_SETTING_BYTES, 0, 0, 0,
     IN(cpu_memory_bytes, cpu_memory_bytes),
     "80 % of the machine, or of what control groups and ulimit -v leave", "limit of host memory"},
    {"HEDDLE_CACHE", "cache_dir", HEDDLE_SETTING_FOLDER, 0, HEDDLE_FOLDER_BYTES_MAX, 0,
     IN(cache_dir, cache_dir), "$XDG_CACHE_HOME/heddle, else ~/.cache/heddle",
     "folder for compiled kernels and what was measured"},
    {"HEDDLE_TMP", "temp_dir", HEDDLE_SETTING_FOLDER, 0, HEDDLE_FOLDER_BYTES_MAX, 0,
     IN(temp_dir, temp_dir), "$TMPDIR, else /var/tmp, else /tmp",
     "folder for what fits no memory; one in memory counts only if named here"},
    {"HEDDLE_MAX_TASKS", "max_tasks", HEDDLE_SETTING_INTEGER, 1, 1000000, 1000,
     IN(max_tasks, max_tasks), "1000", "tasks in flight"},
    {"HEDDLE_INLINE_BYTES", "inline_bytes", HEDDLE_SETTING_BYTES, -1, 0, 0,
     IN(inline_bytes, inline_bytes),
     "2M (1M of data read often); without GPUs, when workers have started, 24M for each thread",
     "work below it runs on the caller's thread; -1: none does"},
    {"HEDDLE_PART_BYTES", "part_bytes", HEDDLE_SETTING_BYTES, 0, 0, 0, IN(part_bytes, part_bytes),
     "chosen", "size of a part that the automatic partition aims at"},
    {"HEDDLE_PARTITION", "partition", HEDDLE_SETTING_PARTITION, 0, 0, 0,
     offsetof(struct heddle_config, partition), HEDDLE_NO_FIELD, "none",
     "forces a grid of parts on every array, for tests"},
    {"HEDDLE_FUSION", "no_fusion", HEDDLE_SETTING_SWITCH, 0, 1, 1, IN(no_fusion, fusion), "1",
     "0: each operation is a program of its own"},
    {"HEDDLE_JIT", "no_jit", HEDDLE_SETTING_SWITCH, 0, 1, 1, IN(no_jit, jit), "1",
     "0: programs are interpreted, never compiled"},
    {"HEDDLE_DIRECT", "no_direct", HEDDLE_SETTING_SWITCH, 0, 1, 1, IN(no_direct, direct), "1",
     "0: plans whose data are all on GPUs go through StarPU, too"},
    {"HEDDLE_MOVEMENT", "movement", HEDDLE_SETTING_MOVEMENT, 0, 0, 0, IN(movement, movement),
     "free", "movement between places that nobody asked for"},
    {"HEDDLE_CPU_ISA", NULL, HEDDLE_SETTING_ISA, 0, 0, 0, HEDDLE_NO_FIELD, HEDDLE_NO_FIELD,
     "the best there is", "instruction set of the CPU kernels, at most"},
    {"HEDDLE_CC", NULL, HEDDLE_SETTING_COMPILER, 0, 0, 0, HEDDLE_NO_FIELD, HEDDLE_NO_FIELD,
     "cc, gcc or clang, for much work",
     "C compiler for programs and kernels from text; empty: none"},
    {"HEDDLE_CHECK", NULL, HEDDLE_SETTING_CHECK, 0, 1, 0, HEDDLE_NO_FIELD, HEDDLE_NO_FIELD, "0",
     "1: arrays and scopes that are dead, or never were, are found"},
};
const int heddle__n_setting_rows = sizeof heddle__setting_rows / sizeof *heddle__setting_rows;

void heddle__setting_allowed(const struct heddle_setting_row *row, char *text, size_t room)
{
    switch (row->kind) {
    case HEDDLE_SETTING_DEVICES:
        snprintf(text, room, "all, or a list of cpu, gpu and gpu:N such as cpu,gpu:0");
        break;
    case HEDDLE_SETTING_INTEGER:
        snprintf(text, room, "an integer from %lld to %lld", (long long)row->low,
                 (long long)row->high);
        break;
    case HEDDLE_SETTING_BYTES:
        snprintf(text, room, "a size in bytes such as 64K, 512MiB or 1.5G%s",
                 row->low < 0 ? ", or -1" : "");
        break;
    case HEDDLE_SETTING_CHECK:
    case HEDDLE_SETTING_SWITCH: snprintf(text, room, "0 or 1"); break;
    case HEDDLE_SETTING_PARTITION:
        snprintf(text, room, "parts along up to %d leading axes, such as 3x2", HEDDLE_MAX_NDIM);
        break;
    case HEDDLE_SETTING_MOVEMENT: snprintf(text, room, "free, report or forbid"); break;
    case HEDDLE_SETTING_FOLDER:
        snprintf(text, room, "a path of at most %lld bytes", (long long)row->high);
        break;
    case HEDDLE_SETTING_COMPILER:
        snprintf(text, room, "the name of a C compiler, or nothing");
        break;
    case HEDDLE_SETTING_ISA: snprintf(text, room, "baseline, avx2 or avx512"); break;
    }
}

/* ---- Names that are not known ------------------------------------------------------------------------- */

static const char prefix[] = "HEDDLE_";
enum { PREFIX = sizeof prefix - 1, NAME_MAX_BYTES = 63 };

/* The least number of letters to insert, drop, replace or swap (optimal string alignment); names of up to
 * NAME_MAX_BYTES letters. */
static int distance(const char *a, const char *b)
{
    enum { ROOM = NAME_MAX_BYTES + 1 };
    int rows[3][ROOM] = {0}; /* of two letters ago, one, now */
    const int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++) rows[1][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[2];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            const int kept = rows[1][j - 1] + (a[i - 1] != b[j - 1]);
            const int dropped = (rows[1][j] < now[j - 1] ? rows[1][j] : now[j - 1]) + 1;
            now[j] = kept < dropped ? kept : dropped;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                rows[0][j - 2] + 1 < now[j])
                now[j] = rows[0][j - 2] + 1;
        }
        memcpy(rows[0], rows[1], sizeof rows[0]);
        memcpy(rows[1], now, sizeof rows[1]);
    }
    return rows[1][m];
}

/* The known name that was probably meant: one that differs by a typing error or two, or one of which a part
 * is given (HEDDLE_THREADS). NULL: none. */
static const char *nearest(const char *name)
{
    const char *best = NULL, *own = name + PREFIX;
    int least = 3;
    if (strlen(name) > NAME_MAX_BYTES) return NULL;
    for (int i = 0; i < heddle__n_setting_rows; i++) {
        const char *known = heddle__setting_rows[i].variable;
        int d = distance(own, known + PREFIX);
        if (d > 2 && strlen(own) >= 4 &&
            (strstr(known + PREFIX, own) || strstr(own, known + PREFIX)))
            d = 2;
        if (d >= least || d >= (int)strlen(own)) continue;
        least = d;
        best = known;
    }
    return best;
}

static bool is_known(const char *name)
{
    static const char tests[] = "HEDDLE_TEST_"; /* test programs have theirs */
    for (int i = 0; i < heddle__n_setting_rows; i++)
        if (!strcmp(name, heddle__setting_rows[i].variable)) return true;
    return !strncmp(name, tests, sizeof tests - 1);
}

/* ---- The list ------------------------------------------------------------------------------------------ */

static void describe_known(const struct heddle_setting_row *row, struct heddle_variable *v)
{
    const char *value = getenv(row->variable);
    *v = (struct heddle_variable){.is_known = true, .is_set = value != NULL};
    snprintf(v->name, sizeof v->name, "%s", row->variable);
    snprintf(v->by_default, sizeof v->by_default, "%s", row->by_default);
    snprintf(v->meaning, sizeof v->meaning, "%s", row->meaning);
    heddle__setting_allowed(row, v->allowed, sizeof v->allowed);
    if (!value) return;
    snprintf(v->value, sizeof v->value, "%s", value);
    heddle__check_variable(row, v->problem, sizeof v->problem);
}

static void describe_unknown(const char *entry, size_t n, struct heddle_variable *v)
{
    *v = (struct heddle_variable){.is_set = true};
    snprintf(v->name, sizeof v->name, "%.*s", (int)n, entry);
    snprintf(v->value, sizeof v->value, "%s", entry + n + 1);
    const char *meant = n < sizeof v->name ? nearest(v->name) : NULL;
    snprintf(v->meant, sizeof v->meant, "%s", meant ? meant : "");
    snprintf(v->problem, sizeof v->problem,
             "environment variable %s: this version of Heddle knows none of that name%s%s%s",
             v->name, meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

enum heddle_status heddle_variables(int room, struct heddle_variable *variables, int *n)
{
    HEDDLE_REQUIRE(n && room >= 0 && (variables || room == 0), HEDDLE_EARG,
                   "heddle_variables: n is NULL, or room = %d variables at NULL", room);
    struct heddle_variable spare;
    int found = 0;
    for (int i = 0; i < heddle__n_setting_rows; i++, found++)
        describe_known(&heddle__setting_rows[i], found < room ? &variables[found] : &spare);
    for (char **entry = environ; entry && *entry; entry++) {
        const size_t length = strcspn(*entry, "=");
        char name[sizeof spare.name];
        if (strncmp(*entry, prefix, PREFIX) != 0 || !(*entry)[length]) continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        if (length < sizeof name && is_known(name)) continue;
        describe_unknown(*entry, length, found < room ? &variables[found] : &spare);
        found++;
    }
    *n = found;
    return HEDDLE_OK;
}
