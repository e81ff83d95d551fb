/* Merging of axes, the choice of a form, vectors and unrolling. It must not look at anything but the
 * launch and the alignment of its buffers. Entry point: heddle__cuda_layout. */
#include "cuda/layout.h"

#include "cuda/reductions/reductions.h"
#include "cuda/tiles/tiles.h"

#include <string.h>

enum { LIMIT_32 = 1 << 30 }; /* elements that 32-bit indices walk, with room for a step beyond */

int heddle__cuda_operand_slot(const struct heddle_cuda_class *c, int operand)
{
    return HEDDLE_SLOT_OPERAND + operand * (1 + c->n_kept + c->n_reduced);
}

int heddle__cuda_divides_by(const struct heddle_program *p, const struct heddle_instr *in)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)in->dtype;
    return (in->code == HEDDLE_OP_FLOOR_DIVIDE || in->code == HEDDLE_OP_REMAINDER) &&
           p->instrs[in->b].code == HEDDLE_CODE_CONSTANT && p->instrs[in->b].dtype == in->dtype &&
           strchr("IU", heddle_dtype_kind(dtype));
}

int heddle__cuda_has_divisor(const struct heddle_program *p, int constant)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)p->constant_dtype[constant];
    if (!strchr("IU", heddle_dtype_kind(dtype))) return 0;
    for (int i = 0; i < p->n_instrs; i++)
        if (heddle__cuda_divides_by(p, &p->instrs[i]) && p->instrs[p->instrs[i].b].a == constant)
            return 1;
    return 0;
}

int heddle__cuda_slots_of_constant(const struct heddle_program *p, int constant)
{
    return p->constant_dtype[constant] == HEDDLE_COMPLEX128 || heddle__cuda_has_divisor(p, constant)
               ? 2
               : 1;
}

int heddle__cuda_constant_slot(const struct heddle_program *p, const struct heddle_cuda_class *c,
                               int constant)
{
    int slot = heddle__cuda_operand_slot(c, p->n_operands);
    for (int k = 0; k < constant; k++) slot += heddle__cuda_slots_of_constant(p, k);
    return slot;
}

int heddle__cuda_moved_slot(const struct heddle_program *p, const struct heddle_cuda_class *c,
                            int operand)
{
    int slot = heddle__cuda_constant_slot(p, c, p->n_constants) + c->stretches;
    for (int k = 0; k < operand; k++)
        if (c->walk[k] == HEDDLE_WALK_MOVED) slot += c->stretches;
    return slot;
}

