/* How reductions look to CUDA kernels: their chunks, who reduces one, how many elements a thread takes at once. Entry points:
 * reductions.h. */
#include "cuda/reductions/reductions.h"

#include "cuda/reductions/gathered.h"
#include "cuda/reductions/runs.h"
#include "reduce_tree.h"
#include "strips.h"

#include <string.h>

static void choose_tree(int64_t n, int sequential, uint8_t *form, uint8_t *lanes)
{
    *lanes = n <= 32 ? 1 : n <= 64 ? 2 : n <= 128 ? 4 : n <= 256 ? 8 : n <= 512 ? 16 : 32;
    *form = sequential || n <= HEDDLE_TREE_SHORT ? HEDDLE_FORM_THREAD
            : n <= HEDDLE_TREE_LANES             ? HEDDLE_FORM_WARP
                                                 : HEDDLE_FORM_BLOCK;
}

/* Strips of operands that lie across, if there are some (strips.h). */
static void choose_strips(const struct heddle_launch *launch, void *const buffers[],
                          struct heddle_cuda_layout *l)
{
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_strips s = heddle__strips_of(launch);
    struct heddle_cuda_class *c = &l->class;
    if (s.kind == HEDDLE_STRIPS_NONE) return;
    c->form = HEDDLE_FORM_BLOCK;
    c->side = c->vector = (uint8_t)s.length;
    c->columns = (uint8_t)s.columns;
    c->across = (uint8_t)l->merged[s.axis];
    c->unroll = 1;
    c->lanes = c->light = c->even = 0;
    for (int k = 0; k < launch->program->n_operands; k++) {
        if (!l->used_before[k]) continue;
        const int64_t stride = l->stride[k][c->across];
        c->alike[k] = stride == 0;
        if (stride != 0 && c->walk[k] == HEDDLE_WALK_STILL) c->walk[k] = HEDDLE_WALK_REPEAT;
        if (!heddle__strips_read(&s, launch, k)) continue;
        c->walk[k] = HEDDLE_WALK_ACROSS;
        if (!heddle__cuda_is_run(launch, buffers, l, k, c->across, s.length)) c->vector = 1;
    }
    const int is_kept = s.axis < g->n_kept, end = is_kept ? g->n_kept : g->split_axis;
    l->beside = is_kept ? l->n_chunks : s.axis < end ? l->group_chunks : 1;
    for (int d = s.axis + 1; d < end; d++) l->beside *= g->extent[d];
}

/* Whether there is arithmetic on 8-byte numbers that takes longer than any loads. */
static int is_costly_double(const struct heddle_program *p)
{
    enum { COSTLY = 4 };
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code < HEDDLE_N_OPS && heddle__ops[in->code].flops >= COSTLY &&
            heddle_dtype_size((enum heddle_dtype)in->dtype) >= 8)
            return 1;
    }
    return 0;
}

/* Of a thread's registers: places are 32 bits. */
static size_t accumulator_size(const struct heddle_reduce_instr *r)
{
    const size_t size = heddle_dtype_size((enum heddle_dtype)r->dtype);
    return heddle__is_arg(r) ? (size < 4 ? 4 : size) + 4 : size;
}

/* Lets a block reduce several kept elements at once, if what it loads for one it loads for its neighbours, too, if loads are what
 * takes time, and if blocks remain for all processors. */
static void choose_together(const struct heddle_launch *launch, struct heddle_cuda_layout *l)
{
    enum { TOGETHER = 4, LEAST_BLOCKS = 1024, MOST_STILL_BYTES = 64 };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int last = c->n_kept - 1;
    int still_bytes = 0, shares = 0;
    if (last < 0 || l->extent[last] < TOGETHER || l->kept / TOGETHER < LEAST_BLOCKS) return;
    for (int r = 0; r < p->n_reductions; r++)
        if (accumulator_size(&p->reductions[r]) > 8 || p->n_reductions > 2) return;
    for (int k = 0; k < p->n_operands; k++) {
        if (!l->used_before[k]) continue;
        const int alike = l->stride[k][last] == 0, still = c->walk[k] == HEDDLE_WALK_STILL;
        if (!alike && !still) return;
        shares |= alike && !still;
        if (!alike) still_bytes += (int)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    }
    if (!shares || still_bytes > MOST_STILL_BYTES || is_costly_double(p)) return;
    c->together = TOGETHER;
    c->light = 0;
    for (int k = 0; k < p->n_operands; k++)
        c->alike[k] = l->used_before[k] && l->stride[k][last] == 0;
}

