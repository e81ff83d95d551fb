/* Levels of values, and which sums, differences and products of floating numbers are computed two at a time: the value
 * between them is used once (or is squared) and needs no register, so that a pass over a block is saved, and three of six accesses to
 * the cache. Columns of the same records are loaded together, so that each line of these is read once. Entry points:
 * heddle__decode_levels, _pair_up, heddle__decode_pair, heddle__decode_join_loads. */
#include "cpu/decode/decode.h"

#include <string.h>

static enum level level_of_load(const struct heddle__walk *walk, int operand)
{
    if (heddle__walk_moves(walk, operand, walk->first, walk->ndim)) return ELEMENT;
    return heddle__walk_moves(walk, operand, 0, walk->first) ? ROW : BOX;
}

static enum level level_of_index(const struct heddle__walk *walk, int axis)
{
    if (walk->axis[axis] < 0) return BOX;
    return walk->axis[axis] < walk->first ? ROW : ELEMENT;
}

static enum level level_of(const struct decoder *d, int i)
{
    const struct heddle_instr *in = &d->instrs[i];
    const struct heddle__walk *walk = d->code->walk;
    switch (in->code) {
    case HEDDLE_CODE_LOAD:
        return heddle__decode_is_overwritten(d, i) ? ELEMENT : level_of_load(walk, in->a);
    case HEDDLE_CODE_INDEX: return level_of_index(walk, in->a);
    case HEDDLE_CODE_CONSTANT: return BOX;
    case HEDDLE_CODE_REDUCED: return ELEMENT;
    default: break;
    }
    const uint16_t operand[3] = {in->a, in->b, in->c};
    int level = BOX;
    for (int k = 0; k < heddle__decode_arity(in); k++)
        if (d->value[operand[k]].level > level) level = d->value[operand[k]].level;
    return (enum level)level;
}

void heddle__decode_levels(struct decoder *d, int end)
{
    for (int i = 0; i < end; i++)
        if (d->value[i].last != DEAD) d->value[i].level = (uint8_t)level_of(d, i);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

/* The number of an operation that pairs have; -1: they do not. */
static int pair_op(const struct heddle_instr *in)
{
    if (in->dtype != HEDDLE_FLOAT32 && in->dtype != HEDDLE_FLOAT64) return -1;
    switch (in->code) {
    case HEDDLE_OP_ADD: return HEDDLE_PAIR_ADD;
    case HEDDLE_OP_SUBTRACT: return HEDDLE_PAIR_SUBTRACT;
    case HEDDLE_OP_MULTIPLY: return HEDDLE_PAIR_MULTIPLY;
    default: return -1;
    }
}

static bool is_square(const struct heddle_instr *in)
{
    return in->code == HEDDLE_OP_MULTIPLY && in->a == in->b;
}

/* Whether i can be computed with the one operation that uses it. Its first operand has a value for each element. */
static bool can_pair(const struct decoder *d, int i)
{
    const struct heddle_instr *in = &d->instrs[i];
    const struct value *v = &d->value[i];
    if (v->last == END || v->level != ELEMENT || v->first != NOT_PAIRED || pair_op(in) < 0 ||
        d->value[in->a].level != ELEMENT)
        return false;
    const struct heddle_instr *second = &d->instrs[v->last];
    return v->uses == (is_square(second) ? 2 : 1) && pair_op(second) >= 0 &&
           second->dtype == in->dtype && d->value[v->last].first == NOT_PAIRED;
}

static void use_later(struct decoder *d, int value, int second)
{
    if (d->value[value].last < second) d->value[value].last = (uint16_t)second;
}

void heddle__decode_pair_up(struct decoder *d, int end)
{
    for (int i = 0; i < end; i++) {
        if (d->value[i].last == DEAD || !can_pair(d, i)) continue;
        const int second = d->value[i].last;
        d->value[second].first = (int16_t)i;
        d->value[i].is_inside = true;
        use_later(d, d->instrs[i].a, second);
        use_later(d, d->instrs[i].b, second);
    }
}

heddle__block_fn *heddle__decode_pair(const struct decoder *d, int second, uint16_t operand[3])
{
    const struct heddle_instr *last = &d->instrs[second];
    const int first = d->value[second].first;
    const struct heddle_instr *in = &d->instrs[first];
    const bool square = is_square(last), is_right = last->a != first; /* z - (x op y), say */
    operand[0] = in->a;
    operand[1] = in->b;
    operand[2] = square ? PTR_NONE : is_right ? last->a : last->b;
    return (*d->code->blocks->pairs)[in->dtype == HEDDLE_FLOAT64][pair_op(in)]
                                    [square ? HEDDLE_PAIR_SQUARE : pair_op(last)][is_right]
                                    [d->value[operand[1]].level < ELEMENT]
                                    [!square && d->value[operand[2]].level < ELEMENT];
}

/* ---- Columns of records ------------------------------------------------------------------------------------- */

/* By where they are. */
static bool is_before(const struct heddle_launch *launch, const struct heddle__step *a,
                      const struct heddle__step *b)
{
    const uint32_t x = launch->buffer[a->x], y = launch->buffer[b->x];
    return x != y ? x < y : launch->access[a->x].offset < launch->access[b->x].offset;
}

static void sort_loads(const struct heddle_launch *launch, struct heddle__step *first,
                       const struct heddle__step *last)
{
    for (struct heddle__step *s = first + 1, *to; s < last; s++) {
        const struct heddle__step load = *s;
        for (to = s; to > first && is_before(launch, &load, to - 1); to--) to[0] = to[-1];
        *to = load;
    }
}

/* Whether `other` lies behind `column`, in the same records as `first`. */
static bool is_next_column(const struct decoder *d, const struct heddle__step *first,
                           const struct heddle__step *column, const struct heddle__step *other)
{
    const struct heddle__walk *walk = d->code->walk;
    const struct heddle_launch *launch = d->launch;
    const int64_t *stride = walk->stride[first->x], offset = launch->access[other->x].offset;
    return launch->buffer[first->x] == launch->buffer[other->x] &&
           offset > launch->access[column->x].offset &&
           offset - launch->access[first->x].offset < stride[walk->ndim - 1] &&
           !memcmp(stride, walk->stride[other->x], (size_t)walk->ndim * sizeof *stride);
}

/* Loads first..last-1, of elements of one size, in any order. */
static void join_loads(const struct decoder *d, struct heddle__step *first,
                       const struct heddle__step *last)
{
    const int64_t least =
        first->y <= 2 ? 2 : 3; /* of large elements compilers' loops do well with less */
    const struct heddle__walk *walk = d->code->walk;
    sort_loads(d->launch, first, last);
    for (struct heddle__step *next; first < last; first = next) {
        next = first + 1;
        if (walk->stride[first->x][walk->ndim - 1] < least) continue;
        while (next < last && next - first < HEDDLE_COLUMNS &&
               is_next_column(d, first, next - 1, next))
            next++;
        if (next - first == 1) continue;
        first->kind = STEP_COLUMNS;
        first->z = (uint16_t)(next - first);
    }
}

void heddle__decode_join_loads(const struct decoder *d)
{
    struct heddle__code *code = d->code;
    const struct heddle__step *const end = code->steps + code->n_steps;
    for (struct heddle__step *first = code->steps, *last; first < end; first = last) {
        last = first + 1;
        if (first->kind != STEP_GATHER || !code->blocks->moves.columns[first->y]) continue;
        while (last < end && last->kind == STEP_GATHER && last->y == first->y) last++;
        join_loads(d, first, last);
    }
}
