/* Entry points: at_fork.h. */
#include "base/at_fork.h"

#include "base/user_function.h"

static struct heddle_at_fork
    *entries; /* the outermost lock first; set while the library is loaded */

static void before(void)
{
    for (struct heddle_at_fork *e = entries; e; e = e->next) {
        e->held = e->mutex && !(e->outermost && heddle__in_user_function);
        if (e->held) pthread_mutex_lock(e->mutex);
        if (e->rwlock) pthread_rwlock_wrlock(e->rwlock);
    }
}

static void in_parent(void)
{
    for (struct heddle_at_fork *e = entries; e; e = e->next) {
        if (e->rwlock) pthread_rwlock_unlock(e->rwlock);
        if (e->held) pthread_mutex_unlock(e->mutex);
    }
}

static void in_child(void)
{
    for (struct heddle_at_fork *e = entries; e; e = e->next) {
        if (e->rwlock) pthread_rwlock_init(e->rwlock, NULL);
        if (e->held)
            pthread_mutex_unlock(e->mutex);
        else if (e->mutex)
            pthread_mutex_init(e->mutex, NULL);
    }
    for (struct heddle_at_fork *e = entries; e; e = e->next)
        if (e->in_child) e->in_child();
}

void heddle__at_fork(struct heddle_at_fork *entry)
{
    if (!entries) pthread_atfork(before, in_parent, in_child);
    struct heddle_at_fork **at = &entries;
    while (*at && (*at)->outermost && !entry->outermost) at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}
