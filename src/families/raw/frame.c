/* How calls of the user's kernels are cut: the frame follows the first array that is read or updated along all of its axes, and
 * the others follow the frame. Entry points: frame.h. */
#include "families/raw/frame.h"
#include "plan/cut/cut.h"
#include "plan/partition/derive.h"

#include <string.h>

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool follows(const struct heddle_raw_operand *o, int axis)
{
    for (int d = 0; d < o->ndim; d++)
        if (o->frame[d] == axis) return true;
    return false;
}

/* At which multiples the frame may be cut along an axis, so that all that follow are cut between elements; 0: not at
 * all. */
static int64_t unit_of(const struct heddle_raw_params *params, int axis)
{
    const int64_t extent = params->frame[axis];
    int64_t unit = 1;
    if (params->uncut >> axis & 1) return 0;
    for (int i = 0; i < params->n_arrays && unit > 0; i++) {
        const struct heddle_raw_operand *o = &params->operands[i];
        if (heddle__raw_is_empty(o)) continue;
        if (heddle__raw_is_result(o) && !follows(o, axis))
            return 0; /* launches would write the same elements */
        for (int d = 0; d < o->ndim; d++) {
            if (o->frame[d] != axis) continue;
            const int64_t own = extent / gcd(extent, o->shape[d]), common = gcd(unit, own);
            unit = own / common <= extent / unit ? unit * (own / common) : 0;
            if (unit == 0) break;
        }
    }
    return unit;
}

/* The first input that has all axes of the frame; NULL: none has. */
static const struct heddle_raw_operand *leader_of(const struct heddle_raw_params *params)
{
    for (int i = 0; i < params->n_arrays && params->n_frame > 0; i++) {
        const struct heddle_raw_operand *o = &params->operands[i];
        int n = 0;
        for (int d = 0; d < o->ndim; d++)
            n += o->frame[d] >= 0 && o->shape[d] == params->frame[o->frame[d]];
        if (o->input >= 0 && n == params->n_frame) return o;
    }
    return NULL;
}

/* Who knows what a launch computes; but if each part has the whole of an array, each element may read all of it. */
static struct heddle_demand demand_of(const struct heddle_raw_params *params)
{
    double elements = 1, whole = 0;
    for (int f = 0; f < params->n_frame; f++) elements *= (double)params->frame[f];
    for (int i = 0; i < params->n_arrays; i++) {
        const struct heddle_raw_operand *o = &params->operands[i];
        double n = o->role == HEDDLE_RAW_WHOLE;
        for (int d = 0; d < o->ndim; d++) n *= (double)o->shape[d];
        whole += n;
    }
    return (struct heddle_demand){.flops = elements * whole};
}

/* The leader's partition, with bounds where the units let them be. */
static struct heddle_grid *leader_grid(struct heddle_planner *p, int32_t at,
                                       const struct heddle_raw_params *params,
                                       const struct heddle_raw_operand *o, const int64_t units[])
{
    const struct heddle_demand demand = demand_of(params);
    const struct heddle_map *map;
    const int32_t from = heddle__whole_input(p, &p->values[at], o->input, &map);
    int64_t own[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < o->ndim; d++) own[d] = o->frame[d] < 0 ? 0 : units[o->frame[d]];
    struct heddle_grid *grid;
    if (heddle__is_uncut(p, from)) {
        grid = heddle__auto_grid_of(p, o->ndim, o->shape, &demand);
    } else {
        const int32_t array = heddle__array_of(p, from);
        grid = array < 0 ? NULL : heddle__grid_retain(p->plan->arrays[array].grid);
    }
    if (grid && grid->n_parts == 1 && !grid->asked &&
        heddle__is_worth_computing(p->policy, &demand)) {
        heddle__grid_release(grid);
        grid = heddle__auto_grid_of(p, o->ndim, o->shape, &demand);
    }
    if (!grid) return NULL;
    struct heddle_grid *rounded = heddle__grid_rounded(p, heddle__grid_retain(grid), own);
    if (rounded && grid->overlaps && !rounded->overlaps) {
        struct heddle_grid *wide = heddle__grid_overlap(rounded, grid->before, grid->after);
        heddle__grid_release(rounded);
        rounded = wide;
    }
    heddle__grid_release(grid);
    return rounded;
}

/* Whether the operand is cut as the frame is, overlap included. */
static bool is_frame(const struct heddle_raw_operand *o, int n_frame, const int64_t *frame)
{
    bool same = o->ndim == n_frame;
    for (int d = 0; d < o->ndim && same; d++) same = o->frame[d] == d && o->shape[d] == frame[d];
    return same;
}

/* A grid placed as a copy of part numbers allows, or anywhere; it takes over the reference of `cut`. */
static struct heddle_grid *placed(struct heddle_grid *cut, const struct heddle_grid *like,
                                  bool same_parts)
{
    if (!cut || !like->place || !same_parts) return cut;
    struct heddle_grid *grid = heddle__grid_place(cut, like->n_parts, like->place);
    heddle__grid_release(cut);
    return grid;
}

