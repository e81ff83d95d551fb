/* A section of a program -> code for one walk: which values are scalars for the whole box, for a
 * row or for no longer than an element; which loads and stores go by pointer; a register for every
 * other value, shared between values that do not live at the same time. Linear in the number of
 * instructions, no allocation. What is compiled of it, runs.c decodes. Entry point: heddle__decode. */
#include "cpu/decode/decode.h"

#include <string.h>

int heddle__decode_arity(const struct heddle_instr *in)
{
    return in->code == CODE_LOOKUP ? 2 : heddle__instr_arity(in);
}

static const uint8_t size_of[HEDDLE_N_DTYPES] = {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) [HEDDLE_##ID] = bytes,
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
};

static int log2_of(const struct heddle_instr *in)
{
    return heddle__log2_size(size_of[in->result]);
}

/* ---- emission --------------------------------------------------------------------------------- */

static void emit(struct heddle__step *list, uint16_t *n, enum heddle__step_kind kind,
                 heddle__block_fn *fn, int out, int x, int y, int z)
{
    list[(*n)++] = (struct heddle__step){.fn = fn,
                                         .out = (uint16_t)out,
                                         .x = (uint16_t)x,
                                         .y = (uint16_t)y,
                                         .z = (uint16_t)z,
                                         .kind = (uint16_t)kind};
}

static void fix(struct heddle__code *code, int ptr, enum heddle__fixed_kind kind, int64_t arg)
{
    code->fixed[code->n_fixed++] =
        (struct heddle__fixed){.ptr = (uint16_t)ptr, .kind = (uint16_t)kind, .arg = (uint32_t)arg};
}

/* Value i walks the operand, from block to block. A block that is one run has no rows. */
static void follow(struct decoder *d, int i, int operand)
{
    struct heddle__code *code = d->code;
    const struct heddle__walk *walk = code->walk;
    const bool is_dense = heddle__walk_is_contiguous(walk, operand),
               is_block = d->value[i].level == ELEMENT,
               is_run = walk->first == walk->ndim - 1 && !d->columns;
    code->moving[code->n_moving++] =
        (struct heddle__link){(uint16_t)i, (uint16_t)operand, is_block && is_dense};
    code->pitch[i] = walk->stride[operand][walk->first] * code->size[operand];
    code->by_rows |= is_block && !is_dense && !is_run;
}

/* A register for ptr; `lasting`: one that no step of a block writes to. */
static int take_register(struct decoder *d, int ptr, size_t element_bytes, bool lasting)
{
    struct heddle__code *code = d->code;
    if (element_bytes > code->element_bytes) code->element_bytes = element_bytes;
    const int reg = d->n_free && !lasting ? d->free[--d->n_free] : code->n_registers++;
    fix(code, ptr, FIXED_REGISTER, reg);
    return reg;
}

void heddle__decode_release(struct decoder *d, int value)
{
    const int reg = d->value[value].reg;
    if (reg == HOME)
        d->home_free = true;
    else if (reg != NO_REGISTER)
        d->free[d->n_free++] = (uint16_t)reg;
    d->value[value].reg = NO_REGISTER;
}

/* Releases the registers of operands of instruction `of` that die now: those as large as its value, which it may be written
 * over, or the others. */
static void release_operands(struct decoder *d, int of, bool same_size)
{
    const struct heddle_instr *in = &d->instrs[of];
    const uint16_t operand[3] = {in->a, in->b, in->c};
    const int arity = heddle__decode_arity(in);
    for (int k = 0; k < arity; k++) {
        const int v = operand[k];
        if (d->value[v].last == d->now &&
            (size_of[d->instrs[v].result] == size_of[in->result]) == same_size)
            heddle__decode_release(d, v);
    }
}

/* Whether value i may lie in the home: it is read for the last time before another value comes
 * there, by the latest by the one that stays. */
static bool fits_home(const struct decoder *d, int i)
{
    if (!d->home_free || i < d->home_begin) return false;
    const int stays = d->launch->program->stores[d->home].value;
    return i < stays && d->value[i].last <= stays &&
           size_of[d->instrs[i].result] == size_of[d->instrs[stays].result];
}

