/* heddle_save, heddle_save_all: evaluates arrays and writes them as .npy files and .npz archives. The contents
 * of a file are laid out before anything is written; data go straight into a mapping of the new file, and what
 * would fill the memory is computed there. What makes files appear as a whole is in new_file.c. Entry points:
 * heddle_save, heddle_save_all. */
#include "array/host_memory.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "graph/node.h"
#include "io/new_file.h"
#include "io/npy.h"
#include "graph/check.h"
#include "io/zip_write.h"
#include "run/evaluate.h"
#include "run/execute.h"
#include "run/settings.h"

#include <heddle/io.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file to be written: outputs order[first .. first + n - 1]. */
struct target {
    char where[HEDDLE_WHERE_MAX];
    const char *path;
    bool is_archive, is_open;
    int first, n;
    struct heddle_new_file file; /* while it is open */
};

struct saving {
    const char *function;
    int n, n_targets;
    const struct heddle_output *outputs;
    struct target *targets;
    int *order;                        /* numbers of outputs, target by target */
    struct heddle_zip_member *members; /* [n]: by order */
    char (*names)[16];                 /* [n]: by order; of members that have none */
    const char **sorted;               /* [n]: names of a target's members */
};

/* ---- Which file gets what ------------------------------------------------------------------------- */

static bool ends_in_npz(const char *path)
{
    const size_t n = strlen(path);
    return n >= 4 && !memcmp(path + n - 4, ".npz", 4);
}

/* The target of an output, made at the first output that has it. */
static int find_target(struct saving *s, const char *path)
{
    for (int t = 0; t < s->n_targets; t++)
        if (!strcmp(s->targets[t].path, path)) return t;
    struct target *t = &s->targets[s->n_targets];
    *t = (struct target){.path = path, .is_archive = ends_in_npz(path)};
    heddle__where(t->where, s->function, path);
    return s->n_targets++;
}