static struct heddle_grid *frame_of_leader(const struct heddle_raw_params *params,
                                           const struct heddle_raw_operand *o,
                                           struct heddle_grid *grid, struct heddle_raw_frame *frame)
{
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < o->ndim; d++) {
        const int f = o->frame[d];
        if (f < 0) continue;
        n[f] = grid->n[d];
        bounds[f] = grid->bound[d];
        frame->before[f] = grid->overlaps ? grid->before[d] : 0;
        frame->after[f] = grid->overlaps ? grid->after[d] : 0;
    }
    if (is_frame(o, params->n_frame, params->frame)) return heddle__grid_retain(grid);
    struct heddle_grid *made =
        placed(heddle__grid_make(params->n_frame, params->frame, n, bounds), grid, true);
    if (made) made->asked = grid->asked;
    return made;
}

/* One launch: where the first input is, if that has a place. */
static struct heddle_grid *frame_of_one(struct heddle_planner *p, int32_t at,
                                        const struct heddle_raw_params *params)
{
    struct heddle_grid *grid = heddle__grid_one(params->n_frame, params->frame);
    for (int i = 0; i < params->n_arrays && grid; i++) {
        const struct heddle_map *map;
        const struct heddle_raw_operand *o = &params->operands[i];
        if (o->input < 0) continue;
        const int32_t from = heddle__whole_input(p, &p->values[at], o->input, &map);
        if (heddle__is_uncut(p, from)) continue;
        const int32_t array = heddle__array_of(p, from);
        if (array < 0) {
            heddle__grid_release(grid);
            return NULL;
        }
        const struct heddle_grid *like = p->plan->arrays[array].grid;
        return placed(grid, like, like->n_parts == 1);
    }
    return grid;
}

bool heddle__raw_frame(struct heddle_planner *p, int32_t at, const struct heddle_raw_params *params,
                       struct heddle_raw_frame *frame)
{
    int64_t units[HEDDLE_MAX_NDIM] = {0};
    for (int f = 0; f < params->n_frame; f++) units[f] = unit_of(params, f);
    const struct heddle_raw_operand *leader = leader_of(params);
    if (params->n_frame == 0) {
        frame->grid = frame_of_one(p, at, params);
    } else if (!leader) {
        const struct heddle_demand demand = demand_of(params);
        struct heddle_grid *grid = heddle__auto_grid_of(p, params->n_frame, params->frame, &demand);
        frame->grid = grid ? heddle__grid_rounded(p, grid, units) : NULL;
    } else {
        struct heddle_grid *grid = leader_grid(p, at, params, leader, units);
        frame->grid = grid ? frame_of_leader(params, leader, grid, frame) : NULL;
        heddle__grid_release(grid);
    }
    if (params->has_halo) {
        memcpy(frame->before, params->before, sizeof frame->before);
        memcpy(frame->after, params->after, sizeof frame->after);
    }
    return frame->grid != NULL;
}

/* Whether every axis along which the frame is cut is one of the operand's, so that parts have the same numbers. */
static bool same_parts(const struct heddle_grid *frame, const struct heddle_raw_operand *o)
{
    for (int f = 0; f < frame->ndim; f++)
        if (frame->n[f] > 1 && !follows(o, f)) return false;
    return true;
}

struct heddle_grid *heddle__raw_grid(struct heddle_planner *p, const struct heddle_raw_frame *frame,
                                     const struct heddle_raw_operand *o)
{
    struct heddle_grid *const like = frame->grid;
    if (like->ndim > 0 && is_frame(o, like->ndim, like->shape)) return heddle__grid_retain(like);
    int64_t n[HEDDLE_MAX_NDIM], whole[HEDDLE_MAX_NDIM][2];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < o->ndim; d++) {
        const int f = o->frame[d];
        whole[d][0] = 0;
        whole[d][1] = o->shape[d];
        n[d] = f < 0 ? 1 : like->n[f];
        bounds[d] = n[d] == 1 ? whole[d] : like->bound[f];
        if (n[d] == 1 || o->shape[d] == like->shape[f]) continue;
        const int64_t common = gcd(like->shape[f], o->shape[d]);
        int64_t *scaled = heddle__arena_alloc(&p->scratch, (size_t)(n[d] + 1) * sizeof *scaled);
        if (!scaled) return NULL;
        for (int64_t i = 0; i <= n[d]; i++)
            scaled[i] = like->bound[f][i] / (like->shape[f] / common) * (o->shape[d] / common);
        bounds[d] = scaled;
    }
    const bool same = same_parts(like, o);
    struct heddle_grid *grid = placed(heddle__grid_make(o->ndim, o->shape, n, bounds), like, same);
    if (grid) grid->asked = like->asked && same;
    return grid;
}

int64_t heddle__raw_part(const struct heddle_raw_frame *frame, const struct heddle_raw_operand *o,
                         int64_t part)
{
    const struct heddle_grid *grid = frame->grid;
    int64_t at = 0, weight = 1;
    for (int f = grid->ndim - 1; f >= 0; f--) {
        const int64_t i = part % grid->n[f];
        part /= grid->n[f];
        if (!follows(o, f)) continue;
        at += i * weight;
        weight *= grid->n[f];
    }
    return at;
}
