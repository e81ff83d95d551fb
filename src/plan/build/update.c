/* Updates in place: whether what an operation changes may be overwritten. Entry points: heddle__base_to_update,
 * heddle__operand_to_update, heddle__may_overwrite, heddle__list_reads, heddle__only_programs_read. */
#include "array/storage.h"
#include "plan/build/planner.h"

/* ---- Who reads a value ----------------------------------------------------------------------------------- */

bool heddle__list_reads(struct heddle_planner *p)
{
    if (p->reads && p->first_read) return true;
    int64_t n = 0;
    for (int32_t i = 0; i < p->n; i++) n += p->values[i].node->n_in;
    if (n > INT32_MAX) return false;
    p->first_read = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *p->first_read);
    p->reads = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *p->reads);
    if (!p->first_read || !p->reads) return false;
    for (int32_t i = 0; i < p->n; i++) p->first_read[i] = -1;
    int32_t at = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const struct heddle_value *v = &p->values[i];
        const heddle_array *a = v->node;
        if (v->canonical != i || !v->used) continue;
        /* a view that is not materialised reads nothing: its readers read the base */
        for (int k = 0; k < a->n_in && (a->kind != HEDDLE_NODE_VIEW || v->materialised); k++) {
            if (!a->in[k]) continue;
            const struct heddle_map *map;
            const int32_t of = a->kind == HEDDLE_NODE_VIEW ? p->values[v->base].canonical
                                                           : heddle__input(p, v, k, &map);
            p->reads[at] = (struct heddle_value_read){i, k, p->first_read[of]};
            p->first_read[of] = at++;
        }
    }
    return true;
}

/* ---- Reads that do not matter ---------------------------------------------------------------------------- */

/* The group with which a group is emitted: itself, that of the array whose input it is, the one whose tail it is in. */
static const struct heddle_group *emitted_with(const struct heddle_planner *p, int32_t group)
{
    for (const struct heddle_group *g = &p->groups[group];; g = &p->groups[group]) {
        if (g->kind == HEDDLE_GROUP_INSET)
            group = p->values[g->owner].group;
        else if (g->kind == HEDDLE_GROUP_ASSEMBLE && g->tail)
            group = g->tail_of;
        else
            return g;
    }
}

/* Whether the tasks that read are in the plan already, so that update `by` comes after them. What shares the data of
 * what it reads is read later. */
static bool is_past(const struct heddle_planner *p, const struct heddle_value *by,
                    const struct heddle_value_read *r)
{
    const struct heddle_value *v = &p->values[r->reader];
    if (v->again || v->at_places || v->shares || v->group < 0 ||
        p->groups[v->group].kind == HEDDLE_GROUP_RESHAPE || v->node->kind == HEDDLE_NODE_DISTRIBUTE)
        return false;
    const struct heddle_group *g = emitted_with(p, v->group);
    return g->emitted && g != &p->groups[by->group];
}

/* The indices that start + step * (0 .. n-1) takes: first and last. */
static struct heddle_box range_of(int64_t start, int64_t step, int64_t n)
{
    const int64_t end = start + step * (n - 1);
    return step < 0 ? (struct heddle_box){{end}, {start}} : (struct heddle_box){{start}, {end}};
}

/* Whether the one value that is assigned, computed where it lands, reads of the base only what it overwrites itself,
 * element by element, or only what is beside that. */
