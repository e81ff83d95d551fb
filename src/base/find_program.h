/* A program of the machine, as a shell finds it. */
#ifndef HEDDLE_BASE_FIND_PROGRAM_H
#define HEDDLE_BASE_FIND_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its path, by a name, in folders that colons are between (PATH; NULL: none). False: it is not there. */
static inline bool heddle__find_program(const char *name, const char *folders, char *path,
                                        size_t room)
{
    if (strchr(name, '/')) {
        const int n = snprintf(path, room, "%s", name);
        return n > 0 && (size_t)n < room && access(path, X_OK) == 0;
    }
    for (const char *at = folders; at && *name; at = strchr(at, ':')) {
        if (*at == ':') at++;
        const int n = snprintf(path, room, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (n > 0 && (size_t)n < room && access(path, X_OK) == 0) return true;
    }
    return false;
}

#endif
