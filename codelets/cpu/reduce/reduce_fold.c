/* Reductions by a compiled fold (compiled/plan.h): values are computed from operands where they lie and go to accumulators at once,
 * without blocks. These are a run of the innermost kept axis, or the lanes of a chunk. Where the elements of an operand jump along the
 * run, each thread has a copy of some that is turned over, for the many rows that read it. Runs inside loops on teams; allocates nothing.
 * reduce_fold_find.c has which do.
 * Entry points: heddle__fold_room, _begin, _inputs, heddle__reduce_fold. */
#include "cpu/reduce/reduce.h"
#include "cpu/runs.h"

#include <math.h>
#include <string.h>

/* ---- A thread's ---------------------------------------------------------------------------------------- */

/* Bytes from one row of what is turned over to the next: lines, an odd number, so that rows are not all in few sets of a cache. */
static size_t turned_pitch(int64_t n, size_t size)
{
    return ((size_t)n * size / HEDDLE_CACHE_LINE + 1) / 2 * 2 * HEDDLE_CACHE_LINE +
           HEDDLE_CACHE_LINE;
}

/* Bytes that operand number t of the turned ones has there. */
static size_t turned_bytes(const struct heddle__reduce_job *job, int t)
{
    const int o = job->fold.turned[t];
    const size_t size = heddle_dtype_size((enum heddle_dtype)job->program->operand_dtype[o]);
    return (size_t)job->walk.extent[job->chunk] * turned_pitch(job->fold.strip, size);
}

size_t heddle__fold_room(const struct heddle__reduce_job *job)
{
    size_t bytes = 0;
    for (int t = 0; t < job->fold.n_turned; t++) bytes += turned_bytes(job, t);
    return bytes;
}

void heddle__fold_begin(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        char *room)
{
    for (int t = 0; t < job->fold.n_turned; t++) {
        w->turned_over[t] = (struct heddle__turned){.room = room};
        room += turned_bytes(job, t);
    }
}

/* ---- Folding ------------------------------------------------------------------------------------------- */

/* What changes no element that it is combined with: of sums the negative zero. */
static union heddle_scalar identity_of(const struct heddle_reduce_instr *r)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)r->dtype;
    const char kind = heddle_dtype_kind(dtype);
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    const bool floating = kind == 'F' || kind == 'C';
    union heddle_scalar v;
    memset(&v, 0, sizeof v);
    double f = 0;
    int64_t i = 0;
    switch (r->op) {
    case HEDDLE_REDUCE_SUM: f = -0.0; break;
    case HEDDLE_REDUCE_PROD:
        f = 1;
        i = 1;
        break;
    case HEDDLE_REDUCE_NANMAX:
    case HEDDLE_REDUCE_ARGMAX:
    case HEDDLE_REDUCE_MAX:
        f = -INFINITY;
        i = kind == 'U' ? 0 : INT64_MIN >> (64 - bits);
        break;
    case HEDDLE_REDUCE_NANMIN:
    case HEDDLE_REDUCE_ARGMIN:
    case HEDDLE_REDUCE_MIN:
        f = INFINITY;
        i = kind == 'U' ? -1 : INT64_MAX >> (64 - bits);
        break;
    case HEDDLE_REDUCE_ALL: i = 1; break;
    default: break;
    }
    if (!floating) { /* little-endian: the low bytes are the narrower integer */
        v.i64 = i;
    } else if (dtype == HEDDLE_FLOAT32) {
        v.f32 = (float)f;
    } else if (dtype == HEDDLE_COMPLEX64) {
        v.c64[0] = v.c64[1] = (float)f;
    } else if (dtype == HEDDLE_COMPLEX128) {
        v.c128[0] = v.c128[1] = f;
    } else {
        v.f64 = f;
    }
    return v;
}

/* Elements [rows] along the chunk by [n] along the last axis, from `from` on, row after row, as far apart as turned_pitch says. */
static char *turn_over(const struct heddle__reduce_job *job, struct heddle__turned *turned,
                       int operand, const char *from, int64_t rows, int64_t n)
{
    const struct heddle__walk *walk = &job->walk;
    if (turned->from == from && turned->rows == rows && turned->n == n) return turned->room;
    const size_t size = job->code.size[operand];
    const int64_t pad = (int64_t)(turned_pitch(n, size) / size),
                  stride = walk->stride[operand][walk->ndim - 1],
                  step = walk->stride[operand][job->chunk];
    turned->from = from;
    turned->rows = rows;
    turned->n = n;
    if (step == 1 && stride > 0) {
        job->blocks->moves.turn[heddle__log2_size(size)]((size_t)rows, (size_t)n, turned->room, pad,
                                                         from, stride);
        return turned->room;
    }
    struct heddle__runs runs;
    runs.n = n;
    runs.stride = stride;
    runs.n_runs = rows;
    runs.n_axes = 1;
    runs.extent[0] = rows;
    runs.step[0] = step;
    runs.pad[0] = pad;
    heddle__runs_gather(&runs, &job->blocks->moves, heddle__log2_size(size), turned->room, from);
    return turned->room;
}

