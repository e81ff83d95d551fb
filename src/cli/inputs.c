/* Reads what the command line names: arrays and texts. Entry points: load_input, read_text. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static heddle_array *checked(heddle_array *a)
{
    if (heddle_status_of(a) == HEDDLE_OK) return a;
    failure("%s", heddle_error(a));
    return NULL;
}

/* The only member of an archive; if there are several, the user must name one. */
static heddle_array *load_only_member(const char *path)
{
    heddle_array *a = NULL;
    char **names;
    int n;
    if (heddle_npz_names(path, &n, &names) != HEDDLE_OK) {
        failure("%s", heddle_last_error());
        return NULL;
    }
    if (n == 1) {
        a = checked(heddle_load_npz(path, names[0]));
    } else {
        fprintf(stderr, "heddle: %s holds %d arrays; write %s:MEMBER with one of:", path, n, path);
        for (int i = 0; i < n && i < 20; i++) fprintf(stderr, " %s", names[i]);
        fputs(n > 20 ? " ...\n" : "\n", stderr);
    }
    heddle_free(names);
    return a;
}

heddle_array *load_input(const char *path)
{
    const char *const archive = strstr(path, ".npz:");
    const size_t n = strlen(path);
    if (archive) {
        char *file = strndup(path, (size_t)(archive - path) + 4);
        if (!file) {
            failure("out of memory");
            return NULL;
        }
        heddle_array *a = checked(heddle_load_npz(file, archive + 5));
        free(file);
        return a;
    }
    if (n > 4 && !strcmp(path + n - 4, ".npz")) return load_only_member(path);
    return checked(heddle_load(path));
}

char *read_text(const char *path)
{
    const bool from_stdin = !strcmp(path, "-");
    FILE *file = from_stdin ? stdin : fopen(path, "rb");
    size_t n = 0, room = 0;
    char *text = NULL;
    if (!file) {
        failure("%s: %s", path, strerror(errno));
        return NULL;
    }
    for (;;) {
        if (room - n < 2) {
            char *const bigger = realloc(text, room ? 2 * room : 4096);
            if (!bigger) break;
            text = bigger;
            room = room ? 2 * room : 4096;
        }
        const size_t got = fread(text + n, 1, room - n - 1, file);
        n += got;
        if (got == 0) break;
    }
    const bool failed = ferror(file) || !feof(file);
    const int why = errno;
    if (!from_stdin) fclose(file);
    if (failed || !text || memchr(text, 0, n)) {
        failure("%s: %s", from_stdin ? "standard input" : path,
                failed ? strerror(why) : "is not a text: it has a zero byte");
        free(text);
        return NULL;
    }
    text[n] = 0;
    return text;
}
