/* Panels: a load that jumps along the blocks, and whose elements lie side by side along an axis before, comes for
 * several blocks at once, cache lines as a whole; the blocks read it where it was put. What is brought is found
 * by where it lies, so that any order of blocks gives the same; walk.c has that which uses panels up.
 * Entry points: heddle__panels_choose, _has, _bytes, _begin, _read. */
#include "cpu/runs.h"

enum {
    PANELS_BYTES =
        65536,      /* of all, if blocks can be made so short: they stay in the second cache */
    LEAST_ROWS = 4, /* of a panel */
    LINES = 2,      /* side by side: processors fetch them in pairs */
};

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* The axis along which the operand's elements are nearest to each other, if they are far apart along the last one; or
 * -1. */
static int side_axis(const struct heddle__walk *walk, int operand, size_t size_bytes)
{
    const int64_t *stride = walk->stride[operand], line = HEDDLE_CACHE_LINE / (int64_t)size_bytes;
    int side = -1;
    int64_t least = line / 2;
    if (magnitude(stride[walk->ndim - 1]) < line) return -1;
    for (int d = 0; d < walk->ndim - 1; d++) {
        if (stride[d] == 0 || magnitude(stride[d]) > least) continue;
        least = magnitude(stride[d]);
        side = d;
    }
    return side;
}

/* ---- which -------------------------------------------------------------------------------------- */

static size_t size_of(const struct heddle_program *p, int operand)
{
    return heddle_dtype_size((enum heddle_dtype)p->operand_dtype[operand]);
}

static uint32_t loaded_by(const struct heddle_program *p, int end)
{
    uint32_t bits = 0;
    for (int i = 0; i < end; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) bits |= UINT32_C(1) << p->instrs[i].a;
    return bits;
}

void heddle__panels_choose(struct heddle__walk *walk, const struct heddle_program *p, int end,
                           uint32_t axes)
{
    const uint32_t loaded = loaded_by(p, end);
    size_t bytes[WALK_MAX_NDIM] = {0}, most = 0;
    int64_t rows[WALK_MAX_NDIM] = {0}; /* of lines as a whole */
    walk->near = -1;
    for (int o = 0; o < p->n_operands; o++) {
        if (!(loaded >> o & 1)) continue;
        const size_t size = size_of(p, o);
        const int side = side_axis(walk, o, size);
        if (side < 0 || side > walk->first || !(axes >> side & 1)) continue;
        const int64_t of_lines =
            LINES * HEDDLE_CACHE_LINE / ((int64_t)size * magnitude(walk->stride[o][side]));
        if (of_lines > rows[side]) rows[side] = of_lines;
        bytes[side] += size;
        if (bytes[side] <= most) continue;
        most = bytes[side];
        walk->near = side;
    }
    if (walk->near < 0) return;
    const int64_t extent = walk->extent[walk->near];
    walk->strip = rows[walk->near] < extent ? rows[walk->near] : extent;
    walk->columns = walk->cut;
    if (walk->near == walk->first) {
        walk->strip = (walk->strip + walk->cut - 1) / walk->cut * walk->cut;
        if (walk->strip == walk->cut) walk->near = -1; /* a block has whole lines */
        return;
    }
    if (walk->strip < LEAST_ROWS) {
        walk->near = -1;
        return;
    }
    while (walk->cut > 1 && walk->cut * walk->inner > SHORT_BLOCK / 2 &&
           (size_t)(walk->strip * heddle__walk_span(walk, walk->cut)) * most > PANELS_BYTES)
        walk->columns = walk->cut = (walk->cut + 1) / 2;
}

bool heddle__panels_has(const struct heddle__code *code, void *const buffers[], int operand)
{
    const struct heddle_launch *launch = code->launch;
    const struct heddle_program *p = launch->program;
    if (code->walk->near < 0 || code->n_panels == MAX_PANELS ||
        side_axis(code->walk, operand, code->size[operand]) != code->walk->near)
        return false;
    /* Of what is stored other threads store what only their blocks read. */
    const void *from = buffers[launch->buffer[operand]];
    for (int s = 0; s < p->n_stores; s++)
        if (buffers[launch->buffer[p->stores[s].operand]] == from) return false;
    return true;
}

