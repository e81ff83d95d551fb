/* Scopes: one list of owned references for each thread; a scope is a place in it. Closing releases
 * what lies above that place. Entry points: heddle_scope_open, heddle_scope_close, heddle_keep,
 * heddle_release, heddle__adopt, scope.h. */
#include "graph/scope.h"

#include "base/memory.h"

#include <pthread.h>

static _Thread_local struct {
    struct heddle_scope_state *top;
    heddle_array **items;
    int64_t n, capacity;
    bool watched; /* the end of the thread closes what is open */
} mine;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

/* Closes `scope`, the innermost. While it releases, a deleter of the user's may make arrays: they
 * are released too. */
static void close_top(struct heddle_scope_state *scope)
{
    while (mine.n > scope->first) {
        heddle_array *a = mine.items[--mine.n];
        atomic_store_explicit(&a->scoped, false, memory_order_relaxed);
        heddle__release(a);
    }
    mine.top = scope->outer;
    if (scope->allocated) heddle__free(scope);
    if (mine.top) return;
    heddle__free(mine.items);
    mine.items = NULL;
    mine.capacity = 0;
}

static void at_thread_end(void *unused)
{
    (void)unused;
    while (mine.top) close_top(mine.top);
    mine.watched = false;
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, at_thread_end) == 0;
}

void heddle__scope_enter(struct heddle_scope_state *scope)
{
    *scope = (struct heddle_scope_state){.outer = mine.top, .first = mine.n};
    mine.top = scope;
}

heddle_array *heddle__scope_leave(struct heddle_scope_state *scope, heddle_array *result)
{
    heddle__retain(result);
    while (mine.top != scope) /* left open by a deleter of the user's */
        close_top(mine.top);
    close_top(scope);
    return heddle__adopt(result);
}

heddle_scope heddle_scope_open(void)
{
    struct heddle_scope_state *scope = heddle__alloc(sizeof *scope);
    if (!scope) return NULL;
    if (!mine.watched) {
        pthread_once(&once, make_key);
        mine.watched = have_key && pthread_setspecific(key, &mine) == 0;
    }
    heddle__scope_enter(scope);
    scope->allocated = true;
    return scope;
}

void heddle_scope_close(heddle_scope scope)
{
    struct heddle_scope_state *s = mine.top;
    while (s && s != scope) s = s->outer;
    if (!s) return; /* NULL, closed already, or another thread's */
    while (mine.top != scope) close_top(mine.top);
    close_top(scope);
}

heddle_array *heddle__adopt(heddle_array *a)
{
    if (!a) return heddle__error_memory();
    if (!mine.top || a == heddle__error_memory()) return a;
    if (mine.n == mine.capacity &&
        !heddle__grow(&mine.items, sizeof *mine.items, mine.n + 1, &mine.capacity)) {
        heddle__release(a);
        return heddle__error_memory();
    }
    mine.items[mine.n++] = a;
    atomic_store_explicit(&a->scoped, true, memory_order_relaxed);
    return a;
}

heddle_array *heddle_keep(heddle_array *a)
{
    return a ? heddle__retain(a) : NULL;
}

void heddle_release(heddle_array *a)
{
    heddle__release(a);
}
