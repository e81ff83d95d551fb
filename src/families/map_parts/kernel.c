/* Both twins of a function over parts: they call the user's function. Its thread is a worker's, so calls
 * that wait for tasks or for the evaluation lock, which could wait for this very task, are refused. */
#include "base/checked.h"
#include "base/hash.h"
#include "base/user_function.h"
#include "families/map_parts/kernel.h"

#include <string.h>

static bool is_status(enum heddle_status status)
{
    switch (status) {
#define STATUS(id, number, text) case id:
        HEDDLE_STATUS_MAP(STATUS)
#undef STATUS
        return true;
    }
    return false;
}

static enum heddle_status call_function(const struct heddle_part_call *call,
                                        const struct heddle_function *f,
                                        heddle_part_function *function,
                                        const struct heddle_kernel_context *k)
{
    struct heddle_part_view view = {
        .data = k->buffers[call->in], .place = k->place, .stream = k->stream, .part = call->part};
    memcpy(view.lo, call->lo, sizeof view.lo);
    memcpy(view.shape, call->shape, sizeof view.shape);
    memcpy(view.before, call->before, sizeof view.before);
    memcpy(view.after, call->after, sizeof view.after);
    const bool checks = heddle__checking() && !k->stream;
    const size_t bytes = checks ? (size_t)call->in_bytes : 0;
    const uint64_t before = heddle__hash_bytes(0, view.data, bytes);
    heddle__in_user_function = true;
    const enum heddle_status status = function(&view, k->buffers[call->out], f->user);
    heddle__in_user_function = false;
    HEDDLE_REQUIRE(!checks || heddle__hash_bytes(0, view.data, bytes) == before, HEDDLE_EARG,
                   "heddle_map_parts: the function changed its input, part %lld",
                   (long long)call->part);
    if (status == HEDDLE_OK) return HEDDLE_OK;
    return heddle__fail(is_status(status) ? status : HEDDLE_EARG,
                        "heddle_map_parts: the function failed on part %lld with %d, %s",
                        (long long)call->part, (int)status, heddle_status_text(status));
}

static const struct heddle_function *function_of(const struct heddle_part_call *call,
                                                 const struct heddle_kernel_context *k)
{
    return (const struct heddle_function *)k->objects[call->function];
}

static enum heddle_status run_cpu(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_function *f = function_of(arguments, k);
    return call_function(arguments, f, f->cpu, k);
}

static enum heddle_status run_cuda(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_function *f = function_of(arguments, k);
    return call_function(arguments, f, f->cuda, k);
}

const struct heddle_cpu_kernel heddle__map_parts_cpu = {.run = run_cpu};
const struct heddle_cuda_kernel heddle__map_parts_cuda = {.run = run_cuda};
