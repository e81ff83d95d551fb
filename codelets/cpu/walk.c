/* Launch -> walk: which axes, in what order, in what blocks; how an operand lies along
 * it. Knows nothing of instructions. Entry points: heddle__walk_begin, _add, _pad, _shape, _span, _block, _blocks,
 * _is_contiguous, _shift, _has_shifts, _moves. */
#include "cpu/interpreter.h"

#include <string.h>

void heddle__walk_begin(struct heddle__walk *walk)
{
    walk->ndim = 0;
    walk->sideways = walk->padded = false;
    walk->near = -1;
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) walk->axis[d] = -1;
}

/* Whether launch axis d can be merged into the walk's last axis: every operand steps over the
 * whole of d when that axis moves by one. */
static bool can_merge(const struct heddle__walk *walk, const struct heddle_launch *launch,
                      uint32_t operands, int d)
{
    const int last = walk->ndim - 1, n_operands = launch->program->n_operands;
    for (int o = 0; o < n_operands; o++) {
        if (!(operands >> o & 1)) continue;
        const int64_t stride = launch->access[o].stride[d];
        if (walk->stride[o][last] != stride * launch->geometry.extent[d]) return false;
    }
    return true;
}

int heddle__walk_add(struct heddle__walk *walk, const struct heddle_launch *launch,
                     uint32_t operands, int from, int to)
{
    const int begin = walk->ndim, n_operands = launch->program->n_operands;
    const uint16_t index_axes = launch->program->index_axes;
    bool mergeable = false; /* the walk's last axis */
    for (int d = from; d < to; d++) {
        const int64_t extent = launch->geometry.extent[d];
        if (extent == 1) continue;
        const bool free = !(index_axes >> d & 1);
        if (mergeable && free && can_merge(walk, launch, operands, d)) {
            walk->extent[walk->ndim - 1] *= extent;
        } else {
            walk->extent[walk->ndim++] = extent;
        }
        const int w = walk->ndim - 1;
        for (int o = 0; o < n_operands; o++) walk->stride[o][w] = launch->access[o].stride[d];
        walk->axis[d] = (int8_t)w;
        mergeable = free;
    }
    if (walk->ndim == begin) {
        walk->extent[walk->ndim] = 1;
        for (int o = 0; o < n_operands; o++) walk->stride[o][walk->ndim] = 0;
        walk->ndim++;
    }
    return walk->ndim - begin;
}

/* ---- gaps -------------------------------------------------------------------------------------- */

/* Whether the operand goes through a larger array in order: its own elements are most of those that it passes. */
static bool has_gaps(const struct heddle__walk *walk, int operand)
{
    const int64_t *stride = walk->stride[operand];
    double own = 1;
    int64_t passed = 1; /* up to the next index of the axis before */
    bool gaps = false;
    for (int d = walk->ndim - 1; d >= 0; d--) {
        if (stride[d] < passed || (d == walk->ndim - 1 && stride[d] != 1)) return false;
        gaps |= stride[d] > passed;
        passed = stride[d] * walk->extent[d];
        own *= (double)walk->extent[d];
        if (own >= HEDDLE_BLOCK) break; /* blocks are no larger */
        if (d > 0 && walk->stride[operand][d - 1] > passed + passed / 4) return false;
    }
    return gaps;
}

bool heddle__walk_pad(struct heddle__walk *walk, int n_operands)
{
    int most = 0, best = -1;
    for (int o = 0; o < n_operands; o++) {
        if (!has_gaps(walk, o)) continue;
        int alike = 0;
        for (int k = o; k < n_operands; k++)
            alike +=
                !memcmp(walk->stride[o], walk->stride[k], (size_t)walk->ndim * sizeof(int64_t));
        if (alike > most) {
            most = alike;
            best = o;
        }
    }
    if (best < 0) return false;
    memcpy(walk->pad, walk->stride[best], (size_t)walk->ndim * sizeof *walk->pad);
    walk->padded = true;
    return true;
}

