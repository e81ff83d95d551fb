/* What is computed again in each program that reads it, not stored: a cheap value of several readers. So
 * `x - mean(x)`, which a variance and a result read, costs no array of its own. Entry points: fuse.h. */
#include "plan/fuse/fuse.h"
#include "plan/policy/thresholds.h"

/* So much of a program, at most, for one value: a member has up to three such operands. */
enum { MOST_INSTRS = 16, MOST_LOADS = 8, MOST_CONSTANTS = 4 };
#define WIDE_WEIGHT 1.5

void heddle__note_broadcast(const struct heddle_planner *p, struct heddle_value *v, int32_t group)
{
    const struct heddle_group *g = &p->groups[group];
    double readers = 1;
    for (int d = 0; d < g->ndim; d++) readers *= (double)g->extent[d];
    if (readers > (double)v->node->size) v->broadcast = true;
}

void heddle__note_read(const struct heddle_planner *p, struct heddle_value *v, int32_t group,
                       const struct heddle_map *map)
{
    const struct heddle_group *g = &p->groups[group];
    heddle__note_broadcast(p, v, group);
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

void heddle__note_reads_of(const struct heddle_value *v, struct heddle_value *in)
{
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
    const double rate = p->policy->n_gpus > 0 ? heddle__thresholds.flops_for_byte_gpu
                                              : heddle__thresholds.flops_for_byte_cpu;
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

bool heddle__computes_again(const struct heddle_planner *p, const struct heddle_value *v)
{
    if (!p->policy->fusion || v->materialised || v->distributed || v->grid || v->broadcast)
        return false;
    if (v->room.instrs > MOST_INSTRS || v->room.loads > MOST_LOADS ||
        v->room.constants > MOST_CONSTANTS)
        return false;
    return heddle__is_cheap_again(p, v, v->cost, v->room.loads, bytes_of_operands(p, v, NULL),
                                  bytes_of_operands(p, v, v));
}