/* Where value i, which changes with the element, is written: its store, the home, or a register. */
void heddle__decode_place(struct decoder *d, int i)
{
    const struct heddle_store *stores = d->launch->program->stores;
    d->value[i].placed = 1;
    if (d->value[i].direct >= 0) {
        follow(d, i, stores[d->value[i].direct].operand);
    } else if (fits_home(d, i)) {
        follow(d, i, stores[d->home].operand);
        d->value[i].reg = HOME;
        d->home_free = false;
    } else {
        d->value[i].reg = (int16_t)take_register(d, i, size_of[d->instrs[i].result], false);
    }
}

/* The pointer to a block of value v: itself, or its scalar repeated. */
static int as_block(struct decoder *d, int v)
{
    struct heddle__code *code = d->code;
    if (d->value[v].level == ELEMENT) return v;
    const int ptr = PTR_BROADCAST + v;
    if (!d->value[v].broadcast) {
        d->value[v].broadcast = 1;
        const int log2_size = log2_of(&d->instrs[v]);
        take_register(d, ptr, (size_t)1 << log2_size, true);
        if (d->value[v].level == BOX)
            emit(code->once, &code->n_once, STEP_FILL, NULL, ptr, v, log2_size, 0);
        else
            emit(code->row, &code->n_row, STEP_FILL, NULL, ptr, v, log2_size, 0);
    }
    return ptr;
}

/* Value i, which no element changes, is computed once for the box, or for a row. */
static void emit_scalar(struct decoder *d, int i, enum heddle__step_kind kind, heddle__block_fn *fn,
                        int x, int y, int z)
{
    struct heddle__code *code = d->code;
    fix(code, i, FIXED_CELL, i);
    if (d->value[i].level == BOX)
        emit(code->once, &code->n_once, kind, fn, i, x, y, z);
    else
        emit(code->row, &code->n_row, kind, fn, i, x, y, z);
}

/* ---- instructions ------------------------------------------------------------------------------ */

bool heddle__decode_is_overwritten(const struct decoder *d, int i)
{
    const struct heddle_launch *launch = d->launch;
    const void *from = d->buffers[launch->buffer[d->instrs[i].a]];
    if (d->value[i].last != END || d->reduce) return false;
    for (int s = 0; s < launch->program->n_stores; s++)
        if (d->buffers[launch->buffer[launch->program->stores[s].operand]] == from) return true;
    return false;
}

static void decode_load(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    const struct heddle__walk *walk = code->walk;
    const int o = d->instrs[i].a;
    code->weight += 1;
    if (heddle__decode_is_overwritten(d, i)) {
        heddle__decode_place(d, i);
        emit(code->steps, &code->n_steps, STEP_GATHER, NULL, i, o, heddle__log2_size(code->size[o]),
             0);
    } else if (d->value[i].level == BOX) {
        fix(code, i, FIXED_OPERAND, o);
    } else if (d->value[i].level == ROW || heddle__walk_is_contiguous(walk, o) ||
               heddle__decode_is_in_rows(d, i, o) || heddle__decode_has_step(d, i)) {
        follow(d, i, o);
    } else if (!heddle__walk_moves(walk, o, 0, walk->first + 1)) { /* the same in every block */
        take_register(d, i, code->size[o], true);
        emit(code->once, &code->n_once, STEP_GATHER, NULL, i, o, heddle__log2_size(code->size[o]),
             0);
    } else if (heddle__panels_has(code, d->buffers, o)) {
        code->weight += 1;
        code->panels[code->n_panels++] = (struct heddle__link){(uint16_t)i, (uint16_t)o, false};
    } else {
        heddle__decode_place(d, i);
        code->weight += 4;
        code->gathered++;
        emit(code->steps, &code->n_steps, STEP_GATHER, NULL, i, o, heddle__log2_size(code->size[o]),
             0);
    }
}

static void decode_index(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    const int axis = d->instrs[i].a;
    if (d->value[i].level < ELEMENT) {
        emit_scalar(d, i, STEP_INDEX, NULL, axis, 3, 0);
        return;
    }
    const enum index_form form = heddle__decode_index_form(d, i);
    if (form != INDEX_OF_ELEMENTS) code->pitch[i] = form == INDEX_OF_ROWS ? sizeof(int64_t) : 0;
    if (code->walk->axis[axis] > code->walk->first) { /* the same in every block */
        take_register(d, i, sizeof(int64_t), true);
        emit(code->once, &code->n_once, STEP_IOTA, NULL, i, axis, 3, (int)form);
    } else {
        heddle__decode_place(d, i);
        emit(code->steps, &code->n_steps, STEP_IOTA, NULL, i, axis, 3, (int)form);
    }
}

