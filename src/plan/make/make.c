/* Makes plans: runs the passes in their order. Entry point: heddle__plan_make. */
#include "plan/make/make.h"

#include "array/storage.h"
#include "base/memory.h"
#include "plan/cut/cut.h"
#include "plan/finish.h"
#include "plan/fuse/fuse.h"
#include "plan/partition/choose.h"
#include "plan/policy/thresholds.h"

/* Bytes of inputs, all or those in files, that a node reads: directly, or through a view. */
static double input_bytes(const heddle_array *a, bool of_files)
{
    double bytes = 0;
    for (int k = 0; k < a->n_in; k++) {
        const heddle_array *in = a->in[k];
        if (!in || in->kind != HEDDLE_NODE_DATA) continue;
        if (of_files && !heddle__storage_is_file(in->storage)) continue;
        const int64_t each = (int64_t)heddle_dtype_size(in->dtype);
        const bool is_view = a->kind == HEDDLE_NODE_VIEW;
        if (is_view && heddle__storage_is_file(in->storage))
            bytes += heddle__map_file_bytes(a->map, in->shape, each, a->shape);
        else
            bytes += (double)((is_view && a->size < in->size ? a->size : in->size) * each);
    }
    return bytes;
}

#define FILES_OF_MEMORY 16      /* as much of large files may stay in memory (array/file_pages.c) */
#define WORTH_A_TEAM (64 << 10) /* bytes, as work_bytes counts them */

static double result_bytes(const struct heddle_walk_result *r)
{
    enum heddle_dtype dtype = (enum heddle_dtype)r->node->dtype;
    struct heddle_shape shape;
    double n = (double)r->node->size;
    if (r->output > 0) {
        heddle__describe_output(r->node, r->output, &dtype, &shape);
        n = 1;
        for (int d = 0; d < shape.ndim; d++) n *= (double)shape.extent[d];
    }
    return n * (double)heddle_dtype_size(dtype);
}

/* Work of the whole graph in bytes moved, to tell what is small: an addition counts as two bytes. */
static double work_bytes(const struct heddle_walk *walk)
{
    double bytes = 0;
    for (int64_t i = 0; i < walk->n; i++) {
        const heddle_array *a = walk->nodes[i];
        const double n = (double)a->size;
        bytes += input_bytes(a, false);
        switch ((enum heddle_node_kind)a->kind) {
        case HEDDLE_NODE_MAP: bytes += 2 * n * (double)heddle__ops[a->op].flops; break;
        case HEDDLE_NODE_CAST: bytes += 2 * n; break;
        case HEDDLE_NODE_REDUCE: bytes += 2 * (double)a->in[0]->size; break;
        case HEDDLE_NODE_FAMILY:
            if (heddle__family_of(a)->work) bytes += heddle__family_of(a)->work(a);
            break;
        case HEDDLE_NODE_ASSEMBLE:
        case HEDDLE_NODE_RESHAPE: bytes += n * (double)heddle_dtype_size(a->dtype); break;
        case HEDDLE_NODE_DATA:
        case HEDDLE_NODE_ERROR:
        case HEDDLE_NODE_TUPLE:
        case HEDDLE_NODE_OUTPUT:
        case HEDDLE_NODE_CONSTANT:
        case HEDDLE_NODE_INDEX:
        case HEDDLE_NODE_VIEW:
        case HEDDLE_NODE_DISTRIBUTE: break;
        }
        bytes += 64; /* a node's own overhead */
    }
    for (int32_t i = 0; i < walk->n_results; i++) bytes += result_bytes(&walk->results[i]);
    return bytes;
}

/* Whether it takes longer on the caller's thread than on a GPU, where operations are several launches if they are many. */
static bool is_some_work(const struct heddle_walk *walk, const struct heddle_policy *policy,
                         double work)
{
    enum { OPERATIONS_OF_LAUNCH = 16 };
    const double more =
        (double)(walk->n - walk->n_leaves - walk->n_constants) / OPERATIONS_OF_LAUNCH;
    return policy->worn_bytes > 0 && work > (1 + more) * (double)policy->worn_bytes;
}

