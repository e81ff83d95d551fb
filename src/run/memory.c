/* Whether a plan fits in the machine's memory and, beyond that, on its disk. It is asked before anything is
 * submitted, because StarPU retries an allocation that cannot succeed for ever. Entry point:
 * heddle__check_memory. */
#include "array/devices.h"
#include "array/host_memory.h"
#include "array/large_buffers.h"
#include "array/spill.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/execute.h"
#include "run/workers.h"

/* Bytes of all devices, the host among them; *largest: that a task may use, of the device that has most. */
static int64_t memory_of_all(int64_t *largest)
{
    int64_t host = 0, all = 0;
    *largest = 0;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (w->is_gpu) all += w->memory_bytes;
        if (!w->is_gpu && w->memory_bytes > host) host = w->memory_bytes;
        /* what the host has no memory for is on the disk, and comes by the page */
        const int64_t most = w->is_gpu ? w->memory_bytes : INT64_MAX;
        if (most > *largest) *largest = most;
    }
    return all + (host ? host : heddle__host_limit());
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
    HEDDLE_REQUIRE(needed <= left, HEDDLE_ENOMEM,
                   "heddle_eval: %s more are needed, and %s of the address space are left "
                   "(ulimit -v, ulimit -d)",
                   heddle__bytes_text((double)needed).text, heddle__bytes_text((double)left).text);
    return HEDDLE_OK;
}

enum heddle_status heddle__check_memory(const struct heddle_plan *plan,
                                        const struct heddle_bindings *bindings)
{
    int64_t largest;
    char folder[128];
    const int64_t all = memory_of_all(&largest), live = heddle__storage_bytes_live();
    int64_t needed = plan->result_bytes + plan->peak_bytes;
    for (int32_t i = 0; i < plan->n_results && bindings->given; i++)
        if (heddle__given_memory(plan, i, bindings))
            needed -= heddle__plan_array_bytes(&plan->arrays[plan->results[i]]);
    if (live + needed > all) {
        const int64_t room = heddle__spill_room(folder, sizeof folder);
        HEDDLE_REQUIRE(
            live + needed <= all + heddle__spill_bytes() + room, HEDDLE_ENOMEM,
            "heddle_eval: %s are in use and %s more are needed, of %s of memory and %s "
            "that are free in '%s' (HEDDLE_TMP)",
            heddle__bytes_text((double)live).text, heddle__bytes_text((double)needed).text,
            heddle__bytes_text((double)all).text, heddle__bytes_text((double)room).text, folder);
    }
    HEDDLE_REQUIRE(plan->largest_task_bytes <= largest, HEDDLE_ENOMEM,
                   "heddle_eval: one task needs %s, more than any device's %s; use "
                   "smaller parts (HEDDLE_PART_BYTES)",
                   heddle__bytes_text((double)plan->largest_task_bytes).text,
                   heddle__bytes_text((double)largest).text);
    return heddle__n_gpus() > 0 ? HEDDLE_OK : check_left(needed);
}