/* Scalars stay scalars: of CHECKED the extent, of LOAD_AT the operand's first element. */
static void decode_at(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    const struct heddle_instr *in = &d->instrs[i];
    const struct heddle__block_moves *moves = &code->blocks->moves;
    const bool checked = in->code == HEDDLE_CODE_CHECKED;
    const int y = checked ? in->b : PTR_OPERAND + in->b, z = checked ? PTR_BAD + in->c : PTR_NONE;
    heddle__block_fn *fn =
        checked ? moves->checked[in->dtype == HEDDLE_INT64] : moves->load_at[log2_of(in)];
    code->weight += checked ? 1 : 4;
    if (checked)
        fix(code, z, FIXED_BAD, in->c);
    else
        fix(code, y, FIXED_OPERAND, in->b);
    if (d->value[i].level == ELEMENT) {
        /* a bad index is looked for once it is known that there is one: its operand stays */
        if (!checked) release_operands(d, i, true);
        heddle__decode_place(d, i);
        if (checked) release_operands(d, i, true);
        release_operands(d, i, false);
        emit(code->steps, &code->n_steps, STEP_OP, fn, i, in->a, y, z);
        return;
    }
    emit_scalar(d, i, STEP_OP, fn, in->a, y, z);
}

static struct heddle__block_op op_of(const struct decoder *d, const struct heddle_instr *in)
{
    const struct heddle__blocks *blocks = d->code->blocks;
    const struct heddle__block_type *type = &blocks->types[in->dtype];
    if (in->code == HEDDLE_CODE_CAST)
        return (struct heddle__block_op){.vector = type->casts[in->result]};
    if (in->code == CODE_LOOKUP)
        return (struct heddle__block_op){.vector = blocks->moves.lookup[log2_of(in)]};
    return type->ops[in->code];
}

static void decode_op(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    const struct heddle_instr *in = &d->instrs[i];
    const int arity = heddle__decode_arity(in);
    const uint16_t v[3] = {in->a, in->b, in->c};
    const struct heddle__block_op op = op_of(d, in);
    const int level = d->value[i].level;
    int ptr[3] = {PTR_NONE, PTR_NONE, PTR_NONE};
    for (int k = 0; k < arity; k++) ptr[k] = v[k];
    if (level < ELEMENT) {
        emit_scalar(d, i, STEP_OP, op.vector, ptr[0], ptr[1], ptr[2]);
        return;
    }
    heddle__block_fn *fn = op.vector;
    if (arity == 2 && op.y_scalar && d->value[v[1]].level < ELEMENT) {
        fn = op.y_scalar;
    } else if (arity == 2 && op.x_scalar && d->value[v[0]].level < ELEMENT) {
        fn = op.x_scalar;
    } else {
        for (int k = 0; k < arity; k++) ptr[k] = as_block(d, v[k]);
    }
    code->weight += in->code < HEDDLE_N_OPS ? (double)heddle__ops[in->code].flops : 1;
    release_operands(d, i, true);
    heddle__decode_place(d, i);
    release_operands(d, i, false);
    emit(code->steps, &code->n_steps, STEP_OP, fn, i, ptr[0], ptr[1], ptr[2]);
}

/* Value i, and the one that is computed with it. All are of one dtype. */
static void decode_pair(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    uint16_t v[3];
    heddle__block_fn *fn = heddle__decode_pair(d, i, v);
    release_operands(d, i, true);
    release_operands(d, d->value[i].first, true);
    heddle__decode_place(d, i);
    code->weight += 1.5;
    emit(code->steps, &code->n_steps, STEP_OP, fn, i, v[0], v[1], v[2]);
}

