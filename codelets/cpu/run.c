/* Code on blocks: a thread's pointers and registers, and the loop over the steps. Does not know
 * how blocks follow each other. Entry points: heddle__lane_begin, heddle__run_block. */
#include "cpu/runs.h"

#include <string.h>

static size_t register_stride(const struct heddle__code *code)
{
    const size_t elements = (size_t)heddle__walk_span(code->walk, code->walk->cut);
    return (elements * code->element_bytes + 63) / 64 * 64;
}

size_t heddle__value_bytes(const struct heddle__code *code)
{
    return code->n_registers > 0 ? (size_t)code->n_registers * register_stride(code) : 0;
}

size_t heddle__register_bytes(const struct heddle__code *code)
{
    return heddle__value_bytes(code) + heddle__panels_bytes(code);
}

/* ---- moves of a block with any strides --------------------------------------------------------- */

static int64_t offset_of(const struct heddle__walk *walk, const int64_t *stride, const int64_t *idx)
{
    int64_t offset = idx[0] * stride[0];
    for (int d = 1; d <= walk->first; d++) offset += idx[d] * stride[d];
    return offset;
}

static void gather(const struct heddle__lane *lane, const struct heddle__code *code, int operand,
                   int log2_size, const int64_t *idx, int64_t rows, void *out)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t *stride = walk->stride[operand];
    const char *from =
        lane->base[operand] + offset_of(walk, stride, idx) * (INT64_C(1) << log2_size);
    struct heddle__runs runs;
    heddle__runs_find(&runs, walk, stride, rows);
    /* operations compute what is in gaps, too: of a bool it must be one */
    if (walk->padded && code->launch->program->operand_dtype[operand] == HEDDLE_BOOL)
        memset(out, 0, (size_t)heddle__walk_span(walk, rows));
    heddle__runs_gather(&runs, &code->blocks->moves, log2_size, out, from);
}

/* As gather, `n` steps, in one pass over the records of which they are columns, if they are in one run still: an operand's elements may have
 * moved since. */
static void gather_columns(const struct heddle__lane *lane, const struct heddle__code *code,
                           const struct heddle__step *steps, int n, const int64_t *idx,
                           int64_t rows)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t *stride = walk->stride[steps->x];
    const int log2_size = steps->y;
    struct heddle__runs runs;
    heddle__runs_find(&runs, walk, stride, rows);
    const char *const from = lane->base[steps->x];
    void *out[HEDDLE_COLUMNS];
    int64_t at[HEDDLE_COLUMNS];
    bool are_columns = runs.n_runs == 1 && runs.stride > 1;
    for (int k = 0; k < n; k++) {
        out[k] = lane->ptr[steps[k].out];
        at[k] = (lane->base[steps[k].x] - from) >> log2_size;
        are_columns = are_columns && at[k] < runs.stride && (k == 0 || at[k] > at[k - 1]);
    }
    if (are_columns)
        code->blocks->moves.columns[log2_size](
            (size_t)runs.n, n, out, at,
            from + offset_of(walk, stride, idx) * (INT64_C(1) << log2_size), runs.stride);
    else
        for (int k = 0; k < n; k++) gather(lane, code, steps[k].x, log2_size, idx, rows, out[k]);
}

/* Block `values`, or one value repeated, to the operand. */
static void scatter(const struct heddle__lane *lane, const struct heddle__code *code, int operand,
                    const int64_t *idx, int64_t rows, const void *values, bool repeat)
{
    const struct heddle__walk *walk = code->walk;
    const int64_t *stride = walk->stride[operand];
    const int log2_size = heddle__log2_size(code->size[operand]);
    char *to = lane->base[operand] + offset_of(walk, stride, idx) * (INT64_C(1) << log2_size);
    struct heddle__runs runs;
    heddle__runs_find(&runs, walk, stride, rows);
    struct heddle__position p = {0};
    const char *from = values;
    for (int64_t r = 0; r < runs.n_runs; r++) {
        char *run = to + p.offset * (INT64_C(1) << log2_size);
        if (!repeat) {
            code->blocks->moves.scatter[log2_size]((size_t)runs.n, run,
                                                   from + (p.number << log2_size), runs.stride);
        } else if (runs.stride == 1) {
            code->blocks->moves.gather[log2_size]((size_t)runs.n, run, from, 0);
        } else {
            for (int64_t i = 0; i < runs.n; i++)
                memcpy(run + i * runs.stride * (INT64_C(1) << log2_size), from,
                       (size_t)1 << log2_size);
        }
        heddle__runs_next(&runs, &p);
    }
}

