/* Scopes: one list of owned references for each thread; a scope is a place in it. Closing releases
 * what lies above that place. Entry points: heddle_scope_open, heddle_scope_close, heddle_own, heddle_keep,
 * heddle_release, heddle__adopt, scope.h. */
#include "graph/scope.h"

#include "base/at_fork.h"
#include "base/memory.h"
#include "base/thread.h"
#include "graph/check.h"
#include "graph/pool.h"

#include <pthread.h>
#include <string.h>

enum { KEPT = 4096 }; /* references that an empty list keeps room for */

static HEDDLE_THREAD_LOCAL struct {
    struct heddle_scope_state *top;
    struct heddle_scope_state *spare; /* memory of a closed scope, for the next one */
    heddle_array **items;
    int64_t n, capacity;
    uint64_t closing; /* number of the scope that is being closed */
    bool watched;     /* the thread's end will close what is open and free what is kept */
} mine;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void free_items(void)
{
    heddle__free_pooled(mine.items);
    mine.items = NULL;
    mine.capacity = 0;
}

/* Room for one more reference. */
static bool grow_items(void)
{
    const int64_t capacity = mine.capacity ? 2 * mine.capacity : 64;
    heddle_array **items = heddle__alloc_pooled((size_t)capacity * sizeof(heddle_array *));
    if (!items) return false;
    if (mine.n > 0) memcpy(items, mine.items, (size_t)mine.n * sizeof(heddle_array *));
    heddle__free_pooled(mine.items);
    mine.items = items;
    mine.capacity = capacity;
    return true;
}

/* Closes `scope`, the innermost. A deleter of the user's may make arrays meanwhile; they are released,
 * too. */
static void close_top(struct heddle_scope_state *scope)
{
    const uint64_t closing = mine.closing;
    mine.closing = scope->number;
    while (mine.items && mine.n > scope->first) {
        heddle_array *a = mine.items[--mine.n];
        if (scope->number > 0) heddle__check_adopted(a, 0);
        heddle__release(a);
    }
    mine.closing = closing;
    mine.top = scope->outer;
    scope->closed = true;
    const bool keep = mine.watched && heddle__pooling();
    if (scope->allocated && scope->number == 0) {
        heddle__free_pooled(keep ? mine.spare : scope);
        if (keep) mine.spare = scope;
    }
    if (!mine.top && !(keep && mine.capacity <= KEPT)) free_items();
}

static void at_thread_end(void *unused)
{
    (void)unused;
    if (mine.top && mine.top->number > 0)
        heddle__misuse("a thread ended with scope %llu open", (unsigned long long)mine.top->number);
    while (mine.top) close_top(mine.top);
    mine.watched = false;
    free_items();
    heddle__free_pooled(mine.spare);
    mine.spare = NULL;
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
    if (result) heddle__retain(result);
    while (mine.top != scope) /* a deleter of the user's left it open */
        close_top(mine.top);
    close_top(scope);
    return heddle__adopt(result);
}

uint64_t heddle__closing_scope(void)
{
    return mine.closing;
}

/* ---- Checked ---------------------------------------------------------------------------------------- */

/* All scopes that were opened: their memory stays, so that a handle is of one scope for good. */
static pthread_mutex_t opened_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_scope_state *opened;
HEDDLE_AT_FORK(.mutex = &opened_mutex)

static void number(struct heddle_scope_state *scope)
{
    scope->owner = pthread_self();
    pthread_mutex_lock(&opened_mutex);
    scope->number = opened ? opened->number + 1 : 1;
    scope->older = opened;
    opened = scope;
    pthread_mutex_unlock(&opened_mutex);
}

/* heddle_scope_close of what is no open scope of this thread. */
static void report_scope(const struct heddle_scope_state *scope)
{
    struct heddle_scope_state found = {0};
    pthread_mutex_lock(&opened_mutex);
    const struct heddle_scope_state *s = opened;
    while (s && s != scope) s = s->older;
    if (s) found = *s;
    pthread_mutex_unlock(&opened_mutex);
    const unsigned long long n = found.number;
    if (n == 0)
        heddle__misuse("heddle_scope_close: no scope of Heddle's");
    else if (!pthread_equal(found.owner, pthread_self()))
        heddle__misuse("heddle_scope_close: scope %llu is another thread's", n);
    else
        heddle__misuse("heddle_scope_close: scope %llu is closed already", n);
}

/* ---- Open and closed --------------------------------------------------------------------------------- */

heddle_scope heddle_scope_open(void)
{
    const bool checking = heddle__checking();
    struct heddle_scope_state *scope = checking ? NULL : mine.spare;
    if (!checking) mine.spare = NULL;
    if (!scope) scope = heddle__alloc_pooled(sizeof *scope);
    if (!scope) return NULL;
    if (!mine.watched) {
        pthread_once(&once, make_key);
        mine.watched = have_key && pthread_setspecific(key, &mine) == 0;
    }
    heddle__scope_enter(scope);
    scope->allocated = true;
    if (checking) number(scope);
    return scope;
}

void heddle_scope_close(heddle_scope scope)
{
    struct heddle_scope_state *s = mine.top;
    while (s && s != scope) s = s->outer;
    if (!s) { /* NULL, closed before, or another thread's */
        if (scope && heddle__checking()) report_scope(scope);
        return;
    }
    while (mine.top != scope) close_top(mine.top);
    close_top(scope);
}

heddle_array *heddle__adopt(heddle_array *a)
{
    if (!a) return heddle__error_memory();
    if (!mine.top || a == heddle__error_memory()) return a;
    if (mine.n == mine.capacity && !grow_items()) {
        heddle__release(a);
        return heddle__error_memory();
    }
    mine.items[mine.n++] = a;
    if (heddle__checking()) heddle__check_adopted(a, mine.top->number);
    return a;
}

heddle_array *heddle_own(heddle_array *a)
{
    if (!a || !mine.top) return a;
    if (heddle__checking() && !heddle__check_use("own", a)) return a;
    if (mine.n > mine.top->first && mine.items[mine.n - 1] == a) { /* the last one made: move it */
        mine.n--;
        if (heddle__checking()) heddle__check_adopted(a, 0);
        return a;
    }
    return heddle__retain(a);
}

heddle_array *heddle_keep(heddle_array *a)
{
    if (a && heddle__checking() && !heddle__check_use("keep", a)) return a;
    return a ? heddle__retain(a) : NULL;
}

void heddle_release(heddle_array *a)
{
    if (heddle__checking() && !heddle__check_release(a)) return;
    heddle__release(a);
}
