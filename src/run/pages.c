/* What tasks use of files: says before a task whether it reads here and there, and gives pages back after it. Entry
 * points: heddle__expect_task_pages, heddle__drop_task_pages. */
#include "array/file_pages.h"
#include "plan/programs.h"
#include "run/execute.h"

/* Reading ahead is worth while as long as elements are nearer to each other than a disk reads in the time of one
 * request. */
#define FAR_BYTES (256LL << 10)

/* Bytes of a buffer: [lo, hi), and how many elements of it are used. */
struct range {
    int64_t lo, hi;
    double elements;
};

/* Widens the range by what a launch reads and writes through operand k. */
static void add_operand(struct range *r, const struct heddle_launch *launch, int k,
                        int64_t element_bytes)
{
    const struct heddle_access *access = &launch->access[k];
    int64_t lo = access->offset, hi = access->offset + 1;
    double elements = 1;
    for (int d = 0; d < launch->geometry.ndim; d++) {
        const int64_t last = (launch->geometry.extent[d] - 1) * access->stride[d];
        if (launch->geometry.extent[d] < 1) return;
        *(last < 0 ? &lo : &hi) += last;
        if (access->stride[d] != 0) elements *= (double)launch->geometry.extent[d];
    }
    r->elements += elements;
    lo *= element_bytes;
    hi *= element_bytes;
    if (lo < r->lo) r->lo = lo;
    if (hi > r->hi) r->hi = hi;
}

/* A partial reduction stores nothing but partials. */
static bool is_touched(const struct heddle_launch *launch, int operand)
{
    const struct heddle_program *p = launch->program;
    if (launch->geometry.phase != HEDDLE_PHASE_PARTIAL) return true;
    for (int s = 0; s < p->n_stores; s++)
        if (p->stores[s].operand == operand) return false;
    return true;
}

/* The bytes of buffer `i` that the task uses; all, if it has kernels that do not say. */
static struct range range_of(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                             uint32_t i, int64_t size_bytes)
{
    struct range r = {size_bytes, 0, 0};
    for (int64_t c = task->first_call; c < task->first_call + task->n_calls; c++) {
        const struct heddle_kernel_call *call = &plan->calls[c];
        if (call->family != &heddle__program_family)
            return (struct range){0, size_bytes, (double)size_bytes};
        for (const struct heddle_launch *launch = call->arguments; launch; launch = launch->next)
            for (int k = 0; k < launch->program->n_operands; k++)
                if (launch->buffer[k] == i && is_touched(launch, k))
                    add_operand(&r, launch, k,
                                (int64_t)heddle_dtype_size(
                                    (enum heddle_dtype)launch->program->operand_dtype[k]));
    }
    if (r.lo < 0) r.lo = 0;
    if (r.hi > size_bytes) r.hi = size_bytes;
    return r;
}

static bool is_sparse(const struct range *r)
{
    return (double)(r->hi - r->lo) > r->elements * (double)FAR_BYTES;
}

void heddle__expect_task_pages(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                               void *const buffers[])
{
    if (!heddle__files_are_large()) return;
    for (int32_t i = 0; i < task->n_uses; i++) {
        const int64_t bytes = heddle__use_bytes(plan, &plan->uses[task->first_use + i]);
        const struct range r = range_of(plan, task, (uint32_t)i, bytes);
        if (buffers[i] && is_sparse(&r))
            heddle__expect_random((const char *)buffers[i] + r.lo, r.hi - r.lo, true);
    }
}

void heddle__drop_task_pages(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                             void *const buffers[])
{
    if (!heddle__files_are_large()) return;
    for (int32_t i = 0; i < task->n_uses; i++) {
        const int64_t bytes = heddle__use_bytes(plan, &plan->uses[task->first_use + i]);
        const struct range r = range_of(plan, task, (uint32_t)i, bytes);
        if (!buffers[i] || r.lo >= r.hi) continue;
        if (is_sparse(&r))
            heddle__expect_random((const char *)buffers[i] + r.lo, r.hi - r.lo, false);
        heddle__drop_pages((const char *)buffers[i] + r.lo, r.hi - r.lo);
    }
}
