/* Follows the statements of a kernel and records what they do as operations over arrays. An if becomes selections
 * between what its branches assign; a loop whose condition is known each time is unrolled. What else there is makes the
 * text no straight line. Entry point: heddle__kernel_straight. */
#include "api/kernels/straight.h"

#include "base/memory.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <string.h>

enum {
    MAX_STEPS = 400,   /* operations that loops may record */
    MAX_ROUNDS = 4096, /* of all loops */
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

static enum flow statements(struct straight *s, const struct kernel_node *n);

static enum heddle_dtype type_of(const struct straight *s, int symbol)
{
    return (enum heddle_dtype)s->call->types.symbols[symbol];
}

static struct kernel_value assigned(struct straight *s, int symbol, const struct kernel_node *value)
{
    return heddle__straight_cast(heddle__straight_value(s, value), heddle__straight_type(s, value),
                                 type_of(s, symbol));
}

static void declare(struct straight *s, const struct kernel_node *n)
{
    const int extent = s->call->tree->symbols[n->symbol].extent;
    const struct kernel_node *x = n->a;
    for (int k = 0; k < extent || k < 1; k++, x = x ? x->next : NULL) {
        const struct kernel_value v = x ? assigned(s, n->symbol, x) : (struct kernel_value){0};
        heddle__straight_name(s, n->symbol)[k] = v;
    }
}

/* An element of a local array by an index that is not known is left to a kernel. */
static void assign(struct straight *s, const struct kernel_node *n)
{
    const struct kernel_value v = assigned(s, n->a->symbol, n->b);
    bool known = true;
    struct kernel_value *const to = n->a->kind == KERNEL_SYMBOL
                                        ? heddle__straight_name(s, n->a->symbol)
                                        : heddle__straight_element(s, n->a, &known);
    s->crooked |= !known;
    if (to && !s->crooked) *to = v;
}

/* The names after an if whose condition is not known. */
static void merge(struct straight *s, heddle_array *condition, struct kernel_value *yes,
                  struct kernel_value *no)
{
    const struct kernel_tree *const tree = s->call->tree;
    for (int symbol = 0, i = 0; symbol < tree->n_symbols; symbol++) {
        const enum heddle_dtype dtype = type_of(s, symbol);
        const int extent = tree->symbols[symbol].extent, end = i + (extent ? extent : 1);
        for (; i < end; i++) { /* cells stand in the order of their symbols */
            if (!memcmp(&yes[i], &no[i], sizeof *yes)) continue;
            s->n_steps += s->loops > 0;
            no[i].array = heddle_where(condition, heddle__straight_array(yes[i], dtype),
                                       heddle__straight_array(no[i], dtype));
        }
    }
}

/* Both go on, or both return. */
static enum flow both_branches(struct straight *s, const struct kernel_node *n,
                               heddle_array *condition)
{
    const size_t bytes = (size_t)s->call->tree->n_cells * sizeof *s->names;
    struct kernel_value *const before = s->names;
    s->n_steps += s->loops > 0;
    struct kernel_value *yes = heddle__arena_alloc(&s->arena, bytes);
    struct kernel_value *const no = heddle__arena_alloc(&s->arena, bytes);
    if (!yes || !no) {
        s->no_memory = s->crooked = true;
        return FLOW_ON;
    }
    memcpy(yes, before, bytes);
    memcpy(no, before, bytes);
    s->names = yes;
    const enum flow flow = statements(s, n->b);
    yes = s->names; /* an if inside has made others */
    s->names = no;
    s->crooked |= statements(s, n->c) != flow || (flow != FLOW_ON && flow != FLOW_RETURN);
    if (!s->crooked) merge(s, condition, yes, s->names);
    return flow;
}

static struct kernel_value condition_of(struct straight *s, const struct kernel_node *n)
{
    return heddle__straight_cast(heddle__straight_value(s, n), heddle__straight_type(s, n),
                                 HEDDLE_BOOL);
}

static enum flow if_else(struct straight *s, const struct kernel_node *n)
{
    const struct kernel_value condition = condition_of(s, n->a);
    if (!condition.array) return statements(s, condition.number.b ? n->b : n->c);
    return both_branches(s, n, condition.array);
}

static enum flow loop(struct straight *s, const struct kernel_node *n)
{
    enum flow flow = FLOW_ON;
    s->loops++;
    for (int round = 0; !s->crooked; round++) {
        const struct kernel_value condition = condition_of(s, n->a);
        const bool first = n->op == 1 && round == 0; /* do */
        if (!first && !condition.array && !condition.number.b) break;
        s->crooked |=
            (!first && condition.array) || s->n_rounds++ == MAX_ROUNDS || s->n_steps > MAX_STEPS;
        if (s->crooked) break;
        flow = statements(s, n->b);
        if (flow == FLOW_BREAK || flow == FLOW_RETURN) break;
        statements(s, n->c);
    }
    s->loops--;
    return flow == FLOW_RETURN ? flow : FLOW_ON;
}

/* Up to a break, a continue or a return. */
static enum flow statements(struct straight *s, const struct kernel_node *n)
{
    enum flow flow = FLOW_ON;
    for (; n && !s->crooked && flow == FLOW_ON; n = n->next) {
        switch ((enum kernel_kind)n->kind) {
        case KERNEL_BLOCK: flow = statements(s, n->a); break;
        case KERNEL_DECLARE: declare(s, n); break;
        case KERNEL_ASSIGN: assign(s, n); break;
        case KERNEL_IF: flow = if_else(s, n); break;
        case KERNEL_LOOP: flow = loop(s, n); break;
        case KERNEL_RETURN:
            *heddle__straight_name(s, s->helper->result) = assigned(s, s->helper->result, n->a);
            return FLOW_RETURN;
        case KERNEL_BREAK: return FLOW_BREAK;
        case KERNEL_CONTINUE: return FLOW_CONTINUE;
        default: break;
        }
    }
    return flow;
}

void heddle__straight_helper(struct straight *s, const struct kernel_helper *h)
{
    const struct kernel_helper *const before = s->helper;
    *heddle__straight_name(s, h->result) = (struct kernel_value){0};
    s->helper = h;
    s->loops++; /* of many calls not all operations are recorded */
    statements(s, h->body);
    s->crooked |= s->n_steps > MAX_STEPS;
    s->loops--;
    s->helper = before;
}

/* The inputs in the types that are computed in; outputs begin as 0. */
static void begin(struct straight *s)
{
    const struct heddle__kernel_call *const c = s->call;
    for (int i = 0; i < c->tree->n_in; i++)
        if (!c->tree->symbols[i].raw)
            heddle__straight_name(s, i)->array = heddle_astype(c->in[i], type_of(s, i));
    for (int i = 0; i < c->tree->n_in + c->tree->n_out; i++)
        s->crooked |= i >= c->tree->n_in && c->tree->symbols[i].raw;
}

/* An output as the array that it is, kept. */
static heddle_array *output(struct straight *s, int symbol)
{
    const struct heddle__kernel_call *const c = s->call;
    const enum heddle_dtype computed = type_of(s, symbol),
                            dtype = heddle__kernel_parameter(c, symbol);
    heddle_array *const value = heddle__straight_array(*heddle__straight_name(s, symbol), computed);
    if (heddle_status_of(value) != HEDDLE_OK) return heddle__retain(value);
    heddle_array *const cast = heddle__make_cast(value, dtype);
    heddle_array *const out =
        cast ? heddle__make_broadcast(cast, c->shape.ndim, c->shape.extent) : NULL;
    heddle__release(cast);
    return out;
}

/* Every output, or none. */
static enum heddle_status outputs(struct straight *s, heddle_array *out[])
{
    const struct kernel_tree *const tree = s->call->tree;
    for (int i = 0; i < tree->n_out; i++) {
        out[i] = output(s, tree->n_in + i);
        if (out[i]) continue;
        while (i-- > 0) heddle__release(out[i]);
        return heddle__fail(HEDDLE_ENOMEM, "kernel '%.40s': out of memory", tree->name);
    }
    return HEDDLE_OK;
}

enum heddle_status heddle__kernel_straight(const struct heddle__kernel_call *c, heddle_array *out[],
                                           bool *straight)
{
    struct straight s = {.call = c};
    s.names = heddle__arena_alloc(&s.arena, (size_t)c->tree->n_cells * sizeof *s.names);
    HEDDLE_REQUIRE(s.names, HEDDLE_ENOMEM, "kernel '%.40s': out of memory", c->tree->name);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    begin(&s);
    statements(&s, c->tree->statements);
    *straight = !s.crooked;
    enum heddle_status status = HEDDLE_OK;
    if (s.no_memory)
        status = heddle__fail(HEDDLE_ENOMEM, "kernel '%.40s': out of memory", c->tree->name);
    else if (!s.crooked)
        status = outputs(&s, out);
    heddle__scope_leave(&scope, NULL);
    heddle__arena_free(&s.arena);
    return status;
}
