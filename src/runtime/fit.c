/* Whether a plan fits the machine's memory, asked before anything is submitted: StarPU retries an
 * allocation that cannot succeed for ever. Entry points: heddle__check_memory, heddle__task_bytes. */
#include "runtime/internal.h"

#include "base/memory.h"

int64_t heddle__task_bytes(const struct heddle_plan *plan, const struct heddle_plan_task *task)
{
    int64_t total = 0;
    for (int32_t i = 0; i < task->n_uses; i++)
        total += heddle__use_bytes(plan, &plan->uses[task->first_use + i]);
    return total;
}

static int64_t array_bytes(const struct heddle_plan_array *a)
{
    int64_t n = a->element_bytes;
    for (int d = 0; d < a->grid->ndim; d++) n *= a->grid->shape[d];
    return n;
}

/* Most bytes of temporaries that are needed at once when tasks run in order. */
static int64_t peak_of_temporaries(const struct heddle_plan *plan)
{
    int64_t now = 0, peak = 0, t = 0;
    int64_t *births = heddle__calloc((size_t)plan->n_tasks + 1, sizeof *births);
    int64_t *deaths = heddle__calloc((size_t)plan->n_tasks + 1, sizeof *deaths);
    int64_t *first = heddle__alloc((size_t)plan->n_arrays * sizeof *first);
    if (births && deaths && first) {
        for (int32_t a = 0; a < plan->n_arrays; a++) first[a] = -1;
        for (t = 0; t < plan->n_tasks; t++)
            for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
                const int32_t a = plan->uses[plan->tasks[t].first_use + i].array;
                if (first[a] < 0) first[a] = t;
            }
        for (int32_t i = 0; i < plan->n_arrays; i++) {
            const struct heddle_plan_array *a = &plan->arrays[i];
            if (a->role != HEDDLE_ROLE_TEMPORARY || a->same_as >= 0 || first[i] < 0) continue;
            births[first[i]] += array_bytes(a);
            deaths[a->last_task + 1 <= plan->n_tasks && a->last_task >= first[i] ? a->last_task + 1
                                                                                 : plan->n_tasks] +=
                array_bytes(a);
        }
        for (t = 0; t < plan->n_tasks; t++) {
            now += births[t] - deaths[t];
            if (now > peak) peak = now;
        }
    }
    heddle__free(births);
    heddle__free(deaths);
    heddle__free(first);
    return peak;
}

enum heddle_status heddle__check_memory(const struct heddle_plan *plan)
{
    int64_t host = 0, largest = 0, all = 0;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu && w->memory_bytes > host) host = w->memory_bytes;
        if (w->memory_bytes > largest) largest = w->memory_bytes;
        if (w->is_gpu) all += w->memory_bytes;
    }
    const struct heddle_settings *settings = heddle__settings();
    const int64_t ram = host                                     ? host
                        : settings && settings->cpu_memory_bytes ? settings->cpu_memory_bytes
                                                                 : heddle__machine()->memory_bytes;
    all += ram;

    int64_t made = 0, temporary = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->same_as >= 0) continue;
        if (a->role == HEDDLE_ROLE_RESULT) made += array_bytes(a);
        if (a->role == HEDDLE_ROLE_TEMPORARY) temporary += array_bytes(a);
    }
    const int64_t live = heddle__storage_bytes_live();
    if (live + made + temporary > all / 8 * 7) {
        temporary = peak_of_temporaries(plan);
        if (live + made + temporary > all)
            return heddle__fail(HEDDLE_ENOMEM,
                                "heddle_eval: %.3g GB are in use and %.3g GB more are needed, of "
                                "%.3g GB",
                                (double)live / 1e9, (double)(made + temporary) / 1e9,
                                (double)all / 1e9);
    }
    if (plan->bytes < (double)largest / 16) return HEDDLE_OK;
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        const int64_t bytes = heddle__task_bytes(plan, &plan->tasks[t]);
        if (bytes > largest)
            return heddle__fail(HEDDLE_ENOMEM,
                                "heddle_eval: one task needs %.3g GB, more than any device's "
                                "%.3g GB; use smaller parts (HEDDLE_PART_BYTES)",
                                (double)bytes / 1e9, (double)largest / 1e9);
    }
    return HEDDLE_OK;
}
