/* The table of the environment variables that Heddle reads. Parsing, heddle_variables, the command and the
 * table in docs/troubleshooting.md follow it. */
#ifndef HEDDLE_RUN_VARIABLES_H
#define HEDDLE_RUN_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/* How the text of a setting is written. */
enum heddle_setting_kind {
    HEDDLE_SETTING_DEVICES,
    HEDDLE_SETTING_INTEGER,
    HEDDLE_SETTING_BYTES,
    HEDDLE_SETTING_SWITCH, /* its field in struct heddle_config turns it off */
    HEDDLE_SETTING_PARTITION,
    HEDDLE_SETTING_MOVEMENT,
    HEDDLE_SETTING_FOLDER,
    HEDDLE_SETTING_ISA,      /* the CPU kernels read it themselves, */
    HEDDLE_SETTING_COMPILER, /* and this */
    HEDDLE_SETTING_CHECK,    /* the graph does */
};

#define HEDDLE_NO_FIELD SIZE_MAX
enum { HEDDLE_FOLDER_BYTES_MAX = 3800 }; /* of the cache's path: names are appended to it */

struct heddle_setting_row {
    const char *variable, *field; /* field NULL: struct heddle_config has none */
    enum heddle_setting_kind kind;
    int64_t low, high;           /* of INTEGER; low of BYTES may be -1 */
    int64_t initial;             /* of INTEGER and BYTES: the default in struct heddle_settings */
    size_t in_config, in_stored; /* offsets in struct heddle_config and struct heddle_settings */
    const char *by_default, *meaning;
};

extern const struct heddle_setting_row heddle__setting_rows[];
extern const int heddle__n_setting_rows;

/* What may stand in a variable, "an integer from 1 to 8". Cut to fit. */
void heddle__setting_allowed(const struct heddle_setting_row *row, char *text, size_t room);

#endif
