/* From a distribution to a partition. Entry points: distribution.h, heddle_distribute, heddle_to. */
#include "api/distribution.h"

#include "array/grid.h"
#include "base/memory.h"
#include "base/options.h"
#include "graph/evaluator.h"
#include "graph/make.h"

#include <string.h>

/* The cut of one axis in the making. */
struct axis {
    const char *name; /* of the public function */
    int number;
    int64_t extent;
    int64_t n, room, *bound; /* n intervals with n + 1 bounds */
    int64_t *color;          /* [n], for COLORS; else NULL */
};

static enum heddle_status no_memory(const struct axis *a)
{
    return heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory for the parts of axis %d", a->name,
                        a->number);
}

static enum heddle_status too_many(const struct axis *a, int64_t n)
{
    return heddle__fail(
        HEDDLE_EARG, "heddle_%s: axis %d is cut in %lld intervals; an array has at most %d parts",
        a->name, a->number, (long long)n, HEDDLE_MAX_PARTS);
}

static enum heddle_status make_room(struct axis *a, int64_t n)
{
    if (n > HEDDLE_MAX_PARTS) return too_many(a, n);
    a->n = n;
    a->bound = heddle__calloc((size_t)n + 1, sizeof *a->bound);
    return a->bound ? HEDDLE_OK : no_memory(a);
}

static enum heddle_status cut_parts(struct axis *a, int64_t n)
{
    HEDDLE_REQUIRE(n > 0, HEDDLE_EARG,
                   "heddle_%s: axis %d is to be cut in one part a place, but no place is given",
                   a->name, a->number);
    const enum heddle_status status = make_room(a, n);
    if (status != HEDDLE_OK) return status;
    const int64_t each = a->extent / n, longer = a->extent % n;
    for (int64_t i = 0; i < n; i++) a->bound[i + 1] = a->bound[i] + each + (i < longer);
    return HEDDLE_OK;
}

static enum heddle_status cut_values(struct axis *a, const struct heddle_cut *cut)
{
    const bool sizes = cut->kind == HEDDLE_CUT_SIZES;
    HEDDLE_REQUIRE(cut->n > 0 && cut->values, HEDDLE_EARG,
                   "heddle_%s: axis %d: %lld %s at NULL or none", a->name, a->number,
                   (long long)cut->n, sizes ? "sizes" : "bounds");
    const enum heddle_status status = make_room(a, cut->n);
    if (status != HEDDLE_OK) return status;
    for (int64_t i = 0; i < cut->n; i++) {
        const int64_t size = sizes ? cut->values[i] : cut->values[i] - a->bound[i];
        HEDDLE_REQUIRE(size >= 0, HEDDLE_EARG, "heddle_%s: axis %d: part %lld has size %lld",
                       a->name, a->number, (long long)i, (long long)size);
        HEDDLE_REQUIRE(size <= a->extent - a->bound[i], HEDDLE_EARG,
                       "heddle_%s: axis %d: the first %lld parts go beyond its extent %lld",
                       a->name, a->number, (long long)i + 1, (long long)a->extent);
        a->bound[i + 1] = a->bound[i] + size;
    }
    HEDDLE_REQUIRE(a->bound[cut->n] == a->extent, HEDDLE_EARG,
                   "heddle_%s: axis %d: the parts have %lld of its %lld indices", a->name,
                   a->number, (long long)a->bound[cut->n], (long long)a->extent);
    return HEDDLE_OK;
}

static enum heddle_status cut_blocks(struct axis *a, int64_t size)
{
    HEDDLE_REQUIRE(size > 0, HEDDLE_EARG, "heddle_%s: axis %d: blocks of %lld indices", a->name,
                   a->number, (long long)size);
    const int64_t n = a->extent > 0 ? (a->extent - 1) / size + 1 : 1;
    const enum heddle_status status = make_room(a, n);
    if (status != HEDDLE_OK) return status;
    for (int64_t i = 1; i < n; i++) a->bound[i] = i * size;
    a->bound[n] = a->extent;
    return HEDDLE_OK;
}

