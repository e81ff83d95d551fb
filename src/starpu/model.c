/* What a task costs on a worker, for StarPU's scheduler. Entry point: heddle__task_cost_us. */
#include "array/devices.h"
#include "plan/roofline.h"
#include "run/cost.h"
#include "starpu/gpu_queue.h"
#include "starpu/jobs.h"
#include "starpu/submit.h"

#define PAGEABLE_RATE 7e9 /* bytes/s from host memory that is not pinned (H200: 7.2e9) */
#define TRANSFER_US 10    /* to start a transfer */

/* Bytes/s of the link over which a part would come to a worker; 0: it is there, or not made yet. */
static double link_rate(starpu_data_handle_t handle, const struct heddle_worker *to, bool pageable)
{
    if (heddle__is_valid_on(handle, to->node)) return 0;
    if (heddle__is_valid_on(handle, STARPU_MAIN_RAM)) return pageable ? PAGEABLE_RATE : to->link;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *from = heddle__worker(i);
        if (!from->is_gpu || !heddle__is_valid_on(handle, from->node)) continue;
        if (!to->is_gpu) return from->link;
        const double rate = 1e6 * starpu_transfer_bandwidth(from->node, to->node); /* from MB/s */
        return rate > 1e8 ? rate : 1e10;
    }
    return 0;
}

/* The cost of bringing what the task reads. An input that several evaluations have read will be read
 * again; they share the cost of moving it, or nothing would ever move to a faster place. */
static double transfer_us(struct starpu_task *task, const struct heddle_worker *w)
{
    const struct heddle_job *job = task->cl_arg;
    const struct heddle_plan_task *plan_task = &job->run->plan->tasks[job->task];
    const struct heddle_plan_use *uses = job->run->plan->uses + plan_task->first_use;
    double us = 0;
    for (int i = 0; i < plan_task->n_uses; i++) {
        if (!(uses[i].mode & HEDDLE_READ)) continue;
        const struct heddle_run_input *input = &job->run->inputs[uses[i].array];
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        const double rate = link_rate(handle, w, input->pageable);
        if (rate > 0)
            us += (TRANSFER_US + 1e6 * (double)starpu_data_get_size(handle) / rate) /
                  (input->n_uses > 1 ? input->n_uses : 1);
    }
    return us;
}

/* Includes transfers. StarPU's own term for them is off (STARPU_SCHED_BETA): it takes transfers for hidden
 * behind earlier tasks, even if all of them wait for the link. */
double heddle__task_cost_us(struct starpu_task *task, unsigned worker, unsigned nimpl)
{
    (void)nimpl;
    const struct heddle_job *job = task->cl_arg;
    const struct heddle_plan_task *plan_task = &job->run->plan->tasks[job->task];
    const struct heddle_worker *w = heddle__worker((int)worker);
    const double work = heddle__predict_us(job->run->plan, plan_task, w);
    if (heddle__n_gpus() == 0 || plan_task->place != HEDDLE_ANYWHERE) return work;
    const double transfer = transfer_us(task, w);
    const double n = (double)job->run->plan->steps[plan_task->step].n_tasks;
    return heddle__overlap_us(work, transfer, n);
}
