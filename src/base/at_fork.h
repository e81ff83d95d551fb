/* Locks over fork(). A child has one thread, so a lock that another thread held at that moment would stay
 * locked, and what it guards half changed. Each lock that a child may need is registered here, by a
 * constructor in its file: all are held while the process forks. */
#ifndef HEDDLE_BASE_AT_FORK_H
#define HEDDLE_BASE_AT_FORK_H

#include <pthread.h>
#include <stdbool.h>

struct heddle_at_fork {
    pthread_mutex_t *mutex;   /* NULL: there is none */
    pthread_rwlock_t *rwlock; /* taken after the mutex; NULL: there is none */
    /* The evaluation lock, under which the others are taken; a function of the user's may run under it,
     * and fork: then it is not waited for, and is made anew in the child. */
    bool outermost;
    void (*in_child)(void); /* called there, when all locks are free; may be NULL */
    struct heddle_at_fork *next;
    bool held;
};

void heddle__at_fork(struct heddle_at_fork *entry); /* static */

/* Once in a file, with the fields. */
#define HEDDLE_AT_FORK(...)                                                                        \
    __attribute__((constructor)) static void register_at_fork(void)                                \
    {                                                                                              \
        static struct heddle_at_fork entry = {__VA_ARGS__};                                        \
        heddle__at_fork(&entry);                                                                   \
    }

#endif