static enum heddle_status cut_colors(struct axis *a, const struct heddle_cut *cut)
{
    HEDDLE_REQUIRE(cut->n > 0 && (cut->values || a->extent == 0), HEDDLE_EARG,
                   "heddle_%s: axis %d: %lld colors at NULL or none", a->name, a->number,
                   (long long)cut->n);
    int64_t runs = a->extent > 0;
    for (int64_t i = 0; i < a->extent; i++) {
        HEDDLE_REQUIRE(cut->values[i] >= 0 && cut->values[i] < cut->n, HEDDLE_EARG,
                       "heddle_%s: axis %d: index %lld has color %lld, of 0..%lld", a->name,
                       a->number, (long long)i, (long long)cut->values[i], (long long)cut->n - 1);
        if (i > 0 && cut->values[i] != cut->values[i - 1]) runs++;
    }
    const enum heddle_status status = make_room(a, runs > 0 ? runs : 1);
    if (status != HEDDLE_OK) return status;
    a->color = heddle__calloc((size_t)a->n, sizeof *a->color);
    if (!a->color) return no_memory(a);
    int64_t run = 0;
    for (int64_t i = 0; i < a->extent; i++) {
        if (i > 0 && cut->values[i] != cut->values[i - 1]) a->bound[++run] = i;
        a->color[run] = cut->values[i];
    }
    a->bound[a->n] = a->extent;
    return HEDDLE_OK;
}

static enum heddle_status cut_axis(struct axis *a, const struct heddle_cut *cut, int n_places)
{
    switch (cut->kind) {
    case HEDDLE_CUT_WHOLE: return cut_parts(a, 1);
    case HEDDLE_CUT_PARTS: return cut_parts(a, cut->n ? cut->n : n_places);
    case HEDDLE_CUT_SIZES:
    case HEDDLE_CUT_BOUNDS: return cut_values(a, cut);
    case HEDDLE_CUT_BLOCKS: return cut_blocks(a, cut->n);
    case HEDDLE_CUT_COLORS: return cut_colors(a, cut);
    }
    return heddle__fail(HEDDLE_EARG, "heddle_%s: axis %d: %d is no kind of cut", a->name, a->number,
                        (int)cut->kind);
}

/* How many places there are along each axis, if they are a grid. False: they are a list. */
static bool place_grid(const struct heddle_distribution *d, const struct axis *axes, int ndim,
                       int64_t along[])
{
    bool given = false, colored = false;
    for (int k = 0; k < ndim; k++) {
        given = given || d->grid[k] > 0;
        colored = colored || axes[k].color;
    }
    for (int k = 0; k < ndim; k++) {
        along[k] = given ? d->grid[k] : axes[k].color ? d->cut[k].n : 1;
        if (along[k] < 1) along[k] = 1;
    }
    return given || colored;
}

/* Gives row-major parts places in turn or, if places are a grid or there are colors, by coordinates. */
static struct heddle_grid *place_parts(const struct heddle_grid *cut, const struct axis *axes,
                                       const struct heddle_distribution *d)
{
    int64_t along[HEDDLE_MAX_NDIM];
    if (!place_grid(d, axes, cut->ndim, along))
        return heddle__grid_place(cut, d->n_places, d->places);
    heddle_place *places = heddle__alloc((size_t)cut->n_parts * sizeof *places);
    for (int64_t part = 0; places && part < cut->n_parts; part++) {
        int64_t rest = part, number = 0, stride = 1; /* all modulo n_places */
        for (int k = cut->ndim - 1; k >= 0; k--) {
            const int64_t i = rest % cut->n[k];
            const int64_t at = (axes[k].color ? axes[k].color[i] : i) % along[k];
            number = (number + at % d->n_places * stride) % d->n_places;
            stride = along[k] % d->n_places * stride % d->n_places;
            rest /= cut->n[k];
        }
        places[part] = d->places[number];
    }
    struct heddle_grid *placed = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__free(places);
    return placed;
}

static struct heddle_grid *overlap_parts(struct heddle_grid *placed,
                                         const struct heddle_distribution *d)
{
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM];
    bool overlaps = false;
    for (int k = 0; placed && k < placed->ndim; k++) {
        before[k] = d->overlap[k].before;
        after[k] = d->overlap[k].after;
        overlaps = overlaps || before[k] > 0 || after[k] > 0;
    }
    if (!overlaps) return placed;
    struct heddle_grid *grid = heddle__grid_overlap(placed, before, after);
    heddle__grid_release(placed);
    return grid;
}

/* Checks what is said of each axis beside its cut. */
static enum heddle_status check_axes(const char *name, const struct heddle_distribution *d,
                                     int ndim, const int64_t *shape)
{
    int64_t all = 1;
    bool given = false;
    for (int k = 0; k < HEDDLE_MAX_NDIM; k++) {
        const struct heddle_overlap *o = &d->overlap[k];
        HEDDLE_REQUIRE(k < ndim || (d->cut[k].kind == HEDDLE_CUT_WHOLE && d->grid[k] == 0 &&
                                    o->before == 0 && o->after == 0),
                       HEDDLE_EARG, "heddle_%s: axis %d is to be cut, of an array of shape %s",
                       name, k, heddle__shape_text(ndim, shape).text);
        HEDDLE_REQUIRE(d->grid[k] >= 0, HEDDLE_EARG, "heddle_%s: axis %d: %d places along it", name,
                       k, d->grid[k]);
        HEDDLE_REQUIRE(o->before >= 0 && o->after >= 0, HEDDLE_EARG,
                       "heddle_%s: axis %d: an overlap of %lld and %lld", name, k,
                       (long long)o->before, (long long)o->after);
        given = given || d->grid[k] > 0;
        if (d->grid[k] > 1 && all <= d->n_places) all *= d->grid[k];
    }
    HEDDLE_REQUIRE(!given || all == d->n_places, HEDDLE_EARG,
                   "heddle_%s: %d places are not as many as their grid has", name, d->n_places);
    return HEDDLE_OK;
}