/* Sorts outputs by target, stably. */
static enum heddle_status sort_outputs(struct saving *s)
{
    for (int i = 0; i < s->n; i++) {
        if (!s->outputs[i].path) continue;
        struct target *t = &s->targets[find_target(s, s->outputs[i].path)];
        HEDDLE_REQUIRE(t->n == 0 || t->is_archive, HEDDLE_EARG, "%s: the path is given twice",
                       t->where);
        t->n++;
    }
    for (int t = 1; t < s->n_targets; t++)
        s->targets[t].first = s->targets[t - 1].first + s->targets[t - 1].n;
    for (int t = 0; t < s->n_targets; t++) s->targets[t].n = 0;
    for (int i = 0; i < s->n; i++) {
        if (!s->outputs[i].path) continue;
        struct target *t = &s->targets[find_target(s, s->outputs[i].path)];
        s->order[t->first + t->n++] = i;
    }
    return HEDDLE_OK;
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static enum heddle_status name_members(struct saving *s, const struct target *t)
{
    const char **sorted = s->sorted;
    enum { LONGEST = UINT16_MAX - 8 };
    for (int i = 0; i < t->n; i++) {
        const char *name = s->outputs[s->order[t->first + i]].name;
        char *number = s->names[t->first + i];
        snprintf(number, sizeof *s->names, "arr_%d", i);
        HEDDLE_REQUIRE(!name || (*name && strlen(name) < LONGEST), HEDDLE_EARG,
                       "%s: the name of member %d is empty or too long", t->where, i);
        sorted[i] = s->members[t->first + i].name = name ? name : number;
    }
    qsort(sorted, (size_t)t->n, sizeof *sorted, compare_names);
    for (int i = 1; i < t->n; i++)
        HEDDLE_REQUIRE(strcmp(sorted[i - 1], sorted[i]) != 0, HEDDLE_EARG,
                       "%s: member '%.60s' is given twice", t->where, sorted[i]);
    return HEDDLE_OK;
}

static enum heddle_status check_dtypes(const struct saving *s)
{
    for (int i = 0; i < s->n; i++) {
        const heddle_array *a = s->outputs[i].array;
        const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
        HEDDLE_REQUIRE(!s->outputs[i].path || a->kind == HEDDLE_NODE_ERROR ||
                           *heddle__dtype_npy(dtype),
                       HEDDLE_EDTYPE, "%s: .npy files have no %s; as float32 it keeps its values",
                       s->function, heddle_dtype_name(dtype));
    }
    return HEDDLE_OK;
}

static enum heddle_status open_saving(struct saving *s)
{
    const size_t n = (size_t)s->n;
    enum heddle_status status = HEDDLE_OK;
    s->targets = heddle__alloc(n * sizeof *s->targets);
    s->order = heddle__alloc(n * sizeof *s->order);
    s->members = heddle__calloc(n, sizeof *s->members);
    s->names = heddle__alloc(n * sizeof *s->names);
    s->sorted = heddle__alloc(n * sizeof *s->sorted);
    if (!s->targets || !s->order || !s->members || !s->names || !s->sorted) {
        heddle__fail(HEDDLE_ENOMEM, "%s: no memory for %d arrays", s->function, s->n);
        return HEDDLE_ENOMEM;
    }
    HEDDLE_TRY(check_dtypes(s));
    HEDDLE_TRY(sort_outputs(s));
    for (int t = 0; t < s->n_targets; t++) HEDDLE_TRY(name_members(s, &s->targets[t]));
fail:
    return status;
}

static void close_saving(struct saving *s)
{
    heddle__free(s->targets);
    heddle__free(s->order);
    heddle__free(s->members);
    heddle__free(s->names);
    heddle__free(s->sorted);
}

/* ---- Layout ------------------------------------------------------------------------------------------- */

/* Where everything goes. Returns the size of the file. */
static uint64_t lay_out(struct saving *s, const struct target *t)
{
    for (int i = t->first; i < t->first + t->n; i++) {
        heddle_array *a = s->outputs[s->order[i]].array;
        struct heddle_zip_member *m = &s->members[i];
        m->header_bytes = heddle__npy_format_header(heddle_dtype_of(a), heddle_ndim(a),
                                                    heddle_shape(a), m->header);
        m->data_bytes = (uint64_t)heddle_nbytes(a);
        m->local = m->at = 0;
    }
    struct heddle_zip_member *first = &s->members[t->first];
    return t->is_archive ? heddle__zip_layout(t->n, first)
                         : first->header_bytes + first->data_bytes;
}

static unsigned char *data_of(const struct target *t, const struct heddle_zip_member *m)
{
    return t->file.bytes + m->at + m->header_bytes;
}

static enum heddle_status open_target(struct saving *s, struct target *t)
{
    enum heddle_status status = heddle__new_file_open(t->where, t->path, &t->file);
    if (status != HEDDLE_OK) return status;
    status = heddle__new_file_bytes(&t->file, lay_out(s, t));
    if (status != HEDDLE_OK) heddle__new_file_abandon(&t->file);
    t->is_open = status == HEDDLE_OK;
    return status;
}

/* ---- Evaluating ------------------------------------------------------------------------------------- */

static bool is_computed(const heddle_array *a)
{
    return a->kind == HEDDLE_NODE_DATA || a->kind == HEDDLE_NODE_ERROR;
}

/* If what is not computed yet would fill much of the memory, opens its files, so that it is computed there. Other
 * files are opened when all is computed. */
static enum heddle_status open_large(struct saving *s)
{
    enum { SHARE = 4 };
    int64_t bytes = 0;
    for (int i = 0; i < s->n; i++) {
        if (heddle_status_of(s->outputs[i].array) != HEDDLE_OK) return HEDDLE_OK;
        if (!is_computed(s->outputs[i].array)) bytes += heddle_nbytes(s->outputs[i].array);
    }
    const struct heddle_settings *settings = heddle__settings(); /* they have the limit */
    if (!settings) return heddle__last_code();
    if (bytes <= heddle__host_limit() / SHARE) return HEDDLE_OK;
    for (int t = 0; t < s->n_targets; t++) {
        struct target *target = &s->targets[t];
        bool computed = true;
        for (int i = target->first; i < target->first + target->n; i++)
            computed = computed && is_computed(s->outputs[s->order[i]].array);
        const enum heddle_status status = computed ? HEDDLE_OK : open_target(s, target);
        if (status != HEDDLE_OK) return status;
    }
    return HEDDLE_OK;
}

/* Tells, for each output, where it is to be computed. */
static void find_given(const struct saving *s, struct heddle_given given[])
{
    for (int t = 0; t < s->n_targets; t++) {
        const struct target *target = &s->targets[t];
        if (!target->is_open || !target->file.mapping) continue;
        for (int i = target->first; i < target->first + target->n; i++)
            given[s->order[i]] =
                (struct heddle_given){data_of(target, &s->members[i]), target->file.mapping};
    }
}

/* All at once, so that they share work; the error is that of the first that fails. */
static enum heddle_status evaluate(const struct saving *s)
{
    char where[HEDDLE_WHERE_MAX];
    heddle_array **arrays = heddle__alloc((size_t)s->n * sizeof *arrays);
    struct heddle_given *given = heddle__calloc((size_t)s->n, sizeof *given);
    if (arrays && given) {
        for (int i = 0; i < s->n; i++) arrays[i] = s->outputs[i].array;
        find_given(s, given);
        heddle__evaluate_into(s->n, arrays, given);
    }
    const bool done = arrays && given;
    heddle__free(arrays);
    heddle__free(given);
    HEDDLE_REQUIRE(done, HEDDLE_ENOMEM, "%s: no memory for %d arrays", s->function, s->n);
    for (int i = 0; i < s->n; i++) {
        const enum heddle_status status = heddle_wait(s->outputs[i].array);
        if (status == HEDDLE_OK) continue;
        const char *path = s->outputs[i].path;
        if (path) heddle__where(where, s->function, path);
        return heddle__fail(status, "%s: %s", path ? where : s->function,
                            heddle_error(s->outputs[i].array));
    }
    return HEDDLE_OK;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* Puts an array's data where they belong, unless they are there. */
static enum heddle_status put_data(heddle_array *a, unsigned char *at, uint64_t size_bytes)
{
    struct heddle_data data;
    const enum heddle_status status = heddle__data_open("save", a, &data);
    if (status != HEDDLE_OK) return status;
    const bool there = data.storage->data == (char *)at;
    heddle__data_close(&data);
    return there ? HEDDLE_OK : heddle_read(a, at, (int64_t)size_bytes);
}

static enum heddle_status fill(struct saving *s, const struct target *t)
{
    for (int i = t->first; i < t->first + t->n; i++) {
        const struct heddle_zip_member *m = &s->members[i];
        const enum heddle_status status =
            put_data(s->outputs[s->order[i]].array, data_of(t, m), m->data_bytes);
        HEDDLE_REQUIRE(status == HEDDLE_OK, status, "%s: %s", t->where, heddle_last_error());
    }
    const struct heddle_zip_member *first = &s->members[t->first];
    if (t->is_archive)
        heddle__zip_write(t->file.bytes, t->n, first);
    else
        memcpy(t->file.bytes, first->header, first->header_bytes);
    return HEDDLE_OK;
}

static enum heddle_status write_target(struct saving *s, struct target *t)
{
    enum heddle_status status = t->is_open ? HEDDLE_OK : open_target(s, t);
    if (status == HEDDLE_OK) status = fill(s, t);
    if (status != HEDDLE_OK) return status;
    t->is_open = false; /* whatever the outcome */
    return heddle__new_file_commit(&t->file);
}

static enum heddle_status save_all(const char *function, int n, const struct heddle_output *outputs)
{
    struct saving s = {.function = function, .n = n, .outputs = outputs};
    enum heddle_status status;
    heddle__pages_begin();
    HEDDLE_TRY(open_saving(&s));
    HEDDLE_TRY(open_large(&s));
    HEDDLE_TRY(evaluate(&s));
    for (int t = 0; t < s.n_targets; t++) HEDDLE_TRY(write_target(&s, &s.targets[t]));
fail:
    for (int t = 0; t < s.n_targets; t++)
        if (s.targets[t].is_open) heddle__new_file_abandon(&s.targets[t].file);
    close_saving(&s);
    heddle__pages_end();
    return status;
}

enum heddle_status heddle_save(heddle_array *a, const char *path)
{
    HEDDLE_REQUIRE(a && path, HEDDLE_EARG, "heddle_save: %s is NULL", a ? "path" : "a");
    HEDDLE_REQUIRE_ALIVE("save", a);
    const struct heddle_output output = {.array = a, .path = path};
    return save_all("heddle_save", 1, &output);
}

enum heddle_status heddle_save_all(int n, const struct heddle_output *outputs)
{
    HEDDLE_REQUIRE(n >= 0 && (n == 0 || outputs), HEDDLE_EARG,
                   "heddle_save_all: n = %d outputs at NULL or n < 0", n);
    for (int i = 0; i < n; i++)
        HEDDLE_REQUIRE(outputs[i].array, HEDDLE_EARG, "heddle_save_all: array %d is NULL", i);
    return n == 0 ? HEDDLE_OK : save_all("heddle_save_all", n, outputs);
}
