/* Files that are mapped, and how much of them is in memory. Pages of files can be given back at any time, even
 * while they are read: what is needed again comes from the file. */
#ifndef HEDDLE_ARRAY_FILE_PAGES_H
#define HEDDLE_ARRAY_FILE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEDDLE_PAGES_STEP = 16 << 20
}; /* bytes after which a long pass gives back what it has used */

/* A mapping of a file, shared by those who use it. */
struct heddle_mapping {
    void *base;
    size_t n;
    bool is_spill; /* of spill.h */
    int64_t refs;
    struct heddle_mapping *prev, *next;
};

/* Takes over n bytes mapped at `base`; one reference. NULL, and they are unmapped, when memory is gone. */
struct heddle_mapping *heddle__mapping_new(void *base, size_t n);
struct heddle_mapping *heddle__mapping_retain(struct heddle_mapping *mapping);
/* Unmaps it with the last reference; NULL is ignored. A deleter, too. */
void heddle__mapping_release(void *mapping);

/* The mapping that begins there; NULL: there is none. The caller knows that it stays. */
struct heddle_mapping *heddle__mapping_at(const void *base);

/* Whether the files that are mapped are too large to stay in memory together. */
bool heddle__files_are_large(void);
/* If they are, gives pages of mapped files back that begin within these bytes. Others are left alone. */
void heddle__drop_pages(const void *at, int64_t size_bytes);
/* Of large files: says that bytes are read here and there, so that nothing is read ahead, or again that they are
 * not. */
void heddle__expect_random(const void *at, int64_t size_bytes, bool random);
/* While anybody reads or writes mapped memory that may be large: a thread gives pages back when too many have
 * come. Cheap if files are small. */
void heddle__pages_begin(void);
void heddle__pages_end(void);

#endif
