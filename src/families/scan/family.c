/* What the core knows of cumulative sums, products and extremes. */
#include "base/hash.h"
#include "base/text.h"
#include "families/scan/scan.h"
#include "families/scan/kernel_work.h"

#include "rows.h"

static double work(const heddle_array *node)
{
    return 2 * (double)node->size * (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_scan_params *params = heddle__params_of(node);
    heddle__text_put(text, " %s along axis %d%s", heddle__scan_names[params->operation],
                     params->axis, params->initial ? ", from the identity" : "");
}

/* Short rows cost by their number, long ones by their elements. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_scan *s = arguments;
    uint64_t shape = 0; /* the length of a row, or of columns, as a power of 2 */
    for (int64_t n = s->columns ? s->inner : s->n; n > 1 && shape < 16; n >>= 1) shape++;
    uint64_t hash = heddle__hash_word(s->dtype, s->phase);
    hash = heddle__hash_word(hash, s->columns);
    hash = heddle__hash_word(hash, s->before || s->after);
    return heddle__hash_word(hash, shape);
}

static bool takes(const void *arguments, const struct heddle_launch *launch,
                  enum heddle_work_side side)
{
    return heddle__scan_takes(arguments, launch, side == HEDDLE_BEFORE);
}

static void join(void *arguments, const struct heddle_launch *launch, enum heddle_work_side side)
{
    struct heddle_scan *s = arguments;
    if (side == HEDDLE_AFTER) {
        s->after = launch;
    } else {
        s->before = launch;
        s->in = s->out;
    }
}

static struct heddle_launch *as_launch(const void *arguments)
{
    const struct heddle_scan *s = arguments;
    return s->before || s->after ? NULL : s->rows;
}

const struct heddle_family_info heddle__scan_family = {
    .name = "scan",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_scan_params),
    .work = work,
    .print = print,
    .cut = heddle__scan_cut,
    .id = HEDDLE_FAMILY_SCAN,
    .cost_key = cost_key,
    .scratch_bytes = heddle__scan_scratch,
    .takes = takes,
    .join = join,
    .as_launch = as_launch,
};