int64_t heddle__walk_span(const struct heddle__walk *walk, int64_t rows)
{
    if (!walk->padded) return rows * walk->inner;
    int64_t span = 1 + (rows - 1) * walk->pad[walk->first];
    for (int d = walk->first + 1; d < walk->ndim; d++) span += (walk->extent[d] - 1) * walk->pad[d];
    return span;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

void heddle__walk_shape(struct heddle__walk *walk, int lowest, int64_t target)
{
    int first = walk->ndim - 1;
    const int64_t enough = target > HEDDLE_BLOCK ? target / 4 : SHORT_BLOCK;
    int64_t inner = 1;
    while (first > lowest && inner * walk->extent[first] < enough) {
        const int64_t next = walk->padded ? walk->pad[first - 1] : inner * walk->extent[first];
        if (next >= target) break;
        inner = next;
        first--;
    }
    int64_t most = target / inner;
    if (most < 1) most = 1;
    const int64_t extent = walk->extent[first];
    int64_t cut = extent;
    if (extent > most) { /* equal parts rather than a full one and a remainder */
        const int64_t parts = (extent + most - 1) / most;
        cut = (extent + parts - 1) / parts;
        if (inner == 1 && most >= 16) cut = (cut + 15) / 16 * 16;
        if (cut > most) cut = most;
    }
    walk->first = first;
    walk->inner = inner;
    walk->cut = cut;
}

int64_t heddle__walk_blocks(const struct heddle__walk *walk, int from)
{
    int64_t n = (walk->extent[walk->first] + walk->cut - 1) / walk->cut;
    for (int d = from; d < walk->first; d++) n *= walk->extent[d];
    return n;
}

/* Sets idx of the axes from..first-1 to number `outer` of theirs, row-major, but along `near` last, strip by strip. */
static void sideways(const struct heddle__walk *walk, int from, int64_t outer, int64_t *idx)
{
    int64_t within = walk->extent[walk->near]; /* numbers while the axes before `near` stay */
    for (int d = walk->near + 1; d < walk->first; d++) within *= walk->extent[d];
    const int64_t between = within / walk->extent[walk->near], whole = walk->strip * between;
    int64_t before = outer / within, rest = outer - before * within;
    const int64_t strip = rest / whole, start = strip * walk->strip;
    const int64_t left = walk->extent[walk->near] - start,
                  rows = left < walk->strip ? left : walk->strip;
    rest -= strip * whole;
    int64_t other = rest / rows;
    idx[walk->near] = start + rest - other * rows;
    for (int d = walk->first - 1; d > walk->near; d--) {
        idx[d] = other % walk->extent[d];
        other /= walk->extent[d];
    }
    for (int d = walk->near - 1; d >= from; d--) {
        idx[d] = before % walk->extent[d];
        before /= walk->extent[d];
    }
}

int64_t heddle__walk_block(const struct heddle__walk *walk, int from, int64_t number, int64_t *idx)
{
    const int first = walk->first;
    const int64_t extent = walk->extent[first];
    int64_t part = number;
    if (first > from && walk->sideways) {
        const int64_t parts = (extent + walk->cut - 1) / walk->cut;
        const int64_t n_outer = heddle__walk_blocks(walk, from) / parts;
        part = number / n_outer;
        sideways(walk, from, number - part * n_outer, idx);
    } else if (first > from) {
        const int64_t parts = (extent + walk->cut - 1) / walk->cut;
        int64_t outer = number / parts;
        part = number - outer * parts;
        for (int d = first - 1; d > from; d--) {
            idx[d] = outer % walk->extent[d];
            outer /= walk->extent[d];
        }
        idx[from] = outer;
    }
    for (int d = first; d < walk->ndim; d++) idx[d] = 0;
    idx[first] = part * walk->cut;
    return extent - idx[first] < walk->cut ? extent - idx[first] : walk->cut;
}

/* ---- operands ---------------------------------------------------------------------------------- */

bool heddle__walk_is_contiguous(const struct heddle__walk *walk, int operand)
{
    int64_t next = 1;
    for (int d = walk->ndim - 1; d >= walk->first; d--) {
        if (walk->padded) next = walk->pad[d];
        if (walk->extent[d] > 1 && walk->stride[operand][d] != next) return false;
        next *= walk->extent[d];
    }
    return true;
}

bool heddle__walk_moves(const struct heddle__walk *walk, int operand, int from, int to)
{
    for (int d = from; d < to; d++)
        if (walk->extent[d] > 1 && walk->stride[operand][d] != 0) return true;
    return false;
}

bool heddle__walk_shift(const struct heddle__walk *walk, const struct heddle_launch *launch, int o,
                        int p, int8_t *down, int8_t *along)
{
    const struct heddle_program *program = launch->program;
    const int last = walk->ndim - 1;
    if (last < 1 || launch->buffer[o] != launch->buffer[p] ||
        program->operand_dtype[o] != program->operand_dtype[p])
        return false;
    for (int d = 0; d <= last; d++)
        if (walk->stride[o][d] != walk->stride[p][d]) return false;
    const int64_t pitch = walk->stride[o][last - 1],
                  by = launch->access[p].offset - launch->access[o].offset;
    if (walk->stride[o][last] == 0 ||
        (pitch < 4 * HEDDLE_MOST_ALONG && pitch > -4 * HEDDLE_MOST_ALONG))
        return false;
    const int64_t half = (pitch < 0 ? -pitch : pitch) / 2;
    const int64_t rows = (by < 0 ? by - half : by + half) / pitch, rest = by - rows * pitch;
    if (rows < -HEDDLE_MOST_DOWN || rows > HEDDLE_MOST_DOWN || rest < -HEDDLE_MOST_ALONG ||
        rest > HEDDLE_MOST_ALONG)
        return false;
    *down = (int8_t)rows;
    *along = (int8_t)rest;
    return true;
}

bool heddle__walk_has_shifts(const struct heddle__walk *walk, const struct heddle_launch *launch)
{
    const struct heddle_program *program = launch->program;
    uint32_t stored = 0;
    int8_t down, along;
    for (int s = 0; s < program->n_stores; s++) stored |= UINT32_C(1) << program->stores[s].operand;
    for (int o = 0; o < program->n_operands; o++)
        for (int p = 0; p < o; p++)
            if (!((stored >> o | stored >> p) & 1) &&
                heddle__walk_shift(walk, launch, o, p, &down, &along) && down != 0)
                return true;
    return false;
}
