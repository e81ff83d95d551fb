/* Signals are for the threads of the program: a thread that the library starts takes none that could go to
 * another, so that a handler runs in, and a wait is interrupted of, only what the program made. What a thread
 * does to itself (SIGSEGV and its like), and what profilers sample it by, it takes. */
#ifndef HEDDLE_BASE_SIGNALS_H
#define HEDDLE_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Holds them back for the calling thread, and for all that it starts meanwhile; false: nothing is held. */
static inline bool heddle__signals_hold(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&held, own[i]);
    return pthread_sigmask(SIG_BLOCK, &held, before) == 0;
}

static inline void heddle__signals_release(bool held, const sigset_t *before)
{
    if (held) pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
