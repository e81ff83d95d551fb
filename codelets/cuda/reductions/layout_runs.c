/* How reductions along elements that lie together look to CUDA kernels: threads of a warp for a chunk. Entry points: runs.h,
 * heddle__reductions_have_runs. */
#include "cuda/reductions/runs.h"

#include "cuda/reductions/reductions.h"

/* Whether rows of an operand are read for several kept elements: then arithmetic takes the time, not memory, and few threads with many
 * elements each exchange less. */
static int is_read_again(const struct heddle_program *p, const struct heddle_cuda_layout *l)
{
    for (int k = 0; k < p->n_operands; k++)
        for (int d = 0; d < l->class.n_kept && l->used_before[k]; d++)
            if (l->extent[d] > 1 && l->stride[k][d] == 0) return 1;
    return 0;
}

/* The bytes of the widest operand that moves along the reduced axis, of which all lie together; 0: some do not, or none moves. */
static int64_t widest_of(const struct heddle_program *p, const struct heddle_cuda_layout *l)
{
    int64_t widest = 0;
    for (int k = 0; k < p->n_operands; k++) {
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        if (!l->used_before[k] || l->class.walk[k] == HEDDLE_WALK_STILL) continue;
        if (l->class.walk[k] != HEDDLE_WALK_UNIT) return 0;
        if (size > widest) widest = size;
    }
    return widest;
}

/* Rows of tables at indices: lanes that threads take side by side, as a row may begin anywhere. A warp has several chunks, so that many
 * indices are under way, for each of which it waits twice: for the index, and for what it names. */
static void take_gathered(struct heddle_cuda_class *c, int64_t all)
{
    enum { WARP = 32, LANES = 8, LEAST_THREADS = 4 };
    int64_t threads = LEAST_THREADS;
    while (threads < WARP && threads * LANES < all) threads *= 2;
    c->form = HEDDLE_FORM_RUNS;
    c->vector = 1;
    c->threads = (uint8_t)threads;
    c->lanes = (uint8_t)(all / threads);
}

void heddle__runs_choose(const struct heddle_launch *launch, void *const buffers[],
                         struct heddle_cuda_layout *l, int64_t n)
{
    enum { MOST_VECTOR = 8, WARP = 32, FEW_THREADS = 4, MOST_LANES = 16, SMALL = 2 };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int64_t widest = widest_of(p, l);
    int64_t all = 1;
    if (!c->whole || c->form != HEDDLE_FORM_WARP || c->n_reduced != 1) return;
    if (p->n_checked > 0) {
        while (all < n) all *= 2;
        take_gathered(c, all);
        c->filled = n == all;
        return;
    }
    if (widest == 0) return;
    int vector = (int)(16 / widest) < MOST_VECTOR ? (int)(16 / widest) : MOST_VECTOR;
    while (vector > 1 &&
           (n % vector != 0 || !heddle__reductions_take_runs(launch, buffers, l, vector)))
        vector /= 2;
    if (vector <= 1) return;
    while (all < n) all *= 2;
    c->form = HEDDLE_FORM_RUNS;
    c->vector = (uint8_t)vector;
    int64_t lanes = all / WARP > vector ? all / WARP : vector;
    if (lanes < 2 * vector && lanes * 2 * FEW_THREADS <= all) lanes *= 2;
    const bool are_many = widest <= SMALL || is_read_again(p, l);
    while (are_many && lanes < MOST_LANES && lanes * FEW_THREADS < all) lanes *= 2;
    c->lanes = (uint8_t)lanes;
    c->threads = (uint8_t)(all / c->lanes);
    c->filled = n == all;
}

/* Whether from a border of `vector` elements to a chunk there are as many elements in all operands that move along it, of each chunk. */
static bool is_alike(const struct heddle_launch *launch, void *const buffers[],
                     const struct heddle_cuda_layout *l, int vector)
{
    int64_t skew = 0;
    int first = -1;
    for (int k = 0; k < launch->program->n_operands; k++) {
        if (!l->used_before[k] || l->class.walk[k] == HEDDLE_WALK_STILL) continue;
        const uint64_t size =
            heddle_dtype_size((enum heddle_dtype)launch->program->operand_dtype[k]);
        const uint64_t base = buffers ? (uintptr_t)buffers[launch->buffer[k]] : 0;
        const int64_t at = (int64_t)(base / size % 16) + launch->access[k].offset;
        if (first < 0) {
            first = k;
            skew = at;
        }
        if (base % size != 0 || (at - skew) % vector != 0) return false;
        for (int d = 0; d < l->class.n_kept; d++)
            if ((l->stride[k][d] - l->stride[first][d]) % vector != 0) return false;
    }
    return true;
}

