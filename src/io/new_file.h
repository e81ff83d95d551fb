/* A file in the making, which appears complete under its name or not at all. */
#ifndef HEDDLE_IO_NEW_FILE_H
#define HEDDLE_IO_NEW_FILE_H

#include "array/file_pages.h"

#include <heddle/status.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { HEDDLE_TEMPORARY_MAX = 48 };

/* Errors of all functions: HEDDLE_EIO, with `where`: public function and path. */
struct heddle_new_file {
    const char *where;
    int folder, fd;          /* of the file that will have the name, and of its folder */
    char name[NAME_MAX + 1]; /* in the folder */
    char temporary[HEDDLE_TEMPORARY_MAX]; /* its name so far; "": it has none */
    bool replaces;                        /* there is a file of the name, whose ... */
    mode_t mode;                          /* ... mode and owner it gets */
    uid_t owner;
    gid_t group;
    unsigned char *bytes; /* its contents, between heddle__new_file_bytes and the end */
    size_t n;
    struct heddle_mapping *mapping; /* they are in the file; NULL: they will be written to it */
};

/* Begins the file that `path` means, through symbolic links, even one that leads nowhere yet. `where`
 * must live as long. */
enum heddle_status heddle__new_file_open(const char *where, const char *path,
                                         struct heddle_new_file *f);
/* Gives memory for all `n` bytes of it, in f->bytes: a mapping, with its place on the disk, unless the file
 * is small or cannot be mapped. Also HEDDLE_ENOMEM. */
enum heddle_status heddle__new_file_bytes(struct heddle_new_file *f, size_t n);
/* Ends it: it is on the disk, and has its name, or is gone. */
enum heddle_status heddle__new_file_commit(struct heddle_new_file *f);
/* Ends it without a trace; ignored if it has ended. */
void heddle__new_file_abandon(struct heddle_new_file *f);

#endif
