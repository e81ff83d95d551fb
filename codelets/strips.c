/* The choice of strips: pure, over axes as they are before any are merged. Entry points: strips.h. */
#include "strips.h"

#include "reduce_tree.h"

enum {
    LANES_OF_THREAD = 4,
    SECTOR_BYTES = 32,     /* that memory gives at once */
    LEAST_BYTES = 16,      /* of a strip: half a sector, for wide accumulators */
    LEAST_LENGTH = 4,      /* or so many elements */
    LEAST_EXTENT = 16,     /* of the axis across: below, most of a strip would be empty */
    LEAST_CHUNK = 256,     /* UNITS: elements, so that a block's threads have some each */
    MANY_BLOCKS = 128,     /* UNITS: that keep a GPU busy; fewer must be short, ... */
    SHORT_BLOCK = 1 << 15, /* ... of so many elements */
    SUMS = 64,       /* registers for accumulators, or for elements that wait for their turn */
    LOADS = 96,      /* registers for what is under way */
    MOST_FLOPS = 40, /* of an element: above, arithmetic takes the time, and the registers */
};

int heddle__strips_passes(int columns)
{
    return columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
}

static bool is_loaded(const struct heddle_program *p, int k)
{
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD && p->instrs[i].a == k) return true;
    return false;
}

static int size_of(const struct heddle_program *p, int k)
{
    return (int)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
}

/* The innermost reduced axis longer than 1; -1: there is none. */
static int inner_axis(const struct heddle_geometry *g)
{
    for (int d = g->ndim - 1; d >= g->n_kept; d--)
        if (g->extent[d] > 1) return d;
    return -1;
}

static bool lies_along(const struct heddle_launch *l, int k, int axis, int inner)
{
    const int64_t *const stride = l->access[k].stride;
    return axis != inner && stride[axis] == 1 && l->geometry.extent[axis] >= LEAST_EXTENT &&
           (stride[inner] > 1 || stride[inner] < -1);
}

/* The axis that most bytes lie along, of operands that lie across; *widest: the size of their elements. -1: none does. */
static int axis_across(const struct heddle_launch *l, int inner, int *widest)
{
    int best = -1, most = 0;
    for (int d = 0; d < l->geometry.ndim; d++) {
        int bytes = 0, wide = 0;
        for (int k = 0; k < l->program->n_operands; k++) {
            if (!is_loaded(l->program, k) || !lies_along(l, k, d, inner)) continue;
            const int size = size_of(l->program, k);
            bytes += size;
            if (size > wide) wide = size;
        }
        if (bytes <= most) continue;
        most = bytes;
        best = d;
        *widest = wide;
    }
    return best;
}

static int words(size_t bytes)
{
    return (int)((bytes + 3) / 4);
}

static bool is_cheap(const struct heddle_program *p)
{
    float flops = 0;
    for (int i = 0; i < p->n_before; i++)
        flops += p->instrs[i].code < HEDDLE_N_OPS ? heddle__ops[p->instrs[i].code].flops : 1;
    return flops <= MOST_FLOPS;
}

/* As long as a sector of the widest operand across, if the registers suffice for what `s->columns` asks. */
static void choose_length(const struct heddle_launch *l, int widest, struct heddle_strips *s)
{
    const struct heddle_program *p = l->program;
    int sums = 0, loads = 0;
    for (int r = 0; r < p->n_reductions; r++)
        sums += words(heddle__partial_size(&p->reductions[r]));
    for (int k = 0; k < p->n_operands; k++)
        if (is_loaded(p, k)) loads += words((size_t)size_of(p, k));
    const int held = s->kind == HEDDLE_STRIPS_ROWS ? s->columns / heddle__strips_passes(s->columns)
                                                   : LANES_OF_THREAD;
    s->length = SECTOR_BYTES / widest < 16 ? SECTOR_BYTES / widest : 16;
    while (s->length > 1 &&
           (s->length * held * sums > SUMS || s->length * LANES_OF_THREAD * loads > LOADS))
        s->length /= 2;
}

/* Rows of a chunk begin at the same thread: so a thread has all elements of its columns, whatever their lanes are. */
static bool choose_rows(const struct heddle_launch *l, int widest, struct heddle_strips *s)
{
    enum { THREADS = 256, MOST_COLUMNS = 255 };
    const struct heddle_geometry *g = &l->geometry;
    int64_t row = 1;
    for (int d = s->axis + 1; d < g->ndim; d++) row *= g->extent[d];
    if (row % THREADS != 0 || row / THREADS > MOST_COLUMNS) return false;
    s->kind = HEDDLE_STRIPS_ROWS;
    s->columns = (int)(row / THREADS);
    choose_length(l, widest, s);
    const int64_t rows = s->axis == g->split_axis ? g->split_rows : g->extent[s->axis];
    while (s->length > 1 && rows % s->length != 0) s->length /= 2;
    return s->length * s->columns % LANES_OF_THREAD == 0;
}

static bool choose_units(const struct heddle_launch *l, int widest, struct heddle_strips *s)
{
    const struct heddle_geometry *g = &l->geometry;
    const int64_t chunk = heddle__chunk_size(g);
    s->kind = HEDDLE_STRIPS_UNITS;
    choose_length(l, widest, s);
    while (s->length > 1 && chunk * s->length > SHORT_BLOCK &&
           heddle__kept_size(g) * g->n_chunks < (int64_t)MANY_BLOCKS * s->length)
        s->length /= 2;
    return chunk >= LEAST_CHUNK;
}

struct heddle_strips heddle__strips_of(const struct heddle_launch *l)
{
    const struct heddle_geometry *g = &l->geometry;
    const struct heddle_program *p = l->program;
    const struct heddle_strips none = {.axis = -1};
    struct heddle_strips s = none;
    const int inner = inner_axis(g);
    int widest = 1;
    if (p->n_reductions == 0 || p->sequential || g->phase == HEDDLE_PHASE_COMBINE || inner < 0 ||
        !is_cheap(p))
        return none;
    s.axis = axis_across(l, inner, &widest);
    if (s.axis < 0) return none;
    const bool apart = s.axis < g->split_axis || (s.axis == g->split_axis && g->split_rows == 1);
    if (!(apart ? choose_units(l, widest, &s) : choose_rows(l, widest, &s))) return none;
    return s.length >= LEAST_LENGTH || s.length * widest >= LEAST_BYTES ? s : none;
}

bool heddle__strips_read(const struct heddle_strips *s, const struct heddle_launch *l, int k)
{
    return s->kind != HEDDLE_STRIPS_NONE && l->access[k].stride[s->axis] == 1;
}
