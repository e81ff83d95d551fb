/* Whether a plan fits in the machine's memory. It is asked before anything is submitted, because StarPU
 * retries an allocation that cannot succeed for ever. Entry point: heddle__check_memory. */
#include "array/host_memory.h"
#include "base/text.h"
#include "run/execute.h"
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
    return all + (host ? host : heddle__host_limit());
}

enum heddle_status heddle__check_memory(const struct heddle_plan *plan)
{
    int64_t largest;
    const int64_t all = memory_of_all(&largest), live = heddle__storage_bytes_live();
    const int64_t needed = plan->result_bytes + plan->peak_bytes;
    HEDDLE_REQUIRE(live + needed <= all, HEDDLE_ENOMEM,
                   "heddle_eval: %s are in use and %s more are needed, of %s",
                   heddle__bytes_text((double)live).text, heddle__bytes_text((double)needed).text,
                   heddle__bytes_text((double)all).text);
    HEDDLE_REQUIRE(plan->largest_task_bytes <= largest, HEDDLE_ENOMEM,
                   "heddle_eval: one task needs %s, more than any device's %s; use "
                   "smaller parts (HEDDLE_PART_BYTES)",
                   heddle__bytes_text((double)plan->largest_task_bytes).text,
                   heddle__bytes_text((double)largest).text);
    return HEDDLE_OK;
}