void heddle__decode_instr(struct decoder *d, int i)
{
    struct heddle__code *code = d->code;
    const struct heddle_instr *in = &d->instrs[i];
    switch (in->code) {
    case HEDDLE_CODE_LOAD: decode_load(d, i); break;
    case HEDDLE_CODE_INDEX: decode_index(d, i); break;
    case HEDDLE_CODE_CONSTANT: fix(code, i, FIXED_CONSTANT, d->launch->constants[in->a]); break;
    case HEDDLE_CODE_REDUCED: fix(code, i, FIXED_RESULT, in->a); break;
    case HEDDLE_CODE_CHECKED:
    case HEDDLE_CODE_LOAD_AT: decode_at(d, i); break;
    default:
        if (d->value[i].first != NOT_PAIRED)
            decode_pair(d, i);
        else if (!d->value[i].is_inside)
            decode_op(d, i);
        break;
    }
}

/* ---- the section ------------------------------------------------------------------------------- */

/* Finds which values are used, how often, and when last, from the last instruction to the first; they are computed in their order. */
static void find_uses(struct decoder *d, int end)
{
    const struct heddle_program *p = d->launch->program;
    for (int i = 0; i < end; i++) d->value[i].last = DEAD, d->value[i].uses = 0;
    if (d->reduce)
        for (int r = 0; r < p->n_reductions; r++) d->value[p->reductions[r].value].last = END;
    else
        for (int s = 0; s < p->n_stores; s++) d->value[p->stores[s].value].last = END;
    for (int i = end - 1; i >= 0; i--) {
        if (d->value[i].last == DEAD) continue;
        const struct heddle_instr *in = &d->instrs[i];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        for (int k = 0; k < heddle__decode_arity(in); k++) {
            struct value *v = &d->value[operand[k]];
            if (v->last == DEAD) v->last = (uint16_t)i;
            v->uses++;
        }
    }
}

/* The first instruction that may write to the operand's elements: no load from the same buffer is
 * read after it. END: none. */
static int first_writer(const struct decoder *d, int end, int operand)
{
    const struct heddle_launch *launch = d->launch;
    const uint32_t buffer = launch->buffer[operand];
    int first = 0;
    for (int i = 0; i < end; i++) {
        if (d->instrs[i].code != HEDDLE_CODE_LOAD || d->value[i].last <= first) continue;
        const uint32_t other = launch->buffer[d->instrs[i].a];
        if (other == buffer || d->buffers[other] == d->buffers[buffer]) first = d->value[i].last;
    }
    return first;
}

/* Whether a block can be stored as it is: of padded ones what is between elements is not the operand's. */
static bool is_one_run(const struct heddle__walk *walk, int operand)
{
    return !walk->padded && heddle__walk_is_contiguous(walk, operand);
}

/* Whether a store's elements are too many, over all boxes, for a cache to hold them until they are read
 * again, and no load has brought their lines. */
static bool is_streamed(const struct decoder *d, int end, int operand)
{
    if (d->launch->passed >> operand & 1) return false; /* the next launch reads it */
    const double bytes =
        (double)d->code->size[operand] * (double)heddle__whole_kept_size(&d->launch->geometry);
    return bytes >= STREAM_BYTES && is_one_run(d->code->walk, operand) &&
           first_writer(d, end, operand) == 0;
}

/* Whether another store has the same value. */
static bool is_stored_again(const struct heddle_program *p, int s)
{
    for (int t = 0; t < p->n_stores; t++)
        if (t != s && p->stores[t].value == p->stores[s].value) return true;
    return false;
}

/* Which stores their values are written to as soon as they are computed. */
static void decode_stores(struct decoder *d, int end)
{
    const struct heddle_program *p = d->launch->program;
    for (int s = 0; s < p->n_stores; s++) {
        const struct heddle_store *store = &p->stores[s];
        if (d->value[store->value].direct >= 0 ||
            !(is_one_run(d->code->walk, store->operand) ||
              (heddle__decode_is_in_rows(d, store->value, store->operand) &&
               !is_stored_again(p, s))))
            continue;
        const int first = first_writer(d, end, store->operand);
        if (d->value[store->value].at < first || is_streamed(d, end, store->operand)) continue;
        d->value[store->value].direct = (int8_t)s;
        if (d->home >= 0 || d->plan) continue;
        d->home = s;
        d->home_begin = first;
        d->home_free = true;
    }
}

/* Stores whose value was not written in place: loads by pointer, scalars, results of reductions,
 * and values that wait for the end of the block. */
