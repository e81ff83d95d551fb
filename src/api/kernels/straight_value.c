/* Expressions of a kernel as operations over arrays, or as numbers where all is known. Entry point:
 * heddle__straight_value. */
#include "api/kernels/straight.h"

#include "graph/make.h"
#include "kernel_text/form.h"

#include <heddle/elementwise.h>

heddle_array *heddle__straight_array(struct kernel_value v, enum heddle_dtype dtype)
{
    return v.array ? v.array : heddle__hand_out(heddle__make_constant(v.number, dtype, 0, NULL));
}

struct kernel_value heddle__straight_cast(struct kernel_value v, enum heddle_dtype from,
                                          enum heddle_dtype to)
{
    if (v.array)
        v.array = heddle_astype(v.array, to);
    else
        v.number = heddle__convert(v.number, from, to);
    return v;
}

static struct kernel_value value_as(struct straight *s, const struct kernel_node *n,
                                    enum heddle_dtype to)
{
    return heddle__straight_cast(heddle__straight_value(s, n), heddle__straight_type(s, n), to);
}

static heddle_array *integer(int64_t value)
{
    return heddle__straight_array((struct kernel_value){.number.i64 = value}, HEDDLE_INT64);
}

/* k along one axis, as numbers that nobody stores. */
static heddle_array *counter(const struct heddle__kernel_call *c, int d)
{
    heddle_array *const all = heddle__make_index(c->shape.extent[d]);
    const struct heddle_map map = {.n = 1, .axis = {(int8_t)d}, .step = {1}};
    heddle_array *const k =
        all ? heddle__hand_out(heddle__make_view(all, &map, c->shape.ndim, c->shape.extent)) : NULL;
    heddle__release(all);
    return k ? k : heddle__error_last();
}

/* step[d] k */
static heddle_array *index_along(const struct heddle__kernel_call *c, int d)
{
    heddle_array *const k = counter(c, d);
    return c->step[d] == 1 ? k : heddle_multiply(k, integer(c->step[d]));
}

heddle_array *heddle__kernel_places(const struct heddle__kernel_call *c)
{
    heddle_array *sum = NULL;
    for (int d = 0; d < c->shape.ndim; d++) {
        if (c->shape.extent[d] == 1) continue;
        heddle_array *const along = index_along(c, d);
        sum = sum ? heddle_add(sum, along) : along;
    }
    return sum;
}

/* i: the place of each element in C order; of one element it is a number. */
static struct kernel_value index_of(struct straight *s)
{
    const struct heddle__kernel_call *const c = s->call;
    if (!s->index) s->index = c->places ? c->places : heddle__kernel_places(c);
    if (!s->index || c->first == 0)
        return (struct kernel_value){.array = s->index, .number.i64 = c->first};
    return (struct kernel_value){.array = heddle_add(s->index, integer(c->first))};
}

static struct kernel_value symbol(struct straight *s, const struct kernel_node *n)
{
    switch (s->call->tree->symbols[n->symbol].kind) {
    case KERNEL_INDEX: return index_of(s);
    case KERNEL_SIZE: return (struct kernel_value){.number.i64 = s->call->size};
    default: return *heddle__straight_name(s, n->symbol);
    }
}

struct kernel_value *heddle__straight_element(struct straight *s, const struct kernel_node *n,
                                              bool *known)
{
    const int extent = s->call->tree->symbols[n->symbol].extent;
    *known = false;
    if (!extent) return NULL; /* of a raw parameter */
    const struct kernel_value at = value_as(s, n->b, HEDDLE_INT64);
    *known = !at.array;
    return *known && at.number.i64 >= 0 && at.number.i64 < extent
               ? heddle__straight_name(s, n->symbol) + at.number.i64
               : NULL;
}

static struct kernel_value element(struct straight *s, const struct kernel_node *n)
{
    bool known;
    const struct kernel_value *const v = heddle__straight_element(s, n, &known);
    s->crooked |= !known;
    return v ? *v : (struct kernel_value){0};
}

/* The index of each element along an axis that is known. */
static struct kernel_value place(struct straight *s, const struct kernel_node *n)
{
    const struct heddle_shape *const shape = &s->call->shape;
    const struct kernel_value axis =
        n->b ? value_as(s, n->b, HEDDLE_INT64) : (struct kernel_value){.array = NULL};
    s->crooked |= axis.array != NULL;
    const int64_t d = axis.number.i64;
    if (s->crooked || d < 0 || d >= shape->ndim) return (struct kernel_value){0};
    return (struct kernel_value){.array = counter(s->call, (int)d)};
}

static struct kernel_value invoke(struct straight *s, const struct kernel_node *n)
{
    const struct kernel_tree *const tree = s->call->tree;
    const struct kernel_helper *const h = &tree->helpers[n->symbol];
    struct kernel_value values[KERNEL_MAX_ARGUMENTS];
    const struct kernel_node *x = n->a;
    for (int i = 0; i < h->n; i++, x = x->next)
        values[i] = value_as(s, x, (enum heddle_dtype)s->call->types.symbols[h->first + i]);
    for (int i = 0; i < h->n; i++) *heddle__straight_name(s, h->first + i) = values[i];
    if (!s->crooked) heddle__straight_helper(s, h);
    return *heddle__straight_name(s, h->result);
}

