/* What an evaluation did, kept so that it can be done again with other arrays of the same kind: without recording, walking
 * or looking for a plan. */
#ifndef HEDDLE_RUN_REPLAY_H
#define HEDDLE_RUN_REPLAY_H

#include "plan/plan.h"
#include "plan/walk.h"

enum { HEDDLE_REPLAY_ARRAYS = 64, HEDDLE_REPLAYS = 4 };

struct heddle_replay;

/* Those of one recording, by kinds of its inputs, the last used first. Zero at first; used under the evaluation lock. */
struct heddle_replays {
    struct heddle_replay *at[HEDDLE_REPLAYS];
};
/* Not under the lock. */
void heddle__replays_clear(struct heddle_replays *replays);

struct heddle_replay_call {
    const char *name;        /* of the public function, without "heddle_" */
    int n_inputs, n_outputs; /* at most HEDDLE_REPLAY_ARRAYS each */
    heddle_array *const *inputs;
    heddle_array **outputs;
    uint64_t
        given; /* bit i: the caller's reference to input i goes once the outputs are recorded */
    struct heddle_replay *draft; /* of the inputs as they are now; NULL: not kept */
};

/* Does it again, if inputs of this kind were there before: true, outputs[] are references for the caller, and *status tells
 * how it went. False: they are to be recorded, and then evaluated by heddle__replay_evaluate. */
bool heddle__replay(struct heddle_replays *replays, struct heddle_replay_call *call,
                    enum heddle_status *status);
/* heddle_eval_all of call->outputs, what is given having been released. Keeps the draft, if it can be done again. */
enum heddle_status heddle__replay_evaluate(struct heddle_replays *replays,
                                           struct heddle_replay_call *call);
/* Forgets the draft: what was recorded depends on more than the kinds of its inputs. */
void heddle__replay_drop(struct heddle_replay_call *call);

/* Under the lock, before the plan of a walk runs. */
void heddle__replay_note(struct heddle_replay_call *call, const struct heddle_walk *walk,
                         struct heddle_plan *plan);

#endif
