/* The partition of arrays put beside each other, not only along one axis, in which nothing moves: as of a mirrored half beside what it
 * mirrors, or of a border around data. Entry point: heddle__beside_grid. */
#include "plan/partition/choose.h"

enum { MOST_BOUNDS = 32, MOST_CELLS = 256 };

struct beside {
    const heddle_array *whole;
    struct heddle_grid *const *grids; /* [n_in]; NULL: that input may be anywhere */
};

/* Where one axis is cut. */
struct cuts {
    int64_t at[MOST_BOUNDS];
    bool is_part[MOST_BOUNDS]; /* a part of an input ends there; else only an input does */
    int n;
};

static bool add_cut(struct cuts *c, int64_t at, bool is_part)
{
    int i = c->n;
    while (i > 0 && c->at[i - 1] > at) i--;
    if (i > 0 && c->at[i - 1] == at) {
        c->is_part[i - 1] |= is_part;
        return true;
    }
    if (c->n == MOST_BOUNDS) return false;
    for (int k = c->n++; k > i; k--) {
        c->at[k] = c->at[k - 1];
        c->is_part[k] = c->is_part[k - 1];
    }
    c->at[i] = at;
    c->is_part[i] = is_part;
    return true;
}

/* Cuts each axis where inputs and their parts end. False: they land in steps, or there are too many. */
static bool find_cuts(const struct beside *b, struct cuts *cuts)
{
    const heddle_array *a = b->whole;
    bool fits = true;
    for (int d = 0; d < a->ndim && fits; d++) {
        cuts[d].n = 0;
        fits = add_cut(&cuts[d], 0, false) && add_cut(&cuts[d], a->shape[d], false);
        for (int i = 1; i < a->n_in && fits; i++) {
            const int64_t start = a->landings[i].start[d], n = a->in[i]->shape[d];
            fits = (a->landings[i].step[d] == 1 || n == 1) && add_cut(&cuts[d], start, false) &&
                   add_cut(&cuts[d], start + n, false);
            for (int64_t k = 1; b->grids[i] && k < b->grids[i]->n[d] && fits; k++)
                fits = add_cut(&cuts[d], start + b->grids[i]->bound[d][k], true);
        }
    }
    return fits;
}

/* The place of the element at `index`, of the last input that lands there. */
static heddle_place place_at(const struct beside *b, const int64_t *index)
{
    const heddle_array *a = b->whole;
    for (int i = a->n_in - 1; i > 0; i--) {
        int64_t at[HEDDLE_MAX_NDIM];
        bool is_in = true;
        for (int d = 0; d < a->ndim; d++) {
            at[d] = index[d] - a->landings[i].start[d];
            is_in = is_in && at[d] >= 0 && at[d] < a->in[i]->shape[d];
        }
        if (is_in && !b->grids[i]) return HEDDLE_ANYWHERE;
        if (is_in) return heddle__grid_place_of(b->grids[i], heddle__grid_locate(b->grids[i], at));
    }
    return HEDDLE_ANYWHERE;
}

/* Places the cells between cuts, row-major. False: they are too many. */
static bool place_cells(const struct beside *b, const struct cuts *cuts, heddle_place *places,
                        int *n_cells)
{
    const int ndim = b->whole->ndim;
    int k[HEDDLE_MAX_NDIM] = {0};
    *n_cells = 1;
    for (int d = 0; d < ndim; d++) {
        if (cuts[d].n - 1 > MOST_CELLS / *n_cells) return false;
        *n_cells *= cuts[d].n - 1;
    }
    for (int c = 0; c < *n_cells; c++) {
        int64_t index[HEDDLE_MAX_NDIM];
        for (int d = 0; d < ndim; d++) index[d] = cuts[d].at[k[d]];
        places[c] = place_at(b, index);
        for (int d = ndim - 1; d >= 0 && ++k[d] == cuts[d].n - 1; d--) k[d] = 0;
    }
    return true;
}