/* Elements of a raw input, or its extent along an axis that is known. */
static struct kernel_value extent(struct straight *s, const struct kernel_node *n)
{
    const struct heddle__kernel_call *const c = s->call;
    struct kernel_value axis = {.number.i64 = -1};
    if (n->symbol >= c->tree->n_in) { /* a raw output */
        s->crooked = true;
        return axis;
    }
    const heddle_array *const a = c->in[n->symbol];
    if (!n->b) return (struct kernel_value){.number.i64 = a->size};
    axis = value_as(s, n->b, HEDDLE_INT64);
    s->crooked |= axis.array != NULL;
    const int64_t d = axis.number.i64;
    return (struct kernel_value){.number.i64 =
                                     !axis.array && d >= 0 && d < a->ndim ? a->shape[d] : 1};
}

/* && and || of a known left side may leave the right one alone, as C does. */
static bool decides(const struct kernel_node *n, struct kernel_value a)
{
    return !a.array && ((n->op == KERNEL_AND && !a.number.b) || (n->op == KERNEL_OR && a.number.b));
}

static struct kernel_value operation(struct straight *s, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = heddle__kernel_operands(&s->call->types, n);
    const enum kernel_operator op = (enum kernel_operator)n->op;
    const struct kernel_value a = value_as(s, n->a, dtype);
    if (decides(n, a)) return a;
    const struct kernel_value b = n->b ? value_as(s, n->b, dtype) : a;
    struct kernel_value r = {0};
    if (!a.array && !b.array) {
        if (op == KERNEL_AND || op == KERNEL_OR) return b;
        if (op == KERNEL_NOT) return (struct kernel_value){.number.b = !a.number.b};
        if (heddle__straight_fold(op, dtype, a.number, b.number, &r.number)) return r;
    }
    s->n_steps += s->loops > 0;
    r.array = heddle__straight_operation(op, dtype, heddle__straight_array(a, dtype),
                                         n->b ? heddle__straight_array(b, dtype) : NULL);
    return r;
}

static struct kernel_value choice(struct straight *s, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = heddle__straight_type(s, n);
    const struct kernel_value condition = value_as(s, n->a, HEDDLE_BOOL);
    if (!condition.array) return value_as(s, condition.number.b ? n->b : n->c, dtype);
    heddle_array *const b = heddle__straight_array(value_as(s, n->b, dtype), dtype);
    heddle_array *const c = heddle__straight_array(value_as(s, n->c, dtype), dtype);
    s->n_steps += s->loops > 0;
    return (struct kernel_value){.array = heddle_where(condition.array, b, c)};
}

/* Of known parts; no operation makes others without touching their infinities. */
static struct kernel_value pair(struct straight *s, const struct kernel_node *n,
                                enum heddle_dtype part)
{
    const struct kernel_value re = value_as(s, n->a, part), im = value_as(s, n->b, part);
    s->crooked |= re.array || im.array;
    const double parts[2] = {heddle__convert(re.number, part, HEDDLE_FLOAT64).f64,
                             heddle__convert(im.number, part, HEDDLE_FLOAT64).f64};
    const union heddle_scalar z = {.c128 = {parts[0], parts[1]}};
    return (struct kernel_value){
        .number = heddle__convert(z, HEDDLE_COMPLEX128, heddle__straight_type(s, n))};
}

static struct kernel_value call(struct straight *s, const struct kernel_node *n)
{
    const enum kernel_function f = (enum kernel_function)n->op;
    const enum heddle_dtype dtype = heddle__kernel_operands(&s->call->types, n);
    if (f == KERNEL_F_FMA) s->crooked = true; /* no operation rounds once */
    if (f == KERNEL_F_COMPLEX) return pair(s, n, dtype);
    if (s->crooked) return (struct kernel_value){0};
    heddle_array *const x = heddle__straight_array(value_as(s, n->a, dtype), dtype);
    heddle_array *const y = n->b ? heddle__straight_array(value_as(s, n->b, dtype), dtype) : NULL;
    s->n_steps += s->loops > 0;
    return (struct kernel_value){.array = heddle__straight_function(f, dtype, x, y)};
}

struct kernel_value heddle__straight_value(struct straight *s, const struct kernel_node *n)
{
    if (s->crooked) return (struct kernel_value){.number.i64 = 0};
    switch ((enum kernel_kind)n->kind) {
    case KERNEL_NUMBER: return (struct kernel_value){.number = n->value};
    case KERNEL_SYMBOL: return symbol(s, n);
    case KERNEL_EXTENT: return extent(s, n);
    case KERNEL_UNARY:
    case KERNEL_BINARY: return operation(s, n);
    case KERNEL_CHOICE: return choice(s, n);
    case KERNEL_CAST: return value_as(s, n->a, heddle__straight_type(s, n));
    case KERNEL_CALL: return call(s, n);
    case KERNEL_ELEMENT: return element(s, n);
    case KERNEL_PLACE: return place(s, n);
    case KERNEL_INVOKE: return invoke(s, n);
    default: s->crooked = true; return (struct kernel_value){.number.i64 = 0};
    }
}