int heddle__cuda_n_slots(const struct heddle_program *p, const struct heddle_cuda_class *c)
{
    return heddle__cuda_moved_slot(p, c, p->n_operands);
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Whether the last merged axis and the new inner one walk as one for all operands. */
static int can_merge(const struct heddle_program *p, const struct heddle_launch *launch,
                     const struct heddle_cuda_layout *l, int last, int axis, int reduced)
{
    const struct heddle_geometry *g = &launch->geometry;
    if (launch->stretches && axis == g->ndim - 1) return 0;
    for (int k = 0; k < p->n_operands; k++) {
        if (reduced && !l->used_before[k]) continue;
        if (l->stride[k][last] != launch->access[k].stride[axis] * g->extent[axis]) return 0;
    }
    return 1;
}

/* Appends the axes from..to-1, merged, at merged axis `at`; returns how many there are then. */
static int merge(const struct heddle_launch *launch, struct heddle_cuda_layout *l, int from, int to,
                 int at, int reduced)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_geometry *g = &launch->geometry;
    const int first = at;
    const int flat = reduced && heddle__has_arg(p);
    int64_t flat_stride[HEDDLE_MAX_NDIM] = {0}, size = 1;
    for (int d = to - 1; flat && d >= from; d--) {
        flat_stride[d] = size;
        size *= g->whole[d];
        l->flat_offset += g->origin[d] * flat_stride[d];
    }
    int last_is_index = 0;
    for (int d = from; d < to; d++) {
        const int is_index = p->index_axes >> d & 1;
        l->class.axis[d] = -1;
        if (g->extent[d] == 1) continue;
        const int joins = at > first && !is_index && !last_is_index &&
                          can_merge(p, launch, l, at - 1, d, reduced) &&
                          (!flat || l->flat_stride[at - 1] == flat_stride[d] * g->extent[d]);
        const int m = joins ? at - 1 : at++;
        l->extent[m] = joins ? l->extent[m] * g->extent[d] : g->extent[d];
        l->flat_stride[m] = flat_stride[d];
        for (int k = 0; k < p->n_operands; k++) l->stride[k][m] = launch->access[k].stride[d];
        if (is_index) l->class.axis[d] = (int8_t)m;
        l->merged[d] = (int8_t)m;
        last_is_index = is_index;
    }
    return at;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static int needs_wide(const struct heddle_launch *launch, const struct heddle_cuda_layout *l)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_stretches *const moved = launch->stretches;
    const int ndim = l->class.n_kept + l->class.n_reduced;
    if (l->kept >= LIMIT_32 || l->reduced >= LIMIT_32 || l->n_chunks >= LIMIT_32) return 1;
    if (l->kept * l->n_chunks >= LIMIT_32) return 1;
    for (int k = 0; k < p->n_operands; k++) {
        int64_t reach = 0;
        for (int d = 0; d < ndim; d++) {
            const int64_t s = l->stride[k][d] < 0 ? -l->stride[k][d] : l->stride[k][d];
            if (s >= INT32_MAX) return 1;
            reach += s * (l->extent[d] < LIMIT_32 ? l->extent[d] : LIMIT_32);
        }
        for (int s = 0; moved && s < moved->n; s++) {
            const int64_t apart = moved->apart[s][k] < 0 ? -moved->apart[s][k] : moved->apart[s][k];
            if (apart >= (INT32_MAX - reach) / 2) return 1; /* kernels add differences of two */
        }
        if (reach >= INT32_MAX) return 1;
    }
    return 0;
}

static int is_narrow(const struct heddle_program *p, const struct heddle_cuda_layout *l)
{
    const struct heddle_cuda_class *c = &l->class;
    if (!c->wide || c->form != HEDDLE_FORM_BLOCK || c->side > 0 || c->together > 0 ||
        c->n_reduced < 2 || l->chunk >= LIMIT_32)
        return 0;
    for (int d = c->n_kept; d < c->n_kept + c->n_reduced; d++) {
        if (l->extent[d] >= LIMIT_32) return 0;
        for (int k = 0; k < p->n_operands; k++)
            if (l->stride[k][d] >= INT32_MAX || l->stride[k][d] <= -INT32_MAX) return 0;
    }
    return 1;
}

double heddle__cuda_weight(const struct heddle_program *p, int from, int to)
{
    double w = 0;
    for (int i = from; i < to; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        const int complex_ = heddle_dtype_kind((enum heddle_dtype)in->dtype) == 'C';
        const double f = in->code < HEDDLE_N_OPS ? (double)heddle__ops[in->code].flops : 0;
        w += 1 + f * (complex_ ? 6 : 1);
    }
    return w;
}

uint8_t heddle__cuda_walk_of(const struct heddle_cuda_layout *l, int operand, int from, int to)
{
    const int64_t *s = l->stride[operand];
    int still = 1;
    for (int d = from; d < to; d++) still &= s[d] == 0;
    if (still) return HEDDLE_WALK_STILL;
    if (s[to - 1] == 1) return HEDDLE_WALK_UNIT;
    return s[to - 1] == 0 ? HEDDLE_WALK_REPEAT : HEDDLE_WALK_GENERAL;
}

static int is_contiguous(const struct heddle_cuda_layout *l, int operand)
{
    int64_t expected = 1;
    for (int d = l->class.n_kept - 1; d >= 0; d--) {
        if (l->stride[operand][d] != expected) return 0;
        expected *= l->extent[d];
    }
    return 1;
}

