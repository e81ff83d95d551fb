/* Functions that the user wants called when an array is done. A thread, made at the first call, waits for the
 * arrays and calls them, one after the other; so they may do whatever a thread of the user's may. Entry
 * point: heddle_on_done. */
#include "base/at_fork.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/user_function.h"
#include "graph/check.h"
#include "run/done/done.h"
#include "run/evaluate.h"
#include "run/life.h"

#include <pthread.h>

struct wish {
    struct wish *next;
    heddle_array *array; /* a reference */
    heddle_done_function *function;
    void *data;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static struct wish *first, **last = &first;
static bool running; /* the thread */

/* Those of the parent are the parent's. */
static void in_child(void)
{
    pthread_cond_init(&added, NULL);
    first = NULL;
    last = &first;
    running = false;
}

HEDDLE_AT_FORK(.mutex = &mutex, .in_child = in_child)

/* Takes those whose arrays are done, in the order of the calls. */
static struct wish *take_due(bool *polls)
{
    struct wish *due = NULL, **end = &due;
    *polls = false;
    pthread_mutex_lock(&mutex);
    last = &first;
    while (*last) {
        struct wish *w = *last;
        if (heddle__progress(w->array, polls) == HEDDLE_IN_FLIGHT) {
            last = &w->next;
            continue;
        }
        *last = w->next;
        w->next = NULL;
        *end = w;
        end = &w->next;
    }
    pthread_mutex_unlock(&mutex);
    return due;
}

static void grant(struct wish *w)
{
    const enum heddle_status status = heddle_wait(w->array); /* it is done: to know its error */
    if (!heddle__is_exiting()) w->function(w->array, status, w->data);
    heddle__release(w->array);
    heddle__free(w);
}

static void wait_for_wishes(void)
{
    pthread_mutex_lock(&mutex);
    while (!first) pthread_cond_wait(&added, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *call_functions(void *unused)
{
    (void)unused;
    for (;;) {
        uint64_t seen;
        bool polls;
        wait_for_wishes();
        heddle__watch_begin(&seen);
        struct wish *due = take_due(&polls);
        if (!due) heddle__watch_wait(&seen, polls);
        heddle__watch_end();
        while (due) {
            struct wish *w = due;
            due = w->next;
            grant(w);
        }
    }
    return NULL;
}

/* Under the mutex. */
static bool start_thread(void)
{
    sigset_t before;
    pthread_t thread;
    if (running) return true;
    const bool held = heddle__signals_hold(&before);
    running = pthread_create(&thread, NULL, call_functions, NULL) == 0;
    heddle__signals_release(held, &before);
    if (running) pthread_detach(thread);
    return running;
}

static enum heddle_status add(heddle_array *a, heddle_done_function *function, void *data)
{
    struct wish *w = heddle__alloc(sizeof *w);
    HEDDLE_REQUIRE(w, HEDDLE_ENOMEM, "heddle_on_done: no memory");
    *w = (struct wish){NULL, heddle__retain(a), function, data};
    pthread_mutex_lock(&mutex);
    const bool ok = start_thread();
    if (ok) {
        *last = w;
        last = &w->next;
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&mutex);
    if (ok) {
        heddle__signal_done(); /* the thread may wait for others */
        return HEDDLE_OK;
    }
    heddle__release(a);
    heddle__free(w);
    return heddle__fail(HEDDLE_ENOMEM, "heddle_on_done: the system makes no thread");
}

enum heddle_status heddle_on_done(heddle_array *a, heddle_done_function *function, void *data)
{
    bool polls;
    HEDDLE_REQUIRE(a && function, HEDDLE_EARG, "heddle_on_done: %s is NULL",
                   a ? "the function" : "the array");
    enum heddle_status status = heddle__refuse_in_function("on_done");
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE_ALIVE("on_done", a);
    status = heddle__start("on_done", 1, &a);
    const enum heddle_progress progress = heddle__progress(a, &polls);
    if (progress == HEDDLE_LAZY) return status; /* refused: nothing has begun */
    if (progress == HEDDLE_IN_FLIGHT && heddle__is_forked()) return heddle__check_fork();
    heddle__watch_exit();
    return add(a, function, data);
}