/* Whether each chunk is whole vectors, at borders of these. */
static bool is_filled(const struct heddle_launch *launch, void *const buffers[],
                      const struct heddle_cuda_layout *l, int64_t n, int vector)
{
    return n % vector == 0 &&
           (vector == 1 || heddle__reductions_take_runs(launch, buffers, l, vector));
}

/* Elements of a line's vector: 16 bytes, less where operands begin differently, and in short chunks whose edges would be partial. */
static int vector_of(const struct heddle_launch *launch, void *const buffers[],
                     const struct heddle_cuda_layout *l, int64_t n, int64_t widest)
{
    enum { FEW = 12, LEAST_BYTES = 4 };
    int most = (int)(16 / widest);
    while (most > 1 && !is_filled(launch, buffers, l, n, most) &&
           !is_alike(launch, buffers, l, most))
        most /= 2;
    for (int v = most; n < FEW * most && v * widest >= LEAST_BYTES; v /= 2)
        if (is_filled(launch, buffers, l, n, v)) return v;
    return most;
}

/* Measured on an H200: threads have some vectors each; runs are as fast where all lanes have elements of 2 bytes or more, or most of
 * short vectors have. */
void heddle__lines_choose(const struct heddle_launch *launch, void *const buffers[],
                          struct heddle_cuda_layout *l, int64_t n)
{
    enum { WARP = 32, FEW_THREADS = 4, VECTORS = 6, FEW_BYTES = 64, FEW_CHUNKS = 4096 };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int64_t widest = widest_of(p, l);
    const bool is_block = c->form == HEDDLE_FORM_BLOCK, is_runs = c->form == HEDDLE_FORM_RUNS;
    if (!c->whole || c->n_reduced != 1 || widest == 0 || n * widest < FEW_BYTES || p->n_checked ||
        (!is_block && c->form != HEDDLE_FORM_WARP && !is_runs) ||
        (is_block && l->kept < FEW_CHUNKS) || c->side || c->shares || c->together || c->even ||
        !heddle__all_in_any_order(p))
        return;
    for (int r = 0; r < p->n_reductions; r++)
        if (!heddle__neutral_of(&p->reductions[r])) return;
    const int vector = vector_of(launch, buffers, l, n, widest);
    if (is_runs &&
        ((c->filled && widest > 1) || (vector * widest < 16 && 8 * n >= 5 * c->lanes * c->threads)))
        return;
    c->form = HEDDLE_FORM_LINES;
    c->lanes = 0;
    c->vector = (uint8_t)vector;
    c->filled = is_filled(launch, buffers, l, n, vector);
    c->threads = FEW_THREADS;
    while (c->threads < WARP && VECTORS * c->threads * vector < n) c->threads *= 2;
    c->unroll = c->threads * vector < n ? 2 : 1;
    c->light = 0;
}

bool heddle__reductions_have_runs(const struct heddle_launch *launch, void *const buffers[])
{
    enum { SMALL = 2, LIGHT = 20 };
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_layout l;
    heddle__cuda_layout(launch, buffers, &l);
    if (l.class.form == HEDDLE_FORM_LINES) return true;
    if (l.class.form != HEDDLE_FORM_RUNS || p->n_checked > 0 ||
        heddle__cuda_weight(p, 0, p->n_before) > LIGHT)
        return false;
    for (int r = 0; r < p->n_reductions && !l.class.filled; r++)
        if (p->reductions[r].op != HEDDLE_REDUCE_SUM ||
            heddle_dtype_kind((enum heddle_dtype)p->reductions[r].dtype) == 'C')
            return false;
    bool is_small = true;
    for (int k = 0; k < p->n_operands; k++)
        is_small &=
            !l.used_before[k] || heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]) <= SMALL;
    const int64_t n = l.chunk < l.group ? l.chunk : l.group;
    return is_small || 8 * n >= (l.class.vector > 2 ? 5 : 6) * l.class.lanes * l.class.threads;
}