/* A strip of accumulators: n of them, from place `at` of the tile on. */
struct strip {
    int64_t at, n;
};

static void begin_accumulators(const struct heddle__reduce_job *job, int r, void *at, int64_t n)
{
    const struct heddle_reduce_instr *instr = &job->program->reductions[r];
    const union heddle_scalar identity = identity_of(instr);
    job->blocks->moves.gather[heddle__log2_size(heddle__value_size(instr))]((size_t)n, at,
                                                                            &identity, 0);
}

static void begin_strip(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        int r, struct strip strip)
{
    const size_t size = heddle__value_size(&job->program->reductions[r]);
    begin_accumulators(job, r, (char *)w->value[r] + (size_t)strip.at * size, strip.n);
    if (w->at[r]) memset(w->at[r] + strip.at, 0, (size_t)strip.n * sizeof(int32_t));
}

void heddle__fold_inputs(const struct heddle__reduce_job *job,
                         const struct heddle__reduce_worker *w, const int64_t *idx, int axis,
                         int64_t step, void **ptr, int64_t *pitch)
{
    const struct heddle__walk *walk = &job->walk;
    for (int k = 0; k < job->fold.plan->runs[0].n_inputs; k++) {
        const int value = job->fold.plan->map[k];
        const struct heddle_instr *in = &job->program->instrs[value];
        const bool moves =
            in->code == HEDDLE_CODE_LOAD && heddle__walk_moves(walk, in->a, 0, walk->ndim);
        ptr[k] = w->lane.ptr[value];
        pitch[k] = 0;
        if (!moves) continue;
        const int64_t *const stride = walk->stride[in->a], size = job->code.size[in->a];
        char *at = w->lane.base[in->a];
        for (int d = 0; d < walk->ndim; d++) at += idx[d] * stride[d] * size;
        ptr[k] = at;
        pitch[k] = step * stride[axis] * size;
    }
}

/* The same for a strip of n, `rows` rows of the last reduced axis: what jumps is turned over. */
static void find_strip(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       const int64_t *idx, int64_t rows, int64_t n, void **ptr, int64_t *pitch)
{
    const struct heddle__fold *fold = &job->fold;
    heddle__fold_inputs(job, w, idx, job->kept_axis - 1, 1, ptr, pitch);
    for (int k = 0; k < fold->plan->runs[0].n_inputs && fold->n_turned > 0; k++) {
        const struct heddle_instr *in = &job->program->instrs[fold->plan->map[k]];
        for (int t = 0; t < fold->n_turned && in->code == HEDDLE_CODE_LOAD; t++) {
            if (fold->turned[t] != in->a) continue;
            ptr[k] = turn_over(job, &w->turned_over[t], in->a, ptr[k], rows, n);
            pitch[k] = (int64_t)turned_pitch(n, job->code.size[in->a]);
        }
    }
}

static void move_inputs(const struct heddle__reduce_job *job, void **ptr, const int64_t *pitch,
                        int64_t rows)
{
    for (int k = 0; k < job->fold.plan->runs[0].n_inputs; k++)
        ptr[k] = (char *)ptr[k] + rows * pitch[k];
}

/* `rows` rows of n elements, the first of which is *number, after which ptr and *number are beyond them; in pieces, for each of which what
 * the next boxes read is fetched. */
static void run_rows(const struct heddle__reduce_job *job, int64_t n, int64_t rows, void **ptr,
                     const int64_t *pitch, int32_t *number)
{
    enum { PIECE = 8192 };
    struct heddle__ahead *const ahead = job->code.ahead;
    const int64_t most = ahead ? (PIECE + n - 1) / n : rows;
    for (int64_t some; rows > 0; rows -= some) {
        some = rows < most ? rows : most;
        if (ahead) heddle__ahead_fetch(ahead, n * some);
        job->fold.run((size_t)n, (size_t)some, ptr, pitch, NULL);
        move_inputs(job, ptr, pitch, some);
        *number += (int32_t)some;
    }
}

/* Counts that are full go to their numbers, and begin anew. */
static void put_full_counts(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                            struct strip strip, bool first)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        if (!heddle__is_counted(job, r)) continue;
        heddle__reduce_put_counts(job, w, r, strip.at, strip.n, first);
        begin_strip(job, w, r, strip);
    }
}

