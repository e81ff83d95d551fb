/* Loops whose threads have no state of their own. Entry points: share.h. */
#include "base/share.h"

struct loop {
    struct heddle__shares shares;
    heddle_team_body *body;
    void *argument;
};

static void work(void *argument, int thread)
{
    struct loop *loop = argument;
    struct heddle__taker taker = heddle__taker(&loop->shares, thread);
    int64_t from, to;
    while (heddle__take(&taker, &from, &to)) loop->body(loop->argument, from, to);
}

void heddle__share(struct heddle_team *team, int n_threads, int64_t n_items, heddle_team_body *body,
                   void *argument)
{
    if (n_items <= 0) return;
    if (n_threads > n_items) n_threads = (int)n_items;
    struct loop loop; /* of some KiB, most of which nobody reads */
    loop.body = body;
    loop.argument = argument;
    heddle__shares_begin(&loop.shares, n_items, n_threads);
    heddle__team_run(team, n_threads, work, &loop);
}

void heddle__share_lent(int n_threads, int64_t n_items, heddle_team_body *body, void *argument)
{
    struct heddle_team *team = n_threads > 1 ? heddle__team_borrow() : NULL;
    heddle__share(team, n_threads, n_items, body, argument);
    heddle__team_give_back(team);
}
