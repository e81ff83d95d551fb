/* Evaluates one array for its data. */
#ifndef HEDDLE_RUN_EVALUATE_H
#define HEDDLE_RUN_EVALUATE_H

#include "array/parts.h"
#include "graph/node.h"

/* The data of an evaluated array: a reference and, unless they are host memory alone, a place inside the
 * gate (life.h), so that devices stay up. */
struct heddle_data {
    struct heddle_storage *storage;
    bool is_inside;
};
/* Evaluates `a` and waits for it alone, for the public function `name`. Close it if that succeeds. Not under
 * the evaluation lock. */
enum heddle_status heddle__data_open(const char *name, heddle_array *a, struct heddle_data *out);
void heddle__data_close(struct heddle_data *data);
/* Goes inside also if it is host memory. */
void heddle__data_stay(struct heddle_data *data);

/* heddle_eval_all, by the name of the public function that asks. */
enum heddle_status heddle__start(const char *name, int n, heddle_array *const arrays[]);
/* Evaluates arrays together, as heddle_eval_all does; what is not evaluated yet is computed into memory of mapped
 * files, where memory is given and can be used: then the array's data are there from now on. */
struct heddle_given;
enum heddle_status heddle__evaluate_into(int n, heddle_array *const arrays[],
                                         const struct heddle_given *given);

/* How often this thread asked for arrays to be evaluated, or for their data, but of constants. */
extern _Thread_local int64_t heddle__n_asked;

/* Makes a data node whose tasks failed an error. Under the evaluation lock. */
enum heddle_status heddle__settle(heddle_array *a);
/* Kernels may run on this thread, and have large frames. HEDDLE_ENOMEM: nothing becomes an error, as another thread may
 * have the room. */
enum heddle_status heddle__check_stack(void);
/* heddle_eval_all of a call's outputs, which is noted (replay.h). */
struct heddle_replay_call;
enum heddle_status heddle__start_noting(struct heddle_replay_call *call);

void heddle__evaluate_close(void); /* frees what is kept between evaluations; under the lock */

#endif
