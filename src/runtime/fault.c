/* Faults: the error slot of an array that tasks compute, shared by its storage and the tasks. Set by
 * kernels on any thread, read by successors and by wait and read. Entry points: internal.h. */
#include "base/memory.h"
#include "runtime/internal.h"

#include <stdio.h>

enum { NONE, WRITING };

struct heddle_fault *heddle__fault_new(void)
{
    struct heddle_fault *fault = heddle__alloc(sizeof *fault);
    if (!fault) return NULL;
    atomic_init(&fault->refs, 1);
    atomic_init(&fault->state, NONE);
    fault->text[0] = 0;
    return fault;
}

struct heddle_fault *heddle__fault_retain(struct heddle_fault *fault)
{
    if (fault) atomic_fetch_add_explicit(&fault->refs, 1, memory_order_relaxed);
    return fault;
}

void heddle__fault_release(struct heddle_fault *fault)
{
    if (fault && atomic_fetch_sub_explicit(&fault->refs, 1, memory_order_acq_rel) == 1)
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
    if (state == NONE) return HEDDLE_OK;
    while (state == WRITING) { /* a few instructions of another thread */
        sched_yield();
        state = atomic_load_explicit(&fault->state, memory_order_acquire);
    }
    *text = fault->text;
    return (enum heddle_status)state;
}