static void decode_copies(struct decoder *d, int end)
{
    struct heddle__code *code = d->code;
    const struct heddle_program *p = d->launch->program;
    for (int s = 0; s < p->n_stores; s++) {
        const uint16_t v = p->stores[s].value, o = p->stores[s].operand;
        const bool is_done = d->value[v].direct == s && d->value[v].placed;
        code->weight += is_done || is_one_run(code->walk, o) ? 1 : 5; /* as loads cost */
        if (is_done) continue;
        const uint64_t bit = UINT64_C(1) << code->n_copies;
        if (d->value[v].level < ELEMENT)
            code->copy_scalars |= bit;
        else if (is_streamed(d, end, o))
            code->copy_streams |= bit;
        code->copies[code->n_copies++] = (struct heddle__link){v, o, false};
    }
}

/* This section uses the operand: others may have no buffer here. */
static void use_operand(struct heddle__code *code, int operand)
{
    code->operands |= UINT32_C(1) << operand;
    code->size[operand] = size_of[code->launch->program->operand_dtype[operand]];
}

static void code_begin(struct heddle__code *code, struct heddle__code_room *room,
                       const struct heddle__walk *walk, const struct heddle_launch *launch)
{
    code->walk = walk;
    code->blocks = heddle__cpu_blocks();
    code->launch = launch;
    code->n_registers = code->gathered = 0;
    code->element_bytes = 1;
    code->weight = 0;
    code->n_once = code->n_row = code->n_steps = code->n_fixed = code->n_moving = code->n_panels =
        code->n_copies = code->n_pitches = 0;
    code->once = room->once;
    code->row = room->row;
    code->steps = room->steps;
    code->fixed = room->fixed;
    code->moving = room->moving;
    code->panels = room->panels;
    code->copies = room->copies;
    code->copy_scalars = code->copy_streams = 0;
    code->operands = 0;
    code->map = NULL;
    code->pitch = room->pitch;
    code->by_rows = false;
    code->together = false;
    code->form = NULL;
    code->ahead = NULL;
    code->fetches_next = false;
}

void heddle__decode(struct heddle__code *code, struct heddle__code_room *room,
                    const struct heddle__walk *walk, const struct heddle_launch *launch,
                    void *const buffers[], int end, bool reduce)
{
    const struct heddle_program *p = launch->program;
    struct decoder d; /* large: only what is used is set */
    d.code = code;
    d.launch = launch;
    d.instrs = p->instrs;
    d.buffers = buffers;
    d.n_free = 0;
    d.reduce = reduce;
    d.home = -1;
    d.home_free = false;
    d.plan = NULL;
    for (int i = 0; i < end; i++)
        d.value[i] = (struct value){
            .at = (uint16_t)i, .last = DEAD, .reg = NO_REGISTER, .first = NOT_PAIRED, .direct = -1};
    code_begin(code, room, walk, launch);

    find_uses(&d, end);
    for (int i = 0; i < end; i++)
        if (d.value[i].last != DEAD && d.instrs[i].code == HEDDLE_CODE_LOAD)
            use_operand(code, d.instrs[i].a);
        else if (d.value[i].last != DEAD && d.instrs[i].code == HEDDLE_CODE_LOAD_AT)
            use_operand(code, d.instrs[i].b);
    for (int s = 0; s < p->n_stores && !reduce; s++) use_operand(code, p->stores[s].operand);

    heddle__decode_levels(&d, end); /* asks about loads */
    d.is_heavy = false;
    if (heddle__decode_in_halves(&d, end))
        find_uses(&d, end);
    else
        heddle__decode_find_plan(&d, end);
    d.columns = heddle__decode_is_in_columns(&d);
    if (!d.plan) heddle__decode_pair_up(&d, end);
    if (!reduce) decode_stores(&d, end);
    if (d.plan) heddle__decode_plan(&d, end);
    for (d.now = 0; d.now < end && !d.plan; d.now++)
        if (d.value[d.now].last != DEAD) heddle__decode_instr(&d, d.now);
    if (reduce)
        for (int r = 0; r < p->n_reductions; r++)
            code->roots[r] = (uint16_t)as_block(&d, p->reductions[r].value);
    else
        decode_copies(&d, end);
    heddle__weave_find(code);
    heddle__decode_join_loads(&d);
    code->fetches_next = heddle__is_worth_fetching(code, reduce ? p->n_reductions : 0);
}
