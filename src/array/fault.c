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
    atomic_init(&fault->with, NULL);
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
    heddle__fault_release(atomic_load(&fault->with));
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

void heddle__fault_join(struct heddle_fault *fault, struct heddle_fault *first)
{
    struct heddle_fault *none = NULL;
    if (fault == first || atomic_load(&first->with) == fault) return;
    heddle__fault_retain(first);
    if (!atomic_compare_exchange_strong(&fault->with, &none, first)) heddle__fault_release(first);
}

bool heddle__fault_is_reported(const struct heddle_fault *fault)
{
    return fault && (atomic_load(&fault->has_report) || atomic_load(&fault->with));
}

/* What was reported of a fault, if anything was, is its error. */
static int take_report(struct heddle_fault *fault)
{
    int state = atomic_load_explicit(&fault->state, memory_order_acquire);
    if (state != NONE || !atomic_load_explicit(&fault->has_report, memory_order_acquire))
        return state;
    heddle__report_take(fault);
    return atomic_load_explicit(&fault->state, memory_order_acquire);
}

/* Another thread is done with it in a few instructions. */
static int settled(struct heddle_fault *fault, int state)
{
    while (state == WRITING) {
        sched_yield();
        state = atomic_load_explicit(&fault->state, memory_order_acquire);
    }
    return state;
}

enum heddle_status heddle__fault_get(struct heddle_fault *fault, const char **text)
{
    *text = "";
    if (!fault) return HEDDLE_OK;
    int state = take_report(fault);
    struct heddle_fault *with = atomic_load_explicit(&fault->with, memory_order_acquire);
    if (state == NONE && with) {
        const int other = settled(with, take_report(with));
        if (other != NONE) heddle__fault_set(fault, (enum heddle_status)other, with->text);
        state = atomic_load_explicit(&fault->state, memory_order_acquire);
    }
    if (state == NONE) return HEDDLE_OK;
    *text = fault->text;
    return (enum heddle_status)settled(fault, state);
}