static enum heddle_status make_grid(const char *name, const struct heddle_distribution *d, int ndim,
                                    const int64_t *shape, struct axis *axes,
                                    struct heddle_grid **grid)
{
    int64_t n[HEDDLE_MAX_NDIM], n_parts = 1;
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int k = 0; k < ndim; k++) {
        axes[k] = (struct axis){.name = name, .number = k, .extent = shape[k]};
        const enum heddle_status status =
            cut_axis(&axes[k], &d->cut[k], d->grid[k] > 0 ? d->grid[k] : d->n_places);
        if (status != HEDDLE_OK) return status;
        n[k] = axes[k].n;
        bounds[k] = axes[k].bound;
        n_parts *= n[k];
        if (n_parts > HEDDLE_MAX_PARTS) return too_many(&axes[k], n_parts);
    }
    struct heddle_grid *cut = heddle__grid_make(ndim, shape, n, bounds);
    *grid = cut && d->n_places > 0 ? place_parts(cut, axes, d) : heddle__grid_retain(cut);
    heddle__grid_release(cut);
    *grid = overlap_parts(*grid, d);
    if (!*grid) return heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory for parts", name);
    (*grid)->asked = true;
    return HEDDLE_OK;
}

static bool is_automatic(const struct heddle_distribution *d, int ndim)
{
    for (int k = 0; k < ndim; k++)
        if (d->cut[k].kind != HEDDLE_CUT_WHOLE || d->overlap[k].before || d->overlap[k].after)
            return false;
    return d->n_places == 0;
}

enum heddle_status heddle__distribution_grid(const char *name,
                                             const struct heddle_distribution *distribution,
                                             int ndim, const int64_t *shape,
                                             struct heddle_grid **grid)
{
    struct heddle_distribution d;
    *grid = NULL;
    enum heddle_status status = heddle__options(name, distribution, &d, sizeof d);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(d.n_places >= 0 && (d.n_places == 0 || d.places), HEDDLE_EARG,
                   "heddle_%s: %d places at NULL", name, d.n_places);
    status = check_axes(name, &d, ndim, shape);
    if (status == HEDDLE_OK) status = heddle__check_places(name, d.n_places, d.places);
    if (status != HEDDLE_OK) return status;
    if (is_automatic(&d, ndim)) return HEDDLE_OK;
    struct axis axes[HEDDLE_MAX_NDIM] = {{0}};
    status = make_grid(name, &d, ndim, shape, axes, grid);
    for (int k = 0; k < ndim; k++) {
        heddle__free(axes[k].bound);
        heddle__free(axes[k].color);
    }
    return status;
}

heddle_array *heddle__distributed(const char *name, heddle_array *owned,
                                  const struct heddle_distribution *distribution)
{
    struct heddle_grid *grid;
    if (!owned || !distribution) return owned;
    heddle_array *a = NULL;
    if (heddle__distribution_grid(name, distribution, owned->ndim, owned->shape, &grid) ==
        HEDDLE_OK)
        a = heddle__make_distribute(owned, grid);
    heddle__release(owned);
    return a;
}

heddle_array *heddle__then_distributed(const char *name, heddle_array *a,
                                       const struct heddle_distribution *distribution)
{
    if (!distribution || a->kind == HEDDLE_NODE_ERROR) return a;
    return heddle__hand_out(heddle__distributed(name, heddle_own(a), distribution));
}

heddle_array *heddle_distribute(heddle_array *a, const struct heddle_distribution *distribution)
{
    heddle_array *const bad = heddle__bad_operand("distribute", 1, &a);
    if (bad) return bad;
    static const struct heddle_distribution automatic;
    return heddle__hand_out(heddle__distributed("distribute", heddle__retain(a),
                                                distribution ? distribution : &automatic));
}

heddle_array *heddle_to(heddle_array *a, heddle_place place)
{
    heddle_array *const bad = heddle__bad_operand("to", 1, &a);
    if (bad) return bad;
    const struct heddle_distribution d = {.n_places = 1, .places = &place};
    return heddle__hand_out(heddle__distributed("to", heddle__retain(a), &d));
}
