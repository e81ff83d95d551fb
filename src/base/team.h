/* A team: threads that stay, and take part in one loop after another. The caller of a loop never waits
 * for a thread that has not begun: who comes late, because its core does something else, finds the work
 * done. So a busy machine costs what it takes away, and no more. */
#ifndef HEDDLE_BASE_TEAM_H
#define HEDDLE_BASE_TEAM_H

#include <sched.h>

struct heddle_team;

/* One thread's way through the work. It must take what is left until nothing is: any number of threads may
 * take part, the caller alone too. `thread`: 0 is the caller, each other has another number. */
typedef void heddle_team_work(void *argument, int thread);

/* The caller of a run is one of the `n_threads`, so n_threads - 1 are made; fewer when the system gives no
 * more, none included. `cores`: where they run; NULL: where the calling thread may. NULL: memory is gone. */
struct heddle_team *heddle__team_open(int n_threads, const cpu_set_t *cores);
/* Nobody may be in heddle__team_run. NULL is ignored. */
void heddle__team_close(struct heddle_team *team);
/* How many threads can take part at once; 1 of NULL. */
int heddle__team_size(const struct heddle_team *team);

/* Runs work(argument, t) on the caller, t = 0, and on at most n_threads - 1 more of the team, 0 < t <
 * n_threads. Returns when all who began have ended. From any thread, several at once too: they share the
 * team. Allocates nothing. */
void heddle__team_run(struct heddle_team *team, int n_threads, heddle_team_work *work,
                      void *argument);

/* The calling thread's number in its team, the same in all runs; 0: it is no member. */
int heddle__team_home(void);

/* Of n threads, how many would begin at once: the caller, and members that look for work. Asked again and again in
 * microseconds for more than are ready, it wakes some, for the next time; not on a busy machine. */
int heddle__team_ready(struct heddle_team *team, int n);

/* The team that threads which are no workers may borrow: to copy, and for plans on the caller's thread.
 * lend: NULL takes it back, and waits for those that have it. borrow: NULL if there is none; give it back
 * soon, NULL too. */
void heddle__team_lend(struct heddle_team *team);
struct heddle_team *heddle__team_borrow(void);
void heddle__team_give_back(struct heddle_team *team);

#endif