int heddle__cuda_is_run(const struct heddle_launch *launch, void *const buffers[],
                        const struct heddle_cuda_layout *l, int k, int axis, int length)
{
    const int64_t size =
        (int64_t)heddle_dtype_size((enum heddle_dtype)launch->program->operand_dtype[k]);
    const int64_t bytes = size * length;
    const int64_t unit = (bytes & -bytes) < 16 ? bytes & -bytes : 16; /* as hd_vector's */
    const int64_t base = buffers ? (int64_t)((uintptr_t)buffers[launch->buffer[k]] & 15) : 0;
    if ((base + launch->access[k].offset * size) % unit != 0) return 0;
    for (int d = 0; d < l->class.n_kept + l->class.n_reduced; d++)
        if (d != axis && l->stride[k][d] * size % unit != 0) return 0;
    return 1;
}

int heddle__cuda_is_aligned(const struct heddle_launch *launch, void *const buffers[],
                            const struct heddle_cuda_layout *l, int vector)
{
    const int inner = l->class.n_kept - 1;
    for (int k = 0; k < launch->program->n_operands; k++) {
        const uint8_t walk = l->class.walk[k];
        const int is_comb = walk == HEDDLE_WALK_COMB;
        if (is_comb
                ? l->class.comb[k].first != k
                : walk != HEDDLE_WALK_UNIT && walk != HEDDLE_WALK_ROW && walk != HEDDLE_WALK_ACROSS)
            continue;
        if (!heddle__cuda_is_run(launch, buffers, l, k,
                                 walk == HEDDLE_WALK_ACROSS ? inner - 1 : inner,
                                 is_comb ? vector * l->class.comb[k].step : vector))
            return 0;
    }
    return 1;
}

/* ---- forms ----------------------------------------------------------------------------------- */

uint8_t heddle__cuda_draws_from_even(const struct heddle_launch *launch, int from)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_geometry *g = &launch->geometry;
    int draws = 0;
    for (int i = 0; i < p->n_before; i++)
        draws |= p->instrs[i].code < HEDDLE_N_OPS &&
                 heddle__ops[p->instrs[i].code].accepts == HEDDLE_ACCEPTS_I64;
    for (int d = from; d < g->ndim; d++)
        if (p->index_axes >> d & 1 && g->origin[d] % 4 != 0) draws = 0;
    return (uint8_t)draws;
}

/* Whether numbers of 8 bytes are computed of smaller ones, or these of them: conversions of which a multiprocessor does 16 at once. */
static int converts_doubles(const struct heddle_program *p)
{
    for (int i = 0; i < p->n_instrs; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code == HEDDLE_CODE_CAST &&
            (in->dtype == HEDDLE_FLOAT64) != (in->result == HEDDLE_FLOAT64))
            return 1;
    }
    return 0;
}

/* The table of a map whose elements depend on one array of bytes alone, and take so long to compute that a table of all 256, which each
 * block makes for itself, is faster. Copies for lanes take 32 times as long to make, and room. */
static enum heddle_cuda_table choose_table(const struct heddle_program *p,
                                           const struct heddle_cuda_layout *l, double w)
{
    enum {
        LEAST_WEIGHT = 12,
        LEAST_CONVERTED = 8, /* with conversions of doubles */
        LEAST_ELEMENTS = 1 << 14,
        LEAST_OF_LANES = 1 << 20,
        MOST_BYTES = 4 /* of the one result, whose table has 32 KB then */
    };
    int n = 0;
    if (l->kept < LEAST_ELEMENTS || p->index_axes || p->n_checked) return HEDDLE_TABLE_NONE;
    for (int i = 0; i < p->n_instrs; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code != HEDDLE_CODE_LOAD || l->class.walk[in->a] == HEDDLE_WALK_STILL) continue;
        if (in->dtype != HEDDLE_UINT8 && in->dtype != HEDDLE_INT8) return HEDDLE_TABLE_NONE;
        n++;
    }
    if (n != 1) return HEDDLE_TABLE_NONE;
    const int of_lanes =
        l->kept >= LEAST_OF_LANES && p->n_stores == 1 &&
        heddle_dtype_size((enum heddle_dtype)p->operand_dtype[p->stores[0].operand]) <= MOST_BYTES;
    if (w < (of_lanes && converts_doubles(p) ? LEAST_CONVERTED : LEAST_WEIGHT))
        return HEDDLE_TABLE_NONE;
    return of_lanes ? HEDDLE_TABLE_OF_LANES : HEDDLE_TABLE_PLAIN;
}