/* `rows` reduced elements, along the last reduced axis from idx on, to a strip; the chunk's first one is number `e`. */
static void fold_rows(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                      const int64_t *idx, int64_t rows, struct strip strip, int64_t e)
{
    const struct heddle_program *p = job->program;
    void *ptr[HEDDLE_MAX_INSTRS + 2 * HEDDLE_MAX_REDUCTIONS + 1];
    void **const accumulators = ptr + job->fold.plan->runs[0].n_inputs;
    int64_t pitch[HEDDLE_MAX_INSTRS];
    int32_t number;
    find_strip(job, w, idx, rows, strip.n, ptr, pitch);
    for (int r = 0; r < p->n_reductions; r++) {
        accumulators[r] =
            (char *)w->value[r] + (size_t)strip.at * heddle__value_size(&p->reductions[r]);
        accumulators[p->n_reductions + r] = w->at[r] ? w->at[r] + strip.at : NULL;
    }
    accumulators[2 * p->n_reductions] = &number;
    while (rows > 0) {
        int64_t some = rows;
        if (job->counted) { /* as many as counts have room for */
            const int64_t held = e % job->most_counted, left = job->most_counted - held;
            if (held == 0 && e > 0) put_full_counts(job, w, strip, e == job->most_counted);
            if (some > left) some = left;
        }
        number = (int32_t)e;
        run_rows(job, strip.n, some, ptr, pitch, &number);
        rows -= some;
        e += some;
    }
}

/* All reduced elements of the chunk, low[] to high[], to a strip. */
static void fold_strip(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       int64_t *idx, const int64_t *low, const int64_t *high, struct strip strip)
{
    const int n_reductions = job->program->n_reductions, fast = job->kept_axis - 1;
    const int64_t rows = high[fast] - low[fast];
    int64_t n_folds = 1;
    for (int d = job->chunk; d < fast; d++) n_folds *= high[d] - low[d];
    for (int r = 0; r < n_reductions; r++) begin_strip(job, w, r, strip);
    for (int64_t f = 0; f < n_folds; f++) {
        fold_rows(job, w, idx, rows, strip, f * rows);
        heddle__reduce_next(idx, job->chunk, fast, low, high);
    }
    for (int r = 0; r < n_reductions; r++)
        if (heddle__is_counted(job, r))
            heddle__reduce_put_counts(job, w, r, strip.at, strip.n,
                                      n_folds * rows <= job->most_counted);
}

/* ---- The tree --------------------------------------------------------------------------------------------- */

struct tree {
    const struct heddle__reduce_job *job;
    const struct heddle__reduce_worker *w;
    struct strip strip;
    int64_t rows;
    void **ptr; /* of row 0 */
    const int64_t *pitch;
};

static void *branch_of(const struct tree *tree, int r, int depth)
{
    const int64_t size = (int64_t)heddle__value_size(&tree->job->program->reductions[r]);
    return depth == 0 ? (char *)tree->w->value[r] + tree->strip.at * size
                      : tree->w->branch[r] + (depth - 1) * tree->job->fold.strip * size;
}

/* How many rows there are of l, l + step, ... */
static int64_t count_of(const struct tree *tree, int64_t l, int64_t step)
{
    return (tree->rows - l + step - 1) / step;
}

/* As many of the rows l, l + step, ... as there are: accumulators at `depth` begin with them, or (`joins`) are combined. */
static void take_group(const struct tree *tree, int64_t l, int64_t step, int depth, bool joins)
{
    const struct heddle__fold *fold = &tree->job->fold;
    const int n_inputs = fold->plan->runs[0].n_inputs;
    void *ptr[HEDDLE_MAX_INSTRS + HEDDLE_MAX_REDUCTIONS];
    int64_t pitch[HEDDLE_MAX_INSTRS];
    for (int k = 0; k < n_inputs; k++) {
        ptr[k] = (char *)tree->ptr[k] + l * tree->pitch[k];
        pitch[k] = step * tree->pitch[k];
    }
    for (int r = 0; r < tree->job->program->n_reductions; r++)
        ptr[n_inputs + r] = branch_of(tree, r, depth);
    (joins ? fold->joins : fold->run)((size_t)tree->strip.n, (size_t)count_of(tree, l, step), ptr,
                                      pitch, NULL);
}

