/* How the threads of a team share numbered items: each has a range of its own, in order, and takes
 * from the ranges of the late when it is done. A core that something else runs on, too, or that is
 * half of one, would hold up all others at the end of each task. */
#ifndef HEDDLE_BASE_SHARE_H
#define HEDDLE_BASE_SHARE_H

#include "base/team.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SHARES = 64,         /* ranges; with more threads some begin in one together */
    TAKES_OF_SHARE = 16, /* that its owner would need alone */
    VAIN_LOOKS = 4,      /* into ranges of others, that make a thread go */
};

struct heddle__shares {
    int64_t n_items, grain;
    int n;
    struct {
        _Alignas(64) atomic_llong taken; /* of its items */
    } of[SHARES];
};

/* One thread's way through them. The caller of the loop looks into all ranges, so that nothing is left; another thread goes when
 * a few that it looked into had nothing left: at the end of a loop all would look into all, and that takes longer than a short
 * loop does. */
struct heddle__taker {
    struct heddle__shares *shares;
    int range, n_left;   /* where it is; how many it may still look into */
    int step, n_in_vain; /* to the next one; looked into since it last found something */
    bool looks_into_all;
};

static inline void heddle__shares_begin(struct heddle__shares *s, int64_t n_items, int n_threads)
{
    s->n_items = n_items;
    s->n = n_threads < SHARES ? n_threads : SHARES;
    s->grain = n_items / ((int64_t)s->n * TAKES_OF_SHARE);
    if (s->grain < 1) s->grain = 1;
    for (int i = 0; i < s->n; i++) atomic_init(&s->of[i].taken, 0);
}

/* Of the calling thread, `thread` of a run. It begins in the same range in all loops of as many: what it read or wrote there before
 * may be in its cache. */
static inline struct heddle__taker heddle__taker(struct heddle__shares *s, int thread)
{
    const int home = s->n > 1 ? heddle__team_home() : 0;
    return (struct heddle__taker){.shares = s,
                                  .range = home % s->n,
                                  .n_left = s->n,
                                  .step = thread == 0 || s->n < 3 ? 1 : 1 + home * 7 % (s->n - 1),
                                  .looks_into_all = thread == 0};
}

/* Items *from..*to-1 are the caller's; false: none is left. */
static inline bool heddle__take(struct heddle__taker *t, int64_t *from, int64_t *to)
{
    struct heddle__shares *s = t->shares;
    if (s->n == 1) { /* alone: all at once */
        *from = 0;
        *to = s->n_items;
        return t->n_left-- > 0;
    }
    for (; t->n_left > 0; t->n_left--, t->range = (t->range + t->step) % s->n) {
        const int64_t begin = s->n_items * t->range / s->n;
        const int64_t end = s->n_items * (t->range + 1) / s->n;
        /* Who only looks does not take the line from its owner, nor waits for one line after another. */
        if (begin + atomic_load_explicit(&s->of[t->range].taken, memory_order_relaxed) < end) {
            const int64_t at = begin + atomic_fetch_add_explicit(&s->of[t->range].taken, s->grain,
                                                                 memory_order_relaxed);
            if (at < end) {
                *from = at;
                *to = end - at < s->grain ? end : at + s->grain;
                t->n_in_vain = 0;
                return true;
            }
        }
        if (t->n_in_vain++ >= VAIN_LOOKS && !t->looks_into_all) break;
    }
    t->n_left = 0;
    return false;
}

/* The whole loop on a team, lent or its own, for work without a state of its own in each thread: body takes
 * items from..to-1. */
typedef void heddle_team_body(void *argument, int64_t from, int64_t to);
void heddle__share(struct heddle_team *team, int n_threads, int64_t n_items, heddle_team_body *body,
                   void *argument);
void heddle__share_lent(int n_threads, int64_t n_items, heddle_team_body *body, void *argument);

/* How many threads of a team so much work is worth. */
static inline int heddle__threads_worth(struct heddle_team *team, double work, double of_thread)
{
    const double n = work / of_thread, size = heddle__team_size(team);
    return n < 1 ? 1 : (int)(n < size ? n : size);
}

#endif
