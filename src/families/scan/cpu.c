/* Cumulative sums, products and extremes on the CPU: threads share rows, or bands of chunks that stay in their
 * caches. The loops are in cpu_loops.h, for each dtype and operation. */
#include "base/share.h"
#include "families/scan/cpu_work.h"
#include "families/scan/kernel.h"

#include "kernels.h"

#include <string.h>

enum {
    HEDDLE_SCAN_STRIP = 256 /* columns that are scanned together */
};

/* Whether columns are too few for all threads, so that these share chunks of the axis. */
static bool heddle__scan_in_chunks(const struct heddle_scan *s, int n_threads)
{
    const int64_t strips = s->outer * ((s->inner + HEDDLE_SCAN_STRIP - 1) / HEDDLE_SCAN_STRIP);
    return n_threads > 1 && strips < n_threads && !s->has_in && !s->has_out &&
           heddle__scan_chunks(s->n, true) >= 4 * n_threads;
}

#define SCAN_BODY "families/scan/cpu_loops.h"
#include "cpu/scan/types.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    static heddle_scan_loops *const runs[HEDDLE_SCAN_OPERATIONS][HEDDLE_N_DTYPES] =
        HEDDLE_SCANS(run);
    const struct heddle_scan *s = arguments;
    heddle_scan_loops *const f = runs[s->operation][s->dtype];
    HEDDLE_REQUIRE(f, HEDDLE_EINTERNAL, "scan: no kernel for %s",
                   heddle_dtype_name((enum heddle_dtype)s->dtype));
    if (s->before || s->after) return heddle__scan_with_work(s, f, k);
    f(s, k->buffers, k->scratch, k->team);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__scan_cpu = {.run = run};
