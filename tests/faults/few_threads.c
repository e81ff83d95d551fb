/* Preloaded: a process has at most HEDDLE_TEST_THREADS threads beside the first; to make one more fails, as
 * with a limit of processes. With HEDDLE_TEST_THREAD_FAILS=k the k-th to be made fails, and no other. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct start {
    void *(*function)(void *argument);
    void *argument;
};

static atomic_int n_live, n_made;

/* A number from the environment. */
static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

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
    struct start *start = malloc(sizeof *start);
    const bool fails = atomic_fetch_add(&n_made, 1) + 1 == number("HEDDLE_TEST_THREAD_FAILS", 0);
    if (!start || atomic_fetch_add(&n_live, 1) >= number("HEDDLE_TEST_THREADS", 1000) || fails) {
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