/* Cells that may be anywhere are where a neighbour is. False: none has a place. */
static bool place_others(int ndim, const struct cuts *cuts, heddle_place *places, int n_cells)
{
    bool some = true, all = false;
    while (some && !all) {
        some = false;
        all = true;
        for (int d = ndim - 1, inner = 1; d >= 0; inner *= cuts[d--].n - 1)
            for (int c = 0; c < n_cells; c++) {
                const int k = c / inner % (cuts[d].n - 1);
                heddle_place near = HEDDLE_ANYWHERE;
                if (places[c] != HEDDLE_ANYWHERE) continue;
                if (k > 0) near = places[c - inner];
                if (near == HEDDLE_ANYWHERE && k < cuts[d].n - 2) near = places[c + inner];
                places[c] = near;
                some = some || near != HEDDLE_ANYWHERE;
                all = all && near != HEDDLE_ANYWHERE;
            }
    }
    return all;
}

/* The elements of the largest part if cut k of axis d went. */
static double largest_without(int ndim, const struct cuts *cuts, int d, int k)
{
    double size = (double)(cuts[d].at[k + 1] - cuts[d].at[k - 1]);
    for (int e = 0; e < ndim; e++) {
        int64_t longest = 0;
        for (int i = 1; i < cuts[e].n && e != d; i++)
            if (cuts[e].at[i] - cuts[e].at[i - 1] > longest)
                longest = cuts[e].at[i] - cuts[e].at[i - 1];
        if (e != d) size *= (double)longest;
    }
    return size;
}

/* Takes out the cuts where only inputs end and the places on both sides are the same. */
static void join_cells(int ndim, struct cuts *cuts, heddle_place *places, int *n_cells)
{
    for (int d = 0; d < ndim; d++) {
        int inner = 1;
        for (int e = d + 1; e < ndim; e++) inner *= cuts[e].n - 1;
        for (int k = 1; k < cuts[d].n - 1;) {
            const int n = cuts[d].n - 1;
            bool same =
                !cuts[d].is_part[k] && largest_without(ndim, cuts, d, k) < (double)INT32_MAX;
            for (int c = 0; c < *n_cells && same; c++)
                same = c / inner % n != k || places[c] == places[c - inner];
            if (!same) {
                k++;
                continue;
            }
            int to = 0;
            for (int c = 0; c < *n_cells; c++)
                if (c / inner % n != k) places[to++] = places[c];
            *n_cells = to;
            cuts[d].n--;
            for (int e = k; e < cuts[d].n; e++) {
                cuts[d].at[e] = cuts[d].at[e + 1];
                cuts[d].is_part[e] = cuts[d].is_part[e + 1];
            }
        }
    }
}

struct heddle_grid *heddle__beside_grid(struct heddle_planner *p, const heddle_array *whole,
                                        struct heddle_grid *const grids[])
{
    const struct beside b = {whole, grids};
    struct cuts cuts[HEDDLE_MAX_NDIM];
    heddle_place places[MOST_CELLS];
    int n_cells;
    if (whole->size == 0 || !find_cuts(&b, cuts) || !place_cells(&b, cuts, places, &n_cells) ||
        !place_others(whole->ndim, cuts, places, n_cells))
        return NULL;
    join_cells(whole->ndim, cuts, places, &n_cells);
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < whole->ndim; d++) {
        n[d] = cuts[d].n - 1;
        bounds[d] = cuts[d].at;
    }
    struct heddle_grid *cut = heddle__grid_make(whole->ndim, whole->shape, n, bounds);
    struct heddle_grid *grid = cut ? heddle__grid_place(cut, n_cells, places) : NULL;
    heddle__grid_release(cut);
    if (!grid) p->failed = true;
    if (!grid || heddle__grid_is_balanced(p, grid)) return grid;
    heddle__grid_release(grid);
    return NULL;
}
