/* What is computed again in each program that reads it, not stored: a cheap value of several readers. So
 * `x - mean(x)`, which a variance and a result read, costs no array of its own. Entry points: fuse.h. */
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"
#include "plan/policy/thresholds.h"

/* So much of a program, at most, for one value: a member has up to three such operands. */
enum { MOST_INSTRS = 16, MOST_LOADS = 8, MOST_CONSTANTS = 4 };
/* And so much at all places at which one group reads it. */
enum { MOST_IN_CONE = 96 };
/* And so much for all inputs of an assembly that one program stores. */
enum { MOST_OPERANDS = HEDDLE_MAX_OPERANDS - 4 };
#define WIDE_WEIGHT 1.5

void heddle__note_broadcast(const struct heddle_planner *p, struct heddle_value *v, int32_t group)
{
    const struct heddle_group *g = &p->groups[group];
    double readers = 1;
    for (int d = 0; d < g->ndim; d++) readers *= (double)g->extent[d];
    if (readers > (double)v->node->size) v->broadcast = true;
}

/* Notes that an input of ASSEMBLE `owner`, or (HEDDLE_MANY_GROUPS) anything else, reads `v`. */
static void note_turns(struct heddle_value *v, int32_t owner)
{
    v->turns = v->turns == HEDDLE_NO_GROUP || v->turns == owner ? owner : HEDDLE_MANY_GROUPS;
}

void heddle__note_read(const struct heddle_planner *p, struct heddle_value *v, int32_t group,
                       const struct heddle_map *map)
{
    const struct heddle_group *g = &p->groups[group];
    heddle__note_broadcast(p, v, group);
    note_turns(v, g->turns ? g->owner : HEDDLE_MANY_GROUPS);
    if (g->kind == HEDDLE_GROUP_MAP && g->stage == v->stage && !map) v->read_beside = true;
    /* Users come group by group, mostly; counting a group, or a read, twice makes storing look better. */
    const bool is_same = v->n_groups > 0 && v->last_reader == group;
    if (!is_same) v->n_seen = 0;
    for (int k = 0; k < v->n_seen; k++)
        if (heddle__maps_equal(v->seen[k], map)) return;
    if (v->n_seen < HEDDLE_SEEN_READS) v->seen[v->n_seen++] = map;
    if (!is_same) v->earlier_reader = v->last_reader;
    v->n_groups = (int16_t)(v->n_groups + !is_same);
    v->n_reads = (int16_t)(v->n_reads + (v->n_reads < INT16_MAX / 2));
    v->last_reader = group;
}

/* Whether all places at which one group alone reads `v` are in v->seen. */
static bool are_reads_known(const struct heddle_value *v)
{
    return v->n_groups == 1 && v->n_reads == v->n_seen;
}

void heddle__note_reads_of(struct heddle_planner *p, const struct heddle_value *v,
                           struct heddle_value *in, const struct heddle_map *map)
{
    if (are_reads_known(v)) { /* shifted slices of shifted slices meet at the same places */
        for (int k = 0; k < v->n_seen; k++)
            heddle__note_read(p, in, v->last_reader, heddle__compose(p, map, v->seen[k]));
        return;
    }
    note_turns(in, v->turns);
    const int reads = in->n_reads + v->n_reads, groups = in->n_groups + v->n_groups;
    in->n_reads = (int16_t)(reads < INT16_MAX / 2 ? reads : INT16_MAX / 2);
    in->n_groups = (int16_t)(groups < INT16_MAX / 2 ? groups : INT16_MAX / 2);
    if (in->node->size < v->node->size) in->broadcast = true;
}

void heddle__note_reader(struct heddle_value *data, int32_t group)
{
    if (group < 0 || group == data->last_reader) return;
    data->earlier_reader = data->last_reader;
    data->last_reader = group;
}

/* Whether the groups that read `v` read its operand `in`, too. */
static bool is_read_anyway(const struct heddle_value *v, const struct heddle_value *in)
{
    if (v->n_groups > 2) return false;
    for (int k = 0; k < v->n_groups; k++) {
        const int32_t group = k == 0 ? v->last_reader : v->earlier_reader;
        if (group != in->last_reader && group != in->earlier_reader) return false;
    }
    return true;
}

/* Bytes of the arrays that computing `v` reads; those that are broadcast are small. What an operation reads at two places comes from
 * memory once. With `reader`: without those that its readers read anyway. */