/* The rows l, l + step, ... as the tree combines them, to the accumulators at `depth`: first those that are two steps apart. */
static void take_branch(const struct tree *tree, int64_t l, int64_t step, int depth)
{
    const struct heddle__reduce_job *job = tree->job;
    const int64_t right = l + step, group = job->fold.plan->group;
    if (count_of(tree, l, step) <= group) {
        take_group(tree, l, step, depth, false);
        return;
    }
    take_branch(tree, l, 2 * step, depth);
    if (count_of(tree, right, 2 * step) <= group) {
        take_group(tree, right, 2 * step, depth, true);
        return;
    }
    take_branch(tree, right, 2 * step, depth + 1);
    for (int r = 0; r < job->program->n_reductions; r++)
        heddle__reducer_of(job, r)->merge((size_t)tree->strip.n, branch_of(tree, r, depth), NULL,
                                          branch_of(tree, r, depth + 1), 0);
}

static void fold_tree(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                      const int64_t *idx, int64_t rows, struct strip strip)
{
    void *ptr[HEDDLE_MAX_INSTRS];
    int64_t pitch[HEDDLE_MAX_INSTRS];
    find_strip(job, w, idx, rows, strip.n, ptr, pitch);
    const struct tree tree = {job, w, strip, rows, ptr, pitch};
    take_branch(&tree, 0, 1, 0);
}

/* ---- Lanes ------------------------------------------------------------------------------------------------ */

/* n elements of a chunk, from idx on along the last axis, to the lanes, and these to place j of the tile. */
static void fold_lanes(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       const int64_t *idx, int64_t n, int64_t j)
{
    enum { LANES = HEDDLE_TREE_LANES };
    const int n_inputs = job->fold.plan->runs[0].n_inputs;
    void *ptr[HEDDLE_MAX_INSTRS + HEDDLE_MAX_REDUCTIONS];
    int64_t pitch[HEDDLE_MAX_INSTRS];
    heddle__fold_inputs(job, w, idx, job->chunk, LANES, ptr, pitch);
    for (int r = 0; r < job->program->n_reductions; r++) {
        begin_accumulators(job, r, w->lanes[r], n < LANES ? n : LANES);
        ptr[n_inputs + r] = w->lanes[r];
    }
    int32_t number = 0;
    run_rows(job, LANES, n / LANES, ptr, pitch, &number);
    if (n % LANES > 0) run_rows(job, n % LANES, 1, ptr, pitch, &number);
    for (int r = 0; r < job->program->n_reductions; r++)
        heddle__reduce_lanes_end(job, w, r, 0, n, j);
}

/* ---- Items ------------------------------------------------------------------------------------------------ */

/* The tile's m kept elements, one after the other. */
static void fold_chunks(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        int64_t *idx, const int64_t *low, const int64_t *high, int64_t m)
{
    const int first = job->kept_axis, end = first + job->kept.ndim;
    for (int64_t j = 0; j < m; j++) {
        fold_lanes(job, w, idx, high[job->chunk] - low[job->chunk], j);
        heddle__reduce_next(idx, first, end, low, high);
    }
    for (int r = 0; r < job->program->n_reductions; r++)
        if (heddle__is_counted(job, r)) heddle__reduce_put_counts(job, w, r, 0, m, true);
}

/* Of runs of the last axis, as long as `run`, the same strip of each, then the next strip. */
static void fold_strips(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        int64_t *idx, const int64_t *low, const int64_t *high, const int64_t *kept,
                        int64_t run, int64_t m)
{
    const int first = job->kept_axis, last = job->walk.ndim - 1;
    for (int64_t s = 0; s < run; s += job->fold.strip) {
        const int64_t n = run - s < job->fold.strip ? run - s : job->fold.strip;
        for (int d = first; d <= last; d++) idx[d] = kept[d - first];
        idx[last] += s;
        for (int64_t j = 0; j < m; j += run) {
            const struct strip strip = {j + s, n};
            if (job->order == ORDER_TREE)
                fold_tree(job, w, idx, high[job->chunk] - low[job->chunk], strip);
            else
                fold_strip(job, w, idx, low, high, strip);
            heddle__reduce_next(idx, first, last, low, high);
        }
    }
}

void heddle__reduce_fold(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t kept_rows,
                         int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int first = job->kept_axis, last = walk->ndim - 1;
    int64_t low[WALK_MAX_NDIM] = {0}, high[WALK_MAX_NDIM];
    memcpy(high, walk->extent, sizeof high);
    low[job->chunk] = idx[job->chunk];
    high[job->chunk] = idx[job->chunk] + chunk_rows;
    for (int d = job->chunk + 1; d < walk->ndim; d++) idx[d] = 0;
    for (int d = 0; d < job->kept.ndim; d++) idx[first + d] = kept[d];
    if (job->order == ORDER_LANES)
        fold_chunks(job, w, idx, low, high, m);
    else
        fold_strips(job, w, idx, low, high, kept,
                    job->kept.first == job->kept.ndim - 1 ? kept_rows : walk->extent[last], m);
}
