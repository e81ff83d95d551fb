/* Random distributions of the values of random programs; random_distribution.h. */
#include "property/random_distribution.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local struct random choices;
static heddle_place places[16];
static int n_places;

void random_places_find(void)
{
    int n_cpus = 0, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK) exit(1);
    n_places = 0;
    for (int i = 0; i < n_cpus && n_places < 8; i++) places[n_places++] = heddle_cpu(i);
    for (int i = 0; i < n_gpus && n_places < 16; i++) places[n_places++] = heddle_gpu(i);
}

enum { MAX_CUTS = 40 };

static struct heddle_cut random_cut(int64_t extent, int64_t values[MAX_CUTS])
{
    struct heddle_cut cut = {.kind = (enum heddle_cut_kind)random_below(&choices, 6),
                             .n = 1 + random_below(&choices, 5),
                             .values = values};
    int64_t end = 0;
    switch (cut.kind) {
    case HEDDLE_CUT_SIZES:
    case HEDDLE_CUT_BOUNDS:
        for (int64_t i = 0; i < cut.n; i++) { /* some are empty */
            int64_t size =
                i + 1 < cut.n ? random_below(&choices, (extent - end) / 2 + 1) : extent - end;
            if (random_below(&choices, 4) == 0 && i + 1 < cut.n) size = 0;
            end += size;
            values[i] = cut.kind == HEDDLE_CUT_SIZES ? size : end;
        }
        break;
    case HEDDLE_CUT_BLOCKS:
        if (extent / cut.n > 12) cut.n = extent / 12;
        break;
    case HEDDLE_CUT_COLORS:
        if (extent > MAX_CUTS) return (struct heddle_cut){HEDDLE_CUT_PARTS, 3, NULL};
        for (int64_t i = 0; i < extent; i++) values[i] = random_below(&choices, cut.n);
        break;
    default: break;
    }
    return cut;
}

/* The part without its overlap. */
struct copied {
    int ndim;
    size_t size;
};

static enum heddle_status copy_part(const struct heddle_part_view *in, void *out, void *user)
{
    const struct copied *c = user;
    const char *from = in->data;
    char *to = out;
    int64_t n = 1, index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < c->ndim; d++) n *= in->shape[d];
    for (int64_t i = 0; i < n; i++, from += c->size) {
        bool inside = true;
        int64_t rest = i;
        for (int d = c->ndim - 1; d >= 0; d--, rest /= in->shape[d + 1]) {
            index[d] = rest % in->shape[d];
            inside = inside && index[d] >= in->before[d] && index[d] < in->shape[d] - in->after[d];
        }
        if (!inside) continue;
        memcpy(to, from, c->size);
        to += c->size;
    }
    return HEDDLE_OK;
}

heddle_array *random_distribution(heddle_array *a, bool waits)
{
    if (random_below(&choices, 3) == 0 || heddle_status_of(a) != HEDDLE_OK) return a;
    static _Thread_local int64_t values[HEDDLE_MAX_NDIM][MAX_CUTS];
    heddle_place some[4];
    struct heddle_distribution d = {.n_places = (int)random_below(&choices, 5), .places = some};
    for (int i = 0; i < d.n_places; i++)
        some[i] =
            random_below(&choices, 6) ? places[random_below(&choices, n_places)] : HEDDLE_ANYWHERE;
    for (int k = 0; k < heddle_ndim(a) && k < 3; k++) {
        if (random_below(&choices, 2)) continue;
        d.cut[k] = random_cut(heddle_shape(a)[k], values[k]);
        if (random_below(&choices, 3)) continue;
        d.overlap[k].before = random_below(&choices, 4);
        d.overlap[k].after = random_below(&choices, 4);
    }
    if (d.n_places == 4 && heddle_ndim(a) > 1 && random_below(&choices, 2))
        d.grid[0] = d.grid[1] = 2;
    heddle_array *to = heddle_distribute(a, &d);
    const bool now = random_below(&choices, 4) == 0;
    if (waits || now) (void)(waits ? heddle_wait : heddle_eval)(to); /* errors show later */
    int n_cpus = 0, n_gpus = 0; /* copy_part is a function of CPUs */
    if (random_below(&choices, 4) || heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK ||
        n_cpus == 0)
        return to;
    struct copied *c = malloc(sizeof *c);
    *c = (struct copied){heddle_ndim(a), heddle_dtype_size(heddle_dtype_of(a))};
    return heddle_map_parts(to, heddle_dtype_of(a), copy_part, .user = c, .deleter = free);
}

void random_distribution_seed(uint64_t seed)
{
    choices.state = seed * 2654435761u + 1;
}
