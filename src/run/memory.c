/* Whether a plan fits in the machine's memory. It is asked before anything is submitted, because StarPU
 * retries an allocation that cannot succeed for ever. Entry point: heddle__check_memory. */
#include "array/devices.h"
#include "array/large_buffers.h"
#include "base/limits.h"
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
    return all + (host ? host : heddle__host_memory(heddle__settings()));
}

int64_t heddle__host_memory(const struct heddle_settings *settings)
{
    if (settings && settings->cpu_memory_bytes) return settings->cpu_memory_bytes;
    const int64_t physical = heddle__machine()->memory_bytes, left = heddle__memory_left();
    const int64_t live = heddle__storage_bytes_live();
    return left < physical - live ? live + left : physical;
}

/* What limits of the address space leave to a plan whose data are in host memory. */
static enum heddle_status check_left(int64_t needed)
{
    int64_t left = heddle__memory_left();
    needed += needed / 8; /* sizes are rounded up to classes */
    if (needed > left) {  /* what is kept for reuse counts as used */
        heddle__large_buffers_trim(false);
        left = heddle__memory_left();
    }
    HEDDLE_REQUIRE(
        needed <= left, HEDDLE_ENOMEM,
        "heddle_eval: %.3g GB more are needed, and %.3g GB of the address space are left "
        "(ulimit -v, ulimit -d)",
        (double)needed / 1e9, (double)left / 1e9);
    return HEDDLE_OK;
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
    return heddle__n_gpus() > 0 ? HEDDLE_OK : check_left(needed);
}
