/* Threads in reserve. Entry points: reserve.h. */
#include "base/reserve.h"

#include "base/import.h"
#include "base/memory.h"

#include <pthread.h>

struct waiting {
    pthread_t thread;
    void *(*function)(void *); /* NULL: it is to end */
    void *argument;
    bool has_orders;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ordered = PTHREAD_COND_INITIALIZER;
static struct waiting *waiting;
static int n_waiting, n_running; /* made; that have begun to wait for nothing any more */
static int n_given;
static pthread_t owner;
static struct heddle_import import;

static void *wait_for_orders(void *argument)
{
    const struct waiting *w = argument;
    pthread_mutex_lock(&mutex);
    while (!w->has_orders) pthread_cond_wait(&ordered, &mutex);
    void *(*const function)(void *) = w->function;
    void *const own = w->argument;
    n_running++;
    pthread_cond_broadcast(&ordered);
    pthread_mutex_unlock(&mutex);
    return function ? function(own) : NULL;
}

/* pthread_create, for the library. */
static int give(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                void *argument)
{
    pthread_mutex_lock(&mutex);
    const bool has_one = n_given < n_waiting && pthread_equal(pthread_self(), owner);
    if (has_one) {
        struct waiting *w = &waiting[n_given++];
        w->function = function;
        w->argument = argument;
        w->has_orders = true;
        *thread = w->thread;
        pthread_cond_broadcast(&ordered);
    }
    pthread_mutex_unlock(&mutex);
    return has_one ? 0 : pthread_create(thread, attributes, function, argument);
}

void heddle__reserve_end(void)
{
    heddle__import_restore(&import);
    pthread_mutex_lock(&mutex);
    const int given = n_given;
    for (int i = given; i < n_waiting; i++) waiting[i].has_orders = true;
    n_given = n_waiting;
    pthread_cond_broadcast(&ordered);
    while (n_running < n_waiting) pthread_cond_wait(&ordered, &mutex); /* they read their orders */
    pthread_mutex_unlock(&mutex);
    for (int i = given; i < n_waiting; i++) pthread_join(waiting[i].thread, NULL);
    heddle__free(waiting);
    waiting = NULL;
    n_waiting = n_given = n_running = 0;
}

bool heddle__reserve_threads(int n, void (*inside)(void))
{
    waiting = heddle__calloc((size_t)n, sizeof *waiting);
    if (!waiting) return false;
    owner = pthread_self();
    pthread_mutex_lock(&mutex); /* n_waiting is theirs, too */
    while (n_waiting < n && pthread_create(&waiting[n_waiting].thread, NULL, wait_for_orders,
                                           &waiting[n_waiting]) == 0)
        n_waiting++;
    const bool all = n_waiting == n;
    pthread_mutex_unlock(&mutex);
    if (all && heddle__import_redirect(&import, inside, "pthread_create", (void (*)(void))give))
        return true;
    heddle__reserve_end();
    return all;
}
