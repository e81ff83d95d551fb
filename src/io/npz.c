/* .npz files: arrays by name in a zip archive. Entry points: heddle_load_npz, heddle_npz_names. */
#include "array/host_memory.h"
#include "array/parts.h"
#include "base/memory.h"
#include "graph/node.h"
#include "io/npy.h"
#include "io/zip.h"
#include "run/settings.h"

#include <heddle/io.h>
#include <stdio.h>
#include <string.h>

static const char suffix[] = ".npy";
enum { SUFFIX_LENGTH = sizeof suffix - 1 };

static bool is_array(const struct heddle_zip_entry *e)
{
    return e->name_length >= SUFFIX_LENGTH &&
           !memcmp(e->name + e->name_length - SUFFIX_LENGTH, suffix, SUFFIX_LENGTH);
}

/* 2: it is the member's full name; 1: its name without .npy; 0: neither. */
static int match(const struct heddle_zip_entry *e, const char *name, size_t length)
{
    if (!is_array(e)) return 0;
    if (e->name_length == length && !memcmp(e->name, name, length)) return 2;
    return e->name_length == length + SUFFIX_LENGTH && !memcmp(e->name, name, length);
}

/* Finds the best match; of equal ones the last, as Python's zipfile does. HEDDLE_ENAME, with the names that
 * there are, if there is none. */
static enum heddle_status find(struct heddle_zip zip, const char *name,
                               struct heddle_zip_entry *out)
{
    enum heddle_status status;
    char names[160] = "";
    size_t used = 0;
    int best = 0, more;
    struct heddle_zip_entry e;
    HEDDLE_TRY(heddle__zip_next(&zip, &e, &more));
    while (more) {
        const int quality = match(&e, name, strlen(name));
        if (quality && quality >= best) {
            best = quality;
            *out = e;
        }
        if (is_array(&e) && used + 1 < sizeof names) {
            const int n = snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                   (int)e.name_length - SUFFIX_LENGTH, e.name);
            used = used + (size_t)n < sizeof names ? used + (size_t)n : sizeof names - 1;
        }
        HEDDLE_TRY(heddle__zip_next(&zip, &e, &more));
    }
    HEDDLE_REQUIRE(best, HEDDLE_ENAME, "no member '%.60s'; there are: %s", name, names);
fail:
    return status;
}

/* Bytes that a member may inflate to. */
static int64_t memory_left(void)
{
    heddle__settings(); /* they have the limit; if they are malformed, the evaluation says so */
    const int64_t left = heddle__host_limit() - heddle__storage_bytes_live();
    return left > 0 ? left : 0;
}

heddle_array *heddle_load_npz(const char *path, const char *name)
{
    char where[HEDDLE_WHERE_MAX], where_member[HEDDLE_WHERE_MAX + 80];
    struct heddle_bytes file, member;
    struct heddle_zip zip;
    struct heddle_zip_entry entry;
    if (!path || !name)
        return heddle__error_array(HEDDLE_EARG, "heddle_load_npz: %s is NULL",
                                   path ? "name" : "path");
    heddle__where(where, "heddle_load_npz", path);
    if (heddle__file_open(where, path, &file) != HEDDLE_OK) return heddle__error_last();

    enum heddle_status status;
    HEDDLE_TRY(heddle__zip_open(file.data, file.n, &zip));
    HEDDLE_TRY(find(zip, name, &entry));
    HEDDLE_TRY(heddle__zip_read(&zip, &entry, &file, memory_left(), &member));
    heddle__bytes_release(&file);
    snprintf(where_member, sizeof where_member, "%s, member '%.60s'", where, name);
    return heddle__npy_array(where_member, member);
fail:
    heddle__bytes_release(&file);
    return heddle__error_array(status, "%s: %s", where, heddle_last_error());
}

enum heddle_status heddle_npz_names(const char *path, int *n, char ***names)
{
    char where[HEDDLE_WHERE_MAX];
    struct heddle_bytes file;
    struct heddle_zip zip, walk;
    struct heddle_zip_entry e;
    enum heddle_status status;
    HEDDLE_REQUIRE(path && n && names, HEDDLE_EARG, "heddle_npz_names: %s is NULL",
                   !path ? "path"
                   : !n  ? "n"
                         : "names");
    heddle__where(where, "heddle_npz_names", path);
    status = heddle__file_open(where, path, &file);
    if (status != HEDDLE_OK) return status;

    /* Count, then fill one block: the pointers, then the texts. Names are at most as long as the
     * file, so neither sum overflows. */
    int more, count = 0;
    size_t text_bytes = 0;
    HEDDLE_TRY(heddle__zip_open(file.data, file.n, &zip));
    walk = zip;
    HEDDLE_TRY(heddle__zip_next(&walk, &e, &more));
    while (more) {
        if (is_array(&e)) {
            count++;
            text_bytes += e.name_length - SUFFIX_LENGTH + 1;
        }
        HEDDLE_TRY(heddle__zip_next(&walk, &e, &more));
    }
    char **list = heddle__alloc((size_t)count * sizeof *list + text_bytes);
    if (!list) {
        status = heddle__fail(HEDDLE_ENOMEM, "no memory for %d names", count);
        goto fail;
    }
    char *text = (char *)(list + count);
    int i = 0;
    for (heddle__zip_next(&zip, &e, &more); more; heddle__zip_next(&zip, &e, &more)) {
        if (!is_array(&e)) continue;
        const size_t length = e.name_length - SUFFIX_LENGTH;
        memcpy(text, e.name, length);
        text[length] = 0;
        list[i++] = text;
        text += length + 1;
    }
    heddle__bytes_release(&file);
    *n = count;
    *names = list;
    return HEDDLE_OK;
fail:
    heddle__bytes_release(&file);
    return heddle__fail(status, "%s: %s", where, heddle_last_error());
}