static double bytes_of_operands(const struct heddle_planner *p, const struct heddle_value *v,
                                const struct heddle_value *reader)
{
    double bytes = 0;
    int32_t at[3] = {-1, -1, -1};
    for (int i = 0; i < v->node->n_in; i++) {
        const struct heddle_map *map;
        at[i] = heddle__input(p, v, i, &map);
        if ((i > 0 && at[i] == at[0]) || (i > 1 && at[i] == at[1])) continue;
        const struct heddle_value *in = &p->values[at[i]];
        const heddle_array *a = in->node;
        if (a->kind == HEDDLE_NODE_CONSTANT || a->kind == HEDDLE_NODE_INDEX) continue;
        if (heddle__is_elementwise(a) && !in->materialised && a->size == v->node->size)
            bytes += bytes_of_operands(p, in, reader);
        else if (!reader || !is_read_anyway(reader, in))
            bytes += (double)(a->size < v->node->size ? a->size : v->node->size) *
                     (double)heddle_dtype_size(a->dtype);
    }
    return bytes;
}

/* Of an operation, by the bytes of an element. GPUs have half as many units for 8-byte numbers, and functions of these
 * take more operations; CPUs' vectors hold the more elements the narrower they are. */
static double weight_of(const struct heddle_planner *p, size_t bytes)
{
    if (p->policy->n_gpus > 0) return bytes >= 8 ? WIDE_WEIGHT : 1;
    return bytes < 8 ? (double)bytes / 8 : 1;
}

/* What an element loads again, as operations. On CPUs it is next to what was loaded. */
static double cost_of_loads(const struct heddle_planner *p, const struct heddle_value *v, int loads)
{
    enum { BYTES_ON_GPU = 4, BYTES_ON_CPU = 40 }; /* that cost as much as an operation */
    const double bytes = loads * (double)heddle_dtype_size(v->node->dtype);
    return bytes / (p->policy->n_gpus > 0 ? BYTES_ON_GPU : BYTES_ON_CPU);
}

/* Different elements of different values that a program computes or loads for some elements of one value. */
struct cone {
    struct heddle_planner *p;
    int n, loads, constants; /* n: all, an instruction each */
    double flops;
    const heddle_array *space; /* whose elements these are for; NULL: none are counted here: */
    int large;                 /* loads and operations that differ for most of its elements */
    int32_t at[MOST_IN_CONE];
    const struct heddle_map *map[MOST_IN_CONE];
};

/* Whether most elements of a space read different ones by the map. */
static bool differs_for_most(const heddle_array *space, const struct heddle_map *map)
{
    int64_t n = 1;
    for (int d = 0; d < space->ndim; d++) {
        bool moves = !map;
        for (int e = 0; map && e < map->n; e++)
            moves = moves || (map->axis[e] == d && map->step[e] != 0);
        if (moves) n *= space->shape[d];
    }
    return 2 * n >= space->size;
}

/* Adds the element of value `at` by `map` and what it is computed from. False: there is no room. */
static bool add_to_cone(struct cone *c, int32_t at, const struct heddle_map *map)
{
    const struct heddle_value *v = &c->p->values[at];
    const bool is_constant = v->node->kind == HEDDLE_NODE_CONSTANT;
    for (int k = 0; k < c->n; k++)
        if (c->at[k] == at && (is_constant || heddle__maps_equal(c->map[k], map))) return true;
    if (c->n == MOST_IN_CONE || c->p->failed) return false;
    c->at[c->n] = at;
    c->map[c->n++] = map;
    if (is_constant || v->node->kind == HEDDLE_NODE_INDEX) {
        c->constants += is_constant;
        return true;
    }
    c->large += c->space && differs_for_most(c->space, map);
    if (!heddle__is_elementwise(v->node) || v->materialised) {
        c->loads++;
        return true;
    }
    c->flops += heddle__own_cost(v->node);
    for (int i = 0; i < v->node->n_in; i++) {
        const struct heddle_map *of;
        const int32_t in = heddle__input(c->p, v, i, &of);
        if (!add_to_cone(c, in, heddle__compose(c->p, of, map))) return false;
    }
    return true;
}

/* Of a value that one group alone reads, at several places that are all known: the same question, with each element counted once. What it is
 * computed from may be stored all the same: that is asked later. Its room is then that of one place. */