/* Whether neighbours of all GENERAL operands, which are small and only loaded, lie so near each other that a warp's are in few lines of
 * the cache: then a thread loads those of a vector one by one, and what it stores is as wide as it can be. */
static int lie_near(const struct heddle_program *p, const struct heddle_cuda_layout *l)
{
    enum { SMALL = 2, NEAR = 8 };
    const int inner = l->class.n_kept - 1;
    for (int k = 0; k < p->n_operands; k++) {
        const int64_t step = l->stride[k][inner];
        if (l->class.walk[k] != HEDDLE_WALK_GENERAL) continue;
        if (l->stored[k] || step > NEAR || step < -NEAR ||
            heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]) > SMALL)
            return 0;
    }
    return 1;
}

/* Arithmetic that is the same for all elements of a row. */
static double weight_of_rows(const struct heddle_program *p, const struct heddle_cuda_class *c)
{
    uint8_t differs[HEDDLE_MAX_INSTRS];
    double w = 0;
    heddle__cuda_differ_in_rows(p, c, differs);
    for (int i = 0; i < p->n_instrs; i++)
        if (!differs[i]) w += heddle__cuda_weight(p, i, i + 1);
    return w;
}

/* FLAT: whether a thread has a whole row, of few elements, as much of the arithmetic is the same for all of them. */
static int takes_rows(const struct heddle_program *p, const struct heddle_cuda_layout *l,
                      int64_t widest)
{
    enum { MOST_BYTES = 64, LEAST_WEIGHT = 12 };
    const int64_t row = l->extent[l->class.n_kept - 1];
    return row * widest <= MOST_BYTES && weight_of_rows(p, &l->class) >= LEAST_WEIGHT;
}

/* FLAT: the most elements, up to `most`, or all of a row, that all operands have together, or as one, in each row; or 1. Then their
 * walks say so. */
static int choose_flat_vector(const struct heddle_launch *launch, void *const buffers[],
                              struct heddle_cuda_layout *l, int most, int64_t widest)
{
    const int n = launch->program->n_operands, inner = l->class.n_kept - 1;
    struct heddle_cuda_class *c = &l->class;
    uint8_t walk[HEDDLE_MAX_OPERANDS];
    memcpy(walk, c->walk, sizeof walk);
    int vector = most;
    if (takes_rows(launch->program, l, widest)) vector = (int)l->extent[inner];
    while (l->extent[inner] % vector != 0) vector /= 2;
    for (int k = 0; k < n; k++) {
        if (c->walk[k] != HEDDLE_WALK_GENERAL) continue;
        const int64_t step = l->stride[k][inner];
        if (step == 1)
            c->walk[k] = HEDDLE_WALK_ROW;
        else if (step == 0 && !l->stored[k])
            c->walk[k] = HEDDLE_WALK_REPEAT;
        else
            vector = 1;
    }
    while (vector > 1 && !heddle__cuda_is_aligned(launch, buffers, l, vector)) vector /= 2;
    if (vector == 1) memcpy(c->walk, walk, sizeof walk);
    return vector;
}