/* Writes copies that are fields of records; the bits of those that it has written. */
static uint64_t weave(const struct heddle__lane *lane, const struct heddle__code *code,
                      const int64_t *idx, int64_t rows)
{
    const int64_t *const stride = code->walk->stride[code->copies[code->woven[0]].operand];
    return heddle__weave(lane, code, offset_of(code->walk, stride, idx), rows);
}

/* The index along a launch axis. */
static void iota(const struct heddle__code *code, int axis, int form, const int64_t *idx,
                 int64_t rows, int64_t *out)
{
    const struct heddle__walk *walk = code->walk;
    const int w = walk->axis[axis];
    int64_t stride[WALK_MAX_NDIM] = {0};
    stride[w] = 1;
    struct heddle__runs runs;
    heddle__runs_find(&runs, walk, stride, rows);
    struct heddle__position p = {.offset = code->launch->geometry.origin[axis] + idx[w]};
    if (form != INDEX_OF_ELEMENTS) {
        code->blocks->moves.iota(form == INDEX_OF_ROWS ? (size_t)rows : 1, out, p.offset, 1);
        return;
    }
    if (w == walk->ndim - 1 && !walk->padded) { /* the same in all rows */
        const int64_t n = runs.n * runs.n_runs;
        code->blocks->moves.iota((size_t)runs.n, out, p.offset, runs.stride);
        for (int64_t done = runs.n; done < n; done *= 2)
            memcpy(out + done, out, (size_t)(done < n - done ? done : n - done) * sizeof *out);
        return;
    }
    for (int64_t r = 0; r < runs.n_runs; r++) {
        code->blocks->moves.iota((size_t)runs.n, out + p.number, p.offset, runs.stride);
        heddle__runs_next(&runs, &p);
    }
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void move(const struct heddle__lane *lane, const struct heddle__code *code,
                 const struct heddle__step *step, const int64_t *idx, int64_t rows)
{
    const struct heddle__walk *walk = code->walk;
    void *out = lane->ptr[step->out];
    switch ((enum heddle__step_kind)step->kind) {
    case STEP_GATHER: gather(lane, code, step->x, step->y, idx, rows, out); break;
    case STEP_COLUMNS: gather_columns(lane, code, step, step->z, idx, rows); break;
    case STEP_IOTA: iota(code, step->x, step->z, idx, rows, out); break;
    case STEP_INDEX: {
        const int w = walk->axis[step->x];
        *(int64_t *)out = code->launch->geometry.origin[step->x] + (w < 0 ? 0 : idx[w]);
        break;
    }
    case STEP_FILL:
        code->blocks->moves.gather[step->y]((size_t)heddle__walk_span(walk, rows), out,
                                            lane->ptr[step->x], 0);
        break;
    default: break;
    }
}

/* n: elements of an operation. */
static void run_steps(const struct heddle__lane *lane, const struct heddle__code *code,
                      const struct heddle__step *steps, int n_steps, size_t n, const int64_t *idx,
                      int64_t rows)
{
    for (const struct heddle__step *s = steps, *end = steps + n_steps; s < end; s++) {
        if (s->kind == STEP_OP)
            s->fn(n, lane->ptr[s->out], lane->ptr[s->x], lane->ptr[s->y], lane->ptr[s->z]);
        else if (s->kind == STEP_RUN)
            s->run(code->by_rows ? (size_t)code->walk->inner : n, code->by_rows ? (size_t)rows : 1,
                   lane->ptr, code->pitch, code->map + s->x);
        else
            move(lane, code, s, idx, rows);
        if (s->kind == STEP_COLUMNS) s += s->z - 1;
    }
}

void heddle__lane_begin(struct heddle__lane *lane, const struct heddle__code *code,
                        void *const buffers[], const union heddle_scalar constants[],
                        char *registers, void *const *results)
{
    const struct heddle_launch *launch = code->launch;
    const size_t stride = code->n_registers > 0 ? register_stride(code) : 0;
    for (int o = 0, n = launch->program->n_operands; o < n; o++)
        if (code->operands >> o & 1)
            lane->base[o] = (char *)buffers[launch->buffer[o]] +
                            launch->access[o].offset * (int64_t)code->size[o];
    lane->ptr[PTR_NONE] = NULL;
    if (code->n_panels > 0) heddle__panels_begin(lane, code, registers + heddle__value_bytes(code));
    for (int f = 0; f < code->n_fixed; f++) {
        const struct heddle__fixed *fixed = &code->fixed[f];
        void **ptr = &lane->ptr[fixed->ptr];
        switch ((enum heddle__fixed_kind)fixed->kind) {
        case FIXED_OPERAND: *ptr = lane->base[fixed->arg]; break;
        case FIXED_CONSTANT: *ptr = (void *)(uintptr_t)&constants[fixed->arg]; break;
        case FIXED_CELL: *ptr = &lane->cell[fixed->arg]; break;
        case FIXED_REGISTER: *ptr = registers + fixed->arg * stride; break;
        case FIXED_RESULT: *ptr = results[fixed->arg]; break;
        case FIXED_BAD: *ptr = &lane->bad[fixed->arg]; break;
        }
    }
    if (launch->program->n_checked > 0) memset(lane->bad, 0, sizeof lane->bad);
    if (code->n_once == 0) return;
    const int64_t zero[WALK_MAX_NDIM] = {0};
    run_steps(lane, code, code->once, code->n_once, 1, zero, code->walk->cut);
}

void heddle__lane_end(const struct heddle__lane *lane, const struct heddle__code *code,
                      struct heddle__bad_note *note)
{
    for (int f = 0; f < HEDDLE_N_INDEXINGS && code->launch->program->n_checked > 0; f++) {
        if (lane->bad[f].n == 0 || atomic_exchange(&note->is, true)) continue;
        note->bad = lane->bad[f];
        note->function = (enum heddle_indexing)f;
    }
}

enum heddle_status heddle__bad_status(struct heddle__bad_note *note)
{
    char text[160];
    if (!atomic_load(&note->is)) return HEDDLE_OK;
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, note->bad.index, note->bad.n, note->function};
    const enum heddle_status code = heddle__describe_index(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

bool heddle__is_worth_fetching(const struct heddle__code *code, int n_reductions)
{
    enum { STEPS = 3, LIGHT = 8, FAR_BYTES = 4 << 20 };
    const struct heddle_geometry *g = &code->launch->geometry;
    double bytes = 0; /* of an element */
    for (int m = 0; m < code->n_moving; m++)
        if (code->moving[m].is_dense) bytes += (double)code->size[code->moving[m].operand];
    bytes *= (double)heddle__kept_size(g) * (double)heddle__reduced_size(g);
    const bool is_light = n_reductions > 0 && code->n_steps > 0 && code->weight < LIGHT;
    return (is_light || code->n_steps + n_reductions >= STEPS) && bytes >= FAR_BYTES;
}

/* Of the block that is `step` elements on, into the first cache, if that is `near`, or the second. */
static void prefetch_next(const struct heddle__walk *walk, int64_t step, int64_t rows, size_t size,
                          const char *at, bool near)
{
    const int64_t bytes = heddle__walk_span(walk, rows) * (int64_t)size;
    at += step * (int64_t)size;
    for (int64_t i = 0; i < bytes; i += HEDDLE_CACHE_LINE)
        near ? __builtin_prefetch(at + i) : __builtin_prefetch(at + i, 0, 2);
}

void heddle__run_block(struct heddle__lane *lane, const struct heddle__code *code,
                       const int64_t *idx, int64_t rows, bool new_row)
{
    const struct heddle__walk *walk = code->walk;
    if (code->ahead) heddle__ahead_fetch(code->ahead, heddle__walk_span(walk, rows));
    const bool jumps = code->n_panels > 0 && walk->near != walk->first;
    for (int m = 0; m < code->n_moving; m++) {
        const int o = code->moving[m].operand;
        char *const at =
            lane->base[o] + offset_of(walk, walk->stride[o], idx) * (int64_t)code->size[o];
        lane->ptr[code->moving[m].ptr] = at;
        const int64_t *const stride = walk->stride[o];
        if (jumps) /* the next block begins far from this one's end: no processor fetches it by itself */
            prefetch_next(walk, stride[walk->near], rows, code->size[o], at, true);
        else if (code->fetches_next && code->moving[m].is_dense)
            prefetch_next(walk, rows * stride[walk->first], rows, code->size[o], at, false);
    }
    if (code->n_panels > 0) heddle__panels_read(lane, code, idx, rows);
    /* fills of a row are for all its blocks, so as long as the longest */
    if (new_row && code->n_row > 0)
        run_steps(lane, code, code->row, code->n_row, 1, idx, walk->cut);
    run_steps(lane, code, code->steps, code->n_steps, (size_t)heddle__walk_span(walk, rows), idx,
              rows);
    const uint64_t woven = code->n_woven > 0 ? weave(lane, code, idx, rows) : 0;
    for (int c = 0; c < code->n_copies; c++) {
        if (woven >> c & 1) continue;
        const int o = code->copies[c].operand;
        const void *values = lane->ptr[code->copies[c].ptr];
        if (code->copy_streams >> c & 1)
            code->blocks->moves.stream((size_t)(rows * walk->inner) * code->size[o],
                                       lane->base[o] + offset_of(walk, walk->stride[o], idx) *
                                                           (int64_t)code->size[o],
                                       values);
        else
            scatter(lane, code, o, idx, rows, values, code->copy_scalars >> c & 1);
    }
}