static bool reads_beside(struct heddle_planner *p, const struct heddle_value *v,
                         const struct heddle_value_read *r)
{
    const heddle_array *a = v->node;
    const struct heddle_value *reader = &p->values[r->reader];
    if (a->kind != HEDDLE_NODE_ASSEMBLE || a->n_in != 2) return false;
    const struct heddle_map *map;
    heddle__input(p, reader, r->input, &map);
    if (reader->node != a) {
        const struct heddle_group *g = reader->group < 0 ? NULL : &p->groups[reader->group];
        if (!g || reader->again || g->kind != HEDDLE_GROUP_INSET || p->values[g->owner].node != a ||
            !heddle__is_elementwise(reader->node))
            return false;
        map = heddle__compose(p, map, reader->context);
    }
    bool same = true, apart = false;
    for (int d = 0; d < a->ndim; d++) {
        const int axis = map ? map->axis[d] : d;
        const int64_t n = axis < 0 ? 1 : a->in[1]->shape[axis], set = a->in[1]->shape[d];
        const int64_t offset = map ? map->offset[d] : 0, step = map ? map->step[d] : 1;
        const struct heddle_landing *to = &a->landings[1];
        const struct heddle_box read = range_of(offset, step, n),
                                written = range_of(to->start[d], to->step[d], set);
        same = same && offset == to->start[d] && n == set &&
               (n == 1 || (axis == d && step == to->step[d]));
        apart = apart || read.hi[0] < written.lo[0] || written.hi[0] < read.lo[0];
    }
    return same || apart;
}

/* Whether nobody but input `i` of v reads value `at` any more when v is computed, or in a way that would matter. */
static bool is_last_reader(struct heddle_planner *p, const struct heddle_value *v, int i,
                           int32_t at)
{
    if (p->values[at].result >= 0 || !heddle__list_reads(p)) return false;
    for (int32_t k = p->first_read[at]; k >= 0; k = p->reads[k].next) {
        const struct heddle_value_read *r = &p->reads[k];
        if ((p->values[r->reader].node != v->node || r->input != i) && !is_past(p, v, r) &&
            !reads_beside(p, v, r))
            return false;
    }
    return true;
}

bool heddle__only_programs_read(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    if (v->result >= 0 || v->grid || v->distributed || !heddle__list_reads(p)) return false;
    for (int32_t k = p->first_read[at]; k >= 0; k = p->reads[k].next) {
        const struct heddle_array *reader = p->values[p->reads[k].reader].node;
        if (!heddle__is_elementwise(reader) && reader->kind != HEDDLE_NODE_REDUCE) return false;
    }
    return true;
}

/* ---- Updates --------------------------------------------------------------------------------------------- */

bool heddle__may_overwrite(const struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    switch ((enum heddle_node_kind)v->node->kind) {
    case HEDDLE_NODE_DATA: {
        const bool starpus = heddle__storage_grid(v->node->storage) != NULL;
        return p->walk->gives && p->walk->reusable[v->leaf] && starpus != p->run_inline;
    }
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_REDUCE: return true;
    case HEDDLE_NODE_FAMILY: return heddle__family_of(v->node)->flags & HEDDLE_FAMILY_IN_PLACE;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_OUTPUT:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_DISTRIBUTE: break;
    }
    return false;
}

/* The array of input `i` of v, if v is the last that reads it. */
static int32_t array_to_update(struct heddle_planner *p, const struct heddle_value *v, int i,
                               int32_t at)
{
    if (!p->policy->fusion || p->values[at].node->size == 0 || !is_last_reader(p, v, i, at))
        return -1;
    const int32_t array = heddle__array_of(p, at);
    if (array < 0 || (v->grid && !heddle__grid_equal(v->grid, p->plan->arrays[array].grid)))
        return -1;
    return array;
}

int32_t heddle__base_to_update(struct heddle_planner *p, const struct heddle_value *v, int i)
{
    const struct heddle_map *map;
    if (!v->node->in[i]) return -1;
    const int32_t at = heddle__input(p, v, i, &map);
    return map || !heddle__may_overwrite(p, at) ? -1 : array_to_update(p, v, i, at);
}

int32_t heddle__operand_to_update(struct heddle_planner *p, const struct heddle_value *v, int i)
{
    const struct heddle_map *map;
    const int32_t at = heddle__input(p, v, i, &map);
    const enum heddle_node_kind kind = (enum heddle_node_kind)p->values[at].node->kind;
    const bool stored = kind == HEDDLE_NODE_MAP || kind == HEDDLE_NODE_CAST;
    return map || !(stored || heddle__may_overwrite(p, at)) ? -1 : array_to_update(p, v, i, at);
}
