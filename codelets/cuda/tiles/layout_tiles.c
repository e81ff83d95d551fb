/* Which maps are walked by tiles, and how large the tiles are. Entry points: heddle__tiles_order,
 * heddle__tiles_choose, heddle__tiles_grid. */
#include "cuda/tiles/tiles.h"

enum {
    LEAST_EXTENT = 8, /* of both axes: below, most of a tile would be empty */
    LEAST_LONG = 16,  /* of a tile's longer side */
    NARROW = 32,      /* extent: up to it tiles are that narrow, and long along the other axis */
    SHARED_BYTES = 48 << 10, /* that any kernel may have */
    MOST_IN_FLIGHT = 192,    /* bytes that a thread loads before it needs the first: registers */
    MOST_WORK = 1000,        /* additions of a thread, all unrolled */
    LONG_ROW = 256,          /* bytes: longer rows of a tile are not read faster */
    BAND = 2, /* rows of tiles: neighbours, which share lines of the cache, are close in time */
    MOST_ELEMENTS_LOG = 35, /* so that tiles are numbered in an int */
};

static int64_t size_of(const struct heddle_program *p, int operand)
{
    return (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[operand]);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Bytes of operands that lie along `axis`, and not along `other`. */
static int64_t bytes_along(const struct heddle_program *p, const struct heddle_cuda_layout *l,
                           int axis, int other)
{
    int64_t bytes = 0;
    for (int k = 0; k < p->n_operands; k++)
        if (l->stride[k][axis] == 1 && l->stride[k][other] != 1 && l->stride[k][other] != 0)
            bytes += size_of(p, k);
    return bytes;
}

/* Moves axis `from` to `to`, those between by one. */
static void move_axis(const struct heddle_program *p, struct heddle_cuda_layout *l, int from,
                      int to)
{
    const int step = from < to ? 1 : -1;
    for (int a = from; a != to; a += step) {
        const int b = a + step;
        const int64_t extent = l->extent[a];
        l->extent[a] = l->extent[b];
        l->extent[b] = extent;
        for (int k = 0; k < p->n_operands; k++) {
            const int64_t stride = l->stride[k][a];
            l->stride[k][a] = l->stride[k][b];
            l->stride[k][b] = stride;
        }
        for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
            if (l->class.axis[d] == a)
                l->class.axis[d] = (int8_t)b;
            else if (l->class.axis[d] == b)
                l->class.axis[d] = (int8_t)a;
    }
}

int heddle__tiles_order(const struct heddle_program *p, struct heddle_cuda_layout *l)
{
    const int inner = l->class.n_kept - 1;
    int64_t most = 0;
    int across = -1;
    if (inner < 1 || l->extent[inner] < LEAST_EXTENT || l->kept >> MOST_ELEMENTS_LOG) return 0;
    for (int d = 0; d < inner; d++) {
        const int64_t bytes = l->extent[d] >= LEAST_EXTENT ? bytes_along(p, l, d, inner) : 0;
        if (bytes <= most) continue;
        most = bytes;
        across = d;
    }
    if (across < 0) return 0;
    move_axis(p, l, across, inner - 1);
    const int64_t along = bytes_along(p, l, inner, inner - 1);
    if (most > along) move_axis(p, l, inner - 1, inner);
    return along > 0;
}

/* ---- size ------------------------------------------------------------------------------------ */

static uint8_t walk_of(const struct heddle_cuda_layout *l, int operand)
{
    const int inner = l->class.n_kept - 1;
    const int64_t *s = l->stride[operand];
    int still = 1;
    for (int d = 0; d <= inner; d++) still &= s[d] == 0;
    return still               ? HEDDLE_WALK_STILL
           : s[inner] == 1     ? HEDDLE_WALK_UNIT
           : s[inner] == 0     ? HEDDLE_WALK_REPEAT
           : s[inner - 1] == 1 ? HEDDLE_WALK_ACROSS
                               : HEDDLE_WALK_GENERAL;
}

/* As hd_tile's, at most: bytes of what is turned over. */
static int64_t shared_bytes(const struct heddle_program *p, const uint8_t walk[], int64_t rows,
                            int64_t columns, int64_t vector)
{
    int64_t bytes = 0;
    for (int k = 0; k < p->n_operands; k++) {
        const int64_t size = size_of(p, k), pitch = rows * size + (size < 4 ? 4 : size);
        const int64_t skew = 128 * vector / columns > 16 ? 128 * vector / columns : 16;
        if (walk[k] == HEDDLE_WALK_ACROSS) bytes += columns * pitch + columns / vector * skew + 16;
    }
    return bytes;
}

/* The power of two from 8 to NARROW that `extent` fits in. */
static int narrow_side(int64_t extent)
{
    int side = LEAST_EXTENT;
    while (side < extent) side *= 2;
    return side;
}

int heddle__tiles_choose(const struct heddle_launch *launch, void *const buffers[], double weight,
                         int vector, struct heddle_cuda_layout *l)
{
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int inner = c->n_kept - 1;
    const struct heddle_cuda_class before = *c;
    int64_t widest = 1, loaded = 0;
    for (int k = 0; k < p->n_operands; k++) {
        c->walk[k] = walk_of(l, k);
        if (c->walk[k] == HEDDLE_WALK_GENERAL) vector = 1;
        if (size_of(p, k) > widest) widest = size_of(p, k);
        if (l->used_before[k] && c->walk[k] != HEDDLE_WALK_STILL) loaded += size_of(p, k);
    }
    c->form = HEDDLE_FORM_TILES;
    while (vector > 1 && !heddle__cuda_is_aligned(launch, buffers, l, vector)) vector /= 2;
    const int64_t width = l->extent[inner], height = l->extent[inner - 1];
    const int64_t narrow = width < height ? width : height, wide = width < height ? height : width;
    const int side = narrow <= NARROW ? narrow_side(narrow) : 0; /* of both; 0: squares */
    for (int longer = side > 0 ? 128 : 64; longer >= LEAST_LONG; longer /= 2) {
        const int other = side > 0 ? side : longer, elements = longer * other / 256;
        int v = vector < elements ? vector : elements;
        if (v > other) v = other;
        if (longer > LEAST_LONG &&
            (weight * elements > MOST_WORK || loaded * elements > MOST_IN_FLIGHT))
            continue;
        if (longer > LEAST_LONG && (side == 0 ? narrow : wide) <= longer / 2) continue;
        if (side == 0 && longer > 32 && longer * widest > LONG_ROW) continue;
        c->side = (uint8_t)(width < height ? longer : other);
        c->columns = (uint8_t)(width < height ? other : longer);
        if (elements == 0 || shared_bytes(p, c->walk, c->side, c->columns, v) > SHARED_BYTES)
            continue;
        c->vector = (uint8_t)v;
        c->unroll = (uint8_t)(elements / v);
        return 1;
    }
    *c = before;
    return 0;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

struct heddle_tiles_grid heddle__tiles_grid(const struct heddle_cuda_layout *l)
{
    const int inner = l->class.n_kept - 1;
    const int64_t width = l->extent[inner], height = l->extent[inner - 1];
    const int64_t rows = divide_up(height, l->class.side);
    struct heddle_tiles_grid g = {.columns = divide_up(width, l->class.columns),
                                  .bands = divide_up(rows, BAND)};
    g.band = divide_up(rows, g.bands);
    g.tiles = l->kept / (width * height) * g.bands * g.columns * g.band;
    return g;
}
