/* The recorded graph as text: a line for each node, operands before users, or Graphviz. Iterative;
 * reads nodes only. Entry point: print.h. */
#include "graph/print.h"

#include "base/memory.h"
#include "base/text.h"
#include "graph/family.h"

/* ---- Numbering: nodes in postorder, with a hash table from node to number. ----------------------- */

struct frame {
    const heddle_array *node;
    int32_t next; /* input to visit */
};

struct order {
    const heddle_array **nodes;
    struct frame *stack;
    const heddle_array **keys; /* table: open addressing, a power of two, at most half full */
    int64_t *numbers;          /* -1: still on the stack */
    int64_t n, n_stack, n_table;
    int64_t node_room, stack_room, table_room;
};

static void free_order(struct order *o)
{
    heddle__free(o->nodes);
    heddle__free(o->stack);
    heddle__free(o->keys);
    heddle__free(o->numbers);
}

static int64_t slot_of(const struct order *o, const heddle_array *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    int64_t i = (int64_t)(h >> 20) & (o->table_room - 1);
    while (o->keys[i] && o->keys[i] != key) i = (i + 1) & (o->table_room - 1);
    return i;
}

static bool grow_table(struct order *o)
{
    struct order old = *o;
    o->table_room = old.table_room ? 2 * old.table_room : 64;
    o->keys = heddle__calloc((size_t)o->table_room, sizeof *o->keys);
    o->numbers = heddle__calloc((size_t)o->table_room, sizeof *o->numbers);
    if (!o->keys || !o->numbers) {
        heddle__free(o->keys);
        heddle__free(o->numbers);
        o->keys = old.keys;
        o->numbers = old.numbers;
        o->table_room = old.table_room;
        return false;
    }
    for (int64_t i = 0; i < old.table_room; i++) {
        if (!old.keys[i]) continue;
        const int64_t to = slot_of(o, old.keys[i]);
        o->keys[to] = old.keys[i];
        o->numbers[to] = old.numbers[i];
    }
    heddle__free(old.keys);
    heddle__free(old.numbers);
    return true;
}

/* Puts a node on the stack unless it was there before. */
static bool push(struct order *o, const heddle_array *node)
{
    if (!node) return true; /* an ASSEMBLE without a background */
    if (2 * (o->n_table + 1) > o->table_room && !grow_table(o)) return false;
    const int64_t slot = slot_of(o, node);
    if (o->keys[slot]) return true;
    if (!heddle__grow(&o->stack, sizeof *o->stack, o->n_stack + 1, &o->stack_room)) return false;
    o->keys[slot] = node;
    o->numbers[slot] = -1;
    o->n_table++;
    o->stack[o->n_stack++] = (struct frame){.node = node};
    return true;
}

static bool put_in_order(struct order *o, const heddle_array *root)
{
    if (!push(o, root)) return false;
    while (o->n_stack > 0) {
        struct frame *top = &o->stack[o->n_stack - 1];
        if (top->next < top->node->n_in) {
            if (!push(o, top->node->in[top->next++])) return false;
            continue;
        }
        if (!heddle__grow(&o->nodes, sizeof *o->nodes, o->n + 1, &o->node_room)) return false;
        o->numbers[slot_of(o, top->node)] = o->n;
        o->nodes[o->n++] = top->node;
        o->n_stack--;
    }
    return true;
}

/* ---- Text --------------------------------------------------------------------------------------- */

const char *heddle__node_name(const heddle_array *a)
{
    switch ((enum heddle_node_kind)a->kind) {
    case HEDDLE_NODE_ERROR: return "error";
    case HEDDLE_NODE_DATA: return "data";
    case HEDDLE_NODE_CONSTANT: return "constant";
    case HEDDLE_NODE_INDEX: return "index";
    case HEDDLE_NODE_MAP: return heddle__ops[a->op].name;
    case HEDDLE_NODE_CAST: return "cast";
    case HEDDLE_NODE_VIEW: return "view";
    case HEDDLE_NODE_RESHAPE: return "reshape";
    case HEDDLE_NODE_REDUCE: return heddle__reductions[a->op].name;
    case HEDDLE_NODE_ASSEMBLE: return "assemble";
    case HEDDLE_NODE_DISTRIBUTE: return "distribute";
    case HEDDLE_NODE_FAMILY: return a->operation ? heddle__family_of(a)->name : "operation";
    case HEDDLE_NODE_OUTPUT: return "output";
    case HEDDLE_NODE_TUPLE: return "data";
    }
    return "?";
}

