/* Preloaded: a process has at most HEDDLE_TEST_THREADS threads beside the first; to make one more fails, as
 * with a limit of processes. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct start {
    void *(*function)(void *argument);
    void *argument;
};

static atomic_int n_live;

static void *run(void *argument)
{
    const struct start start = *(struct start *)argument;
    free(argument);
    void *result = start.function(start.argument);
    atomic_fetch_sub(&n_live, 1);
    return result;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*function)(void *), void *argument)
{
    int (*make)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&make = dlsym(RTLD_NEXT, "pthread_create");
    const char *limit = getenv("HEDDLE_TEST_THREADS");
    struct start *start = malloc(sizeof *start);
    if (!start || atomic_fetch_add(&n_live, 1) >= (limit ? atoi(limit) : 1000)) {
        atomic_fetch_sub(&n_live, 1);
        free(start);
        return EAGAIN;
    }
    *start = (struct start){function, argument};
    const int error = make(thread, attributes, run, start);
    if (error == 0) return 0;
    atomic_fetch_sub(&n_live, 1);
    free(start);
    return error;
}
