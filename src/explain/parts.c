/* Parts one by one: as text, and through a function of the user's. Entry points: heddle_parts_text,
 * heddle_map_parts. */
#include "api/distribution.h"
#include "base/memory.h"
#include "graph/make.h"

#include <heddle/create.h>
#include <heddle/explain.h>
#include <heddle/io.h>
#include <stdio.h>
#include <string.h>

/* ---- Text ----------------------------------------------------------------------------------------- */

static bool append(char **text, size_t *n, const char *more)
{
    const size_t length = strlen(more);
    char *longer = heddle__realloc(*text, *n + length + 1);
    if (!longer) return false;
    memcpy(longer + *n, more, length + 1);
    *text = longer;
    *n += length;
    return true;
}

static enum heddle_status part_text(heddle_array *a, int64_t part, char **text)
{
    struct heddle_part_view view;
    enum heddle_status status = heddle_part_acquire(a, part, HEDDLE_ANYWHERE, &view);
    if (status != HEDDLE_OK) return status;
    heddle_scope scope = heddle_scope_open();
    heddle_array *one = heddle_asarray(view.data, heddle_dtype_of(a), heddle_ndim(a), view.shape);
    status = heddle_format(one, 0, text);
    heddle_scope_close(scope);
    heddle_part_release(&view);
    return status;
}

enum heddle_status heddle_parts_text(heddle_array *a, char **text)
{
    HEDDLE_REQUIRE(text, HEDDLE_EARG, "heddle_parts_text: text is NULL");
    int64_t n = 0;
    enum heddle_status status = heddle_count_parts(a, &n);
    char *all = NULL;
    size_t length = 0;
    for (int64_t p = 0; p < n && status == HEDDLE_OK; p++) {
        struct heddle_part_info info;
        char *one = NULL, place[48];
        status = heddle_part(a, p, &info);
        if (status == HEDDLE_OK) status = part_text(a, p, &one);
        if (status != HEDDLE_OK) break;
        const heddle_place at = info.place != HEDDLE_ANYWHERE ? info.place : info.current;
        const bool gpu = at >= HEDDLE_PLACE_GPU;
        snprintf(place, sizeof place, ")@<%s %d>", gpu ? "GPU" : "CPU",
                 at - (gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU));
        if (!append(&all, &length, p ? "; array(" : "array(") || !append(&all, &length, one) ||
            !append(&all, &length, place))
            status = heddle__fail(HEDDLE_ENOMEM, "heddle_parts_text: no memory");
        heddle_free(one);
    }
    if (status == HEDDLE_OK)
        *text = all;
    else
        heddle__free(all);
    return status;
}

/* ---- Map ------------------------------------------------------------------------------------------- */

/* The result's parts, to be joined: each is memory of its own. */
static enum heddle_status map_one(heddle_array *a, int64_t part, enum heddle_dtype dtype,
                                  heddle_part_function *function, void *user, void **out)
{
    struct heddle_part_info info;
    struct heddle_part_view view;
    enum heddle_status status = heddle_part(a, part, &info);
    if (status == HEDDLE_OK) status = heddle_part_acquire(a, part, HEDDLE_ANYWHERE, &view);
    if (status != HEDDLE_OK) return status;
    *out = heddle__calloc((size_t)info.size + 1, heddle_dtype_size(dtype));
    if (!*out)
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_map_parts: no memory for part %lld",
                              (long long)part);
    else if (info.size > 0)
        status = function(&view, info.lo, *out, user);
    if (status != HEDDLE_OK && *out)
        heddle__fail(status, "heddle_map_parts: the function failed on part %lld", (long long)part);
    heddle_part_release(&view);
    return status;
}

/* Copies a part's box into the whole. */
static void put_box(char *whole, const int64_t *shape, int ndim, size_t size, const char *part,
                    const struct heddle_part_info *info)
{
    int64_t index[HEDDLE_MAX_NDIM], row = ndim ? info->hi[ndim - 1] - info->lo[ndim - 1] : 1;
    for (int d = 0; d < ndim; d++) index[d] = info->lo[d];
    for (int64_t done = 0; done < info->size; done += row) {
        int64_t at = 0;
        for (int d = 0; d < ndim; d++) at = at * shape[d] + index[d];
        memcpy(whole + (size_t)at * size, part + (size_t)done * size, (size_t)row * size);
        for (int d = ndim - 2; d >= 0; d--) {
            if (++index[d] < info->hi[d]) break;
            index[d] = info->lo[d];
        }
    }
}

heddle_array *heddle_map_parts(heddle_array *a, enum heddle_dtype dtype,
                               heddle_part_function *function, void *user)
{
    heddle_array *const bad = heddle__bad_operand("map_parts", 1, &a);
    if (bad) return bad;
    if (!function) return heddle__error_array(HEDDLE_EARG, "heddle_map_parts: function is NULL");
    if (heddle__check_dtype("map_parts", dtype) != HEDDLE_OK) return heddle__error_last();
    int64_t n = 0;
    enum heddle_status status = heddle_count_parts(a, &n);
    const size_t size = heddle_dtype_size(dtype);
    char *whole = status == HEDDLE_OK ? heddle__alloc((size_t)heddle_size(a) * size + 1) : NULL;
    if (status == HEDDLE_OK && !whole)
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_map_parts: no memory");
    for (int64_t p = 0; p < n && status == HEDDLE_OK; p++) {
        struct heddle_part_info info;
        void *part = NULL;
        status = heddle_part(a, p, &info);
        if (status == HEDDLE_OK) status = map_one(a, p, dtype, function, user, &part);
        if (status == HEDDLE_OK) put_box(whole, heddle_shape(a), heddle_ndim(a), size, part, &info);
        heddle__free(part);
    }
    if (status != HEDDLE_OK) {
        heddle__free(whole);
        return heddle__error_last();
    }
    heddle_array *r = heddle_asarray(whole, dtype, heddle_ndim(a), heddle_shape(a), .borrow = true,
                                     .deleter = heddle__free, .user = whole);
    if (n == 1 || heddle_status_of(r) != HEDDLE_OK) return r;
    heddle_array *like = heddle_distribute_like(r, a);
    if (!r->scoped) heddle_release(r);
    return like;
}
