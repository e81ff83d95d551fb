/* Reductions to programs: what feeds them, the reductions, and the epilogue: elementwise work on their
 * results. Entry point: heddle__emit_reduce (emit.h). */
#include "plan/fuse/emit.h"

#include "plan/cut/cut.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "reduce_tree.h"

enum {
    EPILOGUE_MEMBERS = 8,        /* the most */
    EPILOGUE_OF_FEW_MEMBERS = 48 /* where a thread or a lane adds up all elements, and goes on */
};

/* ---- The epilogue -------------------------------------------------------------------------------- */

/* Whether an epilogue of group `reduce` can read value `at`: a constant, a result of the group, or an
 * array of one part that was made before. */
static bool readable_after(const struct heddle_planner *p, int32_t at, const struct heddle_map *map,
                           int32_t reduce, int32_t epilogue)
{
    const struct heddle_value *v = &p->values[at];
    switch ((enum heddle_node_kind)v->node->kind) {
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX: return !v->materialised || v->node->kind == HEDDLE_NODE_CONSTANT;
    case HEDDLE_NODE_REDUCE:
        if (v->group == reduce) return map == NULL;
        break;
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
        if (v->group == epilogue) return true;
        break;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_DATA:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_DISTRIBUTE:
    case HEDDLE_NODE_FAMILY:
    case HEDDLE_NODE_OUTPUT: break;
    }
    return v->array >= 0 && p->plan->arrays[v->array].grid->n_parts == 1;
}

static int most_members(const struct heddle_group *reduce)
{
    double n = 1;
    for (int d = reduce->n_kept; d < reduce->ndim; d++) n *= (double)reduce->extent[d];
    return n <= HEDDLE_TREE_SHORT ? EPILOGUE_OF_FEW_MEMBERS : EPILOGUE_MEMBERS;
}

/* Whether the program of `e`, which has the reductions of `reduce`, can do the work of a group, too. */
static bool is_epilogue(const struct heddle_emission *e, int32_t reduce, int32_t group)
{
    const struct heddle_planner *p = e->p;
    const struct heddle_group *g = &p->groups[group];
    if (g->emitted || g->n_members > most_members(&p->groups[reduce]) ||
        (g->n_members > EPILOGUE_MEMBERS && !heddle__has_room_for(e, group)))
        return false;
    bool reads = false; /* a result of the reductions */
    for (int32_t at = g->first; at >= 0; at = p->next_member[at]) {
        const struct heddle_value *v = &p->values[at];
        if ((v->context && v->node->size > 1) || v->node->kind == HEDDLE_NODE_VIEW ||
            v->at_indices || v->node->kind == HEDDLE_NODE_REDUCE)
            return false;
        for (int i = 0; i < v->node->n_in; i++) {
            const struct heddle_map *map;
            const int32_t in = heddle__input(p, v, i, &map);
            if (!readable_after(p, in, map, reduce, group)) return false;
            reads = reads || p->values[in].group == reduce;
        }
    }
    return reads;
}

/* The group of elementwise work on the results of `reduce` that fits its program; -1: there is none. What reads one number, too, that is
 * computed of another reduction, is a stage later. */
static int32_t find_epilogue(const struct heddle_emission *e, int32_t reduce)
{
    const struct heddle_planner *p = e->p;
    const struct heddle_group *r = &p->groups[reduce];
    for (int32_t stage = r->stage + 1; stage <= r->stage + 2; stage++) {
        const int32_t found = heddle__map_group(p, stage, r->risk, r->n_kept, r->extent);
        if (found >= 0 && is_epilogue(e, reduce, found)) return found;
    }
    return -1;
}

/* The reductions are instructions of the segment already. */
static void emit_epilogue(struct heddle_emission *e, int32_t epilogue)
{
    struct heddle_planner *p = e->p;
    struct heddle_group *g = &p->groups[epilogue];
    e->group = epilogue;
    e->ndim = g->ndim;
    for (int32_t at = g->first; at >= 0 && !p->failed; at = p->next_member[at])
        heddle__emit_member(e, at);
    g->emitted = true;
}

/* ---- The whole program --------------------------------------------------------------------------- */

static void store_kept(struct heddle_emission *e, int32_t at, struct heddle_grid *kept)
{
    struct heddle_planner *p = e->p;
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map identity = heddle__map_identity(v->node->ndim);
    heddle__make_array(p, at, kept);
    if (p->failed) return;
    heddle__build_store(&e->b, v->instr, p->values[at].array, v->node->dtype, &identity);
    e->b.operands[e->b.program.n_operands - 1].broadcast = v->broadcast;
}

void heddle__emit_reduce(struct heddle_emission *e)
{
    struct heddle_planner *p = e->p;
    const int32_t reduce = e->group;
    struct heddle_group *g = &p->groups[reduce];
    uint16_t value[HEDDLE_MAX_REDUCTIONS];

    /* before */
    heddle__emit_members(e);
    const struct heddle_map order = heddle__reduce_order(g);
    for (int r = 0; r < g->n_reductions && !p->failed; r++) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, &p->values[g->reductions[r]], 0, &map);
        value[r] = heddle__fetch(e, in, heddle__compose(p, map, &order));
    }
    if (p->failed) return;

    /* the reductions */
    heddle__build_reductions_start(&e->b, g->sequential, (uint16_t)g->axes);
    for (int r = 0; r < g->n_reductions; r++) {
        const heddle_array *a = p->values[g->reductions[r]].node;
        heddle__build_reduction(&e->b, a->op, a->in_dtype, a->dtype, value[r]);
    }
    struct heddle_grid *iteration = heddle__reduce_grid(p, &e->b, g);
    struct heddle_grid *kept = iteration ? heddle__grid_kept(p, iteration, g->n_kept) : NULL;
    if (!kept) p->failed = true;

    /* after */
    for (int r = 0; r < g->n_reductions; r++) {
        struct heddle_value *v = &p->values[g->reductions[r]];
        v->instr = heddle__build_op(&e->b, HEDDLE_CODE_REDUCED, v->node->dtype, v->node->dtype,
                                    (uint16_t)r, 0, 0);
        v->segment = p->segment;
        e->n_nodes++;
    }
    const int32_t epilogue = p->policy->fusion && !p->failed ? find_epilogue(e, reduce) : -1;
    if (epilogue >= 0) emit_epilogue(e, epilogue);
    for (int r = 0; r < g->n_reductions && !p->failed; r++) {
        const struct heddle_value *v = &p->values[g->reductions[r]];
        if (v->materialised || v->uses > 0) store_kept(e, g->reductions[r], kept);
    }
    if (epilogue >= 0)
        for (int32_t at = p->groups[epilogue].first; at >= 0 && !p->failed; at = p->next_member[at])
            if (p->values[at].materialised) store_kept(e, at, kept);

    const struct heddle_program *program = p->failed ? NULL : heddle__plan_program(p, &e->b);
    if (program) {
        char name[48];
        heddle__name_program(program, name);
        const struct heddle_space space = {g->ndim, g->n_kept, g->extent, e->n_nodes, name};
        if (!heddle__cut_reduce(p, &e->b, program, &space, iteration)) p->failed = true;
    }
    heddle__grid_release(iteration);
    heddle__grid_release(kept);
}