/* Whether each operand that moves along the reduced axes moves with the rows or the columns of a tile of pairs, not with both, so
 * that it is loaded fewer times than there are elements. Fills alike[]; bytes of such operands in shared memory, for a lane, to *bytes. */
static int are_pairs(const struct heddle_launch *launch, const struct heddle_cuda_layout *l,
                     int has_rows, int rows, int columns, uint8_t alike[], int64_t *bytes)
{
    const struct heddle_program *p = launch->program;
    const int last = l->class.n_kept - 1;
    int n_moving = 0;
    *bytes = 0;
    if (last < has_rows) return 0;
    for (int k = 0; k < p->n_operands; k++) {
        if (!l->used_before[k]) continue;
        const int by_row = has_rows && l->stride[k][last - 1] != 0,
                  by_column = l->stride[k][last] != 0;
        alike[k] =
            (uint8_t)((by_row ? 0 : HEDDLE_ALIKE_ROWS) | (by_column ? 0 : HEDDLE_ALIKE_COLUMNS));
        if (l->class.walk[k] == HEDDLE_WALK_STILL) continue;
        if (by_column && (by_row || !has_rows)) return 0;
        n_moving++;
        *bytes += (by_row      ? rows + 4
                   : by_column ? columns + 4
                               : 1) *
                  (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    }
    return n_moving > 0;
}

/* The registers that a thread's partial results of one half take, for an element. */
static int words_of(const struct heddle_program *p, int near)
{
    int words = 0;
    for (int r = 0; r < p->n_reductions; r++) {
        const size_t size = heddle_dtype_size((enum heddle_dtype)p->reductions[r].dtype);
        words += size < 4 ? 1 : (int)size / 4;
        if (heddle__is_arg(&p->reductions[r])) words += near ? 1 : 2;
    }
    return words;
}

/* How many threads of a block have columns beside each other, of tiles of which each thread has so many rows and columns: square tiles, but
 * where there are few columns, or few rows, that fill another tile. */
static int pairs_across(const struct heddle_cuda_layout *l, int has_rows, int rows, int columns)
{
    enum { THREADS = 256, SQUARE = 16, FEW = 4 };
    const int last = l->class.n_kept - 1;
    if (!has_rows) return THREADS;
    if (last < 1) return SQUARE;
    const int64_t width = l->extent[last], height = l->extent[last - 1];
    int across = SQUARE;
    while (across > 1 && width <= columns * across / 2) across /= 2;
    if (width >= FEW && across < SQUARE && 4 * width >= 3 * columns * across) return across;
    across = SQUARE;
    while (across < THREADS && height <= rows * (THREADS / across) / 2) across *= 2;
    return height >= FEW && 4 * height >= 3 * rows * (THREADS / across) ? across : SQUARE;
}

/* Of tiles of so many results each that many processors share: results times processors that the busiest one's tiles are, if all had as many. */
static int64_t paced(int64_t kept, int64_t tile)
{
    enum { PROCESSORS = 132 }; /* of an H200 */
    const int64_t tiles = (kept + tile - 1) / tile;
    return (tiles + PROCESSORS - 1) / PROCESSORS * PROCESSORS * tile;
}

/* Whether tiles half as large leave so much less to wait for that it pays to load twice as often. */
static int are_halves_sooner(int64_t kept, int64_t tile)
{
    return 6 * paced(kept, tile) > 7 * paced(kept, tile / 2);
}

/* Lets a block reduce a tile of pairs (source_pairs.c), if there are tiles for all processors. Smaller tiles where registers are few:
 * a thread keeps partial results of all halves, or one where it goes from left to right. */
static void choose_pairs(const struct heddle_launch *launch, struct heddle_cuda_layout *l,
                         int64_t n, double weight)
{
    enum {
        LEAST_KEPT = 1 << 16,
        MANY_KEPT = 1 << 19,
        MOST_WORDS = 4,
        MOST_WEIGHT = 2000, /* of what is in the text several times */
        SHARED_BYTES = 44 << 10,
        MOST_LANES = 64,
        LEAST_LANES = 8
    };
    struct heddle_cuda_class *c = &l->class;
    uint8_t alike[HEDDLE_MAX_OPERANDS] = {0};
    const int words = words_of(launch->program, c->near),
              in_order = heddle__pairs_in_order(launch->program, n);
    if (n < 2 || n > HEDDLE_TREE_LANES || l->kept < LEAST_KEPT) return;
    for (int has_rows = 1; has_rows >= 0; has_rows--) {
        const int large = words <= (in_order ? 2 : 1) && l->kept >= MANY_KEPT;
        int rows = has_rows ? (large ? 4 : 2) : 1, columns = has_rows ? 2 : large ? 4 : 2;
        while (rows * columns > (has_rows ? 2 : 1) &&
               are_halves_sooner(l->kept, 256 * rows * columns)) {
            if (has_rows)
                rows /= 2;
            else
                columns /= 2;
        }
        const int across = pairs_across(l, has_rows, rows, columns),
                  tile_rows = rows * (256 / across), tile_columns = columns * across;
        int64_t bytes, all = 1;
        if (words > MOST_WORDS || (in_order ? 4 : 8) * rows * columns * weight > MOST_WEIGHT ||
            !are_pairs(launch, l, has_rows, tile_rows, tile_columns, alike, &bytes))
            continue;
        while (all < n) all *= 2;
        int64_t lanes = all < MOST_LANES ? all : MOST_LANES;
        const int64_t least = n <= HEDDLE_TREE_SHORT ? all : LEAST_LANES;
        while (lanes >= least && lanes * bytes > SHARED_BYTES) lanes /= 2;
        if (lanes < least || l->extent[c->n_kept - 1] < tile_columns / 2 ||
            (has_rows && l->extent[c->n_kept - 2] < tile_rows / 2))
            continue;
        c->form = HEDDLE_FORM_PAIRS;
        c->lanes = (uint8_t)lanes;
        c->unroll = (uint8_t)(all / lanes);
        c->together = (uint8_t)columns;
        c->together_rows = (uint8_t)rows;
        c->across = (uint16_t)across;
        c->light = c->even = 0;
        c->vector = 1;
        memcpy(c->alike, alike, sizeof alike);
        return;
    }
}

int heddle__reductions_take_runs(const struct heddle_launch *launch, void *const buffers[],
                                 const struct heddle_cuda_layout *l, int length)
{
    const struct heddle_cuda_class *c = &l->class;
    const int last = c->n_kept + c->n_reduced - 1;
    int any = 0;
    if (length == 1 || c->n_reduced == 0 || (c->n_reduced > 1 && l->extent[last] % length != 0) ||
        (l->n_chunks > 1 && l->chunk % length != 0) ||
        (l->n_chunks > l->group_chunks && l->group % length != 0))
        return 0;
    for (int k = 0; k < launch->program->n_operands; k++) {
        if (!l->used_before[k] || c->walk[k] != HEDDLE_WALK_UNIT) continue;
        if (!heddle__cuda_is_run(launch, buffers, l, k, last, length)) return 0;
        any = 1;
    }
    return any;
}

/* Whether operand k's rows of all columns lie one after the other. */
static int has_rows(const struct heddle_cuda_layout *l, int k)
{
    const int last = l->class.n_kept - 1;
    return l->used_before[k] && l->stride[k][last] == 1 &&
           l->stride[k][last + 1] == l->extent[last];
}

/* Whether each of these rows' first elements, of chunks and along outer axes, is where `length` can be loaded at once. */
static int is_aligned(const struct heddle_launch *launch, void *const buffers[],
                      const struct heddle_cuda_layout *l, int k, int length)
{
    const int last = l->class.n_kept - 1;
    const int64_t size =
        (int64_t)heddle_dtype_size((enum heddle_dtype)launch->program->operand_dtype[k]);
    const int64_t base = buffers ? (int64_t)((uintptr_t)buffers[launch->buffer[k]] & 15) : 0;
    if (length * size > 16 || (base + launch->access[k].offset * size) % (length * size) != 0 ||
        (l->n_chunks > 1 && l->chunk * l->extent[last] % length != 0) ||
        (l->n_chunks > l->group_chunks && l->group * l->extent[last] % length != 0))
        return 0;
    for (int d = 0; d < last; d++)
        if (l->stride[k][d] % length != 0) return 0;
    return 1;
}

/* Lets a block bring rows of few columns to its threads, each of which has one of them: in memory the elements of a warp are far from
 * each other. There are chunks for many blocks; else the data are in a cache. */
static void choose_staged(const struct heddle_launch *launch, void *const buffers[],
                          struct heddle_cuda_layout *l, int64_t n)
{
    enum { NARROW_BYTES = 64, LEAST_ROWS = 32, LEAST_BLOCKS = 32, THREAD_BYTES = 64 };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int last = c->n_kept - 1;
    if (c->form != HEDDLE_FORM_THREAD || p->n_checked || c->n_reduced != 1 || last < 0 ||
        n < LEAST_ROWS || l->extent[last] < 2 || l->extent[last] >= NARROW_BYTES)
        return;
    const int columns = (int)l->extent[last];
    int bytes = 0, widest = 1, vector = 16;
    for (int k = 0; k < p->n_operands; k++) {
        if (!has_rows(l, k)) continue;
        const int size = (int)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        bytes += size;
        if (size > widest) widest = size;
    }
    if (bytes == 0 || bytes > THREAD_BYTES / 4 || columns * widest >= NARROW_BYTES ||
        l->kept / columns * l->n_chunks < (int64_t)LEAST_BLOCKS * (256 / columns))
        return;
    int rows = 4;
    while (2 * rows * bytes <= THREAD_BYTES) rows *= 2;
    if (vector > rows) vector = rows;
    for (int k = 0; k < p->n_operands; k++) {
        if (!has_rows(l, k)) continue;
        while (vector > 1 && !is_aligned(launch, buffers, l, k, vector)) vector /= 2;
        c->walk[k] = HEDDLE_WALK_STAGED;
    }
    c->form = HEDDLE_FORM_STAGED;
    c->columns = (uint8_t)columns;
    c->rows = (uint8_t)rows;
    c->vector = (uint8_t)vector;
    c->unroll = (uint8_t)(rows < 8 ? rows : 8);
}

/* Whether a thread of a block can load four neighbours of each operand at once, or one for all four, and it pays: of small elements,
 * or where it takes arithmetic to know where they are. */
static int takes_quads(const struct heddle_launch *launch, void *const buffers[],
                       const struct heddle_cuda_layout *l)
{
    const struct heddle_cuda_class *c = &l->class;
    int small = c->n_reduced > 1;
    if (c->form != HEDDLE_FORM_BLOCK || c->side > 0 || c->together > 0 || c->even) return 0;
    for (int k = 0; k < launch->program->n_operands; k++) {
        if (!l->used_before[k] || c->walk[k] == HEDDLE_WALK_STILL) continue;
        if (c->walk[k] != HEDDLE_WALK_UNIT && c->walk[k] != HEDDLE_WALK_REPEAT) return 0;
        small |= heddle_dtype_size((enum heddle_dtype)launch->program->operand_dtype[k]) <= 2;
    }
    return small && heddle__reductions_take_runs(launch, buffers, l, HEDDLE_CUDA_QUAD);
}

/* Lets several blocks share the lanes of each chunk, if there are few chunks. */
static void choose_shares(const struct heddle_launch *launch, struct heddle_cuda_layout *l,
                          int64_t n)
{
    enum { SHARED_BYTES = 40 << 10, WAYS = 256 / (HEDDLE_TREE_LANES / HEDDLE_TREE_SHARES) };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    int64_t bytes = 0, slots = c->unroll > 2 ? 8 : c->unroll * 4;
    if (c->form != HEDDLE_FORM_BLOCK || c->side > 0 || !heddle__shared_chunks(launch)) return;
    for (int r = 0; r < p->n_reductions; r++)
        bytes += 256 * (int64_t)heddle__partial_size(&p->reductions[r]);
    while (slots > 1 && (slots * bytes > SHARED_BYTES || slots * WAYS * HEDDLE_TREE_LANES > n))
        slots /= 2;
    c->shares = HEDDLE_TREE_SHARES;
    c->unroll = (uint8_t)slots;
    c->even = c->light = 0;
}

void heddle__reductions_apart(struct heddle_cuda_layout *l)
{
    l->class.joined = 0;
    if (l->class.shares) l->class.unroll = 1;
    l->class.shares = 0;
}

/* Whether 32 bits have each place of an argmax, counted from the box's first element. */
static uint8_t is_near(const struct heddle_cuda_layout *l)
{
    int64_t last = 0;
    for (int a = l->class.n_kept; a < l->class.n_kept + l->class.n_reduced; a++) {
        if (l->extent[a] > INT32_MAX || l->flat_stride[a] > INT32_MAX) return 0;
        last += (l->extent[a] - 1) * l->flat_stride[a];
        if (last > INT32_MAX) return 0;
    }
    return last > 0;
}

/* What an operand's offsets need not add: axes along which it does not move, and those of elements that lie one after the other. */
static void find_offsets(const struct heddle_program *p, struct heddle_cuda_layout *l)
{
    struct heddle_cuda_class *c = &l->class;
    const int last = c->n_kept + c->n_reduced - 1;
    for (int k = 0; k < p->n_operands; k++) {
        bool in_line = c->n_reduced > 1 && c->form != HEDDLE_FORM_PAIRS && l->stride[k][last] == 1;
        for (int a = last; a >= 0; a--) {
            if (l->stride[k][a] == 0) c->still[k] |= (uint8_t)(1u << a);
            if (a >= c->n_kept && a < last)
                in_line = in_line && l->stride[k][a] == l->stride[k][a + 1] * l->extent[a + 1];
        }
        if (in_line) c->in_line |= 1u << k;
    }
}

void heddle__reductions_choose(const struct heddle_launch *launch, void *const buffers[],
                               struct heddle_cuda_layout *l)
{
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    enum { FEW_BLOCKS = 256 };
    const int phase = launch->geometry.phase, ndim = c->n_kept + c->n_reduced;
    int64_t loaded = 0;
    for (int k = 0; k < p->n_operands; k++) {
        if (!l->used_before[k]) continue;
        c->walk[k] = c->n_reduced ? heddle__cuda_walk_of(l, k, c->n_kept, ndim) : HEDDLE_WALK_STILL;
        if (c->walk[k] != HEDDLE_WALK_STILL)
            loaded += (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    }
    c->whole = phase == HEDDLE_PHASE_WHOLE && l->n_chunks <= 1;
    c->near = phase == HEDDLE_PHASE_WHOLE && is_near(l);
    c->vector = 1;
    if (phase != HEDDLE_PHASE_COMBINE) {
        const double w = heddle__cuda_weight(p, 0, p->n_before);
        const int64_t n = l->chunk < l->group ? l->chunk : l->group;
        const uint8_t even = heddle__cuda_draws_from_even(launch, launch->geometry.n_kept);
        choose_tree(n, p->sequential, &c->form, &c->lanes);
        /* A warp's lanes are all unrolled: costly elements have a block. */
        if (c->form == HEDDLE_FORM_WARP && w * c->lanes > 800) c->form = HEDDLE_FORM_BLOCK;
        int unroll = w <= 40 ? 8 : w <= 400 ? 4 : 1;
        while (unroll > 1 && loaded * unroll > 160) unroll /= 2;
        if (c->form == HEDDLE_FORM_THREAD && n > 0 && n < unroll) unroll = (int)n;
        if (c->form == HEDDLE_FORM_BLOCK) {
            /* The usual number of chunks is just what all SMs hold when registers are few. */
            c->light = w <= 40 && loaded <= 8 && p->n_reductions == 1 && c->n_reduced <= 1 &&
                       heddle__partial_size(&p->reductions[0]) <= 8;
            unroll = unroll >= 8 && !(c->light && loaded == 8) ? 2 : 1; /* times four lanes */
            if (unroll == 1 && c->light && l->kept * (c->whole ? 1 : l->n_chunks) <= FEW_BLOCKS) {
                c->light = 0; /* a block has a multiprocessor for itself, or half of it */
                unroll = 4;
            }
            if (w <= 100 && loaded == 0 && even) unroll = 2;
        }
        c->unroll = (uint8_t)unroll;
        if (c->form != HEDDLE_FORM_WARP) c->lanes = 0;
        c->even = c->form == HEDDLE_FORM_BLOCK && c->n_reduced == 1 &&
                  (l->chunk % 2 == 0 || l->n_chunks == 1) && even;
        heddle__gathered_choose(launch, buffers, l);
        if (c->form == HEDDLE_FORM_THREAD)
            c->vector = heddle__reductions_take_runs(launch, buffers, l, c->unroll) ? c->unroll : 1;
        else if (!p->n_checked)
            choose_strips(launch, buffers, l);
        if ((c->form != HEDDLE_FORM_THREAD || n <= HEDDLE_TREE_SHORT) && c->whole && c->side == 0 &&
            !c->even && !p->n_checked)
            choose_pairs(launch, l, n, w);
        if (c->form == HEDDLE_FORM_BLOCK && c->whole && c->side == 0 && !c->even && !p->n_checked)
            choose_together(launch, l);
        heddle__runs_choose(launch, buffers, l, n);
        choose_shares(launch, l, n);
        choose_staged(launch, buffers, l, n);
        heddle__lines_choose(launch, buffers, l, n);
        if (!c->shares && takes_quads(launch, buffers, l)) {
            c->vector = HEDDLE_CUDA_QUAD;
            c->light = 0;
            if (w <= 40) c->unroll = 4;
        }
    }
    find_offsets(p, l);
    if (!c->whole && phase != HEDDLE_PHASE_PARTIAL) {
        choose_tree(l->n_chunks, 0, &c->finish, &c->finish_lanes);
        /* A block's chunk is long: what it costs to find the last one is little, the launch of a
         * second kernel is not. */
        c->joined = phase == HEDDLE_PHASE_WHOLE && c->form == HEDDLE_FORM_BLOCK &&
                    (c->side == 0 || c->columns > 0) && /* a block has one chunk */
                    l->kept <= HEDDLE_CUDA_TICKETS &&
                    l->kept * l->n_chunks <= HEDDLE_CUDA_MAX_JOINED;
        if (c->joined) c->finish = HEDDLE_FORM_BLOCK;
        if (c->finish != HEDDLE_FORM_WARP) c->finish_lanes = 0;
    }
}

void heddle__reductions_chunks(const struct heddle_geometry *g, struct heddle_cuda_layout *l)
{
    l->reduced = heddle__reduced_size(g);
    l->n_chunks = g->n_chunks > 0 ? g->n_chunks : 0;
    if (g->phase == HEDDLE_PHASE_COMBINE) return;
    if (l->reduced == 0 || g->ndim == g->n_kept) { /* nothing, or one element */
        l->chunk = l->group = l->reduced;
        l->group_chunks = 1;
        if (g->phase == HEDDLE_PHASE_WHOLE) l->n_chunks = 1;
        return;
    }
    int64_t inner = 1;
    for (int d = g->split_axis + 1; d < g->ndim; d++) inner *= g->extent[d];
    l->group = inner * g->extent[g->split_axis];
    l->chunk = heddle__chunk_size(g);
    l->group_chunks = (g->extent[g->split_axis] + g->split_rows - 1) / g->split_rows;
}
