/* Proves that a program may open the library by dlopen, work, close it, and go on: with another thread that
 * worked there, and with the library once more. This program is not linked with it. Argument: its path. */
#include "check.h"

#include <dlfcn.h>
#include <heddle.h>
#include <pthread.h>
#include <time.h>

enum { N = 1 << 17 };
static const int64_t shape[] = {N};

static void (*find(void *library, const char *name))(void)
{
    void (*function)(void) = NULL;
    void *symbol = dlsym(library, name);
    CHECK(symbol, "%s", name);
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast for it */
    return function;
}

#define FIND(name) __typeof__(name) *const own_##name = (__typeof__(name) *)find(library, #name)

/* By tasks; leaves some in flight. */
static void work(void *library)
{
    static double out[N];
    FIND(heddle_configure);
    FIND(heddle_ones_with);
    FIND(heddle_add);
    FIND(heddle_eval);
    FIND(heddle_read);
    FIND(heddle_release);
    const struct heddle_config config = {.devices = "cpu", .inline_bytes = -1};
    own_heddle_configure(&config); /* refused if it is up */
    heddle_array *a = own_heddle_ones_with(1, shape, NULL), *b = own_heddle_add(a, a);
    CHECK_EQ(own_heddle_read(b, out, sizeof out), HEDDLE_OK);
    CHECK_NUM(out[N - 1], 2);
    heddle_array *c = own_heddle_add(b, b);
    CHECK_EQ(own_heddle_eval(c), HEDDLE_OK);
    own_heddle_release(a);
    own_heddle_release(b);
    own_heddle_release(c);
}

static const char *path;
static atomic_bool closed, worked;

/* Its thread-local state outlives the close. */
static void *thread_that_worked(void *unused)
{
    const struct timespec little = {0, 1000000};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    (void)unused;
    work(library);
    CHECK_EQ(dlclose(library), 0);
    atomic_store(&worked, true);
    while (!atomic_load(&closed)) nanosleep(&little, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    const struct timespec little = {0, 1000000}, while_idle = {0, 100000000};
    pthread_t thread;
    if (argc != 2) return 2;
    path = argv[1];
    CHECK_EQ(pthread_create(&thread, NULL, thread_that_worked, NULL), 0);
    while (!atomic_load(&worked)) nanosleep(&little, NULL);
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(library, "%s", dlerror());
        if (!library) return check_done();
        work(library);
        if (i == 1) {
            FIND(heddle_shutdown);
            CHECK_EQ(own_heddle_shutdown(), HEDDLE_OK);
        }
        CHECK_EQ(dlclose(library), 0);
        nanosleep(&while_idle, NULL); /* its threads go on */
    }
    atomic_store(&closed, true);
    pthread_join(thread, NULL);
    return check_done();
}
