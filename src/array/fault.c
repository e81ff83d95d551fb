/* Faults: the error slot of an array that tasks compute, shared by its storage and the tasks. Set by
 * kernels on any thread, read by tasks that follow and by whoever waits. Entry points: fault.h. */
#include "array/fault.h"

#include "array/reports.h"

#include "base/memory.h"

#include <sched.h>
#include <stdio.h>

enum { NONE, WRITING };

struct heddle_fault *heddle__fault_new(void)
{
    struct heddle_fault *fault = heddle__alloc(sizeof *fault);
    if (!fault) return NULL;
    atomic_init(&fault->refs, 1);
    atomic_init(&fault->state, NONE);
    fault->text[0] = 0;
    atomic_init(&fault->has_report, false);
    return fault;
}

struct heddle_fault *heddle__fault_retain(struct heddle_fault *fault)
{
    if (fault) atomic_fetch_add_explicit(&fault->refs, 1, memory_order_relaxed);
    return fault;
}

void heddle__fault_release(struct heddle_fault *fault)
{
    if (!fault || atomic_fetch_sub_explicit(&fault->refs, 1, memory_order_acq_rel) != 1) return;
    if (atomic_load(&fault->has_report)) heddle__report_put(fault);
    heddle__free(fault);
}

void heddle__fault_set(struct heddle_fault *fault, enum heddle_status code, const char *text)
{
    if (!fault) return;
    int none = NONE;
    if (!atomic_compare_exchange_strong(&fault->state, &none, WRITING)) return;
    snprintf(fault->text, sizeof fault->text, "%s", text ? text : heddle_status_text(code));
    atomic_store_explicit(&fault->state, (int)code, memory_order_release);
}

enum heddle_status heddle__fault_get(struct heddle_fault *fault, const char **text)
{
    *text = "";
    if (!fault) return HEDDLE_OK;
    int state = atomic_load_explicit(&fault->state, memory_order_acquire);
    if (state == NONE && atomic_load_explicit(&fault->has_report, memory_order_acquire)) {
        heddle__report_take(fault);
        state = atomic_load_explicit(&fault->state, memory_order_acquire);
    }
    if (state == NONE) return HEDDLE_OK;
    while (state == WRITING) { /* another thread is done in a few instructions */
        sched_yield();
        state = atomic_load_explicit(&fault->state, memory_order_acquire);
    }
    *text = fault->text;
    return (enum heddle_status)state;
}