/* Which operands lie alike: threads compute their offsets once. */
static void find_places(const struct heddle_program *p, struct heddle_cuda_layout *l)
{
    struct heddle_cuda_class *c = &l->class;
    for (int k = 0; k < p->n_operands; k++) {
        int first = 0;
        while (c->walk[first] != c->walk[k] ||
               memcmp(l->stride[first], l->stride[k], sizeof l->stride[k]) != 0)
            first++;
        c->place[k] = (uint8_t)first;
        for (int d = 0; d < c->n_kept; d++) c->still[k] |= (uint8_t)((l->stride[k][d] == 0) << d);
    }
}

/* A map: form, walks; then as many elements for a thread as keep memory busy, fewer where each costs
 * much arithmetic (they only add registers and compile time). */
static void choose_map(const struct heddle_launch *launch, void *const buffers[],
                       struct heddle_cuda_layout *l)
{
    const struct heddle_program *p = launch->program;
    struct heddle_cuda_class *c = &l->class;
    const int inner = c->n_kept - 1,
              may_tile = !p->n_checked && !launch->stretches && heddle__tiles_order(p, l);
    const double weight = heddle__cuda_weight(p, 0, p->n_instrs);
    int64_t widest = 1, widest_stored = 1, loaded = 0, stored = 0;
    for (int k = 0; k < p->n_operands; k++) {
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        if (size > widest) widest = size;
        if (size > widest_stored && l->stored[k]) widest_stored = size;
    }
    c->whole = 1;
    c->form = inner == 0              ? HEDDLE_FORM_LINEAR
              : l->extent[inner] < 32 ? HEDDLE_FORM_FLAT
              : !may_tile && heddle__cuda_rows_leave_idle(l, weight, (int)(16 / widest))
                  ? HEDDLE_FORM_FLAT
                  : HEDDLE_FORM_ROWS;
    /* Bytes of a piece that a thread stores: more, and those of a warp's threads are in too many lines of the cache. */
    enum { MOST_STORED = 16, MOST_STORED_SMALL = 32, MOST_LOADED = 128 };
    enum {
        MOST_COMBED = 32,
        MOST_COMBED_SMALL = 64
    }; /* bytes that a thread loads, or stores, in pieces */
    int general = 0;
    for (int k = 0; k < p->n_operands; k++) {
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        c->walk[k] = heddle__cuda_walk_of(l, k, 0, c->n_kept);
        for (int d = 0; d < c->n_kept; d++) c->still[k] |= (uint8_t)((l->stride[k][d] == 0) << d);
        if (c->form == HEDDLE_FORM_FLAT && c->walk[k] != HEDDLE_WALK_STILL)
            c->walk[k] = is_contiguous(l, k) ? HEDDLE_WALK_UNIT : HEDDLE_WALK_GENERAL;
        if (launch->stretches && launch->stretches->moved >> k & 1) {
            c->walk[k] = HEDDLE_WALK_MOVED;
            c->stretches = (uint8_t)launch->stretches->n;
        }
        if (c->walk[k] == HEDDLE_WALK_GENERAL) general = 1;
        if (l->used_before[k]) loaded += size;
    }
    double w = weight;
    c->table = (uint8_t)choose_table(p, l, w);
    c->even = heddle__cuda_draws_from_even(launch, 0);
    l->few_blocks = c->table || (c->even && w > 100);
    if (c->table) w = 2;
    int vector = (int)(16 / widest);
    /* Narrow results of wide operands: two pieces of these, so that what is stored, and what else is loaded, is not a few bytes. */
    if (!general && c->form != HEDDLE_FORM_FLAT && 2 * vector * widest_stored <= 16 &&
        2 * vector * loaded <= MOST_LOADED &&
        (c->form == HEDDLE_FORM_LINEAR || l->extent[inner] >= 64 * vector))
        vector *= 2;
    if (w > 40 && vector > 4) vector = 4;
    if (w * vector > 6000) vector = 1;
    if (may_tile && !c->table && heddle__tiles_choose(launch, buffers, w, vector, l)) return;
    if (c->form == HEDDLE_FORM_ROWS) vector = heddle__cuda_row_vector(l->extent[inner], vector);
    const int combs =
        general && c->form != HEDDLE_FORM_FLAT && !c->table && heddle__cuda_choose_combs(launch, l);
    if (c->form == HEDDLE_FORM_FLAT)
        vector = c->table ? 1 : choose_flat_vector(launch, buffers, l, vector, widest);
    else if (general && !combs && !lie_near(p, l))
        vector = 1;
    const int64_t combed = heddle__cuda_bytes_of_combs(p, l, &stored);
    while (vector > 1 && (vector * stored > (widest <= 2 ? MOST_STORED_SMALL : MOST_STORED) ||
                          !heddle__cuda_is_aligned(launch, buffers, l, vector)))
        vector /= 2;
    if (vector == 1 && !(stored && heddle__cuda_is_aligned(launch, buffers, l, 1)))
        heddle__cuda_drop_combs(c);
    else
        loaded += combed;
    /* Longer pieces of a thread are in too many lines that its warp loads at once. */
    while (vector > 1 && vector * combed > MOST_COMBED && vector * combed / 2 % 16 == 0)
        vector /= 2;
    /* A linear walk has 16 bytes an operand in flight for each thread: more blocks hide more. Small elements take more arithmetic, during which nothing
     * is loaded. */
    const int64_t enough = c->form != HEDDLE_FORM_LINEAR ? 64 : widest <= 2 ? 32 : 16;
    int unroll = w <= 40 ? (int)(enough / (vector * widest)) : 4 / vector;
    /* The keys of the rounds are made once for a thread, and take as long as two blocks of random numbers. */
    if (c->even && loaded == 0) unroll = 4;
    if (unroll > 4) unroll = 4;
    while (unroll > 1 && vector * unroll > 32) unroll /= 2;
    while (unroll > 1 && loaded * vector * unroll > 320) unroll /= 2;
    while (unroll > 1 && w * vector * unroll > 3000) unroll /= 2;
    /* Each small element of a piece has a register. */
    while (unroll > 1 && combed > 0 && widest <= 2 && loaded * vector * unroll > MOST_COMBED_SMALL)
        unroll /= 2;
    c->vector = (uint8_t)vector;
    c->unroll = (uint8_t)(unroll < 1 ? 1 : unroll);
    find_places(p, l);
    heddle__cuda_share_rows(launch, l);
}