static bool can_run_inline(const struct heddle_walk *walk, const struct heddle_policy *policy,
                           double work)
{
    if (policy->force_n > 0 && policy->inline_bytes <= 0) return false;
    bool has_files = false;
    for (int32_t i = 0; i < walk->n_leaves; i++) {
        const struct heddle_storage *storage = walk->leaves[i]->storage;
        const struct heddle_grid *grid = heddle__storage_grid(storage);
        if ((grid && grid->n_parts > 1) || !heddle__storage_on_host(storage)) return false;
        if (heddle__storage_is_worn(storage) && is_some_work(walk, policy, work)) return false;
        has_files = has_files || heddle__storage_is_file(storage);
    }
    /* tasks give back what they have read of files, one after the other; the caller's thread has one task */
    double file_bytes = 0;
    for (int64_t i = 0; has_files && i < walk->n; i++)
        file_bytes += input_bytes(walk->nodes[i], true);
    if (policy->host_bytes > 0 && file_bytes > (double)policy->host_bytes / FILES_OF_MEMORY)
        return false;
    for (int64_t i = 0; i < walk->n; i++) { /* the user wants to see parts */
        const heddle_array *a = walk->nodes[i];
        if (a->kind == HEDDLE_NODE_DISTRIBUTE && a->grid) return false;
        if (a->kind == HEDDLE_NODE_FAMILY && !(heddle__family_of(a)->flags & HEDDLE_FAMILY_INLINE))
            return false;
    }
    return policy->inline_bytes > 0 && work <= (double)policy->inline_bytes;
}

static void planner_free(struct heddle_planner *p)
{
    heddle__free(p->groups);
    heddle__free(p->one_part);
    heddle__free(p->halos);
    heddle__free(p->kept_halos);
    heddle__free(p->replicas);
    heddle__arena_free(&p->scratch);
}

/* What a plan may take: a fraction of host memory, and something for each node, which takes memory itself. */
static int64_t most_bytes(const struct heddle_walk *walk, const struct heddle_policy *policy)
{
    enum { OF_MEMORY = 8, LEAST = 64 << 20, OF_NODE = 2048 };
    const int64_t share = policy->host_bytes / OF_MEMORY;
    const int64_t most = (share > LEAST ? share : LEAST) + walk->n * OF_NODE;
    return policy->host_bytes > 0 && most < HEDDLE_PLAN_BYTES_MAX ? most : HEDDLE_PLAN_BYTES_MAX;
}

struct heddle_plan *heddle__plan_make(const struct heddle_walk *walk,
                                      const struct heddle_policy *policy)
{
    struct heddle_planner p = {.walk = walk, .policy = policy, .n = walk->n};
    p.most_bytes = most_bytes(walk, policy);
    struct heddle_plan *plan = heddle__calloc(1, sizeof *plan);
    if (!plan) goto fail;
    atomic_init(&plan->refs, 1);
    p.plan = plan;
    plan->n_inputs = walk->n_leaves;
    plan->n_results = walk->n_results;
    plan->n_constants = walk->n_constants;
    plan->n_objects = walk->n_objects;
    plan->arena = heddle__calloc(1, sizeof *plan->arena);
    plan->results = heddle__calloc((size_t)walk->n_results, sizeof *plan->results);
    if (!plan->arena || !plan->results) goto fail;
    const double work = work_bytes(walk);
    plan->run_inline = p.run_inline = can_run_inline(walk, policy, work);
    plan->uses_team = work > WORTH_A_TEAM;
    plan->wears = p.run_inline && is_some_work(walk, policy, work);
    if (!p.run_inline) heddle__choose_spread(&p);

    const bool ok = heddle__simplify(&p) && heddle__fuse(&p) && heddle__find_tails(&p) &&
                    heddle__schedule(&p) && heddle__emit(&p) && heddle__drop_unread(&p) &&
                    heddle__join_scans(&p) && heddle__join_prologues(&p) &&
                    heddle__join_epilogues(&p) && heddle__join_rows(&p);
    plan->programs = p.programs;
    plan->n_programs = p.n_programs;
    if (!ok) goto fail;
    /* with GPUs, where data are matters more than the order */
    const int64_t most =
        policy->n_gpus == 0 ? policy->host_bytes / heddle__thresholds.temporaries_of_memory : 0;
    if (heddle__plan_finish(plan, most) != HEDDLE_OK) goto refused; /* it has said why */
    if (!heddle__note_forwarding(&p)) goto fail;
    planner_free(&p);
    return plan;

fail:
    if (p.is_out_of_order)
        heddle__fail(HEDDLE_EINTERNAL, "plan: an operation reads what none before it makes");
    else if (p.is_too_large)
        heddle__fail(HEDDLE_ENOMEM,
                     "heddle_eval: a plan of %lld tasks with %lld kernel calls takes too much "
                     "memory: cut arrays into fewer parts, or evaluate in steps",
                     (long long)plan->n_tasks, (long long)plan->n_calls);
    else
        heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to plan %lld operations",
                     (long long)walk->n);
refused:
    planner_free(&p);
    heddle__plan_release(plan);
    return NULL;
}
