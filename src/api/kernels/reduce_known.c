/* Reductions whose texts say what Heddle has an operation for: a + b, max(a, b). Entry points:
 * heddle__reduce_by_known, heddle__reduce_commutes. */
#include "api/kernels/reduce.h"

#include "graph/make.h"

#include <heddle/elementwise.h>
#include <heddle/reduce.h>

typedef heddle_array *reduction(heddle_array *a, const struct heddle_reduce_options *o);

struct known {
    reduction *reduce;
    enum heddle_dtype dtype; /* that of the elements */
};

/* The value of accumulator k in a tree of values. */
static const struct kernel_node *value_of(const struct kernel_tree *tree, int k)
{
    const struct kernel_node *n = tree->statements->a;
    while (k-- > 0) n = n->next;
    return n->b;
}

/* Whether it is one operation of both operands of accumulator k, and nothing else. */
static bool is_plain(const struct kernel_node *n, int k, int n_accumulators)
{
    const struct kernel_node *const a = n->a, *const b = n->b;
    if ((n->kind != KERNEL_BINARY && n->kind != KERNEL_CALL) || !b || a->kind != KERNEL_SYMBOL ||
        b->kind != KERNEL_SYMBOL)
        return false;
    const int first = k, second = n_accumulators + k;
    return (a->symbol == first && b->symbol == second) ||
           (a->symbol == second && b->symbol == first);
}

bool heddle__reduce_commutes(const struct kernel_reduction *texts)
{
    for (int k = 0; k < texts->n; k++) {
        const struct kernel_node *const n = value_of(&texts->reduce, k);
        if (!is_plain(n, k, texts->n)) return texts->commutative;
        const bool is_operator = n->kind == KERNEL_BINARY;
        const bool commutes = is_operator
                                  ? n->op == KERNEL_ADD || n->op == KERNEL_MULTIPLY ||
                                        (n->op >= KERNEL_BIT_AND && n->op <= KERNEL_BIT_XOR) ||
                                        n->op == KERNEL_AND || n->op == KERNEL_OR
                                  : n->op == KERNEL_F_MIN || n->op == KERNEL_F_MAX ||
                                        n->op == KERNEL_F_FMIN || n->op == KERNEL_F_FMAX;
        if (!commutes) return texts->commutative;
    }
    return true;
}

/* Of numbers; min and max leave out NaN. fmin and fmax convert integers to float64. */
static reduction *arithmetic(const struct kernel_node *n, enum heddle_dtype dtype)
{
    if (n->kind == KERNEL_CALL) switch ((enum kernel_function)n->op) {
        case KERNEL_F_FMIN: return heddle_dtype_kind(dtype) == 'F' ? heddle_nanmin_with : NULL;
        case KERNEL_F_FMAX: return heddle_dtype_kind(dtype) == 'F' ? heddle_nanmax_with : NULL;
        case KERNEL_F_MIN: return heddle_nanmin_with;
        case KERNEL_F_MAX: return heddle_nanmax_with;
        default: return NULL;
        }
    if (n->op == KERNEL_ADD) return heddle_sum_with;
    return n->op == KERNEL_MULTIPLY ? heddle_prod_with : NULL;
}

/* Of values that are 0 or 1, which it leaves so. */
static reduction *logical(const struct kernel_node *n)
{
    if (n->kind == KERNEL_CALL) return NULL;
    if (n->op == KERNEL_AND || n->op == KERNEL_BIT_AND) return heddle_all_with;
    return n->op == KERNEL_OR || n->op == KERNEL_BIT_OR ? heddle_any_with : NULL;
}

static struct known known_of(const struct kernel_reducing *q, int k)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)q->map.types.letters[k];
    const struct kernel_node *const n = value_of(&q->texts->reduce, k);
    const struct kernel_node *const mapped = value_of(&q->kernel->tree, k);
    if (!is_plain(n, k, q->texts->n)) return (struct known){NULL, dtype};
    const bool truth =
        dtype == HEDDLE_BOOL || q->map.types.nodes[mapped->number] == (unsigned char)HEDDLE_BOOL;
    reduction *const of_truth = truth ? logical(n) : NULL;
    if (of_truth) return (struct known){of_truth, HEDDLE_BOOL};
    if (dtype != HEDDLE_BOOL) return (struct known){arithmetic(n, dtype), dtype};
    if (n->kind == KERNEL_CALL) return (struct known){arithmetic(n, dtype), dtype};
    return (struct known){n->op == KERNEL_ADD        ? heddle_any_with
                          : n->op == KERNEL_MULTIPLY ? heddle_all_with
                                                     : NULL,
                          dtype};
}

enum heddle_status heddle__reduce_by_known(struct kernel_reducing *q, bool *done)
{
    struct known known[KERNEL_MAX_ACCUMULATORS];
    struct heddle_reduce_options o = {.size = sizeof o, .keepdims = true};
    *done = true;
    for (int k = 0; k < q->texts->n; k++) {
        known[k] = known_of(q, k);
        *done = *done && known[k].reduce;
    }
    if (!*done) return HEDDLE_OK;
    for (int d = 0; d < q->shape.ndim; d++) {
        if (!(q->axes >> d & 1)) continue;
        o.axes.at[o.axes.count++] = d;
        q->shape.extent[d] = 1;
    }
    for (int k = 0; k < q->texts->n; k++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)q->map.types.letters[k];
        const bool wide = known[k].reduce == heddle_sum_with || known[k].reduce == heddle_prod_with;
        o.dtype = wide ? dtype : HEDDLE_DTYPE_NONE;
        heddle_array *const x = heddle_astype(q->values[k], known[k].dtype);
        q->values[k] = heddle_astype(known[k].reduce(x, &o), dtype);
        if (heddle_status_of(q->values[k]) != HEDDLE_OK)
            return heddle__fail(heddle_status_of(q->values[k]), "%s", heddle_error(q->values[k]));
    }
    return HEDDLE_OK;
}
