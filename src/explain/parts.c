/* Parts with their places, as text. Entry point: heddle_parts_text. */
#include "array/place.h"
#include "base/error.h"
#include "base/memory.h"
#include "explain/format.h"
#include "run/life.h"
#include "run/parts.h"

#include <heddle/create.h>
#include <heddle/io.h>
#include <stdio.h>
#include <string.h>

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
    heddle__enter(); /* a shut-down waits for the view */
    enum heddle_status status =
        heddle__part_view("parts_text", a, part, HEDDLE_ANYWHERE, false, &view);
    if (status != HEDDLE_OK) {
        heddle__leave();
        return status;
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *one = heddle_asarray(view.data, heddle_dtype_of(a), heddle_ndim(a), view.shape);
    status = heddle__format_repr(one, text);
    heddle_scope_close(scope);
    heddle_part_release(&view);
    heddle__leave();
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
        snprintf(place, sizeof place, "@<%s %d>", gpu ? "CUDA Device" : "CPU",
                 at - (gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU));
        if (!append(&all, &length, p ? "; " : "") || !append(&all, &length, one) ||
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
