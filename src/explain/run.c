/* What devices did and what links moved, as a table: in one evaluation, or in all so far. Entry points:
 * heddle_usage_text, heddle__explain_run. */
#include "explain/run.h"

#include "base/memory.h"
#include "base/user_function.h"
#include "base/text.h"
#include "run/life.h"

#include <heddle/explain.h>
#include <heddle/runtime.h>

/* The counters of devices and links at a point in time. */
struct used {
    int64_t inline_programs;
    int n_devices, n_links;
    struct heddle_usage *devices;
    struct heddle_traffic *links;
};

static void used_free(struct used *used)
{
    heddle__free(used->devices);
    heddle__free(used->links);
    *used = (struct used){0};
}

/* Waits for what is in flight, then reads the counters. On success free them. */
static enum heddle_status used_take(struct used *out)
{
    *out = (struct used){0};
    heddle__wait_all();
    enum heddle_status status;
    int n_devices = 0, n_links = 0;
    HEDDLE_TRY(heddle_usage_get(0, NULL, &n_devices));
    HEDDLE_TRY(heddle_traffic_get(0, NULL, &n_links));
    out->devices = heddle__calloc((size_t)n_devices + 1, sizeof *out->devices);
    out->links = heddle__calloc((size_t)n_links + 1, sizeof *out->links);
    if (!out->devices || !out->links) {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_explain: no memory for counters");
        goto fail;
    }
    HEDDLE_TRY(heddle_usage_get(n_devices, out->devices, &out->n_devices));
    HEDDLE_TRY(heddle_traffic_get(n_links, out->links, &out->n_links));
    if (out->n_devices > n_devices) out->n_devices = n_devices; /* another thread's */
    if (out->n_links > n_links) out->n_links = n_links;
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    out->inline_programs = s.inline_programs;
    return HEDDLE_OK;
fail:
    used_free(out);
    return status;
}

/* What device `u` did since `before`. */
static struct heddle_usage added(const struct used *before, const struct heddle_usage *u)
{
    struct heddle_usage d = *u;
    for (int i = 0; i < before->n_devices; i++) {
        const struct heddle_usage *b = &before->devices[i];
        if (b->place != u->place) continue;
        d.tasks -= b->tasks;
        d.busy_seconds -= b->busy_seconds;
        d.predicted_seconds -= b->predicted_seconds;
        d.idle_seconds -= b->idle_seconds;
    }
    if (d.idle_seconds < 0) d.idle_seconds = 0;
    return d;
}

static void put_link(struct heddle_text *t, const struct used *before,
                     const struct heddle_traffic *link)
{
    char from[HEDDLE_PLACE_NAME_MAX], to[HEDDLE_PLACE_NAME_MAX];
    int64_t bytes = link->bytes, transfers = link->transfers;
    for (int i = 0; i < before->n_links; i++)
        if (before->links[i].from == link->from && before->links[i].to == link->to) {
            bytes -= before->links[i].bytes;
            transfers -= before->links[i].transfers;
        }
    if (bytes == 0) return;
    heddle__text_put(t, "  moved %s to %s: ", heddle_place_name(link->from, from),
                     heddle_place_name(link->to, to));
    heddle__text_put_bytes(t, (double)bytes);
    heddle__text_put(t, " in %lld transfer%s\n", (long long)transfers, transfers == 1 ? "" : "s");
}

/* Writes what happened from `before` to `after`. */
static void used_put(struct heddle_text *t, const struct used *before, const struct used *after)
{
    int64_t n_tasks = 0;
    for (int i = 0; i < after->n_devices; i++) n_tasks += added(before, &after->devices[i]).tasks;
    const int64_t n_inline = after->inline_programs - before->inline_programs;
    heddle__text_put(t, "ran: %lld task%s on devices, %lld on the caller's thread\n",
                     (long long)n_tasks, n_tasks == 1 ? "" : "s", (long long)n_inline);
    if (n_tasks == 0) return;
    heddle__text_put(t, "  %-8s %7s %13s %12s %11s   %s\n", "device", "tasks", "predicted ms",
                     "measured ms", "idle ms", "peak memory");
    for (int i = 0; i < after->n_devices; i++) {
        const struct heddle_usage u = added(before, &after->devices[i]);
        heddle__text_put(t, "  %-8s %7lld %13.3f %12.3f %11.3f   ", u.name, (long long)u.tasks,
                         u.predicted_seconds * 1e3, u.busy_seconds * 1e3, u.idle_seconds * 1e3);
        heddle__text_put_bytes(t, (double)u.peak_bytes);
        heddle__text_put(t, "\n");
    }
    for (int i = 0; i < after->n_links; i++) put_link(t, before, &after->links[i]);
}

enum heddle_status heddle_usage_text(char **text)
{
    HEDDLE_REQUIRE(text, HEDDLE_EARG, "heddle_usage_text: text is NULL");
    static const struct used none;
    struct used now;
    struct heddle_text t = {0};
    enum heddle_status status = heddle__refuse_in_function("usage_text");
    if (status == HEDDLE_OK) status = used_take(&now);
    if (status != HEDDLE_OK) return status;
    used_put(&t, &none, &now);
    used_free(&now);
    return heddle__text_end(&t, "heddle_usage_text", text);
}

/* The plan, for a runtime that is up if the plan needs one. */
static enum heddle_status plan_to_run(heddle_array *a, char **plan)
{
    bool needs_runtime;
    heddle__evaluation_lock();
    enum heddle_status status = heddle__explain_plan(a, plan, &needs_runtime);
    if (status == HEDDLE_OK && needs_runtime && !heddle__is_started()) {
        heddle__free(*plan); /* the devices were not known */
        status = heddle__need_runtime();
        if (status == HEDDLE_OK) status = heddle__explain_plan(a, plan, &needs_runtime);
    }
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle__explain_run(heddle_array *a, char **text)
{
    struct heddle_text t = {0};
    struct used before = {0}, after = {0};
    char *plan;
    enum heddle_status status = plan_to_run(a, &plan);
    if (status != HEDDLE_OK) return status;
    HEDDLE_TRY(used_take(&before));
    HEDDLE_TRY(heddle_wait(a));
    HEDDLE_TRY(used_take(&after));
    heddle__text_put_all(&t, plan);
    used_put(&t, &before, &after);
    status = heddle__text_end(&t, "heddle_explain", text);
fail:
    used_free(&before);
    used_free(&after);
    heddle__free(plan);
    return status;
}
