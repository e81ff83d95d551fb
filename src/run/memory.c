/* Whether a plan fits in the machine's memory. It is asked before anything is submitted, because StarPU
 * retries an allocation that cannot succeed for ever. Entry point: heddle__check_memory. */
#include "run/execute.h"
#include "run/settings.h"
#include "run/workers.h"

/* Bytes of all devices, the host among them; *largest: of the largest one. */
static int64_t memory_of_all(int64_t *largest)
{
    int64_t host = 0, all = 0;
    *largest = 0;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu && w->memory_bytes > host) host = w->memory_bytes;
        if (w->memory_bytes > *largest) *largest = w->memory_bytes;
        if (w->is_gpu) all += w->memory_bytes;
    }
    const struct heddle_settings *settings = heddle__settings();
    if (host) return all + host;
    return all + (settings && settings->cpu_memory_bytes ? settings->cpu_memory_bytes
                                                         : heddle__machine()->memory_bytes);
}

enum heddle_status heddle__check_memory(const struct heddle_plan *plan)
{
    int64_t largest;
    const int64_t all = memory_of_all(&largest), live = heddle__storage_bytes_live();
    const int64_t needed = plan->result_bytes + plan->peak_bytes;
    HEDDLE_REQUIRE(live + needed <= all, HEDDLE_ENOMEM,
                   "heddle_eval: %.3g GB are in use and %.3g GB more are needed, of %.3g GB",
                   (double)live / 1e9, (double)needed / 1e9, (double)all / 1e9);
    HEDDLE_REQUIRE(plan->largest_task_bytes <= largest, HEDDLE_ENOMEM,
                   "heddle_eval: one task needs %.3g GB, more than any device's %.3g GB; use "
                   "smaller parts (HEDDLE_PART_BYTES)",
                   (double)plan->largest_task_bytes / 1e9, (double)largest / 1e9);
    return HEDDLE_OK;
}