static bool computes_again_at_places(struct heddle_planner *p, struct heddle_value *v)
{
    struct cone one = {.p = p};
    const int32_t at = v->node->mark_slot;
    if (!are_reads_known(v) || !add_to_cone(&one, at, v->seen[0])) return false;
    struct cone all = one;
    for (int k = 1; k < v->n_seen; k++)
        if (!add_to_cone(&all, at, v->seen[k])) return false;
    const double each = (all.flops - one.flops) / (v->n_reads - 1);
    const int loads = (all.loads - one.loads) / (v->n_reads - 1);
    if (!heddle__is_cheap_again(p, v, each, loads, bytes_of_operands(p, v, NULL),
                                bytes_of_operands(p, v, v)))
        return false;
    v->room = (struct heddle_room){(uint16_t)one.n, (uint16_t)one.loads, (uint16_t)one.constants};
    return true;
}

bool heddle__have_turns(struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node;
    struct cone all = {.p = p};
    if (!p->policy->fusion || a->in[0] || a->n_in <= 2) return false;
    bool near = true;
    for (int i = 2; i < a->n_in; i++) {
        if (!heddle__lie_alike(a, NULL, 1, i)) return false;
        near = near && heddle__take_turns(a, NULL, 1, i);
    }
    all.space = a->in[1]; /* what few numbers they share may as well be read again */
    int large = 0;
    for (int i = 1; i < a->n_in; i++) {
        const struct heddle_map *map;
        const int32_t in = heddle__input(p, v, i, &map);
        struct cone one = {.p = p, .space = all.space};
        if (!add_to_cone(&one, in, map) || !add_to_cone(&all, in, map)) return false;
        large += one.large;
    }
    return all.loads + a->n_in <= MOST_OPERANDS && (near || all.large < large);
}

/* A value that only inputs of one assembly read, for which one program has room: it is in their cone. */
static bool computes_in_turn(struct heddle_planner *p, struct heddle_value *v)
{
    struct cone one = {.p = p};
    if (!add_to_cone(&one, v->node->mark_slot, NULL)) return false;
    v->room = (struct heddle_room){(uint16_t)one.n, (uint16_t)one.loads, (uint16_t)one.constants};
    return true;
}

bool heddle__is_cheap_again(const struct heddle_planner *p, const struct heddle_value *v,
                            double flops, int loads, double bytes, double bytes_again)
{
    /* Stored: computed and written once, read by each group but the one that makes it, if it reads it. */
    const double own = (double)v->node->size * (double)heddle_dtype_size(v->node->dtype);
    const double stored = bytes + (1 + v->n_groups - v->read_beside) * own;
    const double saved = stored - v->n_groups * bytes_again;
    const double weight = weight_of(p, heddle_dtype_size(v->node->dtype));
    const double each = flops * weight + cost_of_loads(p, v, loads);
    const double again = (double)(v->n_reads - 1) * each * (double)v->node->size;
    const struct heddle_thresholds *is = &heddle__thresholds;
    const double rate = p->policy->n_gpus > 0 ? is->flops_for_byte_gpu
                        : are_reads_known(v)  ? is->flops_for_byte_cpu
                                              : is->flops_for_byte_cpu_at_most;
    return again < saved * rate;
}

bool heddle__is_cheap_for_each(const struct heddle_planner *p, const struct heddle_value *v,
                               double times)
{
    /* On CPUs a division and what little is around it hides behind the reader's loads; a root, of which vectors have fewer in
     * the same time than the table says, does not. */
    enum { MOST_ON_CPU = 6 };
    const bool is_root = v->node->kind == HEDDLE_NODE_MAP && v->node->op == HEDDLE_OP_SQRT;
    const size_t bytes = heddle_dtype_size(v->node->dtype);
    const double again = (times - 1) * v->cost * weight_of(p, bytes), stored = 2 * (double)bytes;
    if (p->policy->n_gpus > 0) return again < stored * heddle__thresholds.flops_for_byte_gpu;
    return v->cost <= MOST_ON_CPU && !is_root && again < 1.5 * stored;
}

bool heddle__computes_again(struct heddle_planner *p, struct heddle_value *v)
{
    if (!p->policy->fusion || v->materialised || v->distributed || v->grid || v->broadcast)
        return false;
    if (v->turns >= 0) return computes_in_turn(p, v);
    if (v->n_reads > 1 && computes_again_at_places(p, v)) return true;
    if (v->room.instrs > MOST_INSTRS || v->room.loads > MOST_LOADS ||
        v->room.constants > MOST_CONSTANTS)
        return false;
    return heddle__is_cheap_again(p, v, v->cost, v->room.loads, bytes_of_operands(p, v, NULL),
                                  bytes_of_operands(p, v, v));
}