static void put_constant(struct heddle_text *t, const heddle_array *a)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    const char kind = heddle_dtype_kind(dtype);
    const union heddle_scalar wide = heddle__convert(a->value, dtype,
                                                     kind == 'C'   ? HEDDLE_COMPLEX128
                                                     : kind == 'F' ? HEDDLE_FLOAT64
                                                     : kind == 'U' ? HEDDLE_UINT64
                                                                   : HEDDLE_INT64);
    if (kind == 'C')
        heddle__text_put(t, " = %.17g%+.17gj", wide.c128[0], wide.c128[1]);
    else if (kind == 'F')
        heddle__text_put(t, " = %.17g", wide.f64);
    else if (kind == 'U')
        heddle__text_put(t, " = %llu", (unsigned long long)wide.u64);
    else
        heddle__text_put(t, " = %lld", (long long)wide.i64);
}

/* [3 - 2*i0, i2, 5]: the source index, by axis of the view. */
static void put_map(struct heddle_text *t, const struct heddle_map *m)
{
    heddle__text_put(t, " [");
    for (int d = 0; d < m->n; d++) {
        heddle__text_put(t, d ? ", " : "");
        if (m->axis[d] < 0 || m->offset[d] != 0)
            heddle__text_put(t, "%lld", (long long)m->offset[d]);
        if (m->axis[d] < 0) continue;
        const long long step = m->step[d];
        if (m->offset[d] != 0) heddle__text_put(t, step < 0 ? " - " : " + ");
        const long long size = m->offset[d] != 0 && step < 0 ? -step : step;
        if (size != 1) heddle__text_put(t, "%lld*", size);
        heddle__text_put(t, "i%d", m->axis[d]);
    }
    heddle__text_put(t, "]");
}

/* What the kind of the node adds to name, dtype and shape. */
static void put_details(struct heddle_text *t, const heddle_array *a)
{
    switch ((enum heddle_node_kind)a->kind) {
    case HEDDLE_NODE_ERROR: heddle__text_put(t, " %s", heddle_error(a)); break;
    case HEDDLE_NODE_CONSTANT: put_constant(t, a); break;
    case HEDDLE_NODE_VIEW: put_map(t, a->map); break;
    case HEDDLE_NODE_REDUCE:
        heddle__text_put(t, " axes");
        for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
            if (a->axes & 1u << d) heddle__text_put(t, " %d", d);
        break;
    case HEDDLE_NODE_FAMILY:
        if (heddle__family_of(a)->print) heddle__family_of(a)->print(t, a);
        break;
    case HEDDLE_NODE_OUTPUT: heddle__text_put(t, " %d", a->op); break;
    case HEDDLE_NODE_DATA:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_DISTRIBUTE: break;
    }
}

static int64_t number_of(const struct order *o, const heddle_array *a)
{
    return o->numbers[slot_of(o, a)];
}

static void put_line(struct heddle_text *t, const struct order *o, int64_t i)
{
    const heddle_array *a = o->nodes[i];
    heddle__text_put(t, "%%%lld %s", (long long)i, heddle__node_name(a));
    for (int k = 0; k < a->n_in; k++) {
        heddle__text_put(t, k ? ", " : " ");
        if (a->in[k])
            heddle__text_put(t, "%%%lld", (long long)number_of(o, a->in[k]));
        else
            heddle__text_put(t, "nothing");
    }
    heddle__text_put(t, ": %s %s", heddle_dtype_name((enum heddle_dtype)a->dtype),
                     HEDDLE_SHAPE_OF(a));
    put_details(t, a);
    heddle__text_put(t, "\n");
}

static void put_dot(struct heddle_text *t, const struct order *o, int64_t i)
{
    const heddle_array *a = o->nodes[i];
    const bool leaf = a->n_in == 0;
    heddle__text_put(t, "  n%lld [label=\"%s\\n%s %s", (long long)i, heddle__node_name(a),
                     heddle_dtype_name((enum heddle_dtype)a->dtype), HEDDLE_SHAPE_OF(a));
    if (a->kind == HEDDLE_NODE_CONSTANT) put_constant(t, a);
    if (a->kind == HEDDLE_NODE_VIEW) put_map(t, a->map);
    heddle__text_put(t, "\"%s];\n", leaf ? ", shape=box" : "");
    for (int k = 0; k < a->n_in; k++)
        if (a->in[k])
            heddle__text_put(t, "  n%lld -> n%lld;\n", (long long)number_of(o, a->in[k]),
                             (long long)i);
}

enum heddle_status heddle__graph_text(heddle_array *root, bool dot, char **text)
{
    struct order o = {0};
    struct heddle_text t = {0};
    const bool ok = put_in_order(&o, root);
    if (ok && dot) heddle__text_put(&t, "digraph heddle {\n");
    for (int64_t i = 0; ok && i < o.n; i++) (dot ? put_dot : put_line)(&t, &o, i);
    if (ok && dot) heddle__text_put(&t, "}\n");
    free_order(&o);
    const enum heddle_status status = heddle__text_end(&t, "heddle_explain", text);
    if (ok || status != HEDDLE_OK) return status;
    heddle__free(*text);
    return heddle__fail(HEDDLE_ENOMEM, "heddle_explain: out of memory");
}