/* ---- where -------------------------------------------------------------------------------------- */

/* Elements from one index of axis `near` to the next one in a panel. Rows that are a power of two apart would share
 * few sets of a cache. */
static int64_t pitch_of(const struct heddle__walk *walk, size_t size_bytes)
{
    const int64_t line = HEDDLE_CACHE_LINE / (int64_t)size_bytes;
    if (walk->near == walk->first) return walk->padded ? walk->pad[walk->first] : walk->inner;
    return heddle__walk_span(walk, walk->columns) / line * line + 2 * line;
}

static size_t bytes_of(const struct heddle__code *code, int panel)
{
    const size_t size = code->size[code->panels[panel].operand];
    return (size_t)(code->walk->strip * pitch_of(code->walk, size)) * size;
}

size_t heddle__panels_bytes(const struct heddle__code *code)
{
    size_t bytes = 0;
    for (int k = 0; k < code->n_panels; k++)
        bytes +=
            (bytes_of(code, k) + HEDDLE_CACHE_LINE - 1) / HEDDLE_CACHE_LINE * HEDDLE_CACHE_LINE;
    return bytes;
}

void heddle__panels_begin(struct heddle__lane *lane, const struct heddle__code *code, char *room)
{
    for (int k = 0; k < code->n_panels; k++) {
        lane->panel[k] = (struct heddle__panel){.room = room};
        room += (bytes_of(code, k) + HEDDLE_CACHE_LINE - 1) / HEDDLE_CACHE_LINE * HEDDLE_CACHE_LINE;
    }
}

/* ---- reading ------------------------------------------------------------------------------------ */

static void fill(const struct heddle__lane *lane, const struct heddle__code *code, int operand,
                 const struct heddle__panel *panel, int64_t pitch)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t *stride = walk->stride[operand], n = panel->to - panel->from;
    const int log2_size = heddle__log2_size(code->size[operand]);
    int64_t offset = panel->rest + panel->from * stride[walk->near];
    struct heddle__runs runs;
    if (walk->near == walk->first) {
        heddle__runs_find(&runs, walk, stride, n);
    } else {
        heddle__runs_find(&runs, walk, stride, panel->column_to - panel->column);
        offset += panel->column * stride[walk->first];
        runs.extent[runs.n_axes] = n;
        runs.step[runs.n_axes] = stride[walk->near];
        runs.pad[runs.n_axes++] = pitch;
        runs.n_runs *= n;
    }
    heddle__runs_gather(&runs, &code->blocks->moves, log2_size, panel->room,
                        lane->base[operand] + offset * (INT64_C(1) << log2_size));
}

void heddle__panels_read(struct heddle__lane *lane, const struct heddle__code *code,
                         const int64_t *idx, int64_t rows)
{
    const struct heddle__walk *walk = code->walk;
    const int near = walk->near, first = walk->first;
    const int64_t row = idx[near], n = near == first ? rows : 1;
    const int64_t column = near == first ? 0 : idx[first], m = near == first ? 0 : rows;
    for (int k = 0; k < code->n_panels; k++) {
        const int o = code->panels[k].operand;
        const int64_t *stride = walk->stride[o], size = code->size[o],
                      pitch = pitch_of(walk, (size_t)size);
        struct heddle__panel *panel = &lane->panel[k];
        int64_t rest = 0;
        for (int d = 0; d < first; d++)
            if (d != near) rest += idx[d] * stride[d];
        if (rest != panel->rest || row < panel->from || row + n > panel->to ||
            column < panel->column || column + m > panel->column_to) {
            panel->rest = rest;
            panel->from = row;
            panel->to = row + walk->strip;
            if (panel->to > walk->extent[near]) panel->to = walk->extent[near];
            panel->column = column / walk->columns * walk->columns;
            panel->column_to = panel->column + walk->columns;
            if (panel->column_to > walk->extent[first]) panel->column_to = walk->extent[first];
            fill(lane, code, o, panel, pitch);
        }
        const int64_t inner = walk->padded ? walk->pad[first] : walk->inner;
        lane->ptr[code->panels[k].ptr] =
            panel->room + ((row - panel->from) * pitch + (column - panel->column) * inner) * size;
    }
}