void heddle__cuda_layout(const struct heddle_launch *launch, void *const buffers[],
                         struct heddle_cuda_layout *l)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_geometry *g = &launch->geometry;
    memset(l, 0, sizeof *l);
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) l->used_before[p->instrs[i].a] = 1;
    for (int i = 0; i < p->n_stores; i++) l->stored[p->stores[i].operand] = 1;
    memset(l->class.axis, -1, sizeof l->class.axis);
    const int n_kept = merge(launch, l, 0, g->n_kept, 0, 0);
    l->class.n_kept = (uint8_t)n_kept;
    l->kept = heddle__kept_size(g);
    l->n_chunks = 1;
    if (p->n_reductions > 0) {
        heddle__reductions_chunks(g, l);
        if (g->phase != HEDDLE_PHASE_COMBINE && l->reduced > 0)
            l->class.n_reduced =
                (uint8_t)(merge(launch, l, g->n_kept, g->ndim, n_kept, 1) - n_kept);
        heddle__reductions_choose(launch, buffers, l);
    } else {
        if (n_kept == 0) { /* one element: as an axis of it */
            l->class.n_kept = 1;
            l->extent[0] = 1;
            for (int k = 0; k < p->n_operands; k++) l->stride[k][0] = 1;
        }
        choose_map(launch, buffers, l);
    }
    l->class.wide = (uint8_t)needs_wide(launch, l);
    l->class.narrow = (uint8_t)is_narrow(p, l);
}
